// The page's frame: navigation, links (#/run/ID, #/run/ID/item/ITEM, #/run/ID/item/ITEM/PLACE; #/list, #/item/ITEM
// and #/item/ITEM/PLACE of the page's one run), lists and items.
//
// A kind of runs registers `antemill.kinds[KIND] = {heading, columns, filters, title(row), render(detail, box, context)}`:
//   heading  what the list is called, or a function of the run that says so
//   columns  [{key, label, show(row, run) -> text or element, sort: whether it can be sorted by, number: right-aligned}]
//   filters  [{key, label, kind: "choice" | "least" | "search", slot}]; the values of choices come with the list; a
//            second control for a column, of which a row must then have both values, has the slot 1
//   subject  {key, show(run, row, source, alone) -> element}, optional: what stands above a list that is narrowed down to one
//            value of this column; row: one of the items; alone: whether it is narrowed down by nothing else
//   above    (run, list) -> element, optional: what stands between the controls and the list; list: {rows, facets, total}
//   render   fills `box`; may return a function that is called with the place when only that changes
//            context: {run, item, place, source, link(place), go(place)}

antemill.kinds = {}; // a kind that registers nothing is shown by its entries and events (events.js)
// What the list of a run is called; `other` if its kind has no name for it.
antemill.called = (run, other = run.title) => {
  const heading = antemill.kinds[run.kind]?.heading ?? other;
  return typeof heading === "function" ? heading(run) : heading;
};
const ROOM = 100; // rows of a list at once
let source, runs = [], shown = {}, latest = 0, stale = false; // stale: whether the list's controls are of an earlier list
let last = { run: "", from: "", items: [] }; // the list that was looked at last

const encode = encodeURIComponent;
antemill.link = (run, item, place) => `#/run/${encode(run)}` +
  (item === undefined ? "" : `/item/${encode(item)}` + (place === undefined || place === "" ? "" : `/${encode(place)}`));

const route = () => {
  if (!location.hash.startsWith("#/")) return null;
  const [path, query = ""] = location.hash.slice(2).split("?");
  let parts;
  try { parts = path.split("/").map(decodeURIComponent); } catch { return null; }
  if (runs.length && parts[0] === "list") parts = ["run", runs[0].id]; // of the run that the page is of
  if (runs.length && parts[0] === "item") parts = ["run", runs[0].id, ...parts];
  if (parts[0] !== "run" || parts.length < 2) return null;
  return { run: parts[1], item: parts[2] === "item" ? parts[3] : undefined, place: parts[4] ?? "", query: new URLSearchParams(query) };
};

const explorer = () => document.getElementById("explorer");
const problem = (error) => antemill.el("p", { class: "problem", attrs: { role: "alert" } }, error.message ?? String(error));

// ---------------------------------------------------------------------------------------------- lists

const listState = (query) => {
  const filters = {};
  for (const [key, value] of query) if (!["sort", "from"].includes(key) && value) (filters[key] ??= []).push(value);
  return { filters, sort: query.get("sort") ?? "", offset: Math.max(0, Number(query.get("from")) || 0) };
};

const listLink = (run, { filters, sort, offset }) => {
  const query = new URLSearchParams();
  for (const [key, values] of Object.entries(filters)) for (const value of values) if (value) query.append(key, value);
  if (sort) query.set("sort", sort);
  if (offset) query.set("from", offset);
  const text = query.toString();
  return `#/run/${encode(run)}${text ? `?${text}` : ""}`;
};

const control = (filter, state, facets, change) => {
  const { el } = antemill, value = state.filters[filter.key]?.[filter.slot ?? 0] ?? "";
  if (filter.slot && !state.filters[filter.key]) return null;
  if (filter.kind === "choice") {
    const values = facets[filter.from ?? filter.key] ?? {};
    const names = Object.keys(values);
    if (value && !names.includes(value)) names.push(value);
    if (names.length === 0 || (names.length === 1 && !value && Object.keys(facets).length > 1 && !filter.always)) return null;
    const options = names.map((name) => el("option", { attrs: { value: name, selected: name === value } },
      values[name] ? `${filter.name?.(name) ?? name} (${antemill.count(values[name])})` : name));
    const select = el("select", { on: { change: (event) => change(filter, event.target.value) } }, el("option", { attrs: { value: "" } }, "all"), options);
    return el("label", {}, filter.label, select);
  }
  const input = el("input", { attrs: { type: filter.kind === "least" ? "number" : "search", value, step: "any" } });
  let wait;
  input.addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(() => change(filter, input.value.trim(), true), 250); });
  return el("label", {}, filter.label, input);
};

