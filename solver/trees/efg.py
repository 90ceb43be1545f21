"""Reading games in Gambit's extensive-form format .efg; `antemill.engine.text.efg` writes it.

Prefix order, one node after the other: `p` a player's decision, `c` chance, `t` an end. An information set or outcome
is described where it appears first, and named by its number afterwards. Outcomes may be attached to any node, and add
up. Numbers are integers, decimals or fractions.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

from antemill.engine.arguments import path as file_path
from antemill.engine.arguments import whole
from antemill.engine.errors import SpecError, UsageError
from antemill.engine.storage.files import read_bytes
from antemill.solver.game import ExtensiveForm
from antemill.solver.trees.outside import OUTSIDE_LIMIT, Outside, UnequalSumsError

_TOKEN = re.compile(r'"((?:\\.|[^"\\])*)"|([{}])|([^\s{}",]+)|,|(\S)')
_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")
_NUMBER = re.compile(r"[+-]?([0-9]{1,99}\.?[0-9]{0,99}|\.[0-9]{1,99})([eE][+-]?[0-9]{1,3})?(/[0-9]{1,99})?")
T = TypeVar("T")


class _Reader:
    """The tokens of a text, and what has been described in it."""

    def __init__(self, text: str, limit: int) -> None:
        self.text, self.limit = text, limit
        self._tokens = (found for found in _TOKEN.finditer(text) if found[0] != ",")
        self._next = next(self._tokens, None)
        self.place = 0  # where the last token begins
        self.places: list[int] = []  # where each node begins
        self._known: dict[tuple[str, int, int], list[str] | list[Fraction]] = {}
        self._names: dict[tuple[int, int], str] = {}  # of information sets by player and number

    def has(self, group: int, value: str | None = None) -> bool:
        """Whether the next token is of this group (1 text in quotes, 2 a bracket, 3 a word), and has this value."""
        found = self._next
        return found is not None and found[group] is not None and value in (None, found[group])

    def take(self, group: int, what: str, value: str | None = None) -> str:
        """The next token, which must be of this group, and have this value."""
        found = self._next
        self.place = len(self.text.rstrip()) if found is None else found.start()
        if found is None or not self.has(group, value):
            raise SpecError(f"{what} is expected, not {'the end of the file' if found is None else found[0][:40]}.")
        self._next = next(self._tokens, None)
        return found[group]

    def name(self, what: str) -> str:
        """A text in quotes, without escapes."""
        return re.sub(r"\\(.)", r"\1", self.take(1, f"{what} in quotes"))

    def integer(self, what: str) -> int:
        """A whole number."""
        if not _INTEGER.fullmatch(word := self.take(3, what)):
            raise SpecError(f"{what} must be a whole number, not {word[:40]}.")
        return int(word)

    def number(self, what: str) -> Fraction:
        """An exact number."""
        above, _, below = (word := self.take(3, what)).partition("/")
        if not _NUMBER.fullmatch(word) or below.strip("0") == "" != below:
            raise SpecError(f"{what} must be a number, not {word[:40]}.")
        return Fraction(above) / Fraction(below or 1)

    def listed(self, read: Callable[[], T]) -> list[T]:
        """What stands in brackets."""
        self.take(2, "'{'", "{")
        found = []
        while not self.has(2, "}"):
            found.append(read())
        self.take(2, "'}'", "}")
        return found

    def described(self, what: str, owner: int, number: int, read: Callable[[], T]) -> list[T]:
        """What brackets describe where it appears first, and its number names afterwards."""
        key = (what, owner, number)
        called = f"{what} {number}" + (f" of player {owner}" if owner else "")
        if self.has(2, "{"):
            found = self.listed(read)
            if self._known.setdefault(key, found) != found:  # type: ignore[arg-type]
                raise SpecError(f"{called} differs from what it was where it appeared first.")
        if key not in self._known:
            raise SpecError(f"{called} appears first here, without its brackets.")
        return self._known[key]  # type: ignore[return-value]

    def read(self) -> ExtensiveForm:
        """The whole game."""
        if not re.match(r"\s*EFG\s+2\s+[RD]\s", self.text):
            raise SpecError("it does not begin with 'EFG 2 R', as Gambit's extensive forms do.")
        for word in ("EFG", "2", "R or D"):
            self.take(3, word)
        title = self.name("the title")
        players = self.listed(lambda: self.name("the name of a player"))
        if self.has(1):
            self.take(1, "a comment")
        builder = Outside(title or "a game", players, self.limit)
        while self._next is not None:
            self._node(builder, len(players))
        self.place = len(self.text.rstrip())
        return builder.tree()

    def _node(self, builder: Outside, players: int) -> None:
        kind, at = self.take(3, "a node, which begins with p, c or t,"), self.place
        self.places.append(at)
        if kind not in ("p", "c", "t"):
            raise SpecError(f"a node begins with p, c or t, not with {kind[:40]}.")
        self._optional_name()
        player = number = 0
        actions: list[str] = []
        chances: list[Fraction] = []
        if kind == "p":
            player, number = self.integer("the number of the player"), self.integer("the number of the information set")
            name = self._optional_name()
            self._names.setdefault((player, number), str(number) if name is None else name)
            actions = self.described("information set", player, number, lambda: self.name("the name of an action"))
        elif kind == "c":
            number = self.integer("the number of the node of chance")
            self._optional_name()
            chances = self.described("node of chance", 0, number, self._likely)
        gains = self._outcome(players)
        self.place = at
        if kind == "p":
            builder.decision(player - 1, number, self._names[player, number], actions, gains)
        elif kind == "c":
            builder.chance(chances, gains)
        else:
            builder.end(gains)

    def _optional_name(self) -> str | None:
        return self.name("a name") if self.has(1) else None

    def _likely(self) -> Fraction:
        self.name("the name of what happens")
        return self.number("a probability")

    def _outcome(self, players: int) -> tuple[Fraction, ...]:
        number = self.integer("the number of the outcome")
        self._optional_name()
        if number == 0 and not self.has(2, "{"):
            return (Fraction(0),) * players
        paid = self.described("outcome", 0, number, lambda: self.number("a payoff"))
        if number == 0 or len(paid) != players:
            raise SpecError(f"outcome {number} has {len(paid)} payoffs: an outcome above 0 with {players} is needed.")
        return tuple(paid)


def read_efg(path: str | os.PathLike[str], limit: int = OUTSIDE_LIMIT) -> ExtensiveForm:
    """The game in a file: text in UTF-8, in UTF-16 if it begins with its mark, or else in Latin-1.

    The game has one player, or two whose payoffs have the same sum at every end. Raises StorageError if the file cannot
    be read; SpecError, with the line, if it is malformed, or no such game of perfect recall; UsageError if it has more
    nodes than the limit.
    """
    path, limit = file_path(path, "path"), whole(limit, "limit", 1)
    content = read_bytes(path)
    marked = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = content.decode("utf-16" if marked else "utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return parse_efg(text.replace("\r\n", "\n"), str(path), limit)


def parse_efg(text: str, name: str = "the text", limit: int = OUTSIDE_LIMIT) -> ExtensiveForm:
    """The game in a text, which messages call `name`. Raises what `read_efg` does."""
    reader = _Reader(text, limit)
    try:
        return reader.read()
    except SpecError as error:
        place = reader.places[error.node] if isinstance(error, UnequalSumsError) else reader.place
        raise SpecError(f"{name}, line {1 + text.count(chr(10), 0, place)}: {error}") from error
    except UsageError as error:
        raise type(error)(f"{name}: {error}") from error
