// Matches of a tournament: the list, and a match as a replay.

const SPEED = 900; // milliseconds a frame, when it plays by itself
const FALLBACKS = {
  illegal: "illegal move", unparsable: "no move could be read", truncated: "cut off", empty: "empty reply", refusal: "refused",
};
const STRAYED = { gave: " gave chips away", off: " left its mix" };
const { el, show } = antemill;

// The game, and which of its disguises was played.
const game = (row) => row.form && row.form !== "itself" ? `${row.about}, ${row.form}` : row.about;

// Beside it stand the two matches of a pair: the same cards with the seats exchanged have the same number.
const columns = [
  { key: "about", label: "Match", sort: true, show: (row) => `${game(row)} #${row.run + 1}${row.ablation ? " (ablation)" : ""}` },
  { key: "alice", label: "Alice", sort: true },
  { key: "bob", label: "Bob", sort: true },
  { key: "outcome", label: "Winner", sort: true, show: (row) => row.winner && row.winner !== "draw" ? `${row.outcome} (${row.winner})` : row.outcome },
  { key: "won", label: "Chips won", sort: true, number: true },
  { key: "swing", label: "Swing", sort: true, number: true },
  { key: "regret", label: "Given away", sort: true, number: true, show: (row) => row.regret === undefined || row.regret === null ? "" : row.regret.toFixed(2) },
  { key: "off", label: "Off solver", sort: true, number: true },
  { key: "moves", label: "Decisions", sort: true, number: true },
  { key: "fallbacks", label: "Fallbacks", sort: true, show: (row) => row.fallbacks
    ? Object.entries(row.causes).map(([cause, n]) => `${n} ${FALLBACKS[cause] ?? cause}`).join(", ") : "" },
  { key: "cost", label: "Cost", sort: true, number: true, show: (row) => row.cost ? antemill.dollars(row.cost) : "" },
];

const filters = [
  { key: "search", label: "Search", kind: "search" },
  { key: "players", label: "Player", kind: "choice" },
  { key: "players", label: "and", kind: "choice", slot: 1 },
  { key: "alice", label: "As Alice", kind: "choice" },
  { key: "bob", label: "As Bob", kind: "choice" },
  { key: "about", label: "Game", kind: "choice" },
  { key: "form", label: "Played as", kind: "choice" },
  { key: "outcome", label: "Winner", kind: "choice" },
  { key: "winner", label: "Winning seat", kind: "choice" },
  { key: "causes", label: "Fallback", kind: "choice", always: true, name: (cause) => FALLBACKS[cause] ?? cause },
  { key: "fell", label: "by", kind: "choice", always: true, name: (one) => one.replace(/: (\w+)$/, (all, cause) => `: ${FALLBACKS[cause] ?? cause}`) },
  { key: "strayed", label: "Beside the solver", kind: "choice", always: true, name: (one) => one.replace(/: (gave|off)$/, (all, how) => STRAYED[how]) },
  { key: "swing", label: "Swing at least", kind: "least" },
  { key: "regret", label: "Given away at least", kind: "least" },
  { key: "off", label: "Off solver at least", kind: "least" },
  { key: "status", label: "Status", kind: "choice" },
];

const chips = (value) => `${antemill.count(value)} ${value === 1 ? "chip" : "chips"}`;
const gave = (value) => `${value.toFixed(2)} chips`; // by the equilibrium, wherever a page says it

const title = (row) => `${row.alice} against ${row.bob} in ${game(row)}`;

const result = (detail) => {
  if (!detail.payoffs) return "A question: the match goes no further.";
  const [alice] = detail.payoffs;
  if (alice === 0) return "A draw: no chips change hands.";
  const seat = alice > 0 ? 0 : 1;
  return `${detail.seats[seat]} (${["Alice", "Bob"][seat]}) wins ${chips(Math.abs(alice))}.`;
};

// ---------------------------------------------------------------------------------------------- a decision

// The legal actions with their places on the menu; of a long range of amounts those that matter.
const offered = (decision) => {
  if (decision.options.length) return decision.options.map((name, place) => ({ name, value: name, place }));
  const all = Array.from({ length: decision.high - decision.low + 1 }, (_, place) => ({ name: String(decision.low + place), value: decision.low + place, place }));
  if (all.length <= 40) return all;
  return decision.solver ? all.filter(({ value, place }) => value === decision.choice || decision.solver.mix[place] >= 0.005) : null;
};

