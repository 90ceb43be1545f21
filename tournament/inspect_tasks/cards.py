"""One model in generated games: `inspect eval antemill/cards -T games=starter -T opponent=cfr --model openai/…`.

A sample is a match, played by `Episode`: prompts, reading of replies and fallbacks are those of tournaments. Each
decision is one call, with the rulebook as system prompt and one message. The transcript has every call and, as an
event, what was played. Scores are in chips:

chips      the payoff
aivat      the payoff without the luck of cards and of the opponent's own draws, if the opponent's policy is known
regret     what the model's decisions lose by an equilibrium, per decision, in games whose tree is small enough
fallbacks  decisions that were played for the model, by cause

Metrics are Inspect's: means with errors clustered by game, and means by game, by seat and by each axis of complexity
(the lower, middle and upper third of the task's games).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice
from typing import Any

import anyio.to_thread
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, Model, get_model
from inspect_ai.scorer import Metric, Score, Scorer, Target, grouped, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from antemill.axes.budgets import FAST
from antemill.axes.scores import score
from antemill.axes.table import AXES
from antemill.engine.builder.starters import STARTERS
from antemill.engine.errors import UsageError
from antemill.engine.rules.spec import to_json
from antemill.engine.text.labels import SEATS
from antemill.tournament.adapters.episode import Episode, Ground, Setting, ground
from antemill.tournament.adapters.given import games_of
from antemill.tournament.adapters.rewards import Judge, Reward
from antemill.tournament.adapters.tasks import match_tasks
from antemill.tournament.inspect_tasks.asking import CUT, DECLINED
from antemill.tournament.inspect_tasks.suites import dealt, equilibria, suite_games
from antemill.tournament.replies import CAUSES

MODEL = "model"  # as opponent: the model of the role `opponent`
_THIRDS = ("lower", "middle", "upper")


@task
def cards(
    games: str | int | Sequence[str | int] | None = None,
    opponent: str | None = None,
    matches: int = 4,
    seed: int = 0,
    solution: str | None = None,
    list_moves: bool = True,
    suite: str | None = None,
) -> Task:
    """Matches of a model.

    games: "starter", GAMEs as on our command line separated by commas, or a .parquet file of `pool split`. opponent: a
    bot (random, passive, aggressive, l1, mixed, cfr), the path of a saved policy, "best:" and one of these, or "model":
    the model of the role `opponent`. matches: of each game in each seat. seed: of the cards and of all draws. solution:
    the policy against which regret is measured. list_moves: whether prompts list the legal actions. suite: instead of
    games, opponent and solution, a suite of `antemill eval` with its equilibria and, of the same seed, its cards: minus
    the mean of aivat is then the loss to perfect play.
    Raises UsageError, StorageError or SpecError for what is no game or no opponent.
    """
    if suite is not None:
        if any(one is not None for one in (games, opponent, solution)):
            raise UsageError("a suite has its own games, opponent and solution: leave these out.")
        opponent = solution = equilibria(suite)
    chosen = _games("starter" if games is None else games) if suite is None else suite_games(suite)
    against = None if opponent == MODEL else opponent or "random"
    setting = Setting(opponent=against, solution=solution, list_moves=list_moves)
    return Task(
        dataset=MemoryDataset(_samples(chosen, setting, matches, seed, suite is not None), name="cards"),
        solver=play(setting),
        scorer=[chips(), aivat(), regret(), fallbacks()],
        version="1",
        metadata={"opponent": "cfr" if suite else opponent or "random", "suite": suite},
    )


def _games(games: str | int | Sequence[str | int]) -> list[str]:
    """Each game as `Ground` takes it."""
    if games == "starter":
        return list(STARTERS)
    names = str(games).split(",") if isinstance(games, str | int) else list(map(str, games))
    found: list[str] = []
    for name in (name.strip() for name in names):
        found += [to_json(spec).decode() for spec in games_of(name)] if name.endswith(".parquet") else [name]
    return found


def _samples(games: Sequence[str], setting: Setting, matches: int, seed: int, of_suite: bool) -> list[Sample]:
    """The matches of each game in each seat that decides; of a suite, with the cards of an evaluation."""
    grounds = [ground(game, setting) for game in games]
    learner = setting if setting.opponent else Setting(opponent="random", list_moves=setting.list_moves)
    samples = []
    for game, where, third in zip(games, grounds, _thirds(grounds), strict=True):
        for seat in (0, 1) if of_suite else where.deciding:
            seeds = dealt(game, matches, seed) if of_suite else _drawn(game, learner, seat, matches, seed)
            for number, drawn in enumerate(seeds, 1):
                about = {"game": where.spec.name, "rules": game, "seat": SEATS[seat], "play_seed": str(drawn)}
                name = f"{where.spec.name}, {SEATS[seat]}, {number}"
                samples.append(Sample(input=f"{name}: play seed {drawn}", id=name, metadata=about | third))
    return samples


def _drawn(game: str, learner: Setting, seat: int, matches: int, seed: int) -> Iterator[int]:
    tasks = match_tasks([game], learner, seed=seed, seat=seat, benchmarks=None)
    return (one.play_seed for one in islice(tasks, matches))


def _thirds(grounds: Sequence[Ground]) -> list[dict[str, str]]:
    """The third of the games in which each game lies, by each axis."""
    found = [score(where.game.program, FAST) for where in grounds]
    ranks = {axis: sorted(one.axes[axis] for one in found) for axis in AXES}
    return [{axis: _THIRDS[3 * ranks[axis].index(one.axes[axis]) // len(found)] for axis in AXES} for one in found]


# ---------------------------------------------------------------------------------------------------- play


@solver
def play(setting: Setting) -> Solver:
    """Plays a sample's match, and records its figures in the sample's store."""

    async def run(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        about = state.metadata
        where = await anyio.to_thread.run_sync(ground, about["rules"], setting)
        seat = SEATS.index(about["seat"])
        models = {seat: get_model()}
        if setting.opponent is None:
            models[1 - seat] = get_model(role="opponent")
        episode = Episode(where, int(about["play_seed"]), tuple(sorted(models)))
        while not episode.over:
            await _decide(episode, models[episode.seat], state, episode.seat == seat)
        figures = await anyio.to_thread.run_sync(partial(_figures, where, episode, seat))
        for name, value in figures.items():
            state.store.set(name, value)
        return state

    return run


async def _decide(episode: Episode, model: Model, state: TaskState, own: bool) -> None:
    """Ask for the decision at hand, and play the reply. own: whether it is the evaluated model's."""
    seat, question = episode.seat, ChatMessageUser(content=episode.question())
    output = await model.generate([ChatMessageSystem(content=episode.ground.system), question])
    reading = episode.answer(
        output.completion, truncated=output.stop_reason in CUT, refused=output.stop_reason == DECLINED
    )
    transcript().info({"player": SEATS[seat], "action": reading.action, "cause": reading.cause}, source="decision")
    if own:
        state.messages += [question, *([output.message] if output.choices else [])]
        state.output = output


