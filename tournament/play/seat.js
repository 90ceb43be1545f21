// The table as the person sees it: what happened is shown step by step, then the choices are offered.

const { el, show } = antemill;
const STEP = 650, FLIGHT = 420; // milliseconds
const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

// An element flies from one place on the page to another, and is removed.
const fly = (what, from, to, box) => {
  if (still() || !from || !to) return;
  const a = from.getBoundingClientRect(), b = to.getBoundingClientRect(), home = box.getBoundingClientRect();
  const at = (place, one) => `translate(${place.left + place.width / 2 - home.left - one.width / 2}px, ${place.top + place.height / 2 - home.top - one.height / 2}px)`;
  what.classList.add("flying");
  box.append(what);
  const size = what.getBoundingClientRect();
  what.animate([{ transform: at(a, size), opacity: 1 }, { transform: at(b, size), opacity: 1, offset: 0.9 }, { transform: at(b, size), opacity: 0 }],
    { duration: FLIGHT, easing: "cubic-bezier(.3,.7,.3,1)" }).finished.finally(() => what.remove());
};

// What moved between two states of the table, shown as flights.
const move = (box, before, after, me) => {
  if (!before) return;
  const seats = [...box.querySelectorAll(".seat")], place = (seat) => seats[seat === me ? 1 : 0];
  const pot = box.querySelector(".pot"), deck = box.querySelector(".deck"), board = box.querySelector(".board");
  const paid = after.pot - before.pot;
  for (const seat of [0, 1]) {
    const change = after.stacks[seat] - before.stacks[seat], stack = place(seat)?.querySelector(".chips");
    if (change < 0) fly(el("span", { class: "token" }, antemill.count(-change)), stack, paid > 0 ? pot : place(1 - seat), box);
    if (change > 0 && paid < 0) fly(el("span", { class: "token" }, antemill.count(change)), pot, stack, box);
    const more = after.hands[seat].length - before.hands[seat].length, fewer = before.deck - after.deck;
    if (more > 0 && fewer > 0) fly(el("span", { class: "card back" }), deck, place(seat)?.querySelector(".hand"), box);
  }
  if (after.board.length > before.board.length) fly(el("span", { class: "card back" }), deck, board, box);
};

