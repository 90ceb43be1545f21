// The choice of a game, an opponent and a seat.

const { el, svg, show, scale, ticks } = antemill;
const W = 640, H = 400, LEFT = 72, RIGHT = 14, TOP = 14, BOTTOM = 44;
const RULES = [["turns", "Take turns"], ["alice", "Always Alice"], ["bob", "Always Bob"]];

// An axis without its unit, which stands below the map.
const called = (axis) => axis.label.replace(/ \(.*$/, "");

const radio = (name, value, checked, pick, ...words) => el("label", { class: "pick" },
  el("input", { attrs: { type: "radio", name, value, checked }, on: { change: () => pick(value) } }),
  el("span", {}, ...words));

// The games as dots by two axes.
const map = (choices, place, chosen, pick) => {
  const games = choices.games, dots = [];
  const x = scale(games.map((game) => game.axes[place.x]), LEFT + 8, W - RIGHT - 8);
  const y = scale(games.map((game) => game.axes[place.y]), H - BOTTOM - 8, TOP + 8);
  const label = (name) => called(choices.axes.find((axis) => axis.name === name));
  const grid = svg("g", { class: "grid" },
    ticks(x).map(([at, words]) => [svg("path", { attrs: { d: `M${x(at)} ${TOP}V${H - BOTTOM}` } }), svg("text", { class: "x", attrs: { x: x(at), y: H - BOTTOM + 16 } }, words)]),
    ticks(y).map(([at, words]) => [svg("path", { attrs: { d: `M${LEFT} ${y(at)}H${W - RIGHT}` } }), svg("text", { class: "y", attrs: { x: LEFT - 6, y: y(at) + 4 } }, words)]));
  for (const game of games) {
    const on = game.game === chosen, words = `${game.title}: ${label(place.x)} ${game.axes[place.x].toFixed(2)}, ${label(place.y)} ${game.axes[place.y].toFixed(2)}`;
    const take = () => pick(game.game);
    dots.push(svg("circle", {
      class: on ? "dot-game chosen" : `dot-game${game.nodes ? "" : " large"}`,
      attrs: { cx: x(game.axes[place.x]), cy: y(game.axes[place.y]), r: on ? 9 : 6.5, tabindex: "0", role: "button", "aria-label": words, "aria-pressed": String(on), "data-game": game.game },
      on: { click: take, keydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); take(); } } },
    }, svg("title", {}, words)));
  }
  return svg("svg", { class: "scatter", attrs: { viewBox: `0 0 ${W} ${H}`, role: "group", "aria-label": "Games by their place among the axes" } },
    grid, svg("text", { class: "name", attrs: { x: (LEFT + W - RIGHT) / 2, y: H - 8 } }, label(place.x)),
    svg("text", { class: "name", attrs: { x: 14, y: (TOP + H - BOTTOM) / 2, transform: `rotate(-90 14 ${(TOP + H - BOTTOM) / 2})` } }, label(place.y)), dots);
};

// The whole choice. sit: called with {game, opponent, rule}. rulebook: returns the rulebook of a game.
antemill.lobby = (choices, before, sit, rulebook) => {
  const wanted = { game: "kuhn", opponent: "l1", rule: "turns", ...before };
  const place = { x: choices.axes[0].name, y: choices.axes[1].name };
  const preview = el("div", { class: "preview" }), spot = el("div", {}), about = el("p", { class: "note about" });
  const seed = el("input", { attrs: { type: "text", inputmode: "decimal", size: 10, placeholder: "9 or 7@0.1", "aria-label": "Seed, or seed@complexity", autocomplete: "off" } });
  const said = el("p", { class: "problem", attrs: { hidden: true, role: "alert" } });

  const named = el("div", { class: "picks" });
  let asked = 0;
  const draw = () => {
    const again = spot.querySelector(":focus")?.dataset.game;
    show(spot, map(choices, place, wanted.game, pick));
    if (again) spot.querySelector(`[data-game="${CSS.escape(wanted.game)}"]`)?.focus();
    const axis = (name) => choices.axes.find((one) => one.name === name);
    show(about, `${axis(place.x).label}: ${axis(place.x).what}. ${axis(place.y).label}: ${axis(place.y).what}.`);
    for (const input of named.querySelectorAll("input")) input.checked = input.value === wanted.game;
  };
  const pick = async (game) => {
    wanted.game = game;
    draw();
    const mine = ++asked;
    try {
      const found = await rulebook(game);
      if (mine !== asked) return;
      said.hidden = true;
      const placed = choices.games.find((one) => one.game === game);
      show(preview, el("h2", {}, found.title),
        el("p", { class: "note" }, placed && !placed.nodes ? "A large game: the solver can review its hands only roughly." : ""),
        el("p", { class: "note", attrs: { hidden: !found.rejected } }, `${found.rejected.slice(0, 1).toUpperCase()}${found.rejected.slice(1)}`),
        el("details", {}, el("summary", {}, "Its rulebook"), el("div", { class: "rulebook" }, antemill.markdown(found.markdown.replace(/^# .*\n/, ""), 2))));
      start.disabled = false;
    } catch (error) {
      if (mine !== asked) return;
      show(preview); show(said, error.message); said.hidden = false; start.disabled = true;
    }
  };
  const start = el("button", { class: "button go", attrs: { type: "submit" } }, "Sit down");
  const axes = (key, words) => el("label", {}, words, el("select", { on: { change: (event) => { place[key] = event.target.value; draw(); } } },
    choices.axes.map((axis) => el("option", { attrs: { value: axis.name, selected: axis.name === place[key] } }, called(axis)))));
  show(named, choices.named.map((name) => radio("game", name, name === wanted.game, pick, name)));
  const typed = () => { const text = seed.value.trim(); if (text) pick(text); };
  seed.addEventListener("change", typed);
  seed.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); typed(); } });

  draw();
  pick(wanted.game);
  return el("form", { class: "lobby", on: { submit: (event) => { event.preventDefault(); sit(wanted); } } },
    el("section", { class: "choose-game", attrs: { "aria-labelledby": "which" } }, el("h2", { attrs: { id: "which" } }, "Which game?"),
      el("div", { class: "ways" }, named, el("label", { class: "seed" }, "or any seed", seed)),
      el("p", { class: "note" }, "Or by its place among the axes of strategic complexity. A ring is a game too large to be solved while you wait."),
      el("div", { class: "controls" }, axes("x", "Across"), axes("y", "Up")), spot, about),
    el("div", { class: "side" },
      el("section", { attrs: { "aria-labelledby": "whom" } }, el("h2", { attrs: { id: "whom" } }, "Against whom?"),
        el("div", { class: "picks tall", attrs: { role: "radiogroup", "aria-labelledby": "whom" } }, choices.opponents.map((one) =>
          radio("opponent", one.name, one.name === wanted.opponent, (name) => { wanted.opponent = name; }, el("b", {}, one.title), el("small", {}, one.note))))),
      el("section", { attrs: { "aria-labelledby": "where" } }, el("h2", { attrs: { id: "where" } }, "In which seat?"),
        el("div", { class: "picks tall", attrs: { role: "radiogroup", "aria-labelledby": "where" } }, RULES.map(([rule, words]) =>
          radio("rule", rule, rule === wanted.rule, (one) => { wanted.rule = one; }, words)))),
      el("section", { class: "ready" }, start, said, preview))); // what loads late is below, so that buttons do not move
};
