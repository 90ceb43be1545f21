"""AIVAT is unbiased: exactly, over all histories with their probabilities, against many opponents, on tree and machine.

The estimates on the tree are also those of the formula in the AIVAT paper, applied node by node.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import root_state
from antemill.engine.machine.layout import CHANCE, OVER
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import payoff, rollout, streams
from antemill.engine.machine.vm import advance
from antemill.engine.match import Game, Match, ReplayError
from antemill.engine.rules.named import NAMED
from antemill.solver.algorithms.linear_program import solve_exactly
from antemill.solver.evaluation.aivat_machine import MachineAivat, Value
from antemill.solver.evaluation.aivat_tree import TreeAivat
from antemill.solver.evaluation.history import History, Step, end_node, ordered_branches
from antemill.solver.evaluation.measures import expected_value
from antemill.solver.evaluation.transcripts import aivat, transcript_history
from antemill.solver.game import ALICE, BOB, END, NATURE, Array, ExtensiveForm
from antemill.solver.policies.on_tree import policy_of
from antemill.solver.policies.policy import Policy
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.trees.abstract_sets import abstract_sets, lift, normalised
from antemill.solver.trees.abstraction import Abstraction
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import Sides, sides, uniform_policy
from antemill.tournament.players import Player, make_bot, play
from tests.solver.evaluation.moments import exact_moments, kuhn_without_bluffs, logged_history
from tests.solver.games import random_policy
from tests.solver.naive_solver import who

GENERATED = ["0@0.05", "14@0.1", "15@0.05"]  # with wagers, bids, secret choices
SMALL = 4_000  # nodes


@cache
def program_of(name: str) -> Program:
    if name in NAMED:
        return compile_spec(NAMED[name]())
    seed, complexity = name.split("@")
    return compile_spec(generate(int(seed), float(complexity)))


@cache
def solved(name: str) -> tuple[ExtensiveForm, Sides, StrategyProfile]:
    tree = build_tree(program_of(name), SMALL)
    both = sides(tree)
    return tree, both, solve_exactly(both).profile


def best_response(tree: ExtensiveForm, both: Sides, profile: StrategyProfile, seat: int) -> Array:
    """A pure policy that gets the most against the other seat's."""
    policy = uniform_policy(both[seat])
    counterfactual = np.zeros(both[seat].sequences)
    for node, odds in reaches(
        tree, (profile[0] * 0 + 1, profile[1]) if seat == ALICE else (profile[0], profile[1] * 0 + 1)
    ):
        if tree.player[node] == END:
            counterfactual[tree.sequence[seat, node]] += odds * tree.payoff[node] * (1 - 2 * seat)
    for i in reversed(range(len(both[seat].parent_sequence))):
        low, high = both[seat].start[i], both[seat].start[i + 1]
        policy[low:high] = np.arange(high - low) == np.argmax(counterfactual[low:high])
        counterfactual[both[seat].parent_sequence[i]] += counterfactual[low:high].max()
    return policy


def reaches(tree: ExtensiveForm, profile: StrategyProfile) -> Iterator[tuple[int, float]]:
    """All nodes with the product of the probabilities on the way to them."""
    stack = [(0, 1.0)]
    while stack:
        node, odds = stack.pop()
        yield node, odds
        children = [int(tree.first[node]) + k for k in range(tree.width[node])]
        stack += [(child, odds * p) for child, p in zip(children, moves(tree, profile, node), strict=True)]


def moves(tree: ExtensiveForm, profile: StrategyProfile, node: int) -> list[float]:
    """The probabilities of a node's children."""
    seat, width = tree.player[node], tree.width[node]
    if seat == END:
        return []
    if seat == NATURE:
        weights = tree.weight[tree.first[node] : tree.first[node] + width]
        return [float(weight / weights.sum()) for weight in weights]
    start = tree.sets[seat].start[tree.information_set[node]]
    return [float(p) for p in profile[seat][start : start + width]]


def opponents(name: str, seat: int) -> dict[str, Array]:
    """Policies of the other seat than the known one."""
    tree, both, profile = solved(name)
    found = {f"random {i}": random_policy(tree, i)[0][1 - seat] for i in range(3)}
    found |= {"uniform": uniform_policy(both[1 - seat]), "equilibrium": profile[1 - seat]}
    return found | {"best response": best_response(tree, both, profile, 1 - seat)}


def against(profile: StrategyProfile, seat: int, opponent: Array) -> StrategyProfile:
    return (profile[0], opponent) if seat == ALICE else (opponent, profile[1])


def mean_and_variance(values: list[float], odds: list[float]) -> tuple[float, float]:
    mean = float(np.dot(odds, values))
    return mean, float(np.dot(odds, (np.array(values) - mean) ** 2))