const menu = (decision) => {
  const entries = offered(decision), solver = decision.solver;
  if (!entries) return el("p", {}, `Any amount from ${decision.low} to ${decision.high}; ${decision.choice} was played.`);
  const bar = (share) => el("span", { class: "bar-of" }, el("i", { attrs: { style: `width: ${Math.round(100 * share)}%` } }));
  return el("div", { class: "scroll", attrs: { tabindex: "0", role: "region", "aria-label": "Legal actions" } }, el("table", { class: "menu" },
    el("thead", {}, el("tr", {}, el("th", { class: "text", attrs: { scope: "col" } }, "Legal"), el("th", { class: "text", attrs: { scope: "col" } }, "Played"),
      solver ? [el("th", { class: "text", attrs: { scope: "col" } }, "Equilibrium plays"), solver.gives ? el("th", { attrs: { scope: "col" } }, "Gives away") : null] : null)),
    el("tbody", {}, entries.map(({ name, value, place: i }) => el("tr", { class: value === decision.choice ? "played" : "" },
      el("th", { class: "text", attrs: { scope: "row" } }, name), el("td", { class: "words" }, value === decision.choice ? "\u2713 played" : ""),
      solver ? [el("td", { class: "words mix" }, bar(solver.mix[i]), antemill.percent(solver.mix[i])),
        solver.gives ? el("td", {}, solver.gives[i] === null ? "" : solver.gives[i].toFixed(3)) : null] : null)))));
};

const mixed = (decision) => decision.mix
  .map((share, i) => [decision.options?.[i] ?? decision.low + i, share]).filter(([, share]) => share > 0)
  .map(([name, share]) => `${name} ${antemill.percent(share)}`).join(", ");

