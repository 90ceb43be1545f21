"""Histories that differ in names of suits alone, against the whole tree."""

from __future__ import annotations

import pytest

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.program import Program
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import (
    Ante,
    Deal,
    DealBoard,
    Deck,
    FixedBetting,
    GameSpec,
    HoldsSuit,
    If,
    Observation,
    Showdown,
    Shuffle,
    Steps,
    Transfer,
)
from antemill.solver.evaluation.measures import measure
from antemill.solver.game import ExtensiveForm
from antemill.solver.policies.on_tree import lift_profile, policies_of, policy_of
from antemill.solver.policies.policy import Policy
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.solving import Settings, solve_game
from antemill.solver.trees.abstract_sets import abstract_sets
from antemill.solver.trees.abstraction import Abstraction
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import sides
from antemill.solver.trees.suits import BY_CARDS, BY_SUITS, NONE, suits_of
from tests.solver.games import random_policy

THREE = ("hearts", "spades", "clubs")


def hearts(*looks: Steps | Observation, metric: str = "high", suits: tuple[str, ...] = THREE) -> GameSpec:
    """One card each of three ranks, a bet, a bonus for a heart; looks: what happens before the bet."""
    setup = Steps("Setup", (Shuffle(), Ante("both", 1), Deal(1)))
    bet = FixedBetting("Betting", "alice", 1)
    bonus = Steps("Bonus", (If(HoldsSuit("bob", "hearts"), (Transfer("alice", "bob", 1),)),))
    phases = (setup, *looks, bet, bonus, Showdown("Showdown", metric))  # type: ignore[arg-type]
    return GameSpec("Hearts", Deck((2, 3, 4), suits), 4, phases, tuple(phase.name for phase in phases))


def on_whole_tree(program: Program, tree: ExtensiveForm, table: Policy) -> StrategyProfile:
    abstract = abstract_sets(program, tree, Abstraction.SUITS)
    policies, missing = policies_of(abstract, table)
    assert missing == 0
    return lift_profile(abstract, policies)


def examine(program: Program) -> tuple[int, int]:
    """Policies have the same value and exploitability on both trees. Returns how many nodes each has."""
    tree, less = build_tree(program), build_tree(program, abstraction=Abstraction.SUITS)
    for seed in range(3):
        profile, _ = random_policy(less, seed)
        policies = profile[0][1:], profile[1][1:]
        table = policy_of(abstract_sets(program, less, Abstraction.SUITS), Abstraction.SUITS, policies)
        got, want = measure(sides(less), profile), measure(sides(tree), on_whole_tree(program, tree, table))
        assert got.value == pytest.approx(want.value, abs=1e-9 * program.chips)
        assert got.exploitability == pytest.approx(want.exploitability, abs=1e-9 * program.chips)
    assert less.nodes <= tree.nodes
    return tree.nodes, less.nodes


BY_HAND = {
    "hearts": hearts(),
    "board": hearts(Steps("Board", (DealBoard(1),))),
    "signal": hearts(Observation("Signal", "alice", "opponent-card", "suit")),
    "flush": hearts(Steps("Board", (Deal(1),)), metric="suits"),
}


@pytest.mark.parametrize("name", ["hearts", "signal"])
def test_by_hand(name: str) -> None:
    program = compile_spec(BY_HAND[name])
    assert suits_of(program).kind == (BY_SUITS if name in ("signal", "flush") else BY_CARDS)
    nodes, less = examine(program)
    assert less < 0.6 * nodes


@pytest.mark.parametrize("spec", [NAMED["leduc"](), hearts(suits=("hearts", "spades"))], ids=["unsuited", "one free"])
def test_nothing_to_rename(spec: GameSpec) -> None:
    program = compile_spec(spec)
    assert suits_of(program).kind == NONE
    solved = solve_game(program, Settings(abstraction="suits", iterations=3))
    assert solved.saved.solution.abstraction == "none"
    assert build_tree(program, abstraction=Abstraction.SUITS).digest == program.digest
