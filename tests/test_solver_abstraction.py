"""Abstractions: keys that keep what they should, policies that play the real game (GENSTRAT appendix K, N13)."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from engine import layout as at
from engine.compile import compile_spec
from engine.describe import journal
from engine.errors import UsageError
from engine.events import EVERYONE, Event
from engine.games import NAMED, appendix_b
from engine.generate import generate
from engine.layout import DECIDE, OVER
from engine.observe import context_key, info_key
from engine.program import Program
from engine.spec import MAX_CARDS, GameSpec
from engine.vm import new_state
from solver.abstract_cfr import AbstractRun, solve_abstract
from solver.abstract_tree import (
    LumpedSides,
    _lumps,
    describe_tree,
    lift,
    lump,
    policies_of,
    table_of,
    uniform_abstract,
)
from solver.abstraction import (
    Abstraction,
    abstract_key,
    abstract_width,
    abstraction_of,
    follow,
    menu_word,
    real_span,
    real_width,
    wager_bin,
)
from solver.measures import Joint, exploitability, measure
from solver.progress import Progress
from solver.sequence_form import Sides, sides
from solver.tree import ALICE, BOB, ExtensiveForm, build_tree
from tests import naive_solver

GAMES: dict[str, GameSpec] = {"kuhn": NAMED["kuhn"](), "appendix-b": appendix_b()} | {
    f"seed {seed}": generate(seed, complexity) for seed, complexity in ((3, 0.2), (7, 0.4), (11, 0.8))
}


def small(name: str) -> tuple[Program, ExtensiveForm, Sides]:
    program = compile_spec(NAMED[name]())
    tree = build_tree(program)
    return program, tree, sides(tree)


def lifted(lumps: LumpedSides, policies: Joint) -> Joint:
    return lift(lumps[0], policies[0]), lift(lumps[1], policies[1])


# ------------------------------------------------------------------------------------------------ keys


def test_wagers_fall_into_bins_that_double() -> None:
    bins = [int(wager_bin(amount)) for amount in range(17)]
    assert bins == [0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5]


def test_abstractions_have_names() -> None:
    assert [abstraction_of(name) for name in ("none", "default", "fine")] == [0, 1, 2]
    with pytest.raises(UsageError, match="there is no abstraction 'coarse': use none, default, fine"):
        abstraction_of("coarse")


def naive_default(program: Program, state: Any) -> tuple[object, ...]:
    """What the default key of the decision at hand must keep, from the journal and the registers."""
    seat, decision = int(state[at.SEAT]), int(state[at.DECISION])
    steps = []
    for kind, actor, x, y, _, _, told, _ in journal(state):
        if kind in (Event.CHOICE, Event.LOCK, Event.REVEALED) and told >> seat & 1:
            step = y.bit_length() if not program.names.decisions[x].labels else y
            steps.append((told == EVERYONE, actor, x, step))
    first = seat * MAX_CARDS
    held = state[at.HANDS + first : at.HANDS + first + int(state[at.HAND_N + seat])].tolist()
    suits = len(program.names.suits)
    hand = sorted(card if program.suited else card // suits for card in held)
    low, mask = int(state[at.MENU_LOW]), int(state[at.MENU_MASK])
    high = max(low, min(low + int(state[at.MENU]) - 1, int(state[at.CHIPS + seat])))
    menu = mask if mask else (low.bit_length(), high.bit_length())
    chip_bin = int(state[at.CHIPS + seat]) // max(1, program.chips // 5)
    return decision, tuple(hand), tuple(steps), chip_bin, menu


def decisions(program: Program, abstraction: Abstraction, episodes: int, seed: int) -> list[Any]:
    """Copies of the states at all decisions of random play, driven by `follow`."""
    rng, found = random.Random(seed), []
    for _ in range(episodes):
        state = new_state(program.initial_state(), 400)
        what = follow(program.code, state, int(abstraction))
        while what != OVER:
            if what == DECIDE:
                found.append(state.copy())
            state[at.CHOICE] = rng.randrange(int(state[at.MENU]))
            what = follow(program.code, state, int(abstraction))
    return found


@pytest.mark.parametrize("name", GAMES)
def test_the_default_key_keeps_hand_binned_path_and_chip_bin_and_nothing_else(name: str) -> None:
    """N13: equal keys for equal (decision type, hand, path with binned wagers, chip bin, menu), and only for these."""
    program = compile_spec(GAMES[name])
    keys: dict[tuple[object, ...], int] = {}
    states = decisions(program, Abstraction.DEFAULT, 150, 1)
    for state in states:
        seat, decision = int(state[at.SEAT]), int(state[at.DECISION])
        key = int(abstract_key(state, seat, decision, int(Abstraction.DEFAULT)))
        assert keys.setdefault(naive_default(program, state), key) == key
    assert len(set(keys.values())) == len(keys)
    assert len(keys) < len(states)


@pytest.mark.parametrize("name", GAMES)
def test_the_fine_key_is_the_papers_information_state_with_its_menu(name: str) -> None:
    """X2: (dt, hand, action path, chip bin, signals, roles), with every wager as it was."""
    program = compile_spec(GAMES[name])
    pairs, fine = set(), int(Abstraction.FINE)
    for state in decisions(program, Abstraction.FINE, 60, 2):
        seat, decision = int(state[at.SEAT]), int(state[at.DECISION])
        info = int(info_key(state, seat, context_key(state, seat, decision)))
        pairs.add(((info, int(menu_word(state, fine))), int(abstract_key(state, seat, decision, fine))))
    assert len({info for info, _ in pairs}) == len({key for _, key in pairs}) == len(pairs)


@pytest.mark.parametrize("abstraction", Abstraction)
def test_abstract_actions_divide_the_menu(abstraction: Abstraction) -> None:
    widest = 0
    for name in ("appendix-b", "seed 7"):
        for state in decisions(compile_spec(GAMES[name]), abstraction, 60, 3):
            spans = [real_span(state, i, int(abstraction)) for i in range(abstract_width(state, int(abstraction)))]
            places = [first + k for first, count in spans for k in range(count)]
            assert places == list(range(real_width(state)))
            widest = max(widest, *(count for _, count in spans))
    assert (widest > 1) == (abstraction == Abstraction.DEFAULT)


# ------------------------------------------------------------------------------------------------ trees


@pytest.mark.parametrize("name", ["kuhn", "leduc", "appendix-b"])
def test_no_abstraction_leaves_the_game_as_it_is(name: str) -> None:
    program, tree, both = small(name)
    lumps = lump(program, tree, Abstraction.NONE)
    for mine, sets, side in zip(lumps, tree.sets, both, strict=True):
        assert np.array_equal(mine.key, sets.key)
        assert np.array_equal(mine.start, sets.start - 1)
        policy = np.random.default_rng(1).random(mine.actions)
        assert np.array_equal(lift(mine, policy)[1:], policy)
        assert side.sequences == mine.actions + 1


def test_signals_and_roles_are_dropped_by_the_default_and_kept_by_the_fine_abstraction() -> None:
    """Leduc's board card is a signal."""
    program, tree, _ = small("leduc")
    sizes = {each: [mine.size for mine in lump(program, tree, each)] for each in Abstraction}
    assert sizes[Abstraction.NONE] == sizes[Abstraction.FINE] == [144, 144]
    assert sizes[Abstraction.DEFAULT] == [54, 54]


