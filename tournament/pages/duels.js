// Duels: the list, a duel with its strip of turns and every puzzle, and what was made of a puzzle outside of a duel.

const { el, show } = antemill;
const LETTERS = { s: "solved", u: "unsolved", p: "penalty" };
const OUTCOMES = { solved: "solved", unsolved: "not solved", penalty: "penalty" };
const MARKS = { solved: "\u2713", unsolved: "\u2717", penalty: "!" };
const SORTS = { duel: "duel", solve: "solved again", tag: "tags" };
const WRONG = { format: "unread", penalty: "penalty", false: "wrong", error: "failing", timeout: "too slow", refused: "refused" };

// A strip "sUp..." as turns: {outcome, proposer, scorer}, 0 and 1 are the places in the pair; scorer is null for a draw.
const turnsOf = (strip) => [...strip].map((letter) => {
  const outcome = LETTERS[letter.toLowerCase()], proposer = letter === letter.toLowerCase() ? 0 : 1;
  return { outcome, proposer, scorer: outcome === "solved" ? null : outcome === "unsolved" ? proposer : 1 - proposer };
});

const told = (turn, number, names) => `Turn ${number}: ${names[turn.proposer]} proposes, ${OUTCOMES[turn.outcome]}` +
  (turn.scorer === null ? ", a draw" : `, a point for ${names[turn.scorer]}`);

// The turns as a row of cells. link(number): where a cell leads, null for none. flip: the colours are those of the other duel.
const stripOf = (strip, names, link, { small = false, flip = false } = {}) => {
  const score = [0, 0];
  return el("ol", { class: `strip${small ? " small" : ""}` }, turnsOf(strip).map((turn, i) => {
    if (turn.scorer !== null) score[turn.scorer] += 1;
    const label = told(turn, i + 1, names);
    const inside = [el("span", { attrs: { "aria-hidden": "true" } }, MARKS[turn.outcome]), el("span", { class: "unseen" }, label)];
    const attrs = { title: label };
    return el("li", { class: turn.scorer === null ? "" : `of-${flip ? 1 - turn.scorer : turn.scorer}` },
      link ? el("a", { attrs: { ...attrs, href: link(i + 1) } }, inside) : el("span", { class: "cell", attrs }, inside),
      small ? null : el("small", { attrs: { "aria-hidden": "true" } }, `${score[0]}:${score[1]}`));
  }));
};

const legend = (names) => el("p", { class: "legend" },
  [0, 1].map((i) => el("span", {}, el("i", { class: `of-${i}`, attrs: { "aria-hidden": "true" } }), `a point for ${names[i]}`)),
  el("span", {}, `${MARKS.solved} solved, a draw`), el("span", {}, `${MARKS.unsolved} not solved: the proposer scores`),
  el("span", {}, `${MARKS.penalty} the proposer's own solution fails: the solver scores`));

const causes = (row) => Object.entries(row.causes ?? {}).map(([name, n]) => `${n} ${WRONG[name] ?? name}`).join(", ");

