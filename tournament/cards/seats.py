"""The players at a table. Every kind of player makes its moves through one protocol."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, cast

from msgspec import Struct

from antemill.engine.disguise.disguise import Disguise
from antemill.engine.errors import AntemillError, UsageError
from antemill.engine.match import Game, IllegalChoiceError, Match
from antemill.engine.match import prompt as prompts
from antemill.llm import Message, Reply, Request
from antemill.tournament.cards.config import PlayerTable
from antemill.tournament.loading import load
from antemill.tournament.mixes import draw, mix_parser, mix_schema
from antemill.tournament.players import Choice, Observation, Player, make_bot
from antemill.tournament.players.solved import solved_player
from antemill.tournament.replies import (
    LONGEST,
    TRIES,
    Cause,
    Read,
    Reading,
    action_parser,
    action_schema,
    ask_read,
    play_reading,
    read_action,
)
from antemill.tournament.runs import Access


class PlayerError(AntemillError):
    """A script failed in the middle of a match. facts: whose and how; afresh: the sentence if nothing is kept."""

    def __init__(self, facts: str) -> None:
        super().__init__(f"{facts}: correct it and resume; what was finished is kept.")
        self.afresh = f"{facts}: correct it and begin the run again; nothing was finished, so no run is kept."


class Move(Struct, frozen=True):
    """What one decision came to, for the record.

    cause: why a random action was played, None if it was not. clamped: an amount was lowered to the maximum. second:
    the first reply could not be read. Of models also what they said last, and what all tries took; problem: the
    reader's sentence on the first reply. Where a mix was asked for, the probabilities of the menu's entries, and the
    number in [0, 1) that drew one of them.
    """

    seat: int
    cause: Cause | None = None
    clamped: bool = False
    second: bool = False
    text: str | None = None
    finish: str | None = None
    call: int | None = None
    gateway: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    problem: str | None = None
    mix: tuple[float, ...] | None = None
    drawn: float | None = None


class Seat(Protocol):
    """A player at a table."""

    async def move(self, match: Match, access: Access, sample: str) -> Move:
        """Make the decision at hand. sample: the decision's name, for `Request.sample`."""
        ...


class PlayerSeat:
    """A bot, a solved policy or a user's script: an illegal choice becomes a random one, as a model's does.

    twin: its number among the run's players that are the same.
    """

    def __init__(self, name: str, player: Player, twin: int = 0) -> None:
        self._name, self._player, self._twin = name, player, twin

    async def move(self, match: Match, _access: Access, _sample: str) -> Move:
        """Raises PlayerError if the player raises."""
        seat = match.seat
        try:
            choice: Choice | Awaitable[Choice] = self._player.choose(Observation(match, self._twin))
            if inspect.isawaitable(choice):
                choice = await choice
        except AntemillError:
            raise
        except Exception as error:
            what = f"{type(error).__name__}: {error}".rstrip(": .")
            raise PlayerError(f"the player '{self._name}' failed ({what})") from error
        try:
            reason = match.apply(choice).reason
        except IllegalChoiceError:
            reason = match.apply_random(choice).reason
        return Move(seat, "illegal" if reason not in (None, "above-maximum") else None, reason == "above-maximum")


class ModelSeat:
    """A language model: the rulebook as system prompt, one user message for each decision (N3). It answers with one
    action, or with a mix."""

    def __init__(self, model: str, game: Game, list_moves: bool = True, paper: bool = False, mix: bool = False) -> None:
        assert game.spec is not None  # games of a tournament are pinned with their rules
        self._model = model
        self._system = Message("system", prompts.system(game.spec, paper, mix, game.turned, game.words))
        self._list_moves, self._paper, self._mix = list_moves, paper, mix

    async def move(self, match: Match, access: Access, sample: str) -> Move:
        """Lets the errors of the model layer pass."""
        seat, menu, tries = match.seat, match.game.shown(match.menu), 1 if self._paper else TRIES
        summed, request = Summed(access), self.request(match, sample)
        if self._mix:
            stated = await ask_read(summed, self._model, request, mix_parser(menu), tries)
            return _play_mix(match, stated, _said(stated, summed))
        read = await ask_read(summed, self._model, request, action_parser(menu), tries)
        reading = Reading(read.value)
        if read.value is None:
            reading = read_action(read.last.text, menu, read.last.finish, read.last.schema)
        reason = play_reading(match, reading, read.last.text).reason
        return Move(seat, read.cause or None, reason == "above-maximum", **_said(read, summed))  # type: ignore[arg-type]

    def request(self, match: Match, sample: str) -> Request:
        """What is sent for the decision at hand."""
        turn = Message("user", prompts.turn(match, moves=self._list_moves, paper=self._paper, mix=self._mix))
        schema = (mix_schema if self._mix else action_schema)(match.game.shown(match.menu), self._list_moves)
        messages = (self._system, turn)
        return Request(messages=messages, sample=sample, schema=schema, plain=self._paper, purpose="move")


