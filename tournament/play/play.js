// The page: asks for the state, shows it, and sends what the person does.

const { el, show, renew } = antemill;
const main = document.getElementById("main"), said = document.getElementById("said"), title = document.getElementById("title");
const rules = document.getElementById("rules"), rulesButton = document.getElementById("rules-button"), lobbyButton = document.getElementById("lobby-button");
let state = null, choices = null, view = null, seat = null, parts = null, problem = "", books = {};

const AWAY = "The table cannot be reached: is antemill still running?";
const MOVED = "The table has another address: open the one that antemill printed.";
const UNREAD = "The table's answer cannot be read: reload the page.";
const answered = async (response) => {
  const found = await response.json().catch(() => ({ error: response.status === 404 ? MOVED : UNREAD }));
  if (response.ok && [AWAY, MOVED, UNREAD].includes(problem)) problem = ""; // it can be reached again
  if (!response.ok) throw new Error(found.error);
  return found;
};
const wrong = (error) => (error instanceof TypeError ? AWAY : error.message);
const get = async (path) => answered(await fetch(`api/${path}`));
const post = async (path, body) => answered(await fetch(`api/${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }));
const rulebook = async (game) => books[game] ??= await get(`rulebook?game=${encodeURIComponent(game)}`);

const tell = (words) => { if (said.textContent !== words) show(said, words); };
const status = () => {
  const mine = state?.table?.hand, showing = seat && view === "table" && !seat.shown();
  const boxed = view === "waiting" || state?.stage === "halted"; // the box says it instead
  const words = problem || (!boxed && state?.said) || (showing || !mine || state.stage !== "playing" ? "" : mine.decision ? "It is your turn." : "");
  tell(words);
  said.classList.toggle("problem", Boolean(problem));
  if (parts) show(parts.solving, state.solving || (state.table?.coach === "failed" ? state.table.coach_failed : ""));
};

// Send a request; an identical one that has no answer yet is not sent twice. A refusal is shown, and the state is read again.
const under = new Map(); // requests without an answer
const act = (path, body) => {
  const what = path + JSON.stringify(body);
  if (under.has(what)) return under.get(what);
  const answer = sending(path, body).finally(() => { if (under.get(what) === answer) under.delete(what); });
  under.set(what, answer);
  return answer;
};
const AGAIN = "again{}";
const askAgain = () => { if (state.stage === "halted") act("again", {}); };
const sending = async (path, body) => {
  try {
    problem = "";
    take(await post(path, body));
  } catch (error) {
    problem = wrong(error);
    try { take(await get("state"), true); } catch { /* the poll goes on trying */ }
  }
};

const leaving = () => state.stage !== "playing" && state.stage !== "halted" || window.confirm("Give up this hand? It will not count.");
const toLobby = () => { if (leaving()) act("leave", { leave: true }); };

const rulesOn = async (phase) => {
  const found = antemill.sectionOn((await rulebook(state.table.game)).markdown, phase);
  return found && el("details", { class: "phase-rules", attrs: { open: true } }, el("summary", {}, "The rules of this phase"),
    el("div", { class: "rulebook", attrs: { tabindex: "0", role: "group", "aria-label": "The rules of this phase" } }, antemill.markdown(found.text.replace(/^#.*\n/, ""), 3)));
};

const openRules = async () => {
  if (!state?.table) return;
  const found = await rulebook(state.table.game);
  show(rules, el("div", { class: "rules-head" }, el("h2", { attrs: { id: "rules-title" } }, found.title),
    el("button", { class: "button", attrs: { type: "button" }, on: { click: () => rules.close() } }, "Close ", el("kbd", { attrs: { "aria-hidden": "true" } }, "Esc"))),
  el("div", { class: "rulebook", attrs: { tabindex: "0" } }, antemill.markdown(found.markdown.replace(/^# .*\n/, ""), 2)));
  rules.showModal();
  const phase = state.table.hand?.decision?.phase, section = phase && antemill.sectionOn(found.markdown, phase);
  const heading = section && [...rules.querySelectorAll("h3, h4, h5")].find((one) => one.textContent.replace("Sub-phase: ", "") === section.name);
  heading?.scrollIntoView();
};

const showLobby = () => {
  view = "lobby"; seat = parts = null;
  let before = {};
  try { before = JSON.parse(localStorage.getItem("antemill-play") ?? "{}"); } catch { /* nothing is remembered */ }
  show(main, antemill.lobby(choices, before, (wanted) => {
    try { localStorage.setItem("antemill-play", JSON.stringify(wanted)); } catch { /* nothing is remembered */ }
    act("sit", wanted);
  }, rulebook));
};

const showTable = () => {
  view = "table";
  seat = antemill.seat({
    choose: (turn, choice) => act("choose", { turn, choice }),
    next: (turn) => { if (state.stage === "over") act("deal", { turn }); },
    rules: rulesOn,
    done: () => { aside(); status(); },
  });
  parts = { after: el("div", { class: "after" }), score: el("div", {}), solving: el("p", { class: "note solving" }) };
  show(main, el("div", { class: "play" },
    el("div", { class: "left" }, seat.felt, seat.menu, parts.after),
    el("div", { class: "right" }, el("section", { class: "happened" }, el("h2", {}, "What happened"), seat.log), parts.score, parts.solving,
      el("p", { class: "note" }, `Hands are kept in ${state.folder}.`))));
};

// Shown when all of the hand has been shown: the review and the score.
const aside = () => {
  const over = state.table.hand?.result && seat.shown();
  if (over) renew(parts.after, antemill.review(state.table, state.solving)); else show(parts.after);
  if (over || !parts.score.firstChild || state.table.score?.hands === 0) renew(parts.score, antemill.score(state.table));
};

const take = (fresh, again = false) => {
  if (state && fresh.version < state.version) return status();
  const first = state === null || view !== "table";
  state = fresh;
  if (state.stage !== "halted") under.delete(AGAIN); // the next retry may come before this one's answer
  const table = state.table;
  document.title = table ? `${table.title} \u2013 Antemill` : "Play \u2013 Antemill";
  show(title, table ? table.title : "Play");
  rulesButton.hidden = lobbyButton.hidden = !table;
  if (!table) { if (view !== "lobby") showLobby(); status(); return; }
  if (!table.hand) {
    if (view !== "waiting") { view = "waiting"; seat = parts = null; show(main); }
    renew(main, el("section", { class: "waiting-box" }, el("p", { attrs: { role: "status" } }, state.said), el("p", { class: "note" }, state.solving),
      state.stage === "halted" ? el("button", { class: "button go", attrs: { type: "button" }, on: { click: askAgain } }, "Try again") : null));
    status();
    return;
  }
  if (view !== "table") showTable();
  if (parts.hand !== table.hand.item) { parts.hand = table.hand.item; show(parts.after); }
  if (state.stage === "halted") {
    seat.update(table, true, [el("p", { class: "problem", attrs: { role: "alert" } }, state.said), el("span", { class: "options" },
      el("button", { class: "button go", attrs: { type: "button" }, on: { click: askAgain } }, "Ask again"),
      el("button", { class: "button", attrs: { type: "button" }, on: { click: toLobby } }, "Give up this hand"))]);
  } else if (state.stage !== "preparing") seat.update(table, first || again);
  if (seat.shown()) aside();
  status();
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || rules.open) return;
  const typing = event.target.closest?.("input, select, textarea, a, summary, [role=button]");
  const letters = event.target.closest?.("input:not([type=number], [type=range]), select, textarea");
  if (event.key === "r" && !letters) { openRules(); event.preventDefault(); return; }
  const pressing = event.target.closest?.("button") && (event.key === "Enter" || event.key === " ");
  if (!typing && !pressing && view === "table" && seat.pressed(event)) event.preventDefault();
});
rulesButton.addEventListener("click", openRules);
lobbyButton.addEventListener("click", toLobby);

const follow = async () => {
  for (;;) {
    try {
      take(await get(`state?after=${state.version}`));
    } catch (error) {
      problem = wrong(error);
      status();
      await new Promise((then) => setTimeout(then, 2000));
    }
  }
};

(async () => {
  try {
    choices = await get("choices");
    take(await get("state"));
    follow();
  } catch (error) { show(main, el("p", { class: "problem" }, wrong(error))); }
})();
