"""A game in extensive form, as flat arrays: all that the algorithms read of it.

Nodes are numbered depth first, the children of a node consecutively, so a child's number is above its parent's and one
loop over the numbers, up or down, is a traversal. Information sets are those of perfect recall. They form a forest per
player, since each is reached through one sequence of own choices, and are numbered depth first, by appearance where the
forest leaves it open: a set and those below it have consecutive numbers. A player's sequences are numbered from 1 on,
set by set and action by action; 0 is the empty sequence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

ALICE, BOB, NATURE, END = 0, 1, 2, 3  # who acts at a node


class InformationSets(NamedTuple):
    """One player's information sets, numbered depth first: a set comes right before those that it leads to."""

    key: Array  # int64[sets] recall key
    decision: Array  # int16[sets] decision type
    head: Array  # int32[sets] first node
    parent_sequence: Array  # int32[sets] the player's last sequence before the set
    start: Array  # int32[sets + 1] the set's sequences are start[i] .. start[i + 1] - 1

    @property
    def size(self) -> int:
        """Number of information sets."""
        return len(self.key)

    @property
    def sequences(self) -> int:
        """Number of sequences, the empty one included."""
        return int(self.start[-1])


class Labels(NamedTuple):
    """What players, information sets and actions are called. Names are distinct within a player, or a set."""

    players: tuple[str, str]
    sets: tuple[list[str], list[str]]  # [sets] each
    actions: tuple[list[str], list[str]]  # [sequences] each: the sequence's last action; "" for the empty sequence


@dataclass(frozen=True, eq=False)
class ExtensiveForm:
    """A game tree. Payoffs are Alice's chips; Bob's are the negative, so every tree is zero-sum."""

    game: str
    digest: str  # of the program
    player: Array  # int8[nodes] ALICE, BOB, NATURE or END
    first: Array  # int32[nodes] first child; the others follow
    width: Array  # int32[nodes] number of children
    weight: Array  # int16[nodes] how many equally likely outcomes lead here from a NATURE parent; else 1
    chance: Array  # float64[nodes] probability of all of nature's outcomes from the root to here
    payoff: Array  # int32[nodes] at an END Alice's chips, else 0; float64 in games from outside
    information_set: Array  # int32[nodes] number among its player's sets; -1 at NATURE and END
    sequence: Array  # int32[2, nodes] each player's last sequence on the way to here
    sets: tuple[InformationSets, InformationSets]
    labels: Labels | None = None  # of games from outside, where all weights are 1

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.player)

    def count(self, player: int) -> int:
        """Number of nodes at which `player` (ALICE, BOB, NATURE, END) acts."""
        return int(np.count_nonzero(self.player == player))
