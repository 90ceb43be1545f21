// What pages of duels and of questions share: folds that are filled when they are opened, replies, shares.

// A fold. make() gives its content when it is first opened.
antemill.fold = (label, make, options = {}) => {
  const inside = antemill.el("div", { class: "inside" });
  let filled = false;
  const fill = () => { if (!filled) { filled = true; antemill.show(inside, make()); } };
  const node = antemill.el("details", { class: `fold ${options.class ?? ""}`, attrs: { id: options.id ?? null } },
    antemill.el("summary", {}, label), inside);
  node.addEventListener("toggle", () => { if (node.open) fill(); });
  node.unfold = () => { fill(); node.open = true; };
  if (options.open) node.unfold();
  return node;
};

const FINISH = { length: "the reply was cut off", refusal: "a refusal" };

// Replies to one request, {problem, text, call} each. Only the last can have been read. id(i): the element's id.
antemill.replies = (label, replies, id, link) => {
  const { el, fold } = antemill;
  if (!replies.length) return null;
  const unread = replies.filter((one) => one.problem).length;
  const told = unread === 0 ? "" : unread > 1 && unread === replies.length ? ", none could be read" : `, ${unread} could not be read`;
  return el("section", { class: "replies" }, el("h4", {}, `${label} (${replies.length}${told})`),
    replies.map((one, i) => fold(
      [`Reply ${i + 1}`, one.problem ? el("b", { class: "bad" }, ` could not be read: ${one.problem}`)
        : FINISH[one.finish] ? ` (${FINISH[one.finish]})` : null,
      one.call ? el("small", {}, ` ${antemill.count(one.call.output_tokens)} tokens, ${antemill.seconds(one.call.seconds)}` +
        `${one.call.cost ? `, ${antemill.dollars(one.call.cost)}` : ""}`) : null],
      () => [link ? el("p", { class: "note" }, el("a", { attrs: { href: link(i) } }, "Link to this reply")) : null,
        antemill.call(one.call) ?? antemill.text("Reply", one.text, { open: true }) ?? el("p", { class: "note" }, "The reply is empty.")],
      { id: id(i) })));
};

// A share as a bar and a percentage.
antemill.share = (value) => value === null || value === undefined ? "" : antemill.el("span", { class: "share" },
  antemill.el("span", { class: "bar-of", attrs: { "aria-hidden": "true" } },
    antemill.el("i", { attrs: { style: `width: ${Math.round(100 * value)}%` } })), antemill.percent(value));

// Tags as links into the list. key: the filter's.
antemill.tags = (names, run, key) => names.length ? antemill.el("ul", { class: "tags" },
  names.map((name) => antemill.el("li", {}, run
    ? antemill.el("a", { attrs: { href: `${antemill.link(run.id)}?${new URLSearchParams({ [key]: name })}` } }, name) : name))) : null;

// A table. head: labels, after "#" of a column of numbers; rows: cells, the first of which heads its row.
antemill.grid = (head, rows, label) => antemill.el("div", { class: "scroll", attrs: { tabindex: "0", role: "region", "aria-label": label } },
  antemill.el("table", {}, antemill.el("thead", {}, antemill.el("tr", {}, head.map((name) =>
    antemill.el("th", { class: name.startsWith("#") ? "" : "text", attrs: { scope: "col" } }, name.replace(/^#/, ""))))),
  antemill.el("tbody", {}, rows.map((cells) => antemill.el("tr", {}, cells.map((cell, i) => i
    ? antemill.el("td", { class: head[i].startsWith("#") ? "" : "words" }, cell)
    : antemill.el("th", { class: "text", attrs: { scope: "row" } }, cell)))))));

// Scroll to a part of an item and open it; nothing if there is no such part.
antemill.reveal = (box, id) => {
  const node = id ? [...box.querySelectorAll("[id]")].find((one) => one.id === id) : null;
  if (!node) return;
  node.hidden = false;
  for (let fold = node.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.unfold?.();
  requestAnimationFrame(() => { node.scrollIntoView({ block: "start" }); (node.querySelector("summary, a, h3") ?? node).focus?.({ preventScroll: true }); });
};