class Summed:
    """Access that sums the tokens and dollars of the replies to one question."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self.input_tokens = self.output_tokens = 0
        self.cost = 0.0

    async def ask(self, model: str, request: Request) -> Reply:
        """One reply."""
        reply = await self._access.ask(model, request)
        self.input_tokens += reply.usage.input
        self.output_tokens += reply.usage.output
        self.cost += reply.usage.cost
        return reply


def _play_mix(match: Match, found: Read[tuple[float, ...]], said: dict[str, Any]) -> Move:
    """Draw from a stated mix, or play a random legal action."""
    seat = match.seat
    if found.value is None:
        match.apply_random(found.last.text[-LONGEST:])
        return Move(seat, found.cause, **said)  # type: ignore[arg-type]
    place, number = draw(match, found.value)
    match.apply(match.menu.choice(place))
    mix = tuple(round(share, 12) for share in found.value)
    return Move(seat, **said, mix=mix, drawn=number)


def _said(read: Read[Any], summed: Summed) -> dict[str, Any]:
    last = read.said[-1]
    counts = {name: getattr(summed, name) for name in ("input_tokens", "output_tokens", "cost")}
    about = {"text": last.text, "finish": last.finish, "call": last.call, "gateway": read.last.gateway, **counts}
    return {**about, "second": read.tries > 1, "problem": read.said[0].problem or None}


class Setting(Struct, frozen=True):
    """What seats are made from, beside the game.

    home: the folder that file names are relative to. list_moves, paper: of the prompts.
    """

    players: Mapping[str, PlayerTable]
    home: Path
    list_moves: bool = True
    paper: bool = False


def make_seat(name: str, setting: Setting, game: Game, disguise: Disguise | None = None) -> Seat:
    """The player of that name, made for a game. disguise: if the game is one, for which a policy is looked for as
    `policy_for` says.

    Raises UsageError if that is not possible.
    """
    table = setting.players[name]
    twin = [one for one, other in setting.players.items() if other == table].index(name)
    if table.person:
        raise UsageError(f"{name} is a person: continue this hand with `antemill play`.")
    if table.model is not None:
        return ModelSeat(table.model, game, setting.list_moves, setting.paper, table.answer == "mix")
    if table.script is not None:
        return PlayerSeat(name, load_script(table.script, setting.home)(game), twin)
    if table.policy is not None:
        path = setting.home / table.policy
        return PlayerSeat(name, solved_player(path, game, disguise), twin)
    assert table.bot is not None
    return PlayerSeat(name, make_bot(table.bot, game), twin)


def check_players(players: Mapping[str, PlayerTable], home: Path) -> None:
    """Raise UsageError for a script that cannot be loaded, policies that are not there, or a person, who plays at
    `antemill play` and nowhere else."""
    for name, table in players.items():
        if table.person:
            raise UsageError(f"[players.{name}] is a person: let people play with `antemill play`, and leave them out.")
        if table.script is not None:
            load_script(table.script, home)
        if table.policy is not None and not (home / table.policy).exists():
            raise UsageError(
                f"[players.{name}] names {home / table.policy}, which does not exist: solve the games first."
            )


def load_script(text: str, home: Path) -> Callable[[Game], Player]:
    """The factory that "module:factory" or "file.py:factory" names. Raises UsageError if there is none."""
    return cast(Callable[[Game], Player], load(text, home, "script", "a player"))
