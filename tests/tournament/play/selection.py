"""The games that `antemill play` offers by their axes: selected from a pool at the fast tier, and written down.

    python -m tests.tournament.play.selection     # writes tournament/play/selection.json; `make golden` does

A change of the builder or of the axes moves the games or their places, which `test_kept.py` says.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import msgspec

from antemill.axes.table import AXES
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.branches import count_nodes
from antemill.engine.rules.spec import from_json
from antemill.tournament.cli.entry import run
from antemill.tournament.play.games import Placed
from antemill.tournament.players.solver_players import LIMIT
from antemill.tournament.pool.select import select_games

SEEDS = "0:1200"
SELECTED = 60
PATH = Path(__file__).parents[3] / "tournament" / "play" / "selection.json"


def select() -> list[Placed]:
    """The games, with their places and the sizes of their trees, in the order of their seeds."""
    with tempfile.TemporaryDirectory() as folder:
        pool = str(Path(folder) / "pool")
        for words in (["pool", "build", pool, "--seeds", SEEDS], ["pool", "score", pool, "--tier", "fast"]):
            if code := run(words):
                sys.exit(code)
        rows = select_games(pool, SELECTED).to_pylist()
    return [_placed(row) for row in sorted(rows, key=lambda row: int(row["seed"]))]


def _placed(row: dict[str, object]) -> Placed:
    spec = from_json(row["spec"])  # type: ignore[arg-type]
    program = compile_spec(spec)
    nodes = count_nodes(program, LIMIT)
    axes = {name: round(float(row[f"fast_{name}"]), 4) for name in AXES}  # type: ignore[arg-type]
    complexity = round(float(row["complexity"]), 4)  # type: ignore[arg-type]
    return Placed(str(row["seed"]), spec.name, program.digest, complexity, axes, nodes if nodes <= LIMIT else None)


if __name__ == "__main__":
    PATH.write_bytes(msgspec.json.format(msgspec.json.encode(select()), indent=1) + b"\n")
