"""What every verdict says beside its figures, of all kinds of runs and everywhere: page, `analyze`, notebook, `status`.

How much of the plan is finished; of each player the share of its questions that took a second try, and of those for
which no reply could be used, beside its score; which models were not one model throughout. A player of whom more than a
tenth could not be used did not play its own moves: it is marked, and takes no rank and no probability of being best. If
any reply could not be used, a second leaderboard leaves out the items in which that happened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from antemill.engine.errors import StorageError
from antemill.llm import CallStore, LLMError
from antemill.tournament.runs.folder import RunFolder, existing_folder
from antemill.tournament.runs.records import Counts
from antemill.tournament.runs.store import RunStore
from antemill.tournament.runs.wording import served
from antemill.tournament.statistics.replies import COLUMNS, cells
from antemill.tournament.statistics.sheets import Cell, Missing, Sheet

MOST = 0.10  # the share of unusable replies above which a player takes no rank
RANKS = ("rank", "best")  # begin the keys of columns that a marked player has nothing in


class Standing(Struct, frozen=True):
    """Some runs as far as they have come.

    finished, discarded, planned: items; complete: whether no more follow. replies: of each player that was asked
    something: questions, those that took a second try, those without a usable reply. swapped: sentences on models whose
    answers came under more than one name.
    """

    finished: int
    discarded: int
    planned: int
    complete: bool
    replies: Mapping[str, Counts]
    swapped: Sequence[str]

    @property
    def unranked(self) -> dict[str, str]:
        """The players that are marked, and why, in a sentence."""
        return {name: _why(name, counts) for name, counts in self.replies.items() if counts[2] > MOST * counts[0]}

    @property
    def unusable(self) -> int:
        """The questions of all players for which no reply could be used."""
        return sum(counts[2] for counts in self.replies.values())

    @property
    def marks(self) -> list[str]:
        """What is said of players and models, whether or not all is finished."""
        return [*self.unranked.values(), *self.swapped]

    @property
    def sentences(self) -> list[str]:
        """What stands above every figure."""
        lost = f"; {self.discarded:,} were discarded" if self.discarded else ""
        about = "" if self.planned else "unknown "
        begun = f"Not finished: these figures are of {self.finished:,} of {about}{self.planned:,} items{lost}."
        return [*([] if self.complete else [begun]), *self.marks]


def _why(name: str, counts: Counts) -> str:
    asked, _, unusable = counts
    return (
        f"{name} takes no rank: {unusable:,} of its {asked:,} replies ({unusable / asked:.0%}) could not be used, and "
        f"above {MOST:.0%} a player did not play its own moves."
    )


def standing(folders: Sequence[Path]) -> Standing:
    """The standing of the runs in some folders. Raises StorageError or UsageError."""
    parts = [_one(folder) for folder in folders]
    replies: dict[str, Counts] = {}
    for part in parts:
        for name, (asked, second, unusable) in part.replies.items():
            had = replies.get(name, (0, 0, 0))
            replies[name] = had[0] + asked, had[1] + second, had[2] + unusable
    return Standing(
        sum(part.finished for part in parts),
        sum(part.discarded for part in parts),
        sum(part.planned for part in parts),
        all(part.complete for part in parts),
        replies,
        list(dict.fromkeys(said for part in parts for said in part.swapped)),
    )


def _one(path: Path) -> Standing:
    folder = existing_folder(path)
    with RunStore(folder.database, read_only=True) as store:
        return standing_of(folder, store)


def standing_of(folder: RunFolder, store: RunStore) -> Standing:
    """The standing of a run whose database is open."""
    counts, about = store.counts(), store.about()
    planned = max(store.total(), counts.planned + counts.done + counts.discarded, about or 0)
    complete = 0 < planned == counts.done and about is None
    return Standing(counts.done, counts.discarded, planned, complete, store.replies(), _swapped(folder))


def _swapped(folder: RunFolder) -> list[str]:
    if not folder.calls.exists() or not folder.calls.stat().st_size:
        return []
    try:
        with CallStore(folder.calls, read_only=True) as calls:
            return [*served(calls.served()).values()]
    except LLMError as error:
        raise StorageError(str(error)) from error


def with_replies(sheet: Sheet, found: Standing) -> Sheet:
    """A leaderboard, whose first column of texts has the players, with the shares of their replies beside their scores,
    and without the ranks of those who take none. Its note names the models that were not one model throughout.
    """
    unranked, place = found.unranked, next(i for i, column in enumerate(sheet.columns) if column.kind == "text")
    keys = {column.key for column in sheet.columns}
    more = [] if COLUMNS[0].key in keys or not found.replies else [*COLUMNS]
    ranks = {i for i, column in enumerate(sheet.columns) if column.key.startswith(RANKS)}
    rows: list[Sequence[Cell]] = []
    for row in sheet.rows:
        name = str(row[place])
        why = Missing(unranked.get(name, ""))
        own = [why if name in unranked and i in ranks else cell for i, cell in enumerate(row)]
        rows.append([*own, *(cells(found.replies, name) if more else ())])
    marked = [str(row[place]) for row in sheet.rows if str(row[place]) in unranked]
    said = [f"No rank, for more than {MOST:.0%} unusable replies: {', '.join(marked)}."] if marked else []
    note = " ".join(filter(None, [sheet.note, *said, *found.swapped]))
    return replace(sheet, columns=[*sheet.columns, *more], rows=rows, note=note)


def cleaned(sheet: Sheet) -> Sheet:
    """The second leaderboard. sheet: made of the items in which all replies could be used."""
    note = f"Without the items in which a reply could not be used. {sheet.note}".strip()
    return replace(sheet, name=f"{sheet.name}_clean", title=f"{sheet.title}, all replies usable", note=note)
