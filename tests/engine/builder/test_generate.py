"""The generator (G3 to G5, G7, G34): determinism, coverage of the rules, the dial, legality, caps.

After an intended change of the builder: `python -m tests.engine.builder.test_generate` rewrites the golden digest
below.
"""

import ast
import re
from collections import Counter
from dataclasses import fields, replace
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import get_args

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.builder.bounds import ALICE, BOB, DECK, POT, at_start
from engine.builder.caps import sizes
from engine.builder.dial import ARCHETYPES, MOST_LIKELY, TABLE, dial, multiplied
from engine.builder.dice import Dice, Weighted
from engine.builder.generate import (
    BENCHMARK_CAPS,
    Caps,
    builder_hash,
    default_complexity,
    generate,
)
from engine.compiler.compile import compile_spec
from engine.digests import Sources, canonical
from engine.rules.check import check
from engine.rules.named import NAMED
from engine.rules.spec import (
    ActionRound,
    Ante,
    BettingLoop,
    ChipsAre,
    Condition,
    FixedBetting,
    GameSpec,
    If,
    NoAction,
    Option,
    Phase,
    PotIs,
    Simultaneous,
    Step,
    Steps,
    Transfer,
    VariableBetting,
    from_json,
    to_json,
)
from engine.rules.walk import walk
from tests.specs import BY_HAND

GOLDEN = "f389d910cad6270d0297f6e1738b4e6b"
DIALS = (0.0, 0.25, 0.5, 0.75, 1.0)
BEYOND = Caps(
    complexity=2.0,
    cards=60,
    ranks=15,
    hand=8,
    chips=80,
    ante=8,
    main_phases=16,
    phases=60,
    rounds=8,
    raises=4,
    options=8,
    events=8,
    effects=3,
    nesting=4,
    bid=20,
    states=10**9,
)


def golden_digest() -> str:
    games = [generate(seed) for seed in range(40)]
    games += [generate(seed, c) for seed in (1, 7, 4643) for c in DIALS]
    games += [generate(seed, 1.7, BEYOND) for seed in range(3)]
    return blake2b(b"\n".join(to_json(game) for game in games), digest_size=16).hexdigest()


def test_same_bytes_as_ever() -> None:
    now = golden_digest()
    assert now == GOLDEN, "generated games changed; if intended, run python -m tests.engine.builder.test_generate"


def test_a_seed_gives_one_game() -> None:
    """G4: a game depends on its own seed and complexity, not on what was generated before."""
    first = to_json(generate(4643))
    for seed in range(50):
        generate(seed)
    assert to_json(generate(4643)) == first
    assert generate(5, default_complexity(5)) == generate(5)
    assert generate(5, 0.5) != generate(6, 0.5)


def test_names_tell_games_apart() -> None:
    assert generate(7).name == "Game 7"
    assert generate(7, 0.25).name == "Game 7@0.25"


