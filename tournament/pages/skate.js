// SKATE: the list, a question with all attempts at it and what all players answered, and one player's answers.

const { el, show } = antemill;
const LETTERS = "ABCDEFGHIJ";
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

const textOf = (detail) => detail.task === "output-prediction" ? antemill.code(detail.text) : antemill.text("Rules", detail.text, { open: true });
const optionsOf = (detail) => [detail.truth, ...detail.distractors];
const plain = (text) => el("code", { class: "option", attrs: { dir: "auto" } }, text);

// ---------------------------------------------------------------------------------------------- a question

// How often each option was shown, and picked: [shown, picked] by the option's number, of some variants [order, place].
const picked = (variants, count) => {
  const found = Array.from({ length: count }, () => [0, 0]);
  for (const [order, place] of variants) {
    for (const option of order) found[option][0] += 1;
    if (place !== null) found[order[place]][1] += 1;
  }
  return found;
};

const optionTable = (detail) => {
  const options = optionsOf(detail), counts = picked(detail.answers.flatMap((one) => one.variants), options.length);
  const rows = options.map((text, i) => [
    i === 0 ? el("b", { class: "good" }, "\u2713 the truth") : `wrong ${i}`, plain(text), antemill.count(counts[i][0]), antemill.count(counts[i][1]),
    counts[i][0] ? antemill.share(counts[i][1] / counts[i][0]) : ""]);
  return antemill.grid(["Option", "Text", "#Shown", "#Picked", "Picked when shown"], rows, "Options");
};

const variantLine = (detail, [order, place], i, link) => {
  const options = optionsOf(detail), right = place !== null && order[place] === 0;
  return el("li", {}, el("a", { attrs: { href: link(i) } }, `Variant ${i + 1}`),
    el("b", { class: right ? "good" : "bad" }, place === null ? " no letter could be read" : ` ${LETTERS[place]}, ${right ? "right" : "wrong"}`),
    el("ol", { class: "shown" }, order.map((option, at) => el("li", { class: `${option === 0 ? "truth" : ""}${at === place ? " picked" : ""}` },
      el("b", {}, `${LETTERS[at]} `), plain(options[option]), option === 0 ? el("small", {}, " truth") : null, at === place ? el("small", {}, " picked") : null))));
};

const answersOfAll = (detail, context) => {
  if (!detail.answers.length) return el("p", { class: "note" }, "No player has answered it yet.");
  const { run } = context, order = [...detail.answers].sort((a, b) => b.p - a.p || (a.player < b.player ? -1 : 1));
  const rows = order.map((one) => [
    [one.item ? el("a", { attrs: { href: antemill.link(run.id, one.item) } }, one.player) : one.player,
      one.player === detail.setter ? el("small", {}, " the setter") : null],
    antemill.share(one.p), `${one.correct} of ${one.asked}`, fixed(one.deviation), one.unread ? antemill.count(one.unread) : ""]);
  const shown = order.filter((one) => one.variants.length).map((one) => antemill.fold(
    `${one.player}: ${one.variants.length} variants, with the options in the order shown`,
    () => el("ol", { class: "variants" }, one.variants.map((variant, i) => variantLine(detail, variant, i, (at) => antemill.link(run.id, one.item, `v${at}`))))));
  return [antemill.grid(["Player", "p(correct)", "#Correct", "#\u03c3", "#Unread"], rows, "Answers"), shown];
};

const attempt = (one, number, context) => el("section", { class: "attempt", attrs: { id: `attempt-${number}` } },
  el("h4", {}, el("a", { attrs: { href: context.link(`a${number}`) } }, `Attempt ${number + 1}`), ": ",
    one.reason ? el("b", { class: "bad" }, "rejected") : el("b", { class: "good" }, "accepted")),
  one.reason ? el("p", { class: "mark" }, one.reason) : null,
  one.text ? antemill.fold("What was rejected", () => antemill.code(one.text)) : null,
  one.calls.map(({ purpose, call }) => antemill.fold(
    [`Asked for ${purpose === "question" ? "a question" : purpose}`, call ? el("small", {}, ` ${antemill.count(call.output_tokens)} tokens, ${antemill.seconds(call.seconds)}`) : null],
    () => antemill.call(call) ?? el("p", { class: "note" }, "The call is not on record."))));

const nearest = (detail, run) => {
  if (!detail.nearest) return el("p", { class: "note" }, detail.accepted ? "It is the first question of its setter: there is none to compare it with." : "");
  const { number, item, text } = detail.nearest;
  return [antemill.facts([["Distance", fixed(detail.distance)], ["similarity", fixed(1 - detail.distance)],
    ["has to be more than", fixed(detail.threshold)], ["by", detail.embedder]]),
    el("p", {}, "Nearest is ", item ? el("a", { attrs: { href: antemill.link(run.id, item) } }, `question ${number}`) : `question ${number}`, " of the same setter:"),
    text ? antemill.code(text) : null];
};