# ------------------------------------------------------------------------------------------ on the tree


@pytest.mark.parametrize("seat", [ALICE, BOB])
@pytest.mark.parametrize("name", ["kuhn", *GENERATED])
def test_estimates_are_unbiased_on_the_tree(name: str, seat: int) -> None:
    """For known policies that mix and that never do some things; the variances are those of the enumeration."""
    tree, both, equilibrium = solved(name)
    for profile in (equilibrium, (uniform_policy(both[0]), uniform_policy(both[1])), random_policy(tree, 9)[0]):
        method = TreeAivat(tree, profile, both)
        estimates = method.estimates(seat)
        for opponent in opponents(name, seat).values():
            played = against(profile, seat, opponent)
            ends = [(node, p) for node, p in reaches(tree, played) if tree.player[node] == END and p > 0]
            odds = [p for _, p in ends]
            assert sum(odds) == pytest.approx(1, abs=1e-12)
            got = mean_and_variance([estimates[tree.sequence[1 - seat, node]] for node, _ in ends], odds)
            raw = mean_and_variance([tree.payoff[node] for node, _ in ends], odds)
            assert got[0] == pytest.approx(expected_value(both, played), abs=1e-12)
            assert got[0] == pytest.approx(raw[0], abs=1e-12)
            moments = exact_moments(method, seat, opponent)
            assert moments == pytest.approx((raw[0], raw[1], got[1]), abs=1e-10)
            if raw[1] > 0:
                assert moments.ratio == moments.corrected / moments.raw


@pytest.mark.parametrize("seat", [ALICE, BOB])
@pytest.mark.parametrize("name", ["kuhn", "0@0.05"])
def test_estimates_are_unbiased_with_any_values(name: str, seat: int) -> None:
    tree, both, profile = solved(name)
    values = np.random.default_rng(seat).normal(0, 10, tree.sets[1 - seat].size)
    estimates = TreeAivat(tree, profile, both).estimates_by_values(seat, values)
    for opponent in opponents(name, seat).values():
        played = against(profile, seat, opponent)
        ends = [(node, p) for node, p in reaches(tree, played) if tree.player[node] == END and p > 0]
        mean = sum(p * estimates[tree.sequence[1 - seat, node]] for node, p in ends)
        assert mean == pytest.approx(expected_value(both, played), abs=1e-12 * (1 + abs(values).max()))


def naive_aivat(tree: ExtensiveForm, profile: StrategyProfile, seat: int) -> dict[int, float]:
    """The paper's estimate of every end that the known policy can reach, node by node, as (payoff, plus corrections).

    A part holds the histories in which the opponent has made the same choices in the same information sets, so many
    moves ago. Values are expected payoffs of the strategy profile.
    """
    known = dict(reaches(tree, against(profile, seat, profile[1 - seat] * 0 + 1)))
    value: dict[int, float] = {}
    for node in reversed(range(tree.nodes)):
        children = [int(tree.first[node]) + k for k in range(tree.width[node])]
        odds = moves(tree, profile, node)
        value[node] = sum(p * value[child] for p, child in zip(odds, children, strict=True))
        value[node] += float(tree.payoff[node])
    part: dict[int, tuple[Any, ...]] = {}
    since = {0: 0}
    members: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for node in range(tree.nodes):
        kind = "end" if tree.player[node] == END else "opponent" if tree.player[node] == 1 - seat else "other"
        part[node] = (
            kind,
            tree.sequence[1 - seat, node],
            since[node],
            kind == "opponent" and tree.information_set[node],
        )
        members[part[node]].append(node)
        for k in range(tree.width[node]):
            since[int(tree.first[node]) + k] = 0 if kind == "opponent" else since[node] + 1

    def mean(nodes: list[int], weigh: Callable[[int], float], of: Callable[[int], float]) -> float:
        return sum(weigh(node) * of(node) for node in nodes) / sum(weigh(node) for node in nodes)

    def ahead(node: int) -> float:
        children = [int(tree.first[node]) + k for k in range(tree.width[node])]
        return sum(p * value[child] for p, child in zip(moves(tree, profile, node), children, strict=True))

    found: dict[int, float] = {}
    stack = [(0, 0.0)]
    while stack:
        node, corrections = stack.pop()
        if known[node] == 0:
            continue
        if tree.player[node] == END:
            found[node] = corrections + mean(members[part[node]], known.__getitem__, lambda z: float(tree.payoff[z]))
            continue
        for k in range(tree.width[node]):
            child = int(tree.first[node]) + k
            change = 0.0
            if tree.player[node] != 1 - seat and known[child] > 0:
                change = mean(members[part[node]], known.__getitem__, ahead)
                change -= mean(members[part[child]], known.__getitem__, value.__getitem__)
            stack.append((child, corrections + change))
    return found


