"""A game prepared for matches: the data that all matches of one game share."""

from __future__ import annotations

import os
from typing import TypeAlias

import numpy as np
from msgspec.structs import replace

from antemill.engine.arguments import SEED_LIMIT, whole, wrong_type, wrong_value
from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.disguise.themes import words_of
from antemill.engine.errors import SpecError
from antemill.engine.machine import layout as at
from antemill.engine.machine.opcodes import WIDTH, Op
from antemill.engine.machine.program import Int64Array, Program
from antemill.engine.machine.vm import advance, menu_action, new_state
from antemill.engine.match.menu import Menu
from antemill.engine.rules.check import malformed
from antemill.engine.rules.spec import GameSpec
from antemill.engine.text.labels import exchanged
from antemill.engine.text.vocabulary import WORDS, Vocabulary, said
from antemill.engine.text.wording import Wording

Rules: TypeAlias = GameSpec | Program | str | int | os.PathLike[str]
RULES = (GameSpec, Program, str, int, np.integer, os.PathLike)


def rules_of(given: Rules, name: str = "rules") -> GameSpec | Program:
    """Rules or a program unchanged; else the game of a name, a seed or a file's path, as for a GAME argument.

    Raises UsageError, StorageError or SpecError; SpecError also for rules with numbers out of range, since their
    program could be too large.
    """
    found = given if isinstance(given, GameSpec | Program) else spec_of(given, name)
    if isinstance(found, GameSpec) and (fault := malformed(found)):
        raise SpecError(f"the rules of {found.name!r} are not legal: {fault}")
    return found


def spec_of(given: str | int | os.PathLike[str], name: str = "rules") -> GameSpec:
    """The game of a GAME argument: a name, a seed or the path of a file. Raises as `rules_of` does."""
    if not isinstance(given, RULES) or isinstance(given, bool):
        wrong_type(name, given, "a game", "give a spec, a program, a name, a seed, or the path of a file")
    if isinstance(given, int | np.integer):
        given = str(whole(given, name, 0, SEED_LIMIT - 1))
    try:
        if (named := str(given)).isprintable():
            return resolve(named)
    except (OSError, ValueError):  # the text is not a possible path
        pass
    wrong_value(name, given, "a game", "give a name such as kuhn, a seed, or the path of a file of rules")


def program_of(given: Rules | Game, name: str = "rules") -> Program:
    """The program of a game, given as a `Game` or in a form that `rules_of` takes. Raises as `rules_of` does."""
    if isinstance(given, Game):
        return given.program
    found = rules_of(given, name)
    return found if isinstance(found, Program) else compile_spec(found)


class Game:
    """A program with its opening states, menus and sentences, made once for many matches.

    ops: the opcodes that the program uses. spec: None if only the program is known; the log then omits the questions of
    public checks. turned: whether prompts call Alice Bob, and Bob Alice; views and transcripts do not. words: the words
    of prompts for moves, auctions, antes, pots and showdowns; () for the engine's own words; None for those of the
    disguise's theme, which the names in the game show, or the engine's own if the game is no disguise.
    """

    def __init__(self, rules: Rules, turned: bool = False, words: Vocabulary | None = None) -> None:
        rules = rules_of(rules)
        self.spec = rules if isinstance(rules, GameSpec) else None
        self.program = compile_spec(rules) if isinstance(rules, GameSpec) else rules
        self.names = self.program.names
        self.turned, self.words = turned, words if words is not None else self._own_words()
        self.digest = self.program.digest
        self.ops = frozenset(Op(int(op)) for op in self.program.code[: self.program.rows * WIDTH : WIDTH])
        self.wording = Wording(self.program, self.spec)
        self._opening: dict[int, Int64Array] = {}
        self._menus: dict[tuple[int, int, int, int], Menu] = {}

    def __repr__(self) -> str:
        return f"<Game {self.names.game!r}>"

    @classmethod
    def of(cls, rules: Rules | Game) -> Game:
        """A game made from rules; a `Game` is returned unchanged."""
        return rules if isinstance(rules, Game) else cls(rules)

    def _own_words(self) -> Vocabulary:
        return () if self.spec is None else words_of(self.spec)

    def said(self, text: str) -> str:
        """A prompt's text, changed to the names of seats and the words of this game."""
        return said(exchanged(text) if self.turned else text, self.words)

    def option(self, label: str) -> str:
        """An option's name as prompts show it."""
        return dict(zip(WORDS, self.words, strict=False)).get(label, label)

    def shown(self, menu: Menu) -> Menu:
        """A menu as prompts show it; replies are matched with this one."""
        if not self.words:
            return menu
        return replace(menu, labels=tuple(map(self.option, menu.labels)))

    def opening(self, capacity: int) -> Int64Array:
        """A state at the first question, with a journal of the events before it. capacity: the journal's, in events."""
        if capacity not in self._opening:
            state = new_state(self.program.initial_state(), capacity)
            advance(self.program.code, state)
            self._opening[capacity] = state
        return self._opening[capacity].copy()

    def menu(self, state: Int64Array) -> Menu:
        """The menu that a state presents."""
        decision, mask = int(state[at.DECISION]), int(state[at.MENU_MASK])
        n, low = int(state[at.MENU]), int(state[at.MENU_LOW]) if mask == 0 else 0
        key = (decision, mask, n, low)
        menu = self._menus.get(key)
        if menu is None:
            menu = self._menus[key] = self._new_menu(state, decision, n, low, bool(mask))
        return menu

    def _new_menu(self, state: Int64Array, decision: int, n: int, low: int, named: bool) -> Menu:
        if not named:
            return Menu((), (), low, low + n - 1)
        actions = tuple(int(menu_action(state, i)) for i in range(n))
        labels = self.names.decisions[decision].labels
        return Menu(tuple(labels[action] for action in actions), actions)