const heading = (column, state, run) => {
  const { el } = antemill, down = state.sort === `-${column.key}`, up = state.sort === column.key;
  const attrs = { scope: "col", "aria-sort": down ? "descending" : up ? "ascending" : null };
  if (!column.sort) return el("th", { attrs, class: column.number ? "" : "text" }, column.label);
  const first = column.number ? `-${column.key}` : column.key, second = column.number ? column.key : `-${column.key}`;
  const next = state.sort === first ? second : state.sort === second ? "" : first;
  return el("th", { attrs, class: column.number ? "" : "text" },
    el("a", { attrs: { href: listLink(run.id, { ...state, sort: next, offset: 0 }) } }, column.label));
};

const opens = (row) => row.status === "done" && row.kept !== false;

const cells = (kind, run, row) => kind.columns.map((column, i) => {
  const { el } = antemill, content = column.show ? column.show(row, run) : row[column.key] ?? "";
  if (i) return el("td", { class: column.number ? "" : "words" }, content);
  return el("th", { class: "text", attrs: { scope: "row" } },
    opens(row) ? el("a", { attrs: { href: antemill.link(run.id, row.item) } }, content) : el("span", { class: "closed" }, content));
});

// Whether the reader is about to follow a link in the list, or has selected text there. The list then stays as it is when
// there are updates.
let pressed = false;
for (const event of ["pointerdown", "pointerup", "pointercancel"])
  addEventListener(event, ({ type, target }) => { pressed = type === "pointerdown" && Boolean(target.closest?.(".list-body")); }, true);
const inList = () => {
  const marked = getSelection(), node = marked.isCollapsed ? null : marked.anchorNode?.parentElement;
  return pressed || Boolean(document.activeElement?.closest(".list-body a:focus-visible") ?? node?.closest(".list-body"));
};

// Returns false if it was postponed. news: the reader has not asked for it, so nothing in use may change.
const drawList = async (run, kind, query, ticket, news) => {
  const { el, show } = antemill, state = listState(query);
  const found = await source.list(run.id, { ...state, limit: ROOM });
  if (ticket !== latest) return true;
  if (news && inList()) return false;
  last = { run: run.id, from: location.hash, items: found.rows.filter(opens).map((row) => row.item) };
  const box = explorer(), go = (to, quiet) => {
    if (quiet) history.replaceState(null, "", to); else location.hash = to;
    if (quiet) antemill.draw();
  };
  const change = ({ key, slot = 0 }, value, quiet) => {
    const at = route();
    if (at?.run !== run.id || at.item !== undefined) return; // who typed has left the list since
    const now = listState(at.query), values = [...now.filters[key] ?? []];
    values[slot] = value;
    const filters = { ...now.filters, [key]: values.filter(Boolean) };
    go(listLink(run.id, { filters, sort: now.sort, offset: 0 }), quiet);
  };
  const asked = Object.values(state.filters).flat().length;
  const to = Math.min(found.total, state.offset + ROOM);
  const said = found.total === 0 ? (asked ? "Nothing fits these choices." : "Nothing has been planned yet.")
    : `${antemill.count(state.offset + 1)} to ${antemill.count(to)} of ${antemill.count(found.total)}${asked ? " that fit" : ""}`;
  const step = (label, offset, on) => on ? el("a", { class: "button", attrs: { href: listLink(run.id, { ...state, offset }) } }, label) : null;
  const body = found.rows.map((row) => el("tr", {}, cells(kind, run, row)));
  const table = el("div", { class: "scroll", attrs: { tabindex: "0", role: "region", "aria-label": `List of ${run.items}` } },
    el("table", { class: "items" },
      el("thead", {}, el("tr", {}, kind.columns.map((column) => heading(column, state, run)))), el("tbody", {}, body)));
  const foot = el("p", { class: "pager" },
    el("output", { attrs: { "aria-live": "polite" } }, said),
    step("Previous", Math.max(0, state.offset - ROOM), state.offset > 0), step("Next", state.offset + ROOM, to < found.total),
    asked ? el("a", { class: "button", attrs: { href: listLink(run.id, { filters: {}, sort: state.sort, offset: 0 }) } }, "Show all") : null);
  if (shown.list === run.id && box.querySelector(".list-body")) { // typing goes on in the same field
    show(box.querySelector(".list-body"), foot, found.total ? table : null);
    const controls = box.querySelector(".controls");
    stale = controls.contains(document.activeElement) && (news || document.activeElement.tagName !== "SELECT");
    if (!stale) fillControls(controls, kind, state, found.facets, change);
    fillSubject(box.querySelector(".subject"), kind, run, state.filters, found.rows);
    return true;
  }
  shown = { list: run.id };
  const left = ({ relatedTarget }) => { if (stale && !controls.contains(relatedTarget)) draw(true); };
  const controls = el("div", { class: "controls", attrs: { role: "search" }, on: { focusout: left } });
  fillControls(controls, kind, state, found.facets, change);
  const subject = el("div", { class: "subject" });
  fillSubject(subject, kind, run, state.filters, found.rows);
  show(box, el("section", { class: "list", attrs: { "aria-labelledby": "list-title" } },
    el("h2", { attrs: { id: "list-title", tabindex: "-1" } }, antemill.called(run)),
    kind.note ? el("p", { class: "note" }, kind.note) : null,
    run.note ? el("p", { class: "note" }, run.note) : null,
    controls, subject, kind.above?.(run, found) ?? null, el("div", { class: "list-body" }, foot, found.total ? table : null)));
  return true;
};

