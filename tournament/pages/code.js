// Python with its words coloured. Other text may be coloured wrongly, but no character is left out.

const LONGEST = 60000; // characters; a longer text stays plain
const QUOTES = ['"""', "'''"].map((quote) => `${quote}(?:[^\\\\]|\\\\[\\s\\S])*?(?:${quote}|(?![\\s\\S]))`)
  .concat(['"', "'"].map((quote) => `${quote}(?:\\\\[\\s\\S]|[^${quote}\\\\\\n])*${quote}?`)).join("|");
const TOKEN = new RegExp([
  "(?<comment>#[^\\n]*)", `(?<string>[rRbBuUfFtT]{0,2}(?:${QUOTES}))`,
  "(?<decorator>(?<=^[ \\t]*)@[\\w.]+)",
  "(?<number>\\b(?:0[xX][\\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:\\d[\\d_]*\\.?[\\d_]*|\\.\\d[\\d_]*)(?:[eE][+-]?\\d+)?[jJ]?))",
  "(?<word>[\\p{L}_][\\p{L}\\p{N}_]*)",
].join("|"), "gmu");
const KEYWORDS = new Set(("False None True and as assert async await break class continue def del elif else except finally for from global " +
  "if import in is lambda match nonlocal not or pass raise return try while with yield case").split(" "));
const BUILTINS = new Set(("abs all any ascii bin bool bytearray bytes callable chr classmethod complex dict dir divmod enumerate eval exec " +
  "filter float format frozenset getattr hasattr hash hex id input int isinstance issubclass iter len list map max memoryview min next " +
  "object oct open ord pow print property range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip " +
  "mystery").split(" "));

const classOf = (groups, text) => groups.comment !== undefined ? "comment" : groups.string !== undefined ? "string"
  : groups.number !== undefined ? "number" : groups.decorator !== undefined ? "builtin"
  : KEYWORDS.has(text) ? "keyword" : BUILTINS.has(text) ? "builtin" : "";

// The pieces of a program: texts and coloured spans.
antemill.python = (text) => {
  text = String(text);
  if (text.length > LONGEST) return [text];
  const found = [];
  let done = 0;
  for (const match of text.matchAll(TOKEN)) {
    const name = classOf(match.groups, match[0]);
    if (!name) continue;
    if (match.index > done) found.push(text.slice(done, match.index));
    found.push(antemill.el("span", { class: `py-${name}` }, match[0]));
    done = match.index + match[0].length;
  }
  found.push(text.slice(done));
  return found;
};

// A program as a block, and an expression in a line.
antemill.code = (text) => antemill.el("pre", { class: "code", attrs: { tabindex: "0", dir: "ltr" } }, antemill.python(text));
antemill.expression = (text) => antemill.el("code", { class: "code", attrs: { dir: "ltr" } }, antemill.python(text));