const columns = [
  { key: "item", label: "Item", sort: true },
  { key: "players", label: "Who", sort: true, show: (row) => row.players.join(", ") },
  { key: "outcome", label: "Outcome", sort: true },
  { key: "score", label: "Points" },
  { key: "strip", label: "Turns", show: (row, run) => row.strip ? stripOf(row.strip, [row.first, row.second],
    row.kept === false ? null : (number) => antemill.link(run.id, row.item, String(number)), { small: true }) : "" },
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

// ---------------------------------------------------------------------------------------------- puzzles

const verdict = (found) => found === null || found === undefined ? el("span", { class: "verdict none" }, "not judged")
  : el("span", { class: `verdict ${found.verdict === "true" ? "good" : "bad"}` },
    el("b", {}, found.verdict === "true" ? "\u2713 holds" : `\u2717 ${found.verdict === "false" ? "does not hold" : found.verdict}`),
    found.detail && found.verdict !== "true" ? ` (${found.detail})` : "",
    el("small", {}, ` ${antemill.seconds(found.seconds)}, ${found.backend}${found.python ? `, Python ${found.python.split(" ")[0]}` : ""}`));

const answer = (label, text, found) => el("div", { class: "answer" }, el("h4", {}, label),
  text === "" || text === null ? el("p", { class: "note" }, "None could be read.") : antemill.expression(text), verdict(found));

const again = (rows, run, heading) => rows.length ? [el("h4", {}, heading), antemill.grid(["Who", "Attempt", "Verdict"],
  rows.map((row) => [
    [el("a", { attrs: { href: antemill.link(run.id, row.item) } }, row.player), row.own ? el("small", {}, " its own proposer") : null],
    row.attempt ? antemill.expression(row.attempt) : "none could be read", verdict(row.verdict),
  ]), heading)] : null;

const turnSection = (turn, place, context) => {
  const { run } = context, shape = { outcome: turn.outcome, proposer: place, scorer: turn.outcome === "solved" ? null : turn.outcome === "unsolved" ? place : 1 - place };
  const names = place ? [turn.solver, turn.proposer] : [turn.proposer, turn.solver];
  const scored = shape.scorer === null ? "a draw" : `a point for ${names[shape.scorer]}`;
  return el("section", { class: `turn is-${turn.outcome}`, attrs: { id: `turn-${turn.number}`, "aria-label": told(shape, turn.number, names) } },
    el("h3", {}, el("a", { attrs: { href: context.link(String(turn.number)) } }, `Turn ${turn.number}`), `: ${turn.proposer} proposes, ${turn.solver} solves `,
      el("span", { class: `outcome is-${turn.outcome}${shape.scorer === null ? "" : ` of-${shape.scorer}`}` }, `${MARKS[turn.outcome]} ${OUTCOMES[turn.outcome]}, ${scored}`)),
    antemill.tags(turn.tags, run, "tags"),
    turn.code ? antemill.code(turn.code) : el("p", { class: "note" }, "No puzzle could be read in any reply."),
    el("div", { class: "answers" },
      turn.code ? answer(`Sample solution of ${turn.proposer}`, turn.solution, turn.sample) : null,
      turn.solved.length ? answer(`Attempt by ${turn.solver}`, turn.attempt, turn.verdict) : null),
    turn.code && !turn.solved.length ? el("p", { class: "note" }, `The sample solution does not hold, so ${turn.solver} was not asked.`) : null,
    turn.explanation ? antemill.text(`Explanation by ${turn.proposer} (private: no opponent is shown it)`, turn.explanation) : null,
    again(turn.again, run, "Solved again, outside of the duel"),
    antemill.replies(`What ${turn.proposer} replied as proposer`, turn.proposed, (i) => `turn-${turn.number}-p${i}`, (i) => context.link(`${turn.number}.p${i}`)),
    antemill.replies(`What ${turn.solver} replied as solver`, turn.solved, (i) => `turn-${turn.number}-s${i}`, (i) => context.link(`${turn.number}.s${i}`)));
};

// ---------------------------------------------------------------------------------------------- a duel

const choice = (label, values, name, change) => el("label", {}, label, el("select", { on: { change: (event) => change(event.target.value) } },
  el("option", { attrs: { value: "" } }, "all"), values.map((value) => el("option", { attrs: { value } }, name(value)))));

const renderDuel = (detail, box, context) => {
  const { run } = context, names = [detail.first, detail.second];
  const pair = detail.duels.map((one) => {
    const here = one.item === context.item;
    return el("div", { class: `between${here ? " here" : ""}` },
      el("p", {}, here ? el("b", {}, `${one.first} first`) : el("a", { attrs: { href: antemill.link(run.id, one.item) } }, `${one.first} first`),
        ` ${one.first} ${one.points[0]} : ${one.points[1]} ${one.second}`),
      stripOf(one.strip, [one.first, one.second], (number) => antemill.link(run.id, one.item, String(number)), { flip: one.first !== names[0] }));
  });
  const sections = detail.turns.map((turn) => turnSection(turn, (turn.number - 1) % 2, context));
  const wanted = { outcome: "", proposer: "", tag: "" }, count = el("output", { attrs: { "aria-live": "polite" } });
  const narrow = () => {
    let shown = 0;
    detail.turns.forEach((turn, i) => {
      const fits = (!wanted.outcome || turn.outcome === wanted.outcome) && (!wanted.proposer || turn.proposer === wanted.proposer) &&
        (!wanted.tag || turn.tags.includes(wanted.tag));
      sections[i].hidden = !fits;
      shown += fits;
    });
    count.value = `${shown} of ${detail.turns.length} turns`;
  };
  const set = (key) => (value) => { wanted[key] = value; narrow(); };
  const all = (values) => [...new Set(values)], tags = all(detail.turns.flatMap((turn) => turn.tags)).sort();
  show(box,
    el("section", { class: "pair-of", attrs: { "aria-label": `All duels of ${names.join(" and ")}` } },
      el("h3", {}, detail.duels.length > 1 ? `All duels of ${names.join(" and ")}` : "The duel"), pair, legend(names),
      antemill.facts([["Winner", detail.outcome], ["Cost", detail.cost ? antemill.dollars(detail.cost) : ""],
        ["Took", antemill.seconds(detail.seconds)], ["Went wrong", causes(detail)], ["Prompts", `version ${detail.prompts}`]])),
    el("div", { class: "controls", attrs: { role: "search", "aria-label": "Turns" } },
      choice("Outcome", all(detail.turns.map((turn) => turn.outcome)), (name) => OUTCOMES[name], set("outcome")),
      choice("Proposer", names, (name) => name, set("proposer")),
      tags.length ? choice("Tag", tags, (name) => name, set("tag")) : null, count),
    sections);
  narrow();
  const move = (place) => {
    const [number, reply] = String(place ?? "").split(".");
    if (number) antemill.reveal(box, reply ? `turn-${number}-${reply}` : `turn-${number}`);
  };
  move(context.place);
  return move;
};

// ---------------------------------------------------------------------------------------------- outside of a duel

const renderAlone = (detail, box, context) => {
  const { run } = context;
  const stood = detail.used.map((use) => [
    el("a", { attrs: { href: antemill.link(run.id, use.item, String(use.number)) } }, `${use.item}, turn ${use.number}`),
    use.proposer, use.solver, OUTCOMES[use.outcome], antemill.expression(use.solution)]);
  show(box,
    el("section", { class: "turn" }, el("h3", {}, "The puzzle"), antemill.tags(detail.tags ?? [], run, "tags"), antemill.code(detail.code),
      detail.what === "solve" ? el("div", { class: "answers" }, answer(`Attempt by ${detail.player}`, detail.attempt, detail.verdict_of_attempt)) : null,
      detail.explanation ? antemill.text("Explanation by its author", detail.explanation, { open: true }) : null,
      antemill.facts([["Cost", detail.cost ? antemill.dollars(detail.cost) : ""], ["Took", antemill.seconds(detail.seconds)]]),
      el("h4", {}, "Where it was proposed"), antemill.grid(["Turn", "Proposer", "Solver", "Outcome", "Sample solution"], stood, "Where it was proposed"),
      again(detail.again, run, detail.what === "solve" ? "Others on the same puzzle" : "Solved again"),
      antemill.replies(`What ${detail.player} replied`, detail.replies, (i) => `reply-${i}`, (i) => context.link(`r${i}`))));
  const move = (place) => antemill.reveal(box, place ? `reply-${String(place).slice(1)}` : "");
  if (detail.replies.length === 1 && !context.place) box.querySelector("#reply-0").unfold();
  move(context.place);
  return move;
};

antemill.kinds.duel = {
  heading: "Duels and attempts", columns, filters, title,
  note: "Each duel turn by turn: \u2713 solved, \u2717 not solved, ! the proposer's own solution fails. A point is blue " +
    "for the player named first in the row, orange for the second. A tag or an outcome chooses the duels with such a turn.",
  render: (detail, box, context) => (detail.what === "duel" ? renderDuel : renderAlone)(detail, box, context),
};
