"""Histories that differ in names of suits alone, against the whole tree."""

from __future__ import annotations

from itertools import pairwise

import pytest

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.branches import count_nodes
from antemill.engine.machine.program import Program
from antemill.engine.match import Match
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
from antemill.solver.algorithms.solve import solve
from antemill.solver.evaluation.measures import measure
from antemill.solver.game import ExtensiveForm
from antemill.solver.policies.on_tree import lift_profile, policies_of, policy_of
from antemill.solver.policies.policy import Policy
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.policies.solution import SavedPolicy
from antemill.solver.solving import Settings, solve_game
from antemill.solver.trees.abstract_sets import abstract_sets
from antemill.solver.trees.abstraction import Abstraction
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import sides
from antemill.solver.trees.suits import BY_CARDS, BY_SUITS, NONE, suits_of
from antemill.solver.trees.walk import count_with, renaming
from antemill.tournament.players import Observation as Seen
from antemill.tournament.players.solved import SolvedPlayer
from tests.solver.games import LEDUC, random_policy

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


def test_leduc_with_suits_is_leduc_without() -> None:
    program = compile_spec(NAMED["leduc"](), suited=True)
    tree = build_tree(program, abstraction=Abstraction.SUITS)
    assert tree.nodes == build_tree(compile_spec(NAMED["leduc"]())).nodes < build_tree(program).nodes
    assert solve(tree, "lp").value == pytest.approx(LEDUC, abs=1e-9)


@pytest.mark.parametrize("spec", [NAMED["leduc"](), hearts(suits=("hearts", "spades"))], ids=["unsuited", "one free"])
def test_nothing_to_rename(spec: GameSpec) -> None:
    program = compile_spec(spec)
    assert suits_of(program).kind == NONE
    solved = solve_game(program, Settings(abstraction="suits", iterations=3))
    assert solved.saved.solution.abstraction == "none"
    assert build_tree(program, abstraction=Abstraction.SUITS).digest == program.digest


def solved_but_for_suits(name: str) -> tuple[Program, SavedPolicy]:
    """With a limit that the whole tree does not meet."""
    program = compile_spec(BY_HAND[name])
    suits = renaming(program, Abstraction.SUITS)
    limit = count_with(program, suits, 1_000_000)
    assert count_nodes(program, limit) > limit
    return program, solve_game(program, Settings(limit=limit, target=1e-4)).saved


def test_a_saved_policy_plays_the_real_game() -> None:
    program, saved = solved_but_for_suits("signal")
    assert (saved.solution.abstraction, saved.solution.digest) == ("suits", program.digest)
    assert saved.solution.measured == "exact, on the tree"
    tree = build_tree(program)
    profile = on_whole_tree(program, tree, saved.table)
    assert measure(sides(tree), profile).exploitability == pytest.approx(saved.solution.exploitability, abs=1e-9)
    rows = [
        {int(key): (low, high) for key, (low, high) in zip(mine.key, pairwise(mine.start), strict=True)}
        for mine in tree.sets
    ]
    match, met = Match(program, 0), set()
    player = SolvedPlayer("solved", saved, match.game)
    assert player.needs_log
    for seed in range(60):
        match = Match(match.game, seed)
        while not match.over:
            low, high = rows[match.seat][match.keys().recall]
            met.add((match.seat, match.keys().recall))
            assert player.probabilities(Seen(match)) == pytest.approx(profile[match.seat][low:high])
            match.apply(player.choose(Seen(match)))
    assert player.unseen == 0
    assert len(met) > 40
