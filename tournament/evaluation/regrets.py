"""What single decisions give away: by kind of decision, and the dearest.

A decision's regret is the value of the information set's best action less that of the action taken, with equilibrium
play before (of the opponent) and after (of both), and best responses where a player leaves the equilibrium's path
(`antemill.solver.evaluation.regret`). A decision where the equilibrium's opponent never leads has no regret and is
counted apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from msgspec import Struct

from antemill.engine.match import DecisionRecord
from antemill.tournament.cards.equilibrium import MISTAKE, Judged
from antemill.tournament.cards.seats import Move
from antemill.tournament.statistics.losses import Loss, interval, skewed

ALL = "all"


class Decided(Struct, frozen=True):
    """One decision of a player. cluster: the pair of matches. cost: chips, None where it is not known."""

    player: str
    game: str
    item: str
    number: int  # among the decisions of the match, from 1
    cluster: tuple[str, int]
    kind: str
    cost: float | None
    choice: str
    best: str
    reply: str
    call: int | None
    fallback: bool


class KindRegret(Struct, frozen=True):
    """The decisions of one kind, or all. regret: chips a decision. mistakes: the share that gives something away."""

    kind: str
    decisions: int
    unknown: int
    regret: Loss
    mistakes: float
    total: float


def decided(
    player: str, game: str, item: str, run: int, seat: int, records: Sequence[DecisionRecord], moves: Sequence[Move],
    judged: Sequence[Judged], scale: int = 1,
) -> list[Decided]:  # fmt: skip
    """The decisions of the player at a seat of a match. scale: chips of the match for one chip of the game."""
    found = []
    for number, (record, move, one) in enumerate(zip(records, moves, judged, strict=True), 1):
        if record.seat != seat:
            continue
        gives = one.gives or ()
        known = [i for i, cost in enumerate(gives) if cost is not None]
        best = min(known, key=lambda i: (gives[i], -one.mix[i]), default=None)
        found.append(
            Decided(
                player=player,
                game=game,
                item=item,
                number=number,
                cluster=(game, run),
                kind=kind_of(record),
                cost=None if one.cost is None else one.cost / scale,
                choice=str(record.choice),
                best="" if best is None else entry(record, best),
                reply=move.text or "",
                call=move.call,
                fallback=move.cause is not None,
            )
        )
    return found


def kind_of(record: DecisionRecord) -> str:
    """The kind of a decision: bet (bet or check), call (an answer to a bet), size, bid, simultaneous, side bet, or
    action (an option of an action round)."""
    if record.move_type in _BY_TYPE:
        return _BY_TYPE[record.move_type]
    return _BY_NAME.get(record.move_name, "action")


_BY_TYPE = {"wager": "size", "bid": "bid", "simultaneous": "simultaneous"}
_BY_NAME = {
    **{"bet/check": "bet", "fold/call": "call", "fold/call/raise": "call", "take/pass": "side bet"},
}


def entry(record: DecisionRecord, place: int) -> str:
    """The entry of a decision's menu at a place."""
    return record.options[place] if record.options else str(record.low + place)


def by_kind(decisions: Sequence[Decided]) -> list[KindRegret]:
    """The regret of all decisions, then of each kind, the dearest in all first."""
    kinds = dict.fromkeys(one.kind for one in decisions)
    found = [_of_kind(kind, [one for one in decisions if one.kind == kind]) for kind in kinds]
    return [_of_kind(ALL, decisions), *sorted(found, key=lambda one: (-one.total, one.kind))]


def _of_kind(kind: str, decisions: Sequence[Decided]) -> KindRegret:
    known = [(one.cluster, one.cost) for one in decisions if one.cost is not None]
    total = math.fsum(cost for _, cost in known)
    wrong = sum(cost > MISTAKE for _, cost in known)
    share = wrong / len(known) if known else 0.0
    return KindRegret(kind, len(decisions), len(decisions) - len(known), mean_cost(decisions)[0], share, total)


def mean_cost(decisions: Sequence[Decided]) -> tuple[Loss, int]:
    """The mean regret of decisions whose cost is known, and how many pairs of matches they are of."""
    known = [(one.cluster, one.cost) for one in decisions if one.cost is not None]
    return _mean(known), len({cluster for cluster, _ in known})


def _mean(known: Sequence[tuple[tuple[str, int], float]]) -> Loss:
    """The mean cost with the interval of rare events; pairs of matches are clusters, whose numbers of decisions differ.

    There is no interval for one pair, nor without a mistake.
    """
    if not known:
        return Loss(math.nan, None, None, None)
    sums: dict[tuple[str, int], list[float]] = {}
    for cluster, cost in known:
        sums.setdefault(cluster, []).append(cost)
    mean = math.fsum(cost for _, cost in known) / len(known)
    many = len(sums)
    if many < 2:
        return Loss(mean, None, None, None)
    spread = math.fsum((math.fsum(costs) - mean * len(costs)) ** 2 for costs in sums.values())
    found = interval(mean, math.sqrt(spread * many / (many - 1)) / len(known), many - 1)
    wrong = any(cost > MISTAKE for _, cost in known)  # without one, nothing says how much a mistake would cost
    return skewed(found, max(map(math.fsum, sums.values())) / len(known) if wrong else 0.0)


def dearest(decisions: Iterable[Decided], count: int) -> list[Decided]:
    """The decisions that give most away, at most so many."""
    found = [one for one in decisions if one.cost is not None and one.cost > MISTAKE]
    return sorted(found, key=lambda one: (-(one.cost or 0.0), one.item, one.number))[:count]