def _figures(where: Ground, episode: Episode, seat: int) -> dict[str, Any]:
    """What scorers read."""
    adjusted, lost = (_judge(where, reward) for reward in ("aivat", "regret"))
    fallbacks = list(episode.causes[seat])
    found: dict[str, Any] = {
        "chips": episode.match.result.payoffs[seat],
        "decisions": episode.match.moves[seat],
        "causes": fallbacks,
    }
    if adjusted is not None:
        found["aivat"] = adjusted.score(episode.match, seat, 0).total
    if lost is not None:
        found["regrets"] = [-move for move in lost.score(episode.match, seat, 0).moves or ()]
    return found


@lru_cache(128)
def _judge(where: Ground, reward: Reward) -> Judge | None:
    """The judge of a reward; None if it is not defined for this game and opponent."""
    setting = where.setting
    try:
        return Judge(where.game, reward, "chips", 0.0, where.opponent, setting.opponent, setting.solution)
    except UsageError:
        return None


# ---------------------------------------------------------------------------------------------------- scores


def _metrics() -> list[Metric]:
    """Means and errors over all, and means by group; matches of one game are one cluster."""
    groups = ("game", "seat", *AXES)
    by = [grouped(mean(), name, all=False, name_template=f"{name}: {{group_name}}") for name in groups]
    return [mean(), stderr(cluster="game"), *by]


def _recorded(name: str, also: Iterable[str] = ()) -> Scorer:
    """The figure of that name; a sample without it is not scored."""

    async def read(state: TaskState, target: Target) -> Score | None:  # noqa: ARG001
        value = state.store.get(name)
        return None if value is None else Score(value=value, metadata={one: state.store.get(one) for one in also})

    return read


@scorer(metrics=_metrics())
def chips() -> Scorer:
    """The payoff in chips."""
    return _recorded("chips", ("decisions",))


@scorer(metrics=_metrics())
def aivat() -> Scorer:
    """The payoff in chips after AIVAT's corrections."""
    return _recorded("aivat")


@scorer(metrics=_metrics())
def regret() -> Scorer:
    """Chips that a decision loses by an equilibrium, on average; all of them are in the score's metadata."""

    async def read(state: TaskState, target: Target) -> Score | None:  # noqa: ARG001
        found = state.store.get("regrets")
        return Score(value=sum(found) / len(found), metadata={"regrets": found}) if found else None

    return read


@scorer(metrics={"*": [mean(), stderr(cluster="game")]})
def fallbacks() -> Scorer:
    """Decisions that were played for the model in a match, by cause."""

    async def read(state: TaskState, target: Target) -> Score | None:  # noqa: ARG001
        causes = state.store.get("causes")
        return None if causes is None else Score(value={cause: causes.count(cause) for cause in CAUSES})

    return read
