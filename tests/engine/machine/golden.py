"""Golden playouts: `python -m tests.engine.machine.golden` writes them again, `test_golden.py` compares.

One file a game: its deck and chips, its phases and decision types, and a few random playouts with everything that
happened.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import GameSpec
from antemill.engine.text.describe import random_playout
from tests.specs import every_construct

FOLDER = Path(__file__).parents[2] / "data" / "golden"
GENERATED = tuple(range(100, 130))
PLAYOUTS = 3


def games() -> dict[str, Callable[[], GameSpec]]:
    """What makes the game of every golden file, by the file's stem."""
    drawn = {f"seed-{seed}": partial(generate, seed) for seed in GENERATED}
    return {**NAMED, "every-construct": every_construct, **drawn}


def text(spec: GameSpec) -> str:
    """The content of a golden file."""
    program = compile_spec(spec)
    names = program.names
    head = [
        f"# {spec.name}",
        f"chips {spec.chips}, ranks {' '.join(map(str, names.ranks))}, suits {' '.join(names.suits)}",
    ]
    head += [f"phases: {'; '.join(names.phases)}"]
    head += [f"{('Alice', 'Bob')[d.seat]}: {d.phase}: {d.move_type} {d.move_name}" for d in names.decisions]
    playouts = [f"## play seed {seed}\n{random_playout(program, seed)}" for seed in range(PLAYOUTS)]
    return "\n".join(head) + "\n\n" + "\n".join(playouts)


def main() -> None:
    """Write all files and remove those that no game belongs to."""
    FOLDER.mkdir(exist_ok=True)
    written = set()
    for stem, make in games().items():
        path = FOLDER / f"{stem}.txt"
        path.write_text(text(make()), encoding="utf-8")
        written.add(path)
    for stale in set(FOLDER.glob("*.txt")) - written:
        stale.unlink()
    print(f"{len(written)} golden files written to {FOLDER}")


if __name__ == "__main__":
    main()
