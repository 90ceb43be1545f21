// The pool's scatter plot: which axes it shows can be chosen.

const data = document.getElementById("points");
if (data) {
  const { axes, points, box } = JSON.parse(data.textContent);
  const plot = document.querySelector(".pool-plot svg");
  const grids = { x: plot.querySelector(".grid.across"), y: plot.querySelector(".grid.up") };
  const names = { x: plot.querySelector(".x-name"), y: plot.querySelector(".y-name") };
  const dots = [...plot.querySelectorAll("circle")];
  const choice = { x: document.getElementById("x-axis"), y: document.getElementById("y-axis") };
  const space = { x: [box.left, box.right], y: [box.bottom, box.top] };
  const ticks = (low, high, most) => {
    const raw = (high - low) / most, power = 10 ** Math.floor(Math.log10(raw));
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
  const drawn = (tag, attrs, text) => {
    const node = document.createElementNS(plot.namespaceURI, tag);
    for (const [key, value] of Object.entries(attrs)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const label = (value) => String(Number(value.toPrecision(6))).replace("-", "\u2212");
  const draw = () => {
    const x = scale(Number(choice.x.value), "x"), y = scale(Number(choice.y.value), "y");
    dots.forEach((dot, i) => {
      dot.setAttribute("cx", x.at(points[i][choice.x.value]));
      dot.setAttribute("cy", y.at(points[i][choice.y.value]));
    });
    grids.x.replaceChildren(...ticks(x.low, x.high, 9).flatMap((value) => [
      drawn("path", { class: "x", d: `M${x.at(value)} ${box.top}V${box.bottom + 4}` }),
      drawn("text", { class: "x middle", x: x.at(value), y: box.bottom + 18 }, label(value))]));
    grids.y.replaceChildren(...ticks(y.low, y.high, 7).flatMap((value) => [
      drawn("path", { class: "y", d: `M${box.left - 4} ${y.at(value)}H${box.right}` }),
      drawn("text", { class: "y end", x: box.left - 8, y: Number(y.at(value)) + 4.5 }, label(value))]));
    names.x.textContent = axes[choice.x.value];
    names.y.textContent = axes[choice.y.value];
    plot.setAttribute("aria-label", `${axes[choice.y.value]} against ${axes[choice.x.value]}`);
  };
  choice.x.addEventListener("change", draw);
  choice.y.addEventListener("change", draw);
}
