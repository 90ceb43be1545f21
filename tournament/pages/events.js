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
  { id: `event-e${i}` });

// A line that begins with a part and its number ("Turn 3: ...") is a heading; the place "3" leads there. Indented lines
// beside each other are a program. above: what stands over the facts.
const PART = /^(?:Turn|Variant|Attempt) (\d+)(?:[:,]|$)/;
const render = (detail, box, context, ...above) => {
  const parts = [];
  let lines = [];
  const flush = () => {
    for (let i = 0, end; i < lines.length; i = end) {
      const code = lines[i].startsWith("    ");
      for (end = i + 1; end < lines.length && lines[end].startsWith("    ") === code;) end += 1;
      const text = lines.slice(i, end).map((line) => (code ? line.slice(4) : line)).join("\n");
      if (code) parts.push(antemill.code(text));
      else if (text.trim()) parts.push(el("pre", { class: "lines", attrs: { tabindex: "0", dir: "auto" } }, text.replace(/^\n+|\s+$/g, "")));
    }
    lines = [];
  };
  detail.events.forEach((one, i) => {
    const part = typeof one === "string" ? PART.exec(one) : null;
    if (typeof one === "string" && !part) { lines.push(one); return; }
    flush();
    if (!part) { parts.push(decision(one, i, context)); return; }
    const id = parts.some((other) => other.id === `event-${part[1]}`) ? null : `event-${part[1]}`;
    parts.push(el("h3", { attrs: { id } }, el("a", { attrs: { href: context.link(part[1]) } }, one)));
  });
  flush();
  show(box, above, antemill.facts([["Outcome", detail.outcome], ["Score", detail.score], ["Figures", shares(detail)], ["Went wrong", causes(detail)],
    ["Cost", detail.cost ? antemill.dollars(detail.cost) : ""], ["Took", antemill.seconds(detail.seconds)]]), parts);
  const move = (place) => antemill.reveal(box, place ? `event-${place}` : "");
  move(context.place);
  return move;
};

antemill.events = { heading: "Items", columns, filters, title: (row) => row.item, render };
