"""The extensive form of a game that comes from outside: its nodes are added one after the other.

    builder = Outside("Matching pennies", ("One", "Two"))
    builder.decision(0, "one", "one", ("heads", "tails"))
    for mine in (1, -1):
        builder.decision(1, "two", "two", ("heads", "tails"))
        for theirs in (1, -1):
            builder.end((mine * theirs, -mine * theirs))
    tree = builder.tree()

The order is prefix order: a node, then the subtrees of its children. The algorithms rely on what is checked here: one
or two players, payoffs with the same sum at every end, probabilities that sum to 1, and perfect recall.

Only the first player's payoffs are kept. If both payoffs sum to a constant, a chip that one player loses is a chip that
the other one wins, so the game is zero-sum up to the constant. A game of one player gets a second one who never acts.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational

import numpy as np

from antemill.engine.arguments import text, whole, wrong_type
from antemill.engine.errors import SpecError, UsageError
from antemill.engine.storage.memory import free_memory
from antemill.engine.text.labels import unique
from antemill.solver.game import ALICE, BOB, END, NATURE, Array, ExtensiveForm, InformationSets, Labels
from antemill.solver.trees.numbering import arrange

TOLERANCE = 1e-6  # of a node's probabilities, each; and of the sum of floating payoffs, as a part of their range
Payoffs = tuple[Fraction | float, ...]  # of each player
_ROUNDING = 2.0**-50  # of the largest payoff: smaller differences are lost in sums of 64 bits
_SMALLEST = 1e-290  # chips: numbers of 64 bits have all their digits above 2.3e-308, and chances multiply them
_SAME = 1e-12  # of two payoffs: they differ because they were rounded
_Past = tuple[int, int]  # a player's last information set, counted from 1, and the action taken there; at first zeros


class _Set:
    """An information set that has been met."""

    def __init__(self, number: int, name: str, actions: tuple[str, ...], past: _Past) -> None:
        self.number, self.name, self.actions, self.past = number, name, actions, past


@dataclass(slots=True)
class _Open:
    """A node whose children are being added."""

    node: int
    player: int
    chances: Sequence[float]  # of the children; 1 for each at a decision
    gains: Payoffs
    pasts: tuple[_Past, _Past]
    number: int  # of the information set, counted from 1; 0 at a node of chance
    added: int = 0  # children so far


OUTSIDE_LIMIT = 10_000_000  # nodes; while it is built a game takes several times as much memory as its tree
OUTSIDE_BYTES = 400  # a node at the peak of building; 398 were measured with an information set for every third node


class TooManyNodesError(UsageError):
    """A tree has more nodes than the caller allows."""


class Outside:
    """A tree that is being built.

    players: the names of one or two. limit: the most nodes. Payoffs that are ints or Fractions are compared exactly,
    floats in proportion to the range of the game's payoffs. Methods raise SpecError, which says why, for a game that
    cannot be solved, and TooManyNodesError for a game with more nodes than the limit.
    """

    def __init__(self, name: str, players: Sequence[str], limit: int = OUTSIDE_LIMIT) -> None:
        name, limit = text(name, "name"), whole(limit, "limit", 1)
        if (
            isinstance(players, str)
            or not isinstance(players, Sequence)
            or not all(isinstance(p, str) for p in players)
        ):
            wrong_type("players", players, "one or two names", "give them as in ('One', 'Two')")
        if len(players) not in (1, 2):
            raise SpecError(f"the game has {len(players)} players: only games of one or two can be solved.")
        self._seats = len(players)
        players = [player or f"Player {seat}" for seat, player in enumerate(players, 1)]
        first, second = unique([*players, "No opponent"][:2])
        self._name, self._players, self._limit = name, (first, second), limit
        self._fitting = free_memory() // OUTSIDE_BYTES  # nodes
        self._sets: tuple[dict[Hashable, _Set], dict[Hashable, _Set]] = ({}, {})
        self._path: list[_Open] = []
        self._parent, self._index, self._width = array("i"), array("i"), array("i")
        self._player, self._key = array("b"), array("i")
        self._weight, self._payoff = array("d"), array("d")
        self._sum: Fraction | float | None = None  # of both payoffs at the first end
        self._sums = array("d")  # of floating payoffs, with the larger one of each end
        self._exact: dict[float, set[Rational]] = {}  # payoffs that are one number in 64 bits

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
        if isinstance(actions, str) or not isinstance(actions, Sequence):
            wrong_type("actions", actions, "a sequence of names", "give them as in ('heads', 'tails')")
        try:
            hash(key)
        except TypeError:
            wrong_type("key", key, "something that can be hashed", "give a text or a number")
        if not isinstance(name, str):
            wrong_type("name", name, "a text")
        if not actions:
            raise SpecError("a decision needs at least one action.")
        pasts = self._pasts()
        met = self._sets[player].get(key)
        if met is None:
            number = len(self._sets[player]) + 1
            met = self._sets[player][key] = _Set(number, name, tuple(actions), pasts[player])
        elif met.actions != tuple(actions):
            raise SpecError(
                f"information set '{met.name or met.number}' of {self._players[player]} has nodes with other actions."
            )
        elif met.past != pasts[player]:
            raise SpecError(
                f"{self._players[player]} has forgotten at information set '{met.name or met.number}' what they did or "
                "knew before: only games of perfect recall can be solved."
            )
        self._open(player, met.number, [1.0] * len(actions), gains, pasts)

    def chance(self, chances: Sequence[Fraction | float], gains: Payoffs | None = None) -> None:
        """A node of chance. chances: the probability of each child; their sum may differ from 1 by a millionth each.

        gains: as in `decision`. Raises SpecError for other probabilities.
        """
        try:
            chances = [*chances]
            total = float(sum(chances))
        except (TypeError, ValueError, OverflowError):
            wrong_type("chances", chances, "a sequence of numbers", "give one for each outcome, as in (0.5, 0.5)")
        if not chances:
            raise SpecError("a node of chance needs at least one outcome.")
        if (least := min(chances)) < 0:
            raise SpecError(f"a probability of chance is {shown(least)}: none may be below 0.")
        if not abs(total - 1) <= TOLERANCE * len(chances):
            raise SpecError(f"the probabilities of chance sum to {shown(total)}, not to 1.")
        self._open(NATURE, 0, [float(chance) / total for chance in chances], gains, self._pasts())

    def end(self, payoffs: Payoffs) -> None:
        """An end. payoffs: what each player gets there. Raises SpecError if they are not finite numbers, or do not
        have the same sum as at the other ends."""
        self._open(END, 0, (), payoffs, ((0, 0), (0, 0)))

    def tree(self) -> ExtensiveForm:
        """The tree. Its keys are the numbers of information sets in order of appearance; it has labels.

        Raises SpecError if nodes are missing, or if 64-bit numbers cannot distinguish its payoffs.
        """
        if not self.complete:
            raise SpecError("the tree ends before all of its nodes were added.")
        self._check_payoffs()
        width, nodes = np.array(self._width), len(self._width)
        first = 1 + np.cumsum(width) - width
        number = first[np.array(self._parent)] + np.array(self._index)
        number[0] = 0

        def placed(values: Array, kind: type) -> Array:
            found: Array = np.empty(nodes, kind)
            found[number] = values
            return found

        player, key = placed(np.array(self._player), np.int8), placed(np.array(self._key), np.int32)
        information_set, sets = np.full(nodes, -1, np.int32), []
        for seat in (ALICE, BOB):
            found = np.flatnonzero(player == seat)
            mine, information_set[found] = self._information_sets(seat, found, key[found])
            sets.append(mine)
        names, actions = zip(*(self._labels(seat, mine.key) for seat, mine in enumerate(sets)), strict=True)
        return ExtensiveForm.of_nodes(
            self._name,
            "",
            player,
            placed(first, np.int32),
            placed(width, np.int32),
            placed(np.array(self._weight), np.float64),
            placed(np.array(self._payoff), np.float64),
            information_set,
            (sets[0], sets[1]),
            Labels(self._players, names, actions),
        )

    def _information_sets(self, seat: int, nodes: Array, key: Array) -> tuple[InformationSets, Array]:
        """A player's sets, and of which of them the player's nodes are. key: int32[nodes] of the same sets."""
        met = [*self._sets[seat].values()]
        head = np.full(len(met), np.iinfo(np.int32).max, np.int32)
        np.minimum.at(head, key - 1, nodes)
        past = np.array([one.past for one in met], np.int32).reshape(-1, 2)
        width = np.array([len(one.actions) for one in met], np.int32)
        number, order, start, parent_sequence = arrange(head, width, past[:, 0] - 1, past[:, 1])
        decision = np.zeros(len(met), np.int16)
        return InformationSets(1 + order, decision, parent_sequence, start), number[key - 1]

    def _labels(self, seat: int, keys: Array) -> tuple[list[str], list[str]]:
        """The names of a player's sets in the order of these keys, and of their actions."""
        met = [*self._sets[seat].items()]
        taken = Counter(one.name for _, one in met)
        ordered = [met[place - 1][1] for place in keys]
        numbers = [key if isinstance(key := met[place - 1][0], int) else place for place in keys]
        names = unique(
            one.name if taken[one.name] == 1 else f"{one.name} ({number})" if one.name else str(number)
            for one, number in zip(ordered, numbers, strict=True)
        )
        named = ([name or str(i) for i, name in enumerate(one.actions, 1)] for one in ordered)
        return names, ["", *(action for actions in named for action in unique(actions))]

    def _pasts(self) -> tuple[_Past, _Past]:
        """Where both players have acted last on the way to the next node."""
        if not self._path:
            return (0, 0), (0, 0)
        last = self._path[-1]
        mine = (last.number, last.added)
        if last.player == ALICE:
            return mine, last.pasts[1]
        return (last.pasts[0], mine) if last.player == BOB else last.pasts

    def _open(
        self, player: int, number: int, chances: Sequence[float], gains: Payoffs | None, pasts: tuple[_Past, _Past]
    ) -> None:
        """Write down a node, and go on with its children or with what comes after it."""
        node = len(self._parent)
        if self.complete:
            raise SpecError("the tree has ended before this node.")
        if node >= self._limit:
            raise TooManyNodesError(f"the tree of {self._name} has more than {self._limit:,} nodes: raise the limit.")
        if node >= self._fitting:
            raise UsageError(
                f"the tree of {self._name} has more than {self._fitting:,} nodes, which take about "
                f"{self._fitting * OUTSIDE_BYTES / 1e9:.1f} GB of memory, and no more is free on this machine."
            )
        last = self._path[-1] if self._path else None
        if gains is None:
            gains = (0,) * self._seats
        if not isinstance(gains, tuple | list) or len(gains) != self._seats:
            wanted, how = ("one number", "(1,)") if self._seats == 1 else ("two numbers", "(1, -1)")
            wrong_type("gains", gains, wanted, f"give what each player gets, as in {how}")
        weight = 1.0
        if last is not None:
            weight = last.chances[last.added]
            gains = tuple(before + here if before else here for before, here in zip(last.gains, gains, strict=True))
        payoff = self._paid(gains) if player == END else 0.0
        self._parent.append(last.node if last else 0)
        self._index.append(last.added if last else 0)
        self._player.append(player)
        self._key.append(number)
        self._width.append(len(chances))
        self._weight.append(weight)
        self._payoff.append(payoff)
        if last is not None:
            last.added += 1
        if player != END:
            self._path.append(_Open(node, player, chances, gains, pasts, number))
        while self._path and self._path[-1].added == len(self._path[-1].chances):
            self._path.pop()

    def _paid(self, payoffs: Payoffs) -> float:
        """The first player's payoff at an end."""
        try:
            first, *rest = payoffs
            paid = float(first)
            total = first + rest[0] if rest else 0
            larger = max(abs(paid), *map(abs, map(float, rest))) if rest else abs(paid)
        except (TypeError, ValueError):
            wrong_type("payoffs", payoffs, "numbers", "give each player's, as in (1, -1)")
        except OverflowError:
            raise SpecError("a payoff is too large for a number of 64 bits.") from None
        if not math.isfinite(larger) or not math.isfinite(float(total)):
            raise SpecError(f"an end pays {' and '.join(map(shown, payoffs))}: payoffs must be finite numbers.")
        if isinstance(first, Rational):
            self._exact.setdefault(paid, set()).add(first)
        if self._sum is None:
            self._sum = total
        if isinstance(total, Rational) and isinstance(self._sum, Rational):
            if total != self._sum:
                raise SpecError(_differ(self._sum, total))
        else:
            self._sums.extend((float(total), larger))
        return paid

    def _check_payoffs(self) -> None:
        """Refuse payoffs whose sums differ, and those that computing in 64 bits cannot tell apart."""
        paid = np.unique(np.array(self._payoff)[np.array(self._player) == END])
        spread, largest = float(paid[-1] - paid[0]), float(np.abs(paid).max())
        sums, larger = np.array(self._sums).reshape(-1, 2).T
        if len(sums):
            off = np.abs(sums - float(self._sum or 0))
            allowed = TOLERANCE * spread + 4 * np.finfo(float).eps * larger
            if (wrong := np.flatnonzero(off > allowed)).size:
                raise SpecError(_differ(float(self._sum or 0), float(sums[wrong[0]])))
        exact = [tuple(sorted(same)) for same in self._exact.values() if len(same) > 1]
        pairs = [(same[0], same[-1]) for same in exact] + [*zip(paid[:-1].tolist(), paid[1:].tolist(), strict=True)]
        true_spread = Fraction(spread) + sum(Fraction(same[-1]) - Fraction(same[0]) for same in exact)
        if true_spread > 0 and largest < _SMALLEST:
            raise SpecError(f"all payoffs are below {_SMALLEST:g}, too small for numbers of 64 bits: give larger ones.")
        for low, high in pairs:
            apart, size = Fraction(high) - Fraction(low), max(abs(Fraction(low)), abs(Fraction(high)))
            differ = apart > Fraction(_SAME) * min(size, true_spread)
            if differ and apart < Fraction(_ROUNDING) * Fraction(largest):
                raise SpecError(
                    f"payoffs of {shown(low)} and {shown(high)} cannot be distinguished beside one of "
                    f"{shown(largest)} in numbers of 64 bits: leave out the largest ones, or what all payoffs have "
                    "in common."
                )


def shown(value: Fraction | float) -> str:
    """A number with all of its digits."""
    if isinstance(value, Fraction) and value.denominator > 1 and len(str(value)) <= 20:
        return str(value)
    number = float(value)
    return f"{number:.0f}" if number.is_integer() and abs(number) < 1e16 else repr(number)


def _differ(one: Fraction | float, other: Fraction | float) -> str:
    return (
        f"the payoffs of one end sum to {shown(one)}, those of another one to {shown(other)}: only games in which all "
        "ends pay the same sum can be solved."
    )
