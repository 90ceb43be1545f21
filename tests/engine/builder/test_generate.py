"""The generator (G3 to G5, G7, G34): determinism, legality, caps.

After an intended change of the builder: `python -m tests.engine.builder.test_generate` rewrites the golden digest
below.
"""

import ast
import re
from collections import Counter
from dataclasses import fields, replace
from hashlib import blake2b
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antemill.engine.builder.generate import (
    BENCHMARK_CAPS,
    Caps,
    default_complexity,
    generate,
)
from antemill.engine.builder.sizes import sizes
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.digests import canonical
from antemill.engine.rules.check import check
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import (
    ActionRound,
    Condition,
    GameSpec,
    NoAction,
    Option,
    Phase,
    Step,
    from_json,
    to_json,
)
from antemill.engine.rules.walk import walk
from tests.seeds import fresh

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


@pytest.mark.parametrize(
    ("cap", "most"),
    [
        ("complexity", 100),
        ("cards", 60),
        ("ranks", 15),
        ("hand", 60),
        ("chips", 5_000),
        ("ante", 10_000),
        ("phases", 236),
        ("rounds", 20),
        ("raises", 4),
        ("options", 16),
        ("simultaneous_options", 8),
        ("bid", 10_000),
    ],
)
def test_caps_above_what_rules_allow_are_refused(cap: str, most: int) -> None:
    """Games that reach them could not be read."""
    assert getattr(Caps(**{cap: most}), cap) == most
    for more in (most + 1, 1 << 70):
        with pytest.raises(ValueError, match=f"^The cap {cap} must be at most {most}\\.$"):
            Caps(**{cap: more})


# ------------------------------------------------------------------------------------------------ legality and caps


@given(seed=st.integers(0, (1 << 63) - 1), complexity=st.one_of(st.none(), st.floats(0.0, 1.0)))
def test_always_legal(seed: int, complexity: float | None) -> None:
    """G34."""
    game = generate(seed, complexity)
    assert check(game) == []
    assert from_json(to_json(game)) == game


@given(seed=st.integers(0, 1 << 62), complexity=st.floats(0.0, 2.0), phases=st.sampled_from((31, 60, 200)))
def test_legal_beyond_the_benchmark(seed: int, complexity: float, phases: int) -> None:
    """G7. A betting round counts for up to eight of the 250 phases that the machine can mark, with any cap."""
    game = generate(seed, complexity, replace(BEYOND, phases=phases, main_phases=phases // 3, events=12))
    assert check(game) == []
    assert compile_spec(game).rows > 0


# As far as rules allow; only the lists of events are short enough for the machine's conditionals.
WIDEST = Caps(100.0, 60, 15, 60, 5_000, 10_000, 10**9, 236, 20, 4, 16, 8, 2, 10**9, 3, 10_000, 10**18)


@pytest.mark.parametrize("complexity", [4.2, 100.0])
def test_the_widest_caps_give_games_that_can_be_read(complexity: float) -> None:
    for seed in range(8 if fresh() is None else 20):
        game = generate(seed, complexity, WIDEST)
        for cap, size in sizes(game).items():
            assert size <= getattr(WIDEST, cap), (cap, seed)
        assert [said for said in check(game) if "conditionals" not in said and "steps" not in said] == []


SMALLEST = Caps(0.0, 3, 3, 1, 3, 1, 5, 10, 1, 0, 2, 2, 1, 1, 0, 1, 50)


@pytest.mark.parametrize("caps", [BENCHMARK_CAPS, BEYOND, replace(SMALLEST, complexity=1.0, states=500)])
@pytest.mark.parametrize("complexity", [0.6, 1.0])
def test_no_cap_is_exceeded(caps: Caps, complexity: float) -> None:
    """G7, read from the finished rules by every measure; the largest games reach most of the benchmark's caps."""
    largest: Counter[str] = Counter()
    for seed in range(300 if caps is BENCHMARK_CAPS and complexity == 1.0 else 40 if fresh() is None else 300):
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


def test_every_kind_is_drawn() -> None:
    """G3, G16 to G22."""
    drawn = {type(node) for seed in range(150) for _, node in walk(generate(seed))}
    assert drawn == set(get_args(Phase | Step | Condition))


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
        "nesting": 3,  # if the pot is large, in the simultaneous round, if a card is higher: a player pays
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


# ------------------------------------------------------------------------------------------------ the builder's hash


def test_hash_covers_what_generation_imports() -> None:
    """The modules of ours that generation loads, and no others, are hashed."""
    import subprocess
    import sys

    code = (
        "import sys, antemill.engine.builder.generate as g\n"
        "from antemill.engine.digests import Sources, source_of\n"
        "print(*sorted(str(source_of(n)) for n in list(sys.modules) if n.startswith('antemill.engine')))\n"
        "print(*sorted(str(source_of(name)) for name in Sources().reached([g.__name__])))\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()
    # All that is imported of the engine, and where machine code is kept.
    keeping = ("cache_root", "kernel_cache", "kernel_forms", "kernel_links", "kernel_plain", "wanted")
    names = ("__init__", "facade", "digests", *keeping)
    beside = tuple(f"engine/{name}.py" for name in names)
    loaded = {path for path in out[0].split() if not path.endswith(beside)}
    empty = {path for path in loaded if canonical(ast.parse(Path(path).read_text())) == canonical(ast.parse("''"))}
    assert loaded - empty == set(out[1].split())


if __name__ == "__main__":
    path = Path(__file__)
    path.write_text(re.sub(r'GOLDEN = ".*"', f'GOLDEN = "{golden_digest()}"', path.read_text(), count=1))
    print(f"wrote the golden digest to {path.name}")
