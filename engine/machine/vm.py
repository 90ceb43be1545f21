"""The virtual machine: runs a program until a choice must be made (design decisions D1 and D2).

`advance(code, state)` returns DECIDE (seat SEAT chooses one of MENU actions), CHANCE (draw one of MENU outcomes for
ADDRESS) or OVER. The driver writes the chosen index to CHOICE and calls again. A driver that has written the key of a
stream to CHANCE_KEY is not asked about chance: the machine then draws number ADDRESS of that stream itself.

Asking clears CHOICE. A question is asked again if CHOICE is not one of its answers, so neither an old choice nor one
beyond the menu ever answers a question. A driver may therefore begin with any stopped state, at a draw or a decision,
with the same loop: `while advance(code, state) != OVER: state[CHOICE] = ...`.

Rollouts, the tree builder and matches are drivers. The rules exist only in `antemill.engine.machine.instructions`, with
a function for every instruction; this module dispatches a program's rows to them. The instruction set is in
`antemill.engine.machine.opcodes`, the state in `antemill.engine.machine.layout`.
"""

import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.chance import below
from antemill.engine.machine.events import Chance, ChipReason, Event
from antemill.engine.machine.instructions import cards, chips, choices, contests, flow, looks
from antemill.engine.machine.instructions.flow import END, POT, seat_of
from antemill.engine.machine.instructions.unseen import needs_faces, turn_up_all
from antemill.engine.machine.layout import CHANCE, DECIDE, OVER
from antemill.engine.machine.observe import tell
from antemill.engine.machine.opcodes import WIDTH, Look, Mode, Op
from antemill.engine.machine.words import of_seat, unsigned

_LOCK = int(Mode.LOCK)
UNANSWERED = -1  # the value of CHOICE while a question waits


@kernel(inline="late")
def stop(state: np.ndarray, pc: int, what: int) -> None:
    """Stop the machine. It resumes at row `pc` when the driver has answered. what: the value for STOP."""
    state[at.PC] = pc
    state[at.STOP] = what
    state[at.CHOICE] = UNANSWERED


@kernel(inline="late")
def menu_action(state: np.ndarray, index: int) -> int:
    """The action at an index of the current menu."""
    mask = state[at.MENU_MASK]
    return state[at.MENU_LOW] + index if mask == 0 else choices.nth_bit(mask, index)


@kernel(inline="late")
def answer(code: np.ndarray, state: np.ndarray, pc: int) -> int:
    """Take the driver's choice at the CHOOSE or AMOUNT in row `pc`; returns the next row."""
    row = pc * WIDTH
    action = menu_action(state, state[at.CHOICE])
    if code[unsigned(row)] == Op.CHOOSE:
        choices.choose(state, action, code[unsigned(row + 5)])
        return int(code[unsigned(code[unsigned(row + 4)] + 2 + 2 * action)])
    choices.choose(state, min(action, of_seat(state, at.CHIPS, state[at.SEAT])), code[unsigned(row + 6)])
    return pc + 1


@kernel(inline="late")
def question(code: np.ndarray, state: np.ndarray, pc: int) -> None:
    """Put the decision of the CHOOSE or AMOUNT in row `pc`."""
    row = pc * WIDTH
    seat, decision, stride, d = (
        seat_of(state, code[unsigned(row + 1)]),
        code[unsigned(row + 2)],
        code[unsigned(row + 3)],
        code[unsigned(row + 4)],
    )
    if code[unsigned(row)] == Op.CHOOSE:
        choices.face(state, seat, decision, stride, code[unsigned(row + 6)])
        stack = of_seat(state, at.CHIPS, seat)
        count, mask = 0, 0
        for entry in range(code[unsigned(d)]):
            offered = choices.offered(state, stack, code[unsigned(d + 1 + 2 * entry)])
            count += offered
            mask |= offered << entry
        state[at.MENU] = count
        state[at.MENU_MASK] = mask
    else:
        choices.face(state, seat, decision, stride, code[unsigned(row + 7)])
        choices.offer_amounts(state, d, code[unsigned(row + 5)], code[unsigned(row + 6)] == _LOCK)


