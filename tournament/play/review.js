// After a hand: what the solver would have done, what the choices cost, and the running score.

const { el, svg, show, scale, ticks } = antemill;
const W = 340, H = 160, LEFT = 40, RIGHT = 10, TOP = 12, BOTTOM = 26;
const chips = (value, digits = 2) => `${antemill.signed(value, digits)}`;

const verdict = (cost) => cost === null ? ["", ""] : cost < 0.005 ? ["good", "as good as any"]
  : [cost < 0.1 ? "fair" : "poor", `gives away ${cost.toFixed(2)} chips`];

const decision = (one, i) => {
  const only = one.options.length === 1, [kind, words] = only ? ["", "the only choice"] : verdict(one.cost);
  return el("li", { class: "reviewed" },
    el("p", {}, el("b", {}, `${i + 1}. ${one.phase}: `), `you chose ${one.chosen} `, words ? el("span", { class: `verdict ${kind}` }, words) : null),
    one.note ? el("p", { class: "note" }, one.note) : only ? null : el("table", {}, el("caption", {}, "The solver's mix"),
      el("thead", {}, el("tr", {}, ["Action", "Solver plays", one.options.some((option) => option.gives_away !== null) ? "Gives away" : null]
        .filter(Boolean).map((text, column) => el("th", { class: column ? "" : "text", attrs: { scope: "col" } }, text)))),
      el("tbody", {}, one.options.map((option) => el("tr", { class: option.label === one.chosen ? "chosen-row" : "" },
        el("th", { class: "text", attrs: { scope: "row" } }, option.label, option.label === one.chosen ? el("small", {}, " \u2190 you") : null),
        el("td", { class: "mix" }, el("span", { class: "bar-of" }, el("i", { attrs: { style: `width: ${(100 * option.probability).toFixed(1)}%` } })), antemill.percent(option.probability)),
        option.gives_away === null ? null : el("td", {}, option.gives_away < 0.005 ? "nothing" : option.gives_away.toFixed(2)))))));
};

// The review of a finished hand. Its elements have the same places before and after the solver's review, so that opened ones stay open.
antemill.review = (table, solving) => {
  const { review, hand } = table, result = hand.result;
  const total = review ? review.decisions.reduce((sum, one) => sum + (one.cost ?? 0), 0) : 0;
  const known = review?.decisions.filter((one) => one.cost !== null).length, all = known === review?.decisions.length;
  const gave = total < 0.005 ? "you gave nothing away." : `your choices gave away ${total.toFixed(2)} chips.`;
  return el("section", { class: "review", attrs: { "aria-label": "Review of this hand" } },
    el("h2", {}, "Review of this hand"),
    el("div", {}, !review ? el("p", { class: "note" }, table.coach_failed || solving || "The solver is reviewing it\u2026") : [
      el("p", { class: "facts-line" },
        known ? [el("b", {}, all ? `Y${gave.slice(1)}` : `Where it is known what choices cost, ${gave}`), " "] : null,
        `The hand brought you ${chips(result.payoff, 0)}; the estimate without the luck of ${review.without === "cards" ? "the cards" : "the cards and of your opponent's draws"} is ${chips(review.luckless)}.`),
      review.decisions.length ? el("ol", { class: "reviews" }, review.decisions.map(decision)) : null,
      el("p", { class: "note" }, review.note)]),
    result.hidden.length ? el("details", {}, el("summary", {}, "What you could not see"), el("ul", {}, result.hidden.map((line) => el("li", {}, line)))) : null,
    result.said.length ? el("details", {}, el("summary", {}, `What ${table.opponent.title} replied`), result.said.map((one) =>
      antemill.text(`${one.phase}: ${one.choice}${one.cause ? ` (${one.cause}: a random action was played)` : ""}`, one.text, { open: true }) ?? el("p", { class: "note" }, `${one.phase}: an empty reply`))) : null);
};

// The score hand by hand, added up.
const chart = (history) => {
  let won = 0, fair = 0;
  const sums = [[0, 0], ...history.map(({ chips: one, luckless }) => [won += one, fair += luckless ?? one])];
  const x = scale([0, sums.length - 1], LEFT, W - RIGHT), y = scale(sums.flat(), H - BOTTOM, TOP);
  const line = (k) => sums.map((pair, i) => `${i ? "L" : "M"}${x(i).toFixed(1)} ${y(pair[k]).toFixed(1)}`).join("");
  return svg("svg", { class: "score-chart", attrs: { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": "The score added up hand by hand: in chips, and without the luck" } },
    svg("g", { class: "grid" }, ticks(y, 3).map(([at, words]) => [svg("path", { class: at === 0 ? "zero" : "", attrs: { d: `M${LEFT} ${y(at)}H${W - RIGHT}` } }), svg("text", { class: "y", attrs: { x: LEFT - 6, y: y(at) + 4 } }, words)])),
    svg("path", { class: "line fair", attrs: { d: line(1) } }), svg("path", { class: "line won", attrs: { d: line(0) } }),
    svg("text", { class: "x", attrs: { x: W - RIGHT, y: H - 6, "text-anchor": "end" } }, history.length === 1 ? "1 hand" : `${history.length} hands`));
};

const per = (mean, error) => mean === null ? "\u2013" : `${chips(mean)}${error === null ? "" : ` \u00b1 ${error.toFixed(2)}`}`;

// The running score.
antemill.score = (table) => {
  const score = table.score;
  if (!score || score.hands === 0) return el("section", { class: "score" }, el("h2", {}, "Score"), el("p", { class: "note" }, "No hand is finished yet."));
  return el("section", { class: "score", attrs: { "aria-label": "Score" } }, el("h2", {}, "Score"),
    el("dl", { class: "facts" }, [
      ["Hands", `${antemill.count(score.hands)} (won ${score.won}, drawn ${score.drawn})`], ["Chips", antemill.signed(score.chips)],
      ["a hand", per(score.mean, score.error)], ["without luck", per(score.luckless, score.luckless_error)],
    ].map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
    el("p", { class: "key-line" }, el("span", { class: "key" }, el("i", { class: "won" }), "chips"), el("span", { class: "key" }, el("i", { class: "fair" }), "without luck (AIVAT)")),
    chart(score.history),
    el("p", { class: "note" }, `Chips a hand with their standard error${score.error === null ? `, from ${score.fewest} hands on` : ""}. Without the luck of ${score.without === "cards" ? "the cards" : "the cards and of the opponent's draws"} the same skill shows in fewer hands.`));
};
