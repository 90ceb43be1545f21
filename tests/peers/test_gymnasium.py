"""Our games as one vectorised environment: the episodes of a rollout, what a seat may see, and gymnasium's rules."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from hypothesis import given, settings
from hypothesis import strategies as st

from antemill.engine.builder.generate import builder_hash, default_complexity, generate
from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import SpecError, StorageError, UsageError
from antemill.engine.machine import layout as at
from antemill.engine.machine.events import Event
from antemill.engine.machine.policy import UNIFORM, mixed
from antemill.engine.machine.rollout import Log, rollout, streams
from antemill.engine.match import Game, Match
from antemill.engine.rules.named import kuhn, leduc
from antemill.engine.rules.spec import GameSpec
from antemill.engine.storage.store import GAMES, write
from antemill.engine.storage.store import table as store_table
from antemill.engine.text.wording import Seen
from antemill.engine.vector.event_observation import EventObservation, write_events
from antemill.engine.vector.state_observation import StateObservation
from antemill.solver.evaluation.measures import measure
from antemill.solver.policies.file import write_policy
from antemill.solver.policies.on_tree import kernel_policy, policy_on_tree
from antemill.solver.policies.solution import SavedPolicy
from antemill.solver.solving import Settings, solve_game
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import sides
from antemill.tournament.adapters import vector_env
from antemill.tournament.adapters.gymnasium import VectorTable
from antemill.tournament.adapters.seating import seat_policy
from antemill.tournament.extent import extent
from antemill.tournament.players.solver_players import cfr_player
from antemill.tournament.pool.candidates import judged, table_of
from antemill.tournament.pool.schemas import BENCHMARK
from tests.engine.machine.test_lanes import any_game
from tests.engine.match.test_match_leaks import differences
from tests.specs import every_construct

RANDOM = -1  # with illegal="masked": the action that a rollout's uniform player draws
Step = tuple[int, int, int]  # seat, decision type, number of legal actions


class Played:
    """What an environment showed of its first episodes, played at random."""

    def __init__(self, table: VectorTable, seed: int, episodes: int) -> None:
        self.steps: dict[int, list[Step]] = {}
        self.rewards: dict[int, float] = {}
        self.seats: dict[int, int] = {}
        first = table.state_observation.names.index("decision 0")
        observations, infos = table.reset(seed=seed)
        while len(self.rewards) < episodes:
            assert observations["action_mask"].any(axis=1).all()
            assert observations["action_mask"][~infos["asked"]].all()
            for lane in np.flatnonzero(infos["asked"]):
                decision = int(np.flatnonzero(observations["observation"][lane, first:])[0])
                legal = int(observations["action_mask"][lane].sum())
                at_lane = self.steps.setdefault(int(infos["episode_number"][lane]), [])
                at_lane.append((int(infos["seat"][lane]), decision, legal))
            seats = infos["seat"].copy()
            observations, rewards, ended, cut, infos = table.step(np.full(table.num_envs, RANDOM))
            assert not cut.any()
            assert not rewards[~ended].any()
            for lane in np.flatnonzero(ended):
                episode = int(infos["episode_number"][lane])
                if episode < episodes:
                    self.rewards[episode], self.seats[episode] = float(rewards[lane]), int(seats[lane])

    def alice(self) -> list[float]:
        """Alice's payoff in each episode."""
        return [self.rewards[i] * (1 - 2 * self.seats[i]) for i in range(len(self.rewards))]


def steps_of(log: Log, episode: int, seats: tuple[int, ...] = (0, 1)) -> list[tuple[int, int]]:
    rows = np.flatnonzero((log.episode == episode) & np.isin(log.seat, seats))
    return [(int(log.seat[i]), int(log.decision[i])) for i in rows]


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 3_000), st.integers(1, 9), st.integers(0, 5), st.booleans())
def test_episodes_are_those_of_a_rollout(number: int, lanes: int, seed: int, events: bool) -> None:
    spec, episodes = any_game(number), 20
    log = rollout(compile_spec(spec), episodes, streams(seed))
    played = Played(vector_env(spec, lanes, events=events, illegal="masked"), seed, episodes)
    assert played.alice() == log.payoff[:episodes].tolist()
    for episode in range(episodes):
        assert [step[:2] for step in played.steps.get(episode, [])] == steps_of(log, episode)


