"""A game made ready for matches: what all matches of one game share."""

from __future__ import annotations

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine import layout as at
from antemill.engine.machine.opcodes import WIDTH, Op
from antemill.engine.machine.program import Int64Array, Program
from antemill.engine.machine.vm import advance, menu_action, new_state
from antemill.engine.match.menu import Menu
from antemill.engine.match.wording import Wording
from antemill.engine.rules.spec import GameSpec


class Game:
    """A program with its opening states, menus and sentences. Make one and play many matches of it.

    ops: the opcodes that the program uses. spec: None if only the program is known; the log can then not say what
    public checks ask.
    """

    def __init__(self, rules: GameSpec | Program) -> None:
        self.spec = rules if isinstance(rules, GameSpec) else None
        self.program = compile_spec(rules) if isinstance(rules, GameSpec) else rules
        self.names = self.program.names
        self.digest = self.program.digest
        self.ops = frozenset(Op(int(op)) for op in self.program.code[: self.program.rows * WIDTH : WIDTH])
        self.wording = Wording(self.program, self.spec)
        self._opening: dict[int, Int64Array] = {}
        self._menus: dict[tuple[int, int, int, int], Menu] = {}

    def __repr__(self) -> str:
        return f"<Game {self.names.game!r}>"

    @classmethod
    def of(cls, rules: GameSpec | Program | Game) -> Game:
        """A game made from rules; a game that is given is returned as it is."""
        return rules if isinstance(rules, Game) else cls(rules)

    def opening(self, room: int) -> Int64Array:
        """A state at the game's first question, with a journal of what came before. room: of the journal, in events."""
        if room not in self._opening:
            state = new_state(self.program.initial_state(), room)
            advance(self.program.code, state)
            self._opening[room] = state
        return self._opening[room].copy()

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
