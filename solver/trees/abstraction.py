"""Information abstractions: which decisions a solver merges (GENSTRAT section 6 and appendix K).

none      everything that the seat was told: the perfect-recall information sets
default   (decision type, hand, action path, chip bin): signals and roles are dropped
fine      the paper's whole I = (decision type, hand, action path, chip bin, signals, roles)

The paper names its lumping and a finer one without defining them; this is our reading, in version `VERSION`. The menu
is part of the key, so all decisions of an abstract set offer the same actions, and an abstract policy is a policy of
the real game. An abstract set may forget what the player did and knew before (imperfect recall), as the paper's I does.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from antemill.engine.arguments import ArgumentValueError, described, text
from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.chance import chain, mix64
from antemill.engine.machine.observe import context_key, info_key, recall_key

VERSION = 2  # of our readings


class Abstraction(IntEnum):
    """How much of a seat's knowledge its key contains."""

    NONE = 0
    DEFAULT = 1
    FINE = 2

    @property
    def label(self) -> str:
        """The name that users write."""
        return self.name.lower()


_NONE, _FINE = int(Abstraction.NONE), int(Abstraction.FINE)


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
def real_width(state: np.ndarray) -> int:
    """How many different actions the menu offers: bids above the stack are bids of the stack."""
    n = state[at.MENU]
    if state[at.MENU_MASK] == 0:
        n = min(n, max(1, state[at.CHIPS + state[at.SEAT]] - state[at.MENU_LOW] + 1))
    return int(n)


@kernel
def menu_word(state: np.ndarray) -> int:
    """The menu as one word: the mask of the options, or the complement of the lowest amount and the number of them."""
    if state[at.MENU_MASK] != 0:
        return int(state[at.MENU_MASK])
    return int(~((state[at.MENU_LOW] << 32) | real_width(state)))


@kernel
def abstract_key(state: np.ndarray, seat: int, decision: int, abstraction: int) -> int:
    """Key of the abstract set at which the state stopped."""
    if abstraction == _NONE:
        return recall_key(state, seat, decision)
    key = context_key(state, seat, decision)
    if abstraction == _FINE:
        key = info_key(state, seat, key)
    return mix64(chain(key, menu_word(state)))
