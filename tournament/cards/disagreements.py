"""The players' moves beside the equilibrium, in games that are solved: how many it would not make, and what they cost.

What a match gave away is the sum of what its moves gave away (`Judged.cost`). Moves of one match depend on each other,
and the two matches of a pair share their cards, as do their repetitions in disguise. So means and errors are over
pairs; games count alike. What is given away is never below zero, and mostly zero: the interval is that of rare events.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum
from pathlib import Path
from statistics import fmean

from msgspec import Struct

from antemill.tournament.cards.config import CardConfig
from antemill.tournament.cards.equilibrium import Judged
from antemill.tournament.cards.findings import Part
from antemill.tournament.cards.judgements import judgements_of
from antemill.tournament.cards.plan import NAME, read_games
from antemill.tournament.cards.play import SIDES, MatchRecord
from antemill.tournament.cards.slots import Slot, read_slot
from antemill.tournament.head_to_head import standard_error
from antemill.tournament.runs import Record
from antemill.tournament.runs.folder import looking
from antemill.tournament.statistics.losses import skewed, these
from antemill.tournament.statistics.sheets import Cell, Column, Missing, Sheet, count, number, text

BY_PLAYER, BY_GAME = "disagreements", "disagreements_by_game"  # the names of the tables
_NOTE = (
    "Moves in games with a known equilibrium. *Off solver*: moves that it makes less often than one time in fifty. "
    "*Given away*: chips a match, the value of the best action less that of the move, both players at the equilibrium; "
    "low and high: the 95% interval over pairs of matches with the same cards, which is that of rare events (Fay and "
    "Feuer 1997); a player without a mistake has none."
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


def played(parts: Sequence[Part]) -> list[Played]:
    """Both players of matches whose games have an equilibrium; not those that do not come out as they were recorded."""
    found: list[Played] = []
    for part in parts:
        with looking(NAME, CardConfig, part.folder) as (_, store):
            games = read_games(store.materials())
            judgements = judgements_of(store, part.folder, games)
            solved = [one for one in part.done if judgements.judges.of(games[one.item.data["game"]]) is not None]
            matches = store.transcripts([record.item.key for record in solved], MatchRecord)
            for record, match in zip(solved, matches, strict=True):
                slot = read_slot(record.item.data)
                judge = judgements.judges.of(games[slot.game])
                assert judge is not None
                judged = judgements.of(store, record.item.key, judge, match)
                if len(judged) == _moves(record):
                    found += _both(part.folder, slot, judged, judge.knows_costs)
    return found


def _moves(record: Record) -> int:
    """The decisions of a match. Fewer are judged if it does not come out as it was recorded."""
    return sum(record.row.get(f"moves_{side}", 0) for side in SIDES)


def _both(folder: Path, slot: Slot, judged: Sequence[Judged], knows_costs: bool) -> Iterator[Played]:
    """The two players of a match."""
    pair = (str(folder), slot.about, str(slot.run), slot.ablation or "", *sorted((slot.alice, slot.bob)))
    for seat, player in enumerate((slot.alice, slot.bob)):
        own = [one for one in judged if one.seat == seat and one.reached]
        gave = fsum(one.given for one in own) / slot.scale if knows_costs else None
        yield Played(player, slot.about, pair, seat, len(own), sum(one.off for one in own), gave)


def disagreement_sheets(parts: Sequence[Part]) -> list[Sheet]:
    """The table by player and that by player and game; none if no game of the runs has a known equilibrium."""
    found = played(parts)
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
    return [judged, off, share, *given_away(own)]


def given_away(own: Sequence[Played]) -> list[Cell]:
    """Chips given away a match, low, high."""
    games: dict[str, dict[tuple[str, ...], list[float]]] = {}
    for one in own:
        if one.gave is not None:
            games.setdefault(one.game, {}).setdefault(one.pair, []).append(one.gave)
    if not games:
        return [
            Missing("the game's tree is too large, or the policy is abstract: the costs of moves are not known")
        ] * 3
    means = [[fmean(matches) for matches in pairs.values()] for pairs in games.values()]
    found = these([(fmean(one), standard_error(one), len(one) - 1) for one in means])
    most = max(max(one) / len(one) for one in means) / len(means)
    if found.low is None:
        return [found.mean, *[Missing("one pair of matches only")] * 2]
    known = skewed(found, most)  # without a mistake nothing says how much one would cost
    return [known.mean, known.low, known.high]
