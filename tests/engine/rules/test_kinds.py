"""No place forgets a kind: tables have a row for every kind, and what kinds declare of themselves is what they do."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any, get_args

import pytest
from msgspec.structs import replace

from engine.builder import bounds
from engine.compiler import phases, steps
from engine.machine.events import ChipReason
from engine.match import wording
from engine.rules.named import kuhn
from engine.rules.spec import ActionRound, BettingLoop, GameSpec, If, NoAction, Option, Perform, Phase, Showdown, Step
from engine.text.rulebook.phases import phase_lines
from engine.text.rulebook.steps import SUMMARIES, sentence
from tests.engine.machine.fuzz_specs import fuzzed
from tests.engine.rules.watched import Watched
from tests.specs import BY_HAND, every_construct

STEPS, PHASES = set(get_args(Step)), set(get_args(Phase))


@pytest.mark.parametrize(
    ("table", "kinds"),
    [
        (steps.STEP_HANDLERS, STEPS),
        (phases.PHASE_HANDLERS, PHASES),
        (sentence.registry, {object} | STEPS - {If}),
        (SUMMARIES, STEPS),
        (phase_lines.registry, {object} | PHASES),
        (bounds.EFFECTS, STEPS - BY_HAND),
        (bounds.PHASES, PHASES - BY_HAND),
        (wording._PAID, set(ChipReason)),
    ],
)
def test_every_kind_has_its_row(table: Collection[object], kinds: set[object]) -> None:
    assert set(table) == kinds


@cache
def games() -> list[GameSpec]:
    again = ActionRound("Again", "alice", (Option("a", (NoAction(), NoAction())),), picks=4)
    many_picks = replace(kuhn(), phases=(again, Showdown("End")), sequence=("Again", "End"))
    return [many_picks, *[every_construct()] * 8, *map(fuzzed, range(16))]


def play_all() -> None:
    """Raises AssertionError if a kind does what it does not declare."""
    for number, spec in enumerate(games()):
        for seed in range(6):
            Watched(spec, 6 * number + seed).play()


def test_kinds_do_what_they_declare_and_nothing_else() -> None:
    play_all()


DECLARED: list[tuple[type, str, Any]] = [
    *((kind, "brings", kind.brings - {trait}) for kind in get_args(Phase | Step) for trait in sorted(kind.brings)),
    *((kind, "draws", 0) for kind in get_args(Step) if kind.draws != NoAction.draws),
    *((kind, "plays", ()) for kind in (Perform, BettingLoop)),
    *((kind, "repeats", 1) for kind in (ActionRound, BettingLoop)),
]


@pytest.mark.parametrize(("kind", "field", "less"), DECLARED)
def test_no_declaration_is_idle(kind: type, field: str, less: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kind, field, less)
    with pytest.raises(AssertionError):
        play_all()
