"""What a pool is, and where its files are.

    pool.json                                   the settings: a copy of what each file's metadata says
    candidates/START-STOP.parquet               the candidates of a cell
    games/START-STOP.parquet                    those that the gate accepts
    repeats/START-STOP.parquet                  the seeds of the pool whose games lower seeds have, made at the end
    scores/TIER/VERSION/START-STOP.parquet      the axes of a cell's games
    scores/TIER/VERSION/again/START-STOP.parquet    those of some of the pool's games by a second play

A cell is complete or absent. Cells do not change: whether a game is a repeat hangs on all lower seeds, and is seen by
`Pool.candidates`, `Pool.games` and `Pool.scores` alone, which leave repeats out.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Literal

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from antemill.axes.exact.scores import version_of
from antemill.engine.errors import StorageError
from antemill.engine.storage import store
from antemill.engine.storage.places import Place, place
from antemill.engine.storage.store import FileKind, Header
from antemill.tournament.pool.grid import Span, cells, named
from antemill.tournament.pool.schemas import SCORES

NAME = "pool.json"
BENCHMARK = "benchmark.parquet"  # the games that `antemill run` selected from the pool in its folder
CANDIDATES, GAMES, REPEATS, AGAIN = "candidates", "games", "repeats", "again"  # folders
REPEAT = "repeat"  # the reason of rejection of a repeat


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """The settings that determine a pool's content. In a file's metadata the seeds are the file's own."""

    seeds: tuple[int, int]  # first, and one after the last
    complexity: tuple[float, float] | None  # range that the seeds' own complexity is scaled to; None: 0 to 1
    caps: dict[str, int | float] | None  # of the generator, where they are not the benchmark's
    builder: str  # antemill.engine.builder.generate.builder_hash
    machine: str  # antemill.engine.storage.store.machine
    gate: dict[str, int | float | str]  # the gate's constants, and its reading of what a phase is
    digests: str  # antemill.engine.rules.same.form_hash, by which repeats are found
    accept: int | None  # the pool stops at the seed that gives this many accepted games; None: at its last seed
    cell: int  # seeds of a cell
    format: Literal["antemill pool 3"] = "antemill pool 3"

    def of(self, span: Span) -> Settings:
        """The same with these seeds."""
        return msgspec.structs.replace(self, seeds=(span.start, span.stop))


class DamageError(StorageError):
    """A file of a pool is missing or damaged. `antemill.tournament.pool.damage` says how to repair it."""

    def __init__(self, file: str, problem: str) -> None:
        super().__init__(file, problem)
        self.file, self.problem = file, problem

    def __str__(self) -> str:
        return f"{self.file}: {self.problem}."