// The table of one hand. choose: called with a choice. done: when all that happened has been shown.
// rules: the section of the rulebook on a phase, as an element.
antemill.seat = ({ choose, next, done, rules }) => {
  const felt = el("div", { class: "felt" }), log = el("ol", { class: "log", attrs: { "aria-label": "What happened", tabindex: "0" } });
  const menu = el("div", { class: "menu-box" });
  let item = null, at = -1, heard = 0, timer = null, table = null, sent = null, asked = null, instead = null, halted = false;

  const frames = () => table.hand.frames;
  const caught = () => at >= frames().length - 1;
  const draw = (i) => {
    const frame = frames()[i], before = i > 0 ? frames()[i - 1].state : null, me = table.hand.seat;
    const over = table.hand.result && i === frames().length - 1;
    const state = over ? { ...frame.state, hands: table.hand.result.hands, known: [1, 0].map((other) => table.hand.result.hands[other]) } : frame.state;
    const names = table.hand.seat === 0 ? ["you", table.opponent.title] : [table.opponent.title, "you"];
    const turn = table.hand.result || !caught() ? null : table.hand.decision ? me : 1 - me;
    show(felt, antemill.table(state, { deck: table.names.deck, seats: names, viewer: me, turn, leads: table.names.leads, scores: table.names.scores, boards: table.names.boards, pot: table.names.pot, before }));
    if (over) for (const node of felt.querySelectorAll(".fresh")) node.classList.remove("fresh");
    move(felt, before, frame.state, me);
  };
  // The last frame may grow until the opponent has moved; events that are listed already are not listed again.
  const tell = (i) => {
    const news = frames()[i].events.slice(heard);
    heard = frames()[i].events.length;
    for (const event of news) {
      const text = event.seats[table.hand.seat];
      if (text === null) continue;
      log.append(el("li", { class: `is-${event.kind}${event.seat === table.hand.seat && /^(choice|lock)$/.test(event.kind) ? " is-yours" : ""}` }, text));
    }
    log.scrollTop = log.scrollHeight;
  };
  const step = () => {
    timer = null;
    if (caught()) return rest();
    at += 1; heard = 0;
    tell(at);
    draw(at);
    const told = frames()[at].events.some((event) => event.seats[table.hand.seat] !== null && event.kind !== "phase");
    timer = setTimeout(step, told ? STEP : STEP / 4);
  };
  const rest = () => {
    draw(at);
    if (instead) { (halted ? antemill.renew : show)(menu, instead); asked = null; } else ask();
    halted = Boolean(instead);
    done();
  };
  const hurry = () => {
    clearTimeout(timer); timer = null;
    while (!caught()) { at += 1; heard = 0; tell(at); }
    rest();
  };

  // One choice for each question; the next question may come before the server has answered this choice.
  const send = (choice) => {
    const mine = `${item} ${asked}`, controls = [...menu.querySelectorAll("button, input")];
    if (sent === mine) return;
    sent = mine;
    for (const node of controls) node.disabled = true;
    choose(table.hand.turn, choice).finally(() => {
      if (sent === mine) sent = null;
      for (const node of controls) node.disabled = false; // a choice that failed can be sent again
    });
  };
  const price = (chips) => (chips ? el("small", { class: "price" }, ` ${antemill.count(chips)} ${chips === 1 ? "chip" : "chips"}`) : null);
  const option = (name, i) => {
    const { labels, prices, consequences } = table.hand.decision, said = consequences[i] ? `leads-${i}` : null;
    const attrs = { type: "button", "data-choice": name, ...(said && { "aria-describedby": said }) };
    return el("div", { class: "choice" }, el("button", { class: "button option", attrs, on: { click: () => send(name) } },
      i < 9 ? el("kbd", { attrs: { "aria-hidden": "true" } }, i + 1) : null, labels[i], price(prices[i])),
    said && el("div", { class: "leads", attrs: { id: said } }, consequences[i].split("\n").map((line) =>
      el("p", { class: line.startsWith(" ") ? `deeper-${line.search(/\S/) / 2}` : "" }, line.trim()))));
  };
  const amount = ({ low, high, asks, stake }) => {
    const range = el("input", { attrs: { type: "range", min: low, max: high, value: low, "aria-label": "Amount" }, on: { input: () => { field.value = range.value; } } });
    const field = el("input", { attrs: { type: "number", min: low, max: high, value: low, step: 1, required: true, "aria-label": "Amount in chips" }, on: { input: () => { range.value = field.value; } } });
    const set = (value, words) => el("button", { class: "button", attrs: { type: "button" }, on: { click: () => { field.value = range.value = value; field.focus(); } } }, words);
    return el("form", { class: "amount", on: { submit: (event) => { event.preventDefault(); if (field.reportValidity()) send(Number(field.value)); } } },
      el("b", {}, asks), el("span", { class: "note" }, high > low ? `${low} to ${high}` : `Only ${low} is possible.`),
      high === low ? null : el("span", { class: "quick" }, set(low, `Least: ${low}`), high - low > 2 ? set(Math.round((low + high) / 2), `Half: ${Math.round((low + high) / 2)}`) : null, set(high, `Most: ${high}`)),
      el("span", { class: "pair-of" }, high === low ? null : range, field), el("button", { class: "button go", attrs: { type: "submit" } }, "Play it ", el("kbd", { attrs: { "aria-hidden": "true" } }, "Enter")),
      stake && el("p", { class: "leads" }, stake));
  };
  const ask = () => {
    const { decision, result, turn } = table.hand, question = result ? `${turn} over` : decision ? turn : null;
    if (question !== null && question === asked) return; // not a new question: what is typed or clicked stays
    asked = question;
    const had = menu.contains(document.activeElement) || document.activeElement === document.body;
    if (result) {
      show(menu, el("p", { class: `result ${result.payoff > 0 ? "won" : result.payoff < 0 ? "lost" : ""}`, attrs: { role: "status" } }, result.result),
        el("p", { class: "note" }, result.reason), el("p", { class: "note sum" }, result.sum),
        el("button", { class: "button go", attrs: { type: "button", id: "next" }, on: { click: () => next(table.hand.turn) } }, "Next hand ", el("kbd", { attrs: { "aria-hidden": "true" } }, "Enter")));
    } else if (decision) {
      const secret = decision.type === "simultaneous" ? el("p", { class: "note" }, "Both choose in secret.") : null;
      show(menu, el("h2", { attrs: { tabindex: "-1" } }, decision.phase), secret,
        decision.options.length ? el("div", { class: "options", attrs: { role: "group", "aria-label": "Your choice" } }, decision.options.map(option)) : amount(decision));
      rules(decision.phase).then((section) => { if (asked === question && section) menu.append(section); });
    } else show(menu, el("p", { class: "note waiting" }, `${table.opponent.title} is thinking…`));
    if (had) menu.querySelector(decision && !decision.options.length ? 'input[type="number"]' : "button")?.focus({ preventScroll: true });
  };

  const pressed = (event) => {
    if (!table || timer === null && !caught()) return false;
    if (timer !== null && (event.key === "Enter" || event.key === " " || /^[1-9]$/.test(event.key))) { hurry(); return true; }
    if (table.hand.result && event.key === "Enter") { next(table.hand.turn); return true; }
    const options = menu.querySelectorAll(".option"), i = Number(event.key) - 1;
    if (/^[1-9]$/.test(event.key) && options[i] && !options[i].disabled) { options[i].click(); return true; }
    return false;
  };

  // A new state. resumed: whether earlier events are shown at once. other: elements in place of the question.
  const update = (fresh, resumed, other = null) => {
    table = fresh; instead = other;
    if (item !== table.hand.item) { item = table.hand.item; at = -1; heard = 0; clearTimeout(timer); timer = null; show(log); show(menu); }
    if (at >= 0) tell(at);
    if (resumed) asked = null;
    if (resumed || still()) return hurry();
    if (timer === null) { if (caught()) rest(); else { asked = null; show(menu, el("p", { class: "note waiting" }, "\u2026")); step(); } }
  };
  return { felt, log, menu, update, pressed, shown: () => timer === null && caught() };
};
