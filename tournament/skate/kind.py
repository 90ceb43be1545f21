"""SKATE as a kind of run (S1): in each round all questions are set, then every player answers all of them.

The questions of a round are set at the same time, so a setter sees only those of earlier rounds. Question numbers count
slots, so an empty slot leaves a gap.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from inspect import signature
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from antemill.engine.errors import AntemillError, UsageError
from antemill.engine.execute.sandbox import CheckLimits, Sandbox, make_sandbox
from antemill.engine.storage.files import read_bytes
from antemill.llm import Reach
from antemill.tournament.loading import load
from antemill.tournament.runs import Access, Expected, Item, Plan, Played, Record
from antemill.tournament.runs.base import base_material, taken_over
from antemill.tournament.runs.config import MisplacedError
from antemill.tournament.runs.packaged import Packaged
from antemill.tournament.runs.questions import Asking
from antemill.tournament.skate import prompts
from antemill.tournament.skate.bots import SKATERS
from antemill.tournament.skate.config import GAMES, TASKS, SkateConfig, SkateTable
from antemill.tournament.skate.embedders import EmbedderError, embedder_of
from antemill.tournament.skate.play import TIMES, Answers, QuestionSlot, Rules, play_answers, play_options, play_set
from antemill.tournament.skate.prompts import Past, Strategy
from antemill.tournament.skate.sampling import Score
from antemill.tournament.skate.tasks import Task
from antemill.tournament.skate.tasks.games import SolvedGame
from antemill.tournament.skate.tasks.output import OutputPrediction, SandboxPrograms

TASK = "task.py"
PARTS = ("name", "judged", "make", "validate", "options", "prompt")  # of a task
_CHECK = 20.0  # seconds
_QUESTION, _ANSWERS = 800, 12  # for the estimate of costs: characters of a question, answers for its score
Row = dict[str, Any]
MakeRules = Callable[[SkateConfig, Path, Mapping[str, bytes]], Rules]


def questions_in(rows: Iterable[Row]) -> list[Row]:
    """The questions that were accepted."""
    return [row for row in rows if row["what"] == "set" and row["accepted"]]


def answers_in(rows: Iterable[Row]) -> list[Row]:
    """The players' answers."""
    return [row for row in rows if row["what"] == "answer"]


