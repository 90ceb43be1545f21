"""Histories that differ in names of suits alone, against all ways to rename them, and against the whole tree."""

from __future__ import annotations

from itertools import pairwise, permutations, product

import numpy as np
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import branches, count_nodes
from antemill.engine.machine.events import EVENT_WIDTH, Event
from antemill.engine.machine.program import Program
from antemill.engine.machine.vm import advance, new_state
from antemill.engine.match import Match
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import (
    Ante,
    Deal,
    DealBoard,
    Deck,
    Discard,
    FixedBetting,
    GameSpec,
    HoldsSuit,
    If,
    Observation,
    Peek,
    Showdown,
    Shuffle,
    Steal,
    Steps,
    Transfer,
)
from antemill.solver.algorithms.solve import solve
from antemill.solver.evaluation.measures import measure
from antemill.solver.game import Array, ExtensiveForm
from antemill.solver.policies.on_tree import lift_profile, policies_of, policy_of
from antemill.solver.policies.policy import Policy, strategy_by_state
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.policies.solution import SavedPolicy
from antemill.solver.solving import Settings, respond, solve_game
from antemill.solver.trees.abstract_sets import abstract_sets
from antemill.solver.trees.abstraction import Abstraction
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import sides
from antemill.solver.trees.suits import BY_CARDS, BY_SUITS, NONE, suits_of
from antemill.solver.trees.walk import count_with, lossless, renaming
from antemill.tournament.players import Observation as Seen
from antemill.tournament.players.solved import SolvedPlayer
from tests.engine.machine.fuzz_specs import fuzzed
from tests.solver.games import LEDUC, random_policy

FUZZED = (1241, 1253, 1260, 1293, 1324, 1329, 1337, 1340, 1346, 1352, 1381, 1395, 1398, 1457, 1465, 1474)
GENERATED = ((60, 0.2), (124, 0.2), (257, 0.5), (278, 0.5), (451, 0.5), (555, 0.5))

THREE = ("hearts", "spades", "clubs")


def hearts(*looks: Steps | Observation, metric: str = "high", suits: tuple[str, ...] = THREE) -> GameSpec:
    """One card each of three ranks, a bet, a bonus for a heart; looks: what happens before the bet."""
    setup = Steps("Setup", (Shuffle(), Ante("both", 1), Deal(1)))
    bet = FixedBetting("Betting", "alice", 1)
    bonus = Steps("Bonus", (If(HoldsSuit("bob", "hearts"), (Transfer("alice", "bob", 1),)),))
    phases = (setup, *looks, bet, bonus, Showdown("Showdown", metric))  # type: ignore[arg-type]
    return GameSpec("Hearts", Deck((2, 3, 4), suits), 4, phases, tuple(phase.name for phase in phases))


def views(program: Program, tree: ExtensiveForm) -> list[dict[int, list[tuple[int, ...]]]]:
    """For each seat and information set of the whole tree what the seat was told, event by event."""
    state = new_state(program.initial_state(), 512)
    advance(program.code, state)
    found: list[dict[int, list[tuple[int, ...]]]] = [{}, {}]
    stack = [(0, state)]
    while stack:
        node, state = stack.pop()
        player = int(tree.player[node])
        if player < 2:
            told: list[tuple[int, ...]] = [(int(state[at.DECISION]), int(state[at.MENU]))]
            events = state[at.JOURNAL :][: int(state[at.JOURNAL_N]) * EVENT_WIDTH].reshape(-1, EVENT_WIDTH)
            for row in events.tolist():
                if row[6] >> player & 1:
                    told.append((*row[:5], *((row[5], row[6], row[7]) if row[7] >> player & 1 else (-1, row[6]))))
            assert found[player].setdefault(int(tree.information_set[node]), told) == told
        for i, way in enumerate(sorted(branches(program, state))):
            after = state.copy()
            after[at.CHOICE] = way.choice
            advance(program.code, after)
            stack.append((int(tree.first[node]) + i, after))
    return found


def renamings(program: Program) -> list[list[int]]:
    """Every way to rename cards, each as the new number of each card, written down without any cleverness."""
    suits, size = suits_of(program), len(program.names.suits)
    free = [suit for suit in range(size) if suits.free >> suit & 1]
    orders = [dict(zip(free, order, strict=True)) for order in permutations(free)]
    ranks = range(len(program.names.ranks))
    ways = product(orders, repeat=len(ranks)) if suits.kind == BY_CARDS else ((order,) * len(ranks) for order in orders)
    return [[rank * size + way[rank].get(suit, suit) for rank in ranks for suit in range(size)] for way in ways]


