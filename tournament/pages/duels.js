// Duels: the list, and a duel as it was played below its strip of turns.

const { el } = antemill;
const LETTERS = { s: "solved", u: "unsolved", p: "penalty", f: "unreadable" };
const OUTCOMES = { solved: "solved", unsolved: "not solved", penalty: "penalty", unreadable: "unreadable puzzle" };
const MARKS = { solved: "\u2713", unsolved: "\u2717", penalty: "!", unreadable: "?" };
const SORTS = { duel: "duel", solve: "solved again", tag: "tags" };
const WRONG = { unread: "unread", penalty: "penalty", false: "wrong", error: "failing", timeout: "too slow", refused: "refused" };

// A strip "sUp..." as turns: {outcome, proposer, scorer}, 0 and 1 are the places in the pair; scorer is null for a draw.
const turnsOf = (strip) => [...strip].map((letter) => {
  const outcome = LETTERS[letter.toLowerCase()], proposer = letter === letter.toLowerCase() ? 0 : 1;
  return { outcome, proposer, scorer: outcome === "solved" ? null : outcome === "unsolved" ? proposer : 1 - proposer };
});

const told = (turn, number, names) => `Turn ${number}: ${names[turn.proposer]} proposes, ${OUTCOMES[turn.outcome]}` +
  (turn.scorer === null ? ", a draw" : `, a point for ${names[turn.scorer]}`);

// The turns as a row of cells. link(number): where a cell leads, null for none.
const stripOf = (strip, names, link, small = false) => {
  const score = [0, 0];
  return el("ol", { class: `strip${small ? " small" : ""}` }, turnsOf(strip).map((turn, i) => {
    if (turn.scorer !== null) score[turn.scorer] += 1;
    const label = told(turn, i + 1, names);
    const inside = [el("span", { attrs: { "aria-hidden": "true" } }, MARKS[turn.outcome]), el("span", { class: "unseen" }, label)];
    const attrs = { title: label };
    return el("li", { class: turn.scorer === null ? "" : `of-${turn.scorer}` },
      link ? el("a", { attrs: { ...attrs, href: link(i + 1) } }, inside) : el("span", { class: "cell", attrs }, inside),
      small ? null : el("small", { attrs: { "aria-hidden": "true" } }, `${score[0]}:${score[1]}`));
  }));
};

const legend = (names) => el("p", { class: "legend" },
  [0, 1].map((i) => el("span", {}, el("i", { class: `of-${i}`, attrs: { "aria-hidden": "true" } }), `a point for ${names[i]}`)),
  el("span", {}, `${MARKS.solved} solved, a draw`), el("span", {}, `${MARKS.unsolved} not solved: the proposer scores`),
  el("span", {}, `${MARKS.penalty} the proposer's own solution fails, ${MARKS.unreadable} its puzzle could not be read: the solver scores`));

const causes = (row) => Object.entries(row.causes ?? {}).map(([name, n]) => `${n} ${WRONG[name] ?? name}`).join(", ");

const columns = [
  { key: "item", label: "Item", sort: true },
  { key: "players", label: "Who", sort: true, show: (row) => row.players.join(", ") },
  { key: "outcome", label: "Outcome", sort: true },
  { key: "score", label: "Points" },
  { key: "strip", label: "Turns", show: (row, run) => row.strip ? stripOf(row.strip, [row.first, row.second],
    row.kept === false ? null : (number) => antemill.link(run.id, row.item, String(number)), true) : "" },
  { key: "tags", label: "Tags", show: (row) => row.tags?.length
    ? el("span", { class: "one-line", attrs: { title: row.tags.join(", ") } }, row.tags.join(", ")) : "" },
  { key: "causes", label: "Went wrong", show: causes },
  { key: "cost", label: "Cost", sort: true, number: true, show: (row) => row.cost ? antemill.dollars(row.cost) : "" },
];

const filters = [
  { key: "search", label: "Search", kind: "search" },
  { key: "what", label: "What", kind: "choice", name: (what) => SORTS[what] ?? what },
  { key: "pair", label: "Pair", kind: "choice" },
  { key: "players", label: "Player", kind: "choice" },
  { key: "players", label: "and", kind: "choice", slot: 1 },
  { key: "outcome", label: "Outcome", kind: "choice" },
  { key: "outcomes", label: "With a turn", kind: "choice", name: (name) => OUTCOMES[name] ?? name },
  { key: "turned", label: "or exactly", kind: "choice" },
  { key: "proposer", label: "Puzzle of", kind: "choice" },
  { key: "tags", label: "Tag", kind: "choice", always: true },
  { key: "causes", label: "Went wrong", kind: "choice", always: true, name: (name) => WRONG[name] ?? name },
  { key: "status", label: "Status", kind: "choice" },
];

const title = (row) => row.what === "duel" ? `${row.first} and ${row.second}: ${row.points?.join(" to ") ?? row.status}`
  : row.what === "solve" ? `${row.players[0]} on the puzzle ${row.about}` : `Tags for the puzzle ${row.about}, by ${row.players[0]}`;

antemill.kinds.duel = {
  heading: "Duels and attempts", columns, filters, title,
  note: "Each duel turn by turn: \u2713 solved, \u2717 not solved, ! the proposer's own solution fails, ? no puzzle could be read. A point is " +
    "blue for the player named first in the row, orange for the second. A tag or an outcome chooses the duels with such a turn.",
  render: (detail, box, context) => {
    const names = [detail.first, detail.second];
    return antemill.events.render(detail, box, context, detail.strip
      ? el("section", { class: "pair-of" }, stripOf(detail.strip, names, (number) => context.link(String(number))), legend(names)) : null);
  },
};