class SkateRun(Plan):
    """One game. base: rows of an earlier one; rules: makes the task with its sandbox and the embedder when they are
    first needed.
    """

    def __init__(self, config: SkateConfig, base: Sequence[Row], rules: Callable[[], Rules]) -> None:
        config.check()
        self._config = config
        self._questions, self._answers = questions_in(base), answers_in(base)
        self._make_rules = rules

    @property
    def models(self) -> tuple[str, ...]:
        """The entries of models.toml of all players."""
        return tuple(dict.fromkeys(self._config.entries.values()))

    def next_items(self, finished: Sequence[Record]) -> Sequence[Item]:
        """First the old questions for new players; then, round by round, questions and the answers to them."""
        rows = [record.row for record in finished if record.status == "done"]
        stages = [record.item.data for record in finished]
        if not finished and (items := self._old_questions()):
            return items
        setters, players = self._config.setters(), self._config.players
        played = max((data["round"] for data in stages if data["what"] == "set"), default=0)
        asked = {data["number"] for data in stages if data["what"] == "answer"}
        if fresh := [row for row in questions_in(rows) if row["number"] not in asked]:
            return [self._answer_item(row, player) for row in fresh for player in players]
        if not setters or played == self._config.skate.rounds:
            over = any(data["what"] == "option" for data in stages)
            return [] if over else self._option_items(rows)
        return [self._set_item(played + 1, place, player, rows) for place, player in enumerate(setters)]

    async def play(self, item: Item, access: Access) -> Played:
        """Set a question, or answer one."""
        rules, data = self._rules, item.data
        asked = Asking(access, item.key, bool(self._config.paper), rules.temperature)
        if data["what"] == "set":
            return await play_set(msgspec.convert(data["slot"], QuestionSlot), rules, asked)
        play = play_options if data["what"] == "option" else play_answers
        return await play(msgspec.convert(data["question"], Answers), rules, asked)

    async def check(self) -> Sequence[Reach]:
        """Ask a server's embedder for a vector, if questions are set. Makes the sandbox, and raises if that fails."""
        if not self._config.setters() or not self._rules.embedder.remote:
            return ()
        embedder, began, reason, advice = self._rules.embedder, time.monotonic(), "it has sent a vector", ""
        try:
            async with asyncio.timeout(_CHECK):
                await embedder.embed(["print(1)"])
        except (EmbedderError, TimeoutError) as error:
            reason, advice = getattr(error, "reason", "it does not answer"), getattr(error, "advice", "start it")
        seconds, name = time.monotonic() - began, f"embedder {embedder.name}"
        return [Reach(name=name, reachable=not advice, reason=reason, advice=advice, seconds=seconds)]

    def parts(self) -> dict[str, int]:
        """The expected questions, and the answers of all players to these and to old questions."""
        questions = self._config.skate.rounds * len(self._config.setters())
        answers = questions * len(self._config.players) + len(self._old_questions())
        options = self._config.options_on * len(self._config.skate.options_of or ())
        named = (("questions", questions), ("answers", answers), ("tests of options", options))
        return {name: count for name, count in named if count}

    def estimate(self) -> Sequence[Expected]:
        """Two calls for a question and a dozen for each answer."""
        config, entries = self._config, self._config.entries
        questions = config.skate.rounds * len(config.setters())
        archive = config.skate.rounds // 2 * _QUESTION if config.skate.strategy != Strategy.NO_INFO else 0
        old = Counter(item.data["question"]["player"] for item in self._old_questions())
        few = max(_ANSWERS, config.skate.sampling.first)
        options = 2 * TIMES * 10 * config.options_on
        calls = {name: (questions + old[name]) * few for name in config.players}
        calls |= {name: calls[name] + options for name in config.skate.options_of or ()}
        expected = [Expected(entries[name], count, 0, _QUESTION + 300, 200) for name, count in calls.items()]
        text = (len(prompts.SETTER) + archive + _QUESTION) // 2
        return expected + [
            Expected(entries[name], 2 * config.skate.rounds, 0, text, _QUESTION) for name in config.setters()
        ]

    def _old_questions(self) -> list[Item]:
        known = {(row["number"], row["player"]) for row in self._answers}
        return [
            self._answer_item(row, player)
            for row in self._questions
            for player in self._config.players
            if (row["number"], player) not in known
        ]

    def _answer_item(self, row: Mapping[str, Any], player: str, what: str = "answer") -> Item:
        model = self._config.entries[player]
        about = {name: row[name] for name in ("number", "text", "truth", "distractors")}
        data = {"what": what, "number": row["number"], "question": {**about, "player": player, "model": model}}
        return Item(f"{what}/{row['number']}/{player}", data, (model,))

    def _option_items(self, rows: Sequence[Row]) -> list[Item]:
        """Figure 8 at the end of the game: its questions for the named players, an even spread of all."""
        every = [*self._questions, *questions_in(rows)]
        count = min(self._config.options_on, len(every))
        chosen = [every[i * len(every) // count] for i in range(count)]
        return [
            self._answer_item(row, name, "option") for row in chosen for name in self._config.skate.options_of or ()
        ]

    def _set_item(self, round_number: int, place: int, player: str, rows: Sequence[Row]) -> Item:
        config, model = self._config, self._config.entries[player]
        first = max((row["number"] for row in self._questions), default=0)
        questions = [*self._questions, *questions_in(rows)]
        slot = QuestionSlot(
            number=first + (round_number - 1) * len(config.setters()) + place + 1,
            round_number=round_number,
            rounds=config.skate.rounds,
            player=player,
            model=model,
            archive=tuple(self._archive(player, questions, [*self._answers, *answers_in(rows)])),
            own=tuple((row["number"], row["text"]) for row in questions if row["setter"] == player),
        )
        data = {"what": "set", "round": round_number, "slot": msgspec.to_builtins(slot)}
        return Item(f"set/{slot.number}/{player}", data, (model,))

    def _archive(self, player: str, questions: Sequence[Row], answers: Sequence[Row]) -> Iterator[Past]:
        """The earlier questions that the strategy can show the player, with the scores on them."""
        strategy = self._config.skate.strategy
        scores: dict[int, dict[str, Score]] = {}
        for row in answers:
            scores.setdefault(row["number"], {})[row["player"]] = Score(row["correct"], row["asked"])
        for row in questions if strategy != Strategy.NO_INFO else ():
            if strategy == Strategy.FULL or row["setter"] == player:
                known = scores.get(row["number"], {})
                yield Past(number=row["number"], setter=row["setter"], text=row["text"], scores=known)

    @cached_property
    def _rules(self) -> Rules:
        return self._make_rules()


# ------------------------------------------------------------------------------------------ rules


@contextmanager
def game_rules() -> Iterator[MakeRules]:
    """Makes rules for configurations; their sandboxes are closed at the end.

    Making them raises ExecutionError if this machine can not be protected.
    """
    with ExitStack() as stack:

        def programs(table: SkateTable) -> SandboxPrograms:
            sandbox: Sandbox = make_sandbox()
            stack.callback(sandbox.close)
            return SandboxPrograms(sandbox, CheckLimits(seconds=table.seconds, memory_mb=table.memory))

        def rules(config: SkateConfig, home: Path, materials: Mapping[str, bytes]) -> Rules:
            table, own = config.skate, users_task(config, home, materials)
            if own is not None:
                task = made_task(own, lambda: programs(table))
            else:
                task = SolvedGame() if table.task == GAMES else OutputPrediction(programs(table))
            return rules_of(table, task)

        yield rules


def rules_of(table: SkateTable, task: Task) -> Rules:
    """The rules of a game with this task."""
    return Rules(
        task=task,
        embedder=embedder_of(table),
        strategy=table.strategy,
        attempts=table.attempts,
        sampling=table.sampling,
        temperature=None if table.temperature == "model" else table.temperature,
        seed=table.seed,
    )


def users_task(config: SkateConfig, home: Path, materials: Mapping[str, bytes]) -> Callable[..., Task] | None:
    """The class of a user's task; None for one of ours. Raises UsageError, also if its file was changed since the game
    began.
    """
    if config.skate.task in TASKS:
        return None
    where = home / config.skate.task.rpartition(":")[0]
    if TASK in materials and read_bytes(where) != materials[TASK]:
        raise UsageError(f"{where} was changed since the game began: put it back, or begin a new one.")
    return load(config.skate.task, home, "task", "a task")


def made_task(factory: Callable[..., Task], programs: Callable[[], SandboxPrograms]) -> Task:
    """A user's task. A factory with an argument is given the sandbox's programs. Raises UsageError if it fails, or if
    what it makes is no task.
    """
    try:
        task = factory(programs()) if signature(factory).parameters else factory()
    except (AntemillError, KeyboardInterrupt):
        raise
    except Exception as error:
        raise UsageError(f"the task could not be made ({type(error).__name__}: {error}): correct it.") from error
    if lacking := [part for part in PARTS if not hasattr(task, part)]:
        raise UsageError(f"the task {type(task).__name__} has no {', '.join(lacking)}: add it (docs/skate.md).")
    return task


class SkateKind(Packaged[SkateConfig, Any]):
    """Games of SKATE. rules: makes those of a run; without it a kind plays only inside of `opened`."""

    name, config, title = "skate", SkateConfig, "Game of SKATE"
    listed, shown = "all questions, and all players' answers to them", "a question with all attempts, or answers"
    bots = SKATERS
    purposes: ClassVar[Mapping[str, str]] = {"set": "questions", "answer": "answers", "option": "options"}
    rows_file = "answers.parquet"
    hidden = frozenset({"text", "truth"})
    roles: ClassVar[Mapping[str, str]] = {"setter": "setter"}
    terms = (
        (
            "One sigma",
            "TrueSkill describes each skill by a normal distribution with mean mu and standard deviation sigma: about "
            "two thirds of it lies within mu ± sigma, the bands and whiskers of the figures.",
        ),
        (
            "Lowest and highest mu",
            "TrueSkill depends on the order of its updates: the range of mu over 20 other orders of players and "
            "questions, which are moved to the same mean of all players, because only differences are compared.",
        ),
    )

    def __init__(self, rules: MakeRules | None = None) -> None:
        self._rules = rules

    @contextmanager
    def opened(self) -> Iterator[SkateKind]:
        """SKATE with the sandbox that judges; it is closed at the end."""
        with game_rules() as rules:
            yield SkateKind(rules)

    def materials(self, config: SkateConfig, home: Path) -> dict[str, bytes]:
        """What an earlier game came to, and the file of a user's task, whose change is another game."""
        config.check()
        try:
            users_task(config, home, {})
        except UsageError as error:
            raise MisplacedError(str(error), "skate", "task") from error
        where, base = config.skate.task.rpartition(":")[0], config.skate.base
        task = {TASK: read_bytes(home / where)} if where.endswith(".py") else {}
        return task | base_material(self, [home / base] if base else [], config.entries)

    def make(self, config: SkateConfig, home: Path, materials: Mapping[str, bytes]) -> SkateRun:
        """A game."""

        def rules() -> Rules:
            assert self._rules is not None, "games are played inside of `opened`"
            return self._rules(config, home, materials)

        return SkateRun(config, [*taken_over(materials).rows.values()], rules)

    def uncounted(self, config: SkateConfig) -> str:
        """A sentence on the cost of an embedder on a server, if the game asks one."""
        table = config.skate
        if table.embedder.kind != "openai" or table.task == GAMES:
            return ""
        return f"The embedder {table.embedder.model} is on a server: its charges are in no budget and in no table."


KIND = SkateKind()
