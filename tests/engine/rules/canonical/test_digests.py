"""The canonical digest: other ways to write a game down do not change it, and equal digests are games of one tree."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, get_args

import pytest
from msgspec import Struct
from msgspec.structs import replace

from antemill import engine
from antemill.engine.builder.generate import generate
from antemill.engine.disguise.changes import rebuilt
from antemill.engine.errors import SpecError
from antemill.engine.rules.canonical.digests import canonical_digest, canonical_form, rules_digest
from antemill.engine.rules.canonical.facts import Facts
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import (
    ActionRound,
    AddToVariable,
    Announce,
    Ante,
    AnyOf,
    Cell,
    Condition,
    Cost,
    Deal,
    Deck,
    FixedBetting,
    GameSpec,
    HasHigherCard,
    HoldsSuit,
    If,
    Observation,
    Option,
    Peek,
    Perform,
    Phase,
    Reveal,
    Score,
    Showdown,
    Shuffle,
    Simultaneous,
    Step,
    Steps,
    TakePot,
    VariableBetting,
    VariableIs,
)
from tests.engine.machine.fuzz_specs import fuzzed
from tests.engine.rules.canonical.isomorphisms import REWRITINGS, mirrored, padded, relabelled, scaled
from tests.engine.rules.canonical.near_misses import PAIRS
from tests.engine.rules.canonical.trees import alike, shapes
from tests.specs import every_construct

LIMIT = 3_000  # nodes of the trees that are compared


@cache
def games() -> tuple[GameSpec, ...]:
    """Named games, generated ones, and fuzzed ones far from those."""
    named = [make() for make in NAMED.values()]
    drawn = [generate(seed) for seed in range(60)]
    odd = [fuzzed(seed) for seed in range(60)] + [fuzzed(seed, small=True) for seed in range(120)]
    return (*named, every_construct(), _symmetric(), *drawn, *odd)


@cache
def forms_of_games() -> tuple[str, ...]:
    """The canonical form of each of `games`, which every rewriting is compared with."""
    return tuple(map(canonical_form, games()))


def _symmetric() -> GameSpec:
    """Options and rows that differ in nothing but the suits and variables that they name, in a ring."""
    suits = ("clubs", "hearts", "spades", "stars")
    ring = list(zip(suits, (*suits[1:], suits[0]), strict=True))
    heat = tuple(f"heat of {suit}" for suit in suits)
    options = tuple(
        Option(f"{a} or {b}", (If(AnyOf((HoldsSuit("alice", a), HoldsSuit("bob", b))), (AddToVariable(h, 1),)),))
        for (a, b), h in zip(ring, heat, strict=True)
    )
    ends = tuple(If(VariableIs(h, "==", 1), (Score("bob", 1 + i // 2),)) for i, h in enumerate(heat))
    return GameSpec(
        name="Ring",
        deck=Deck((2, 3), suits),
        chips=5,
        phases=(
            Steps("Setup", (Shuffle(), Deal(2))),
            ActionRound("Ask", "alice", options),
            Steps("Count", ends),
            FixedBetting("Bets", "alice", 1),
            Showdown("Showdown", "suits"),
        ),
        sequence=("Setup", "Ask", "Count", "Bets", "Showdown"),
        variables=heat,
    )


def _rings(order: random.Random) -> GameSpec:
    """Options that name two of twelve variables each: a ring of six, and two rings of three.

    No variable differs from another in what its neighbours look like, and yet those of the large ring are not those of
    the small ones.
    """
    names = [f"heat {i}" for i in range(12)]
    order.shuffle(names)
    large, small, other = names[:6], names[6:9], names[9:]
    pairs = [(a, b) for ring in (large, small, other) for a, b in zip(ring, (*ring[1:], ring[0]), strict=True)]
    options = [Option(f"{a} {b}", (AddToVariable(a, 1), AddToVariable(b, 1))) for a, b in pairs]
    read = [If(VariableIs(name, "==", 1), (Score("bob", 1),)) for name in names]
    return GameSpec(
        name="Rings",
        deck=Deck((2, 3), ("hearts",)),
        chips=5,
        phases=(
            ActionRound("Heat", "alice", tuple(order.sample(options, len(options)))),
            ActionRound("Count", "bob", tuple(Option(f"{i}", (step,)) for i, step in enumerate(read))),
            Showdown("Showdown"),
        ),
        sequence=("Heat", "Count", "Showdown"),
        variables=tuple(order.sample(names, len(names))),
    )


# ----------------------------------------------------------------------------- isomorphic games collide


def test_names_that_look_alike_and_are_not_are_tried_one_after_the_other() -> None:
    assert len({canonical_form(_rings(random.Random(seed))) for seed in range(3)}) == 1


@pytest.mark.parametrize("rewriting", REWRITINGS, ids=lambda rewriting: str(rewriting.__name__))
def test_other_ways_to_write_a_game_down_do_not_change_its_digest(
    rewriting: Callable[[GameSpec, random.Random], GameSpec],
) -> None:
    changed = 0
    for number, (spec, form) in enumerate(zip(games(), forms_of_games(), strict=True)):
        other = rewriting(spec, random.Random(number))
        changed += other != spec
        assert canonical_form(other) == form, spec.name
    assert changed > len(games()) / 2


def test_nor_do_several_of_them_together() -> None:
    for number, spec in enumerate(games()):
        rng, other = random.Random(-number), spec
        for rewriting in (
            *rng.sample([each for each in REWRITINGS if each is not padded], len(REWRITINGS) - 1),
            padded,
        ):
            other = rewriting(other, rng)
        assert canonical_digest(other) == canonical_digest(spec), spec.name


def test_the_scale_of_chips_does_not_count() -> None:
    compared = 0
    for spec in games():
        twice, often = scaled(spec, 2), scaled(spec, 6)
        if twice is not None and often is not None:
            assert canonical_form(twice) == canonical_form(often), spec.name
            compared += 1
    assert compared > 50
    kuhn = NAMED["kuhn"]()
    assert canonical_form(kuhn) == canonical_form(_existing(scaled(kuhn, 3)))


def test_nor_does_it_where_an_odd_chip_may_be_drawn_for_except_that_one() -> None:
    spec = _with_phase(NAMED["leduc"](), Steps("Ante", (Score("alice", 1), Ante("alice", 1))))
    assert canonical_form(spec) != canonical_form(_existing(scaled(spec, 3)))
    assert canonical_form(_existing(scaled(spec, 2))) == canonical_form(_existing(scaled(spec, 8)))


def test_nor_do_the_seats() -> None:
    compared = 0
    for spec, form in zip(games(), forms_of_games(), strict=True):
        other = mirrored(spec)
        if other is not None and Facts(spec).exchangeable:
            assert canonical_form(other) == form, spec.name
            compared += 1
    assert compared > 80


def test_seats_count_when_cards_run_short_as_alice_is_served_first() -> None:
    kuhn = NAMED["kuhn"]()
    short = _with_phase(kuhn, Steps("Setup", (Shuffle(), Deal(2))))
    assert canonical_form(short) != canonical_form(_existing(mirrored(short)))


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_chips_that_nobody_ever_needs_do_not_count(name: str) -> None:
    spec = NAMED[name]()
    assert canonical_form(replace(spec, chips=10_000)) == canonical_form(spec)
    assert canonical_form(replace(spec, chips=spec.chips - 1)) != canonical_form(spec)
    free = _with_phase(NAMED["kuhn"](), VariableBetting("Betting", opener="alice"))
    assert canonical_form(replace(free, chips=5)) != canonical_form(replace(free, chips=6))


def test_bets_beyond_both_stacks_do_not_count() -> None:
    """With 9 chips and an ante of 1, no bet is above 8, and no player can raise 4 above 4."""
    kuhn = replace(NAMED["kuhn"](), chips=9)
    free = [VariableBetting("Betting", opener="alice", cap=cap) for cap in (None, 8, 17, 7)]
    forms = [canonical_form(_with_phase(kuhn, phase)) for phase in free]
    assert forms[0] == forms[1] == forms[2] != forms[3]
    richer = _with_phase(replace(kuhn, chips=30), free[1])
    assert canonical_form(richer) == forms[0]
    fixed = [FixedBetting("Betting", "alice", *bet) for bet in ((4, 1), (4, 2), (8, 0), (20, 3), (4, 0))]
    forms = [canonical_form(_with_phase(kuhn, phase)) for phase in fixed]
    assert forms[0] == forms[1]
    assert forms[2] == forms[3]
    assert len(set(forms)) == 3


def test_with_one_card_each_way_to_compare_hands_is_the_same() -> None:
    kuhn = NAMED["kuhn"]()
    forms = {canonical_form(_with_phase(kuhn, Showdown("Showdown", metric))) for metric in METRICS}
    assert forms == {canonical_form(kuhn)}
    two = replace(_with_phase(kuhn, Steps("Setup", (Shuffle(), Deal(2)))), deck=Deck((2, 3, 5, 9), ("a", "b")))
    forms = {canonical_form(_with_phase(two, Showdown("Showdown", metric))) for metric in METRICS}
    assert len(forms) == len(METRICS) - 1  # low is high with the ranks turned


METRICS: tuple[Any, ...] = ("high", "low", "sum", "suits", "pairs")


def test_sums_of_equally_many_cards_do_not_depend_on_what_all_ranks_have_in_common() -> None:
    base = _with_phase(NAMED["kuhn"](), Showdown("Showdown", "sum"))
    two = _with_phase(replace(base, deck=Deck((1, 2, 4, 5), ("a",))), Steps("Setup", (Shuffle(), Deal(2))))
    assert canonical_form(replace(two, deck=Deck((11, 21, 41, 51), ("a",)))) == canonical_form(two)
    assert canonical_form(replace(two, deck=Deck((11, 21, 31, 51), ("a",)))) != canonical_form(two)


def test_a_hand_of_one_card_is_seen_or_not() -> None:
    """By a peek, a look at the card or the top rank, or when it is shown, no matter who else is told."""
    kuhn = NAMED["kuhn"]()
    ways: tuple[Any, ...] = (
        Steps("Look", (Peek("bob"),)),
        Steps("Look", (Peek("bob", "public"),)),
        Steps("Look", (Reveal("alice"),)),
        Steps("Look", (Reveal("alice", "highest"),)),
        Observation("Look", "bob", "opponent-card", "card", "occurrence"),
        Observation("Look", "bob", "opponent-hand", "top-rank"),
    )
    looks = [
        replace(kuhn, phases=(*kuhn.phases, way), sequence=("Setup", "Look", "Ante", "Betting", "Showdown"))
        for way in ways
    ]
    assert len({canonical_form(look) for look in looks} | {canonical_form(kuhn)}) == 2
    assert _assert_one_game(looks) == len(looks) - 1
    two = [_with_phase(look, Steps("Setup", (Shuffle(), Deal(1), Deal(1, "alice")))) for look in looks]
    assert len({canonical_form(look) for look in two}) == 5


def test_an_event_after_the_last_decision_does_not_count() -> None:
    kuhn = NAMED["kuhn"]()
    late = replace(
        kuhn,
        phases=(*kuhn.phases, Steps("Late", (Peek("bob"), Reveal("alice")))),
        sequence=(*kuhn.sequence[:-1], "Late", kuhn.sequence[-1]),
    )
    early = replace(late, sequence=("Setup", "Late", "Ante", "Betting", "Showdown"))
    assert canonical_form(late) == canonical_form(kuhn) != canonical_form(early)
    asked = If(HasHigherCard("bob"), (Peek("bob"), Announce("He is ahead.")), (Reveal("alice"),))
    assert canonical_form(_with_phase(late, Steps("Late", (asked,)))) == canonical_form(kuhn)
    paid = If(HasHigherCard("bob"), (Peek("bob"), TakePot("bob")), (Reveal("alice"),))
    assert canonical_form(_with_phase(late, Steps("Late", (paid,)))) != canonical_form(kuhn)


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
        assert plain or swapped, (first[0].name, spec.name, canonical_form(spec))
        compared += 1
    return compared


def _grouped(specs: Iterable[GameSpec]) -> list[list[GameSpec]]:
    """Games of equal digests that are written differently."""
    groups: dict[str, dict[str, GameSpec]] = defaultdict(dict)
    for spec in specs:
        groups[canonical_digest(spec)].setdefault(rules_digest(spec), spec)
    return [list(group.values()) for group in groups.values() if len(group) > 1]


@pytest.mark.parametrize("complexity", [0.0, 0.05])
def test_generated_games_of_equal_digests_have_one_tree_and_one_value(complexity: float) -> None:
    groups = _grouped(generate(seed, complexity) for seed in range(300))
    assert sum(_assert_one_game(group[:4]) for group in groups) > 20


def test_so_do_fuzzed_ones() -> None:
    groups = _grouped(fuzzed(seed, small=True) for seed in range(700))
    assert sum(_assert_one_game(group[:4]) for group in groups) > 20


def test_small_changes_change_the_digest_or_no_play() -> None:
    equal = different = 0
    for seed in range(150):
        rng = random.Random(seed)
        spec = fuzzed(seed, small=True) if seed % 3 else generate(seed, 0.03)
        other = _mutated(spec, rng)
        if other is None or engine.check(other):
            continue
        if canonical_digest(other) != canonical_digest(spec):
            different += 1
        else:
            equal += _assert_one_game((spec, other))
    assert different > 40
    assert equal > 10


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
    assert canonical_form(one) != canonical_form(other)


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


def test_names_count_as_far_as_they_tell_phases_options_and_suits_apart() -> None:
    leduc, kinds = NAMED["leduc"](), every_construct()
    assert rules_digest(replace(leduc, sequence=("Ante", "Setup", "Betting", "Showdown"))) != rules_digest(leduc)
    duel = kinds.phase("Duel")
    assert isinstance(duel, Simultaneous)
    moved = replace(duel, cells=tuple(replace(cell, alice="flee") for cell in duel.cells[:1]) + duel.cells[1:])
    assert rules_digest(_with_phase(kinds, moved)) != rules_digest(kinds)


def test_marks_in_names_are_no_names_of_fields() -> None:
    kuhn = NAMED["kuhn"]()
    for name in ('x","name":"y', '"name":"', "a\\", '"rounds":["b"]'):
        assert rules_digest(replace(kuhn, name=name)) == rules_digest(kuhn)


# ------------------------------------------------------------------------------------------------ contract


def test_the_digests_of_named_games_stay() -> None:
    found = {name: (rules_digest(make()), canonical_digest(make())) for name, make in NAMED.items()}
    assert found == {
        "kuhn": ("ff009afbb2aecb6a8713f6fa455ca308", "4a18c74d7d09f332435550da1306ebb2"),
        "leduc": ("2ff05772f40728db39bea19913a0718a", "8197ea9e196fb009d2bc1a2d0222b4c0"),
        "appendix-b": ("b5457cff06587cc32ac978d997daf855", "190257649beeb70417a988eb3393b499"),
    }
    assert engine.canonical_digest(NAMED["kuhn"]()) == canonical_digest(NAMED["kuhn"]())
    assert engine.rules_digest(NAMED["kuhn"]()) == rules_digest(NAMED["kuhn"]())


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


def test_nor_has_a_phase_that_performs_itself() -> None:
    circle = _with_phase(NAMED["kuhn"](), Steps("Ante", (Perform("Ante"),)))
    with pytest.raises(SpecError, match="performs itself"):
        canonical_digest(circle)


def _existing(spec: GameSpec | None) -> GameSpec:
    assert spec is not None
    return spec


def _with_phase(spec: GameSpec, phase: Any) -> GameSpec:
    """The spec with another phase in the place of that of the same name."""
    return replace(spec, phases=tuple(phase if old.name == phase.name else old for old in spec.phases))


FIELDS = {
    "ChipsAre": "player op value",
    "PotIs": "op value",
    "DeckSizeIs": "op value",
    "HandSizeIs": "player op value",
    "HasHigherCard": "player",
    "HoldsRank": "player ranks",
    "HoldsSuit": "player suit",
    "BoardHasRank": "ranks",
    "VariableIs": "variable op value",
    "Leads": "seat",
    "InProgress": "",
    "All": "conditions",
    "AnyOf": "conditions",
    "Not": "condition",
    "Shuffle": "discard_pile",
    "Deal": "count player",
    "DealBoard": "count",
    "Draw": "player count visibility",
    "Discard": "player which face_up",
    "Ante": "player amount",
    "Transfer": "source target amount",
    "TakePot": "player",
    "Score": "player amount",
    "Peek": "player visibility",
    "Swap": "player",
    "Steal": "player",
    "Reveal": "player which",
    "Announce": "text",
    "AddToVariable": "variable amount",
    "If": "condition then otherwise public",
    "Perform": "phase",
    "EndGame": "winner",
    "NoAction": "",
    "Steps": "name steps",
    "FixedBetting": "name opener amount raises",
    "VariableBetting": "name opener cap fallback",
    "BettingLoop": "name counter cap stop_at rounds between",
    "ActionRound": "name player options public picks",
    "Simultaneous": "name alice_options bob_options cells others",
    "Auction": "name max_bid prize",
    "Observation": "name viewer subject signal visibility trigger trigger_public",
    "Positions": "name criterion",
    "SideBet": "name player amount condition",
    "Showdown": "name metric board",
    "Cost": "amount odds",
    "Option": "name steps cost",
    "Cell": "alice bob steps",
    "Deck": "ranks suits",
    "GameSpec": "name deck chips phases sequence variables version",
}


def test_the_form_knows_every_field_of_every_kind() -> None:
    """A new field, or kind, is to be read by `antemill.engine.rules.canonical`, or else two games may pass for one."""
    kinds: list[Any] = [*get_args(Condition), *get_args(Step), *get_args(Phase), Cost, Option, Cell, Deck, GameSpec]
    assert {kind.__name__: " ".join(kind.__struct_fields__) for kind in kinds} == FIELDS
