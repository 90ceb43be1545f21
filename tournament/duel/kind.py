"""Duels as a kind of run: all duels first; then valid puzzles are solved again, and all are tagged (T1, T9 to T11)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

from antemill.llm import Reach
from antemill.tournament.duel import prompts, tagging
from antemill.tournament.duel.base import Base, read_base, taken_over
from antemill.tournament.duel.bots import DUELISTS
from antemill.tournament.duel.config import DuelConfig
from antemill.tournament.duel.judge import Judge, puzzle_name, sandbox_judges
from antemill.tournament.duel.play import Asked, Player, play_duel, play_solve
from antemill.tournament.duel.rounds import Outcome
from antemill.tournament.replies import TRIES
from antemill.tournament.runs import Access, Expected, Item, Played, Record, RunType
from antemill.tournament.runs.older import Older

_HISTORY, _PUZZLE, _REPLY = 6_000, 1_200, 2_500  # characters, for the estimate of costs


class DuelRun:
    """One set of duels. base: earlier sets; judge: makes the sandbox when it is first needed."""

    def __init__(self, config: DuelConfig, judge: Callable[[DuelConfig], Judge], base: Base | None = None) -> None:
        self._config = config
        self._pairs = config.pairs((base or Base()).players)
        self._make_judge = judge
        self._judge: Judge | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """The entries of models.toml of all players, reference models and the tagger."""
        return tuple(dict.fromkeys(player.entry for player in self._config.players.values()))

    @property
    def total(self) -> int | None:
        """The number of duels; None if valid puzzles, whose number is unknown, are solved or tagged afterwards."""
        table = self._config.duel
        return None if table.references or table.resolve_own or table.tagger else len(self._pairs)

    def next_items(self, finished: Sequence[Record]) -> Sequence[Item]:
        """First the duels; then an item for each puzzle and each player that solves it again, and one for its tags."""
        if not finished:
            return [self._duel(pair) for pair in self._pairs]
        if any(record.item.data["what"] != "duel" for record in finished):
            return []
        again = [item for puzzle in valid_puzzles(finished) for item in self._again(puzzle)]
        return again + [self._tag(puzzle) for puzzle in all_puzzles(finished) if self._config.duel.tagger]

    async def play(self, item: Item, access: Access) -> Played:
        """Play a duel, or have a puzzle solved or tagged."""
        data, table = item.data, self._config.duel
        asked = Asked(access, item.key, bool(self._config.paper))
        if data["what"] == "duel":
            pair = self._player(data["first"]), self._player(data["second"])
            return await play_duel(pair, table, asked, self._sandbox())
        player = self._player(data["player"])
        if data["what"] == "solve":
            return await play_solve(player, data["code"], table, asked, self._sandbox())
        return await _tag(player, data["code"], data["explanation"], asked)

    async def check(self) -> Sequence[Reach]:
        """Make the sandbox, which is all that duels need beside the models. Raises ExecutionError if that fails."""
        self._sandbox()
        return ()

    def parts(self) -> dict[str, int]:
        """The expected duels, solutions and tags."""
        table, puzzles = self._config.duel, self._puzzles()
        solutions = puzzles * (len(table.references) + table.resolve_own)
        found = {"duels": len(self._pairs), "solutions": solutions, "tags": puzzles if table.tagger else 0}
        return {name: count for name, count in found.items() if count}

    def _puzzles(self) -> int:
        """The expected number of valid puzzles: four in five."""
        return len(self._pairs) * self._config.duel.turns * 4 // 5

    def estimate(self) -> Sequence[Expected]:
        """For each player a call per turn of its duels, and the calls for the valid puzzles. At most: every puzzle is
        valid, and every question is asked twice.
        """
        table, calls = self._config.duel, dict.fromkeys(self._config.players, 0)
        most = self._most_questions()
        puzzles = self._puzzles()
        for pair in self._pairs:
            for name in pair:
                calls[name] += table.turns
        for name in table.references:
            calls[name] += puzzles
        for name in self._config.players if table.resolve_own else ():
            calls[name] += puzzles // len(self._config.players)
        if table.tagger:
            calls[table.tagger] += len(self._pairs) * table.turns
        text = (len(prompts.PROPOSER) + _HISTORY + len(prompts.SOLVER) + _PUZZLE) // 2
        text += len(prompts.RULES) if table.judge_rules else 0
        tries = 1 if self._config.paper else TRIES
        return [
            Expected(self._player(name).model, count, 0, text, _REPLY, most[name] * tries)
            for name, count in calls.items()
        ]

    def _most_questions(self) -> Counter[str]:
        """The most questions for each player: every puzzle is valid, and no two are equal."""
        table, found = self._config.duel, Counter[str]()
        puzzles = len(self._pairs) * table.turns
        for pair in self._pairs:
            for name in pair:
                found[name] += table.turns + (table.turns // 2 if table.resolve_own else 0)
        for name in {*table.references, *([table.tagger] if table.tagger else [])}:
            found[name] += puzzles * ((name in table.references) + (name == table.tagger))
        return found

    def _duel(self, pair: tuple[str, str]) -> Item:
        models = tuple(dict.fromkeys(self._player(name).model for name in pair))
        return Item(f"duel/{pair[0]}/{pair[1]}", {"what": "duel", "first": pair[0], "second": pair[1]}, models)

    def _again(self, puzzle: Puzzle) -> list[Item]:
        """The items in which a valid puzzle is solved again: by the references and by its proposers."""
        table = self._config.duel
        solvers = dict.fromkeys([*table.references, *(puzzle.proposers if table.resolve_own else ())])
        return [self._single("solve", solver, puzzle, {"code": puzzle.code}) for solver in solvers]

    def _tag(self, puzzle: Puzzle) -> Item:
        data = {"code": puzzle.code, "explanation": puzzle.explanation}
        return self._single("tag", str(self._config.duel.tagger), puzzle, data)

    def _single(self, what: str, player: str, puzzle: Puzzle, data: dict[str, Any]) -> Item:
        key = f"{what}/{puzzle_name(puzzle.code)}/{player}"
        return Item(key, {"what": what, "player": player, **data}, (self._player(player).model,))

    def _player(self, name: str) -> Player:
        return Player(name, self._config.players[name].entry)

    def _sandbox(self) -> Judge:
        if self._judge is None:
            self._judge = self._make_judge(self._config)
        return self._judge


class Puzzle(Struct, frozen=True):
    """A puzzle of the duels. explanation: from its first turn; proposers: in the order of play, each once."""

    code: str
    explanation: str
    proposers: tuple[str, ...]


def valid_puzzles(finished: Sequence[Record]) -> list[Puzzle]:
    """Every puzzle whose sample solution was right in some turn, once, in the order of play."""
    return _puzzles(finished, lambda turn: turn["outcome"] != Outcome.PENALTY)


def all_puzzles(finished: Sequence[Record]) -> list[Puzzle]:
    """Every puzzle that was proposed, valid or not, once; turns in which no reply could be read have none."""
    return _puzzles(finished, lambda turn: bool(turn["code"]))


def _puzzles(finished: Sequence[Record], wanted: Callable[[Mapping[str, Any]], bool]) -> list[Puzzle]:
    found: dict[str, Puzzle] = {}
    for record in finished:
        for turn in record.row["turns"] if record.row.get("what") == "duel" else ():
            if wanted(turn):
                first = found.setdefault(turn["code"], Puzzle(turn["code"], turn["explanation"], ()))
                proposers = dict.fromkeys([*first.proposers, turn["proposer"]])
                found[turn["code"]] = Puzzle(first.code, first.explanation, tuple(proposers))
    return list(found.values())


async def _tag(player: Player, code: str, explanation: str, asked: Asked) -> Played:
    """A puzzle's tags; none if no reply could be read."""
    prompt = tagging.tag_prompt(code, explanation)
    read = await asked.read(player, prompt, tagging.read_tags, "tag", tagging.SCHEMA)
    row = {
        "what": "tag",
        "puzzle": puzzle_name(code),
        "player": player.name,
        "tags": read.value or [],
        "tries": read.tries,
        "prompts": str(tagging.VERSION),
    }
    return Played(row, {"replies": read.said}, bool(read.cause), (read.counted,))


def duel_type(judge: Callable[[DuelConfig], Judge]) -> RunType[DuelConfig]:
    """Duels, with a given judge."""

    def make(config: DuelConfig, _home: Path, materials: Mapping[str, bytes]) -> DuelRun:
        return DuelRun(config, judge, taken_over(materials))

    return RunType("duel", DuelConfig, read_base, make, DUELISTS)


@contextmanager
def run_type() -> Iterator[RunType[DuelConfig]]:
    """Duels, judged by execution; the sandboxes are closed at the end."""
    with sandbox_judges() as judges:
        yield duel_type(judges)


KIND = Older("duel", "antemill.tournament.duel", DuelConfig, DUELISTS)
