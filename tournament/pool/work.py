"""The work on a cell. It runs in a worker, which reads and writes the pool's files itself.

A worker is told what the pool is (`Order`), and returns counts. The slow imports are here and not in the modules that
plan the work.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import pyarrow as pa
from msgspec import Struct

from antemill.axes.exact.scores import axis_version_of, score_at, version_of
from antemill.axes.exact.tier import TIERS
from antemill.axes.scores import FIGURES, default_seed
from antemill.axes.table import AXES
from antemill.engine.builder.generate import builder_hash, default_complexity
from antemill.engine.machine import gate as gates
from antemill.engine.machine.program import Program
from antemill.engine.machine.readings import READING
from antemill.engine.rules.same import form_hash
from antemill.engine.rules.spec import from_json
from antemill.engine.storage import store
from antemill.engine.storage.store import PROGRAM_COLUMNS, programs, table
from antemill.engine.text.rulebook import rulebook
from antemill.tournament.pool.candidates import judged, table_of
from antemill.tournament.pool.given_caps import caps_of
from antemill.tournament.pool.grid import Span
from antemill.tournament.pool.layout import CANDIDATES, GAMES, NAME, Pool, Settings
from antemill.tournament.pool.schemas import SCORES
from antemill.tournament.pool.versions import packages, require_same

_DRAWN = 128  # candidates that are drawn before the first of them is gated
_ALWAYS = ("tier", "information_states", *FIGURES, "rulebook_length")  # columns that go with each axis


class Order(Struct, frozen=True):
    """The order for a worker on any machine.

    packages: their versions in the process that gives the order. tier, version: of scores, and of the axes. older:
    versions of the axes from whose files unchanged ones may be copied.
    """

    pool: Pool
    packages: dict[str, str]
    tier: str = ""
    version: str = ""
    older: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """The folder for scores."""
        return f"scores/{self.tier}/{self.version}"

    def require_same(self) -> None:
        """Raise ExecutionError unless this process would make the same as the process that gives the order."""
        settings, here = self.pool.settings, settings_here(self.pool.settings)
        names = {"builder": "builder", "machine": "instruction set", "digests": "form of games", "gate": "gate"}
        same: dict[str, tuple[object, object]]
        same = {words: (getattr(settings, name), getattr(here, name)) for name, words in names.items()}
        if self.tier:
            same = {"version of the axes": (self.version, version_of(self.tier))}
        require_same(same | {name: (self.packages.get(name), version) for name, version in packages().items()})


def settings_here(settings: Settings) -> Settings:
    """The settings that this version of antemill gives to a pool that is otherwise like this one."""
    return msgspec.structs.replace(
        settings, builder=builder_hash(), machine=store.machine(), gate=gate_constants(), digests=form_hash()
    )


def gate_constants() -> dict[str, int | float | str]:
    """The constants that the gate's verdict depends on."""
    return {
        "episodes": gates.EPISODES,
        "rare": gates.RARE,
        **{f"most_{rule.figure}": rule.most for rule in gates.RULES},
        "reading": READING,
    }


def complexity_of(seed: int, bounds: tuple[float, float] | None) -> float:
    """The seed's own complexity, scaled from 0..1 to `bounds`."""
    own = default_complexity(seed)
    return own if bounds is None else bounds[0] + (bounds[1] - bounds[0]) * own


def draw_cell(start: int, stop: int, order: Order) -> int:
    """Write the games, then the candidates of the seeds start..stop-1; returns how many are accepted."""
    order.require_same()
    pool, cell = order.pool, Span(start, stop)
    caps = caps_of(pool.settings.caps, NAME)
    pieces = []  # as tables, which take a tenth of what objects take
    for first in range(start, stop, _DRAWN):
        seeds = range(first, min(first + _DRAWN, stop))
        pieces.append(table_of(judged([(seed, complexity_of(seed, pool.settings.complexity)) for seed in seeds], caps)))
    rows = pa.concat_tables(pieces)
    games = rows.filter(rows["accepted"])
    pool.write(GAMES, cell, store.GAMES, games)
    pool.write(CANDIDATES, cell, store.CANDIDATES, rows)
    return int(games.num_rows)