// What the listed items have in common. It stays while that is the same, so that it stays open and scrolled.
const fillSubject = (box, kind, run, filters, rows) => {
  const { key, show } = kind.subject ?? {}, row = rows.find(opens);
  const name = row && filters[key]?.length === 1 ? filters[key][0] : "";
  if ((box.dataset.name ?? "") === name) return;
  box.dataset.name = name;
  antemill.show(box, name ? show(run, row, source, Object.keys(filters).length === 1) : null);
};

const fillControls = (box, kind, state, facets, change) => {
  const focused = [...box.children].indexOf(document.activeElement?.closest?.("label"));
  antemill.show(box, kind.filters.map((filter) => control(filter, state, facets, change)));
  if (focused >= 0) box.children[focused]?.querySelector("select, input")?.focus();
};

// ---------------------------------------------------------------------------------------------- items

// The items before and after one in the list that was looked at last.
const neighbours = (run, item) => {
  const keys = last.run === run.id ? last.items : [], place = keys.indexOf(item);
  const link = (key, label) => key === undefined || place < 0 ? null : antemill.el("a", { attrs: { href: antemill.link(run.id, key) } }, label);
  return [link(keys[place - 1], "Previous"), link(keys[place + 1], "Next")];
};

const drawItem = async (run, kind, { item, place }, ticket) => {
  const { el, show } = antemill, box = explorer();
  if (shown.run === run.id && shown.item === item && shown.move) { shown.move(place); return; }
  const detail = await source.item(run.id, item);
  if (ticket !== latest) return;
  const inside = el("div", { class: `item ${run.kind}` });
  const back = last.run === run.id ? last.from : `#/run/${encode(run.id)}`;
  show(box, el("p", { class: "crumbs" }, el("a", { attrs: { href: back } }, `\u2190 ${antemill.called(run)}`), neighbours(run, item)),
    el("h2", { attrs: { id: "item-title", tabindex: "-1" } }, kind.title(detail)), inside);
  const context = {
    run, item, place, source, link: (to) => antemill.link(run.id, item, to),
    go: (to) => { history.replaceState(null, "", antemill.link(run.id, item, to)); },
  };
  const move = await kind.render(detail, inside, context);
  shown = { run: run.id, item, move };
};

// ---------------------------------------------------------------------------------------------- the whole

