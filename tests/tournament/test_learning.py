"""Matches in which language models learn: what they are asked and how they are read, what they get for it, which tasks
they are given, and the class that TRL is handed. TRL itself and verifiers are in `packages`."""

from __future__ import annotations

import asyncio
import functools
import itertools
import json
import math
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest

from antemill.axes.budgets import PRECISE
from antemill.axes.scores import score
from antemill.engine.disguise.disguise import disguised
from antemill.engine.errors import UsageError
from antemill.engine.match import Game, Menu
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.same import canonical_digest
from antemill.engine.rules.spec import to_json
from antemill.engine.storage.store import table
from antemill.llm import Request
from antemill.solver.evaluation.measures import expected_value
from antemill.solver.policies.file import write_policy
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import sides
from antemill.tournament.adapters import trl
from antemill.tournament.adapters.episode import Episode, Ground, Setting, ground
from antemill.tournament.adapters.rewards import Reward
from antemill.tournament.adapters.tasks import MatchTask, match_tasks
from antemill.tournament.cards.play import play_slot, read_match
from antemill.tournament.cards.seats import ModelSeat, PlayerSeat, Seat
from antemill.tournament.cards.seats import Setting as SeatSetting
from antemill.tournament.cards.slots import Slot
from antemill.tournament.players import make_bot
from antemill.tournament.players.solver_players import known_policy
from antemill.tournament.pool.schemas import BENCHMARK
from antemill.tournament.pool.select import write_benchmark
from antemill.tournament.replies import CAUSES
from tests.engine.machine.test_lanes import any_game
from tests.tournament.scripted import Scripted
from tests.tournament.test_head_to_head import benchmark_row, solved

REPLIES = (
    '{"action": "check"}',
    "I think ```json\n{'action': 'call'}``` is best",
    '{"action": "bet"}',
    '{"action": 3, "because": "of the pot"}',
    "all in!",
    "",
    '{"action": "fold"}',
    '{"action": 1',
)


def say(choice: object) -> str:
    """A reply."""
    return json.dumps({"action": choice})


def finished(episode: Episode, choose: Callable[[Menu], object]) -> Episode:
    """The episode after a learner has chosen everything."""
    while not episode.over:
        episode.answer(say(choose(episode.match.menu)))
    return episode


def first_of(*wanted: str) -> Callable[[Menu], object]:
    """A learner who takes the first of these that is offered."""
    return lambda menu: next(name for name in wanted if name in menu.labels)


# ------------------------------------------------------------------------------------------ asking and reading


@pytest.mark.parametrize("name", ["leduc", "appendix-b"])
@pytest.mark.parametrize("moves", [True, False])
def test_asked_and_read_as_in_tournaments(name: str, moves: bool) -> None:
    """The same replies, among them garbled and illegal ones, in a tournament's match: the same match comes out.

    A tournament asks once more where a learner is not, so this model repeats what it has said.
    """
    where = Ground(name, Setting(opponent="random", list_moves=moves))
    for play_seed, seat in itertools.product(range(6), (0, 1)):
        said: list[str] = []

        def script(request: Request, said: list[str] = said, shift: int = play_seed) -> str:
            if len(request.messages) == 2:
                said.append(request.messages[1].text)
            assert request.messages[0].text == where.system
            return REPLIES[(len(said) * 5 + shift) % len(REPLIES)]

        seats: list[Seat] = [ModelSeat("m", where.game, moves), PlayerSeat("random", make_bot("random", where.game))]
        ordered = (seats[0], seats[1]) if seat == 0 else (seats[1], seats[0])
        slot = Slot(name, 0, "a", "b", play_seed)
        played = asyncio.run(
            play_slot(slot, where.game, ordered, Scripted({"m": script}), SeatSetting({}, Path(), moves))
        )
        record = read_match(played.transcript)
        episode, questions = Episode(where, play_seed, (seat,)), []
        while not episode.over:
            questions.append(episode.question())
            episode.answer(REPLIES[(len(questions) * 5 + play_seed) % len(REPLIES)])
        assert questions == said
        assert episode.match.transcript().entries == record.transcript.entries
        assert episode.causes[seat] == [move.cause for move in record.moves if move.seat == seat and move.cause]
        assert episode.causes[1 - seat] == []
        assert episode.score(seat).total == record.transcript.payoffs[seat]  # type: ignore[index]


def test_a_disguise_is_learnt_in_its_own_words() -> None:
    """Known by its rules alone: the rulebook and the questions have the theme's words, and replies are read in them."""
    hidden = disguised(NAMED["kuhn"](), 4, "harbour")
    where = Ground(to_json(hidden.game).decode(), Setting(opponent="passive"))
    assert "The better hand takes the whole chest." in where.system
    for play_seed in range(4):
        for action, cause in (("FLOAT", None), ("check", "illegal")):
            episode = Episode(where, play_seed, (0, 1))
            assert "- Chest: " in episode.question()
            assert '"cast", "float"' in episode.question() or '"float", "cast"' in episode.question()
            assert episode.answer(say(action)).cause == cause


