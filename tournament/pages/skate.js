// SKATE: the list of questions and of the answers to them.

const { el } = antemill;
const SORTS = { set: "question", answer: "answers" };
const fixed = (value, digits = 3) => value === null || value === undefined ? "" : value.toFixed(digits);
const dash = (value) => value === null || value === undefined ? "" : antemill.percent(value);

const columns = [
  { key: "item", label: "Item", sort: true },
  { key: "round", label: "Round", number: true },
  { key: "setter", label: "Setter", sort: true },
  { key: "player", label: "Answered by", show: (row) => row.what === "answer" ? row.players[0] : "" },
  { key: "question", label: "Begins", show: (row) => row.question ? el("span", { class: "one-line", attrs: { title: row.question } }, antemill.expression(row.question)) : "" },
  { key: "outcome", label: "Outcome", sort: true },
  { key: "p", label: "p(correct)", sort: true, number: true, show: (row) => row.p === undefined || row.p === null ? "" : `${dash(row.p)} of ${row.asked}` },
  { key: "own", label: "Setter's p", sort: true, number: true, show: (row) => dash(row.own) },
  { key: "others", label: "Others' p", sort: true, number: true, show: (row) => dash(row.others) },
  { key: "variance", label: "Variance", sort: true, number: true, show: (row) => fixed(row.variance) },
  { key: "rejected", label: "Rejected", sort: true, number: true },
  { key: "distance", label: "Distance", sort: true, number: true, show: (row) => fixed(row.distance) },
  { key: "cost", label: "Cost", sort: true, number: true, show: (row) => row.cost ? antemill.dollars(row.cost) : "" },
];

const filters = [
  { key: "search", label: "Search", kind: "search" },
  { key: "what", label: "What", kind: "choice", name: (what) => SORTS[what] ?? what },
  { key: "setter", label: "Setter", kind: "choice" },
  { key: "players", label: "Player", kind: "choice" },
  { key: "round", label: "Round", kind: "choice" },
  { key: "outcome", label: "Outcome", kind: "choice" },
  { key: "rejections", label: "Rejected as", kind: "choice", always: true },
  { key: "discriminates", label: "Only its setter passes", kind: "choice", name: (value) => (value === "true" ? "yes" : "no") },
  { key: "variance", label: "Variance at least", kind: "least" },
  { key: "status", label: "Status", kind: "choice" },
];

const title = (row) => row.what === "set" ? `Question ${row.number} by ${row.setter}, round ${row.round}`
  : `${row.players[0]} on question ${row.number}${row.setter ? ` by ${row.setter}` : ""}`;

antemill.kinds.skate = {
  heading: "Questions and answers", columns, filters, title,
  note: "Every question, and all answers to it. p(correct) is the share of correct answers over its variants; a question discriminates " +
    "if its setter alone passes 55%.",
  above: (run) => el("p", { class: "pager" }, el("a", { class: "button", attrs: { href: `${antemill.link(run.id)}?what=set` } }, "Questions only"),
    el("a", { class: "button", attrs: { href: `${antemill.link(run.id)}?what=set&sort=-variance` } }, "Most telling first"),
    el("a", { class: "button", attrs: { href: `${antemill.link(run.id)}?what=answer&sort=p` } }, "Worst answered first")),
  render: antemill.events.render,
};
