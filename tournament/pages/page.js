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
