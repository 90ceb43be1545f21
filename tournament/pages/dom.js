// Elements and figures. Everything that is shown goes through `el`, which knows text and elements but no markup.

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;

// A text in which invisible characters, and those that reorder others, are written as code points.
antemill.visible = (text) =>
  String(text).replace(/\r\n/g, "\n").replace(HIDDEN, (letter) =>
    `\u27e8U+${letter.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}\u27e9`);

const fill = (node, children) => {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    node.append(child instanceof Node ? child : document.createTextNode(antemill.visible(child)));
  }
  return node;
};

const heard = new WeakSet(); // elements with listeners
antemill.listen = (node, on) => {
  for (const [event, listener] of Object.entries(on)) { node.addEventListener(event, listener); heard.add(node); }
};

// An element. options: {class, attrs: {name: value}, on: {event: listener}}; null attributes are left out.
antemill.el = (tag, options, ...children) => {
  const { attrs = {}, on = {}, class: name } = options ?? {};
  const node = document.createElement(tag);
  if (name) node.className = name;
  for (const [key, value] of Object.entries(attrs)) {
    if (value === null || value === undefined || value === false) continue;
    if (/^on/i.test(key) || (/^(href|src)$/i.test(key) && !/^(#|data:image\/|blob:)/.test(value)))
      throw new Error(`the attribute ${key} takes nothing from data`);
    node.setAttribute(key, value === true ? "" : key === "value" ? value : antemill.visible(value)); // what is chosen stays exact
  }
  antemill.listen(node, on);
  return fill(node, children);
};

// A link to another page of the server, whose address is never taken from data.
antemill.there = (path, text) => {
  const link = antemill.el("a", {}, text);
  link.href = path;
  return link;
};

// A figure that the server has drawn, if it is made of what figures are made of and of nothing else.
const PARTS = new Set(["figure", "figcaption", "div", "strong", "em", "code", "svg", "g", "path", "rect", "circle", "text", "title"]);
antemill.drawn = (html) => {
  const figure = new DOMParser().parseFromString(html, "text/html").body.firstElementChild;
  for (const node of [figure, ...figure.querySelectorAll("*")])
    if (!PARTS.has(node.localName) || [...node.attributes].some(({ name }) => /^on|href$|^src|^style$/i.test(name)))
      throw new Error(`a figure has no ${node.localName} like this`);
  return document.importNode(figure, true);
};

// The section of a rulebook on the phase of a decision, {name, text}: its heading is what the decision's phase begins with.
antemill.sectionOn = (markdown, phase) => {
  const parts = markdown.split(/^(?=#{2,4} )/m).map((text) => ({ name: /^#{3,4} (?:Sub-phase: )?(.*)/.exec(text)?.[1] ?? "", text }));
  return parts.filter(({ name }) => name && phase.startsWith(name)).sort((a, b) => b.name.length - a.name.length)[0] ?? null;
};

// Replace what an element holds.
antemill.show = (node, ...children) => { node.replaceChildren(); return fill(node, children); };

// As `show`, for updates: an element that is in both versions stays in the page, so that a press in progress reaches
// it, and folds stay open or shut. Its attributes and contents become the new ones. An element with listeners of `el`, or a
// link that leads elsewhere, is replaced if anything differs, since it stands for something else.
const renewed = (node, children) => {
  children.forEach((child, i) => {
    const old = node.childNodes[i];
    if (!old) node.append(child);
    else if (old.isEqualNode(child)) return;
    else if (child.nodeType !== Node.ELEMENT_NODE || old.nodeName !== child.nodeName || heard.has(old) || heard.has(child)
      || old.getAttribute("href") !== child.getAttribute("href")) old.replaceWith(child);
    else {
      const kept = (name) => name === "open" && old.localName === "details";
      for (const { name } of [...old.attributes]) if (!child.hasAttribute(name) && !kept(name)) old.removeAttribute(name);
      for (const { name, value } of child.attributes) if (old.getAttribute(name) !== value && !kept(name)) old.setAttribute(name, value);
      renewed(old, [...child.childNodes]);
    }
  });
  while (node.childNodes.length > children.length) node.lastChild.remove();
};
antemill.renew = (node, ...children) => renewed(node, [...fill(document.createDocumentFragment(), children).childNodes]);

// A labelled text as it was written; nothing for an empty one.
antemill.text = (label, text, options) => text === "" || text === null || text === undefined ? null :
  antemill.el("details", { class: "text", attrs: { open: Boolean(options?.open) } },
    antemill.el("summary", {}, label, antemill.el("small", {}, ` ${antemill.count(String(text).length)} characters`)),
    antemill.el("pre", { attrs: { tabindex: "0", dir: "auto" } }, text));

// Pairs of a name and a value; pairs without a value are left out.
antemill.facts = (pairs) => antemill.el("dl", { class: "facts" }, pairs
  .filter(([, value]) => value !== null && value !== undefined && value !== "")
  .map(([name, value]) => antemill.el("div", {}, antemill.el("dt", {}, name), antemill.el("dd", {}, value))));

antemill.count = (value) => Number(value).toLocaleString("en");
antemill.signed = (value, digits = 0) => {
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : (value < 0 ? "\u2212" : "+") + text;
};
antemill.percent = (value) => `${(100 * value).toFixed(value > 0 && value < 0.1 ? 1 : 0)}%`;
antemill.dollars = (value) => value === null || value === undefined ? "" : value === 0 ? "$0" :
  value < 0.01 ? `$${value.toPrecision(2)}` : `$${value.toFixed(2)}`;
antemill.seconds = (value) => value === null || value === undefined ? "" :
  value < 10 ? `${value.toFixed(2)} s` : value < 100 ? `${value.toFixed(1)} s` : `${Math.round(value)} s`;
antemill.when = (value) => value ? new Date(1000 * value).toISOString().replace("T", " ").slice(0, 19) + " UTC" : "";

// A call to a model: the messages as sent, the reply as received, the reasoning that came with it, its cost.
antemill.call = (call) => {
  if (!call) return null;
  const { el, text, facts, count } = antemill;
  return el("section", { class: "call" },
    facts([
      ["Model", call.model], ["Served as", call.served && call.served !== call.remote ? call.served : call.remote],
      ["Tokens in", count(call.input_tokens)], ["Tokens out", count(call.output_tokens)],
      ["of these reasoning", call.reasoning_tokens ? count(call.reasoning_tokens) : ""],
      ["Cost", antemill.dollars(call.cost)], ["Latency", antemill.seconds(call.seconds)],
      ["Attempts", call.attempts > 1 ? count(call.attempts) : ""], ["Finish", call.finish === "stop" ? "" : call.finish],
      ["Asked", antemill.when(call.time)], ["Error", call.error],
    ]),
    call.messages.map((message) => text(message.role === "user" ? "Prompt" : `Message (${message.role})`, message.text)),
    text("Reasoning", call.reasoning, { open: true }),
    text("Reply", call.reply, { open: true }) ?? el("p", { class: "note" }, "The reply is empty."),
    text("Answer of the server, raw", call.raw));
};
