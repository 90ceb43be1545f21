for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  const body = table.tBodies[0];
  const key = (row, i) => row.cells[i].dataset.key ?? row.cells[i].textContent;
  heads.forEach((head, i) => head.querySelector("button").addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const compare = (a, b) => {
      const [x, y] = [key(a, i), key(b, i)];
      const order = isNaN(Number(x)) || isNaN(Number(y)) ? x.localeCompare(y) : Number(x) - Number(y);
      return down ? -order : order;
    };
    body.append(...[...body.rows].sort(compare));
  }));
}

// A long table of few columns is printed in parts that stand beside each other. Firefox cannot set a table in columns.
const ROWS = 10; // of a part
addEventListener("beforeprint", () => {
  for (const box of document.querySelectorAll(".scroll.narrow")) {
    if (!box.checkVisibility()) continue;
    const [table] = box.children, rows = [...table.tBodies[0].rows];
    box.classList.add("parted");
    for (let i = 0; i < rows.length; i += ROWS) {
      const part = table.cloneNode();
      part.append(table.tHead.cloneNode(true), document.createElement("tbody"));
      part.tBodies[0].append(...rows.slice(i, i + ROWS).map((row) => row.cloneNode(true)));
      box.append(part);
    }
  }
});
addEventListener("afterprint", () => {
  for (const box of document.querySelectorAll(".parted")) { box.classList.remove("parted"); box.replaceChildren(box.children[0]); }
});
