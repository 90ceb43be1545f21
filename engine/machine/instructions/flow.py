"""Control flow: phases, tests, branches, variables, and questions for chance draws."""

import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.chance import below
from antemill.engine.machine.events import Event
from antemill.engine.machine.hands import top_rank
from antemill.engine.machine.observe import extend, tell, tell_choice
from antemill.engine.machine.words import of_seat, unsigned

END = -(1 << 40)  # instead of a row
POT = 2


@kernel(inline="late")
def seat_of(state: np.ndarray, operand: int) -> int:
    """The seat that an operand names."""
    return int(state[unsigned(at.SEATS + operand)])


@kernel(inline="late")
def ask(state: np.ndarray, kind: int, seat: int, n: int, pc: int) -> int:
    """Draw one of n outcomes, or ask the driver for it; returns the next row, or its complement in order to ask."""
    place = kind * 3 + seat
    count = unsigned(at.OCCURRENCES + place)
    number = state[count]
    where = (place << 16) | number
    key = state[at.CHANCE_KEY]
    drawn = key != 0 or n == 1
    state[count] = number + 1
    state[at.CHOICE] = below(key, where, n)
    state[at.ADDRESS] = where
    state[at.MENU] = n
    return pc if drawn else ~pc


@kernel(inline="late")
def mark(state: np.ndarray, base: int, bit: int) -> None:
    """Set a bit of a bit set."""
    state[unsigned(base + (bit >> 6))] |= np.int64(1) << (bit & 63)


@kernel(inline="late")
def call(state: np.ndarray, pc: int) -> None:
    """CALL: push the next row."""
    state[at.CALLS + state[at.CALL_N]] = pc
    state[at.CALL_N] += 1


@kernel(inline="late")
def back(state: np.ndarray) -> int:
    """RETURN: pop a row and go on there."""
    state[at.CALL_N] -= 1
    return int(state[at.CALLS + state[at.CALL_N]])


@kernel(inline="late")
def phase(state: np.ndarray, number: int, fired: int) -> None:
    """PHASE: phase number `number` starts; set bit `fired`."""
    mark(state, at.FIRED, fired)
    tell(state, Event.PHASE, POT, number, 0, 0)


@kernel(inline="late")
def is_higher(state: np.ndarray, seat: int) -> bool:
    """TEST_HIGHER: whether the seat's top rank is above the opponent's."""
    return top_rank(of_seat(state, at.RANKS, seat)) > top_rank(of_seat(state, at.RANKS, 1 - seat))


@kernel(inline="late")
def holds_rank(state: np.ndarray, slot: int, seat: int, low: int, high: int) -> bool:
    """TEST_RANKS: whether the counts at slot + seat have a bit of the mask, given in two halves of 30 bits."""
    return of_seat(state, slot, seat) & (low | (high << 30)) != 0


@kernel(inline="late")
def holds_suit(state: np.ndarray, seat: int, suit: int) -> bool:
    """TEST_SUIT: whether the hand holds the suit."""
    return (of_seat(state, at.SUITS, seat) >> (8 * suit)) & 255 != 0


@kernel(inline="late")
def outcome(state: np.ndarray, branch: int, public: int, hidden: int) -> None:
    """OUTCOME: a conditional took this branch; if `public`, tell everyone, as a signal if it read hidden cards."""
    mark(state, at.TAKEN, branch)
    if public:
        tell(state, Event.CHECK, POT, branch >> 1, 1 - (branch & 1), 0)
        if hidden:
            extend(state, at.SIGNALS, (branch << 8) | Event.CHECK)
            extend(state, at.SIGNALS + 1, (branch << 8) | Event.CHECK)


@kernel(inline="late")
def assign(state: np.ndarray, variable: int, value: int) -> None:
    """SET and ADD: a variable becomes `value`."""
    state[unsigned(at.VARIABLES + variable)] = value
    tell(state, Event.VARIABLE, POT, variable, value, 0)


@kernel(inline="late")
def reveals(state: np.ndarray, decision_alice: int, decision_bob: int) -> None:
    """REVEALS: both LOCKED choices become public."""
    tell_choice(state, Event.REVEALED, 0, decision_alice, state[at.LOCKED], False)
    tell_choice(state, Event.REVEALED, 1, decision_bob, state[at.LOCKED + 1], False)