@kernel(inline="late")
def step(code: np.ndarray, state: np.ndarray, game: np.ndarray, pc: int) -> int:
    """Execute row `pc`, which is not CHOOSE or AMOUNT; returns the next row, its complement in order to ask, or END.

    game: any state of the game, for the constants of its cards.
    """
    row = pc * WIDTH
    pc += 1
    op = code[unsigned(row)]
    a = int(code[unsigned(row + 1)])
    b = int(code[unsigned(row + 2)])
    c = int(code[unsigned(row + 3)])
    d = int(code[unsigned(row + 4)])
    if op == Op.PHASE:
        flow.phase(state, a, b)
    elif op == Op.TEST:
        return pc if c <= state[unsigned(a + seat_of(state, b))] <= d else int(code[unsigned(row + 5)])
    elif op == Op.PICK:
        return cards.pick(state, pc, a)
    elif op == Op.PAY:
        chips.pay(state, seat_of(state, a), seat_of(state, b), c, d)
    elif op == Op.TAKE:
        seat = seat_of(state, a)
        if c:
            cards.take_card(state, game, seat)
        if b:
            cards.tell_taken(state, seat, b)
            return pc + 1 if c else pc
    elif op == Op.OUTCOME:
        flow.outcome(state, a, b, c)
    elif op == Op.JUMP:
        return a
    elif op == Op.BET:
        chips.bet(state, seat_of(state, a), b)
    elif op == Op.MATCH:
        chips.match(state, seat_of(state, a))
    elif op == Op.FOLD:
        chips.win(state, state[at.BETTOR], chips.FOLDED)
        return END
    elif op == Op.CALL:
        flow.call(state, pc)
        return a
    elif op == Op.RETURN:
        return flow.back(state)
    elif op == Op.SHOW:
        looks.show_hand(state, 0)
        looks.show_hand(state, 1)
    elif op == Op.AWARD:
        return contests.award(state, game, a, b != 0, pc)
    elif op == Op.SPLIT:
        return contests.halve(state, chips.ENDED, pc)
    elif op == Op.ODD:
        chips.pay(state, POT, state[at.CHOICE], 1, ChipReason.ODD_CHIP)
        return END
    elif op == Op.REVEALS:
        flow.reveals(state, a, b)
    elif op == Op.MATRIX:
        return int(code[a + state[at.LOCKED] * b + state[at.LOCKED + 1]])
    elif op == Op.TEST_HIGHER:
        return pc if flow.is_higher(state, seat_of(state, a)) else b
    elif op == Op.TEST_RANKS:
        return pc if flow.holds_rank(state, a, seat_of(state, b), c, d) else int(code[unsigned(row + 5)])
    elif op == Op.TEST_SUIT:
        return pc if flow.holds_suit(state, seat_of(state, a), b) else c
    elif op == Op.SET:
        flow.assign(state, a, b)
    elif op == Op.ADD:
        flow.assign(state, a, state[at.VARIABLES + a] + b)
    elif op == Op.RAISE:
        chips.raise_bet(state, seat_of(state, a), b)
    elif op == Op.TURN:
        if b:
            cards.turn_card(state, game)
        if a:
            cards.tell_turned(state)
            return pc + 1 if b else pc
    elif op == Op.SHUFFLE:
        cards.shuffle(state, a)
    elif op == Op.ASK_HAND:
        return cards.ask_hand(state, a, seat_of(state, b), c, pc, d)
    elif op == Op.ASK_DECK:
        return cards.ask_deck(state, a, seat_of(state, b), pc, c)
    elif op == Op.ASK_SWAP:
        return cards.ask_swap(state, seat_of(state, a), pc, b)
    elif op == Op.HOLD:
        return cards.hold(state, seat_of(state, a), pc)
    elif op == Op.SWAP:
        cards.swap(state, game, seat_of(state, a), b)
        return pc + 1 if b else pc
    elif op == Op.STEAL:
        cards.steal(state, game, seat_of(state, a), b)
        return pc + 1 if b else pc
    elif op == Op.PEEK:
        looks.peek(state, game, seat_of(state, a), b, c)
        return pc + 1 if c else pc
    elif op == Op.DISCARD:
        cards.discard(state, game, seat_of(state, a), b, c)
    elif op == Op.REVEAL:
        looks.reveal(state, game, seat_of(state, a), b)
        return pc + 1 if b == 0 else pc
    elif op == Op.OBSERVE:
        looks.observe(state, game, seat_of(state, a), b, c, d)
        return pc + 1 if c <= Look.DECK_SUIT else pc
    elif op == Op.RANK_SEATS:
        return contests.rank_seats(state, a, pc)
    elif op == Op.LEAD:
        contests.lead(state, a)
    elif op == Op.ANNOUNCE:
        tell(state, Event.ANNOUNCE, POT, a, 0, 0)
    elif op == Op.SCORE:
        chips.score(state, seat_of(state, a), b)
    elif op == Op.TAKE_POT:
        chips.pay(state, POT, seat_of(state, a), state[at.POT], ChipReason.TAKE_POT)
    elif op == Op.BIDS:
        return contests.bids(state, pc, a)
    elif op == Op.WINNER:
        return contests.winner(state, a, pc, b)
    elif op == Op.ASK_ODDS:
        return flow.ask(state, Chance.COST, seat_of(state, a), b, pc)
    elif op == Op.COST:
        return contests.cost(state, seat_of(state, a), b, c, d, pc, code[unsigned(row + 5)])
    elif op == Op.TAKE_SIDE:
        chips.take_side(state, a, seat_of(state, b))
    elif op == Op.SETTLE:
        chips.settle(state, a, b, c, d)
    else:  # Op.WIN; the legality check of programs admits no other opcode
        chips.win(state, seat_of(state, a), chips.ENDED)
        return END
    return pc