def smallest(
    program: Program, look: Array, told: list[tuple[int, ...]], ways: list[list[int]]
) -> list[tuple[int, ...]]:
    """What was told, renamed so that it comes first among all that it can be renamed to. look: that of `suits_of`."""
    numbers = {Event.COST}

    def renamed(row: tuple[int, ...], way: list[int]) -> tuple[int, ...]:
        if len(row) == 2 or row[5] <= 0 or row[0] in numbers:
            return row
        if row[0] == Event.SIGNAL and look[row[2]] != 1:
            return row if look[row[2]] == 0 else (*row[:5], way[row[5] - 1] % len(program.names.suits) + 1, *row[6:])
        return (*row[:5], sum(1 << way[card] for card in range(program.cards) if row[5] >> card & 1), *row[6:])

    return min([renamed(row, way) for row in told] for way in ways)


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
    "peeks": hearts(Steps("Looks", (Peek("alice"), Peek("alice", "public"))), Steps("More", (Deal(1), Peek("bob")))),
    "theft": hearts(Steps("Theft", (Deal(1), Peek("bob"), Steal("alice"), Discard("alice", "random", True)))),
    "signal": hearts(Observation("Signal", "alice", "opponent-card", "suit")),
    "flush": hearts(Steps("Board", (Deal(1),)), metric="suits"),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name == "theft" else name for name in BY_HAND]
)
def test_keys_are_those_of_all_renamings(name: str) -> None:
    program = compile_spec(BY_HAND[name])
    tree = build_tree(program)
    abstract, ways = abstract_sets(program, tree, Abstraction.SUITS), renamings(program)
    assert len(ways) > 1
    look = suits_of(program).look
    for seat, told in enumerate(views(program, tree)):
        names = {i: repr(smallest(program, look, rows, ways)) for i, rows in told.items()}
        got, want = abstract[seat].of_set, np.array([names[i] for i in range(len(names))])
        assert len(set(got)) == len(set(want)) == len(set(zip(got, want, strict=True))) < len(names)


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(name: str) -> None:
    program = compile_spec(BY_HAND[name])
    assert suits_of(program).kind == (BY_SUITS if name in ("signal", "flush") else BY_CARDS)
    nodes, less = examine(program)
    assert less < 0.6 * nodes


@pytest.mark.parametrize("seed", FUZZED)
def test_fuzzed(seed: int) -> None:
    program = compile_spec(fuzzed(seed, small=True), suited=True)
    assert suits_of(program).kind != NONE
    nodes, less = examine(program)
    assert less < nodes


@pytest.mark.parametrize(("seed", "complexity"), GENERATED)
def test_generated(seed: int, complexity: float) -> None:
    nodes, less = examine(compile_spec(generate(seed, complexity)))
    assert less < nodes


def test_leduc_with_suits_is_leduc_without() -> None:
    program = compile_spec(NAMED["leduc"](), suited=True)
    tree = build_tree(program, abstraction=Abstraction.SUITS)
    assert tree.nodes == build_tree(compile_spec(NAMED["leduc"]())).nodes < build_tree(program).nodes
    assert solve(tree, "lp").value == pytest.approx(LEDUC, abs=1e-9)


def test_value_is_the_real_one() -> None:
    program = compile_spec(BY_HAND["theft"])
    less = solve(build_tree(program, abstraction=Abstraction.SUITS), "lp")
    assert less.value == pytest.approx(solve(build_tree(program), "lp").value, abs=1e-9)


@pytest.mark.parametrize("spec", [NAMED["leduc"](), hearts(suits=("hearts", "spades"))], ids=["unsuited", "one free"])
def test_nothing_to_rename(spec: GameSpec) -> None:
    program = compile_spec(spec)
    assert suits_of(program).kind == NONE
    solved = solve_game(program, Settings(abstraction="suits", iterations=3))
    assert solved.saved.solution.abstraction == "none"
    assert build_tree(program, abstraction=Abstraction.SUITS).digest == program.digest


def solved_but_for_suits(name: str) -> tuple[Program, SavedPolicy, int]:
    """With a limit that the whole tree does not meet."""
    program = compile_spec(BY_HAND[name])
    suits = renaming(program, Abstraction.SUITS)
    limit = count_with(program, suits, 1_000_000)
    assert count_nodes(program, limit) > limit
    return program, solve_game(program, Settings(limit=limit, target=1e-4)).saved, limit


@pytest.mark.parametrize("name", ["theft", "signal"])
def test_a_saved_policy_plays_the_real_game(name: str) -> None:
    program, saved, _ = solved_but_for_suits(name)
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


def test_what_does_not_fit_is_refused() -> None:
    program, saved, limit = solved_but_for_suits("hearts")
    assert lossless(program, limit) == Abstraction.SUITS
    assert lossless(program, limit - 1) is None
    with pytest.raises(UsageError, match="more than"):
        solve_game(program, Settings(limit=limit - 1))
    with pytest.raises(UsageError, match="leave out --algorithm"):
        solve_game(program, Settings(abstraction="suits", algorithm="mccfr"))
    with pytest.raises(UsageError, match="names of suits"):
        strategy_by_state(saved.table)
    less = build_tree(program, abstraction=Abstraction.SUITS)
    for wrong in (Abstraction.NONE, Abstraction.DEFAULT):
        with pytest.raises(UsageError, match="build it from the program"):
            abstract_sets(program, less, wrong)


def test_the_exploitability_of_a_policy_can_be_worked_out() -> None:
    program, saved, limit = solved_but_for_suits("theft")
    width = np.diff(saved.table.start)
    uniform = saved.table._replace(probability=1 / np.repeat(width, width))
    for table in (saved.table, uniform):
        found = respond(program, SavedPolicy(saved.solution, table), limit).solution
        tree = build_tree(program)
        want = measure(sides(tree), on_whole_tree(program, tree, table))
        assert (found.value, found.exploitability) == pytest.approx((want.value, want.exploitability), abs=1e-9)
        assert found.measured == "exact, on the tree"
    assert want.exploitability > 0.1
    with pytest.raises(UsageError, match="raise the limit"):
        respond(program, saved, limit - 1)


def test_a_policy_can_be_begun_with() -> None:
    program, saved, limit = solved_but_for_suits("peeks")
    again = solve_game(program, Settings(limit=limit, target=1e-3), start=saved).saved.solution
    assert again.iterations < saved.solution.iterations
    with pytest.raises(UsageError, match="--abstraction suits"):
        solve_game(program, Settings(target=1e-3), start=saved)
