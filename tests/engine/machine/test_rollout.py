"""Rollouts: logs that depend on nothing but the seed, and policies that play what they say."""

from __future__ import annotations

import numpy as np
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine import layout as at
from antemill.engine.machine.chance import below, subkey
from antemill.engine.machine.policy import UNIFORM, KeyKind, greedy, table
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Log, rollout, streams
from antemill.engine.rules.named import NAMED
from tests.engine.machine.machine import play_machine
from tests.engine.machine.test_vm import SEED_4643, SEED_4643_FIRING

COLUMNS = ("seat", "decision", "action", "menu", "recall", "info", "context", "episode", "payoff", "fired", "taken")


def same(a: Log, b: Log) -> bool:
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in COLUMNS)


@pytest.fixture(params=["leduc", "generated"])
def program(request: pytest.FixtureRequest) -> Program:
    return compile_spec(generate(5) if request.param == "generated" else NAMED[request.param]())


def test_the_seed_decides(program: Program) -> None:
    assert same(rollout(program, 200, streams(7)), rollout(program, 200, streams(7)))
    assert not same(rollout(program, 200, streams(7)), rollout(program, 200, streams(8)))


def test_columns_fit_together(program: Program) -> None:
    log = rollout(program, 300, streams(3))
    assert np.all(np.diff(log.episode) >= 0)
    assert set(np.unique(log.episode)) == set(range(300))
    assert np.array_equal(log.seat, program.decision_seats[log.decision])
    assert np.all(log.menu >= 1)
    sizes = np.diff(program.action_offsets)
    assert np.all(log.action < sizes[log.decision])
    pairs = np.unique(np.stack((log.context, log.decision)), axis=1)
    assert pairs.shape[1] == len(np.unique(log.context)), "a context key belongs to one decision type"
    assert np.abs(log.payoff).max() <= program.chips + 60


def test_an_episode_is_a_game_of_the_machine(program: Program) -> None:
    """Replaying the log's choices and the stream's chance through the plain driver gives the same keys and payoffs."""
    keys = streams(11)
    log = rollout(program, 40, keys)
    for episode in range(40):
        rows = np.flatnonzero(log.episode == episode)
        game = play_machine(program, _Replay(log, rows, subkey(keys.chance, episode), below))
        assert game.payoff == log.payoff[episode]
        assert [stop.keys for stop in game.stops] == [
            (log.recall[i], log.info[i], log.context[i]) for i in rows.tolist()
        ]
        fired = {n for i, n in enumerate(program.names.phases) if int(log.fired[episode, i >> 6]) >> (i & 63) & 1}
        assert fired == game.phases


class _Replay:
    """Answers for play_machine: chance from the addressed stream, players from the log."""

    def __init__(self, log: Log, rows: np.ndarray, key: int, below: object) -> None:
        self.log, self.rows, self.key, self.below = log, iter(rows.tolist()), key, below
        self.state: np.ndarray | None = None

    def __call__(self, n: int, state: np.ndarray) -> int:
        if state[at.STOP] == at.CHANCE:
            return int(self.below(self.key, state[at.ADDRESS], n))  # type: ignore[operator]
        row = next(self.rows)
        mask, action = int(state[at.MENU_MASK]), int(self.log.action[row])
        return action - int(state[at.MENU_LOW]) if mask == 0 else (mask & (1 << action) - 1).bit_count()


def test_the_papers_sample_game_by_sampling() -> None:
    """Seed 4643 at 200,000 episodes: mean and firing rates within 4 standard errors, margins by a chi-square test."""
    from scipy import stats

    n = 200_000
    program = compile_spec(NAMED["appendix-b"]())
    log = rollout(program, n, streams(4643))
    margin = 2 * log.payoff
    assert abs(margin.mean() - 31_741 / 196_608) < 4 * 10.221823478652611 / np.sqrt(n)
    values = np.array(sorted(SEED_4643))
    observed = np.array([(margin == value).sum() for value in values])
    expected = n * np.array([SEED_4643[int(value)] for value in values])
    assert observed.sum() == n
    assert stats.chisquare(observed, expected * (n / expected.sum())).pvalue > 1e-4
    for name, rate in SEED_4643_FIRING.items():
        i = program.names.phases.index(name)
        share = float(np.mean(log.fired[:, i >> 6] >> (i & 63) & 1))
        assert abs(share - rate) <= 4 * np.sqrt(rate * (1 - rate) / n)


def test_uniform_play_is_uniform(program: Program) -> None:
    from scipy import stats

    log = rollout(program, 4_000, streams(5))
    tested = 0
    for decision in range(len(program.names.decisions)):
        for menu in np.unique(log.menu[log.decision == decision]):
            actions = log.action[(log.decision == decision) & (log.menu == menu)]
            _, counts = np.unique(actions, return_counts=True)
            if len(actions) >= 40 * menu and menu > 1 and len(counts) == menu:
                assert stats.chisquare(counts).pvalue > 1e-6
                tested += 1
    assert tested >= 4


def test_greedy_policies_play_the_stored_action() -> None:
    program = compile_spec(NAMED["leduc"]())
    base = rollout(program, 2_000, streams(1))
    keys = np.unique(base.context[base.seat == 0])[::2]
    fallback = np.ones(len(program.names.decisions), np.int64)
    log = rollout(program, 2_000, streams(2), greedy(program, keys, np.zeros(len(keys), np.int64), fallback), UNIFORM)
    alice = log.seat == 0
    stored = np.isin(log.context, keys)
    assert np.all(log.action[alice & stored] == 0)
    assert np.all(log.action[alice & ~stored] == 1)
    bob = log.action[~alice & (log.menu == 2)]
    assert abs(bob.mean() - 0.5) < 4 * 0.5 / np.sqrt(len(bob))


def test_a_shift_perturbs_one_decision_type_only() -> None:
    program = compile_spec(NAMED["kuhn"]())
    policy = greedy(program, np.zeros(0, np.int64), np.zeros(0, np.int64), np.ones(4, np.int64))
    log = rollout(program, 20_000, streams(2), policy._replace(shifted=0, shift=0.25), UNIFORM)
    first = log.action[log.decision == 0]
    assert abs((1 - first).mean() - 0.25) < 4 * np.sqrt(0.25 * 0.75 / len(first))
    assert np.all(log.action[log.decision == 3] == 1)


@pytest.mark.parametrize("kind", KeyKind)
def test_tables_play_rows_by_key(kind: KeyKind) -> None:
    program = compile_spec(NAMED["kuhn"]())
    base = rollout(program, 1_000, streams(1))
    keys = np.unique(getattr(base, kind.name.lower())[base.seat == 1])
    starts = 2 * np.arange(len(keys))
    policy = table(program, keys, starts, np.tile([0.1, 0.9], len(keys)), kind)
    log = rollout(program, 20_000, streams(4), UNIFORM, policy)
    actions = log.action[log.seat == 1]
    assert abs(actions.mean() - 0.9) < 4 * np.sqrt(0.09 / len(actions))


def test_fewer_episodes_than_none_are_refused() -> None:
    with pytest.raises(ValueError, match="-1 episodes can not be played"):
        rollout(compile_spec(NAMED["kuhn"]()), -1, streams(1))