def test_truncated_and_refused_replies_have_their_causes() -> None:
    where = Ground("kuhn", Setting())
    assert Episode(where, 1, (0,)).answer("{", truncated=True).cause == "truncated"
    assert Episode(where, 1, (0,)).answer(say("bet"), refused=True).cause == "refusal"


@pytest.mark.parametrize("name", ["leduc", "appendix-b", "7@0.4"])
def test_a_learner_that_never_answers_ends_its_match(name: str) -> None:
    where = Ground(name, Setting(opponent="random", penalty=2.0))
    for play_seed, seat in itertools.product(range(5), (0, 1)):
        episode = Episode(where, play_seed, (seat,))
        episode.leave(seat)
        assert episode.over
        moves, score = episode.match.moves[seat], episode.score(seat)
        assert episode.causes[seat] == ["empty"] * moves
        assert score.penalties == 2.0 * moves
        assert score.total == episode.match.result.payoffs[seat] - 2.0 * moves


# ------------------------------------------------------------------------------------------ rewards


def totals(setting: Setting, game: str, choose: Callable[[Menu], object], seat: int, count: int) -> list[float]:
    """What a learner gets in the matches of the first play seeds."""
    where = ground(game, setting)
    return [finished(Episode(where, seed, (seat,)), choose).score(seat).total for seed in range(count)]


@functools.cache
def tree_value(game: str, opponent: str, seat: int) -> float:
    """What betting and calling is worth at a seat, exactly, from all paths of the tree."""
    where = ground(game, Setting(opponent=opponent))
    tree = build_tree(where.game.program)
    both = sides(tree)
    mine = np.ones(both[seat].sequences)
    sets = tree.sets[seat]
    for i in range(sets.size):
        labels = where.game.names.decisions[int(sets.decision[i])].labels
        for k, label in zip(range(int(sets.start[i]), int(sets.start[i + 1])), labels, strict=True):
            mine[k] = float(label in ("bet", "call"))
    assert where.opponent is not None
    theirs = known_policy(where.game.program, tree, where.opponent, 1 - seat)
    assert theirs is not None
    alice = expected_value(both, (mine, theirs) if seat == 0 else (theirs, mine))
    return alice if seat == 0 else -alice


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("reward", ["payoff", "aivat"])
def test_the_mean_is_the_expected_payoff(reward: Reward, seat: int) -> None:
    """The play seeds are fixed, so the sample's distance from the exact value is too."""
    found = totals(Setting(opponent="random", reward=reward), "kuhn", first_of("bet", "call"), seat, 400)
    error = statistics.stdev(found) / math.sqrt(len(found))
    assert abs(statistics.fmean(found) - tree_value("kuhn", "random", seat)) < 3 * error


@pytest.mark.parametrize("opponent", ["random", "mixed", "cfr"])
def test_aivat_takes_out_luck(opponent: str) -> None:
    spread = {
        reward: statistics.stdev(
            totals(Setting(opponent=opponent, reward=reward), "kuhn", first_of("bet", "call"), 0, 200)
        )
        for reward in ("payoff", "aivat")
    }
    assert spread["aivat"] < 0.6 * spread["payoff"]