// "63 of 240", or "240" when all is done.
const extent = ({ done, total, about }) => {
  const all = about ? `about ${antemill.count(Math.max(total, about))}` : antemill.count(total);
  return done < total || about ? `${antemill.count(done)} of ${all}` : all;
};

const navigate = (at) => {
  const { el, renew } = antemill, nav = document.getElementById("views");
  const overview = document.getElementById("overview");
  const mark = (on) => (on ? "page" : null);
  const links = antemill.tabLinks(!at);
  if (!links.length && overview?.children.length) links.push(el("a", { attrs: { href: "#", "aria-current": mark(!at) } }, "Overview"));
  if (antemill.run) links.unshift(antemill.there("/", "All runs"));
  for (const run of runs) {
    const label = antemill.called(run);
    const text = runs.length > 1 && label !== run.title ? `${run.title}: ${label.toLowerCase()}` : label;
    links.push(el("a", { attrs: { href: antemill.link(run.id), "aria-current": mark(at?.run === run.id) } }, text,
      el("small", {}, ` ${extent(run)}`)));
  }
  renew(nav, links);
  nav.hidden = links.length < 2 && !source.live;
};

// Where the reader left the overview: back there, the page is as it was.
let left = null, seen = location.hash;
const leave = () => { left = { hash: seen, y: scrollY, link: document.activeElement }; };
const comeBack = () => {
  if (left?.hash !== location.hash) return;
  const { y, link } = left;
  requestAnimationFrame(() => requestAnimationFrame(() => { link?.focus?.({ preventScroll: true }); scrollTo(0, y); }));
};

// Draw what the address names. news: see `drawList`; returns what that does.
const draw = async (news) => {
  const overview = document.getElementById("overview"), box = explorer();
  if (news && (inList() || box.hasAttribute("aria-busy"))) return false; // nor does it take the place of what was asked for
  const ticket = ++latest, at = route(), back = !at && overview.hidden;
  if (at && !overview.hidden) leave();
  seen = location.hash;
  document.documentElement.classList.toggle("exploring", Boolean(at));
  overview.hidden = Boolean(at);
  box.hidden = !at;
  navigate(at);
  if (!at) { shown = {}; antemill.show(box); box.removeAttribute("aria-busy"); if (back) comeBack(); return true; }
  box.setAttribute("aria-busy", "true");
  const before = shown;
  let done = true;
  try {
    const run = runs.find((one) => one.id === at.run), kind = antemill.kinds[run?.kind] ?? antemill.events;
    if (!run) throw new Error(`there is no run '${at.run}' here.`);
    if (run.problem && !run.kind) throw new Error(run.problem);
    if (at.item === undefined) done = await drawList(run, kind, at.query, ticket, news);
    else await drawItem(run, kind, at, ticket);
  } catch (error) {
    if (news && before.list === at.run) done = false; // a reader who looks at the list keeps it
    else if (ticket === latest) { shown = {}; antemill.show(box, el404(at), problem(error)); }
  }
  if (ticket !== latest) return true;
  box.removeAttribute("aria-busy");
  if (before.list !== shown.list || before.item !== shown.item) {
    window.scrollTo(0, 0);
    box.querySelector("h2")?.focus({ preventScroll: true });
  }
  return done;
};
antemill.draw = () => draw(false);

const el404 = (at) => antemill.el("p", { class: "crumbs" },
  antemill.el("a", { attrs: { href: runs.some((run) => run.id === at.run) ? antemill.link(at.run) : "#" } }, "\u2190 back"));

// Begin with a source of data.
antemill.start = async (from) => {
  source = from;
  navigate(route()); // the tabs are there before the data are
  try { runs = await source.runs(); } catch (error) {
    antemill.showTabs();
    explorer().before(problem(error));
    return;
  }
  addEventListener("hashchange", antemill.draw);
  await antemill.draw();
};

// Something has changed on the server: read the runs again, and draw the list again. An open item stays as it is. Returns
// false if the reader is about to use the list; the caller then has to try again.
antemill.refresh = async () => {
  if (route()?.item === undefined && inList()) return false;
  runs = await source.runs();
  if (route()?.item === undefined) return draw(true);
  navigate(route());
  return true;
};
