"""Duels as a kind of run: all duels first; then the valid puzzles are solved again and tagged (T1, T9 to T11)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tournament.duel import prompts, tagging
from tournament.duel.config import DuelConfig
from tournament.duel.judge import Judge, puzzle_name
from tournament.duel.play import Asked, Heard, Player, play_duel, play_solve
from tournament.duel.rounds import Outcome
from tournament.runs import Access, Expected, Item, Played, Record, RunType

_HISTORY, _PUZZLE, _REPLY = 6_000, 1_200, 2_500  # characters, for the estimate of costs


class DuelRun:
    """One set of duels. judge: makes the sandbox, when it is first needed."""

    def __init__(self, config: DuelConfig, judge: Callable[[DuelConfig], Judge]) -> None:
        self._config = config
        self._pairs = config.pairs()
        self._make_judge = judge
        self._judge: Judge | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """The entries of models.toml of everybody who plays, solves or tags."""
        return tuple(dict.fromkeys(player.model for player in self._config.players.values()))

    @property
    def total(self) -> int | None:
        """The duels; None if puzzles are solved or tagged afterwards, since nobody knows how many will be valid."""
        table = self._config.duel
        return None if table.references or table.resolve_own or table.tagger else len(self._pairs)

    def next_items(self, finished: Sequence[Record]) -> Sequence[Item]:
        """The duels; then, once, an item for each puzzle and each player that solves it, and one for its tags."""
        if not finished:
            return [self._duel(pair) for pair in self._pairs]
        if any(record.item.data["what"] != "duel" for record in finished):
            return []
        return [item for puzzle in valid_puzzles(finished) for item in self._again(puzzle)]

    async def play(self, item: Item, access: Access) -> Played:
        """A duel, a solution or tags."""
        data, table = item.data, self._config.duel
        asked = Asked(access, item.key, table.format_attempts)
        if data["what"] == "duel":
            pair = self._player(data["first"]), self._player(data["second"])
            return await play_duel(pair, table, asked, self._sandbox())
        player = self._player(data["player"])
        if data["what"] == "solve":
            return await play_solve(player, data["code"], table, asked, self._sandbox())
        return await _tag(player, data["code"], data["explanation"], asked)

    def parts(self) -> dict[str, int]:
        """Duels; solutions and tags of the valid puzzles."""
        table, puzzles = self._config.duel, self._puzzles()
        solutions = puzzles * (len(table.references) + table.resolve_own)
        found = {"duels": len(self._pairs), "solutions": solutions, "tags": puzzles if table.tagger else 0}
        return {name: count for name, count in found.items() if count}

    def _puzzles(self) -> int:
        """Valid ones to expect: four in five."""
        return len(self._pairs) * self._config.duel.turns * 4 // 5

    def estimate(self) -> Sequence[Expected]:
        """As many calls a duel as it has turns, of each player, and those for the valid puzzles."""
        table, calls = self._config.duel, dict.fromkeys(self._config.players, 0)
        puzzles = self._puzzles()
        for pair in self._pairs:
            for name in pair:
                calls[name] += table.turns
        for name in table.references:
            calls[name] += puzzles
        for name in self._config.players if table.resolve_own else ():
            calls[name] += puzzles // len(self._config.players)
        if table.tagger:
            calls[table.tagger] += puzzles
        text = (len(prompts.PROPOSER) + _HISTORY + len(prompts.SOLVER) + _PUZZLE) // 2
        return [Expected(self._player(name).model, count, 0, text, _REPLY) for name, count in calls.items()]

    def _duel(self, pair: tuple[str, str]) -> Item:
        models = tuple(dict.fromkeys(self._player(name).model for name in pair))
        return Item(f"duel/{pair[0]}/{pair[1]}", {"what": "duel", "first": pair[0], "second": pair[1]}, models)

    def _again(self, puzzle: Mapping[str, str]) -> list[Item]:
        table, code = self._config.duel, puzzle["code"]
        own = [puzzle["proposer"]] if table.resolve_own else []
        solvers = dict.fromkeys([*table.references, *own])
        name = puzzle_name(code)
        items = [self._single("solve", solver, name, {"code": code}) for solver in solvers]
        if table.tagger:
            data = {"code": code, "explanation": puzzle["explanation"]}
            items.append(self._single("tag", table.tagger, name, data))
        return items

    def _single(self, what: str, player: str, puzzle: str, data: dict[str, Any]) -> Item:
        key = f"{what}/{puzzle}/{player}"
        return Item(key, {"what": what, "player": player, **data}, (self._player(player).model,))

    def _player(self, name: str) -> Player:
        return Player(name, self._config.players[name].model)

    def _sandbox(self) -> Judge:
        if self._judge is None:
            self._judge = self._make_judge(self._config)
        return self._judge


def valid_puzzles(finished: Sequence[Record]) -> list[dict[str, str]]:
    """Every valid puzzle of the duels once, in the order of play: code, explanation and proposer of its first turn."""
    found: dict[str, dict[str, str]] = {}
    for record in finished:
        for turn in record.row["turns"] if record.row.get("what") == "duel" else ():
            if turn["outcome"] != Outcome.PENALTY:
                found.setdefault(turn["code"], {name: turn[name] for name in ("code", "explanation", "proposer")})
    return list(found.values())


async def _tag(player: Player, code: str, explanation: str, asked: Asked) -> Played:
    """A puzzle's tags; none if no reply could be read."""
    prompt = tagging.tag_prompt(code, explanation)
    found: tuple[list[str] | None, list[Heard]] = await asked.read(player, prompt, tagging.parse_tags, "tag")
    tags, heard = found
    row = {
        "what": "tag",
        "puzzle": puzzle_name(code),
        "player": player.name,
        "tags": tags or [],
        "prompts": str(tagging.VERSION),
    }
    return Played(row, {"replies": heard}, int(tags is None))


def duel_type(judge: Callable[[DuelConfig], Judge]) -> RunType[DuelConfig]:
    """`antemill duel`, with whoever judges."""

    def make(config: DuelConfig, home: Path, materials: Mapping[str, bytes]) -> DuelRun:
        return DuelRun(config, judge)

    return RunType("duel", DuelConfig, lambda config, home: {}, make)
