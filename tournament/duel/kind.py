"""Duels as a kind of run: all duels first; then valid puzzles are solved again, and all are tagged (T1, T9 to T11)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from msgspec import Struct

from antemill.llm import Reach
from antemill.tournament.duel import prompts
from antemill.tournament.duel.bots import DUELISTS
from antemill.tournament.duel.config import DuelConfig
from antemill.tournament.duel.judge import Judge, puzzle_name, sandbox_judges
from antemill.tournament.duel.play import Player, play_duel, play_solve, play_tag
from antemill.tournament.duel.replies import PUZZLE_SCHEMA
from antemill.tournament.duel.rounds import Outcome
from antemill.tournament.runs import Access, Expected, Item, Plan, Played, Record
from antemill.tournament.runs.base import base_material, taken_over
from antemill.tournament.runs.packaged import Packaged
from antemill.tournament.runs.questions import Asking

_HISTORY, _PUZZLE, _REPLY = 6_000, 1_200, 2_500  # characters, for the estimate of costs
Judges = Callable[[DuelConfig], Judge]


class DuelRun(Plan):
    """One set of duels. judge: makes the sandbox when it is first needed; known: the players of the base's duels."""

    def __init__(self, config: DuelConfig, judge: Judges | None, known: Sequence[str] = ()) -> None:
        self._config = config
        self._pairs = config.pairs(known)
        self._make_judge = judge

    @property
    def models(self) -> tuple[str, ...]:
        """The entries of models.toml of all players, reference models and the tagger."""
        return tuple(dict.fromkeys(self._config.entries.values()))

    @property
    def total(self) -> int | None:
        """The number of duels; None if valid puzzles, whose number is unknown, are solved or tagged afterwards."""
        table = self._config.duel
        return None if table.references or table.resolve_own or table.tagger else len(self._pairs)

    def next_items(self, finished: Sequence[Record]) -> Sequence[Item]:
        """First the duels; then an item for each puzzle and each player that solves it again, and one for its tags."""
        if not finished:
            return [self._item("duel", *pair, first=pair[0], second=pair[1]) for pair in self._pairs]
        if any(record.item.data["what"] != "duel" for record in finished):
            return []
        table, items = self._config.duel, list[Item]()
        for puzzle in valid_puzzles(finished):
            solvers = dict.fromkeys([*table.references, *(puzzle.proposers if table.resolve_own else ())])
            items += [self._item("solve", name, player=name, code=puzzle.code) for name in solvers]
        for puzzle in all_puzzles(finished) if table.tagger else ():
            about = {"code": puzzle.code, "explanation": puzzle.explanation}
            items.append(self._item("tag", str(table.tagger), player=table.tagger, **about))
        return items

    async def play(self, item: Item, access: Access) -> Played:
        """Play a duel, or have a puzzle solved or tagged."""
        data, table = item.data, self._config.duel
        asked = Asking(access, item.key, bool(self._config.paper))
        if data["what"] == "duel":
            return await play_duel(
                (self._player(data["first"]), self._player(data["second"])), table, asked, self._judge
            )
        player = self._player(data["player"])
        if data["what"] == "solve":
            return await play_solve(player, data["code"], table, asked, self._judge)
        return await play_tag(player, data["code"], data["explanation"], asked)

    async def check(self) -> Sequence[Reach]:
        """Make the sandbox, which is all that duels need beside the models. Raises ExecutionError if that fails."""
        assert self._judge is not None
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
        """For each player a call per turn of its duels, and the calls for the valid puzzles."""
        table, puzzles = self._config.duel, self._puzzles()
        calls = Counter({name: table.turns * met for name, met in Counter(n for p in self._pairs for n in p).items()})
        calls += Counter(dict.fromkeys(table.references, puzzles))
        calls += Counter(
            dict.fromkeys(self._config.players if table.resolve_own else (), puzzles // len(self._config.players))
        )
        calls += Counter({table.tagger: len(self._pairs) * table.turns} if table.tagger else {})
        text = (len(prompts.PROPOSER) + _HISTORY + len(prompts.SOLVER) + _PUZZLE) // 2
        text += len(prompts.RULES) if table.judge_rules else 0
        entries = self._config.entries
        return [Expected(entries[name], count, 0, text, _REPLY, schema=PUZZLE_SCHEMA) for name, count in calls.items()]

    def _item(self, what: str, *names: str, **data: Any) -> Item:
        named = names if what == "duel" else (puzzle_name(data["code"]), *names)
        models = dict.fromkeys(self._config.entries[name] for name in names)
        return Item("/".join((what, *named)), {"what": what, **data}, tuple(models))

    def _player(self, name: str) -> Player:
        return Player(name, self._config.entries[name])

    @cached_property
    def _judge(self) -> Judge:
        assert self._make_judge is not None, "duels are played inside of `DuelKind.opened`"
        return self._make_judge(self._config)


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
    for turn in (turn for record in finished for turn in record.row.get("turns", ()) if wanted(turn)):
        first = found.setdefault(turn["code"], Puzzle(turn["code"], turn["explanation"], ()))
        proposers = dict.fromkeys([*first.proposers, turn["proposer"]])
        found[turn["code"]] = Puzzle(first.code, first.explanation, tuple(proposers))
    return list(found.values())


class DuelKind(Packaged[DuelConfig, Any]):
    """The Token Games. judge: makes the judges of runs; without one a kind plays only inside of `opened`."""

    name, config, title = "duel", DuelConfig, "Duels of The Token Games"
    listed, shown = "all duels, and the puzzles that were solved again and tagged", "a finished duel, turn by turn"
    bots = DUELISTS
    purposes: ClassVar[Mapping[str, str]] = {"duel": "duel", "solve": "re-solve", "tag": "tags"}
    rows_file = "turns.parquet"
    terms = (
        (
            "Low and high of a rating",
            "How far a rating would move, against the mean that each player's duels weigh, if other duels were played: "
            "95%, by the duel as the unit, with Student's t where duels are few.",
        ),
    )

    def __init__(self, judge: Judges | None = None) -> None:
        self._judge = judge

    @contextmanager
    def opened(self) -> Iterator[DuelKind]:
        """Duels that are judged by execution; the sandboxes are closed at the end."""
        with sandbox_judges() as judges:
            yield DuelKind(judges)

    def materials(self, config: DuelConfig, home: Path) -> dict[str, bytes]:
        """What the earlier sets that the configuration names came to."""
        return base_material(self, [home / name for name in config.duel.base or ()], config.entries)

    def make(self, config: DuelConfig, home: Path, materials: Mapping[str, bytes]) -> DuelRun:  # noqa: ARG002
        """A set of duels."""
        rows = taken_over(materials).rows.values()
        known = {row[seat] for row in rows if row["what"] == "duel" for seat in ("first", "second")}
        return DuelRun(config, self._judge, sorted(known))


KIND = DuelKind()
