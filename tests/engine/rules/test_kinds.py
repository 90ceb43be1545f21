"""No place forgets a kind: tables have a row for every kind, and what kinds declare of themselves is what they do."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from random import Random
from typing import Any, get_args

import numpy as np
import pytest
from msgspec.structs import replace

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine import layout as at
from antemill.engine.machine.events import ChipReason
from antemill.engine.rules.legality.facts import Facts
from antemill.engine.rules.limits import MAX_CALLS
from antemill.engine.rules.named import kuhn
from antemill.engine.rules.spec import (
    ActionRound,
    GameSpec,
    If,
    NoAction,
    Option,
    Phase,
    Showdown,
    Step,
)
from antemill.engine.text import wording
from antemill.engine.text.rulebook.phases import phase_lines
from antemill.engine.text.rulebook.steps import SUMMARIES, sentence
from tests.engine.machine.fuzz_specs import fuzzed
from tests.engine.machine.machine import play_machine, script
from tests.engine.rules.watched import Watched
from tests.specs import every_construct

STEPS, PHASES = set(get_args(Step)), set(get_args(Phase))


TABLES: dict[str, tuple[Collection[object], set[Any]]] = {
    "sentence in engine/text/rulebook/steps": (sentence.registry, {object} | STEPS - {If}),
    "SUMMARIES in engine/text/rulebook/steps": (SUMMARIES, STEPS),
    "phase_lines in engine/text/rulebook/phases": (phase_lines.registry, {object} | PHASES),
    "_PAID in engine/text/wording": (wording._PAID, set(ChipReason)),
}


@pytest.mark.parametrize("table", TABLES)
def test_every_kind_has_its_row(table: str) -> None:
    rows, kinds = TABLES[table]
    assert set(rows) == kinds


@cache
def games() -> list[GameSpec]:
    again = ActionRound("Again", "alice", (Option("a", (NoAction(), NoAction())),), picks=4)
    many_picks = replace(kuhn(), phases=(again, Showdown("End")), sequence=("Again", "End"))
    return [many_picks, *[every_construct()] * 8, *map(fuzzed, range(16))]


def test_kinds_do_what_they_declare_and_nothing_else() -> None:
    for number, spec in enumerate(games()):
        for seed in range(6):
            Watched(spec, 6 * number + seed).play()


def test_no_play_has_more_calls_under_way_than_the_checker_counts() -> None:
    """Return addresses stay where they were written: the machine's stack of calls shows how high it once was."""
    for number, spec in enumerate(games()):
        counted = max(Facts(spec).sizes.known[name].calls for name in spec.sequence)
        state = play_machine(compile_spec(spec), script(Random(number).choices(range(5_040), k=400))).state
        reached = np.count_nonzero(state[at.CALLS : at.CALLS + MAX_CALLS])
        assert reached <= counted
        assert number > 0 or reached == counted == 1