def test_wagers_are_binned_by_the_default_abstraction_only() -> None:
    program, tree, _ = small("appendix-b")
    actions = {each: sum(mine.actions for mine in lump(program, tree, each)) for each in Abstraction}
    assert actions[Abstraction.DEFAULT] < actions[Abstraction.FINE] <= actions[Abstraction.NONE]
    for mine, sets in zip(lump(program, tree, Abstraction.DEFAULT), tree.sets, strict=True):
        real = lift(mine, uniform_abstract(mine))
        assert np.allclose(np.add.reduceat(real, sets.start[:-1]), 1.0)
        assert mine.size < sets.size


def test_damaged_abstractions_are_found() -> None:
    program, tree, _ = small("kuhn")
    found = describe_tree(program, tree, Abstraction.DEFAULT)
    with pytest.raises(RuntimeError, match="two different menus have the same abstract key"):
        _lumps(tree, found._replace(key=np.ones_like(found.key)), ALICE)
    with pytest.raises(RuntimeError, match="an information set falls into several abstract sets"):
        _lumps(tree, found._replace(key=np.arange(len(found.key))), BOB)
    with pytest.raises(UsageError, match="is not that of"):
        lump(compile_spec(NAMED["leduc"]()), tree, Abstraction.DEFAULT)


def exact_exploitability(program: Program, tree: ExtensiveForm, joint: Joint) -> float:
    """By the naive solver, in fractions, from the machine's states."""
    policy: dict[tuple[int, int], tuple[Fraction, ...]] = {}
    for seat in (ALICE, BOB):
        sets = tree.sets[seat]
        for i in range(sets.size):
            odds = [Fraction(float(p)) for p in joint[seat][sets.start[i] : sets.start[i + 1]]]
            policy[seat, int(sets.key[i])] = tuple(p / sum(odds) for p in odds)
    return float(sum(naive_solver.best_value(program, seat, policy) for seat in (ALICE, BOB)) / 2)


