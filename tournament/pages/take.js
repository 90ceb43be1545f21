// What a reader takes along from a report: a table as CSV, Markdown or LaTeX, a figure as SVG or PNG, a link that stays.
//
// A table is written as it is shown, in the order in which it is sorted; CSV has the figures by which it is sorted, which
// have six digits. All of them are at full length in what `antemill ... analyze` writes.

const { el } = antemill;

const save = (name, type, text) => {
  const address = URL.createObjectURL(text instanceof Blob ? text : new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
};

// ---------------------------------------------------------------------------------------------- tables

// A name that the table cuts is whole in its tooltip.
const whole = ({ textContent, title }) => (textContent.endsWith("\u2026") && title.startsWith(textContent.slice(0, -1)) ? title : textContent);

// Headings that differ, as `headings` of statistics/sheets.py has them.
const distinct = (texts) => {
  let left = "";
  return texts.map((text) => {
    if (texts.indexOf(text) !== texts.lastIndexOf(text)) return left ? `${left}: ${text}` : text;
    return (left = text);
  });
};

const read = (table) => {
  const lines = [...table.tHead.rows], heads = [...lines.at(-1).cells];
  const groups = lines.length > 1 ? [...lines[0].cells].flatMap((cell) => Array(cell.colSpan).fill(cell.textContent)) : [];
  return {
    heads: distinct(heads.map((head, i) => [groups[i], whole(head)].filter(Boolean).join(": ").trim())),
    numbers: heads.map((head) => !head.classList.contains("text")),
    rows: [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) =>
      ({ shown: whole(cell), key: cell.dataset.key ?? "", bold: cell.classList.contains("bold") }))),
  };
};

const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const figure = ({ shown, key }) => (shown === "\u2013" ? "" : /^-?Infinity$/.test(key) || key === "" || isNaN(Number(key)) ? shown : key);

const named = (text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text); // a spreadsheet would compute it

const csv = ({ heads, numbers, rows }) =>
  [heads.map(named), ...rows.map((row) => row.map((cell, i) => (numbers[i] ? figure(cell) : named(cell.shown))))]
    .map((line) => line.map(quoted).join(",")).join("\n") + "\n";