@kernel
def advance(code: np.ndarray, state: np.ndarray) -> int:
    """Run until a choice or the end.

    code: int32, the program's rows, eight words each, then its tables. state: int64, see
    `antemill.engine.machine.layout`. Returns DECIDE, CHANCE or OVER. A state that is OVER stays so. A state whose
    question is not answered asks again.
    """
    pc = state[at.PC]
    what = state[at.STOP]
    if what == OVER:
        return OVER
    if not 0 <= state[at.CHOICE] < state[at.MENU]:
        if what == DECIDE or state[at.CHANCE_KEY] == 0:
            return int(what)
        state[at.CHOICE] = below(state[at.CHANCE_KEY], state[at.ADDRESS], state[at.MENU])
    if what == DECIDE:
        pc = answer(code, state, pc)
    while True:
        op = code[unsigned(pc * WIDTH)]
        if (
            state[at.UNSEEN] != 0
            and needs_faces(state, op, code[unsigned(pc * WIDTH + 1)])
            and not turn_up_all(state, state)
        ):
            stop(state, pc, CHANCE)
            return CHANCE
        if op == Op.CHOOSE or op == Op.AMOUNT:
            question(code, state, pc)
            stop(state, pc, DECIDE)
            return DECIDE
        to = step(code, state, state, pc)
        if to >= 0:
            pc = to
        elif to == END:
            stop(state, pc + 1, OVER)
            return OVER
        else:
            stop(state, ~to, CHANCE)
            return CHANCE


def new_state(initial: np.ndarray, journal_events: int = 0) -> np.ndarray:
    """A new state of a program. journal_events: the capacity of its journal."""
    state = np.zeros(at.state_size(journal_events), np.int64)
    state[: at.SIZE] = initial
    return state
