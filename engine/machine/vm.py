"""The virtual machine: runs a program until somebody must choose (design decisions D1 and D2).

`advance(code, state)` returns DECIDE (seat SEAT chooses one of MENU actions), CHANCE (draw one of MENU outcomes for
ADDRESS) or OVER. The driver writes the chosen index to CHOICE and calls again. A driver that has written the key of a
stream to CHANCE_KEY is not asked about chance: the machine then draws number ADDRESS of that stream itself.

Asking clears CHOICE, and a question whose CHOICE is none of its answers is asked again: no question is ever answered by
an old choice, and none by one beyond its menu. So a driver may begin with any stopped state, whatever it waits for, in
one and the same loop: `while advance(code, state) != OVER: state[CHOICE] = ...`.

Rollouts, the tree builder and matches are drivers; the rules exist here only. Small helpers are inlined by numba: a
call costs more than what they do. The instruction set is in `engine.machine.opcodes`, the state in
`engine.machine.layout`.
"""

import numpy as np

from engine.kernel import kernel
from engine.machine import layout as at
from engine.machine.chance import below, chain
from engine.machine.events import AuctionResult, Chance, ChipReason, EndReason, Event
from engine.machine.hands import (
    compare_hands,
    extreme_card,
    hand_mask,
    join_board,
    join_hand,
    leave_deck,
    leave_hand,
    top_rank,
)
from engine.machine.layout import CHANCE, DECIDE, OVER
from engine.machine.observe import show, tell, tell_choice
from engine.machine.opcodes import RAISE_NEEDS, WIDTH, Criterion, Look, Mode, Op, Sight, Tell
from engine.rules.limits import MAX_CARDS

# numba reads enum members slowly at compile time and folds plain module integers: name them once here.
_ALL = 3
_POT = 2
_LOCK, _PUBLIC_MODE = int(Mode.LOCK), int(Mode.PUBLIC)
_SIGHT_PUBLIC, _SIGHT_OCCURRENCE = int(Sight.PUBLIC), int(Sight.OCCURRENCE)
UNANSWERED = -1  # what CHOICE holds while a question waits


@kernel(inline="always")
def _pay(state: np.ndarray, source: int, target: int, amount: int, reason: int) -> int:
    """Move min(amount, holdings) chips between accounts and tell everyone; returns what moved."""
    moved = min(amount, state[at.CHIPS + source])
    state[at.CHIPS + source] -= moved
    state[at.CHIPS + target] += moved
    tell(state, Event.CHIPS, source, moved, target, reason)
    return int(moved)


@kernel(inline="always")
def _ask(state: np.ndarray, kind: int, seat: int, n: int) -> bool:
    """Set up a chance draw among n outcomes; False if CHOICE is already known and there is no need to stop."""
    place = kind * 3 + seat
    where = (place << 16) | state[at.OCCURRENCES + place]
    state[at.OCCURRENCES + place] += 1
    if state[at.CHANCE_KEY] != 0 or n == 1:
        state[at.CHOICE] = below(state[at.CHANCE_KEY], where, n)
        return False
    state[at.ADDRESS] = where
    state[at.MENU] = n
    return True


@kernel(inline="always")
def _stop(state: np.ndarray, pc: int, what: int) -> int:
    """Leave the machine, to resume at row `pc` when the driver has answered."""
    state[at.PC] = pc
    state[at.STOP] = what
    state[at.CHOICE] = UNANSWERED
    return what


@kernel(inline="always")
def _mark(state: np.ndarray, base: int, bit: int) -> None:
    """Set a bit of a bit set."""
    state[base + (bit >> 6)] |= np.int64(1) << (bit & 63)


@kernel(inline="always")
def _gather(state: np.ndarray, card: int) -> None:
    """Add a card to those that the step under way has taken."""
    state[at.PICKED] |= 1 << card
    state[at.PICKED_KEY] += state[at.CARD_KEY + card]
    state[at.PICKED_N] += 1


