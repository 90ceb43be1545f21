"""What can be true at a point of the game: an interval for every public or private quantity (requirement G34).

The builder walks the game in the order of play and keeps, for the point at which it is, the smallest and largest
value that each stack, hand, pile and variable can have. Conditions and effects are drawn so that they make sense
inside these bounds. The bounds are sound but not tight: two quantities are treated as independent, apart from the
totals of chips and of cards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from engine.rules.spec import (
    ActionRound,
    AddToVariable,
    All,
    Announce,
    Ante,
    Auction,
    BettingLoop,
    ChipsAre,
    Comparison,
    Condition,
    Cost,
    Deal,
    DealBoard,
    DeckSizeIs,
    Discard,
    Draw,
    EndGame,
    FixedBetting,
    HandSizeIs,
    If,
    Leads,
    NoAction,
    Not,
    Observation,
    Peek,
    Perform,
    Phase,
    Positions,
    PotIs,
    Reveal,
    Score,
    Showdown,
    Shuffle,
    SideBet,
    Simultaneous,
    Steal,
    Step,
    Steps,
    Swap,
    TakePot,
    Transfer,
    VariableBetting,
    VariableIs,
)
from engine.rules.walk import player_fields

# The quantities, by index. A hand is HAND + seat, a stack is the seat itself; variables follow from VARIABLES on.
ALICE: Final = 0
BOB: Final = 1
POT: Final = 2
HAND: Final = 3
DECK: Final = 5
BOARD: Final = 6
PILE: Final = 7
LEAD: Final = 8
VARIABLES: Final = 9
_CHIPS: Final[tuple[int, ...]] = (ALICE, BOB, POT)  # what adds up to all chips, ...
_CARDS: Final[tuple[int, ...]] = (HAND, HAND + 1, DECK, BOARD, PILE)  # ... to all cards
_ALL: Final = 1 << 20
_OPPOSITE: Final[dict[Comparison, Comparison]] = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def at_start(chips: int, cards: int) -> Bounds:
    """Before anything has been dealt: each player has so many chips, all cards are in the deck."""
    known = [chips, chips, 0, 0, 0, cards, 0, 0, 0]
    return Bounds(known, known[:], True, 2 * chips, cards, {}, {})


class Bounds:
    """Intervals `lo[q]..hi[q]` for every quantity q. Not `alive`: play can not be here, the game has ended."""

    __slots__ = ("alive", "cards", "chips", "hi", "lo", "phases", "variables")

    def __init__(
        self,
        lo: list[int],
        hi: list[int],
        alive: bool,
        chips: int,
        cards: int,
        phases: dict[str, Phase],
        variables: dict[str, int],
    ) -> None:
        self.lo = lo
        self.hi = hi
        self.alive = alive
        self.chips = chips  # of both players
        self.cards = cards
        self.phases = phases  # shared by all copies
        self.variables = variables  # name -> quantity; shared by all copies

    def copy(self) -> Bounds:
        """An independent copy of the intervals."""
        return Bounds(self.lo[:], self.hi[:], self.alive, self.chips, self.cards, self.phases, self.variables)

    def join(self, other: Bounds) -> None:
        """Play may come from either: the union of the intervals. `other` is not to be used again."""
        if not other.alive:
            return
        if not self.alive:
            self.lo, self.hi, self.alive = other.lo, other.hi, True
            return
        if self.lo != other.lo:  # most branches change few quantities, many none
            self.lo = [a if a < b else b for a, b in zip(self.lo, other.lo)]
        if self.hi != other.hi:
            self.hi = [a if a > b else b for a, b in zip(self.hi, other.hi)]

    def declare(self, variable: str) -> int:
        """The quantity of a variable, new ones starting at 0. Only to be called on the main line of play."""
        if variable not in self.variables:
            self.variables[variable] = len(self.lo)
            self.lo.append(0)
            self.hi.append(0)
        return self.variables[variable]

    def uncertain(self, quantity: int) -> bool:
        """Whether the quantity can have more than one value."""
        return self.lo[quantity] < self.hi[quantity]

    # -------------------------------------------------------------------------------------------- conditions

    def assume(self, condition: Condition, holds: bool = True) -> None:
        """Narrow the intervals, knowing how a condition came out. Conditions on cards narrow nothing."""
        narrow = CONDITIONS.get(type(condition))
        if narrow is not None:
            narrow(self, condition, holds)

    def _chips_are(self, condition: ChipsAre, holds: bool) -> None:
        if condition.player in ("alice", "bob"):
            self._narrow(self.seat(condition.player), condition.op, condition.value, holds)

    def _hand_size_is(self, condition: HandSizeIs, holds: bool) -> None:
        if condition.player in ("alice", "bob"):
            self._narrow(HAND + self.seat(condition.player), condition.op, condition.value, holds)

    def _pot_is(self, condition: PotIs, holds: bool) -> None:
        self._narrow(POT, condition.op, condition.value, holds)

    def _deck_size_is(self, condition: DeckSizeIs, holds: bool) -> None:
        self._narrow(DECK, condition.op, condition.value, holds)

    def _variable_is(self, condition: VariableIs, holds: bool) -> None:
        self._narrow(self.variables[condition.variable], condition.op, condition.value, holds)

    def _leads(self, condition: Leads, holds: bool) -> None:
        self.lo[LEAD] = self.hi[LEAD] = int((condition.seat == "bob") == holds)

    def _not(self, condition: Not, holds: bool) -> None:
        self.assume(condition.condition, not holds)

    def _all(self, condition: All, holds: bool) -> None:
        if holds:
            for part in condition.conditions:
                self.assume(part)

    def _narrow(self, quantity: int, op: Comparison, value: int, holds: bool) -> None:
        if op == "==":
            if holds:
                self.lo[quantity] = self.hi[quantity] = value
            return
        if not holds:
            op = _OPPOSITE[op]
        if op in ("<", "<="):
            most = value - (op == "<")
            if most < self.hi[quantity]:
                self.hi[quantity] = most
        else:
            least = value + (op == ">")
            if least > self.lo[quantity]:
                self.lo[quantity] = least

    # -------------------------------------------------------------------------------------------- steps

    def steps(self, steps: tuple[Step, ...]) -> None:
        """Play goes through the steps in order."""
        for step in steps:
            if not self.alive:
                return
            self.step(step)

    def step(self, step: Step) -> None:
        """Play goes through a step; one that names a position is followed for either leader."""
        effect = EFFECTS[type(step)]
        if self.lo[LEAD] < self.hi[LEAD] and _names_position(step):
            other = self.copy()
            self.hi[LEAD], other.lo[LEAD] = 0, 1
            effect(self, step)
            effect(other, step)
            self.join(other)
        else:
            effect(self, step)

    def seat(self, player: str) -> int:
        """The seat (or account) of a player; positions are read from the leader's lower bound."""
        if player == "alice":
            return 0
        if player == "bob":
            return 1
        if player == "pot":
            return POT
        return self.lo[LEAD] if player == "leader" else 1 - self.lo[LEAD]

    def _seats(self, player: str) -> tuple[int, ...]:
        return (0, 1) if player == "both" else (self.seat(player),)

    def _transfer(self, step: Transfer) -> None:
        self._move(self.seat(step.source), self.seat(step.target), step.amount)

    def _take_cards(self, step: Draw | Deal) -> None:
        for seat in self._seats(step.player):
            self._move(DECK, HAND + seat, step.count)

    def _ante(self, step: Ante) -> None:
        for seat in self._seats(step.player):
            self._move(seat, POT, step.amount)

    def _perform(self, step: Perform) -> None:
        self.phase(self.phases[step.phase])

    def _deal_board(self, step: DealBoard) -> None:
        self._move(DECK, BOARD, step.count)

    def _discard(self, step: Discard) -> None:
        self._move(HAND + self.seat(step.player), PILE, 1)

    def _steal(self, step: Steal) -> None:
        seat = self.seat(step.player)
        self._move(HAND + 1 - seat, HAND + seat, 1)

    def _take_pot(self, step: TakePot) -> None:
        self._move(POT, self.seat(step.player), _ALL)

    def _add(self, step: AddToVariable) -> None:
        quantity = self.variables[step.variable]
        self.lo[quantity] += step.amount
        self.hi[quantity] += step.amount

    def _shuffle(self, step: Shuffle) -> None:
        if step.discard_pile:
            self._move(PILE, DECK, _ALL)

    def _nothing(self, _: Step | Phase) -> None:
        """No quantity changes."""

    def _end(self, _: EndGame | Showdown) -> None:
        self.alive = False

    def _move(self, source: int, target: int, amount: int) -> None:
        """At most `amount` chips or cards move, as many as there are."""
        lo, hi = self.lo, self.hi
        low, high = lo[source], hi[source]
        if low > amount:
            lo[source], low = low - amount, amount
        else:
            lo[source] = 0
        if high > amount:
            hi[source], high = high - amount, amount
        else:
            hi[source] = 0
        lo[target] += low
        most = hi[target] + high
        total = self.chips if target <= POT else self.cards
        hi[target] = most if most < total else total

    def _conditional(self, step: If) -> None:
        other = self.copy()
        self.assume(step.condition)
        other.assume(step.condition, False)
        self.steps(step.then)
        other.steps(step.otherwise)
        self.join(other)

    # -------------------------------------------------------------------------------------------- phases

    def phase(self, phase: Phase) -> None:
        """Play goes through a phase."""
        PHASES[type(phase)](self, phase)

    def _steps_phase(self, phase: Steps) -> None:
        self.steps(phase.steps)

    def _fixed(self, phase: FixedBetting) -> None:
        self._bet(phase.amount * (1 + phase.raises))

    def _variable(self, phase: VariableBetting) -> None:
        self._bet(phase.cap or _ALL)

    def _actions(self, phase: ActionRound) -> None:
        for _ in range(phase.picks):
            self.action(phase)

    def _bet(self, limit: int) -> None:
        """Both players put the same number of chips, 0 to `limit`, into the pot."""
        lo, hi = self.lo, self.hi
        most = min(limit, min(hi[ALICE], hi[BOB]))
        lo[ALICE] = max(0, lo[ALICE] - most)
        lo[BOB] = max(0, lo[BOB] - most)
        hi[POT] = min(hi[POT] + 2 * most, self.chips)
        self._tighten(_CHIPS, self.chips)

    def _loop(self, loop: BettingLoop) -> None:
        counter = self.variables[loop.counter]
        self.lo[counter] = self.hi[counter] = 0
        left: Bounds | None = None  # the states in which the loop may be left early
        for k in range(loop.cap):
            if min(self.lo[ALICE], self.lo[BOB]) <= loop.stop_at:
                if left is None:
                    left = self.copy()
                else:
                    left.join(self)
                if min(self.hi[ALICE], self.hi[BOB]) <= loop.stop_at:
                    break
                self.lo[ALICE] = max(self.lo[ALICE], loop.stop_at + 1)
                self.lo[BOB] = max(self.lo[BOB], loop.stop_at + 1)
            if k:
                self.steps(loop.between)
                if not self.alive:
                    break
            self.phase(self.phases[loop.rounds[min(k, len(loop.rounds) - 1)]])
            self.lo[counter] = self.hi[counter] = k + 1
        if left is not None:
            self.join(left)

    def action(self, phase: ActionRound) -> None:
        """One pick of an action round."""
        ends = []
        for option in phase.options:
            end = self.copy()
            if option.cost is not None:
                end.charge(option.cost, phase.player)
            end.steps(option.steps)
            ends.append(end)
        self.become(ends)

    def charge(self, cost: Cost, player: str) -> None:
        """The player, who chose an option, pays what it costs; whoever leads may be either."""
        if self.uncertain(LEAD) and player in ("leader", "follower"):
            other = self.copy()
            self.hi[LEAD], other.lo[LEAD] = 0, 1
            self._charge(cost, self.seat(player))
            other._charge(cost, other.seat(player))
            self.join(other)
        else:
            self._charge(cost, self.seat(player))

    def _charge(self, cost: Cost, seat: int) -> None:
        if cost.odds is None:
            self.lo[seat] = max(self.lo[seat], cost.amount)
            self._move(seat, POT, cost.amount)
        else:
            free = self.copy()
            self._move(seat, POT, cost.amount)
            self.join(free)

    def _simultaneous(self, phase: Simultaneous) -> None:
        ends = []
        for cell in phase.cells:
            end = self.copy()
            end.steps(cell.steps)
            ends.append(end)
        if len(phase.cells) < len(phase.alice_options) * len(phase.bob_options):
            end = self.copy()
            end.steps(phase.others)
            ends.append(end)
        self.become(ends)

    def _auction(self, phase: Auction) -> None:
        ends = [self.copy()]
        for seat in (0, 1):
            end = self.copy()
            most = min(phase.max_bid, end.hi[seat])
            end.lo[seat] = max(0, end.lo[seat] - most)
            end.hi[POT] = min(end.hi[POT] + most, self.chips)
            if isinstance(phase.prize, Draw):
                end._move(DECK, HAND + seat, phase.prize.count)
            elif isinstance(phase.prize, Steal):
                end._move(HAND + 1 - seat, HAND + seat, 1)
            ends.append(end)
        self.become(ends)

    def _positions(self, phase: Positions) -> None:
        if phase.criterion == "alternate":
            self.lo[LEAD], self.hi[LEAD] = 1 - self.hi[LEAD], 1 - self.lo[LEAD]
        else:
            self.lo[LEAD], self.hi[LEAD] = 0, 1

    def become(self, ends: list[Bounds]) -> None:
        """Play comes from one of these, which are not used again."""
        self.alive = False
        for end in ends:
            self.join(end)

    def tighten(self) -> None:
        """Use that all chips, and all cards, add up to a known total."""
        self._tighten(_CHIPS, self.chips)
        self._tighten(_CARDS, self.cards)

    def _tighten(self, quantities: tuple[int, ...], total: int) -> None:
        lo, hi = self.lo, self.hi
        slack, excess = total, -total
        for q in quantities:
            slack -= lo[q]
            excess += hi[q]
        for q in quantities:
            low, high = lo[q], hi[q]
            if low < high:
                if low + slack < high:
                    hi[q] = low + slack
                if high - excess > low:
                    lo[q] = high - excess


