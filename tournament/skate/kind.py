"""SKATE as a kind of run (S1): in each round all questions are set, then every player answers all of them.

The questions of a round are set at the same time, so a setter sees only those of earlier rounds. Question numbers count
slots, so an empty slot leaves a gap.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from antemill.engine.errors import UsageError
from antemill.engine.storage.files import read_bytes
from antemill.llm import Reach
from antemill.tournament.loading import load
from antemill.tournament.runs import Access, Expected, Item, Played, Record, RunStore, RunType
from antemill.tournament.runs.config import MisplacedError
from antemill.tournament.runs.older import Older
from antemill.tournament.runs.store import NAME
from antemill.tournament.skate import prompts
from antemill.tournament.skate.bots import SKATERS
from antemill.tournament.skate.config import TASKS, SkateConfig, uncounted
from antemill.tournament.skate.embedders import EmbedderError
from antemill.tournament.skate.making import game_rules
from antemill.tournament.skate.play import (
    TIMES,
    Answers,
    Asking,
    QuestionSlot,
    Rules,
    play_answers,
    play_options,
    play_set,
)
from antemill.tournament.skate.prompts import Past, Strategy
from antemill.tournament.skate.sampling import Score
from antemill.tournament.skate.tasks import Task

BASE, TASK = "base.json", "task.py"
_CHECK = 20.0  # seconds
_QUESTION, _ANSWERS = 800, 12  # for the estimate of costs: characters of a question, answers for its score


class Base(msgspec.Struct, frozen=True):
    """An earlier game's rows: accepted questions, and answers."""

    questions: list[dict[str, Any]]
    answers: list[dict[str, Any]]