class Pool:
    """A folder, which may lie in a store, and its settings."""

    def __init__(self, folder: Place, settings: Settings) -> None:
        self.folder, self.settings = folder, settings

    def __reduce__(self) -> tuple[type[Pool], tuple[Place, Settings]]:
        return Pool, (self.folder, self.settings)

    @property
    def cells(self) -> Iterator[Span]:
        """All cells in ascending order."""
        return cells(self.settings.seeds, self.settings.cell)

    @property
    def span(self) -> Span:
        """All seeds."""
        return Span(*self.settings.seeds)

    def missing(self) -> list[Span]:
        """The cells that are not wholly there."""
        there = {*named(self.folder.names(CANDIDATES))} & {*named(self.folder.names(GAMES))}
        return [cell for cell in self.cells if cell not in there]

    @cached_property
    def repeats(self) -> pa.Array:
        """The seeds, ascending, whose games lower seeds have, too."""
        return self.read(REPEATS, self.span, store.REPEATS)["seed"].combine_chunks()

    def candidates(self, cell: Span, columns: Sequence[str] | None = None) -> pa.Table:
        """A cell's candidates, or some columns. Repeats are rejected."""
        wanted = columns or store.CANDIDATES.schema.names
        found = self.read(CANDIDATES, cell, store.CANDIDATES, [*dict.fromkeys(["seed", *wanted])])
        repeats = pc.is_in(found["seed"], self.repeats)
        for name, value in (("accepted", False), ("reason", REPEAT)):
            if name in wanted:
                place = found.schema.get_field_index(name)
                found = found.set_column(place, found.field(place), pc.if_else(repeats, value, found[name]))
        return found.select(wanted)

    def games(self, cell: Span, columns: Sequence[str] | None = None, seeds: pa.Array | None = None) -> pa.Table:
        """A cell's accepted games, or some columns, or those of some seeds, without repeats."""
        wanted = columns or store.GAMES.schema.names
        return self._kept(self.read(GAMES, cell, store.GAMES, [*dict.fromkeys(["seed", *wanted])]), wanted, seeds)

    def scores(self, cell: Span, tier: str, columns: Sequence[str] | None = None) -> pa.Table:
        """The scores of a cell's accepted games, or some columns, without repeats.

        Raises StorageError if the pool has none at the tier.
        """
        version = self.scored_by(tier)
        if version is None:
            raise StorageError(f"the games of {self.folder} have no {tier} scores: {self.to_score(tier)}")
        wanted = columns or SCORES.schema.names
        found = self.read(f"scores/{tier}/{version}", cell, SCORES, [*dict.fromkeys(["seed", *wanted])])
        return self._kept(found, wanted, None)

    def scored_by(self, tier: str) -> str | None:
        """The version of the axes whose scores at a tier are read: the present one, or the only one that is there.

        None without any. Raises StorageError if there are several, and not the present one.
        """
        there, version = self.folder.folders(f"scores/{tier}"), version_of(tier)
        if version in there or len(there) < 2:
            return version if version in there else (there[0] if there else None)
        raise StorageError(
            f"the {tier} scores of {self.folder} are of other versions of the axes ({', '.join(there)}): "
            f"{self.to_score(tier)}"
        )

    def to_score(self, tier: str) -> str:
        """What to do about missing scores."""
        return f"run `antemill pool score {self.folder} --tier {tier}` first."

    def read(self, folder: str, span: Span, kind: FileKind, columns: Sequence[str] | None = None) -> pa.Table:
        """A file of these seeds as it is, or some columns. Raises DamageError unless it is there, whole, and this
        pool's.
        """
        return self.opened(folder, span, kind, columns)[1]

    def opened(
        self, folder: str, span: Span, kind: FileKind, columns: Sequence[str] | None = None
    ) -> tuple[Header, pa.Table]:
        """As `read`, with the file's header."""
        file = f"{folder}/{span.file}"
        data = self.folder.find(file)
        if data is None:
            raise DamageError(file, "it is missing")
        try:
            header, found = store.open_table(data, kind, file, None, columns)
        except StorageError as error:
            raise DamageError(file, f"it {str(error).removeprefix(f'{file} ').rpartition(': ')[0]}") from error
        if problem := self.differs(header, span):
            raise DamageError(file, problem)
        if kind is SCORES and header.tier != _tier(folder):
            raise DamageError(file, f"it holds the scores {header.tier}")
        if kind is store.CANDIDATES and found.num_rows != span.size:
            raise DamageError(file, f"it does not hold all {span}")
        return header, found

    def differs(self, header: Header, span: Span) -> str:
        """What a file's metadata says that is not so; "" if nothing."""
        try:
            said = _decoded(header.settings)
        except msgspec.MsgspecError:
            return "it belongs to no pool"
        if wrong := _differences(said, self.settings):
            return f"it is of a pool with {_of(said, wrong[:2])}"
        return "" if said.seeds == (span.start, span.stop) else f"it holds the seeds {_range(said.seeds)}"

    def write(self, folder: str, span: Span, kind: FileKind, content: pa.Table, **header: object) -> None:
        """Write the file of these seeds."""
        settings = msgspec.Raw(msgspec.json.encode(self.settings.of(span)))
        tier = _tier(folder) if kind is SCORES else None
        data = store.encode(kind, content, self.settings.builder, settings=settings, tier=tier, **header)
        self.folder.write(f"{folder}/{span.file}", data)

    def save(self) -> Pool:
        """Write pool.json; returns this pool."""
        self.folder.write(NAME, msgspec.json.format(msgspec.json.encode(self.settings), indent=2) + b"\n")
        return self

    def _kept(self, rows: pa.Table, columns: Sequence[str], seeds: pa.Array | None) -> pa.Table:
        """Some columns of the rows that are no repeats, and of these seeds."""
        kept = pc.invert(pc.is_in(rows["seed"], self.repeats))
        if seeds is not None:
            kept = pc.and_(kept, pc.is_in(rows["seed"], seeds))
        return rows.filter(kept).select(columns)


def _tier(folder: str) -> str:
    """The tier and the version of the axes of a folder of scores."""
    return "/".join(folder.split("/")[1:3])


def open_pool(folder: str | os.PathLike[str] | Place) -> Pool:
    """The pool in a folder. A missing pool.json is made from the files.

    Raises StorageError if there is no pool, DamageError if pool.json does not say what the files say.
    """
    there = place(folder)
    data, told = there.find(NAME), told_by(there, 2)
    if data is None:
        return pool_of_files(there, told).save()
    pool = Pool(there, read_settings(data))
    if wrong := disagreement(pool.settings, told):
        raise DamageError(NAME, wrong)
    return pool


def pool_of_files(folder: Place, told: Counter[bytes]) -> Pool:
    """The pool as most of its files tell. Raises StorageError if there are none."""
    spans = [*named(folder.names(CANDIDATES)), *named(folder.names(GAMES))]
    if not told or not spans:
        raise StorageError(f"there is no pool in {folder}: make one with `antemill pool build`.")
    all_seeds = Span(min(span.start for span in spans), max(span.stop for span in spans))
    return Pool(folder, _decoded(told.most_common(1)[0][0]).of(all_seeds))


