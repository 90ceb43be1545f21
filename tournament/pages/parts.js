// What pages of items share: folds that are filled when they are opened, and the way to a part of an item.

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

// Scroll to a part of an item and open it; nothing if there is no such part.
antemill.reveal = (box, id) => {
  const node = id ? [...box.querySelectorAll("[id]")].find((one) => one.id === id) : null;
  if (!node) return;
  node.hidden = false;
  for (let fold = node.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.unfold?.();
  requestAnimationFrame(() => { node.scrollIntoView({ block: "start" }); (node.querySelector("summary, a, h3") ?? node).focus?.({ preventScroll: true }); });
};
