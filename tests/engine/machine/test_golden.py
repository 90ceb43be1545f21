"""Golden playouts (see tests/engine/machine/golden.py): the same games, the same playouts, word for word."""

from __future__ import annotations

import pytest

from antemill.engine.rules.named import NAMED
from tests.differing import assert_same
from tests.engine.machine.golden import FOLDER, GENERATED, games, text


def test_there_are_as_many_files_as_games() -> None:
    stems = set(games())
    assert len(stems) == len(NAMED) + 1 + len(GENERATED)
    assert len(GENERATED) == 30
    assert {path.stem for path in FOLDER.glob("*.txt")} == stems


@pytest.mark.parametrize("stem", games())
def test_playouts_are_as_recorded(stem: str) -> None:
    recorded = (FOLDER / f"{stem}.txt").read_text(encoding="utf-8")
    assert_same(text(games()[stem]()), recorded, "if the change is meant, run: make golden")