@kernel(inline="always")
def _tell_gathered(state: np.ndarray, seat: int, how: int) -> None:
    """Tell the cards that a deal, a draw or a board card has taken from the deck, as one event."""
    cards, key, n = state[at.PICKED], state[at.PICKED_KEY], state[at.PICKED_N]
    state[at.PICKED] = 0
    state[at.PICKED_KEY] = 0
    state[at.PICKED_N] = 0
    if how == Tell.DEAL:
        show(state, Event.DEAL, seat, n, cards, key, _ALL, seat + 1, False)
    elif how == Tell.DRAW_PUBLIC:
        show(state, Event.DRAW, seat, n, cards, key, _ALL, _ALL, True)
    elif how == Tell.DRAW_OCCURRENCE:
        show(state, Event.DRAW, seat, n, cards, key, _ALL, seat + 1, True)
    else:
        show(state, Event.DRAW, seat, n, cards, key, seat + 1, seat + 1, True)
        if n > 0:
            tell(state, Event.DECK, _POT, state[at.DECK_N], 0, 0)


@kernel(inline="always")
def _masks(seat: int, visibility: int) -> tuple[int, int]:
    """(told, shown) of an event whose content belongs to a seat."""
    if visibility == _SIGHT_PUBLIC:
        return _ALL, _ALL
    if visibility == _SIGHT_OCCURRENCE:
        return _ALL, seat + 1
    return seat + 1, seat + 1


@kernel
def _move_card(state: np.ndarray, seat: int, card: int) -> None:
    """Give a card that has left the seat's hand to the opponent."""
    join_hand(state, 1 - seat, card)
    show(state, Event.MOVE, seat, 0, 1 << card, state[at.CARD_KEY + card], _ALL, _ALL, True)


@kernel
def _show_cards(state: np.ndarray, kind: int, seat: int, count: int, mask: int, key: int, signal: bool) -> None:
    """Show cards to everyone."""
    show(state, kind, seat, count, mask, key, _ALL, _ALL, signal)


@kernel
def _observe(state: np.ndarray, seat: int, phase: int, what: int, visibility: int) -> None:
    """Give the viewer a signal about the chosen card or the opponent's hand."""
    told, shown = _masks(seat, visibility)
    content = 0
    key = 0
    if what <= Look.DECK_SUIT:
        if what <= Look.OPPONENT_SUIT:
            card = state[at.HANDS + (1 - seat) * MAX_CARDS + state[at.CHOICE]]
        else:
            card = state[at.DECK + state[at.CHOICE]]
        if what == Look.OPPONENT_CARD or what == Look.DECK_CARD:
            content = 1 << card
            key = state[at.CARD_KEY + card]
        else:
            content = state[at.CARD_SUIT + card] + 1
            key = content
    elif what == Look.TOP_RANK:
        if state[at.HAND_N + 1 - seat] > 0:
            index = extreme_card(state, 1 - seat, True)
            content = state[at.CARD_VALUE + state[at.HANDS + (1 - seat) * MAX_CARDS + index]]
        key = content
    elif what == Look.SIZE:
        content = state[at.HAND_N + 1 - seat]
        key = content
    show(state, Event.SIGNAL, seat, phase, content, key, told, shown, True)


@kernel
def _reveal(state: np.ndarray, seat: int, which: int) -> None:
    """Show the chosen card, the highest, the whole hand, or that there is nothing to show."""
    if which == 3 or state[at.HAND_N + seat] == 0:
        _show_cards(state, Event.REVEAL, seat, 0, 0, 0, True)
    elif which == 2:
        n = state[at.HAND_N + seat]
        _show_cards(state, Event.REVEAL, seat, n, hand_mask(state, seat), state[at.HAND_KEY + seat], True)
    else:
        index = extreme_card(state, seat, True) if which == 1 else state[at.CHOICE]
        card = state[at.HANDS + seat * MAX_CARDS + index]
        _show_cards(state, Event.REVEAL, seat, 1, 1 << card, state[at.CARD_KEY + card], True)


@kernel
def _discard(state: np.ndarray, seat: int, which: int, face_up: int) -> None:
    """Move a hand card to the discard pile."""
    index = state[at.CHOICE] if which == 0 else extreme_card(state, seat, which == 2)
    card = leave_hand(state, seat, index)
    state[at.DISCARDS + state[at.DISCARD_N]] = card
    state[at.DISCARD_N] += 1
    shown = _ALL if face_up else seat + 1
    show(state, Event.DISCARD, seat, 0, 1 << card, state[at.CARD_KEY + card], _ALL, shown, True)


