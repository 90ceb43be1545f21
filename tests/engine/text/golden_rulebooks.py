"""Golden rulebooks: `python -m tests.engine.text.golden_rulebooks` writes them again, `test_rulebook.py` compares."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from antemill.engine.builder.generate import generate
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import GameSpec
from antemill.engine.text.rulebook import rulebook
from tests.specs import every_construct

FOLDER = Path(__file__).parents[2] / "data" / "golden_rulebooks"
GAMES: dict[str, Callable[[], GameSpec]] = {
    **NAMED,
    "every-construct": every_construct,
    **{f"seed-{seed}": partial(generate, seed) for seed in range(8)},
}


def main() -> None:
    """Write all files and remove those that no game belongs to."""
    FOLDER.mkdir(exist_ok=True)
    for stale in {path.stem for path in FOLDER.glob("*.md")} - set(GAMES):
        (FOLDER / f"{stale}.md").unlink()
    for name, make in GAMES.items():
        (FOLDER / f"{name}.md").write_text(rulebook(make()), encoding="utf-8")
    print(f"{len(GAMES)} golden rulebooks written to {FOLDER}")


if __name__ == "__main__":
    main()
