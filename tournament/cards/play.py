"""One match, played asynchronously, and what is recorded of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from antemill.engine.errors import StorageError
from antemill.engine.match import Game, Match, Transcript, prompt
from antemill.tournament.cards.replay import swing
from antemill.tournament.cards.seats import Move, Seat, Setting
from antemill.tournament.cards.slots import Slot
from antemill.tournament.replies import CAUSES
from antemill.tournament.runs import Access, Played
from antemill.tournament.runs.records import Counts

SIDES = ("alice", "bob")
COUNTS = ("moves", "fallbacks", *CAUSES, "clamped", "second", "input_tokens", "output_tokens")  # of a seat, in a row
_SUMMED = ("clamped", "second", "input_tokens", "output_tokens", "cost")  # of a seat's moves


class MatchRecord(Struct, frozen=True):
    """A match in full.

    moves: in the order of the transcript's decisions; models' with what they said. prompts: the version of what models
    were sent (`antemill.engine.match.prompt.version`); 1 in records that do not say it.
    """

    transcript: Transcript
    moves: tuple[Move, ...]
    list_moves: bool
    prompts: str = "1"


async def play_slot(
    slot: Slot,
    game: Game,
    seats: tuple[Seat, Seat],
    access: Access,
    setting: Setting,
    more: Callable[[Match], dict[str, Any]] = lambda _match: {},
) -> Played:
    """Play a slot from its first card to its result. more: what the row has of the finished match beside the rest."""
    match = Match(game, slot.play_seed, (slot.alice, slot.bob))
    moves: list[Move] = []
    while not match.over:
        moves.append(await seats[match.seat].move(match, access, f"{slot.key}:{len(moves)}"))
    fallbacks = sum(move.cause is not None for move in moves)
    prompts = prompt.version(setting.paper)
    record = MatchRecord(match.transcript(), tuple(moves), setting.list_moves, prompts)
    replies = tuple((move.call, move.cause or "") for move in moves if move.call is not None)
    row = _in_the_games_chips(result_row(match, moves), slot.scale) | {"prompts": prompts} | more(match)
    return Played(row, msgspec.to_builtins(record), fallbacks, replies, reply_counts(row, (slot.alice, slot.bob)))


def reply_counts(row: Mapping[str, Any], seats: Sequence[str]) -> dict[str, Counts]:
    """Of both players: moves, those that took a second try, and random ones in place of a reply."""
    found: dict[str, Counts] = {}
    for name, side in zip(seats, SIDES, strict=True):
        had, own = found.get(name, (0, 0, 0)), [row[f"{key}_{side}"] for key in ("moves", "second", "fallbacks")]
        found[name] = (had[0] + own[0], had[1] + own[1], had[2] + own[2])
    return found


def _in_the_games_chips(row: dict[str, Any], scale: int) -> dict[str, Any]:
    """The row of a match in disguise in chips of the game itself. Payoffs are multiples of the scale."""
    assert not row["payoff"] % scale
    return row | {name: row[name] // scale for name in ("margin", "payoff", "swing")}


def read_match(transcript: Any) -> MatchRecord:
    """A match from an item's transcript. Raises StorageError for anything else."""
    try:
        return msgspec.convert(transcript, MatchRecord)
    except msgspec.ValidationError as error:
        raise StorageError(f"the record of a match is damaged: {str(error)[:1].lower()}{str(error)[1:]}.") from error


def result_row(match: Match, moves: Sequence[Move]) -> dict[str, Any]:
    """What lists and tables have of a match, for both seats what they did.

    margin: chips, Alice's minus Bob's; swing: how far the lead moved, see `antemill.tournament.cards.replay.swing`.
    """
    payoffs = match.result.payoffs
    row: dict[str, Any] = {"margin": payoffs[0] - payoffs[1], "payoff": payoffs[0], "swing": swing(match.events())}
    for seat, side in enumerate(SIDES):
        own = [move for move in moves if move.seat == seat]
        row[f"moves_{side}"] = len(own)
        row[f"fallbacks_{side}"] = sum(move.cause is not None for move in own)
        row |= {f"{cause}_{side}": sum(move.cause == cause for move in own) for cause in CAUSES}
        row |= {f"{name}_{side}": sum(getattr(move, name) for move in own) for name in _SUMMED}
    return row
