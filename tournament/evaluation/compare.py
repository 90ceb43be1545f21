"""Two players on the same cards: the difference of their losses, pair of matches by pair."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from antemill.engine.errors import StorageError, UsageError
from antemill.engine.storage.files import read_bytes
from antemill.tournament import head_to_head as pairs
from antemill.tournament.evaluation.losses import like_these
from antemill.tournament.evaluation.scorecard import NAME, SCHEMA, PlayerCard, Scorecard
from antemill.tournament.evaluation.suites import STARTER
from antemill.tournament.pool.standard import STANDARD
from antemill.tournament.statistics.losses import Loss, interval, these
from antemill.tournament.statistics.sheets import Cell, Missing, Sheet, number, text

# Instead of a folder: the scorecards of the bots that ship with us, by the suite that they are of.
REFERENCES = {STARTER: "reference", STANDARD: "reference-standard"}
_SHIPPED = {REFERENCES[STARTER]: "reference_cards.json", REFERENCES[STANDARD]: "reference_standard.json"}
ONE = "one pair of matches, or one game, only"


class Difference(Struct, frozen=True):
    """How much more the first player loses than the second, chips a match; positive: the second is better.

    unpaired: the standard error if the cards were not the same, beside that of `difference`.
    """

    first: str
    second: str
    difference: Loss
    like: Loss
    by_game: dict[str, Loss]
    pairs: int
    unpaired: float | None


def read_card(path: Path) -> Scorecard:
    """The scorecard in a file or in a run's folder, or the one that ships with us.

    Raises StorageError for what is none, or of another schema.
    """
    file = path / NAME if path.is_dir() else path
    if str(path) in _SHIPPED and not path.exists():
        file = Path(__file__).with_name(_SHIPPED[str(path)])
    try:
        found = msgspec.json.decode(read_bytes(file), type=Scorecard)
    except msgspec.MsgspecError as error:
        raise StorageError(f"{file} is no scorecard: {str(error)[:1].lower()}{str(error)[1:]}.") from error
    if found.schema != SCHEMA:
        raise StorageError(
            f"{file} has schema {found.schema}, and this antemill reads {SCHEMA}: analyze the run again."
        )
    return found


def player_of(name: str) -> tuple[Scorecard, PlayerCard]:
    """The player that FOLDER or FOLDER:PLAYER names. Raises UsageError if a card has several and none is named."""
    named = ":" in name and not Path(name).exists()
    path, _, player = name.rpartition(":") if named else (name, "", "")
    card = read_card(Path(path))
    names = [one.name for one in card.players]
    if not player and len(names) > 1:
        raise UsageError(f"{path} has several players ({', '.join(names)}): name one, as in {path}:{names[0]}.")
    chosen = [one for one in card.players if not player or one.name == player]
    if not chosen:
        raise UsageError(f"{path} has no player '{player}': it has {', '.join(names)}.")
    return card, chosen[0]


def compare(first: str, second: str) -> Difference:
    """Two players by the pairs of matches that both have played. Raises UsageError unless the cards are the same."""
    (one_card, one), (other_card, other) = player_of(first), player_of(second)
    if one_card.suite.cards != other_card.suite.cards:
        raise UsageError(
            f"{first} and {second} were not played on the same cards: use one suite and one seed for both."
        )
    paired, by_game, apart = [], {}, []
    for game, mine in one.pairs.items():
        theirs = other.pairs.get(game, {})
        both = [number for number in mine if number in theirs]
        if not both:
            continue
        values = [mine[number] - theirs[number] for number in both]
        mean, error = sum(values) / len(values), pairs.standard_error(values)
        paired.append((mean, error, len(values) - 1))
        by_game[game] = interval(mean, error, len(values) - 1)
        apart.append([pairs.standard_error([side[number] for number in both]) for side in (mine, theirs)])
    if not paired:
        raise UsageError(f"{first} and {second} have no match on the same cards.")
    count_of = sum(len([n for n in mine if n in other.pairs.get(game, {})]) for game, mine in one.pairs.items())
    return Difference(one.name, other.name, these(paired), like_these(paired), by_game, count_of, _unpaired(apart))


def _unpaired(apart: list[list[float | None]]) -> float | None:
    errors = [error for game in apart for error in game]
    if any(error is None for error in errors):
        return None
    return float(sum(error**2 for error in errors if error is not None) ** 0.5 / len(apart))


def sheet_of(found: Difference) -> Sheet:
    """The comparison as a table."""
    columns = [text("game", "Game"), number("difference", "Difference", 3), number("low", "low", 3)]
    columns.append(number("high", "high", 3))
    whole: list[tuple[str, Loss]] = [("all games", found.difference), ("games like these", found.like)]
    rows: list[list[Cell]] = [
        [name, loss.mean, *(Missing(ONE) if bound is None else bound for bound in (loss.low, loss.high))]
        for name, loss in [*whole, *found.by_game.items()]
    ]
    title = f"Chips a match that {found.first} loses more than {found.second}"
    note = f"95% intervals over {found.pairs:,} pairs of matches on the same cards."
    return Sheet("comparison", title, columns, rows, note)