def against(spec: GameSpec, seat: str, opponent: str | SavedPolicy) -> VectorTable:
    """The opponent sits in that seat, and the other one is asked."""
    if seat == "alice":
        return vector_env(spec, 5, alice=opponent, illegal="masked")
    return vector_env(spec, 5, bob=opponent, illegal="masked")


@pytest.mark.parametrize(("bot", "seat"), [("random", "bob"), ("l1", "alice"), ("mixed", "bob"), ("cfr", "alice")])
def test_a_bot_in_the_other_seat(bot: str, seat: str, tmp_path: Path) -> None:
    """The learner plays at random: payoffs and decisions are those of a rollout with these policies."""
    spec, learner = leduc() if bot != "cfr" else kuhn(), int(seat == "alice")
    game, table = Game(spec), against(spec, seat, bot)
    dealer = table.lanes[0].dealer
    policy = dealer.alice if seat == "alice" else dealer.bob
    if bot == "random":
        assert policy is UNIFORM
    log = rollout(game.program, 200, streams(3), *((policy, UNIFORM) if seat == "alice" else (UNIFORM, policy)))
    played = Played(table, 3, 200)
    assert played.alice() == log.payoff.tolist()
    assert set(played.seats.values()) == {learner}
    for episode in range(200):
        assert [step[:2] for step in played.steps.get(episode, [])] == steps_of(log, episode, (learner,))
    if bot == "cfr":  # a saved policy, by its path and as it is
        saved = cfr_player(game).saved
        write_policy(tmp_path / "policy.parquet", saved)
        for opponent in (str(tmp_path / "policy.parquet"), str(tmp_path), saved):
            again = Played(against(spec, seat, opponent), 3, 200)
            assert again.alice() == played.alice()


@pytest.mark.parametrize(("name", "opponent"), [("leduc", "mixed"), ("leduc", "best:random"), ("2@0.1", "path")])
def test_a_best_response_in_either_seat(name: str, opponent: str, tmp_path: Path) -> None:
    """What the kernels play earns all that can be won from the policy that it responds to."""
    game = Game(resolve(name))
    if opponent == "path":
        opponent = str(tmp_path)
        write_policy(tmp_path / "policy.parquet", solve_game(game.program, Settings(iterations=5)).saved)
    tree = build_tree(game.program)
    theirs = [policy_on_tree(game.program, tree, seat_policy(opponent, game), seat) for seat in (0, 1)]
    most = measure(sides(tree), (theirs[0], theirs[1])).best_responses
    for seat, where in enumerate(("alice", "bob")):
        dealer = against(resolve(name), where, f"best:{opponent}").lanes[0].dealer
        mine = policy_on_tree(game.program, tree, (dealer.alice, dealer.bob)[seat], seat)
        pair = (mine, theirs[1]) if seat == 0 else (theirs[0], mine)
        assert measure(sides(tree), pair).value * (1 - 2 * seat) == pytest.approx(most[seat], abs=1e-9)


def test_an_episode_in_which_nobody_is_asked_is_one_step() -> None:
    """Its reward comes all the same: the payoffs of all episodes are those of the rollout."""
    for number in range(300):
        spec = any_game(number)
        log = rollout(compile_spec(spec), 40, streams(1))
        for seat, other in ((0, "bob"), (1, "alice")):
            silent = set(range(40)) - set(log.episode[log.seat == seat].tolist())
            if not silent or len(silent) == 40 or not (log.seat == seat).any():
                continue
            played = Played(against(spec, other, "random"), 1, 40)
            assert played.alice() == log.payoff.tolist()
            assert set(range(40)) - set(played.steps) >= silent
            return
    pytest.fail("no game leaves a seat unasked in some episodes")


# ------------------------------------------------------------------------------------------ observations


