"""Every path that users call, on games that no generator makes, against the plain interpreter: see `paths`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from msgspec.structs import replace

from antemill.axes import AXES, score
from antemill.axes.budgets import FAST, PRECISE
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import SpecError
from antemill.engine.machine import layout as at
from antemill.engine.machine.batch import opening
from antemill.engine.machine.gate import gate
from antemill.engine.machine.layout import CHANCE, DECIDE, OVER
from antemill.engine.machine.program import from_columns, to_columns, validate
from antemill.engine.machine.rollout import rollout, streams
from antemill.engine.machine.vm import UNANSWERED, advance
from antemill.engine.rules.check import check
from antemill.engine.rules.spec import (
    ActionRound,
    Ante,
    Auction,
    BettingLoop,
    Cell,
    Deal,
    Deck,
    DeckSizeIs,
    Draw,
    FixedBetting,
    GameSpec,
    If,
    Observation,
    Option,
    Peek,
    Perform,
    Phase,
    Positions,
    Score,
    Showdown,
    Shuffle,
    Simultaneous,
    Steal,
    Step,
    Steps,
    Swap,
    Transfer,
    VariableBetting,
)
from antemill.engine.rules.walk import walk
from antemill.solver.algorithms.solve import solve
from antemill.solver.algorithms.table import ON_TREES
from antemill.solver.solving import Settings, solve_game
from antemill.solver.trees.build import build_tree
from tests.engine.machine.fuzz_specs import fuzzed
from tests.engine.machine.paths import Addressed, compare_play, compare_score, compare_small
from tests.naive import every_playout, play
from tests.seeds import fresh, seeds, size
from tests.specs import every_construct

SHOWDOWN = Showdown("Showdown")


def game(*phases: Phase, chips: int = 3, ranks: int = 3, extra: tuple[Phase, ...] = ()) -> GameSpec:
    """The phases in sequence, then a showdown; `extra` are performed."""
    deck = Deck(tuple(range(2, 2 + ranks)), ("hearts",))
    counters = tuple(phase.counter for phase in phases if isinstance(phase, BettingLoop))
    everything = (*phases, *extra, SHOWDOWN)
    spec = GameSpec("test", deck, chips, everything, (*(phase.name for phase in phases), "Showdown"), counters)
    assert check(spec) == []
    return spec


def setup(*steps: Step) -> Steps:
    return Steps("Setup", (Shuffle(), *steps))


def pennies() -> GameSpec:
    """Alice wins a chip if both choose alike."""
    win, lose = (Transfer("bob", "alice", 1),), (Transfer("alice", "bob", 1),)
    cells = (Cell("heads", "heads", win), Cell("tails", "tails", win))
    return game(Simultaneous("Pennies", ("heads", "tails"), ("heads", "tails"), cells, others=lose))


def bet_first() -> GameSpec:
    return game(
        Steps("Ante", (Shuffle(), Ante("both", 1))), FixedBetting("Bet", "alice", 1, 1), Steps("Deal", (Deal(1),))
    )


def called_first() -> GameSpec:
    """The first question is asked inside of a call, as the phase comes twice."""
    twice = ActionRound("Twice", "alice", (Option("a"), Option("b", (Score("alice", 1),)), Option("c")))
    return game(setup(), twice, Steps("More", (Perform("Twice"), Deal(1))))


def picks_first() -> GameSpec:
    wide = tuple(Option(f"o{i}", (Score("bob", i + 1),)) for i in range(16))
    return game(ActionRound("Picks", "bob", wide, picks=3))


def positions_first() -> GameSpec:
    return game(
        Positions("Lead", "most-chips"),
        setup(Deal(1)),
        FixedBetting("Bet", "leader", 2),
        Positions("Again", "alternate"),
    )


def auction_first(most: int = 2) -> GameSpec:
    return game(setup(), Auction("Auction", most, Draw("winner", 2)), Steps("Deal", (Deal(1),)), chips=2)


def theft_first() -> GameSpec:
    """Cards that are never drawn: a deck of one goes to a hand before the first question, and then changes hands."""
    move = Option("take it", (Steal("bob"), Swap("alice")))
    return game(setup(Deal(1, "alice")), ActionRound("Move", "bob", (move, Option("leave it"))), ranks=1)


def look_first() -> GameSpec:
    return game(
        Observation("Look", "alice", "deck-card", "card", "occurrence"),
        setup(Deal(1)),
        VariableBetting("Bet", "alice"),
    )


def wager_of_nobody() -> GameSpec:
    """The betting never comes about: a transfer takes the chips that the loop asks for."""
    return game(
        setup(Deal(1)),
        Steps("Pay", (Transfer("alice", "pot", 3),)),
        BettingLoop("Loop", "n", 2, 1, ("Bet",)),
        extra=(FixedBetting("Bet", "alice", 1),),
    )


def conditional_bet() -> GameSpec:
    """No player is ever asked anything, for a reason that no checker sees."""
    bet = FixedBetting("Bet", "alice", 1)
    return game(setup(Deal(3, "alice")), Steps("Maybe", (If(DeckSizeIs(">", 0), (Perform("Bet"),)),)), extra=(bet,))


HAND_MADE: dict[str, Callable[[], GameSpec]] = {
    made.__name__: made
    for made in (
        pennies,
        bet_first,
        called_first,
        picks_first,
        positions_first,
        auction_first,
        theft_first,
        look_first,
        wager_of_nobody,
        conditional_bet,
        every_construct,
    )
}


@pytest.mark.parametrize("name", HAND_MADE)
def test_hand_made_games_are_played_as_written(name: str) -> None:
    spec = HAND_MADE[name]()
    rows = compare_play(spec, 1, episodes=25)
    assert (rows > 0) == (name not in ("wager_of_nobody", "conditional_bet"))
    compare_score(compile_spec(spec), 1)
    assert compare_small(spec, 1) == (name != "every_construct" and name != "picks_first")


@pytest.mark.parametrize("block", [0, *(pytest.param(more, marks=pytest.mark.slow) for more in (1, 2, 3))])
def test_fuzzed_games_are_played_as_written(block: int) -> None:
    rows, trees = 0, 0
    for seed in range(8 * block, 8 * block + size(4, 8)):
        rows += compare_play(fuzzed(seed), seed)
        trees += compare_small(fuzzed(seed, small=True), seed)
    compare_score(compile_spec(fuzzed(block)), block)
    assert rows > 25
    assert trees >= size(1, 3)


@pytest.mark.extended
@pytest.mark.parametrize("block", seeds(0, 20))
def test_fuzzed_games_at_length(block: int) -> None:
    for seed in range(1_000 + 50 * block, 1_000 + 50 * block + 50):
        compare_play(fuzzed(seed), seed, episodes=8)
    for seed in range(1_000 + 50 * block, 1_000 + 50 * block + 25):
        compare_small(fuzzed(seed, small=True), seed)
    for seed in range(1_000 + 50 * block, 1_000 + 50 * block + 10):
        compare_score(compile_spec(fuzzed(seed)), seed)


@pytest.mark.extended
def test_fuzzed_games_stay_within_their_arrays() -> None:
    """With checked indices, for which the kernels are compiled apart.

    In `make test-all` a hundred games on all ways to play; otherwise thirty without solver and axes.
    """
    last, all_ways = (5030, []) if fresh() is None else (5100, ["--all"])
    shift = fresh() or 0
    command = [sys.executable, "-m", "tests.engine.machine.paths", str(5000 + shift), str(last + shift), *all_ways]
    environment = {**os.environ, "ANTEMILL_BOUNDSCHECK": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]


def test_the_fuzzer_reaches_what_the_generator_does_not() -> None:
    specs = [fuzzed(seed) for seed in range(300)]
    kinds = {type(node) for spec in specs for _, node in walk(spec)}
    assert kinds == {type(node) for _, node in walk(every_construct())}
    assert fuzzed(3) == fuzzed(3)
    assert {spec.chips for spec in specs} >= {1, 2, 5_000, 10_000}
    cards = [len(spec.deck.ranks) * len(spec.deck.suits) for spec in specs]
    assert min(cards) <= 2
    assert max(cards) >= 45
    starts = {int(opening(compile_spec(spec))[at.STOP]) for spec in specs}
    assert starts == {OVER, CHANCE, DECIDE} or starts == {CHANCE, DECIDE}
    first = {type(spec.phase(spec.sequence[0])) for spec in specs}
    assert {Positions, Steps, Simultaneous, FixedBetting, ActionRound, Auction} <= first


# ------------------------------------------------------------------------------------------------ the first question


def test_matching_pennies_has_two_decisions_an_episode() -> None:
    program = compile_spec(pennies())
    log = rollout(program, 1_000, streams(1))
    assert log.rows == 2_000
    assert log.seat.reshape(1_000, 2).tolist() == [[0, 1]] * 1_000
    assert gate(program, 1).moves == 1.0
    alike = log.action.reshape(1_000, 2)
    assert np.array_equal(log.payoff, np.where(alike[:, 0] == alike[:, 1], 1, -1))


def test_a_question_is_asked_until_it_is_answered_with_one_of_its_answers() -> None:
    """An old choice, no choice, and one beyond the menu change nothing but that the machine asks again."""
    program = compile_spec(every_construct())
    state = program.initial_state()
    asked = 0
    while (what := advance(program.code, state)) != OVER:
        assert state[at.CHOICE] == UNANSWERED
        before = state.copy()
        for wrong in (UNANSWERED, int(state[at.MENU]), 10**12, -(10**12)):
            state[at.CHOICE] = wrong
            assert advance(program.code, state) == what
            state[at.CHOICE] = UNANSWERED
            assert np.array_equal(state, before)
        state[at.CHOICE] = asked % int(state[at.MENU])
        asked += 1
    assert asked > 10


def test_an_episode_does_not_depend_on_those_before_it() -> None:
    """What lies outside of the deck at the first question, and a call under way there, are as they were."""
    for name, made in HAND_MADE.items():
        program, keys = compile_spec(made()), streams(3)
        log = rollout(program, 30, keys)
        for episode in (1, 7, 29):
            want = play(made(), Addressed(keys, episode))
            assert log.payoff[episode] == want.payoff, name


# ------------------------------------------------------------------------------------------------ one meaning each


def test_a_game_in_which_nobody_decides_anything_is_refused() -> None:
    spec = GameSpec("dull", Deck((2, 3), ("hearts",)), 3, (setup(Deal(1)), SHOWDOWN), ("Setup", "Showdown"))
    assert check(spec) == ["No player ever decides anything; add a betting round or another phase with a choice."]
    with pytest.raises(SpecError, match="in game 'dull' no player ever decides anything"):
        compile_spec(spec)
    program = compile_spec(pennies())
    with pytest.raises(SpecError, match="no player ever decides anything"):
        validate(replace(program, names=replace(program.names, decisions=())))


@pytest.mark.parametrize("name", ["wager_of_nobody", "conditional_bet"])
def test_a_game_whose_decisions_never_come_about_is_played_scored_and_solved(name: str) -> None:
    program = compile_spec(HAND_MADE[name]())
    assert from_columns(to_columns(program)) == program
    assert rollout(program, 50, streams(1)).rows == 0
    assert gate(program, 1).moves == 0.0
    scores = score(program, PRECISE)
    assert scores.point() == (0.0, 0.0, 0.0, 0.0, 0.0, -4.0)
    for algorithm in ON_TREES:
        assert solve(build_tree(program), algorithm).reached
    assert (
        solve_game(program, Settings(algorithm="mccfr", iterations=10, episodes=1_000, limit=1)).saved.table.rows == 0
    )


@pytest.mark.parametrize("most", [4, 10_000])
def test_bids_end_at_all_chips(most: int) -> None:
    """There are four chips: a bid of five could not be paid, even by a player who has won them all."""
    spec = auction_first(most)
    program = compile_spec(spec)
    kind = next(kind for kind in program.names.decisions if kind.move_type == "bid")
    assert (kind.low, kind.high) == (0, min(most, 4))
    widths = {len(decision.menu) for playout, _ in every_playout(spec) for decision, _ in playout.decisions}
    assert widths == {min(most, 4) + 1}
    compare_play(spec, 1)
    assert compare_small(spec, 1)


def test_more_actions_than_sobol_dimensions() -> None:
    """Three auctions up to 10,000 chips: 30,003 actions a seat, where the table of the sequence ends at 21,201."""
    auctions = [Auction(f"Auction {i}", 10_000, Peek("winner")) for i in range(3)]
    program = compile_spec(game(setup(Deal(1)), *auctions, chips=10_000))
    tier = replace(PRECISE, level0=60, level1=60, opponents=8, focused=8, playouts=4, trials=4, dirichlet=2)
    found = score(program, tier)
    assert len(found.point()) == len(AXES)
    assert all(np.isfinite(found.point()))
    assert found == score(program, tier)


def test_large_scores_do_not_overflow() -> None:
    """A payoff of millions: eta squared and the deviation are as for the same game with small scores."""

    def stakes(amount: int) -> GameSpec:
        options = (Option("up", (Score("alice", amount),) * 100), Option("down", (Score("bob", amount),) * 100))
        return game(*(ActionRound(f"Round {i}", "alice", options) for i in range(5)))

    large, small = (score(compile_spec(stakes(amount)), FAST, 7) for amount in (10_000, 1))
    assert large.sigma_u == pytest.approx(10_000 * small.sigma_u)
    assert large.axes["temporal_depth"] == pytest.approx(small.axes["temporal_depth"])
    assert large.axes["opponent_modeling"] == small.axes["opponent_modeling"]
    assert Fraction(1, 2) < large.axes["temporal_depth"]
