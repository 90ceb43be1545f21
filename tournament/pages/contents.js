// The groups of an overview as tabs, and the table of contents of the one that is open.
//
// #tab-NAME opens a tab, #tab-all opens them all with everything that is folded, and a link to a section opens its tab.
// antemill.tabs: {list: [{id, title}], open: id of the open one}; empty on a page without groups.

const ALL = { id: "tab-all", title: "Everything" };
const groups = [...document.querySelectorAll(".sections > .group")];
const contents = document.querySelector(".contents");
antemill.tabs = { list: groups.length > 1 ? [...groups.map(({ dataset }) => ({ id: dataset.tab, title: dataset.title })), ALL] : [], open: groups[0]?.dataset.tab };

// The tab that an address asks for, and the element within it that it leads to.
const asked = () => {
  const name = location.hash.slice(1);
  if (name.startsWith("/")) return null;
  if (antemill.tabs.list.some(({ id }) => id === name)) return { tab: name, target: null };
  const target = name ? document.getElementById(name) : null;
  if (target && antemill.tabs.open === ALL.id) return { tab: ALL.id, target };
  return { tab: (target?.closest(".group") ?? groups[0])?.dataset.tab, target };
};

const turn = () => {
  const wanted = asked();
  if (!wanted) return;
  const { tab, target } = wanted, all = tab === ALL.id;
  const turned = antemill.tabs.open !== tab;
  antemill.tabs.open = tab;
  if (antemill.tabs.list.length) {
    for (const group of groups) group.hidden = !all && group.dataset.tab !== tab;
    for (const part of contents.querySelectorAll("[data-tab]")) part.hidden = !all && part.dataset.tab !== tab;
    if (all) for (const fold of document.querySelectorAll(".sections > .group > section > details")) fold.open = true;
  }
  if (target) {
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    requestAnimationFrame(() => target.scrollIntoView()); // the frame may show the overview only after this
  } else if (turned) scrollTo(0, 0);
};

if (contents) {
  const list = contents.querySelector("details"), wide = matchMedia("(min-width: 80rem)");
  const fit = () => { list.open = wide.matches; };
  wide.addEventListener("change", fit);
  fit();
  const links = new Map([...contents.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
  const headings = [...links.keys()].map((name) => document.getElementById(name));
  let waiting = false;
  const mark = () => {
    waiting = false;
    const there = headings.filter((heading) => heading.checkVisibility());
    const passed = there.filter((heading) => heading.getBoundingClientRect().top < innerHeight / 3);
    const current = passed.at(-1) ?? there[0];
    for (const [name, link] of links) {
      if (name !== current?.id) link.removeAttribute("aria-current");
      else if (!link.hasAttribute("aria-current")) {
        link.setAttribute("aria-current", "true");
        if (wide.matches) list.scrollTop = Math.max(0, link.offsetTop - list.clientHeight / 2);
      }
    }
  };
  contents.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (link && !wide.matches) list.open = false;
    if (link?.hash === location.hash) turn(); // the address stays, so nothing else tells
    if (event.target.closest("summary") && wide.matches) event.preventDefault();
  });
  const follow = () => { turn(); mark(); };
  addEventListener("scroll", () => { if (!waiting) { waiting = true; requestAnimationFrame(mark); } }, { passive: true });
  addEventListener("hashchange", follow);
  follow();
}

// Links to the tabs. at: whether the overview is shown, and not the list or an item.
antemill.tabLinks = (at) => antemill.tabs.list.map(({ id, title }) => antemill.el("a",
  { attrs: { href: `#${id}`, "aria-current": at && antemill.tabs.open === id ? "page" : null } }, title));

// A page without items has its tabs from here, any other from the frame.
antemill.showTabs = () => {
  const nav = document.getElementById("views");
  const show = () => { antemill.renew(nav, antemill.tabLinks(true)); nav.hidden = !antemill.tabs.list.length; };
  if (!nav) return;
  addEventListener("hashchange", show);
  show();
};
