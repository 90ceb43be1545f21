"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  const body = table.tBodies[0];
  const key = (row, i) => row.cells[i].dataset.key ?? row.cells[i].textContent;
  heads.forEach((head, i) => head.firstElementChild.addEventListener("click", () => {
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

const data = document.getElementById("points");
if (data) {
  const { axes, points } = JSON.parse(data.textContent);
  const plot = document.querySelector("svg.scatter");
  const grid = plot.querySelector(".grid");
  const dots = [...plot.querySelectorAll("circle")];
  const choice = { x: document.getElementById("x-axis"), y: document.getElementById("y-axis") };
  const space = { x: [52, 706], y: [394, 14] };
  const ticks = (low, high) => {
    const raw = (high - low) / 9, power = 10 ** Math.floor(Math.log10(raw));
    const step = power * [1, 2, 5, 10].find((factor) => factor * power >= raw * 0.999);
    const found = [];
    for (let i = Math.ceil(low / step); i * step <= high; i++) found.push(i * step);
    return found;
  };
  const scale = (axis, name) => {
    const values = points.map((point) => point[axis]);
    let low = Math.min(...values), high = Math.max(...values);
    const margin = (high - low) * 0.04 || Math.max(Math.abs(high), 1) * 0.1;
    low -= margin; high += margin;
    const [start, end] = space[name];
    return { low, high, at: (value) => (start + (value - low) / (high - low) * (end - start)).toFixed(1) };
  };
  const draw = () => {
    const x = scale(Number(choice.x.value), "x"), y = scale(Number(choice.y.value), "y");
    dots.forEach((dot, i) => {
      dot.setAttribute("cx", x.at(points[i][choice.x.value]));
      dot.setAttribute("cy", y.at(points[i][choice.y.value]));
    });
    const label = (value) => String(Number(value.toPrecision(6))).replace("-", "−");
    grid.innerHTML = ticks(x.low, x.high).map((value) =>
      `<path class="x" d="M${x.at(value)} 14V394"/><text class="x" x="${x.at(value)}" y="410">${label(value)}</text>`
    ).join("") + ticks(y.low, y.high).map((value) =>
      `<path class="y" d="M52 ${y.at(value)}H706"/><text class="y" x="46" y="${Number(y.at(value)) + 4}">${label(value)}</text>`
    ).join("");
    document.getElementById("x-name").textContent = axes[choice.x.value];
    document.getElementById("y-name").textContent = axes[choice.y.value];
    plot.setAttribute("aria-label", `${axes[choice.y.value]} against ${axes[choice.x.value]}`);
  };
  choice.x.addEventListener("change", draw);
  choice.y.addEventListener("change", draw);
}

for (const browser of document.querySelectorAll(".browser")) {
  const entries = [...browser.querySelectorAll(".entry")];
  const texts = entries.map((entry) => entry.textContent.toLowerCase());
  const search = browser.querySelector("input"), selects = [...browser.querySelectorAll("select")];
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    entries.forEach((entry, i) => {
      const chosen = selects.every((select) => !select.value || entry.dataset[select.dataset.name] === select.value);
      entry.hidden = !(chosen && words.every((word) => texts[i].includes(word)));
      shown += !entry.hidden;
    });
    browser.querySelector("output").textContent = `${shown.toLocaleString("en")} entries`;
  };
  search.addEventListener("input", filter);
  selects.forEach((select) => select.addEventListener("change", filter));
}
