"""A game's axes in one call: budgets, determinism, independence, and games without anything to measure."""

import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from antemill.axes import AXES, EXACT, TIERS, Scores, score
from antemill.axes.budgets import FAST, PRECISE
from antemill.axes.scores import default_seed
from antemill.engine.machine.gate import Gate, gate
from antemill.engine.machine.policy import mixed
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import rollout, streams
from tests.axes.axis_games import DEGENERATE, SMALL, program


def test_budgets_are_the_papers() -> None:
    common = (1500, 64, 32, 20, 0.03, 10, 15)
    for tier, level0, focused in ((FAST, 1000, 0), (PRECISE, 3000, 256)):
        assert (tier.level0, tier.focused) == (level0, focused)
        assert common == (
            tier.level1,
            tier.opponents,
            tier.playouts,
            tier.trials,
            tier.shift,
            tier.dirichlet,
            tier.dirichlet_playouts,
        )
    assert {"fast": FAST, "precise": PRECISE, "exact": EXACT} == TIERS
    assert (EXACT.opponents, EXACT.focused, EXACT.trials, EXACT.shift, EXACT.episodes) == (64, 256, 20, 0.03, 3000)


@pytest.mark.parametrize("name", ["kuhn", "every construct", "1"])
def test_every_axis_is_in_its_range_and_repeatable(name: str) -> None:
    scores = score(program(name), FAST)
    assert scores == score(program(name), FAST)
    assert scores.tier == "fast"
    assert scores.point() == tuple(scores.axes[axis] for axis in AXES)
    assert all(math.isfinite(value) for value in scores.point())
    assert list(scores.axes) == list(AXES)
    assert scores.axes["state_space"] == math.log10(scores.information_states)
    assert scores.axes["temporal_depth"] >= 0
    shares = [scores.axes["information_sensitivity"], scores.axes["opponent_modeling"]]
    for share in [*shares, scores.also["information_sensitivity_seat_mean"]]:
        assert 0 <= share <= 1
    assert scores.axes["risk"] == 0 or scores.axes["risk"] >= 0.01
    assert -4 <= scores.axes["brittleness"] <= 1


AS_PYTHON = """
from antemill.axes import score
from tests.axes.axis_games import SMALL, program
print(*map(float, score(program("kuhn"), SMALL).point()))
"""


def test_axes_that_are_not_compiled_are_the_same() -> None:
    """For a debugger."""
    command = [sys.executable, "-W", "ignore:overflow", "-c", AS_PYTHON]
    run = subprocess.run(command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True)
    assert run.stderr == ""
    assert run.stdout.split() == [str(figure) for figure in score(program("kuhn"), SMALL).point()]


@pytest.mark.parametrize("axis", AXES)
def test_an_axis_does_not_depend_on_which_others_are_computed(axis: str) -> None:
    name = "appendix-b"
    alone, together = score(program(name), SMALL, only=[axis]), score(program(name), SMALL)
    assert alone.axes == {axis: together.axes[axis]}
    assert alone.also == {name: together.also[name] for name in AXES[axis].also}
    assert (alone.sigma_u, alone.information_states) == (together.sigma_u, together.information_states)
    others = set(AXES) - {axis}
    with pytest.raises(ValueError, match=f"the axes {', '.join(a for a in AXES if a in others)} were not computed"):
        alone.point()


def test_what_was_played_before_in_the_same_room_changes_nothing() -> None:
    """A thread keeps its workspace from game to game, of other decks among them; a new thread has a new one."""
    games = [program(name) for name in ("every construct", "kuhn", "3", "appendix-b", "kuhn")]

    def found(game: Program) -> tuple[Scores, Gate, bytes]:
        opponents = mixed(game, np.random.default_rng(1).random(game.action_offsets[-1]))
        log = rollout(game, 300, streams(2), bob=opponents)
        return score(game, SMALL), gate(game, 3, 500), b"".join(column.tobytes() for column in log)

    one_after_the_other = [found(game) for game in games]
    for game, here in zip(games, one_after_the_other, strict=True):
        with ThreadPoolExecutor(1) as fresh:
            assert fresh.submit(found, game).result() == here
    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(found, games * 2)) == one_after_the_other * 2


def test_the_seed_follows_from_the_program_and_can_be_replaced() -> None:
    seed = default_seed(program("kuhn"))
    assert seed == int(program("kuhn").digest[:16], 16) % 2**63
    assert score(program("kuhn"), SMALL) == score(program("kuhn"), SMALL, seed)
    assert score(program("kuhn"), SMALL) != score(program("kuhn"), SMALL, seed ^ 1)
    assert default_seed(program("leduc")) != seed


def test_the_precise_tier_plays_more() -> None:
    fast, precise = score(program("appendix-b"), FAST), score(program("appendix-b"), PRECISE)
    assert (fast.tier, precise.tier) == ("fast", "precise")
    assert precise.information_states > fast.information_states
    assert precise.axes["opponent_modeling"] != fast.axes["opponent_modeling"]


@pytest.mark.parametrize("name", DEGENERATE)
def test_a_game_without_anything_to_measure_scores_zero_and_never_nan(name: str) -> None:
    scores = score(program(name), FAST)
    zero = ("temporal_depth", "information_sensitivity", "opponent_modeling", "risk")
    assert [scores.axes[axis] for axis in zero] == [0, 0, 0, 0]
    assert scores.axes["brittleness"] == -4
    assert scores.sigma_u == 0


def test_an_unknown_axis_is_refused_in_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"`only` must be one of 'state_space', .* and is 'depth'"):
        score(program("kuhn"), SMALL, only=["risk", "depth"])
