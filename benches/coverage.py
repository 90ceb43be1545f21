"""How often the intervals hold: `python -m benches.coverage` simulates tournaments for docs/statistics.md.

    python -m benches.coverage                        all settings that --store does not have yet, then the tables
    python -m benches.coverage --only "6 players" ...  these settings alone, to split the work
    python -m benches.coverage --write                put the table between the markers of docs/statistics.md

Lines of a guest with few matches, and of two groups, are those of `benches.coverage_guests`, and lines of thinking are
those of `benches.coverage_effects`; --only leaves them out.

It takes about ten minutes on one core. Every finished setting is kept in --store (out/coverage), so that an
interrupted run goes on where it stopped; a store of other settings or of another number of worlds is refused.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from benches.coverage_effects import effect_lines
from benches.coverage_guests import WORLDS as GUESTS
from benches.coverage_guests import lines
from benches.coverage_tables import tables
from benches.coverage_worlds import DRAWS, Setting, measured
from benches.pages import write
from tests.tournament.statistics.planted import SHAPES

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs" / "statistics.md"
WORLDS = 40
GRID = (
    Setting("6 players, 16 games, 8 runs"),
    Setting("3 players", players=3),
    Setting("9 players", players=9),
    Setting("10 games", games=10),
    Setting("40 games", games=40),
    Setting("2 runs", runs=2),
    Setting("20 runs", runs=20),
    Setting("interaction 0.1", interaction=0.1),
    Setting("interaction 1", interaction=1.0),
    Setting("little luck", luck=0.5),
    Setting("much luck", luck=10.0),
    Setting("little noise", noise=0.2),
    Setting("correlated axes", correlation=0.8),
    Setting("uneven schedule", runs=16, uneven=True),
    Setting("no interaction", interaction=0.0),
    Setting("no interaction, 2 runs", interaction=0.0, runs=2),
    Setting("no interaction, near players", interaction=0.0, gap=0.2),
    Setting("no interaction, uneven schedule", interaction=0.0, runs=16, uneven=True),
    Setting("8 copies of one player", players=8, interaction=0.0, gap=0.0),
    *(Setting(shape, shape=shape) for shape in SHAPES),
    *(Setting(f"no interaction, {shape}", interaction=0.0, shape=shape) for shape in SHAPES),
    Setting("jackpots, 8 games, 2 runs", games=8, runs=2, shape="jackpots"),
    Setting("jackpots, 3 players, 8 games, 2 runs", players=3, games=8, runs=2, shape="jackpots"),
    Setting("wins, draws and a first move, 600 matches", matches=600),
    Setting("wins, draws and a first move, 60 matches", matches=60),
    *(Setting(f"wins, {shape}, 600 matches", matches=600, shape=shape) for shape in DRAWS if shape),
    *(Setting(f"wins, {shape}, 60 matches", matches=60, shape=shape) for shape in ("no draws", "half draws")),
    *(Setting(f"a player with {few} runs", interaction=0.0, few=few) for few in (1, 2, 3, 5, 10, 20)),
)


def run(setting: Setting, worlds: int) -> dict[str, float]:
    """Means over worlds of all that a setting shows; NaN is left out."""
    found = [measured(setting, seed) for seed in range(worlds)]
    names = {name: None for figures in found for name in figures}
    values = {name: np.array([figures.get(name, np.nan) for figures in found]) for name in names}
    return {name: float(np.nanmean(value)) for name, value in values.items() if np.isfinite(value).any()}


def kept(store: Path, setting: Setting, worlds: int) -> dict[str, float] | None:
    """The figures of a setting that was finished before; None if there are none."""
    path = _path(store, setting)
    if not path.is_file():
        return None
    found = json.loads(path.read_text(encoding="utf-8"))
    if (found["worlds"], found["setting"]) != (worlds, msgspec.to_builtins(setting)):
        raise SystemExit(f"{path} is of another setting or number of worlds; move the folder away or name another.")
    figures: dict[str, float] = found["figures"]
    return figures


def collect(grid: Sequence[Setting], store: Path, worlds: int, only: Sequence[str] = ()) -> dict[str, dict[str, float]]:
    """Run what is missing, and return the figures of all settings that are finished."""
    unknown = set(only) - {setting.name for setting in grid}
    if unknown:
        raise SystemExit(f"there is no setting {sorted(unknown)[0]!r}; there are {', '.join(s.name for s in grid)}.")
    store.mkdir(parents=True, exist_ok=True)
    for setting in grid:
        if kept(store, setting, worlds) is None and (not only or setting.name in only):
            start = time.process_time()
            row = {"setting": msgspec.to_builtins(setting), "worlds": worlds, "figures": run(setting, worlds)}
            _path(store, setting).write_text(json.dumps(row), encoding="utf-8")
            print(f"{setting.name}: {time.process_time() - start:.0f} s", flush=True)
    finished = {setting.name: kept(store, setting, worlds) for setting in grid}
    return {name: figures for name, figures in finished.items() if figures is not None}


def _path(store: Path, setting: Setting) -> Path:
    return store / f"{setting.name.replace(' ', '-').replace(',', '')}.json"


def main() -> None:
    """Run, print, and write if asked."""
    parser = argparse.ArgumentParser(prog="python -m benches.coverage", description=__doc__.splitlines()[0])
    parser.add_argument("--store", type=Path, default=ROOT / "out" / "coverage", help="folder of finished settings")
    parser.add_argument("--worlds", type=int, default=WORLDS, help="tournaments of each setting (%(default)s)")
    parser.add_argument("--only", nargs="+", default=[], metavar="SETTING", help="run these settings alone")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/statistics.md")
    options = parser.parse_args()
    found = collect(GRID, options.store, options.worlds, options.only)
    others = {} if options.only and not options.write else lines(options.store) | effect_lines()
    text = tables(found | others, options.worlds, GUESTS)
    print(text)
    if options.write:
        if len(found) < len(GRID):
            raise SystemExit(f"{len(GRID) - len(found)} settings are not finished; run them first.")
        write(DOCS, "coverage", text)


if __name__ == "__main__":
    main()
