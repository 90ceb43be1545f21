"""What follows from the rules of games is as recorded (see `golden`)."""

from __future__ import annotations

import json

from antemill.engine.rules.constructs import CONSTRUCTS
from tests.engine.rules.golden import FILE, figures, games


def test_figures_are_as_recorded() -> None:
    recorded = json.loads(FILE.read_text(encoding="utf-8"))
    assert len(recorded) > 450
    for name, spec in games():
        assert figures(spec) == recorded.pop(name), f"{name}: if the change is meant, run: make golden"
    assert not recorded


def test_every_construct_is_somewhere_and_near_misses_have_digests_of_their_own() -> None:
    recorded = json.loads(FILE.read_text(encoding="utf-8"))
    assert {part for row in recorded.values() for part in row[3].split("; ")} - {""} == {*CONSTRUCTS}
    pairs = [recorded[name][0] for name in recorded if name.endswith((", 0", ", 1"))]
    assert all(one != other for one, other in zip(pairs[::2], pairs[1::2], strict=True))