def test_the_real_exploitability_of_an_abstract_policy() -> None:
    """A policy of Leduc that can not see the board converges within its abstraction, and loses much outside."""
    program, tree, both = small("leduc")
    lumps = lump(program, tree, Abstraction.DEFAULT)
    run = solve_abstract(both, lumps, 1e-3)
    joint = lifted(lumps, run.policies)
    real = measure(both, joint).exploitability
    assert run.stopped == "target"
    assert run.abstract_regret <= 1e-3
    assert real == pytest.approx(exact_exploitability(program, tree, joint), abs=1e-9)
    assert 0.5 < real < 1.5


# ------------------------------------------------------------------------------------------------ CFR+ on abstractions


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_with_perfect_recall_the_abstract_regret_bounds_the_exploitability(name: str) -> None:
    program, tree, both = small(name)
    lumps = lump(program, tree, Abstraction.FINE)
    run = solve_abstract(both, lumps, 2e-3)
    assert run.abstract_regret <= 2e-3
    assert exploitability(both, lifted(lumps, run.policies)) <= 2e-3
    assert [point.iteration for point in run.trace] == sorted({point.iteration for point in run.trace})
    assert run.trace[-1].abstract_regret == run.abstract_regret


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
@pytest.mark.parametrize("abstraction", [Abstraction.DEFAULT, Abstraction.FINE])
def test_the_abstract_regret_is_never_above_the_real_exploitability(name: str, abstraction: Abstraction) -> None:
    """Of the two bounds the summed regrets are the smaller one only where the abstraction loses something."""
    program, tree, both = small(name)
    lumps = lump(program, tree, abstraction)
    for iterations in (1, 10, 300):
        run = solve_abstract(both, lumps, 0.0, iterations)
        real = exploitability(both, lifted(lumps, run.policies))
        assert 0 < run.abstract_regret <= real
        if abstraction == Abstraction.FINE:
            assert run.abstract_regret == real
    assert (run.abstract_regret < real) == (name == "leduc" and abstraction == Abstraction.DEFAULT)


def test_one_iteration_is_that_of_the_definition() -> None:
    """By hand, set by set: the first update of each player on Leduc's default abstraction."""
    program, tree, both = small("leduc")
    lumps = lump(program, tree, Abstraction.DEFAULT)
    run = solve_abstract(both, lumps, 0.0, 1)
    real = [lift(mine, uniform_abstract(mine)) for mine in lumps]
    for seat in (ALICE, BOB):
        regret = naive_regret(both, lumps, real, seat)
        mine = lumps[seat]
        for one in range(mine.size):
            part = np.maximum(regret[mine.start[one] : mine.start[one + 1]], 0)
            want = part / part.sum() if part.sum() > 0 else np.full(len(part), 1 / len(part))
            got = run.policies[seat][mine.start[one] : mine.start[one + 1]]
            reached = naive_reach(both, lumps, seat, want_policy(mine, regret), one)
            assert np.allclose(got, want if reached else 1 / len(part), atol=1e-12)
        real[seat] = lift(mine, want_policy(mine, regret))