@pytest.fixture(scope="module")
def exact(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of an exact equilibrium of Kuhn poker."""
    path = tmp_path_factory.mktemp("solved") / "kuhn.parquet"
    write_policy(path, solved(NAMED["kuhn"]()))
    return str(path)


def test_regrets_by_hand(exact: str) -> None:
    """Alice checks, for which there is no regret in any equilibrium, and Bob bets: with a jack, he has the better card
    whenever the equilibrium bets, so that calling costs 2 instead of 1; with a king, folding gives up 3 chips."""
    where = ground("kuhn", Setting(opponent="aggressive", reward="regret", solution=exact))
    found = {}
    for play_seed, choice in itertools.product(range(20), ("fold", "call")):
        episode = Episode(where, play_seed, (0,))
        hand = episode.question().split("Your hand: ")[1][0]
        episode.answer(say("check"))
        episode.answer(say(choice))
        score = episode.score(0)
        assert score.moves is not None
        assert score.moves[0] == pytest.approx(0.0, abs=1e-9)
        assert score.total == pytest.approx(score.moves[1], abs=1e-9)
        found[hand, choice] = score.total
    assert len(found) == 6
    nothing = pytest.approx(0.0, abs=1e-9)
    assert found["J", "fold"] == nothing
    assert found["K", "call"] == nothing
    assert found["J", "call"] == pytest.approx(-1.0, abs=1e-9)
    assert found["K", "fold"] == pytest.approx(-3.0, abs=1e-9)


@pytest.mark.parametrize("seat", [0, 1])
def test_regrets_add_up_to_what_is_lost_against_the_equilibrium(exact: str, seat: int) -> None:
    """The game's value is -1/18 for Alice."""
    setting = Setting(opponent=exact, reward="regret", solution=exact)
    found = totals(setting, "kuhn", first_of("bet", "call"), seat, 400)
    error = statistics.stdev(found) / math.sqrt(len(found))
    value = -1 / 18 if seat == 0 else 1 / 18
    assert abs(statistics.fmean(found) - (tree_value("kuhn", exact, seat) - value)) < 3 * error
    assert max(found) < 1e-6


@pytest.mark.parametrize("reward", ["payoff", "aivat", "regret"])
def test_units_of_the_deviation(reward: Reward) -> None:
    sigma = score(Game(NAMED["kuhn"]()).program, PRECISE, only=()).sigma_u
    chips = totals(Setting(opponent="cfr", reward=reward), "kuhn", first_of("bet", "call"), 1, 10)
    scaled = totals(Setting(opponent="cfr", reward=reward, unit="deviation"), "kuhn", first_of("bet", "call"), 1, 10)
    assert scaled == pytest.approx([value / sigma for value in chips])
    assert 1.0 < sigma < 2.0


# ------------------------------------------------------------------------------------------ tasks


def first(count: int, tasks: Iterator[MatchTask]) -> list[MatchTask]:
    """The first tasks."""
    return list(itertools.islice(tasks, count))


def test_tasks_follow_from_games_and_seed() -> None:
    setting = Setting()
    tasks = first(8, match_tasks(["kuhn", "leduc"], setting, seed=5))
    assert tasks == first(8, match_tasks(("kuhn", "leduc"), setting, seed=5))
    assert [task.game for task in tasks] == ["kuhn", "leduc"] * 4
    assert len({task.play_seed for task in tasks}) == 8
    assert {task.seat for task in first(20, match_tasks("kuhn", setting))} == {0, 1}
    assert {task.seat for task in first(8, match_tasks("kuhn", setting, seat=1))} == {1}
    many = first(40, match_tasks(["kuhn", "leduc"], setting, seed=5))
    assert {(task.game, task.seat) for task in many} == set(itertools.product(("kuhn", "leduc"), (0, 1)))
    others = first(8, match_tasks(["kuhn", "leduc"], setting, seed=6))
    assert not {task.play_seed for task in tasks} & {task.play_seed for task in others}


def test_a_benchmarks_games_are_refused_under_any_name(tmp_path: Path) -> None:
    leduc = NAMED["leduc"]()
    row = benchmark_row(leduc, 1) | {"canonical_digest": canonical_digest(leduc)}
    path = tmp_path / "bench.parquet"
    write_benchmark(path, table(BENCHMARK, [row]))
    renamed = msgspec.structs.replace(leduc, name="Another")
    tasks = match_tasks(["kuhn", renamed], Setting(), benchmarks=[path])
    assert next(tasks).game == "kuhn"
    with pytest.raises(UsageError, match="1 of the games of this list are a benchmark's"):
        next(tasks)
    with pytest.raises(UsageError, match="are a benchmark's"):
        next(trl.match_rows("leduc", Setting(), benchmarks=[path]))
    assert next(match_tasks(renamed, Setting())).play_seed


def test_no_task_leaves_the_learner_unasked() -> None:
    """In this game each seat is asked nothing in many matches."""
    setting, game = Setting(), to_json(any_game(26)).decode()
    where = ground(game, setting)
    assert any(Episode(where, seed, (0,)).over for seed in range(20))
    tasks = first(40, match_tasks(any_game(26), setting))
    assert not any(Episode(where, task.play_seed, task.learners).over for task in tasks)


# ------------------------------------------------------------------------------------------ TRL


# ------------------------------------------------------------------------------------------ errors


def test_every_cause_can_come_up() -> None:
    where = ground("kuhn", Setting())
    said = [("?", {}), ("", {}), (say("fly"), {}), ("", {"truncated": True}), ("", {"refused": True})]
    found = {Episode(where, 1, (0,)).answer(text, **more).cause for text, more in said}
    assert found == {*CAUSES} - {"schema_ignored"}  # a learner is sent no schema


def test_each_move_of_a_long_match_has_its_regret() -> None:
    where = ground("leduc", Setting(opponent="cfr", reward="regret", penalty=1.0))
    for play_seed, seat in itertools.product(range(10), (0, 1)):
        episode = finished(Episode(where, play_seed, (seat,)), lambda menu: menu.labels[-1])
        score = episode.score(seat)
        assert score.moves is not None
        assert len(score.moves) == episode.match.moves[seat]
        assert score.total == pytest.approx(sum(score.moves))


def test_a_penalty_is_in_the_rewards_unit() -> None:
    where = ground("kuhn", Setting(unit="deviation", penalty=5.0))
    episode = Episode(where, 1, (0,))
    episode.leave(0)
    payoff = episode.match.result.payoffs[0]
    assert episode.score(0).total == pytest.approx(payoff / where.judge.deviation - 5.0 * episode.match.moves[0])
