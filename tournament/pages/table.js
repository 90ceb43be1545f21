// A card table: two hands, the board, the pot, the deck, discards, and who is to act.
//
// antemill.table(state, {deck, seats: [name, name], viewer: 0 | 1 | null, turn, leads, scores, boards, pot, before}) -> element
//   state   as `tournament.cards.replay.Table.state` gives it; a card that is null is drawn face down
//   viewer  whose eyes: the other's cards that this seat does not know are face down; null shows all
//   turn    the seat that is to act, null if none is
//   pot     what the pot is called
//   before  the state before, so that what is new on the table can be marked

const SUITS = { spades: "\u2660", hearts: "\u2665", diamonds: "\u2666", clubs: "\u2663", spade: "\u2660", heart: "\u2665", diamond: "\u2666", club: "\u2663" };
const RED = ["hearts", "diamonds", "heart", "diamond"];
const TINTS = 6; // colours for suits of other names

// One card: {rank, suit, label} of the deck, or null for its back.
antemill.card = (card, deck, fresh) => {
  const { el } = antemill;
  if (card === null || card === undefined) return el("span", { class: "card back", attrs: { role: "img", "aria-label": "a hidden card" } });
  const suits = [...new Set(deck.map((one) => one.suit))], sign = SUITS[card.suit.toLowerCase()];
  const tint = sign ? (RED.includes(card.suit.toLowerCase()) ? " red" : "") : card.suit ? ` tint${suits.indexOf(card.suit) % TINTS}` : "";
  return el("span", { class: `card${tint}${fresh ? " fresh" : ""}`, attrs: { role: "img", "aria-label": card.label, title: card.label } },
    el("b", { attrs: { "aria-hidden": "true" } }, card.rank),
    card.suit ? el("i", { class: sign ? "sign" : "word", attrs: { "aria-hidden": "true" } }, sign ?? card.suit) : null);
};

// Chips as a stack, drawn up to a height, with their number.
antemill.chips = (amount, change) => {
  const { el } = antemill, coins = Math.min(10, amount <= 0 ? 0 : Math.ceil(Math.sqrt(amount)));
  return el("span", { class: "chips" },
    el("span", { class: "stack", attrs: { "aria-hidden": "true" } }, Array.from({ length: coins }, () => el("i", {}))),
    el("b", {}, antemill.count(amount)),
    change ? el("small", { class: change > 0 ? "up" : "down" }, antemill.signed(change)) : null);
};

antemill.table = (state, { deck, seats, viewer = null, turn = null, leads = false, scores = false, boards = false, pot = "Pot", before = null }) => {
  const { el, card, chips } = antemill;
  const fresh = (list, old) => list.map((one) => before !== null && one !== null && !old.includes(one));
  const cards = (list, old) => {
    const marks = fresh(list, old ?? []);
    return list.map((one, i) => card(one === null ? null : deck[one], deck, marks[i]));
  };
  const seen = (seat) => viewer === null || viewer === seat ? state.hands[seat]
    : state.hands[seat].map((one) => one !== null && state.known[viewer].includes(one) ? one : null);
  const side = (seat) => {
    const hand = seen(seat), score = seat === 0 ? state.score : -state.score;
    return el("div", { class: `seat${turn === seat ? " turn" : ""}`, attrs: { role: "group", "aria-label": seats[seat] } },
      el("div", { class: "who" },
        el("b", {}, ["Alice", "Bob"][seat]), seats[seat] === ["Alice", "Bob"][seat] ? null : el("span", { class: "name" }, seats[seat]),
        leads && state.leader === seat ? el("span", { class: "tag" }, "leader") : null,
        turn === seat ? el("span", { class: "tag acting" }, "to act") : null,
        scores ? el("span", { class: "score" }, `score ${antemill.signed(score)}`) : null),
      el("div", { class: "row" },
        el("div", { class: "hand" }, hand.length ? cards(hand, before?.hands[seat]) : el("span", { class: "none" }, "no cards")),
        chips(state.stacks[seat], before ? state.stacks[seat] - before.stacks[seat] : 0)));
  };
  const top = viewer === 0 ? 1 : 0, names = Object.entries(state.variables);
  const thrown = state.discards.slice(-8);
  return el("div", { class: "table" },
    side(top),
    el("div", { class: "middle" },
      el("div", { class: "pile" }, el("small", {}, "Deck"), el("span", { class: "deck" }, state.deck > 0 ? card(null, deck) : null, el("b", {}, antemill.count(state.deck)))),
      boards || state.board.length ? el("div", { class: "pile board" }, el("small", {}, "Board"), el("div", { class: "hand" }, state.board.length ? cards(state.board, before?.board) : el("span", { class: "none" }, "empty"))) : null,
      el("div", { class: "pile pot" }, el("small", {}, pot), chips(state.pot, before ? state.pot - before.pot : 0)),
      state.discards.length ? el("div", { class: "pile thrown" }, el("small", {}, `Discards ${state.discards.length}`), el("div", { class: "hand" }, cards(thrown))) : null,
      names.length ? el("dl", { class: "facts" }, names.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))) : null),
    side(1 - top));
};
