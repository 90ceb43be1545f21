"""Names that only tell things apart, in random structures: every legal game has a digest, and renaming keeps it."""

from __future__ import annotations

import random

from antemill import engine
from antemill.engine.rules.canonical.digests import canonical_digest
from antemill.engine.rules.spec import (
    ActionRound,
    AddToVariable,
    AnyOf,
    Cell,
    Deal,
    Deck,
    GameSpec,
    HoldsSuit,
    If,
    Option,
    Score,
    Showdown,
    Shuffle,
    SideBet,
    Simultaneous,
    Step,
    Steps,
    VariableIs,
)
from tests.engine.machine.fuzz_specs import fuzzed
from tests.engine.rules.canonical.isomorphisms import REWRITINGS, padded, renamed
from tests.seeds import size


def structure(seed: int) -> GameSpec:
    """Options that change up to three of two to seven variables each, after suits that are often interchangeable."""
    rng = random.Random(f"marks {seed}")
    names = [f"heat {i}" for i in range(rng.randint(2, 7))]
    suits = tuple(f"suit {i}" for i in range(rng.randint(1, 4)))
    used: set[str] = set()

    def heated(*some: str) -> tuple[Step, ...]:
        used.update(some)
        return tuple(AddToVariable(name, 1) for name in some)

    def drawn() -> tuple[Step, ...]:
        steps = heated(*rng.sample(names, rng.randint(1, min(3, len(names)))))
        if rng.random() < 0.5:
            return steps
        return (If(AnyOf((HoldsSuit("alice", rng.choice(suits)), HoldsSuit("bob", rng.choice(suits)))), steps),)

    plain = rng.random() < 0.5
    heats = [heated(name) for name in names] if plain else [drawn() for _ in range(rng.randint(2, 5))]
    middle: list[Simultaneous | SideBet] = []
    if rng.random() < 0.4:
        cells = tuple(Cell(a, b, drawn()) for a in ("a", "b") for b in ("c", "d") if rng.random() < 0.7)
        middle.append(Simultaneous("Both", ("a", "b"), ("c", "d"), cells or (Cell("a", "c", drawn()),)))
    if rng.random() < 0.3:
        middle += [SideBet(f"Bet on {suit}", "alice", 1, HoldsSuit("alice", suit)) for suit in suits]
    read = [If(VariableIs(name, ">=", 1), (Score("bob", rng.choice((1, 1, 2))),)) for name in sorted(used)]
    phases = (
        Steps("Setup", (Shuffle(), Deal(1))),
        ActionRound("Heat", "alice", tuple(Option(f"{i}", steps) for i, steps in enumerate(heats))),
        *middle,
        ActionRound("Count", "bob", tuple(Option(f"{i}", (step,)) for i, step in enumerate(read)))
        if len(read) > 1
        else Steps("Count", tuple(read)),
        Showdown("Showdown"),
    )
    sequence = tuple(phase.name for phase in phases)
    return GameSpec(f"Marks {seed}", Deck((2, 3, 5), suits), 5, phases, sequence, tuple(sorted(used)))


def test_random_structures_of_marks_have_one_digest_however_they_are_named_and_listed() -> None:
    """Also those of three and more interchangeable options and variables, where marks are tried in turn."""
    for seed in range(size(40, 100)):
        spec = structure(seed)
        assert engine.check(spec) == [], spec.name
        other, rng = renamed(spec, random.Random(seed)), random.Random(seed)
        for rewriting in rng.sample([way for way in REWRITINGS if way is not padded], 3):
            other = rewriting(other, rng)
        assert canonical_digest(other) == canonical_digest(spec), spec.name


def test_legal_games_far_from_the_generator_have_a_digest() -> None:
    assert len({canonical_digest(fuzzed(seed, small=bool(seed % 2))) for seed in range(200)}) > 150
