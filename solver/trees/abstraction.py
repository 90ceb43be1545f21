"""Information abstractions: which decisions a solver merges (GENSTRAT section 6 and appendix K).

none      everything that the seat was told: the perfect-recall information sets
default   (decision type, hand, action path, chip bin): signals and roles are dropped, and wagers are binned
fine      the paper's whole I = (decision type, hand, action path, chip bin, signals, roles), wagers as they were
suits     everything that the seat was told, except names of suits that no rule distinguishes (`solver/trees/suits.py`).
          It is lossless, and its keys are not the machine's

The paper names its lumping and a finer one without defining them. This is our reading, in version `VERSION`:

- A wager of w chips is in bin `w.bit_length()`: 0, 1, 2-3, 4-7, 8-15, ... The action path contains the bin.
- An abstract action is an option or, in `default`, a bin of wagers; a player who plays a bin plays each offered amount
in it with the same probability. So the abstract policy is a policy of the real game.
- The menu of abstract actions is part of the key: all decisions of an abstract set offer the same ones.

An abstract set may forget what the player did and knew before (imperfect recall), as the paper's I does.

Paths with binned wagers are kept where the machine keeps its own (PATH, OWN_PATH), which no rule reads: `follow` is
`advance` with that correction. Every driver that asks for `default` keys must use it from the first question on.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from antemill.engine.arguments import ArgumentValueError, described, text
from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.chance import chain, mix64
from antemill.engine.machine.layout import DECIDE
from antemill.engine.machine.observe import context_key, info_key, recall_key
from antemill.engine.machine.vm import advance

VERSION = 1  # of our readings
REVEALED_PAIR = 0x5EC2E7  # marks, in a binned path, two secret choices that become public together


class Abstraction(IntEnum):
    """How much of a seat's knowledge its key contains."""

    NONE = 0
    DEFAULT = 1
    FINE = 2
    SUITS = 3

    @property
    def label(self) -> str:
        """The name that users write."""
        return self.name.lower()

    @property
    def lossless(self) -> bool:
        """Whether an equilibrium under it is one of the real game."""
        return self in (Abstraction.NONE, Abstraction.SUITS)

    @property
    def by_state(self) -> bool:
        """Whether its keys are computed from the machine's states, so that policies can be followed on the machine."""
        return self != Abstraction.SUITS


_NONE, _DEFAULT = int(Abstraction.NONE), int(Abstraction.DEFAULT)


def abstraction_of(name: str | Abstraction) -> Abstraction:
    """The abstraction of a name; an abstraction is returned as it is. Raises UsageError for an unknown name."""
    if isinstance(name, Abstraction):
        return name
    for found in Abstraction:
        if found.label == text(name, "abstraction"):
            return found
    raise ArgumentValueError(
        f"there is no abstraction {described(name)}: use {', '.join(each.label for each in Abstraction)}."
    )


@kernel
def wager_bin(amount: int) -> int:
    """The bin of a wager: the number of its binary digits."""
    digits = 0
    while amount > 0:
        amount >>= 1
        digits += 1
    return digits


@kernel
def follow(code: np.ndarray, state: np.ndarray, abstraction: int) -> int:
    """`advance`; for the default abstraction it also bins the wagers in the action paths."""
    if abstraction != _DEFAULT:
        return advance(code, state)
    deciding, amounts = state[at.STOP] == DECIDE, state[at.MENU_MASK] == 0
    seat, decision = state[at.SEAT], state[at.DECISION]
    path, own = state[at.PATH], state[at.OWN_PATH + seat]
    what = advance(code, state)
    if not amounts:
        return what
    action = state[at.ACTION]
    if state[at.PATH] != path:
        if deciding and state[at.PATH] == chain(path, (decision << 16) | action):
            state[at.PATH] = chain(path, (decision << 16) | wager_bin(action))
        else:
            first, second = wager_bin(state[at.LOCKED]), wager_bin(state[at.LOCKED + 1])
            state[at.PATH] = chain(chain(chain(path, REVEALED_PAIR), first), second)
    if deciding and state[at.OWN_PATH + seat] != own:
        state[at.OWN_PATH + seat] = chain(chain(own, path), (decision << 16) | wager_bin(action))
    return what


@kernel
def real_width(state: np.ndarray) -> int:
    """How many different real actions the menu offers: bids above the stack are bids of the stack."""
    n = state[at.MENU]
    if state[at.MENU_MASK] == 0:
        n = min(n, max(1, state[at.CHIPS + state[at.SEAT]] - state[at.MENU_LOW] + 1))
    return int(n)


@kernel
def abstract_width(state: np.ndarray, abstraction: int) -> int:
    """How many abstract actions the decision offers."""
    n = real_width(state)
    if abstraction != _DEFAULT or state[at.MENU_MASK] != 0:
        return int(n)
    low = state[at.MENU_LOW]
    return int(wager_bin(low + n - 1) - wager_bin(low) + 1)


@kernel
def real_span(state: np.ndarray, action: int, abstraction: int) -> tuple[int, int]:
    """The menu indices that abstract action `action` (counted from 0) stands for: the first one, and how many."""
    if abstraction != _DEFAULT or state[at.MENU_MASK] != 0:
        return action, 1
    low = state[at.MENU_LOW]
    digits = wager_bin(low) + action
    first = max(low, 0 if digits == 0 else 1 << (digits - 1))
    last = min(low + real_width(state) - 1, (1 << digits) - 1)
    return first - low, last - first + 1


@kernel
def menu_word(state: np.ndarray, abstraction: int) -> int:
    """The menu of abstract actions as one word: the mask of the options, or the complement of first and width."""
    if state[at.MENU_MASK] != 0:
        return int(state[at.MENU_MASK])
    low = state[at.MENU_LOW]
    first = wager_bin(low) if abstraction == _DEFAULT else low
    return int(~((first << 32) | abstract_width(state, abstraction)))


@kernel
def abstract_key(state: np.ndarray, seat: int, decision: int, abstraction: int) -> int:
    """Key of the abstract set at which the state stopped."""
    if abstraction == _NONE:
        return recall_key(state, seat, decision)
    key = context_key(state, seat, decision)
    if abstraction != _DEFAULT:
        key = info_key(state, seat, key)
    return mix64(chain(key, menu_word(state, abstraction)))
