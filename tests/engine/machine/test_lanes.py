"""Lanes: the same episodes as a rollout's, with any other games beside them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.machine import layout as at
from antemill.engine.machine.chance import below, subkey
from antemill.engine.machine.lanes import ASKED, Lanes
from antemill.engine.machine.policy import UNIFORM, KeyKind, Policy, greedy, mixed, table
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Array, Log, Streams, rollout, streams
from antemill.engine.match import Game, Match
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import GameSpec
from antemill.engine.text.describe import journal
from tests.engine.machine.fuzz_specs import fuzzed
from tests.specs import every_construct

KINDS = (KeyKind.RECALL, KeyKind.INFO, KeyKind.CONTEXT)
Rows = dict[tuple[int, int], tuple[int, ...]]  # by episode and number of the decision


def any_game(number: int) -> GameSpec:
    """A game of the builder or a fuzzed one."""
    return (generate(number), fuzzed(number), fuzzed(number, small=True))[number % 3]


def answer(lanes: Lanes, keys: Streams) -> None:
    """Choices as a rollout's uniform players draw them."""
    for lane in np.flatnonzero(~lanes.done):
        key = subkey((keys.alice, keys.bob)[lanes.seats[lane]], int(lanes.episodes[lane]))
        lanes.choices[lane] = below(key, 2 * int(lanes.made[lane]), int(lanes.menus[lane]))


def note(lanes: Lanes, rows: Rows) -> None:
    """Write down every open question."""
    columns: list[Array] = [lanes.seats, lanes.decisions, lanes.menus, *(lanes.keys(kind) for kind in KINDS)]
    for lane in np.flatnonzero(~lanes.done):
        place = int(lanes.episodes[lane]), int(lanes.made[lane])
        rows[place] = tuple(int(column[lane]) for column in columns)


def logged(log: Log, episodes: range, seats: tuple[int, ...] = (0, 1)) -> Rows:
    """The decisions of a rollout's episodes at which these seats were asked."""
    rows: Rows = {}
    columns = (log.seat, log.decision, log.menu, log.recall, log.info, log.context)
    for episode in episodes:
        for made, i in enumerate(np.flatnonzero(log.episode == episode)):
            if log.seat[i] in seats:
                rows[episode, made] = tuple(int(column[i]) for column in columns)
    return rows


def ends(lanes: Lanes) -> list[object]:
    """Payoffs, and which phases and branches came up."""
    fired = lanes.states[:, at.FIRED : at.FIRED + at.PHASE_WORDS]
    taken = lanes.states[:, at.TAKEN : at.TAKEN + at.BRANCH_WORDS]
    return [lanes.payoffs.tolist(), fired.tolist(), taken.tolist()]


@settings(max_examples=20, deadline=None)
@given(
    st.integers(0, 3_000),
    st.integers(1, 40),
    st.integers(0, 9),
    st.sampled_from((0, 300)),
    st.randoms(use_true_random=False),
)
def test_lanes_play_the_episodes_of_a_rollout(number: int, n: int, seed: int, events: int, rng: object) -> None:
    """Any game, any number of lanes, the episodes in any order, with a journal and without."""
    program, keys = compile_spec(any_game(number)), streams(seed)
    order = np.arange(n)
    rng.shuffle(order)  # type: ignore[attr-defined]
    log, lanes = rollout(program, n, keys), Lanes(program, n, events=events)
    rows: Rows = {}
    lanes.reset(keys, order)
    while not lanes.done.all():
        note(lanes, rows)
        answer(lanes, keys)
        lanes.advance()
    assert rows == logged(log, range(n))
    assert ends(lanes) == [log.payoff[order].tolist(), log.fired[order].tolist(), log.taken[order].tolist()]
    assert lanes.menus.tolist() == [0] * n


def policies(program: Program) -> tuple[Policy, Policy, Policy]:
    """One of each kind, with some keys that they know."""
    log = rollout(program, 200, streams(3))
    weights = np.random.default_rng(1).random(int(program.action_offsets[-1]))
    contexts = np.unique(log.context)[::2]
    fallback = np.zeros(len(program.names.decisions), np.int64)
    infos, first = np.unique(log.info, return_index=True)
    starts = np.concatenate(([0], np.cumsum(log.menu[first])[:-1]))
    rows = np.concatenate([np.arange(1, menu + 1) / (menu * (menu + 1) / 2) for menu in log.menu[first]])
    return (
        mixed(program, weights),
        greedy(program, contexts, np.ones(len(contexts), np.int64), fallback),
        table(program, infos, starts, rows, KeyKind.INFO),
    )