@pytest.mark.parametrize("seat", [ALICE, BOB])
@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_estimates_are_those_of_the_papers_formula(name: str, seat: int) -> None:
    tree, both, equilibrium = solved(name)
    for profile in (equilibrium, random_policy(tree, 4)[0]):
        estimates = TreeAivat(tree, profile, both).estimates(seat)
        want = naive_aivat(tree, profile, seat)
        assert len(want) > 10
        for node, estimate in want.items():
            assert estimates[tree.sequence[1 - seat, node]] == pytest.approx(estimate, abs=1e-12)


def test_kuhn_by_hand() -> None:
    """Alice always bets, as is known, and Bob is taken to call every other time: what is left is what he did.

    Against the jack Alice gets 2 from a call and 1 from a fold, against the queen 0 on average and 1, against the king
    -2 and 1: half a chip more or less than the mean of the two, half a chip, and one and a half.
    """
    tree, both, _ = solved("kuhn")
    mine = tree.sets[ALICE]
    alice = np.zeros(both[ALICE].sequences)
    alice[[0, *(mine.start[:-1])]] = 1.0  # "bet" is the first of the two options; "call" too
    profile = (alice, uniform_policy(both[BOB]))
    estimates = TreeAivat(tree, profile, both).estimates(ALICE)
    mean = expected_value(both, profile)
    reached = ~np.isnan(estimates[1:])
    assert reached.sum() == 6
    assert sorted(estimates[1:][reached] - mean) == pytest.approx([-1.5, -0.5, -0.5, 0.5, 0.5, 1.5], abs=1e-12)


def test_known_variance_ratios() -> None:
    """Kuhn's equilibrium without bluffs leaves a 49th against random play; against an equilibrium nothing."""
    tree, both, (_, bob) = solved("kuhn")
    profile = (kuhn_without_bluffs(), bob)
    method = TreeAivat(tree, profile, both)
    assert exact_moments(method, ALICE, uniform_policy(both[BOB])).ratio == pytest.approx(1 / 49)
    for seat in (ALICE, BOB):
        even = exact_moments(method, seat, profile[1 - seat])
        assert even.mean == pytest.approx(-1 / 18, abs=1e-12)
        assert even.corrected < 1e-24 < even.raw
        assert exact_moments(method, seat, uniform_policy(both[1 - seat])).ratio < 0.1
    tree, both, profile = solved("leduc")
    method = TreeAivat(tree, profile, both)
    for seat in (ALICE, BOB):
        assert exact_moments(method, seat, profile[1 - seat]).corrected < 1e-20
        assert exact_moments(method, seat, uniform_policy(both[1 - seat])).ratio < 0.15


# ------------------------------------------------------------------------------------------ matches


def matches(name: str, count: int, *bots: str) -> Iterator[tuple[Game, Match]]:
    game = Game(program_of(name))
    players: list[Player] = [make_bot(bot, game) for bot in bots]
    for seed in range(count):
        match = Match(game, seed)
        play(match, players[0], players[1])
        yield game, match


@pytest.mark.parametrize("name", ["leduc", *GENERATED])
def test_a_transcript_leads_to_its_node(name: str) -> None:
    """Recall keys, payoffs, and the log of a rollout with the same seed tell the same story."""
    tree, _, _ = solved(name)
    for game, match in matches(name, 20, "random", "random"):
        history = transcript_history(game, match.transcript())
        log = rollout(game.program, 1, streams(match.play_seed))
        assert history == logged_history(game.program, match.play_seed, log.action)
        node, keys = 0, []
        for step in history.steps:
            if tree.player[node] < NATURE:
                keys.append(tree.sets[tree.player[node]].key[tree.information_set[node]])
            node = int(tree.first[node]) + step.child
        assert keys == list(log.recall)
        assert node == end_node(tree, history)
        assert tree.payoff[node] == history.payoff == match.result.payoffs[0] == log.payoff[0]


def test_what_is_no_finished_match_of_the_game_is_refused() -> None:
    tree, both, profile = solved("kuhn")
    method = TreeAivat(tree, (uniform_policy(both[0]), profile[1]), both)
    [(game, match)] = matches("kuhn", 1, "random", "random")
    transcript = match.transcript()
    assert np.isfinite(aivat(method, game, ALICE, transcript))
    with pytest.raises(UsageError, match="the match of Kuhn poker is not over: play it to its end first"):
        aivat(method, game, ALICE, Match(game, 1).transcript())
    with pytest.raises(ReplayError, match="is of another game, Kuhn poker"):
        aivat(method, Game(program_of("leduc")), ALICE, transcript)
    with pytest.raises(UsageError, match="not one of Leduc poker: pass the game that was played"):
        TreeAivat(*solved("leduc")[::2]).estimate(ALICE, transcript_history(game, transcript))
    with pytest.raises(UsageError, match="not one of Leduc poker: pass the game that was played"):
        MachineAivat(program_of("leduc"), tables("leduc", Abstraction.NONE, 0)[0]).estimate(
            ALICE, transcript_history(game, transcript)
        )


