// Drawings, and words that were written in Markdown.

const { el } = antemill;
const SVG = "http://www.w3.org/2000/svg";

// An element of a drawing.
antemill.svg = (tag, { class: name, attrs = {}, on = {} } = {}, ...children) => {
  const node = document.createElementNS(SVG, tag);
  if (name) node.setAttribute("class", name);
  for (const [key, value] of Object.entries(attrs)) if (value !== null && value !== undefined) node.setAttribute(key, value);
  antemill.listen(node, on);
  for (const child of children.flat(Infinity)) if (child) node.append(child instanceof Node ? child : antemill.visible(child));
  return node;
};

// From low..high to start..end.
antemill.scale = (values, start, end) => {
  let low = Math.min(...values), high = Math.max(...values);
  if (!(high > low)) { low -= 1; high += 1; }
  const to = (value) => start + (end - start) * (value - low) / (high - low);
  return Object.assign(to, { low, high });
};

// Round numbers between the ends of a scale.
antemill.ticks = ({ low, high }, count = 4) => {
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= raw);
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step / 1e6; at += step) found.push(Math.abs(at) < step / 1e6 ? 0 : at);
  return found.map((at) => [at, String(Number(at.toPrecision(6))).replace("-", "\u2212")]);
};

const BOLD = /(\*\*[^*]+\*\*|\*[^*]+\*|`[^`]+`)/;
const inline = (text) => text.split(BOLD).map((part) =>
  /^\*\*.+\*\*$/.test(part) ? el("strong", {}, part.slice(2, -2))
    : /^\*.+\*$/.test(part) ? el("em", {}, part.slice(1, -1))
      : /^`.+`$/.test(part) ? el("code", {}, part.slice(1, -1)) : part);

// The Markdown of a rulebook: headings, lists, paragraphs, bold and italic words. level: of its highest heading.
antemill.markdown = (source, level = 2) => {
  const found = [];
  let list = null, paragraph = [];
  const close = () => {
    if (paragraph.length) found.push(el("p", {}, inline(paragraph.join(" "))));
    if (list) found.push(list);
    list = null; paragraph = [];
  };
  for (const line of source.split("\n")) {
    const heading = /^(#+) (.*)$/.exec(line), item = /^(\s*)(?:-|(\d+)\.) (.*)$/.exec(line);
    if (heading) { close(); found.push(el(`h${Math.min(6, level + heading[1].length - 1)}`, {}, inline(heading[2]))); }
    else if (item) {
      const tag = item[2] ? "ol" : "ul", depth = Math.min(4, item[1].length / 2);
      if (paragraph.length || (list && list.tagName.toLowerCase() !== tag)) close();
      list ??= el(tag, {});
      list.append(el("li", { class: depth ? `deeper-${depth}` : "" }, inline(item[3])));
    } else if (line.trim() === "") close();
    else { if (list) close(); paragraph.push(line.trim()); }
  }
  close();
  return found;
};
