"""Reading games in Gambit's extensive-form format .efg; `antemill.engine.text.efg` writes it.

Prefix order, one node after the other: `p` a player's decision, `c` chance, `t` an end. An information set or outcome
is described where it appears first, and named by its number afterwards. Outcomes may be attached to any node, and add
up. Numbers are integers, decimals or fractions.
"""

from __future__ import annotations

import codecs
import os
import re
from bisect import bisect_right
from collections.abc import Iterator
from fractions import Fraction

from antemill.engine.arguments import path as file_path
from antemill.engine.arguments import whole
from antemill.engine.errors import SpecError, StorageError, UsageError
from antemill.solver.game import ExtensiveForm
from antemill.solver.trees.outside import OUTSIDE_LIMIT, Outside, Payoffs

_TOKEN = re.compile(r'"((?:\\.|[^"\\])*)"|([{}])|([^\s{}",]+)|,|(\S)')
_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")
_NUMBER = re.compile(r"[+-]?([0-9]{1,99}\.?[0-9]{0,99}|\.[0-9]{1,99})([eE][+-]?[0-9]{1,3})?(/[0-9]{1,99})?")
_KINDS = {"p": "a decision", "c": "a node of chance", "t": "an end"}


class _Reader:
    """The tokens of a text, and what has been described in it."""

    def __init__(self, text: str, limit: int) -> None:
        self.text, self.limit = text, limit
        self._tokens = _TOKEN.finditer(text)
        self._next: re.Match[str] | None = None
        self.place = 0  # where the last token begins
        self.actions: dict[tuple[int, int], tuple[str | None, list[str]]] = {}  # by player and number: name, actions
        self.chances: dict[int, list[Fraction]] = {}
        self.outcomes: dict[int, Payoffs] = {0: (Fraction(0), Fraction(0))}
        self._advance()

    def _advance(self) -> None:
        for found in self._tokens:
            if found[0] != ",":
                self._next = found
                return
        self._next = None

    def has(self, group: int, value: str | None = None) -> bool:
        """Whether the next token is of this group (1 text in quotes, 2 a bracket, 3 a word), and has this value."""
        found = self._next
        return found is not None and found[group] is not None and value in (None, found[group])

    def take(self, group: int, what: str, value: str | None = None) -> str:
        """The next token, which must be of this group, and have this value."""
        found = self._next
        self.place = len(self.text.rstrip()) if found is None else found.start()
        if found is None or not self.has(group, value):
            shown = "the end of the file" if found is None else found[0][:40]
            raise SpecError(f"{what} is expected, not {shown}.")
        self._advance()
        return found[group]

    def bracket(self, value: str) -> None:
        """An opening or closing bracket."""
        self.take(2, f"'{value}'", value)

    def integer(self, what: str) -> int:
        """A whole number."""
        word = self.take(3, what)
        if not _INTEGER.fullmatch(word):
            raise SpecError(f"{what} must be a whole number, not {word[:40]}.")
        return int(word)

    def number(self, what: str) -> Fraction:
        """An exact number."""
        word = self.take(3, what)
        try:
            if _NUMBER.fullmatch(word):
                return _fraction(word)
        except ZeroDivisionError:
            pass
        raise SpecError(f"{what} must be a number, not {word[:40]}.")

    def read(self) -> ExtensiveForm:
        """The whole game."""
        if not re.match(r"\s*EFG\s+2\s+[RD]\s", self.text):
            raise SpecError("it does not begin with 'EFG 2 R', as Gambit's extensive forms do.")
        for word in ("EFG", "2", "R or D"):
            self.take(3, word)
        title = self.take(1, "the title in quotes")
        self.bracket("{")
        players = []
        while not self.has(2, "}"):
            players.append(self.take(1, "the name of a player in quotes"))
        self.bracket("}")
        if self.has(1):
            self.take(1, "a comment")
        builder = Outside(_plain(title) or "a game", [_plain(name) for name in players], self.limit)
        self.outcomes[0] = (Fraction(0),) * len(players)
        while self._next is not None:
            self._node(builder)
        self.place = len(self.text.rstrip())
        return builder.tree()

    def _node(self, builder: Outside) -> None:
        kind = self.take(3, "a node, which begins with p, c or t,")
        at = self.place
        if kind not in _KINDS:
            raise SpecError(f"a node begins with p, c or t, not with {kind[:40]}.")
        if self.has(1):
            self.take(1, "the node's name")
        if kind == "p":
            player = self.integer("the number of the player")
            number = self.integer("the number of the information set")
            name, actions = self._decision(player, number)
            gains = self._outcome()
            self.place = at
            builder.decision(player - 1, number, str(number) if name is None else name, actions, gains)
        elif kind == "c":
            chances = self._chances(self.integer("the number of the node of chance"))
            gains = self._outcome()
            self.place = at
            builder.chance(chances, gains)
        else:
            gains = self._outcome()
            self.place = at
            builder.end(gains)

    def _decision(self, player: int, number: int) -> tuple[str | None, list[str]]:
        name = _plain(self.take(1, "the name of the information set")) if self.has(1) else None
        if self.has(2, "{"):
            self.bracket("{")
            actions = [*self._until_closed()]
            self.actions.setdefault((player, number), (name, actions))
            return name, actions
        if (player, number) not in self.actions:
            raise SpecError(
                f"information set {number} of player {player} appears first here, without its actions in brackets."
            )
        return self.actions[player, number]

    def _until_closed(self) -> Iterator[str]:
        while not self.has(2, "}"):
            yield _plain(self.take(1, "the name of an action in quotes"))
        self.bracket("}")

    def _chances(self, number: int) -> list[Fraction]:
        if self.has(1):
            self.take(1, "a name")
        if self.has(2, "{"):
            self.bracket("{")
            chances = []
            while not self.has(2, "}"):
                self.take(1, "the name of what happens in quotes")
                chances.append(self.number("a probability"))
            self.bracket("}")
            if self.chances.setdefault(number, chances) != chances:
                raise SpecError(f"node of chance {number} has other probabilities than where it appeared first.")
            return chances
        if number not in self.chances:
            raise SpecError(f"node of chance {number} appears first here, without its outcomes in brackets.")
        return self.chances[number]

    def _outcome(self) -> Payoffs:
        number = self.integer("the number of the outcome")
        if self.has(1):
            self.take(1, "the name of the outcome")
        if self.has(2, "{"):
            self.bracket("{")
            paid = []
            while not self.has(2, "}"):
                paid.append(self.number("a payoff"))
            self.bracket("}")
            if len(paid) != len(self.outcomes[0]):
                players = "the one player" if len(self.outcomes[0]) == 1 else "each of two players"
                payoffs = "1 payoff" if len(paid) == 1 else f"{len(paid)} payoffs"
                raise SpecError(f"outcome {number} has {payoffs}: one for {players} is needed.")
            if number == 0:
                raise SpecError("outcome 0 stands for no payoffs: give an outcome with payoffs another number.")
            if self.outcomes.setdefault(number, tuple(paid)) != tuple(paid):
                raise SpecError(f"outcome {number} has other payoffs than where it appeared first.")
        if number not in self.outcomes:
            raise SpecError(f"outcome {number} has no payoffs where it appears first.")
        return self.outcomes[number]