def test_observations_are_those_of_a_match() -> None:
    """The present is that of the match's state; the events are the seat's view, in order and complete."""
    for spec in (leduc(), every_construct(), generate(2, 1.0)):
        table = vector_env(spec, 1, illegal="masked")
        for seed in range(4):
            match = Match(Game(spec), seed)
            observations, infos = table.reset(seed=seed)
            heard = [0, 0]
            while not match.over:
                seat = match.seat
                rows = match.view(seat).rows
                assert infos["seat"][0] == seat
                vector = table.state_observation.vector(match._state, seat)
                assert np.array_equal(observations["observation"][0], vector)
                assert_told(
                    table, match, rows[heard[seat] :], observations["events"][0], observations["event_count"][0]
                )
                heard[seat] = len(rows)
                index = len(match.menu) - 1 if match.menu.labels else 0
                action = match.menu.action(index)
                match.apply(match.menu.choice(index))
                observations, *_, infos = table.step([action])


def assert_told(table: VectorTable, match: Match, rows: list[Seen | str], events: np.ndarray, count: int) -> None:
    """The rows of numbers say what the view says."""
    names, program = list(table.event_observation.names), match.game.program
    assert count == len(rows)
    assert not events[count:].any()
    for seen, row in zip(rows, events[:count], strict=True):
        assert isinstance(seen, Seen)
        who = 0 if seen.seat == 2 else 1 if seen.seat == match.seat else -1
        assert row[:5].tolist() == [seen.kind + 1, who, seen.x, seen.y, seen.z]
        assert row[5:7].tolist() == [seen.told == 3, seen.content is not None]
        cards = [card for card in range(program.cards) if (seen.content or 0) >> card & 1]
        if seen.kind == Event.SIGNAL and row[7]:
            assert row[7] == seen.content
            cards = []
        suits = len(program.names.suits)
        for i, value in enumerate(program.names.ranks):
            assert row[names.index(f"rank {value}")] == sum(card // suits == i for card in cards)
        for i, suit in enumerate(program.names.suits if program.suited else ()):
            assert row[names.index(f"suit {suit}")] == sum(card % suits == i for card in cards)


def what_the_seat_gets(match: Match, viewer: int | None = None) -> object:
    """An observation of the seat to move: the present, the legal actions, and everything it was told so far."""
    game, state = match.game, match._state
    assert game.spec is not None
    seat = match.seat if viewer is None else viewer
    state_observation, event_observation = (
        StateObservation(game.program),
        EventObservation((game.program,), extent(game.spec, lambda _event, _cards: 1).log_size),
    )
    events = np.zeros((event_observation.most, event_observation.width), np.float32)
    count = write_events(state, seat, 0, event_observation.forms[0], events, 0)
    return (
        count,
        events.tobytes(),
        state_observation.vector(state, seat).tobytes(),
        state_observation.legal(state, seat).tobytes(),
    )


SPECS = [leduc, every_construct, partial(generate, 1, 1.0)]


@pytest.mark.parametrize("make", SPECS)
def test_nothing_hidden_is_in_an_observation(make: Callable[[], GameSpec]) -> None:
    states, leaks = differences(make(), 8, 5, what_the_seat_gets)
    assert states > 5
    assert leaks == 0


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 5_000), st.integers(0, 100))
def test_no_event_is_lost(number: int, seed: int) -> None:
    """Journals have room, and no seat is told more in an episode than is announced."""
    spec = any_game(number)
    alone = (compile_spec(spec).decision_seats == 0).any() and number % 2
    table = vector_env(spec, 16, illegal="masked", bob="random" if alone else None)
    table.reset(seed=seed)
    for _ in range(30):
        observations, *_ = table.step(np.full(16, RANDOM))
        assert (table.lanes[0].states[:, at.JOURNAL_N] < table.event_observation.journal).all()
        assert (observations["event_count"] < table.event_observation.most).all()
        assert table.observation_space.contains(observations)
        assert observations["observation"].dtype == observations["events"].dtype == np.float32
        assert observations["action_mask"].dtype == np.int8


# ------------------------------------------------------------------------------------------ several games


