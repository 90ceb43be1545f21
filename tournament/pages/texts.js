// Long texts of entries, such as rulebooks: packed in the page, and unpacked when an entry is opened.
// An entry is <details data-pack="ELEMENT" data-place="NUMBER">; a link to it opens it.

const entries = [...document.querySelectorAll("details[data-pack]")];
const chunks = new Map();
const load = (id) => {
  if (!chunks.has(id)) chunks.set(id, antemill.unpack(id));
  return chunks.get(id);
};
const fill = async (entry) => {
  const box = entry.querySelector(".text-box");
  if (box.childElementCount) return;
  const { el, show } = antemill;
  try {
    const texts = (await load(entry.dataset.pack))[Number(entry.dataset.place)];
    if (box.childElementCount) return;
    show(box, texts.map(([label, text]) => [el("h3", {}, label),
      el("pre", { attrs: { tabindex: "0", role: "group", "aria-label": `${label}: ${entry.id}` } }, text)]));
  } catch (error) {
    show(box, el("p", { class: "problem", attrs: { role: "alert" } }, error.message ?? String(error)));
  }
};
// Where the reader followed a link to an entry: back there, the page is as it was.
let left = null;
addEventListener("click", ({ target }) => {
  const link = target.closest?.("a");
  if (entries.some(({ id }) => link?.getAttribute("href") === `#${id}`)) left = { hash: location.hash, y: scrollY, link };
}, true);
const comeBack = ({ y, link }) => requestAnimationFrame(() => requestAnimationFrame(() => { link.focus({ preventScroll: true }); scrollTo(0, y); }));
const follow = () => {
  const entry = entries.find((one) => `#${one.id}` === location.hash);
  if (!entry && left?.hash === location.hash) comeBack(left);
  if (!entry) return;
  entry.open = true;
  entry.scrollIntoView();
  entry.querySelector("summary").focus({ preventScroll: true });
};
for (const entry of entries) entry.addEventListener("toggle", () => { if (entry.open) fill(entry); });
if (entries.length) {
  addEventListener("hashchange", follow);
  follow();
}
