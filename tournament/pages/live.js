// A page that a server keeps up to date: the runs, how much of each is finished, and the leaderboards over them.

const PAUSE = 2000; // milliseconds between two questions whether something has changed
const { el, show, renew, count, dollars, get, there, drawn } = antemill;
const box = document.getElementById("live");
let seen = "", ranked = false, ranking = false, owed = false, lost = false, known = []; // known: the runs

const state = (run) => run.problem ? el("span", { class: "trouble" }, run.problem) : run.stands;

const warned = (run) => run.warnings.map((one) => el("div", { class: "trouble" }, one));

// The players that a run is about: an evaluation's opponents are none.
const players = (run) => run.players.filter((name) => !antemill.kinds[run.kind]?.opponent?.(name));

const progress = (run) => el("progress", { attrs: { max: Math.max(run.total, run.about ?? 0) || 1, value: run.done, "aria-label": run.stands } });

const table = (heads, groups, rows) => el("div", { class: "scroll", attrs: { tabindex: "0" } }, el("table", {},
  el("thead", {}, groups,
    el("tr", {}, heads.map((head) => el("th", { class: head.text ? "text" : "", attrs: { scope: "col" } }, head.heading)))),
  el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, i) => el(i ? "td" : "th",
    { class: heads[i].text ? "words" : "", attrs: { scope: i ? null : "row", title: cell.why || null } }, cell.shown ?? cell)))))));

// A note's parts, with what stands between asterisks emphasised, as `words` of overview.py has them.
const words = (note) => note.split(/(?<![\p{L}\p{N}_*])\*(\S(?:[^*]*\S)?)\*(?![\p{L}\p{N}_*])/u).map((part, i) => i % 2 ? el("em", {}, part) : part);

const section = (id, title, note, ...parts) => el("section", { attrs: { "aria-labelledby": id } },
  el("h2", { attrs: { id } }, title), note ? el("p", { class: "note" }, words(note)) : null, parts);

const runs = (found) => section("runs", found.length > 1 ? "Runs" : "The run", "", table(
  [{ heading: "Run", text: true }, { heading: "What", text: true }, { heading: "State", text: true },
    { heading: "Players" }, { heading: "Cost" }, { heading: "", text: true }], null,
  found.map((run) => [el("a", { attrs: { href: antemill.link(run.id) } }, run.title), antemill.called(run, run.kind),
    [el("span", { class: "stands" }, state(run), run.problem ? null : progress(run)), warned(run)], count(players(run).length), dollars(run.cost), run.done ? there(`/report/${encodeURIComponent(run.id)}`, "Report") : ""])));

// The row of headings that neighbouring columns share; none if there are none.
const grouped = (columns) => {
  if (!columns.some((column) => column.group)) return null;
  const parts = [];
  for (const { group } of columns) {
    if (parts.length && parts[parts.length - 1].group === group) parts[parts.length - 1].size += 1;
    else parts.push({ group, size: 1 });
  }
  return el("tr", { class: "groups" }, parts.map(({ group, size }) =>
    el(group ? "th" : "td", { attrs: { colspan: size, scope: group ? "colgroup" : null } }, group)));
};

// The items of a row's player: of the run that the column is of, or of the only one.
const behind = (one, row, i) => {
  const name = row[0].shown, played = known.filter((run) => run.kind === one.kind && run.players.includes(name));
  const run = i === 0 && played.length === 1 ? played[0] : played.find(({ title }) => i && title === one.columns[i].heading);
  return run && !row[i].why ? el("a", { attrs: { href: `${antemill.link(run.id)}?${new URLSearchParams({ players: name })}` } }, row[i].shown) : row[i];
};

const board = (one, i) => one.problem
  ? section(`board-${i}`, "Leaderboard", "", el("p", { class: "problem" }, one.problem))
  : section(`board-${i}`, one.title, one.note, table(one.columns, grouped(one.columns), one.rows.map((row) => row.map((_, j) => behind(one, row, j)))), one.figures.map(drawn));

const overview = el("div", {}), boards = el("div", { attrs: { "aria-live": "polite" } });
const trouble = el("p", { class: "problem", attrs: { role: "alert", hidden: true } });

// Leaderboards can take long to make; the runs are followed meanwhile.
const rank = async () => {
  const of = seen;
  ranking = true;
  try {
    const found = await get("/api/boards");
    renew(boards, found.boards.map(board));
    ranked = found.fresh && of === seen;
  } catch (error) {
    if (!(error instanceof TypeError)) renew(boards, [board({ problem: error.message }, 0)]); // else `follow` says it
  }
  ranking = false;
};

const follow = async () => {
  try {
    const now = JSON.stringify(await get("/api/changes"));
    if (lost) { lost = false; owed = true; trouble.hidden = true; }
    if (now !== seen) {
      const first = seen === "";
      seen = now;
      owed = !first;
      known = await get("/api/runs");
      renew(overview, runs(known));
      ranked = false;
    }
    if (!ranked && !ranking) rank();
    if (owed && await antemill.refresh()) owed = false;
  } catch (error) {
    lost = true;
    seen = "?";
    show(trouble, error instanceof TypeError ? "The server does not answer: this is what the page knew last. It goes on when the server does."
      : error.message);
    trouble.hidden = false;
  }
  setTimeout(follow, PAUSE);
};

if (box) {
  box.parentElement.before(trouble);
  show(box, overview, boards);
  show(boards, section("board", "Leaderboard", "It is being worked out …"));
  queueMicrotask(follow);
}
