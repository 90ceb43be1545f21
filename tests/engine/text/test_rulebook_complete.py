"""Rulebooks are complete: every change of a spec changes the text, in the section of the phase it belongs to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import Auction, GameSpec, Observation, SideBet
from antemill.engine.rules.walk import walk
from antemill.engine.text.rulebook import rulebook
from tests.engine.text.rulebook_sections import phase_sections
from tests.engine.text.spec_mutants import Mutant, mutants
from tests.specs import every_construct

GAMES: dict[str, Callable[[], GameSpec]] = {**NAMED, "every-construct": every_construct}
GENERATED = (1,)


def immaterial(spec: GameSpec, mutant: Mutant) -> str | None:
    """Why a change cannot matter to a player, or None. (`version` has one value and is never changed.)"""
    inner = mutant.around[-1]
    field = mutant.path.rpartition(".")[2]
    if field == "trigger_public" and isinstance(inner, Observation) and inner.trigger is None:
        return "without a trigger there is nothing to announce"
    if field == "player" and any(isinstance(node, Auction) for node in mutant.around):
        return "the winner gets the prize whatever player it names"
    if re.fullmatch(r"\.phases\[\d+\]", mutant.path) and mutant.change in ("doubled", "swapped"):
        swapped = [bet.name for bet in spec.phases if isinstance(bet, SideBet)]
        after = [bet.name for bet in mutant.value.phases if isinstance(bet, SideBet)]
        if swapped == after:
            return "phases are found by name, the first one counts; only side bets are settled in this order"
    return None


def material_changes(spec: GameSpec) -> Iterator[tuple[Mutant, str]]:
    """The changes that matter to a player, with the rulebooks of the changed games."""
    return ((mutant, rulebook(mutant.value)) for mutant in mutants(spec) if not immaterial(spec, mutant))


@cache
def changes_of(name: str) -> tuple[tuple[Mutant, str], ...]:
    """Those of a game by name, read once for all tests."""
    return tuple(material_changes(GAMES[name]()))


def silent(spec: GameSpec, changes: Iterable[tuple[Mutant, str]]) -> list[str]:
    """The changes that the rulebook does not show where it should."""
    text = rulebook(spec)
    sections = phase_sections(text)
    found = []
    for mutant, changed in changes:
        where = re.match(r"\.phases\[(\d+)\].", mutant.path)
        name = spec.phases[int(where[1])].name if where else None
        if changed == text or (name and phase_sections(changed).get(name) == sections[name]):
            found.append(f"{mutant.path}: {mutant.change}")
    return found


@pytest.mark.parametrize("name", list(GAMES))
def test_every_change_of_a_named_game_shows(name: str) -> None:
    spec, changes = GAMES[name](), changes_of(name)
    assert silent(spec, changes) == []
    assert len(changes) > len(walk(spec)), "fewer changes than nodes: the walk over the fields has lost something"


@pytest.mark.parametrize("seed", GENERATED)
def test_every_change_of_a_generated_game_shows(seed: int) -> None:
    assert silent(generate(seed), material_changes(generate(seed))) == []


@pytest.mark.parametrize("name", list(GAMES))
def test_different_changes_read_differently(name: str) -> None:
    texts: dict[str, GameSpec] = {}
    for mutant, text in changes_of(name):
        other = texts.setdefault(text, mutant.value)
        assert other == mutant.value, f"{mutant.path}: {mutant.change} reads like another change"
