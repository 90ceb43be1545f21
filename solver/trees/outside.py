"""The extensive form of a game that comes from outside: its nodes are added one after the other.

    builder = Outside("Matching pennies", ("One", "Two"))
    builder.decision(0, "one", "one", ("heads", "tails"))
    for mine in (1, -1):
        builder.decision(1, "two", "two", ("heads", "tails"))
        for theirs in (1, -1):
            builder.end((mine * theirs, -mine * theirs))
    tree = builder.tree()

The order is prefix order: a node, then the subtrees of its children. The algorithms rely on what is checked here: one
or two players, finite payoffs with the same sum at every end, probabilities that sum to 1, and perfect recall.

Only the first player's payoffs are kept. If both payoffs sum to a constant, a chip that one player loses is a chip that
the other one wins, so the game is zero-sum up to the constant. A game of one player gets a second one who never acts.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from antemill.engine.arguments import text, whole, wrong_type
from antemill.engine.errors import SpecError, UsageError
from antemill.engine.storage.memory import free_memory
from antemill.engine.text.labels import unique
from antemill.solver.game import ALICE, BOB, END, NATURE, Array, ExtensiveForm, InformationSets, Labels
from antemill.solver.trees.numbering import arrange

TOLERANCE = 1e-6  # of a node's probabilities, each; and of the sums of payoffs, as a part of the payoffs' range
OUTSIDE_LIMIT = 10_000_000  # nodes; while it is built a game takes several times as much memory as its tree
OUTSIDE_BYTES = 400  # a node at the peak of building; 398 were measured with an information set for every third node

Number = Fraction | float
Payoffs = tuple[Number, ...]  # of each player
_Past = tuple[int, int]  # a player's last information set, counted from 1, and the action taken there; at first zeros


class TooManyNodesError(UsageError):
    """A tree has more nodes than the caller allows."""


class UnequalSumsError(SpecError):
    """The payoffs of an end have another sum than those of the first end. node: its number in prefix order."""

    node = 0


class _Set(NamedTuple):
    """An information set that has been met."""

    number: int
    name: str
    actions: tuple[str, ...]
    past: _Past


class _Open:
    """A node whose children are being added; `chances` has one entry for each."""

    def __init__(self, node: int, player: int, number: int, chances: Sequence[float], gains: Payoffs) -> None:
        self.node, self.player, self.number, self.chances, self.gains = node, player, number, chances, gains
        self.pasts: tuple[_Past, _Past] = ((0, 0), (0, 0))
        self.added = 0


class Outside:
    """A tree that is being built.

    players: the names of one or two. limit: the most nodes. Methods raise SpecError, which says why, for a game that
    cannot be solved, and TooManyNodesError for a game with more nodes than the limit.
    """

    def __init__(self, name: str, players: Sequence[str], limit: int = OUTSIDE_LIMIT) -> None:
        self._name, self._limit = text(name, "name"), whole(limit, "limit", 1)
        if isinstance(players, str) or not _all(players, str):
            wrong_type("players", players, "one or two names", "give them as in ('One', 'Two')")
        if len(players) not in (1, 2):
            raise SpecError(f"the game has {len(players)} players: only games of one or two can be solved.")
        self._seats = len(players)
        first, second = unique([*(one or f"Player {seat}" for seat, one in enumerate(players, 1)), "No opponent"][:2])
        self._players = first, second
        self._fitting = free_memory() // OUTSIDE_BYTES  # nodes
        self._sets: tuple[dict[Hashable, _Set], dict[Hashable, _Set]] = ({}, {})
        self._path: list[_Open] = []
        self._parent, self._index, self._width, self._key = (array("i") for _ in range(4))
        self._player, self._weight, self._payoff, self._sum = array("b"), array("d"), array("d"), array("d")

    @property
    def complete(self) -> bool:
        """Whether every node has all its children."""
        return bool(self._parent) and not self._path

    def decision(
        self, player: int, key: Hashable, name: str, actions: Sequence[str], gains: Payoffs | None = None
    ) -> None:
        """A decision of player 0 or 1.

        key: of the information set. name: of the information set, read where it is met first. actions: their names; an
        empty name becomes the action's number, counted from 1. gains: what the players get for coming here, beside
        what they get at the end. Raises SpecError for a game that cannot be solved.
        """
        if (player := whole(player, "player")) not in range(self._seats):
            raise SpecError(f"there is no player {player + 1}.")
        if isinstance(actions, str) or not _all(actions, str):
            wrong_type("actions", actions, "a sequence of names", "give them as in ('heads', 'tails')")
        if not isinstance(name, str):
            wrong_type("name", name, "a text")
        if not actions:
            raise SpecError("a decision needs at least one action.")
        past, number = self._pasts()[player], len(self._sets[player]) + 1
        try:
            met = self._sets[player].setdefault(key, _Set(number, name, tuple(actions), past))
        except TypeError:
            wrong_type("key", key, "something that can be hashed", "give a text or a number")
        called = f"information set '{met.name or met.number}'"
        if met.actions != tuple(actions):
            raise SpecError(f"{called} of {self._players[player]} has nodes with other actions.")
        if met.past != past:
            raise SpecError(
                f"{self._players[player]} has forgotten at {called} what they did or knew before: only games of "
                "perfect recall can be solved."
            )
        self._add(player, met.number, [1.0] * len(actions), gains)

    def chance(self, chances: Sequence[Number], gains: Payoffs | None = None) -> None:
        """A node of chance. chances: the probability of each child; their sum may differ from 1 by a millionth each.

        gains: as in `decision`. Raises SpecError for other probabilities.
        """
        try:
            total = float(sum(chances))
            chances = [*chances]
        except (TypeError, ValueError, OverflowError):
            wrong_type("chances", chances, "a sequence of numbers", "give one for each outcome, as in (0.5, 0.5)")
        if not chances:
            raise SpecError("a node of chance needs at least one outcome.")
        if (least := min(chances)) < 0:
            raise SpecError(f"a probability of chance is {shown(least)}: none may be below 0.")
        if not abs(total - 1) <= TOLERANCE * len(chances):
            raise SpecError(f"the probabilities of chance sum to {shown(total)}, not to 1.")
        self._add(NATURE, 0, [float(chance) / total for chance in chances], gains)

    def end(self, payoffs: Payoffs) -> None:
        """An end. payoffs: what each player gets there. Raises SpecError if they are not finite numbers."""
        self._add(END, 0, (), payoffs)

    def tree(self) -> ExtensiveForm:
        """The tree. Its keys are the numbers of information sets in order of appearance; it has labels.

        Raises SpecError if nodes are missing; UnequalSumsError if payoffs have different sums at two ends.
        """
        if not self.complete:
            raise SpecError("the tree ends before all of its nodes were added.")
        player, payoff = np.array(self._player), np.array(self._payoff)
        self._check_sums(np.flatnonzero(player == END), payoff)
        width, nodes = np.array(self._width), len(self._width)
        first = 1 + np.cumsum(width) - width
        number = first[np.array(self._parent)] + np.array(self._index)
        number[0] = 0

        def placed(values: Array) -> Array:
            found = np.empty_like(values)
            found[number] = values
            return found

        player, key = placed(player), placed(np.array(self._key))
        information_set, sets = np.full(nodes, -1, np.int32), []
        for seat in (ALICE, BOB):
            found = np.flatnonzero(player == seat)
            mine, information_set[found] = self._information_sets(seat, found, key[found])
            sets.append(mine)
        names, actions = zip(*(self._labels(seat, mine.key) for seat, mine in enumerate(sets)), strict=True)
        columns = placed(first), placed(width), placed(np.array(self._weight)), placed(payoff)
        labels = Labels(self._players, names, actions)
        return ExtensiveForm.of_nodes(self._name, "", player, *columns, information_set, (sets[0], sets[1]), labels)

    def _check_sums(self, ends: Array, payoff: Array) -> None:
        """Refuse payoffs whose sums differ by more than a part of their range, and by more than rounding."""
        sums, paid = np.array(self._sum)[ends], payoff[ends]
        allowed = TOLERANCE * float(np.ptp(paid)) + 4 * np.finfo(float).eps * float(np.abs(paid).max())
        if (wrong := np.flatnonzero(np.abs(sums - sums[0]) > allowed)).size:
            error = UnequalSumsError(
                f"the payoffs of one end sum to {shown(sums[0])}, those of another one to {shown(sums[wrong[0]])}: "
                "only games in which all ends pay the same sum can be solved."
            )
            error.node = int(ends[wrong[0]])
            raise error

    def _information_sets(self, seat: int, nodes: Array, key: Array) -> tuple[InformationSets, Array]:
        """A player's sets, and of which of them the player's nodes are. key: int32[nodes] of the same sets."""
        met = [*self._sets[seat].values()]
        head = np.full(len(met), np.iinfo(np.int32).max, np.int32)
        np.minimum.at(head, key - 1, nodes)
        past = np.array([one.past for one in met], np.int32).reshape(-1, 2)
        width = np.array([len(one.actions) for one in met], np.int32)
        number, order, start, parent_sequence = arrange(head, width, past[:, 0] - 1, past[:, 1])
        return InformationSets(1 + order, np.zeros(len(met), np.int16), parent_sequence, start), number[key - 1]

    def _labels(self, seat: int, keys: Array) -> tuple[list[str], list[str]]:
        """The names of a player's sets in the order of these keys, and of their actions."""
        met = [*self._sets[seat].items()]
        taken = Counter(one.name for _, one in met)
        ordered = [met[place - 1] for place in keys]
        names = unique(
            one.name if taken[one.name] == 1 else f"{one.name} ({number})" if one.name else str(number)
            for number, one in ((key if isinstance(key, int) else one.number, one) for key, one in ordered)
        )
        named = ([name or str(i) for i, name in enumerate(one.actions, 1)] for _, one in ordered)
        return names, ["", *(action for actions in named for action in unique(actions))]

    def _pasts(self) -> tuple[_Past, _Past]:
        """Where both players have acted last on the way to the next node."""
        if not self._path:
            return (0, 0), (0, 0)
        last = self._path[-1]
        mine, (alice, bob) = (last.number, last.added), last.pasts
        return mine if last.player == ALICE else alice, mine if last.player == BOB else bob

    def _add(self, player: int, number: int, chances: Sequence[float], gains: Payoffs | None) -> None:
        """Write down a node, and go on with its children or with what comes after it."""
        node, last = len(self._parent), self._path[-1] if self._path else None
        if self.complete:
            raise SpecError("the tree has ended before this node.")
        if node >= self._limit:
            raise TooManyNodesError(f"the tree of {self._name} has more than {self._limit:,} nodes: raise the limit.")
        if node >= self._fitting:
            raise UsageError(
                f"the tree of {self._name} has more than {self._fitting:,} nodes, which take about "
                f"{self._fitting * OUTSIDE_BYTES / 1e9:.1f} GB of memory, and no more is free on this machine."
            )
        gains = (0,) * self._seats if gains is None else gains
        if not _all(gains, object) or len(gains) != self._seats:
            wanted, how = ("one number", "(1,)") if self._seats == 1 else ("two numbers", "(1, -1)")
            wrong_type("gains", gains, wanted, f"give what each player gets, as in {how}")
        if last is not None:
            gains = tuple(before + here if before else here for before, here in zip(last.gains, gains, strict=True))
        paid, total = _paid(gains) if player == END else (0.0, 0.0)
        entered = _Open(node, player, number, chances, gains)
        entered.pasts = self._pasts()
        for column, value in (
            *((self._parent, last.node if last else 0), (self._index, last.added if last else 0)),
            *((self._player, player), (self._key, number), (self._width, len(chances)), (self._sum, total)),
            *((self._weight, last.chances[last.added] if last else 1.0), (self._payoff, paid)),
        ):
            column.append(value)  # type: ignore[arg-type]
        if last is not None:
            last.added += 1
        if player != END:
            self._path.append(entered)
        while self._path and self._path[-1].added == len(self._path[-1].chances):
            self._path.pop()


def _all(given: object, kind: type) -> bool:
    """Whether it is a sequence of such things."""
    return isinstance(given, Sequence) and all(isinstance(one, kind) for one in given)


def _paid(payoffs: Payoffs) -> tuple[float, float]:
    """The first player's payoff at an end, and the sum."""
    try:
        paid, total = float(payoffs[0]), float(sum(payoffs)) if len(payoffs) > 1 else 0.0
    except (TypeError, ValueError):
        wrong_type("payoffs", payoffs, "numbers", "give each player's, as in (1, -1)")
    except OverflowError:
        raise SpecError("a payoff is too large for a number of 64 bits.") from None
    if not math.isfinite(paid) or not math.isfinite(total):
        raise SpecError(f"an end pays {' and '.join(map(shown, payoffs))}: payoffs must be finite numbers.")
    return paid, total


def shown(value: Number) -> str:
    """A number with all of its digits."""
    number = float(value)
    return f"{number:.0f}" if number.is_integer() and abs(number) < 1e16 else repr(number)