@kernel
def _shuffle(state: np.ndarray, discards: int) -> None:
    """Put the discard pile back if asked to. The order itself is drawn card by card, when cards leave the deck."""
    if discards:
        for i in range(state[at.DISCARD_N]):
            state[at.DECK + state[at.DECK_N]] = state[at.DISCARDS + i]
            state[at.DECK_N] += 1
        state[at.DISCARD_N] = 0
    tell(state, Event.SHUFFLE, _POT, state[at.DECK_N], 0, 0)


@kernel
def _leader(state: np.ndarray, criterion: int) -> int:
    """The seat that shall lead, 2 for a tie."""
    if criterion == Criterion.RANDOM:
        return 2
    if criterion == Criterion.ALTERNATE:
        return int(1 - state[at.SEATS + 2])
    if criterion <= Criterion.FEWEST_CHIPS:
        gap = state[at.CHIPS] - state[at.CHIPS + 1]
    else:
        gap = top_rank(state[at.RANKS]) - top_rank(state[at.RANKS + 1])
    if criterion == Criterion.FEWEST_CHIPS or criterion == Criterion.LOWER_CARD:
        gap = -gap
    if gap == 0:
        return 2
    return 0 if gap > 0 else 1


@kernel(inline="always")
def _win(state: np.ndarray, seat: int, reason: int) -> None:
    """The seat takes the pot and the game is over."""
    tell(state, Event.RESULT, seat, reason, 0, 0)
    _pay(state, _POT, seat, state[at.POT], ChipReason.AWARD)


@kernel
def _split(state: np.ndarray, reason: int) -> None:
    """Both receive half the pot, rounded down."""
    tell(state, Event.RESULT, 2, reason, 0, 0)
    half = state[at.POT] // 2
    _pay(state, _POT, 0, half, ChipReason.AWARD)
    _pay(state, _POT, 1, half, ChipReason.AWARD)


@kernel(inline="always")
def _offer(code: np.ndarray, state: np.ndarray, menu: int, stack: int) -> None:
    """Set the menu: entry i is offered if the stack meets its requirement."""
    n = code[menu]
    mask = 0
    count = 0
    for i in range(n):
        need = code[menu + 1 + 2 * i]
        if need == RAISE_NEEDS:
            need = state[at.OWED] + 1
        if stack >= need:
            mask |= 1 << i
            count += 1
    state[at.MENU] = count
    state[at.MENU_MASK] = mask


@kernel(inline="always")
def menu_action(state: np.ndarray, index: int) -> int:
    """The action behind index `index` of the current menu."""
    mask = state[at.MENU_MASK]
    if mask == 0:
        return int(state[at.MENU_LOW] + index)
    if mask & (mask + 1) == 0:
        return index
    action = 0
    while True:
        if (mask >> action) & 1:
            if index == 0:
                return action
            index -= 1
        action += 1


@kernel(inline="always")
def _choose(code: np.ndarray, state: np.ndarray, row: int) -> int:
    """Take the driver's choice at the CHOOSE or AMOUNT in `row`; returns the row to go on at."""
    seat, decision = state[at.SEAT], state[at.DECISION]
    action = menu_action(state, state[at.CHOICE])
    if code[row] == Op.CHOOSE:
        mode = code[row + 5]
        target = code[code[row + 4] + 2 + 2 * action]
    else:
        mode = code[row + 6]
        target = row // WIDTH + 1
        action = min(action, state[at.CHIPS + seat])
    state[at.ACTION] = action
    if mode == _LOCK:
        state[at.LOCKED + seat] = action
        tell_choice(state, Event.LOCK, seat, decision, action, True)
    else:
        tell_choice(state, Event.CHOICE, seat, decision, action, mode != _PUBLIC_MODE)
    return int(target)


