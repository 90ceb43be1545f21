"""The players' moves beside the equilibrium, in games that are solved: how many it would not make, and what they cost.

What a match gave away is the sum of what its moves gave away (`Judged.cost`). Moves of one match hang together, and the
two matches of a pair share their cards, so means and errors are over pairs (`head_to_head.edge`); games count alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum
from pathlib import Path

import numpy as np
from msgspec import Struct

from antemill.engine.match import Transcript
from antemill.tournament import head_to_head as pairs
from antemill.tournament.cards.equilibrium import Judge
from antemill.tournament.cards.items import judges_of
from antemill.tournament.cards.kind import TOURNAMENT, read_games
from antemill.tournament.cards.play import read_match
from antemill.tournament.cards.slots import Slot, read_slot
from antemill.tournament.runs import reading
from antemill.tournament.statistics.precision import Error
from antemill.tournament.statistics.sheets import Cell, Column, Missing, Sheet, bounds, count, number, text

BY_PLAYER, BY_GAME = "disagreements", "disagreements_by_game"  # the names of the tables
_NOTE = (
    "Moves in games with a known equilibrium. *Off solver*: moves that it makes less often than one time in fifty. "
    "*Given away*: chips a match, the value of the best action less that of the move, both players at the equilibrium; "
    "low and high: the 95% interval (Student's over pairs of matches with the same cards, which is too narrow where "
    "mistakes are rare)."
)


class Played(Struct, frozen=True):
    """A player in one match. pair: the same for the matches with the same cards and the same two players.

    gave: chips given away; None where the cost of moves is not known.
    """

    player: str
    game: str
    pair: tuple[str, ...]
    seat: int
    judged: int  # decisions
    off: int  # decisions
    gave: float | None


def played(folder: Path) -> list[Played]:
    """Both players of every finished match of a run whose game has an equilibrium."""
    found: list[Played] = []
    with reading(TOURNAMENT, folder) as run:
        games = read_games(run.store.materials())
        judges = judges_of(run.store, folder, games)
        for record in run.store.records(finished_only=True):
            slot = read_slot(record.item.data)
            if record.status == "done" and (judge := judges.of(games[slot.game])) is not None:
                found += _both(slot, read_match(run.store.transcript(record.item.key)).transcript, judge)
    return found


def _both(slot: Slot, match: Transcript, judge: Judge) -> Iterator[Played]:
    """The two players of a match; none if it does not come out as it was recorded."""
    judged, made = judge.judge(match), match.decisions
    if len(judged) < len(made):
        return
    pair = (slot.game, str(slot.run), slot.ablation or "", *sorted(match.seats))
    for seat, player in enumerate(match.seats):
        own = [one for one, record in zip(judged, made, strict=True) if record.seat == seat and one.reached]
        gave = fsum(one.given for one in own) / slot.scale if judge.knows_costs else None
        yield Played(player, slot.about, pair, seat, len(own), sum(one.off for one in own), gave)


def disagreement_sheets(folder: Path) -> list[Sheet]:
    """The table by player and that by player and game; none if no game of the run has a known equilibrium."""
    found = played(folder)
    if not found:
        return []
    games = sorted({one.game for one in found})
    of = {name: [one for one in found if one.player == name] for name in sorted({one.player for one in found})}
    names = sorted(of, key=lambda name: (-_share(of[name]), name))
    whole: list[list[Cell]] = [[name, *_figures(of[name])] for name in names]
    split: list[list[Cell]] = []
    for name in names:
        by_game = {game: [one for one in of[name] if one.game == game] for game in games}
        split += [[name, game, *_figures(own)] for game, own in by_game.items() if own]
    player, game = text("player", "player"), text("game", "game")
    return [
        Sheet(BY_PLAYER, "Disagreements with the solver", [player, *_columns()], whole, _NOTE),
        Sheet(BY_GAME, "Disagreements with the solver by game", [player, game, *_columns()], split, _NOTE),
    ]


def _columns() -> list[Column]:
    rate, low, high = (number(key, heading, 3, False) for key, heading in _AWAY)
    return [
        count("judged", "moves judged"),
        count("off", "off solver"),
        Column("share", "share", "share", 1),
        rate,
        low,
        high,
    ]


_AWAY = (("gave", "given away"), ("low", "low"), ("high", "high"))


def _share(own: Sequence[Played]) -> float:
    return sum(one.off for one in own) / max(1, sum(one.judged for one in own))


def _figures(own: Sequence[Played]) -> list[Cell]:
    """Moves, disagreements, their share, chips given away a match, low, high."""
    judged, off = sum(one.judged for one in own), sum(one.off for one in own)
    share: Cell = off / judged if judged else Missing("no move was made where the equilibrium comes")
    return [judged, off, share, *_given(own)]


def _given(own: Sequence[Played]) -> list[Cell]:
    games = dict.fromkeys(one.game for one in own if one.gave is not None)
    if not games:
        return [
            Missing("the game's tree is too large, or the policy is abstract: the costs of moves are not known")
        ] * 3
    edges = [pairs.edge(_results([one for one in own if one.game == game])) for game in games]
    mean = pairs.average(edges)
    if mean.error is None:
        return [mean.mean, *[Missing("one pair of matches only")] * 2]
    shares = [(one.error or 0.0) ** 2 / len(edges) ** 2 for one in edges]
    rest = fsum(share**2 / (one.pairs - 1) for share, one in zip(shares, edges, strict=True))
    freedom = fsum(shares) ** 2 / rest if rest else 1.0  # Welch's
    interval = Error(np.array([mean.error]), np.array([freedom])).interval(np.array([mean.mean]))
    low, high = bounds(interval, 0)
    return [mean.mean, max(0.0, low) if isinstance(low, float) else low, high]


def _results(own: Sequence[Played]) -> list[pairs.MatchResult]:
    numbers = {pair: number for number, pair in enumerate(dict.fromkeys(one.pair for one in own))}
    return [pairs.MatchResult(numbers[one.pair], 0, one.seat, one.gave) for one in own if one.gave is not None]