class SkateRun:
    """One game. rules: makes the task with its sandbox and the embedder when they are first needed; factory: loads the
    class of a user's task, which `rules` is then given.
    """

    def __init__(
        self,
        config: SkateConfig,
        base: Base,
        rules: Callable[..., Rules],
        factory: Callable[[], Callable[..., Task] | None] = lambda: None,
    ) -> None:
        config.check()
        self._config = config
        self._base = base
        self._make_rules = rules
        self._factory = factory
        self._rules: Rules | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """The entries of models.toml of all players."""
        return tuple(dict.fromkeys(player.entry for player in self._config.players.values()))

    @property
    def total(self) -> int | None:
        """Unknown in advance: empty slots have no answers."""
        return None

    def next_items(self, finished: Sequence[Record]) -> Sequence[Item]:
        """First the old questions for new players; then, round by round, questions and the answers to them."""
        rows = [record.row for record in finished if record.status == "done"]
        stages = [record.item.data for record in finished]
        if not finished and (items := self._old_questions()):
            return items
        setters, players = self._config.setters(), self._config.players
        played = max((data["round"] for data in stages if data["what"] == "set"), default=0)
        asked = {data["number"] for data in stages if data["what"] == "answer"}
        fresh = [row for row in rows if row["what"] == "set" and row["accepted"] and row["number"] not in asked]
        if fresh:
            return [self._answer_item(row, player) for row in fresh for player in players]
        if not setters or played == self._config.skate.rounds:
            over = any(data["what"] == "option" for data in stages)
            return [] if over else self._option_items(rows)
        return [self._set_item(played + 1, place, player, rows) for place, player in enumerate(setters)]

    async def play(self, item: Item, access: Access) -> Played:
        """Set a question, or answer one."""
        rules, data = self._need_rules(), item.data
        table = Asking(access, item.key, rules.temperature, bool(self._config.paper))
        if data["what"] == "set":
            return await play_set(msgspec.convert(data["slot"], QuestionSlot), rules, table)
        play = play_options if data["what"] == "option" else play_answers
        return await play(msgspec.convert(data["question"], Answers), rules, table)

    async def check(self) -> Sequence[Reach]:
        """Ask a server's embedder for a vector, if questions are set. Makes the sandbox, and raises if that fails."""
        if not self._config.setters():
            return ()
        embedder, began, reason, advice = self._need_rules().embedder, time.monotonic(), "it has sent a vector", ""
        try:
            async with asyncio.timeout(_CHECK):
                await embedder.embed(["print(1)"])
        except (EmbedderError, TimeoutError) as error:
            reason, advice = getattr(error, "reason", "it does not answer"), getattr(error, "advice", "start it")
        seconds = time.monotonic() - began
        name = f"embedder {embedder.name}"
        return [Reach(name=name, reachable=not advice, reason=reason, advice=advice, seconds=seconds)]

    def parts(self) -> dict[str, int]:
        """The expected questions, and the answers of all players to these and to old questions."""
        questions = self._config.skate.rounds * len(self._config.setters())
        answers = questions * len(self._config.players) + len(self._old_questions())
        options = self._config.options_on * len(self._config.skate.options_of or ())
        named = (("questions", questions), ("answers", answers), ("tests of options", options))
        return {name: count for name, count in named if count}

    def estimate(self) -> Sequence[Expected]:
        """Two calls for a question and a dozen for each answer. At most: all attempts, and the most variants."""
        config, sampling = self._config, self._config.skate.sampling
        questions = config.skate.rounds * len(config.setters())
        archive = config.skate.rounds // 2 * _QUESTION if config.skate.strategy != Strategy.NO_INFO else 0
        old = Counter(item.data["question"]["player"] for item in self._old_questions())
        counts = {name: questions + old[name] for name in config.players}
        few = max(_ANSWERS, sampling.first)
        expected = [
            Expected(config.players[name].entry, count * few, 0, _QUESTION + 300, 200, count * sampling.most)
            for name, count in counts.items()
        ]
        for name in config.skate.options_of or ():
            calls = 2 * TIMES * 10 * config.options_on
            expected.append(Expected(config.players[name].entry, calls, 0, _QUESTION + 300, 200, calls))
        for name in config.setters():
            text = (len(prompts.SETTER) + archive + _QUESTION) // 2
            calls = 2 * config.skate.rounds
            expected.append(
                Expected(config.players[name].entry, calls, 0, text, _QUESTION, calls * config.skate.attempts)
            )
        return expected

    def _old_questions(self) -> list[Item]:
        known = {(row["number"], row["player"]) for row in self._base.answers}
        return [
            self._answer_item(row, player)
            for row in self._base.questions
            for player in self._config.players
            if (row["number"], player) not in known
        ]

    def _option_items(self, rows: Sequence[dict[str, Any]]) -> list[Item]:
        """Evenly spaced questions, for each of the players whose sensitivity to options is measured."""
        questions, players = self._questions(rows), self._config.skate.options_of or ()
        count = min(self._config.options_on, len(questions))
        chosen = [questions[k * len(questions) // count] for k in range(count)]
        return [self._answer_item(row, player, "option") for row in chosen for player in players]

    def _answer_item(self, row: Mapping[str, Any], player: str, what: str = "answer") -> Item:
        model = self._config.players[player].entry
        question = Answers(row["number"], player, model, row["text"], row["truth"], row["distractors"])
        data = {"what": what, "number": row["number"], "question": msgspec.to_builtins(question)}
        return Item(f"{what}/{row['number']}/{player}", data, (model,))

    def _set_item(self, round_number: int, place: int, player: str, rows: Sequence[dict[str, Any]]) -> Item:
        config, model = self._config, self._config.players[player].entry
        first = max((row["number"] for row in self._base.questions), default=0)
        slot = QuestionSlot(
            number=first + (round_number - 1) * len(config.setters()) + place + 1,
            round_number=round_number,
            rounds=config.skate.rounds,
            player=player,
            model=model,
            archive=tuple(self._archive(player, rows)),
            own=tuple((row["number"], row["text"]) for row in self._questions(rows) if row["setter"] == player),
        )
        data = {"what": "set", "round": round_number, "slot": msgspec.to_builtins(slot)}
        return Item(f"set/{slot.number}/{player}", data, (model,))

    def _questions(self, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        return [*self._base.questions, *(row for row in rows if row["what"] == "set" and row["accepted"])]

    def _archive(self, player: str, rows: Sequence[dict[str, Any]]) -> list[Past]:
        """The earlier questions that the strategy can show the player, with the scores on them."""
        strategy = self._config.skate.strategy
        if strategy == Strategy.NO_INFO:
            return []
        scores: dict[int, dict[str, Score]] = {}
        for row in [*self._base.answers, *(row for row in rows if row["what"] == "answer")]:
            scores.setdefault(row["number"], {})[row["player"]] = Score(row["correct"], row["asked"])
        return [
            Past(number=row["number"], setter=row["setter"], text=row["text"], scores=scores.get(row["number"], {}))
            for row in self._questions(rows)
            if strategy == Strategy.FULL or row["setter"] == player
        ]

    def _need_rules(self) -> Rules:
        if self._rules is None:
            factory = self._factory()
            self._rules = self._make_rules(self._config, factory) if factory else self._make_rules(self._config)
        return self._rules


def rows_of(records: Sequence[Record]) -> Base:
    """The accepted questions and the answers in a game's records."""
    rows = [record.row for record in records if record.status == "done"]
    questions = [row for row in rows if row["what"] == "set" and row["accepted"]]
    return Base(questions, [row for row in rows if row["what"] == "answer"])


def _read(config: SkateConfig, home: Path) -> dict[str, bytes]:
    """The earlier game that the configuration names, and the file of a user's task, whose change is another game."""
    config.check()
    try:
        users_task(config, home, {})
    except UsageError as error:
        raise MisplacedError(str(error), "skate", "task") from error
    where = config.skate.task.rpartition(":")[0]
    task = {TASK: read_bytes(home / where)} if where.endswith(".py") else {}
    return task | _read_base(config, home)


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


def _read_base(config: SkateConfig, home: Path) -> dict[str, bytes]:
    """The earlier game that the configuration names, including the rows that it took over itself."""
    if config.skate.base is None:
        return {}
    path = home / config.skate.base / NAME
    if not path.exists():
        raise UsageError(f"there is no game of SKATE in {path.parent}: correct `base`.")
    with RunStore(path, read_only=True) as store:
        if store.meta().get("kind") != "skate":
            raise UsageError(f"{path.parent} is no game of SKATE: correct `base`.")
        return {BASE: msgspec.json.encode(whole_game(store), order="sorted")}


def whole_game(store: RunStore) -> Base:
    """A game's rows, including those that it took over."""
    earlier, new = _base(store.materials()), rows_of(store.records())
    return Base(earlier.questions + new.questions, earlier.answers + new.answers)


def _base(materials: Mapping[str, bytes]) -> Base:
    return msgspec.json.decode(materials[BASE], type=Base) if BASE in materials else Base([], [])


def skate_type(rules: Callable[..., Rules]) -> RunType[SkateConfig]:
    """SKATE, with the makers of its task and its embedder."""

    def make(config: SkateConfig, home: Path, materials: Mapping[str, bytes]) -> SkateRun:
        return SkateRun(config, _base(materials), rules, lambda: users_task(config, home, materials))

    return RunType("skate", SkateConfig, _read, make, SKATERS, uncounted)


@contextmanager
def run_type() -> Iterator[RunType[SkateConfig]]:
    """SKATE, with the task and the embedder of the configuration; both are closed at the end."""
    with game_rules() as rules:
        yield skate_type(rules)


KIND = Older("skate", "antemill.tournament.skate", SkateConfig, SKATERS)