const renderQuestion = (detail, box, context) => {
  const { run } = context, section = (heading, ...parts) => el("section", { attrs: { "aria-label": heading } }, el("h3", {}, heading), parts);
  show(box,
    antemill.facts([["Outcome", detail.outcome], ["Strategy", detail.strategy], ["Task", detail.task],
      ["Setter's p", dash(detail.own)], ["Others' p", dash(detail.others)], ["Variance of p", fixed(detail.variance)],
      ["Only its setter passes", detail.discriminates === null || detail.discriminates === undefined ? "" : detail.discriminates ? "yes" : "no"],
      ["Executed by", detail.backend ? `${detail.backend}, Python ${String(detail.python).split(" ")[0]}` : ""], ["Cost", detail.cost ? antemill.dollars(detail.cost) : ""]]),
    detail.accepted ? [
      section("The question", textOf(detail),
        detail.explanation ? el("p", {}, el("b", {}, "What it tests, by its setter: "), detail.explanation) : null),
      section("Options", el("p", { class: "note" }, "Each variant shows the truth and three of the others, drawn and shuffled for each."), optionTable(detail)),
      section("All answers", answersOfAll(detail, context)),
      section("How near it is to the setter's earlier questions", nearest(detail, run)),
    ] : el("p", { class: "note" }, "No attempt was accepted: the slot stays empty."),
    section("Attempts", detail.archive.length ? el("p", { class: "note" }, `The strategy "${detail.strategy}" could show the setter the earlier questions ${detail.archive.join(", ")}.`) : null,
      detail.attempts.map((one, i) => attempt(one, i, context))));
  const move = (place) => antemill.reveal(box, place ? `attempt-${String(place).slice(1)}` : "");
  move(context.place);
  return move;
};

// ---------------------------------------------------------------------------------------------- one player's answers

const renderAnswers = (detail, box, context) => {
  const { run } = context, options = optionsOf(detail);
  const state = (one) => one.place === null ? "unread" : one.order[one.place] === 0 ? "right" : "wrong";
  const folds = detail.variants.map((one, i) => antemill.fold(
    [`Variant ${i + 1}: `, el("b", { class: state(one) === "right" ? "good" : "bad" }, one.place === null ? "no letter could be read" : `${LETTERS[one.place]}, ${state(one)}`)],
    () => [el("p", { class: "note" }, el("a", { attrs: { href: context.link(`v${i}`) } }, "Link to this variant")),
      one.tries > 1 ? el("p", { class: "note" }, `Asked once more: ${one.problem}`) : null,
      el("ol", { class: "shown" }, one.order.map((option, at) => el("li", { class: `${option === 0 ? "truth" : ""}${at === one.place ? " picked" : ""}` },
        el("b", {}, `${LETTERS[at]} `), plain(options[option]), option === 0 ? el("small", {}, " truth") : null, at === one.place ? el("small", {}, " picked") : null))),
      antemill.call(one.call) ?? antemill.text("Reply", one.reply, { open: true }) ?? el("p", { class: "note" }, "The reply is empty.")],
    { id: `variant-${i}` }));
  const count = el("output", { attrs: { "aria-live": "polite" } });
  const narrow = (wanted) => {
    folds.forEach((fold, i) => { fold.hidden = Boolean(wanted) && state(detail.variants[i]) !== wanted; });
    count.value = `${folds.filter((fold) => !fold.hidden).length} of ${folds.length} variants`;
  };
  const states = [...new Set(detail.variants.map(state))];
  show(box,
    antemill.facts([["p(correct)", dash(detail.p)], ["Correct", `${detail.correct} of ${detail.asked}`], ["\u03c3", fixed(detail.deviation)],
      ["Unread", detail.unread || ""], ["Cost", detail.cost ? antemill.dollars(detail.cost) : ""]]),
    el("section", { attrs: { "aria-label": "The question" } }, el("h3", {}, detail.question_item
      ? el("a", { attrs: { href: antemill.link(run.id, detail.question_item) } }, `Question ${detail.number}`) : `Question ${detail.number}`), textOf(detail)),
    el("section", { attrs: { "aria-label": "Variants" } }, el("h3", {}, "Variants, with the options in the order shown"),
      el("div", { class: "controls" }, el("label", {}, "Answer", el("select", { on: { change: (event) => narrow(event.target.value) } },
        el("option", { attrs: { value: "" } }, "all"), states.map((value) => el("option", { attrs: { value } }, value)))), count), folds));
  narrow("");
  const move = (place) => antemill.reveal(box, place ? `variant-${String(place).slice(1)}` : "");
  move(context.place);
  return move;
};

antemill.kinds.skate = {
  heading: "Questions and answers", columns, filters, title,
  note: "Every question, and all answers to it. p(correct) is the share of correct answers over its variants; a question discriminates " +
    "if its setter alone passes 55%.",
  above: (run) => el("p", { class: "pager" }, el("a", { class: "button", attrs: { href: `${antemill.link(run.id)}?what=set` } }, "Questions only"),
    el("a", { class: "button", attrs: { href: `${antemill.link(run.id)}?what=set&sort=-variance` } }, "Most telling first"),
    el("a", { class: "button", attrs: { href: `${antemill.link(run.id)}?what=answer&sort=p` } }, "Worst answered first")),
  render: (detail, box, context) => (detail.what === "set" ? renderQuestion : renderAnswers)(detail, box, context),
};