@pytest.mark.parametrize("game", ["leduc", "every-construct"])
@pytest.mark.parametrize("kind", range(3))
def test_policies_play_as_in_a_rollout(game: str | int, kind: int) -> None:
    """Both seats by policies, which asks no question; and one of them asked, who answers as a uniform player would."""
    spec = (
        every_construct() if game == "every-construct" else generate(game) if isinstance(game, int) else NAMED[game]()
    )
    program, keys = compile_spec(spec), streams(11)
    policy = policies(program)[kind]
    for alice, bob in ((policy, UNIFORM), (UNIFORM, policy), (policy, policy)):
        log, lanes = rollout(program, 60, keys, alice, bob), Lanes(program, 60, alice=alice, bob=bob)
        lanes.reset(keys)
        assert lanes.done.all()
        assert ends(lanes) == [log.payoff.tolist(), log.fired.tolist(), log.taken.tolist()]
    for asked in (0, 1):
        seated = [policy, policy]
        seated[asked] = UNIFORM
        log = rollout(program, 60, keys, seated[0], seated[1])
        seated[asked] = ASKED
        lanes = Lanes(program, 60, alice=seated[0], bob=seated[1])
        rows: Rows = {}
        lanes.reset(keys)
        while not lanes.done.all():
            note(lanes, rows)
            answer(lanes, keys)
            lanes.advance()
        assert rows == logged(log, range(60), (asked,))
        assert lanes.payoffs.tolist() == log.payoff.tolist()


def test_automatic_lanes_go_through_the_series() -> None:
    """Lane i plays the episodes i, i + n, ...; the step after an end deals the next one."""
    program, keys, n = compile_spec(generate(5)), streams(2), 7
    log, lanes = rollout(program, 10 * n, keys), Lanes(program, n, automatic=True)
    rows: Rows = {}
    lanes.reset(keys)
    payoffs: dict[int, int] = {}
    while len(payoffs) < 10 * n:
        note(lanes, rows)
        answer(lanes, keys)
        before = lanes.done.copy(), lanes.episodes.copy()
        lanes.advance()
        assert np.array_equal(lanes.episodes, before[1] + n * before[0])
        for lane in np.flatnonzero(lanes.done):
            if lanes.episodes[lane] < 10 * n:
                payoffs[int(lanes.episodes[lane])] = int(lanes.payoffs[lane])
    assert payoffs == dict(enumerate(log.payoff.tolist()))
    assert {place: row for place, row in rows.items() if place[0] < 10 * n} == logged(log, range(10 * n))


def test_some_lanes_begin_anew() -> None:
    program = compile_spec(NAMED["leduc"]())
    lanes = Lanes(program, 6)
    lanes.reset(streams(1))
    lanes.choices[:] = 0
    lanes.advance()
    kept = lanes.states.copy()
    where = np.array([True, False, True, False, False, False])
    lanes.reset(streams(1), 40 + np.arange(6), where)
    assert lanes.episodes.tolist() == [40, 1, 42, 3, 4, 5]
    assert np.array_equal(lanes.states[~where], kept[~where])
    assert lanes.made.tolist() == [0, 1, 0, 1, 1, 1]


@pytest.mark.parametrize("seed", range(4))
def test_a_journal_is_a_matchs(seed: int) -> None:
    spec = every_construct() if seed % 2 else generate(seed)
    program = compile_spec(spec)
    match = Match(Game(spec), seed)
    while not match.over:
        key, counter = match.draws(match.seat)
        match.apply(match.menu.choice(int(below(key, counter, len(match.menu)))))
    lanes = Lanes(program, 3, alice=UNIFORM, bob=UNIFORM, events=1_000)
    lanes.reset(streams(seed))
    assert journal(lanes.states[0]) == list(match.events())


def test_a_policy_of_several_rows_is_refused() -> None:
    program = compile_spec(NAMED["leduc"]())
    weights = np.random.default_rng(1).random((2, int(program.action_offsets[-1])))
    perturbed = policies(program)[1]._replace(shift=0.1, shifted_by_row=np.array([0, 1, 2]))
    for several, rows in ((mixed(program, weights), 2), (perturbed, 3)):
        for seat in ("alice", "bob"):
            with pytest.raises(UsageError, match=f"the policy is {rows} policies in rows, of which a seat plays one"):
                Lanes(program, 4, **{seat: several})  # type: ignore[arg-type]
    for one in (mixed(program, weights[:1]), perturbed._replace(shifted_by_row=np.array([1]))):
        Lanes(program, 4, alice=one, bob=UNIFORM).reset(streams(1))