const asked = (decision, seats, rules) => {
  const who = `${["Alice", "Bob"][decision.seat]}${seats[decision.seat] === ["Alice", "Bob"][decision.seat] ? "" : ` (${seats[decision.seat]})`}`;
  const notes = [];
  if (decision.fallback) notes.push(`Fallback: ${FALLBACKS[decision.fallback] ?? decision.fallback}, so a random legal action was played.`);
  else if (decision.substitution === "above-maximum") notes.push(`The amount ${decision.submitted} was lowered to the most that is allowed.`);
  else if (decision.substitution) notes.push("What was submitted is not legal, so a random legal action was played.");
  if (decision.second) notes.push(`Asked once more: ${decision.problem}`);
  if (decision.mix) notes.push(`Drawn by ${decision.drawn.toFixed(6)} from the stated mix: ${mixed(decision)}.`);
  if (decision.solver?.cost >= 0.005) notes.push(`With perfect play by both from there (the equilibrium), this move gives away ${gave(decision.solver.cost)} on average.`);
  if (decision.solver?.note) notes.push(decision.solver.note);
  const submitted = decision.submitted !== null && String(decision.submitted) !== String(decision.choice) && !decision.call && decision.reply === null;
  return el("section", { class: "decision", attrs: { "aria-label": `Decision ${decision.number + 1}` } },
    el("h3", {}, `Decision ${decision.number + 1}: ${who}, ${decision.phase}`),
    notes.map((note) => el("p", { class: "mark" }, note)),
    menu(decision), submitted ? antemill.text("Submitted", decision.submitted, { open: true }) : null,
    antemill.call(decision.call) ?? antemill.text("Reply", decision.reply, { open: true }),
    antemill.text("The rules of this phase", antemill.sectionOn(rules, decision.phase)?.text.replace(/^#.*\n+/, "") ?? ""));
};

const decided = ({ number, seat, choice }, words, context) =>
  el("a", { attrs: { href: context.link(`d${number}`) } }, `${["Alice", "Bob"][seat]}: ${choice}, ${words}`);

// The decision that gave most away by the equilibrium, as a link; nothing if none did.
const dearest = (frames, context) => {
  const costs = frames.map((frame) => frame.decision).filter((one) => one?.solver?.cost > 0.005);
  if (!costs.length) return null;
  const most = costs.reduce((a, b) => (b.solver.cost > a.solver.cost ? b : a));
  return decided(most, gave(most.solver.cost), context);
};

// The decision after which the lead moved most until the next one, as a link; nothing if it never moved. It need not be
// the reason: cards that are dealt or shown in between count too.
const decisive = (frames, context) => {
  const places = frames.flatMap((frame, i) => (frame.decision ? [i] : []));
  const lead = (i) => frames[i].state.stacks[0] - frames[i].state.stacks[1] + 2 * frames[i].state.score;
  const moved = places.map((at, n) => Math.abs(lead(places[n + 1] ?? frames.length - 1) - lead(at)));
  const most = Math.max(0, ...moved);
  return most ? decided(frames[places[moved.indexOf(most)]].decision, chips(most), context) : null;
};

// The one decision that a match leads to, as a fact.
const singled = (frames, context) => {
  const given = dearest(frames, context);
  return given ? ["Costliest decision", given] : ["Lead moved most after", decisive(frames, context)];
};

// The rules of a list's one game, as its matches have them.
const rules = (run, row, source, alone) => {
  const text = el("pre", { attrs: { tabindex: "0", dir: "auto" } });
  const fold = el("details", { class: "text" }, el("summary", {}, `Rulebook of ${game(row)}, and how models were told to play`), text);
  fold.addEventListener("toggle", async () => {
    try { show(text, (await source.item(run.id, row.item)).rules?.text); } catch (error) { show(text, error.message); }
  }, { once: true });
  fold.open = alone;
  return fold;
};

// ---------------------------------------------------------------------------------------------- the replay

const words = (event, viewer) => viewer === null ? event.both : event.seats[viewer];

const line = (event, viewer) => {
  const text = words(event, viewer);
  if (text === null) return null;
  const alone = viewer === null && event.told !== 3 ? ["", "Alice alone is told", "Bob alone is told"][event.told] : "";
  return el("li", { class: `event is-${event.kind}` }, text, alone ? el("small", {}, ` (${alone})`) : null);
};

const render = (detail, box, context) => {
  const { frames, seats } = detail, last = frames.length - 1;
  const decisions = frames.map((frame, i) => (frame.decision ? i : -1)).filter((i) => i >= 0);
  let at = 0, viewer = null, timer = null;

  const range = el("input", { attrs: { type: "range", min: 0, max: last, value: 0, "aria-label": "Moment of the match" } });
  const where = el("output", { class: "where" });
  const button = (label, name, press) => el("button", { class: "button", attrs: { type: "button", "aria-label": name, title: name }, on: { click: press } }, label);
  const play = button("\u25b6", "Play (space)", () => toggle());
  const board = el("div", { class: "board-box" }), log = el("ol", { class: "log", attrs: { tabindex: "0", "aria-label": "Log" } });
  const panel = el("div", { class: "panel" });
  const eyes = el("fieldset", { class: "eyes" }, el("legend", {}, "Seen by"),
    [["both", null], [`Alice (${seats[0]})`, 0], [`Bob (${seats[1]})`, 1]].map(([label, value], i) => el("label", {},
      el("input", { attrs: { type: "radio", name: "viewer", checked: i === 0 }, on: { change: () => { viewer = value; fillLog(); draw(); } } }), label)));

  const visible = (frame) => viewer === null || !frame.decision || frame.decision.seat === viewer;
  let lines = [];
  const fillLog = () => {
    lines = frames.map((frame, i) => {
      const said = frame.events.map((event) => line(event, viewer));
      const one = frame.decision, choice = one && visible(frame) ? el("li", { class: "choice" },
        el("a", { attrs: { href: context.link(`d${one.number}`) } }, `${["Alice", "Bob"][one.seat]} decides: ${one.choice}`),
        one.fallback ? el("span", { class: "tag" }, FALLBACKS[one.fallback] ?? one.fallback) : null,
        one.solver?.cost >= 0.005 ? el("span", { class: "tag" }, `\u2212${one.solver.cost.toFixed(2)}`) : null) : null;
      return [...said, choice].filter(Boolean).map((node) => { node.dataset.frame = i; return node; });
    });
    show(log, lines);
  };

  const draw = () => {
    const frame = frames[at], one = frame.decision;
    range.value = at;
    const spoken = `Moment ${at + 1} of ${frames.length}${one ? `, decision ${one.number + 1} of ${decisions.length}` : ""}`;
    where.value = spoken;
    range.setAttribute("aria-valuetext", spoken);
    show(board, antemill.table(frame.state, {
      deck: detail.deck, seats, viewer, turn: one ? one.seat : null, leads: detail.leads, scores: detail.scores, boards: detail.boards,
      before: at > 0 ? frames[at - 1].state : null,
    }), el("p", { class: "caption" }, frame.state.phase ? el("b", {}, frame.state.phase) : null,
      frame.events.map((event) => words(event, viewer)).filter(Boolean).map((text) => el("span", {}, text))));
    lines.forEach((nodes, i) => nodes.forEach((node) => {
      node.classList.toggle("past", i < at);
      node.classList.toggle("here", i === at);
      node.classList.toggle("ahead", i > at);
    }));
    const mark = lines[at]?.at(-1) ?? null;
    if (mark) log.scrollTop = mark.offsetTop - log.clientHeight / 2;
    const open = one ?? null;
    show(panel, open ? (visible(frame) ? asked(open, seats, detail.rules?.text ?? "") : el("p", { class: "note" }, `${["Alice", "Bob"][open.seat]} is to act.`))
      : at === last ? el("p", { class: "result" }, result(detail)) : null);
  };

  const place = (i) => (frames[i].decision ? `d${frames[i].decision.number}` : `m${i}`);
  const move = (i, keep) => {
    at = Math.max(0, Math.min(last, i));
    if (!keep) context.go(place(at));
    draw();
  };
  const toggle = (on = timer === null) => {
    clearInterval(timer);
    timer = null;
    if (on) {
      if (at === last) move(0);
      timer = setInterval(() => { if (!box.isConnected || at >= last) toggle(false); else move(at + 1); }, SPEED);
    }
    antemill.show(play, on ? "\u2016" : "\u25b6");
    play.setAttribute("aria-label", on ? "Pause (space)" : "Play (space)");
  };
  const step = (by) => { toggle(false); move(at + by); };
  const turn = (by) => {
    const next = by > 0 ? decisions.find((i) => i > at) ?? last : decisions.findLast((i) => i < at) ?? 0;
    toggle(false);
    move(next);
  };
  const keys = { ArrowRight: () => step(1), ArrowLeft: () => step(-1), ArrowDown: () => turn(1), ArrowUp: () => turn(-1),
    Home: () => step(-frames.length), End: () => step(frames.length), " ": () => toggle() };
  const press = (event) => {
    if (!box.isConnected) { removeEventListener("keydown", press); return; }
    const inside = event.target.closest?.("input:not([type=range]), select, textarea, pre, .log, summary, a, button");
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key] || inside) return;
    event.preventDefault();
    keys[event.key]();
  };
  addEventListener("keydown", press);
  range.addEventListener("input", () => { toggle(false); move(Number(range.value)); });

  const named = (name) => {
    const number = Number(name.slice(1));
    if (/^d\d+$/.test(name)) return decisions[number] ?? 0;
    return /^m\d+$/.test(name) ? number : 0;
  };
  antemill.show(box,
    antemill.facts([["Alice", detail.alice], ["Bob", detail.bob], ["Game", game(detail)], ["Result", result(detail)],
      ["Swing", detail.swing === undefined ? "" : `${detail.swing} chips`], ["Given away", detail.regret === undefined || detail.regret === null ? "" : gave(detail.regret)],
      singled(frames, context),
      ["Cost", detail.cost ? antemill.dollars(detail.cost) : ""], ["Play seed", detail.play_seed],
      ["Item", detail.item]]),
    el("section", { class: "replay", attrs: { "aria-label": "Replay" } },
      el("div", { class: "controls" },
        button("|\u25c0", "To the beginning (Home)", () => step(-frames.length)), button("\u25c2", "Back (left arrow)", () => step(-1)),
        play, button("\u25b8", "On (right arrow)", () => step(1)), button("\u25b6|", "To the end (End)", () => step(frames.length)),
        range, where),
      el("p", { class: "note keys" }, "Left and right: a moment. Up and down: a decision. Home, End, space: play."),
      eyes, el("div", { class: "sides" }, board, log)),
    panel,
    detail.told ? el("p", { class: "note told" }, detail.told) : null,
    detail.rules ? el("section", { class: "rules" }, antemill.text("Rulebook, and how models were told to play", detail.rules.text)) : null);
  fillLog();
  move(Math.min(last, named(context.place)), true);
  return (to) => { toggle(false); move(Math.min(last, named(to)), true); };
};

antemill.kinds.tournament = { heading: "Matches", columns, filters, title, game, render, subject: { key: "about", show: rules },
  above: (run, { facets, rows }) => el("p", { class: "pager" },
    Object.keys(facets.strayed ?? {}).some((one) => one.endsWith(": gave")) ? el("a", { class: "button", attrs: { href: `${antemill.link(run.id)}?sort=-regret` } }, "Most given away first") : null,
    rows.some((row) => row.swing !== undefined) && run.kind === "tournament"
      ? el("a", { class: "button", attrs: { href: `${antemill.link(run.id)}?sort=-swing` } }, "Largest swing first") : null),
  note: "Swing: how far the lead went to and fro within a match, in chips. In solved games, Given away: the chips that the moves of both players lose against the " +
    "equilibrium's best ones; Off solver: how many moves the equilibrium makes less often than one time in fifty. Fallback: a random legal action, played because no " +
    "legal one could be read in a reply." };