def _names_position(step: Step) -> bool:
    for field in player_fields(type(step)):
        if getattr(step, field) in ("leader", "follower"):
            return True
    return False


# The kinds that the builder draws.
EFFECTS: Final[dict[type, Callable[[Bounds, Any], None]]] = {
    If: Bounds._conditional,
    Transfer: Bounds._transfer,
    Draw: Bounds._take_cards,
    Deal: Bounds._take_cards,
    Ante: Bounds._ante,
    Perform: Bounds._perform,
    DealBoard: Bounds._deal_board,
    Discard: Bounds._discard,
    Steal: Bounds._steal,
    TakePot: Bounds._take_pot,
    AddToVariable: Bounds._add,
    Shuffle: Bounds._shuffle,
    EndGame: Bounds._end,
    **dict.fromkeys((Score, Peek, Swap, Reveal, Announce, NoAction), Bounds._nothing),
}
PHASES: Final[dict[type, Callable[[Bounds, Any], None]]] = {
    Steps: Bounds._steps_phase,
    FixedBetting: Bounds._fixed,
    VariableBetting: Bounds._variable,
    BettingLoop: Bounds._loop,
    ActionRound: Bounds._actions,
    Simultaneous: Bounds._simultaneous,
    Auction: Bounds._auction,
    Positions: Bounds._positions,
    Showdown: Bounds._end,
    **dict.fromkeys((Observation, SideBet), Bounds._nothing),
}
# The conditions that narrow an interval. Those on cards narrow none, nor does one of several that holds.
CONDITIONS: Final[dict[type, Callable[[Bounds, Any, bool], None]]] = {
    PotIs: Bounds._pot_is,
    ChipsAre: Bounds._chips_are,
    HandSizeIs: Bounds._hand_size_is,
    DeckSizeIs: Bounds._deck_size_is,
    VariableIs: Bounds._variable_is,
    Leads: Bounds._leads,
    Not: Bounds._not,
    All: Bounds._all,
}
