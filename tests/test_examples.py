"""The examples learn, with a small part of their budget: by measures that neither uniform play reaches nor a learner
that learns nothing or the wrong way round."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from antemill.tournament.adapters import Curriculum, TreeObservations, vector_env
from examples import new_games, self_play
from tests.tournament.pool.pool_jobs import scored_pool

EXAMPLES = Path(__file__).parent.parent / "examples"


def test_self_play_comes_near_the_equilibrium_of_kuhn() -> None:
    uniform, points = self_play.learn("kuhn", 60_000, points=3, lanes=256)
    assert uniform == pytest.approx(11 / 24)  # known: NashConv 11/12
    assert [point.decisions // 20_000 for point in points] == [1, 2, 3]
    assert points[-1].exploitability < 0.1  # a twentieth of the pot


def test_a_policy_is_laid_on_the_tree_by_keys_and_in_the_order_of_menus() -> None:
    """A player that always takes the first action, a bet or a fold, does so on the tree."""
    table = vector_env("kuhn", 64, events=False)
    learner, dice = self_play.Learner(table.state_observation.actions), np.random.default_rng(1)
    table.reset(seed=1)
    rows, actions, payoffs = self_play.play(table, learner, dice)
    assert set(np.unique(payoffs)) <= {-2.0, -1.0, 1.0, 2.0}
    assert set(np.unique(actions)) == {0, 1}
    learner.logits[:, 0] = 50.0
    observed = TreeObservations(table.programs[0])
    known = set(learner.rows)
    for sets, policy in zip(observed.tree.sets, observed.profile(learner.play_all), strict=True):
        met = [key in known for key in sets.key.tolist()]
        firsts = policy[sets.start[:-1]]
        assert any(met)
        assert np.allclose(firsts, np.where(met, 1.0, 0.5))
        assert np.allclose(policy[1:].reshape(-1, 2).sum(axis=1), 1.0)
    assert len(set(rows.tolist())) <= len(learner.rows)


def test_the_network_climbs_its_objective(monkeypatch: pytest.MonkeyPatch) -> None:
    """The slopes that it climbs by are those of the objective, found by differences."""
    monkeypatch.setattr(new_games, "HIDDEN", 6)
    dice: Any = np.random.default_rng(2)
    network = new_games.Network(5, 3, dice)
    network.weights = [dice.normal(0, 0.5, weight.shape) for weight in network.weights]  # in float64
    masks: Any = np.array([[1, 1, 1], [1, 0, 1], [0, 1, 1], [1, 1, 0]], float)
    inputs: Any = dice.normal(size=(4, 5))
    returns: Any = dice.normal(size=4)
    lesson = new_games.Lesson(inputs, masks, np.array([0, 2, 1, 1]), returns)
    expected = network._layers(lesson.inputs)[2][:, -1].copy()

    def objective() -> float:
        odds, top = network.policy(lesson.inputs, masks), network._layers(lesson.inputs)[2][:, -1]
        logs = np.log(np.where(odds > 0, odds, 1.0))
        chosen = logs[np.arange(4), lesson.actions] * (lesson.returns - expected)
        return float((chosen - new_games.ENTROPY * (odds * logs).sum(axis=1) - (lesson.returns - top) ** 2 / 4).mean())

    slopes: list[np.ndarray] = []
    network._climb = slopes.extend  # type: ignore[assignment, method-assign]
    network.learn(lesson)
    for weight, slope in zip(network.weights, slopes, strict=True):
        for place in np.ndindex(weight.shape):
            kept, sides = weight[place], []
            for shift in (1e-5, -1e-5):
                weight[place] = kept + shift
                sides.append(objective())
            weight[place] = kept
            assert slope[place] == pytest.approx((sides[0] - sides[1]) / 2e-5, abs=1e-6)


@pytest.mark.slow
def test_a_policy_gets_better_at_generated_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(new_games, "LANES", 16)
    games = [game.spec for game in Curriculum(scored_pool(), side=None).games]
    result = new_games.learn(games[:12], games[12:], 100_000, 640)
    assert result.decisions >= 100_000
    assert len(result.train) == len(result.holdout) == len(games) - 12
    assert result.train.mean() > 0.12
    none = new_games.learn(games[:12], games[12:], 1, 640)
    assert abs(none.train.mean()) < 0.1


@pytest.mark.extended  # the figure is drawn by matplotlib
def test_the_scripts_run_as_they_are_called(tmp_path: Path) -> None:
    def run(name: str, *words: str) -> str:
        command = [sys.executable, str(EXAMPLES / name), *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    lines = run("self_play.py", "kuhn", "13@0.1", "--decisions", "60000").splitlines()
    assert [line.split()[0] for line in lines] == ["game", "kuhn", "13@0.1"]
    assert all(float(line.split()[4]) < float(line.split()[3]) for line in lines[1:])
    assert "exploitability" in (tmp_path / "self_play.svg").read_text()
    pool = shutil.copytree(scored_pool(), tmp_path / "pool")
    sides = [len(Curriculum(pool, side=side)) for side in ("train", "holdout")]
    said = run("new_games.py", str(pool), "--decisions", "2000", "--episodes", "64")
    assert f"{sides[0]} games," in said
    assert f"{sides[1]} games never seen" in said