def test_a_mixture_is_its_games_side_by_side_and_padded() -> None:
    specs = [kuhn(), leduc(), every_construct(), generate(3, 1.0)]
    table = vector_env(specs, 10, illegal="masked")
    alone = [vector_env(spec, 10, illegal="masked") for spec in specs]
    assert table.game.tolist() == [0, 0, 1, 1, 1, 2, 2, 3, 3, 3]
    shown, told = table.reset(seed=6)
    singles = [one.reset(seed=6)[0] for one in alone]
    for step in range(25):
        if step:
            shown, rewards, ended, _, told = table.step(np.full(10, RANDOM))
            results = [one.step(np.full(10, RANDOM)) for one in alone]
            singles = [result[0] for result in results]
            for lane, game in enumerate(table.game):
                assert (rewards[lane], ended[lane]) == (results[game][1][lane], results[game][2][lane])
        for lane, game in enumerate(table.game):
            one = alone[game]
            assert by_name(table, shown["observation"][lane]) == by_name(one, singles[game]["observation"][lane])
            count = singles[game]["event_count"][lane]
            assert shown["event_count"][lane] == count
            for row in range(count):
                want = dict(zip(one.event_observation.names, singles[game]["events"][lane, row].tolist(), strict=True))
                got = dict(zip(table.event_observation.names, shown["events"][lane, row].tolist(), strict=True))
                assert {name: x for name, x in got.items() if x} == {name: x for name, x in want.items() if x}
            actions = one.state_observation.actions
            assert np.array_equal(shown["action_mask"][lane, :actions], singles[game]["action_mask"][lane])
            assert (shown["action_mask"][lane, actions:] == bool(lane in np.flatnonzero(~told["asked"]))).all()


def by_name(table: VectorTable, vector: np.ndarray) -> dict[str, float]:
    """The components that are not 0; variables by their number."""
    variables = iter(range(100))
    names = [
        f"variable {next(variables)}" if name.startswith("variable ") else name
        for name in table.state_observation.names
    ]
    return {name: x for name, x in zip(names, vector.tolist(), strict=True) if x}


def test_a_file_of_another_builder_or_of_a_benchmark_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "train.parquet"
    write(path, GAMES, games(2), "another")
    with pytest.raises(StorageError, match=r"train.parquet was drawn by builder another, not by builder"):
        vector_env(str(path))
    write(path, BENCHMARK, store_table(BENCHMARK, []), builder_hash())
    with pytest.raises(StorageError, match=r"train.parquet holds a benchmark, but a file of games is needed"):
        vector_env(str(path))


def games(seeds: int) -> pa.Table:
    """The accepted games of the first seeds."""
    rows = table_of(judged([(seed, default_complexity(seed)) for seed in range(seeds)]))
    return rows.filter(rows["accepted"]).select(GAMES.schema.names)


# ------------------------------------------------------------------------------------------ gymnasium's rules


def test_gymnasiums_own_wrapper_counts_episodes() -> None:
    """Returns and lengths as it counts them, by next-step autoreset."""
    table = vector_env("leduc", 8, alice="random", illegal="masked")
    assert isinstance(table, VectorEnv)
    assert table.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    wrapped = RecordEpisodeStatistics(table)
    log = rollout(compile_spec(leduc()), 80, streams(1))
    found: dict[int, tuple[float, int]] = {}
    wrapped.reset(seed=1)
    while len(found) < 80:
        _, _, ended, _, infos = wrapped.step(np.full(8, RANDOM))
        for lane in np.flatnonzero(ended):
            if infos["episode_number"][lane] < 80:
                found[int(infos["episode_number"][lane])] = (infos["episode"]["r"][lane], infos["episode"]["l"][lane])
    lengths = [len(steps_of(log, episode, (1,))) for episode in range(80)]
    assert [found[i] for i in range(80)] == list(zip((-log.payoff).tolist(), lengths, strict=True))


def test_resets_go_on_with_the_series() -> None:
    table = vector_env("leduc", 4)
    _, infos = table.reset(seed=9)
    assert infos["episode_number"].tolist() == [0, 1, 2, 3]
    _, infos = table.reset()
    assert infos["episode_number"].tolist() == [4, 5, 6, 7]
    hands = table.lanes[0].states[:, at.HANDS].copy()
    table.reset(seed=9)
    assert not np.array_equal(hands, table.lanes[0].states[:, at.HANDS])
    table.reset()
    assert np.array_equal(hands, table.lanes[0].states[:, at.HANDS])
    unseeded = vector_env("leduc", 64), vector_env("leduc", 64)
    for one in unseeded:
        one.reset()
    assert not np.array_equal(unseeded[0].lanes[0].states, unseeded[1].lanes[0].states)