# ------------------------------------------------------------------------------------------ on the machine


def tables(name: str, abstraction: Abstraction, seed: int) -> tuple[Policy, StrategyProfile]:
    """A policy with random weights, some of them 0: as a table, and on the tree."""
    program, (tree, _, _) = program_of(name), solved(name)
    abstract = abstract_sets(program, tree, abstraction)
    rng = np.random.default_rng(seed)
    policies = []
    for mine in abstract:
        weights = np.array(normalised(mine, np.zeros(mine.actions)))
        for low, high in zip(mine.start[:-1], mine.start[1:], strict=True):
            parts = rng.integers(0, 4, high - low)
            parts[0] += parts.sum() == 0
            weights[low:high] = parts / parts.sum()
        policies.append(weights)
    profile = (policies[0], policies[1])
    return policy_of(abstract, abstraction, profile), (lift(abstract[0], profile[0]), lift(abstract[1], profile[1]))


def histories(program: Program, tree: ExtensiveForm, profile: StrategyProfile) -> Iterator[tuple[History, float]]:
    """All matches with their probabilities, through the machine; every card counts for itself."""
    stack: list[tuple[Array, int, float, tuple[Step, ...]]] = [(root_state(program), 0, 1.0, ())]
    while stack:
        state, node, odds, steps = stack.pop()
        if state[at.STOP] == OVER:
            yield History(tree.digest, steps, int(payoff(state))), odds
            continue
        for k, (way, p) in enumerate(zip(ordered_branches(program, state), moves(tree, profile, node), strict=True)):
            if odds * p > 0:
                after = state.copy()
                after[at.CHOICE] = way.choice
                advance(program.code, after)
                stack.append((after, int(tree.first[node]) + k, odds * p, (*steps, Step(way.choice, k))))


def any_value(state: Array) -> float:
    """A function of the state that has nothing to do with the game."""
    return zlib.crc32(state[: at.DISCARDS].tobytes()) % 1_000 / 100


def machine_figures(
    name: str, seat: int, abstraction: Abstraction, opponent: Array, playouts: int, value: Value | None
) -> tuple[tuple[float, float], tuple[float, float], float]:
    """Mean and variance of the estimates and of the payoffs, and the exact value, by enumeration."""
    program, (tree, both, _) = program_of(name), solved(name)
    table, profile = tables(name, abstraction, 7)
    method = MachineAivat(program, table, playouts, value)
    played = against(profile, seat, opponent)
    found = list(histories(program, tree, played))
    odds = [p for _, p in found]
    assert sum(odds) == pytest.approx(1, abs=1e-12)
    estimates = mean_and_variance([method.estimate(seat, history) for history, _ in found], odds)
    raw = mean_and_variance([history.payoff for history, _ in found], odds)
    return estimates, raw, expected_value(both, played)


@pytest.mark.parametrize("abstraction", Abstraction)
@pytest.mark.parametrize("seat", [ALICE, BOB])
def test_estimates_are_unbiased_on_the_machine_in_kuhn(seat: int, abstraction: Abstraction) -> None:
    for opponent in opponents("kuhn", seat).values():
        for playouts, value in ((3, None), (1, any_value)):
            got, raw, want = machine_figures("kuhn", seat, abstraction, opponent, playouts, value)
            assert got[0] == pytest.approx(want, abs=1e-12)
            assert raw[0] == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize("abstraction", Abstraction)
@pytest.mark.parametrize("name", ["leduc", "14@0.1"])
def test_the_machine_knows_the_odds_that_the_tree_has(name: str, abstraction: Abstraction) -> None:
    program, (tree, _, _) = program_of(name), solved(name)
    table, profile = tables(name, abstraction, 3)
    method = MachineAivat(program, table)
    stack, seen = [(root_state(program), 0)], 0
    while stack:
        state, node = stack.pop()
        if state[at.STOP] == OVER:
            continue
        found = ordered_branches(program, state)
        odds = method._odds(state, found)
        assert odds == pytest.approx(moves(tree, profile, node), abs=1e-15)
        if state[at.STOP] != CHANCE:
            assert who(state)[1] == tree.sets[tree.player[node]].key[tree.information_set[node]]
            seen += 1
        stack += [(method._after(state, way.choice), int(tree.first[node]) + k) for k, way in enumerate(found)]
    assert seen == tree.count(ALICE) + tree.count(BOB)