@pytest.mark.parametrize(
    ("seed", "complexity", "says"),
    [
        (-1, None, "seed"),
        (1 << 63, None, "seed"),
        (0, -0.1, "complexity"),
        (0, 1.1, "complexity"),
        (0, float("nan"), "c"),
    ],
)
def test_out_of_range_is_refused(seed: int, complexity: float | None, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        generate(seed, complexity)


def test_caps_below_the_smallest_game_are_refused() -> None:
    with pytest.raises(ValueError, match="cards must be at least 3"):
        Caps(cards=2)


def test_caps_are_plain_whole_numbers() -> None:
    """Compiled rules take no others; a sweep has numpy's."""
    given = Caps(complexity=1, chips=np.int64(20))  # type: ignore[arg-type]
    assert given == Caps(chips=20)
    assert (type(given.complexity), type(given.chips)) == (float, int)
    with pytest.raises(ValueError, match=r"The cap chips must be a whole number, not 20\.0"):
        Caps(chips=20.0)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------ coverage


@pytest.fixture(scope="module")
def games() -> list[GameSpec]:
    return [generate(seed) for seed in range(4_000)]


def test_every_construct_occurs(games: list[GameSpec]) -> None:
    seen = {type(node) for game in games for _, node in walk(game)}
    assert set(get_args(Phase | Step | Condition)) == seen | BY_HAND


def test_every_choice_of_a_field_occurs(games: list[GameSpec]) -> None:
    """Visibilities, criteria, signals, metrics, comparisons, ...: everything that a Literal field allows."""
    seen: dict[tuple[str, str], set[object]] = {}
    for game in games:
        for _, node in walk(game):
            for field in node.__struct_fields__:
                value = getattr(node, field)
                if isinstance(value, str | bool):
                    seen.setdefault((type(node).__name__, field), set()).add(value)
    possible = {
        ("Observation", "subject"): 3,
        ("Observation", "signal"): 4,
        ("Observation", "visibility"): 3,
        ("Observation", "trigger_public"): 2,
        ("Positions", "criterion"): 6,
        ("Showdown", "metric"): 5,
        ("Showdown", "board"): 2,
        ("Peek", "visibility"): 3,
        ("Draw", "visibility"): 3,
        ("Discard", "which"): 3,
        ("Discard", "face_up"): 2,
        ("Reveal", "which"): 3,
        ("If", "public"): 2,
        ("PotIs", "op"): 5,
        ("ChipsAre", "op"): 5,
        ("ActionRound", "public"): 2,
        ("ActionRound", "player"): 4,
        ("FixedBetting", "opener"): 4,
        ("Shuffle", "discard_pile"): 2,
    }
    assert {key: len(seen[key]) for key in possible} == possible


def test_structures_differ(games: list[GameSpec]) -> None:
    """The phase graph is drawn, not its parameters alone: main sequences, and whole graphs, by kinds of phases."""
    shapes = {tuple(type(game.phase(name)).__name__ for name in game.sequence) for game in games}
    assert len(shapes) > 700
    graphs = {tuple(type(phase).__name__ for phase in game.phases) for game in games}
    assert len(graphs) > len(games) / 2
    kinds = {kind for game in games for kind in map(type, game.phases)}
    without = sum(not any(isinstance(phase, FixedBetting | BettingLoop) for phase in game.phases) for game in games)
    assert without > 100
    assert kinds == set(get_args(Phase)) - BY_HAND


def test_details_of_menus_and_loops_occur(games: list[GameSpec]) -> None:
    """G16, G19 to G22: stated and probabilistic costs, private choices, three options, several rounds, raises."""
    menus = [phase for game in games for phase in game.phases if isinstance(phase, ActionRound)]
    costs = [option.cost for menu in menus for option in menu.options if option.cost is not None]
    assert any(cost.odds for cost in costs)
    assert any(cost.odds is None for cost in costs)
    assert any(menu.picks > 1 for menu in menus)
    loops = [phase for game in games for phase in game.phases if isinstance(phase, BettingLoop)]
    assert {loop.cap for loop in loops} == {2, 3, 4}
    assert any(loop.between for loop in loops)
    assert any(len(set(loop.rounds)) > 1 for loop in loops)
    assert {len(p.alice_options) for g in games for p in g.phases if isinstance(p, Simultaneous)} == {2, 3}
    assert {p.raises for g in games for p in g.phases if isinstance(p, FixedBetting)} == {0, 1, 2}


def test_decks_from_three_cards_to_forty(games: list[GameSpec]) -> None:
    """G3."""
    sizes = [len(game.deck.ranks) * len(game.deck.suits) for game in games]
    assert min(sizes) == 3
    assert max(sizes) >= 40
    assert {len(game.deck.suits) for game in games} == {1, 2, 3, 4}


# ------------------------------------------------------------------------------------------------ the dial


def test_table_is_linear() -> None:
    low, middle, high = dial(0.0), dial(0.5), dial(1.0)
    for name, (lo, hi) in TABLE.items():
        most = MOST_LIKELY if name.startswith("p_") else 1_000.0
        assert low[name] == lo
        assert high[name] == pytest.approx(min(hi, most))
        assert middle[name] == pytest.approx(min((lo + hi) / 2, most))
        assert min(lo, hi) >= 0.0


# Rows that are means of counts: the cap that the largest draw runs into, and what is added to the draw.
CAPPED = {
    "rounds": ("rounds", 1),
    "post_events": ("events", 1),
    "between_events": ("events", 0),
    "options": ("options", 2),
}


def test_rows_reach_their_ceilings_near_the_end_of_the_dial() -> None:
    """G5: the dial does something over its whole range. A count is at most twice its mean, rounded up or down."""
    for name, (lo, hi) in TABLE.items():
        if name.startswith("p_"):
            assert max(lo, hi) <= MOST_LIKELY, name
    for name, (cap, added) in CAPPED.items():
        largest = [added + int(2 * dial(c)[name] + 0.999) for c in (0.85, 1.0)]
        assert largest[0] <= getattr(BENCHMARK_CAPS, cap) <= largest[1], name


def test_what_a_game_is_about_multiplies_rows_and_no_probability_passes_the_most() -> None:
    for factors in ARCHETYPES:
        assert set(factors) <= set(TABLE)
        rows = multiplied(dial(1.0), factors)
        assert max(value for name, value in rows.items() if name.startswith("p_")) <= MOST_LIKELY
        assert rows != dial(1.0)


def features(game: GameSpec) -> dict[str, float]:
    nodes = [node for _, node in walk(game)]
    return {
        "cards": len(game.deck.ranks) * len(game.deck.suits),
        "chips": game.chips,
        "phases": len(game.phases),
        "main phases": len(game.sequence),
        "conditionals": sum(isinstance(node, If) for node in nodes),
        "nodes": len(nodes),
    }


def test_means_rise_with_the_dial() -> None:
    """G5."""
    means = []
    for c in DIALS:
        rows = [features(generate(seed, c)) for seed in range(300)]
        means.append({name: fmean(row[name] for row in rows) for name in rows[0]})
    for lower, higher in pairwise(means):
        for name in lower:
            assert lower[name] < higher[name], name


def test_zero_is_like_kuhn() -> None:
    """G5: at 0 few cards, one each, and hardly more than a betting round."""
    rows = [generate(seed, 0.0) for seed in range(300)]
    plain = [
        game for game in rows if len(game.sequence) == 4 and type(game.phases[2]) in (FixedBetting, VariableBetting)
    ]
    assert len(plain) > 180
    assert max(len(game.deck.ranks) * len(game.deck.suits) for game in rows) <= 10


def test_default_complexity_spans_the_dial() -> None:
    values = [default_complexity(seed) for seed in range(4_000)]
    assert 0.0 <= min(values) < 0.05
    assert 0.95 < max(values) < 1.0
    assert default_complexity(3) == default_complexity(3)


# ------------------------------------------------------------------------------------------------ legality and caps


@given(seed=st.integers(0, (1 << 63) - 1), complexity=st.one_of(st.none(), st.floats(0.0, 1.0)))
def test_always_legal(seed: int, complexity: float | None) -> None:
    """G34."""
    game = generate(seed, complexity)
    assert check(game) == []
    assert from_json(to_json(game)) == game


def test_thousands_are_legal(games: list[GameSpec]) -> None:
    """G34."""
    assert [(game.name, check(game)) for game in games if check(game)] == []


@given(seed=st.integers(0, 1 << 62), complexity=st.floats(0.0, 2.0), phases=st.sampled_from((31, 60, 200)))
def test_legal_beyond_the_benchmark(seed: int, complexity: float, phases: int) -> None:
    """G7. A betting round counts for up to eight of the 250 phases that the machine can mark, whatever the cap says."""
    game = generate(seed, complexity, replace(BEYOND, phases=phases, main_phases=phases // 3, events=12))
    assert check(game) == []
    assert compile_spec(game).rows > 0


SMALLEST = Caps(0.0, 3, 3, 1, 3, 1, 5, 10, 1, 0, 2, 2, 1, 1, 0, 1, 50)


@pytest.mark.parametrize("caps", [BENCHMARK_CAPS, BEYOND, replace(SMALLEST, complexity=1.0, states=500)])
@pytest.mark.parametrize("complexity", [0.6, 1.0])
def test_no_cap_is_exceeded(caps: Caps, complexity: float) -> None:
    """G7, read from the finished rules by every measure; the largest games reach most of the benchmark's caps."""
    largest: Counter[str] = Counter()
    for seed in range(300):
        game = generate(seed, complexity * caps.complexity, caps)
        assert check(game) == []
        for cap, size in sizes(game).items():
            assert size <= getattr(caps, cap), (cap, seed)
            largest[cap] = max(largest[cap], size)
    if caps is BENCHMARK_CAPS and complexity == 1.0:
        reached = {cap for cap, size in largest.items() if size == getattr(caps, cap)}
        assert reached >= {
            "main_phases",
            "phases",
            "rounds",
            "raises",
            "events",
            "effects",
            "nesting",
            "ante",
            "options",
        }


def test_sizes_are_those_of_games_that_are_known() -> None:
    assert sizes(NAMED["appendix-b"]()) == {
        "cards": 3,
        "ranks": 3,
        "hand": 1,
        "chips": 10,
        "ante": 2,
        "main_phases": 5,
        "phases": 11,
        "rounds": 2,
        "raises": 0,
        "options": 0,
        "simultaneous_options": 2,
        "events": 2,
        "effects": 2,
        "nesting": 3,  # if the pot is large, in the simultaneous round, if a card is higher: somebody pays
        "bid": 3,
        "states": 2403,
    }
    assert set(sizes(NAMED["kuhn"]())) == {field.name for field in fields(Caps)} - {"complexity"}
    menu = ActionRound("Menu", "alice", (Option("a"), Option("b"), Option("c", (NoAction(), NoAction(), NoAction()))))
    kuhn = NAMED["kuhn"]()
    game = replace_phases(kuhn, menu)
    assert (sizes(game)["options"], sizes(game)["effects"], sizes(game)["main_phases"]) == (3, 3, 5)


def replace_phases(game: GameSpec, *more: Phase) -> GameSpec:
    """The game with more main phases before its showdown."""
    names = (*game.sequence[:-1], *(phase.name for phase in more), game.sequence[-1])
    return msgspec.structs.replace(game, phases=(*game.phases, *more), sequence=names)


def test_the_papers_own_game_is_within_the_caps() -> None:
    found = sizes(NAMED["appendix-b"]())
    assert {cap: size for cap, size in found.items() if size > getattr(BENCHMARK_CAPS, cap)} == {}


def test_relaxed_caps_give_larger_games() -> None:
    """G7: at the same dial, and more so beyond 1."""

    def mean_size(complexity: float, caps: Caps) -> float:
        return fmean(len(to_json(generate(seed, complexity, caps))) for seed in range(150))

    benchmark, relaxed, beyond = mean_size(1.0, BENCHMARK_CAPS), mean_size(1.0, BEYOND), mean_size(2.0, BEYOND)
    assert benchmark < relaxed < beyond
    assert beyond > 2 * benchmark


def test_every_cap_has_a_least_value() -> None:
    for field in fields(Caps):
        assert isinstance(replace(SMALLEST, **{field.name: getattr(SMALLEST, field.name)}), Caps)
        with pytest.raises(ValueError, match=field.name):
            replace(SMALLEST, **{field.name: getattr(SMALLEST, field.name) - 1})


# ------------------------------------------------------------------------------------------------ the builder's hash


def test_hash_names_the_code() -> None:
    """G4: whatever code generation runs, the hash tells; `test_digests` has which edits change it."""
    assert re.fullmatch(r"[0-9a-f]{16}", builder_hash())
    assert builder_hash() == builder_hash() == Sources().digest(["engine.builder.generate"])


def test_hash_covers_what_generation_imports() -> None:
    """The modules of ours that generation loads, and no others, are hashed."""
    import subprocess
    import sys

    code = (
        "import sys, engine.builder.generate as g\n"
        "from engine.digests import Sources, source_of\n"
        "print(*sorted(str(source_of(n)) for n in list(sys.modules) if n.partition('.')[0] == 'engine'))\n"
        "print(*sorted(str(source_of(name)) for name in Sources().reached([g.__name__])))\n"
        "print('numpy' in sys.modules or 'numba' in sys.modules)\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()
    # Whatever is imported of the engine; the last if there is machine code to be looked for.
    beside = tuple(f"engine/{name}.py" for name in ("__init__", "facade", "digests", "compiled", "cache_root"))
    loaded = {path for path in out[0].split() if not path.endswith(beside)}
    empty = {path for path in loaded if canonical(ast.parse(Path(path).read_text())) == canonical(ast.parse("''"))}
    assert loaded - empty == set(out[1].split())
    assert out[2] == "False"


# ------------------------------------------------------------------------------------------------ dice and bounds


def test_dice_are_fair() -> None:
    dice = Dice(12345)
    draws = Counter(dice.below(6) for _ in range(12_000))
    assert set(draws) == set(range(6))
    assert sum((n - 2_000) ** 2 / 2_000 for n in draws.values()) < 25.7  # chi-squared, 5 degrees, p = 1e-4
    table = Weighted([("a", 3.0), ("never", 0.0), ("b", 1.0)])
    picks = Counter(dice.pick(table) for _ in range(8_000))
    assert set(picks) == {"a", "b"}
    assert abs(picks["b"] - 2_000) < 160
    assert {dice.find(table, lambda item: item == "b") for _ in range(50)} == {"b"}
    assert dice.find(table, lambda _item: False) is None
    assert sorted(dice.sample(range(5), 5)) == [0, 1, 2, 3, 4]
    assert [Dice(1).uniform() for _ in range(3)] == [Dice(1).uniform()] * 3
    assert Dice(1).uniform() != Dice(2).uniform()


def test_bounds_follow_chips() -> None:
    bounds = at_start(10, 3)
    bounds.steps((Ante("both", 2), Transfer("alice", "bob", 1)))
    assert (bounds.lo[ALICE], bounds.hi[ALICE]) == (7, 7)
    assert (bounds.lo[BOB], bounds.lo[POT]) == (9, 4)
    bounds.phase(FixedBetting("Bets", "alice", 3))
    bounds.tighten()
    assert (bounds.lo[ALICE], bounds.hi[ALICE]) == (4, 7)
    assert (bounds.lo[POT], bounds.hi[POT]) == (4, 10)
    side = bounds.copy()
    side.assume(PotIs(">", 6))
    assert (side.lo[POT], side.hi[POT]) == (7, 10)
    side.assume(ChipsAre("alice", "<=", 5), False)
    assert side.lo[ALICE] == 6
    bounds.step(If(PotIs("==", 4), (Transfer("pot", "bob", 4),), ()))
    assert (bounds.lo[POT], bounds.hi[POT]) == (0, 10)
    assert (bounds.lo[DECK], bounds.hi[DECK]) == (3, 3)


def test_specs_are_plain_data() -> None:
    game = generate(11)
    assert isinstance(game.phases[0], Steps)
    assert msgspec.json.decode(to_json(game))["name"] == "Game 11"


if __name__ == "__main__":
    path = Path(__file__)
    path.write_text(re.sub(r'GOLDEN = ".*"', f'GOLDEN = "{golden_digest()}"', path.read_text(), count=1))
    print(f"wrote the golden digest to {path.name}")