def score_cell(start: int, stop: int, order: Order) -> int:
    """Write the scores of a cell's games; returns how many were played. An axis whose version did not change since an
    older file is copied.
    """
    order.require_same()
    pool, cell = order.pool, Span(start, stop)
    games = pool.read(GAMES, cell, store.GAMES, ["seed", "spec", *PROGRAM_COLUMNS])
    versions = {axis: axis_version_of(order.tier, axis) for axis in AXES}
    columns = _copied(order, cell, versions, games["digest"])
    wanted = tuple(axis for axis in AXES if axis not in columns)
    if wanted:
        # All programs before the first game is played, which empties the processor's caches.
        there = list(programs(games, GAMES))
        rows = [score_game(program, order.tier, wanted) | {"seed": 0, "digest": ""} for program in there]
        found, specs = table(SCORES, rows).to_pydict(), games["spec"].to_pylist()
        lengths = columns.get("rulebook_length") or [len(rulebook(from_json(spec))) for spec in specs]
        columns |= {name: found[name] for name in _columns(wanted)} | {"rulebook_length": lengths}
    whole = columns | {"seed": games["seed"], "digest": games["digest"]}
    whole["axes_version"] = pa.repeat(order.version, games.num_rows)
    content = pa.table({field.name: whole[field.name] for field in SCORES.schema}, schema=SCORES.schema)
    pool.write(order.target, cell, SCORES, content, axes=versions)
    return int(games.num_rows) if wanted else 0


def _copied(order: Order, cell: Span, versions: Mapping[str, str], digests: pa.ChunkedArray) -> dict[str, Any]:
    """The columns of axes that files of older versions have by the same code."""
    columns: dict[str, Any] = {}
    for version in order.older:
        folder = f"scores/{order.tier}/{version}"
        if not order.pool.folder.exists(f"{folder}/{cell.file}"):
            continue
        header, found = order.pool.opened(folder, cell, SCORES)
        same = [axis for axis, own in (header.axes or {}).items() if versions.get(axis) == own]
        if same and found["digest"].equals(digests):
            columns |= {name: found[name].to_pylist() for name in _columns(same)}
    return columns


def _columns(axes: Sequence[str]) -> tuple[str, ...]:
    """The columns of axes, with those that go with each."""
    return (*(name for axis in axes for name in (axis, *AXES[axis].also)), *_ALWAYS)


def play_again(_seed: int, order: Order, cell: Span, seeds: Sequence[int]) -> list[dict[str, Any]]:
    """The scores of some of a cell's games by a second play, in the order of seeds."""
    order.require_same()
    games = order.pool.games(cell, ["seed", *PROGRAM_COLUMNS], pa.array(seeds, pa.int64()))
    return [
        {"seed": seed, "digest": program.digest} | score_game(program, order.tier, seed=default_seed(program) ^ 1)
        for seed, program in zip(games["seed"].to_pylist(), programs(games, GAMES), strict=True)
    ]


def score_game(
    program: Program, tier: str, wanted: tuple[str, ...] = tuple(AXES), seed: int | None = None
) -> dict[str, Any]:
    """The wanted axes of one game with what goes with them, by their column names in `SCORES`.

    Its `tier` is not the wanted one if the game is too large for that. seed: of the play; None: the program's own.
    """
    result = score_at(program, TIERS[tier], seed, wanted)
    values = {**result.axes, **result.also, **{name: getattr(result, name) for name in FIGURES}}
    bad = [axis for axis in wanted if not math.isfinite(values[axis])]
    assert not bad, f"the axis {bad[0]} of {program.names.game} is not a finite number"
    also = {"information_states": result.information_states, "tier": result.tier}
    return values | also | {"axes_version": version_of(tier)}
