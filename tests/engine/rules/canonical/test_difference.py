"""The first difference of two games, in words."""

from __future__ import annotations

from itertools import pairwise

import pytest
from msgspec.structs import replace

from antemill.engine.builder.generate import generate
from antemill.engine.rules.canonical.difference import _FORM, _PARTS, _flat, first_difference
from antemill.engine.rules.canonical.digests import canonical_form
from antemill.engine.rules.canonical.words import in_words
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import ActionRound, Deck, FixedBetting, GameSpec
from tests.engine.machine.fuzz_specs import fuzzed
from tests.engine.rules.canonical.near_misses import PAIRS
from tests.specs import every_construct


def without_a_phase(spec: GameSpec) -> list[GameSpec]:
    """The game, each time without one phase of its sequence: it differs from the next one at such a phase."""
    return [replace(spec, sequence=spec.sequence[:i] + spec.sequence[i + 1 :]) for i in range(len(spec.sequence) - 1)]


GAMES = [spec for seed in range(40) for spec in without_a_phase(generate(seed))] + without_a_phase(every_construct())


@pytest.mark.parametrize("pairs", [PAIRS.values(), [*pairwise(GAMES)]], ids=["near misses", "neighbours"])
def test_every_difference_has_words(pairs: list[tuple[GameSpec, GameSpec]]) -> None:
    told = set()
    for first, second in pairs:
        found = first_difference(first, second)
        if found is None:
            continue
        for part, words in zip((found.first, found.second), found.in_words, strict=True):
            assert words.strip("'") != part, words  # no word of it was known, or the words of both were the same
            assert not set("${}[]|&") & set(words), words
            told.add(words)
    assert len(told) > 10


def parts(spec: GameSpec) -> set[str]:
    """All parts of a game's form."""
    form = _FORM.fullmatch(_flat(canonical_form(spec)))
    assert form is not None
    return {part for part in _PARTS.split(form["steps"]) if part}


def test_every_part_of_a_form_has_words() -> None:
    """A new kind has a row in `words.py`, or a difference in it would be told in the letters of the form."""
    said = set().union(*map(parts, (every_construct(), *map(fuzzed, range(30)))))
    assert len(said) > 200
    assert [part for part in said if in_words(part) == part] == []


def test_a_difference_says_what_each_game_has() -> None:
    kuhn = NAMED["kuhn"]()
    found = first_difference(kuhn, replace(kuhn, deck=Deck((1, 2, 3, 4), ("stars", "moons"))))
    assert found is not None
    decks = (
        "a deck of 3 ranks and 1 suit that no rule tells apart",
        "a deck of 4 ranks and 2 suits that no rule tells apart",
    )
    assert (found.where, found.in_words) == ("the deck", decks)
    assert first_difference(kuhn, kuhn) is None


def test_a_step_more_is_told_beside_nothing() -> None:
    spec = generate(3)
    place, phase = next((i, one) for i, one in enumerate(spec.phases) if isinstance(one, ActionRound))
    chosen = phase.options[0]
    twice = replace(phase, options=(replace(chosen, steps=chosen.steps * 2), *phase.options[1:]))
    found = first_difference(spec, replace(spec, phases=(*spec.phases[:place], twice, *spec.phases[place + 1 :])))
    assert found is not None
    assert found.in_words == ("nothing", "each player pays 2 to the pot")


def test_stacks_that_never_run_short_are_told_as_such() -> None:
    leduc = NAMED["leduc"]()
    *first, last, showdown = leduc.phases
    assert isinstance(last, FixedBetting)
    found = first_difference(leduc, replace(leduc, phases=(*first, replace(last, raises=2), showdown)))
    assert found is not None
    assert found.in_words == ("more than a play can cost", "13 units of chips")