const literal = (text) => text.replace(/[\\|`*<[~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=#?\w+;)/gu, "\\$&");

const markdown = (title, { heads, numbers, rows }) => {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const body = rows.map((row) => line(row.map(({ shown, bold }) => (bold ? `**${literal(shown)}**` : literal(shown)))));
  return [`## ${title}`, "", line(heads.map(literal)), line(numbers.map((number) => (number ? "--:" : ":--"))), ...body, ""].join("\n");
};

// The same letters as `tex` of statistics/sheets.py, where the reasons are.
const TEX = {
  "\\": "\\textbackslash{}", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}", "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}",
  "[": "{[}", "*": "{*}", "\u2212": "$-$", "\u2013": "--", "\u221e": "$\\infty$", "\u00b1": "$\\pm$", "\u2265": "$\\geq$", "\u2264": "$\\leq$",
};
const tex = (text) => text.replace(/[\\^~<>|[*\u2212\u2013\u221e\u00b1\u2265\u2264&%$#_{}]/g, (letter) => TEX[letter] ?? `\\${letter}`).replace(/[\0-\x1f\x7f]/g, " ");
const withoutLetters = (text) => [...new Set(text)].filter((letter) => letter > "\xff").sort().map((letter) => {
  const name = `u8:\\detokenize{${letter}}`;
  return `\\ifcsname ${name}\\endcsname\\else\\expandafter\\def\\csname ${name}\\endcsname{U+${letter.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}}\\fi`;
});

const latex = (title, { heads, numbers, rows }) => {
  const line = (cells) => `${cells.join(" & ")} \\\\`;
  const body = rows.map((row) => line(row.map(({ shown, bold }) => (bold ? `\\textbf{${tex(shown)}}` : tex(shown)))));
  return ["% needs \\usepackage{booktabs}, and \\usepackage[T1]{fontenc} for names with other than English letters", "\\begin{table}",
    ...withoutLetters([tex(title), ...heads.map(tex), ...body].join("")), "\\centering", `\\caption{${tex(title)}}`,
    `\\begin{tabular}{${numbers.map((number) => (number ? "r" : "l")).join("")}}`, "\\toprule", line(heads.map(tex)), "\\midrule",
    ...body, "\\bottomrule", "\\end{tabular}", "\\end{table}", ""].join("\n");
};

// ---------------------------------------------------------------------------------------------- figures

const SHOWN = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "opacity", "text-anchor",
  "paint-order", "font-family", "font-size", "font-weight"];

// The drawings of a figure, beside and below each other as they stand on the page, in their style there, and no links.
const drawing = (panels) => {
  const parts = [];
  let x = 0, y = 0, width = 0, height = 0, before;
  for (const panel of panels) {
    const size = panel.viewBox.baseVal, here = panel.getBoundingClientRect(), beside = here.left >= before?.right && here.top < before.bottom;
    [x, y, before] = beside ? [x, y, here] : [0, height, here];
    const copy = panel.cloneNode(true), from = panel.querySelectorAll("*"), to = copy.querySelectorAll("*");
    from.forEach((node, i) => {
      const style = getComputedStyle(node);
      to[i].setAttribute("style", SHOWN.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
    });
    for (const link of copy.querySelectorAll("a")) link.replaceWith(...link.childNodes);
    for (const [name, value] of Object.entries({ x, y, width: size.width, height: size.height })) copy.setAttribute(name, value);
    copy.removeAttribute("role");
    x += size.width;
    [width, height] = [Math.max(width, x), Math.max(height, y + size.height)];
    parts.push(new XMLSerializer().serializeToString(copy));
  }
  const paper = getComputedStyle(document.documentElement).getPropertyValue("--panel") || "#ffffff";
  const svg = `<svg xmlns="${panels[0].namespaceURI}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`
    + `<rect width="${width}" height="${height}" fill="${paper}"/>${parts.join("")}</svg>\n`;
  return { svg, width, height };
};

const png = ({ svg, width, height }) => new Promise((done, failed) => {
  const image = new Image(), canvas = document.createElement("canvas"), SCALE = 2;
  image.onload = () => {
    [canvas.width, canvas.height] = [width * SCALE, height * SCALE];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("this browser cannot draw the figure"))), "image/png");
  };
  image.onerror = () => failed(new Error("this browser cannot draw the figure"));
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
});

// ---------------------------------------------------------------------------------------------- the buttons

const button = (label, what, act) => el("button", { class: "button", attrs: { type: "button", "aria-label": what }, on: { click: act } }, label);

for (const section of document.querySelectorAll(".sections section")) {
  const heading = section.querySelector("h2"), title = heading.textContent, name = heading.id.replace(/^at-/, "");
  const tables = [...section.querySelectorAll("table.sortable")], panels = [...section.querySelectorAll("svg.chart")].filter((panel) => !panel.closest(".phone"));
  if (!tables.length && !panels.length) continue;
  const numbered = (i) => (i ? `${name}-${i + 1}` : name);
  const each = (suffix, type, write) => () => tables.forEach((table, i) => save(`${numbered(i)}.${suffix}`, type, write(read(table))));
  const buttons = tables.length ? [
    button("CSV", `${title} as CSV`, each("csv", "text/csv", csv)),
    button("Markdown", `${title} as Markdown`, each("md", "text/markdown", (found) => markdown(title, found))),
    button("LaTeX", `${title} as LaTeX`, each("tex", "text/x-tex", (found) => latex(title, found)))] : [];
  if (panels.length) buttons.push(
    button("SVG", `Figure of ${title} as SVG`, () => save(`${name}.svg`, "image/svg+xml", drawing(panels).svg)),
    button("PNG", `Figure of ${title} as PNG`, async () => save(`${name}.png`, "image/png", await png(drawing(panels)))));
  buttons.push(el("a", { class: "button", attrs: { href: `#${heading.id}`, "aria-label": `Link to ${title}` } }, "Link"));
  (section.querySelector(":scope > details") ?? section).append(el("p", { class: "take" }, buttons));
}