@pytest.mark.parametrize(("autoreset", "flat"), [("next-step", False), ("same-step", True), ("disabled", False)])
def test_what_a_step_gives_is_the_callers(autoreset: Any, flat: bool) -> None:
    """The usual loop, which stores what it gets, stores what it saw; writing into it changes nothing that follows."""
    tables = [
        vector_env(["kuhn", "leduc"], 6, illegal="masked", autoreset=autoreset, events=not flat, flat=flat)
        for _ in range(2)
    ]
    stored, digests = [], []
    for one in tables:
        one.reset(seed=1)
    for _ in range(8):
        results = [one.step(np.full(6, RANDOM)) for one in tables]
        found = [flatten(result) for result in results]
        assert list(map(digest, found[0])) == list(map(digest, found[1]))
        stored.append(found[0])
        digests.append(list(map(digest, found[0])))
        ended = results[0][2].copy()
        for array in found[1]:
            array.fill(0)
        if autoreset == "disabled" and ended.any():
            for one in tables:
                one.reset(options={"reset_mask": ended})
    assert [list(map(digest, found)) for found in stored] == digests
    assert len({found[0] for found in digests}) > 4


def flatten(result: Any) -> list[np.ndarray]:
    """The arrays in dictionaries, tuples and arrays of objects, without those of objects."""
    if isinstance(result, np.ndarray) and result.dtype != object:
        return [result]
    parts = result.values() if isinstance(result, dict) else result if isinstance(result, tuple | np.ndarray) else ()
    return [array for part in parts for array in flatten(part)]


def digest(array: np.ndarray) -> bytes:
    return array.tobytes()


# ------------------------------------------------------------------------------------------ how episodes begin


def ends(table: VectorTable, episodes: int) -> dict[int, tuple[float, list[bytes]]]:
    """Of each of the first episodes: its reward and its last observation."""
    found: dict[int, tuple[float, list[bytes]]] = {}
    _, infos = table.reset(seed=3)
    while len(found) < episodes:
        number = infos["episode_number"].tolist()
        shown, rewards, ended, _, infos = table.step(np.full(table.num_envs, RANDOM))
        for lane in np.flatnonzero(ended).tolist():
            last = {name: column[lane] for name, column in shown.items()}
            if table.autoreset_mode == AutoresetMode.SAME_STEP:
                assert infos["_final_obs"][lane]
                assert infos["_final_info"][lane]
                assert infos["final_info"]["episode_number"][lane] == number[lane]
                assert infos["episode_number"][lane] == number[lane] + table.num_envs
                last = infos["final_obs"][lane]
            else:
                assert infos["episode_number"][lane] == number[lane]
            if number[lane] < episodes:
                found[number[lane]] = float(rewards[lane]), [np.asarray(part).tobytes() for part in last.values()]
        if table.autoreset_mode == AutoresetMode.DISABLED and ended.any():
            _, infos = table.reset(options={"reset_mask": ended})
    return found


@pytest.mark.parametrize(("games", "bob"), [("leduc", None), (["kuhn", "7", "leduc"], "mixed")])
def test_episodes_are_the_same_however_they_begin(games: Any, bob: str | None) -> None:
    """By a book and by the machine, alone and side by side."""
    modes: tuple[Any, ...] = ("next-step", "same-step", "disabled")
    tables = [vector_env(games, 8, bob=bob, illegal="masked", autoreset=mode) for mode in modes]
    assert [table.metadata["autoreset_mode"] for table in tables] == list(AutoresetMode)
    assert [table.autoreset_mode for table in tables] == list(AutoresetMode)
    first, *others = (ends(table, 60) for table in tables)
    assert all(other == first for other in others)


def test_a_reset_of_some_lanes_leaves_the_others() -> None:
    for games in ("kuhn", "7"):
        table = vector_env(games, 6, illegal="masked")
        table.reset(seed=1)
        shown, _, _, _, before = table.step(np.full(6, RANDOM))
        mask = np.array([True, False, False, True, False, False])
        again, infos = table.reset(options={"reset_mask": mask})
        assert infos["episode_number"].tolist() == (before["episode_number"] + 6 * mask).tolist()
        for name, column in again.items():
            assert np.array_equal(column[~mask], shown[name][~mask])


# ------------------------------------------------------------------------------------------ refusals