def read_settings(data: bytes) -> Settings:
    """The settings in the bytes of a pool.json. Raises DamageError."""
    try:
        return _decoded(data)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DamageError(NAME, f"it is damaged or of another version ({error})") from error


def disagreement(settings: Settings, told: Counter[bytes]) -> str:
    """How settings differ from those that most files have; "" if they do not."""
    if not told or _without_seeds(settings) in told:
        return ""
    said = _decoded(told.most_common(1)[0][0])
    return f"the files of the pool are of one with {_of(said, _differences(said, settings)[0:2])}"


def told_by(folder: Place, most: int | None = None) -> Counter[bytes]:
    """The settings, without their seeds, in the metadata of the pool's files, and how often.

    most: of how many files of candidates and of games, the first and the last ones; None: all.
    """
    found: Counter[bytes] = Counter()
    for name in (CANDIDATES, GAMES):
        files = [span.file for span in named(folder.names(name))]
        for file in files if most is None else dict.fromkeys([*files[:1], *files[-1:]][:most]):
            with suppress(StorageError, msgspec.MsgspecError):
                header = store.header_of(folder.find(f"{name}/{file}") or b"", file)
                found[_without_seeds(_decoded(header.settings))] += 1
    return found


def _without_seeds(settings: Settings) -> bytes:
    return msgspec.json.encode(settings.of(Span(0, 0)))


def _decoded(settings: bytes | msgspec.Raw) -> Settings:
    return msgspec.json.decode(settings, type=Settings)


def _differences(one: Settings, other: Settings) -> list[str]:
    """The names of the settings that differ, without the seeds."""
    return [name for name in Settings.__struct_fields__[1:] if getattr(one, name) != getattr(other, name)]


def complete_pool(folder: str | os.PathLike[str] | Place) -> Pool:
    """As `open_pool`, for a finished pool. Raises StorageError if it is not finished."""
    pool = open_pool(folder)
    if gap := unfinished(pool):
        again = "run the same `antemill pool build` again, it continues"
        raise StorageError(f"the pool in {pool.folder} is not finished ({gap}): {again}.")
    return pool


def unfinished(pool: Pool) -> str:
    """What a pool lacks; "" if it is finished."""
    if missing := pool.missing():
        return f"{missing[0]} are missing" + (f", and {len(missing) - 1:,} more cells" if len(missing) > 1 else "")
    return "" if pool.span in named(pool.folder.names(REPEATS)) else "its repeats are not known"


def create_pool(folder: Place, wanted: Settings) -> Pool:
    """The pool in a folder with these settings: a new one, the one that is there, or that one extended.

    Raises StorageError if the folder holds a pool of other settings.
    """
    folder.make()
    if not (folder.exists(NAME) or folder.names(CANDIDATES) or folder.names(GAMES)):
        return Pool(folder, wanted).save()
    pool = open_pool(folder)
    wanted = msgspec.structs.replace(wanted, cell=pool.settings.cell)
    refuse_other(pool, wanted)
    return pool if pool.settings == wanted else Pool(folder, wanted).save()


def refuse_other(pool: Pool, wanted: Settings) -> None:
    """Raise StorageError, saying what differs, unless the pool can be continued with the wanted settings."""
    there = pool.settings
    if wrong := _differences(there, wanted):
        raise StorageError(
            f"the pool in {pool.folder} has {_of(there, wrong[:1])}, not {_show(wanted, wrong[0])}: use another folder."
        )
    if not (wanted.seeds[0] <= there.seeds[0] and there.seeds[1] <= wanted.seeds[1]):
        raise StorageError(
            f"the pool in {pool.folder} has the seeds {_range(there.seeds)}, which {_range(wanted.seeds)} does not "
            "contain: name a range that does, or use another folder."
        )


_WORDS = {
    "complexity": "the complexity",
    "caps": "the caps",
    "builder": "games by builder",
    "machine": "programs for instruction set",
    "gate": "a gate with",
    "digests": "digests of the form",
    "accept": "as its end",
    "cell": "cells of",
}
_NONE = {"complexity": "of the seeds' own", "caps": "of the benchmark", "accept": "its last seed"}


def _of(settings: Settings, names: Sequence[str]) -> str:
    """Some settings in words."""
    return " and ".join(f"{_WORDS.get(name, name)} {_show(settings, name)}" for name in names)


def _show(settings: Settings, name: str) -> str:
    match value := getattr(settings, name):
        case None:
            return _NONE[name]
        case int() if name == "accept":
            return f"{value:,} accepted games"
        case (low, high):
            return f"{low}:{high}"
        case dict():
            return ", ".join(f"{key} {item if isinstance(item, str) else f'{item:g}'}" for key, item in value.items())
    return str(value)


def _range(seeds: tuple[int, int]) -> str:
    return f"{seeds[0]}:{seeds[1]}"