@kernel
def advance(code: np.ndarray, state: np.ndarray) -> int:
    """Run until a choice or the end.

    code: int32, the program's rows, eight words each, then its tables. state: int64, see `engine.machine.layout`.
    Returns DECIDE, CHANCE or OVER. A state that is OVER stays so, and one whose question is not answered asks again.
    """
    pc = state[at.PC]
    stop = state[at.STOP]
    if stop == OVER:
        return OVER
    if not 0 <= state[at.CHOICE] < state[at.MENU]:
        if stop == DECIDE or state[at.CHANCE_KEY] == 0:
            return int(stop)
        state[at.CHOICE] = below(state[at.CHANCE_KEY], state[at.ADDRESS], state[at.MENU])
    if stop == DECIDE:
        pc = _choose(code, state, pc * WIDTH)
    while True:
        row = pc * WIDTH
        pc += 1
        op = code[row]
        a = int(code[row + 1])
        b = int(code[row + 2])
        c = int(code[row + 3])
        d = int(code[row + 4])
        if op == Op.CHOOSE:
            seat = state[at.SEATS + a]
            state[at.SEAT] = seat
            state[at.DECISION] = b + c * seat
            _mark(state, at.FIRED, code[row + 6])
            _offer(code, state, d, state[at.CHIPS + seat])
            return _stop(state, pc - 1, DECIDE)
        elif op == Op.PICK:
            if state[at.DECK_N] == 0:
                pc = a
            elif _ask(state, Chance.DRAW, 2, state[at.DECK_N]):
                return _stop(state, pc, CHANCE)
        elif op == Op.TAKE:
            seat = state[at.SEATS + a]
            if c:
                card = leave_deck(state, state[at.CHOICE])
                join_hand(state, seat, card)
                _gather(state, card)
                pc += 1 if b else 0
            if b:
                _tell_gathered(state, seat, b)
        elif op == Op.PAY:
            _pay(state, state[at.SEATS + a], state[at.SEATS + b], c, d)
        elif op == Op.BET:
            seat = state[at.SEATS + a]
            amount = state[at.ACTION] if b < 0 else b
            state[at.OWED] = _pay(state, seat, _POT, amount, ChipReason.BET)
            state[at.BETTOR] = seat
        elif op == Op.MATCH:
            paid = _pay(state, state[at.SEATS + a], _POT, state[at.OWED], ChipReason.CALL)
            if paid < state[at.OWED]:
                _pay(state, _POT, state[at.BETTOR], state[at.OWED] - paid, ChipReason.REFUND)
        elif op == Op.FOLD:
            _win(state, state[at.BETTOR], EndReason.FOLD)
            return _stop(state, pc, OVER)
        elif op == Op.JUMP:
            pc = a
        elif op == Op.CALL:
            state[at.CALLS + state[at.CALL_N]] = pc
            state[at.CALL_N] += 1
            pc = a
        elif op == Op.RETURN:
            state[at.CALL_N] -= 1
            pc = state[at.CALLS + state[at.CALL_N]]
        elif op == Op.PHASE:
            _mark(state, at.FIRED, b)
            tell(state, Event.PHASE, _POT, a, 0, 0)
        elif op == Op.TEST:
            value = state[a + state[at.SEATS + b]]
            if value < c or value > d:
                pc = code[row + 5]
        elif op == Op.OUTCOME:
            _mark(state, at.TAKEN, a)
            if b:
                result = 1 - (a & 1)
                tell(state, Event.CHECK, _POT, a >> 1, result, 0)
                if c:
                    state[at.SIGNALS] = chain(state[at.SIGNALS], (a << 8) | Event.CHECK)
                    state[at.SIGNALS + 1] = chain(state[at.SIGNALS + 1], (a << 8) | Event.CHECK)
        elif op == Op.AMOUNT:
            seat = state[at.SEATS + a]
            high = code[row + 5]
            if code[row + 6] != _LOCK:
                high = min(high, state[at.CHIPS + seat])
            state[at.SEAT] = seat
            state[at.DECISION] = b + c * seat
            state[at.MENU] = high - d + 1
            state[at.MENU_LOW] = d
            state[at.MENU_MASK] = 0
            _mark(state, at.FIRED, code[row + 7])
            return _stop(state, pc - 1, DECIDE)
        elif op == Op.SHOW:
            for seat in range(2):
                n = state[at.HAND_N + seat]
                cards = hand_mask(state, seat) if len(state) > at.JOURNAL else 0  # the mask is for the journal only
                _show_cards(state, Event.SHOW, seat, n, cards, state[at.HAND_KEY + seat], False)
        elif op == Op.AWARD:
            best = compare_hands(state, a, b != 0)
            if best < 2:
                _win(state, best, EndReason.SHOWDOWN)
                return _stop(state, pc, OVER)
            _split(state, EndReason.SHOWDOWN)
            if state[at.POT] == 0:
                return _stop(state, pc, OVER)
            if _ask(state, Chance.ODD_CHIP, 2, 2):
                return _stop(state, pc, CHANCE)
        elif op == Op.SPLIT:
            _split(state, EndReason.ENDED)
            if state[at.POT] == 0:
                return _stop(state, pc, OVER)
            if _ask(state, Chance.ODD_CHIP, 2, 2):
                return _stop(state, pc, CHANCE)
        elif op == Op.ODD:
            _pay(state, _POT, state[at.CHOICE], 1, ChipReason.ODD_CHIP)
            return _stop(state, pc, OVER)
        elif op == Op.REVEALS:
            tell_choice(state, Event.REVEALED, 0, a, state[at.LOCKED], False)
            tell_choice(state, Event.REVEALED, 1, b, state[at.LOCKED + 1], False)
        elif op == Op.MATRIX:
            pc = code[a + state[at.LOCKED] * b + state[at.LOCKED + 1]]
        elif op == Op.TEST_HIGHER:
            seat = state[at.SEATS + a]
            if top_rank(state[at.RANKS + seat]) <= top_rank(state[at.RANKS + 1 - seat]):
                pc = b
        elif op == Op.TEST_RANKS:
            mask = c | (d << 30)
            if state[a + state[at.SEATS + b]] & mask == 0:
                pc = code[row + 5]
        elif op == Op.TEST_SUIT:
            if (state[at.SUITS + state[at.SEATS + a]] >> (8 * b)) & 255 == 0:
                pc = c
        elif op == Op.SET or op == Op.ADD:
            old = state[at.VARIABLES + a] if op == Op.ADD else 0
            state[at.VARIABLES + a] = old + b
            tell(state, Event.VARIABLE, _POT, a, old + b, 0)
        elif op == Op.RAISE:
            seat = state[at.SEATS + a]
            owed = state[at.OWED]
            state[at.OWED] = _pay(state, seat, _POT, owed + b, ChipReason.RAISE) - owed
            state[at.BETTOR] = seat
        elif op == Op.TURN:
            if b:
                card = leave_deck(state, state[at.CHOICE])
                join_board(state, card)
                _gather(state, card)
                pc += 1 if a else 0
            if a:
                cards, key, n = state[at.PICKED], state[at.PICKED_KEY], state[at.PICKED_N]
                state[at.PICKED] = 0
                state[at.PICKED_KEY] = 0
                state[at.PICKED_N] = 0
                _show_cards(state, Event.BOARD, _POT, n, cards, key, True)
        elif op == Op.SHUFFLE:
            _shuffle(state, a)
        elif op == Op.ASK_HAND:
            seat = state[at.SEATS + b]
            n = state[at.HAND_N + (1 - seat if c else seat)]
            if n == 0:
                pc = d
            elif _ask(state, a, seat, n):
                return _stop(state, pc, CHANCE)
        elif op == Op.ASK_DECK:
            if state[at.DECK_N] == 0:
                pc = c
            elif _ask(state, a, state[at.SEATS + b], state[at.DECK_N]):
                return _stop(state, pc, CHANCE)
        elif op == Op.ASK_SWAP:
            seat = state[at.SEATS + a]
            if state[at.HAND_N] == 0 or state[at.HAND_N + 1] == 0:
                pc = b
            elif _ask(state, Chance.SWAP_GIVE, seat, state[at.HAND_N + seat]):
                return _stop(state, pc, CHANCE)
        elif op == Op.HOLD:
            seat = state[at.SEATS + a]
            state[at.HELD] = state[at.CHOICE]
            if _ask(state, Chance.SWAP_TAKE, seat, state[at.HAND_N + 1 - seat]):
                return _stop(state, pc, CHANCE)
        elif op == Op.SWAP:
            seat = state[at.SEATS + a]
            tell(state, Event.SWAP, seat, b, 0, 0)
            if b:
                given = leave_hand(state, seat, state[at.HELD])
                taken = leave_hand(state, 1 - seat, state[at.CHOICE])
                _move_card(state, seat, given)
                _move_card(state, 1 - seat, taken)
                pc += 1
        elif op == Op.STEAL:
            seat = state[at.SEATS + a]
            tell(state, Event.STEAL, seat, b, 0, 0)
            if b:
                _move_card(state, 1 - seat, leave_hand(state, 1 - seat, state[at.CHOICE]))
                pc += 1
        elif op == Op.PEEK:
            seat = state[at.SEATS + a]
            told, shown = _masks(seat, b)
            if c:
                card = state[at.HANDS + (1 - seat) * MAX_CARDS + state[at.CHOICE]]
                show(state, Event.PEEK, seat, 0, 1 << card, state[at.CARD_KEY + card], told, shown, True)
                pc += 1
            else:
                show(state, Event.PEEK, seat, 0, 0, 0, told, shown, True)
        elif op == Op.DISCARD:
            seat = state[at.SEATS + a]
            if state[at.HAND_N + seat] > 0:
                _discard(state, seat, b, c)
        elif op == Op.REVEAL:
            _reveal(state, state[at.SEATS + a], b)
            pc += 1 if b == 0 else 0
        elif op == Op.OBSERVE:
            _observe(state, state[at.SEATS + a], b, c, d)
            pc += 1 if c <= Look.DECK_SUIT else 0
        elif op == Op.RANK_SEATS:
            best = _leader(state, a)
            if best < 2:
                state[at.CHOICE] = best
            elif _ask(state, Chance.POSITION, 2, 2):
                return _stop(state, pc, CHANCE)
        elif op == Op.LEAD:
            state[at.SEATS + 2] = state[at.CHOICE]
            state[at.SEATS + 3] = 1 - state[at.CHOICE]
            tell(state, Event.LEADER, state[at.CHOICE], a, 0, 0)
        elif op == Op.ANNOUNCE:
            tell(state, Event.ANNOUNCE, _POT, a, 0, 0)
        elif op == Op.SCORE:
            seat = state[at.SEATS + a]
            state[at.SCORE] += b * (1 - 2 * seat)
            tell(state, Event.SCORE, seat, b, 0, 0)
        elif op == Op.TAKE_POT:
            _pay(state, _POT, state[at.SEATS + a], state[at.POT], ChipReason.TAKE_POT)
        elif op == Op.BIDS:
            state[at.COINED] = 0
            gap = state[at.LOCKED] - state[at.LOCKED + 1]
            if gap != 0:
                state[at.CHOICE] = 0 if gap > 0 else 1
            elif state[at.LOCKED] == 0:
                tell(state, Event.AUCTION, 2, AuctionResult.NO_BIDS, 0, 0)
                pc = a
            else:
                state[at.COINED] = 1
                if _ask(state, Chance.COIN, 2, 2):
                    return _stop(state, pc, CHANCE)
        elif op == Op.WINNER:
            seat = state[at.CHOICE]
            state[at.SEATS + 4] = seat
            state[at.SEATS + 5] = 1 - seat
            stock = state[at.DECK_N] if a == 0 else state[at.HAND_N + 1 - seat]
            if stock == 0:
                tell(state, Event.AUCTION, seat, AuctionResult.CANCELLED, state[at.COINED], 0)
                pc = b
            else:
                tell(state, Event.AUCTION, seat, AuctionResult.WON, state[at.COINED], 0)
                _pay(state, seat, _POT, state[at.LOCKED + seat], ChipReason.BID)
        elif op == Op.ASK_ODDS:
            if _ask(state, Chance.COST, state[at.SEATS + a], b):
                return _stop(state, pc, CHANCE)
        elif op == Op.COST:
            seat = state[at.SEATS + a]
            told = seat + 1 if d else _ALL
            outcome = 0
            if state[at.CHOICE] < c:
                outcome = 1 if state[at.CHIPS + seat] >= b else 2
            show(state, Event.COST, seat, outcome, 0, 0, told, told, False)
            if outcome == 1:
                _pay(state, seat, _POT, b, ChipReason.COST)
            elif outcome == 2:
                pc = code[row + 5]
        elif op == Op.TAKE_SIDE:
            if state[at.SIDE_BETS + a] == 0:
                state[at.SIDE_BETS + a] = state[at.SEATS + b] + 1
        elif op == Op.SETTLE:
            seat = state[at.SIDE_BETS + a] - 1
            tell(state, Event.SIDE_BET, seat, b, d, 0)
            winner = seat if d else 1 - seat
            _pay(state, 1 - winner, winner, c, ChipReason.SIDE_BET)
        else:  # Op.WIN; the legality check of programs admits no other opcode
            _win(state, state[at.SEATS + a], EndReason.ENDED)
            return _stop(state, pc, OVER)


def new_state(initial: np.ndarray, journal_events: int = 0) -> np.ndarray:
    """A fresh state of a program, with room for a journal of so many events."""
    state = np.zeros(at.state_size(journal_events), np.int64)
    state[: at.SIZE] = initial
    return state