def read_efg(path: str | os.PathLike[str], limit: int = OUTSIDE_LIMIT) -> ExtensiveForm:
    """The game in a file.

    It is text in UTF-8, in UTF-16 or UTF-32 if it begins with their mark, or else in Latin-1. The game has one player,
    or two whose payoffs have the same sum at every end.
    Raises StorageError if the file cannot be read; SpecError, with the line, if it is malformed, or no such game of
    perfect recall; UsageError if it has more nodes than the limit.
    """
    path, limit = file_path(path, "path"), whole(limit, "limit", 1)
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise StorageError(f"there is no file {path}.") from error
    except OSError as error:
        raise StorageError(f"cannot read {path}: {(error.strerror or str(error)).lower()}.") from error
    encoding = _encoding(content)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        raise SpecError(
            f"{path} begins as text in {encoding.upper()}, but byte {error.start} is not valid there."
        ) from error
    name = str(path) if encoding.startswith("utf-8") else f"{path} (read as {encoding.upper()})"
    return parse_efg(text.replace("\r\n", "\n"), name, limit)


_MARKS = (  # of UTF-32 before UTF-16, whose mark it begins with
    *((mark, "utf-32") for mark in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)),
    *((mark, "utf-16") for mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)),
    *((codecs.BOM_UTF8, "utf-8-sig"), (b"E\0F\0", "utf-16-le"), (b"\0E\0F", "utf-16-be")),
)


def _encoding(content: bytes) -> str:
    """How a file's text is written."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return encoding
    try:
        content.decode()
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def parse_efg(text: str, name: str = "the text", limit: int = OUTSIDE_LIMIT) -> ExtensiveForm:
    """The game in a text, which messages call `name`. Raises what `read_efg` does."""
    reader = _Reader(text, limit)
    try:
        return reader.read()
    except SpecError as error:
        lines = [found.start() for found in re.finditer("\n", text)]
        raise SpecError(f"{name}, line {1 + bisect_right(lines, reader.place - 1)}: {error}") from error
    except UsageError as error:
        raise type(error)(f"{name}: {error}") from error


def _fraction(word: str) -> Fraction:
    above, _, below = word.partition("/")
    return Fraction(above) / Fraction(below or 1)


def _plain(text: str) -> str:
    """A name without escapes."""
    return re.sub(r"\\(.)", r"\1", text)
