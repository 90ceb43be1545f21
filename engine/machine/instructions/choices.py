"""Players' choices: what is offered, and what follows from an answer."""

import numpy as np

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.events import Event
from antemill.engine.machine.instructions.flow import mark
from antemill.engine.machine.observe import tell_choice
from antemill.engine.machine.opcodes import RAISE_NEEDS, Mode
from antemill.engine.machine.words import of_seat, set_of_seat

_LOCK, _PUBLIC = int(Mode.LOCK), int(Mode.PUBLIC)


@kernel(inline="late")
def face(state: np.ndarray, seat: int, decision: int, stride: int, fired: int) -> None:
    """CHOOSE and AMOUNT: a seat faces a decision, with nothing on the menu yet."""
    state[at.SEAT] = seat
    state[at.DECISION] = decision + stride * seat
    state[at.MENU] = 0
    state[at.MENU_MASK] = 0
    mark(state, at.FIRED, fired)


@kernel(inline="late")
def offered(state: np.ndarray, stack: int, needs: int) -> int:
    """CHOOSE: 1 if the stack meets the requirement of an entry of the menu, else 0."""
    needed = state[at.OWED] + 1 if needs == RAISE_NEEDS else needs
    return 1 if stack >= needed else 0


@kernel(inline="late")
def offer_amounts(state: np.ndarray, low: int, cap: int, locked: bool) -> None:
    """AMOUNT: offer the amounts low..min(cap, stack), or low..cap if locked."""
    stack = of_seat(state, at.CHIPS, state[at.SEAT])
    high = cap if locked else min(cap, stack)
    state[at.MENU] = high - low + 1
    state[at.MENU_LOW] = low


@kernel(inline="late")
def nth_bit(mask: int, index: int) -> int:
    """The position of the set bit with number `index`, counted from the lowest."""
    if mask & (mask + 1) == 0:
        return index
    place = 0
    while True:
        if (mask >> place) & 1:
            if index == 0:
                return place
            index -= 1
        place += 1


@kernel(inline="late")
def choose(state: np.ndarray, action: int, mode: int) -> None:
    """CHOOSE and AMOUNT: the seat that was asked takes an action."""
    seat, decision = state[at.SEAT], state[at.DECISION]
    state[at.ACTION] = action
    if mode == _LOCK:
        set_of_seat(state, at.LOCKED, seat, action)
        tell_choice(state, Event.LOCK, seat, decision, action, True)
    else:
        tell_choice(state, Event.CHOICE, seat, decision, action, mode != _PUBLIC)
