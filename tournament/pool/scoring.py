"""Scoring accepted games; runs in a worker, which reads and writes the pool's files itself.

While it plays, a thread of its own reads the games of the next shard from a store. A file of this machine is read as it
is needed, because the system reads ahead by itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from antemill.axes.exact.scores import score_at, version_of
from antemill.axes.exact.tier import TIERS
from antemill.axes.scores import FIGURES
from antemill.axes.table import AXES
from antemill.engine.errors import StorageError
from antemill.engine.execute import checkpoint
from antemill.engine.execute.ahead import ReadAhead
from antemill.engine.machine.program import Program
from antemill.engine.storage import store
from antemill.engine.storage.places import Place
from antemill.engine.storage.store import Groups, encode, fetch, programs, table
from antemill.tournament.pool.layout import GAMES
from antemill.tournament.pool.schemas import SCORES
from antemill.tournament.pool.seed_rows import within
from antemill.tournament.pool.spans import Span, cover
from antemill.tournament.pool.versions import numba_version, require_same


class ScoreOrder(Struct, frozen=True):
    """The order for a worker on any machine.

    folder: where the pool is. builder: of its games. target: the folder in it for the scores. version: of the axes.
    numba: the version in the process that gives the order. call: tells this call from others.
    """

    folder: Place
    builder: str
    tier: str
    target: str
    version: str
    numba: str
    call: str

    def require_same(self) -> None:
        """Raise ExecutionError unless this process would compute the same as the process that gives the order."""
        require_same(
            {"version of the axes": (self.version, version_of(self.tier)), "numba": (self.numba, numba_version())}
        )


class Source(Struct, frozen=True):
    """A file of scores: its path in the pool, its seeds, and which of its axes may be taken from it."""

    file: str
    span: Span
    axes: tuple[str, ...]


class _Wanted(Struct, frozen=True):
    """Names the games of a shard, for one call of `score_pool`; the next call may find other games there."""

    folder: Place
    shard: Span
    builder: str
    call: str


def _read(wanted: _Wanted) -> bytes | pa.NativeFile:
    return wanted.folder.source(f"{GAMES}/{wanted.shard.file}")


_games = ReadAhead(_read)


class _Last:
    """The games of the group of rows that was read last. The pieces of a shard are smaller, and come one by one."""

    def __init__(self) -> None:
        self._what: tuple[_Wanted, int] | None = None
        self._rows: pa.Table = None

    def read(self, wanted: _Wanted, groups: Groups, number: int) -> pa.Table:
        """The group of this number of the wanted file."""
        if self._what != (wanted, number):
            self._what, self._rows = None, None  # freed before the next one is read
            self._rows = groups.read(number)
            self._what = wanted, number
        return self._rows


_last = _Last()


def score_part(
    start: int, stop: int, order: ScoreOrder, shard: Span, wanted: tuple[str, ...], ahead: Span | None = None
) -> int:
    """Write the scores of the shard's games of the seeds start..stop-1; returns how many games these are.

    wanted: the axes to compute. ahead: the shard whose games will be asked for next.
    """
    order.require_same()
    span = Span(start, stop)
    wanted_games = _Wanted(order.folder, shard, order.builder, order.call)
    following = None if ahead is None else msgspec.structs.replace(wanted_games, shard=ahead)
    source = order.folder.path(f"{GAMES}/{shard.file}")
    data = _games.take(wanted_games, following)
    rows = []
    groups = Groups(data, store.GAMES, source, order.builder, ["seed", *store.PROGRAM_COLUMNS])
    for number in groups.numbers((start, stop - 1)):
        games = within(_last.read(wanted_games, groups, number), span)
        # All programs before the first game is played, which empties the processor's caches.
        for seed, program in zip(games["seed"].to_pylist(), list(programs(games, source)), strict=True):
            checkpoint()
            rows.append(score_game(program, order.tier, wanted) | {"seed": seed, "digest": program.digest})
    _write(order, f"{order.target}/parts/{score_file(span, wanted)}", rows)
    return len(rows)


def join_scores(
    start: int, stop: int, order: ScoreOrder, axes: tuple[str, ...], sources: Sequence[Source], parts: Sequence[str]
) -> int:
    """Write a shard's scores from what was computed now and earlier, and remove `parts`; returns how many games.

    axes: that the file shall have. sources: together they have them for the shard's games; they may have more games.
    An existing file was made by a worker that was lost before it could report it.
    """
    order.require_same()
    shard = Span(start, stop)
    games = fetch(order.folder, f"{GAMES}/{shard.file}", store.GAMES, order.builder, ["seed", "digest"])
    file = f"{order.target}/{score_file(shard, axes)}"
    if not order.folder.exists(file):
        _write(order, file, _joined(order, shard, games, axes, sources))
    for part in parts:
        order.folder.remove(part)
    return int(games.num_rows)


def _joined(
    order: ScoreOrder, shard: Span, games: pa.Table, axes: tuple[str, ...], sources: Sequence[Source]
) -> pa.Table:
    """The scores of these games. Of each file only the columns that are taken from it are read: files of other axes
    have other columns."""
    pieces: dict[str, list[tuple[str, Span]]] = {}  # by axis: files, and the seeds that they give
    columns: dict[str, dict[str, None]] = {}  # by file, each once
    for axis in axes:
        able = {source.span: source for source in sources if axis in source.axes}
        pieces[axis] = [(able[span].file, taken) for span, taken in cover(shard, able)]
        for file, _ in pieces[axis]:
            columns.setdefault(file, dict.fromkeys(("seed", "digest"))).update(dict.fromkeys(_with(axis)))
    found = {file: fetch(order.folder, file, SCORES, columns=list(names)) for file, names in columns.items()}
    joined = {name: games[name] for name in games.column_names}
    for axis in axes:
        rows = pa.concat_tables(
            within(found[file], taken).select(["seed", "digest", *_with(axis)]) for file, taken in pieces[axis]
        )
        rows = rows.filter(pc.is_in(rows["seed"], games["seed"].combine_chunks()))
        if not rows["digest"].equals(games["digest"]):
            raise StorageError(
                f"the {axis} scores of the {shard} in {order.folder} are not those of its games: remove the folder "
                f"{order.folder.path(order.target)} and score the pool again."
            )
        joined |= {name: rows[name] for name in _with(axis)}
    return pa.table(joined)


def _with(axis: str) -> tuple[str, ...]:
    """The columns of an axis."""
    return (axis, *AXES[axis].also, *FIGURES, "information_states", "tier")


def score_file(span: Span, axes: tuple[str, ...]) -> str:
    """The name of a file of scores. Axes stand in it unless it has all."""
    return span.file if len(axes) == len(AXES) else span.file.replace(".parquet", f".{'+'.join(axes)}.parquet")


def score_game(program: Program, tier: str, wanted: tuple[str, ...] = tuple(AXES)) -> dict[str, Any]:
    """The wanted axes of one game with what goes with them, by their column names in `SCORES`.

    Its `tier` is not the wanted one if the game is too large for that.
    """
    result = score_at(program, TIERS[tier], only=wanted)
    values = {**result.axes, **result.also, **{name: getattr(result, name) for name in FIGURES}}
    bad = [axis for axis in wanted if not math.isfinite(values[axis])]
    assert not bad, f"the axis {bad[0]} of {program.names.game} is not a finite number"
    also = {"information_states": result.information_states, "tier": result.tier}
    return values | also | {"axes_version": version_of(tier)}


def _write(order: ScoreOrder, file: str, rows: list[dict[str, Any]] | pa.Table) -> None:
    """Write scores; the version, which is the same everywhere, is added."""
    if isinstance(rows, pa.Table):
        number = rows.num_rows
        columns = {name: rows[name] for name in rows.schema.names}
    else:
        made = table(SCORES, rows)
        number, columns = len(rows), {name: made[name] for name in SCORES.schema.names}
    columns["axes_version"] = pa.repeat(order.version, number)
    whole = {
        field.name: columns[field.name] if field.name in columns else pa.nulls(number, field.type)
        for field in SCORES.schema
    }
    order.folder.write(file, encode(SCORES, pa.table(whole), order.builder))
