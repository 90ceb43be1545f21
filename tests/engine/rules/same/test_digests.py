"""The canonical digest: other ways to write a game down do not change it, and equal digests are games of one tree."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from antemill import engine
from antemill.engine.builder.generate import generate
from antemill.engine.disguise.changes import rebuilt
from antemill.engine.errors import SpecError
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.same import Facts, canonical_digest, normal_form, rules_digest, side_by_side
from antemill.engine.rules.spec import (
    Ante,
    Deal,
    GameSpec,
    Shuffle,
    Steps,
)
from tests.engine.machine.fuzz_specs import fuzzed
from tests.engine.rules.same.isomorphisms import REWRITINGS, mirrored, relabelled, scaled
from tests.engine.rules.same.near_misses import PAIRS
from tests.engine.rules.same.trees import alike, shapes
from tests.specs import every_construct

LIMIT = 3_000  # nodes of the trees that are compared


@cache
def games() -> tuple[GameSpec, ...]:
    """Named games, generated ones, and fuzzed ones far from those."""
    named = [make() for make in NAMED.values()]
    drawn = [generate(seed) for seed in range(25)]
    odd = [fuzzed(seed) for seed in range(25)] + [fuzzed(seed, small=True) for seed in range(50)]
    return (*named, every_construct(), *drawn, *odd)


@cache
def forms_of_games() -> tuple[str, ...]:
    """The canonical form of each of `games`, which every rewriting is compared with."""
    return tuple(map(normal_form, games()))


def test_different_forms_stand_side_by_side() -> None:
    kuhn, leduc = (normal_form(NAMED[name]()) for name in ("kuhn", "leduc"))
    lines = side_by_side(kuhn, leduc, 30).splitlines()
    assert "|" not in {line[31:32] for line in side_by_side(kuhn, kuhn, 30).splitlines()}
    assert {line[31:32] for line in lines} >= {"|"}
    assert max(map(len, lines)) <= 63
    for column, form in ((slice(0, 30), kuhn), (slice(33, None), leduc)):
        assert "".join("".join(line[column] for line in lines).split()) == "".join(form.split())


# ----------------------------------------------------------------------------- isomorphic games collide


@pytest.mark.parametrize("rewriting", REWRITINGS, ids=lambda rewriting: str(rewriting.__name__))
def test_other_ways_to_write_a_game_down_do_not_change_its_digest(
    rewriting: Callable[[GameSpec, random.Random], GameSpec],
) -> None:
    changed = 0
    for number, (spec, form) in enumerate(zip(games(), forms_of_games(), strict=True)):
        other = rewriting(spec, random.Random(number))
        changed += other != spec
        assert normal_form(other) == form, spec.name
    assert changed > len(games()) / 2


def test_the_scale_of_chips_does_not_count() -> None:
    compared = 0
    for spec in games():
        twice, often = scaled(spec, 2), scaled(spec, 6)
        if twice is not None and often is not None:
            assert normal_form(twice) == normal_form(often), spec.name
            compared += 1
    assert compared > 15


def test_a_multiple_is_another_game_if_a_pot_may_be_odd() -> None:
    kuhn = NAMED["kuhn"]()
    assert normal_form(kuhn) == normal_form(_existing(scaled(kuhn, 3)))
    odd = _with_phase(kuhn, Steps("Ante", (Ante("alice", 1), Ante("bob", 2))))
    forms = [normal_form(_existing(scaled(odd, factor))) for factor in (1, 3, 2, 4)]
    assert forms[2] == forms[3]
    assert len(set(forms)) == 3


def test_nor_do_the_seats() -> None:
    compared = 0
    for spec, form in zip(games(), forms_of_games(), strict=True):
        other = mirrored(spec)
        if other is not None and Facts(spec).exchangeable:
            assert normal_form(other) == form, spec.name
            compared += 1
    assert compared > 25


def test_seats_count_when_cards_run_short_as_alice_is_served_first() -> None:
    kuhn = NAMED["kuhn"]()
    short = _with_phase(kuhn, Steps("Setup", (Shuffle(), Deal(2))))
    assert normal_form(short) != normal_form(_existing(mirrored(short)))


METRICS: tuple[Any, ...] = ("high", "low", "sum", "suits", "pairs")


# ------------------------------------------------------------------------- colliding games are the same


def _assert_one_game(specs: Iterable[GameSpec]) -> int:
    """All specs have one tree; returns how many were compared with the first."""
    first, compared = None, 0
    for spec in specs:
        found = shapes(spec, LIMIT)
        if found is None:
            continue
        if first is None:
            first = (spec, found[0])
            continue
        plain, swapped = (alike(shape, first[1], bool(seat)) for seat, shape in enumerate(found))
        assert plain or swapped, (first[0].name, spec.name, normal_form(spec))
        compared += 1
    return compared


def _grouped(specs: Iterable[GameSpec]) -> list[list[GameSpec]]:
    """Games of equal digests that are written differently."""
    groups: dict[str, dict[str, GameSpec]] = defaultdict(dict)
    for spec in specs:
        groups[canonical_digest(spec)].setdefault(rules_digest(spec), spec)
    return [list(group.values()) for group in groups.values() if len(group) > 1]


def test_games_of_equal_digests_have_one_tree_and_one_value() -> None:
    groups = _grouped(generate(seed, 0.05) for seed in range(300))
    assert sum(_assert_one_game(group[:3]) for group in groups) > 10


def _mutated(spec: GameSpec, rng: random.Random) -> GameSpec | None:
    """The spec with one number or word of one node changed; None if it has none."""
    places: list[tuple[int, str, Any]] = []
    count = 0

    def look(node: Any) -> Any:
        nonlocal count
        for field in node.__struct_fields__:
            value = getattr(node, field)
            if isinstance(value, bool):
                places.append((count, field, not value))
            elif isinstance(value, int) and field != "version":
                places.append((count, field, value + rng.choice((1, 1, 2, -1))))
            elif field in _WORDS:
                places.append((count, field, rng.choice([word for word in _WORDS[field] if word != value])))
        count += 1
        return node

    rebuilt(spec, look)
    if not places:
        return None
    target, field, value = rng.choice(places)
    count = 0

    def change(node: Struct) -> Any:
        nonlocal count
        count += 1
        return replace(node, **{field: value}) if count - 1 == target else node

    changed: GameSpec = rebuilt(spec, change)
    return changed


_WORDS = {
    **{"player": ("alice", "bob"), "opener": ("alice", "bob"), "viewer": ("alice", "bob")},
    **{"visibility": ("public", "occurrence", "private"), "metric": METRICS, "op": ("<", "<=", "==", ">=", ">")},
    **{"which": ("random", "highest")},
}


@pytest.mark.parametrize("what", PAIRS)
def test_what_matters_counts(what: str) -> None:
    """Two games that differ in one thing: their trees are two, and so are their digests."""
    one, other = PAIRS[what]
    assert engine.check(one) == engine.check(other) == []
    trees = shapes(one, 20_000), shapes(other, 20_000)
    assert trees[0] is not None
    assert trees[1] is not None
    assert not any(alike(trees[0][0], shape, bool(seat)) for seat, shape in enumerate(trees[1]))
    assert normal_form(one) != normal_form(other)


def test_games_that_differ_in_one_place_are_only_one_game_if_their_trees_are() -> None:
    """Mirrored games, larger stacks, and positions that no phase assigns; every other change counts."""
    apart = one = 0
    for seed in range(300):
        spec = fuzzed(seed, small=True)
        other = _mutated(spec, random.Random(seed))
        if other is None or engine.check(spec) or engine.check(other):
            continue
        if normal_form(spec) != normal_form(other):
            apart += 1
            continue
        trees = shapes(spec, LIMIT), shapes(other, LIMIT)
        if trees[0] is not None and trees[1] is not None:
            assert any(alike(shape, trees[0][0], bool(seat)) for seat, shape in enumerate(trees[1])), seed
            one += 1
    assert apart > 150
    assert one > 10


# ------------------------------------------------------------------------------------- the cheaper digest


def test_names_do_not_count_in_the_digest_of_rules_and_everything_else_does() -> None:
    renamed = REWRITINGS[0]
    for number, spec in enumerate(games()):
        rng = random.Random(number)
        assert rules_digest(renamed(spec, rng)) == rules_digest(spec), spec.name
        other = _mutated(spec, rng)
        assert other is None or rules_digest(other) != rules_digest(spec), spec.name
        other = relabelled(spec, rng)
        assert other.deck == spec.deck or rules_digest(other) != rules_digest(spec), spec.name


# ------------------------------------------------------------------------------------------------ contract


def test_the_digests_of_a_named_game_stay() -> None:
    kuhn = NAMED["kuhn"]()
    assert rules_digest(kuhn) == engine.rules_digest(kuhn) == "ff009afbb2aecb6a8713f6fa455ca308"
    assert canonical_digest(kuhn) == engine.canonical_digest(kuhn) == "62644e95da6aa5c286734d162b18ac8f"


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        (replace(NAMED["kuhn"](), sequence=("Setup", "Lost", "Showdown")), "'Lost' is missing"),
        (replace(NAMED["kuhn"](), sequence=("Setup", "Ante")), "does not end with a showdown"),
    ],
)
def test_what_is_no_game_has_no_digest(spec: GameSpec, what: str) -> None:
    with pytest.raises(SpecError, match=what):
        canonical_digest(spec)


def _existing(spec: GameSpec | None) -> GameSpec:
    assert spec is not None
    return spec


def _with_phase(spec: GameSpec, phase: Any) -> GameSpec:
    """The spec with another phase in the place of that of the same name."""
    return replace(spec, phases=tuple(phase if old.name == phase.name else old for old in spec.phases))