def test_an_illegal_action_is_refused_and_nothing_is_played() -> None:
    table = vector_env(["kuhn", "leduc"], 4)
    table.reset(seed=1)
    states = [lanes.states.copy() for lanes in table.lanes]
    for action in (2, -1, 99):
        with pytest.raises(UsageError, match=rf"action {action} is not legal in lane 3 now: choose one of \[0, 1\]"):
            table.step([0, 0, 0, action])
    assert all(np.array_equal(lanes.states, old) for lanes, old in zip(table.lanes, states, strict=True))


def test_a_masked_action_is_replaced_and_said_so() -> None:
    table = vector_env("leduc", 40, illegal="masked")
    table.reset(seed=1)
    *_, infos = table.step(np.where(np.arange(40) % 2, 0, 2))
    assert infos["masked"].tolist() == [lane % 2 == 0 for lane in range(40)]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("kuhm",), {}, "there is no game 'kuhm'"),
        ((["kuhn", "leduc"], 1), {}, "2 games need at least 2 lanes, not 1"),
        (([],), {}, "no games are named"),
        (("kuhn",), {"alice": "random", "bob": "l1"}, "both seats play a policy, so no decision is left"),
        (("kuhn",), {"bob": "passive"}, "'passive' is no policy of numbers: use random, l1, mixed, cfr"),
        (
            ("kuhn",),
            {"bob": "best"},
            "a learner's is not known: name the policy, as best:random, best:cfr and best:PATH do",
        ),
        (("kuhn",), {"bob": "best:best"}, "best is a response to the other seat's policy"),
        (("kuhn",), {"bob": "best:passive"}, "the policy of 'passive' is not known"),
        (("1",), {"bob": "best:random"}, "nodes, too many for an exact best response"),
        (("kuhn",), {"illegal": "allowed"}, "`illegal` must be one of 'refused', 'masked', and is 'allowed'"),
    ],
)
def test_senseless_arguments_are_refused(arguments: tuple[Any, ...], options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        vector_env(*arguments, **options)


def test_a_game_that_never_asks_the_learner_is_refused() -> None:
    spec = next(spec for spec in map(any_game, range(3_000)) if set(compile_spec(spec).decision_seats.tolist()) == {1})
    vector_env(spec)
    with pytest.raises(UsageError, match=r"in .* Alice never decides anything: let the other seat be asked"):
        vector_env(spec, bob="random")


def test_a_game_without_decisions_is_refused() -> None:
    with pytest.raises(SpecError, match="no player ever decides anything"):
        vector_env(msgspec.structs.replace(kuhn(), sequence=kuhn().sequence[:1]))


def test_policies_of_other_games_are_refused(tmp_path: Path) -> None:
    saved = cfr_player(Game(kuhn())).saved
    write_policy(tmp_path / "kuhn.parquet", saved)
    for opponent in (saved, str(tmp_path / "kuhn.parquet")):
        with pytest.raises(UsageError, match=r"is for Kuhn poker .*, not for Leduc poker"):
            vector_env("leduc", bob=opponent)
    program = compile_spec(kuhn())
    policies = mixed(program, np.ones(int(program.action_offsets[-1]))), kernel_policy(program, saved.table)
    like_kuhn = msgspec.structs.replace(kuhn(), chips=kuhn().chips + 1)  # the same decisions, menus and keys
    others: tuple[Any, ...] = (leduc(), like_kuhn, ["kuhn", like_kuhn])
    for policy in policies:
        vector_env("kuhn", bob=policy)
        for refused in others:
            with pytest.raises(UsageError, match=r"the policy is for another game than .*: make one for this game"):
                vector_env(refused, bob=policy)
    several = mixed(program, np.ones((3, int(program.action_offsets[-1]))))
    with pytest.raises(UsageError, match="the policy is 3 policies in rows, of which a seat plays one"):
        vector_env("kuhn", bob=several)


def test_wrong_use_is_refused() -> None:
    table = vector_env("kuhn", 4)
    with pytest.raises(UsageError, match="no episode has begun: call reset first"):
        table.step(np.zeros(4))
    table.reset(seed=1)
    with pytest.raises(UsageError, match=r"actions of shape \(3,\) do not fit: 4 lanes need one each"):
        table.step([0, 0, 0])
