"""Two players on the same cards: the difference of their losses, pair of matches by pair."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from antemill.engine.errors import StorageError, UsageError
from antemill.engine.storage.files import read_bytes
from antemill.tournament import head_to_head as pairs
from antemill.tournament.evaluation.findings import findings
from antemill.tournament.evaluation.losses import like_these
from antemill.tournament.evaluation.scorecard import NAME, SCHEMA, PlayerCard, Scorecard, scorecard, unfinished
from antemill.tournament.evaluation.suites import STARTER
from antemill.tournament.pool.standard import STANDARD
from antemill.tournament.runs import RunFolder, RunStore
from antemill.tournament.statistics.losses import Loss, faultless, mean_of, these
from antemill.tournament.statistics.sheets import Cell, Missing, Sheet, number, text

# Instead of a folder: the scorecards of the bots that ship with us, by the suite that they are of.
REFERENCES = {STARTER: "reference", STANDARD: "reference-standard"}
_SHIPPED = {REFERENCES[STARTER]: "reference_cards.json", REFERENCES[STANDARD]: "reference_standard.json"}
ONE = "one pair of matches, or one game, only"


class Difference(Struct, frozen=True):
    """How much more the first player loses than the second, chips a match; positive: the second is better.

    The intervals are Student's, since a difference may be negative. unpaired: the standard error if the cards were not
    the same, beside that of `difference`. unfinished: {run: (finished, planned)}, matches and questions, of those that
    are not complete.
    """

    first: str
    second: str
    difference: Loss
    like: Loss
    by_game: dict[str, Loss]
    pairs: int
    unpaired: float | None
    unfinished: dict[str, tuple[int, int]] = {}


class _Schema(Struct):
    schema: int


def read_card(path: Path) -> Scorecard:
    """The scorecard in a file or in a run's folder, or the one that ships with us. A run that was played on since, or
    never analyzed, is examined instead; its folder stays as it is.

    Raises StorageError for what is none, or of another schema.
    """
    file = path / NAME if path.is_dir() else path
    if path.is_dir() and RunFolder(path).database.exists():
        with RunStore(RunFolder(path).database, read_only=True) as store:
            done = store.counts().done
        card = _read(file) if file.exists() else None
        return scorecard(findings([path])) if card is None or card.finished != done else card
    if str(path) in _SHIPPED and not path.exists():
        file = Path(__file__).with_name(_SHIPPED[str(path)])
    return _read(file)


def _read(file: Path) -> Scorecard:
    data = read_bytes(file)
    try:
        schema = msgspec.json.decode(data, type=_Schema).schema
        if schema == SCHEMA:
            return msgspec.json.decode(data, type=Scorecard)
    except msgspec.MsgspecError as error:
        raise StorageError(f"{file} is no scorecard: {str(error)[:1].lower()}{str(error)[1:]}.") from error
    raise StorageError(f"{file} has schema {schema}, and this antemill reads {SCHEMA}: analyze the run again.")


def _named(name: str) -> tuple[str, str]:
    """The card and the player of FOLDER:PLAYER; "" for the player of FOLDER."""
    named = ":" in name and not Path(name).exists()
    path, _, player = name.rpartition(":") if named else (name, "", "")
    return path, player


def _chosen(card: Scorecard, path: str, player: str) -> PlayerCard:
    names = [one.name for one in card.players]
    if not player and len(names) > 1:
        raise UsageError(f"{path} has several players ({', '.join(names)}): name one, as in {path}:{names[0]}.")
    chosen = [one for one in card.players if not player or one.name == player]
    if not chosen:
        raise UsageError(f"{path} has no player '{player}': it has {', '.join(names)}.")
    return chosen[0]


def compare(first: str, second: str) -> Difference:
    """Two players by the pairs of matches that both have played; a few that both play alike have no interval.

    Raises UsageError unless the cards are the same.
    """
    sides = [_named(name) for name in (first, second)]
    cards = {path: read_card(Path(path)) for path in dict.fromkeys(path for path, _ in sides)}
    one, other = (_chosen(cards[path], path, player) for path, player in sides)
    if len({card.suite.cards for card in cards.values()}) > 1:
        raise UsageError(
            f"{first} and {second} were not played on the same cards: use one suite and one seed for both."
        )
    units = {game.game: game.deviation for card in cards.values() for game in card.suite.games}
    paired, by_game, apart = [], {}, []
    scaled: list[float] = []
    for game, mine in one.pairs.items():
        theirs = other.pairs.get(game, {})
        both = [number for number in mine if number in theirs]
        if not both:
            continue
        values = [mine[number] - theirs[number] for number in both]
        found = mean_of(values)
        paired.append((found.mean, found.error, len(values) - 1))
        by_game[game] = _unbounded(found) if faultless(values, units[game]) else found
        scaled += [value / (units[game] or 1.0) for value in values]
        apart.append([pairs.standard_error([side[number] for number in both]) for side in (mine, theirs)])
    if not paired:
        raise UsageError(f"{first} and {second} have no match on the same cards.")
    begun = {path: (card.finished, card.planned) for path, card in cards.items() if not card.complete}
    whole, like = these(paired), like_these(paired)
    if faultless(scaled, 1.0):
        whole, like = _unbounded(whole), _unbounded(like)
    return Difference(one.name, other.name, whole, like, by_game, len(scaled), _unpaired(apart), begun)


def _unbounded(found: Loss) -> Loss:
    """Without an interval: where two players differ in no pair, nothing says how rarely they do."""
    return Loss(found.mean, found.error, None, None)


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
    rows: list[list[Cell]] = [[name, loss.mean, *_bounds(loss)] for name, loss in [*whole, *found.by_game.items()]]
    title = f"Chips a match that {found.first} loses more than {found.second}"
    note = f"95% intervals over {found.pairs:,} pairs of matches on the same cards."
    return Sheet("comparison", title, columns, rows, " ".join([note, *sentences(found)]))


def _bounds(loss: Loss) -> list[Cell]:
    reason = Missing(ONE)
    return [reason if bound is None else bound for bound in (loss.low, loss.high)]


def sentences(found: Difference) -> list[str]:
    """What is said of runs that are not finished."""
    return [unfinished(run, *counts) for run, counts in found.unfinished.items()]
