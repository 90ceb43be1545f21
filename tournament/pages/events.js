// The list and the items of any kind of runs, by their entries and events: what a kind has that says nothing of its own.

const { el, show } = antemill;

const causes = (row) => Object.entries(row.causes ?? {}).map(([name, n]) => `${n} ${name}`).join(", ");
const shares = (row) => Object.entries(row.figures ?? {}).map(([name, value]) => `${name} ${Number(value.toFixed(3))}`).join(", ");

const columns = [
  { key: "item", label: "Item", sort: true },
  { key: "players", label: "Who", sort: true, show: (row) => row.players.join(", ") },
  { key: "about", label: "About", sort: true },
  { key: "outcome", label: "Outcome", sort: true },
  { key: "score", label: "Score" },
  { key: "causes", label: "Went wrong", show: causes },
  { key: "cost", label: "Cost", sort: true, number: true, show: (row) => row.cost ? antemill.dollars(row.cost) : "" },
];

const filters = [
  { key: "search", label: "Search", kind: "search" },
  { key: "what", label: "What", kind: "choice" },
  { key: "players", label: "Player", kind: "choice" },
  { key: "about", label: "About", kind: "choice" },
  { key: "outcome", label: "Outcome", kind: "choice" },
  { key: "causes", label: "Went wrong", kind: "choice" },
  { key: "status", label: "Status", kind: "choice" },
];

// Lines as one text; a decision as a fold with its notes and its call. place: "e3" opens the event 3.
const decision = (one, i, context) => antemill.fold(
  [`${one.player}: ${one.purpose}`, ...one.notes.map((note) => el("small", {}, ` ${note}`))],
  () => [el("p", { class: "note" }, el("a", { attrs: { href: context.link(`e${i}`) } }, "Link to this")),
    antemill.call(one.call) ?? antemill.text("Reply", one.text, { open: true }) ?? el("p", { class: "note" }, "A player without words.")],
  { id: `event-${i}` });

const render = (detail, box, context) => {
  const parts = [];
  let lines = [];
  const flush = () => {
    const text = lines.join("\n").replace(/^\n+|\s+$/g, "");
    if (text) parts.push(el("pre", { class: "lines", attrs: { tabindex: "0", dir: "auto" } }, text));
    lines = [];
  };
  detail.events.forEach((one, i) => {
    if (typeof one === "string") { lines.push(one); return; }
    flush();
    parts.push(decision(one, i, context));
  });
  flush();
  show(box, antemill.facts([["Outcome", detail.outcome], ["Score", detail.score], ["Figures", shares(detail)], ["Went wrong", causes(detail)],
    ["Cost", detail.cost ? antemill.dollars(detail.cost) : ""], ["Took", antemill.seconds(detail.seconds)]]), parts);
  const move = (place) => antemill.reveal(box, place ? `event-${String(place).slice(1)}` : "");
  move(context.place);
  return move;
};

antemill.events = { heading: "Items", columns, filters, title: (row) => row.item, render };