def want_policy(mine: Any, regret: Any) -> Any:
    policy = uniform_abstract(mine)
    for one in range(mine.size):
        part = np.maximum(regret[mine.start[one] : mine.start[one + 1]], 0)
        if part.sum() > 0:
            policy[mine.start[one] : mine.start[one + 1]] = part / part.sum()
    return policy


def naive_reach(both: Sides, lumps: LumpedSides, seat: int, policy: Any, one: int) -> bool:
    """Whether the player's own choices ever lead to an abstract set."""
    plan = naive_plan(both[seat], lift(lumps[seat], policy))
    sets = np.flatnonzero(lumps[seat].of_set == one)
    return bool((plan[both[seat].past[sets]] > 0).any())


def naive_plan(side: Any, real: Any) -> Any:
    plan = np.ones(side.sequences)
    for i, past in enumerate(side.past):
        for k in range(side.start[i], side.start[i + 1]):
            plan[k] = plan[past] * real[k]
    return plan


def naive_regret(both: Sides, lumps: LumpedSides, real: Any, seat: int) -> Any:
    """Counterfactual regrets of the abstract actions, by recursion over the information sets."""
    side, mine = both[seat], lumps[seat]
    theirs = naive_plan(both[1 - seat], real[1 - seat])
    direct = [
        sum(side.chips[e] * theirs[side.columns[e]] for e in range(side.rows[k], side.rows[k + 1]))
        for k in range(side.sequences)
    ]

    def sequence_value(k: int) -> float:
        return float(direct[k] + sum(set_value(int(i)) for i in np.flatnonzero(side.past == k)))

    def set_value(i: int) -> float:
        return sum(float(real[seat][k]) * sequence_value(k) for k in range(side.start[i], side.start[i + 1]))

    regret = np.zeros(mine.actions)
    for i in range(len(side.past)):
        for k in range(side.start[i], side.start[i + 1]):
            regret[mine.of_sequence[k]] += mine.share[k] * sequence_value(k)
        one = mine.of_set[i]
        regret[mine.start[one] : mine.start[one + 1]] -= set_value(i)
    return regret


def run_once(**limits: Any) -> AbstractRun:
    program, tree, both = small("leduc")
    return solve_abstract(both, lump(program, tree, Abstraction.DEFAULT), 0.0, **limits)


def test_a_run_stops_where_it_is_told_to_and_keeps_its_policy() -> None:
    assert (run_once(iterations=7).stopped, run_once(iterations=7).iterations) == ("iterations", 7)
    assert run_once(seconds=0.05).stopped == "time"
    told: list[float] = []

    def listen(progress: Progress) -> bool:
        told.append(progress.exploitability)
        return len(told) < 3

    run = run_once(watch=listen)
    assert run.stopped == "interrupted"
    assert [point.abstract_regret for point in run.trace] == told

    def press(_progress: object) -> bool:
        raise KeyboardInterrupt

    run = run_once(watch=press)
    assert run.stopped == "interrupted"
    assert run.iterations == 10
    assert np.isclose(run.policies[0].sum(), 54)
    for wrong in ({"iterations": 0}, {"seconds": 0.0}):
        with pytest.raises(UsageError, match="at least one iteration"):
            run_once(**wrong)


def test_a_table_gives_the_policies_back() -> None:
    program, tree, both = small("appendix-b")
    lumps = lump(program, tree, Abstraction.DEFAULT)
    run = solve_abstract(both, lumps, 0.0, 600)
    table = table_of(lumps, Abstraction.DEFAULT, run.policies)
    (first, second), missing = policies_of(lumps, table)
    assert np.array_equal(first, run.policies[0])
    assert np.array_equal(second, run.policies[1])
    assert missing == 0


def test_a_warm_start_is_not_thrown_away() -> None:
    program, tree, both = small("leduc")
    lumps = lump(program, tree, Abstraction.FINE)
    run = solve_abstract(both, lumps, 0.0, 600)
    warm, cold = (solve_abstract(both, lumps, 0.0, 20, start=start) for start in (run.policies, None))
    found = [exploitability(both, lifted(lumps, each.policies)) for each in (warm, cold)]
    assert found[0] < 0.3 * found[1]
