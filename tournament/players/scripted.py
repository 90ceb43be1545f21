"""Players that need no learning: random, and two that follow a fixed preference."""

from __future__ import annotations

from antemill.engine.machine.opcodes import RAISE_NEEDS, WIDTH, Op
from antemill.engine.machine.program import Program
from antemill.engine.match import Game, Menu
from antemill.tournament.players.observation import Observation
from antemill.tournament.players.player import Choice

_DEAREST = 1 << 40  # above any stated cost; stands for a raise


class Random:
    """Every legal action with the same probability, with the draws of random rollouts."""

    name = "random"

    def choose(self, observation: Observation) -> Choice:
        """Choose uniformly among all legal actions."""
        menu = observation.menu
        return menu.choice(observation.below(len(menu)))


class Fixed:
    """A preference among names. If none of them is offered, amounts and stated costs decide."""

    name: str
    _wanted: tuple[str, ...]
    _dearest: bool

    def __init__(self, game: Game) -> None:
        self._needs = chip_needs(game.program)

    def choose(self, observation: Observation) -> Choice:
        """Choose the action that commits the fewest chips, or the most."""
        return self.prefers(observation.menu, observation.decision)

    def prefers(self, menu: Menu, decision: int) -> Choice:
        """The choice on a menu of a decision type: nothing else matters."""
        if menu.amounts:
            return menu.high if self._dearest else menu.low
        if found := _first(self._wanted, menu.labels):
            return found
        needs, sign = self._needs[decision], 1 if self._dearest else -1
        return menu.choice(max(range(len(menu)), key=lambda i: (sign * needs[menu.actions[i]], -sign * i)))


class Passive(Fixed):
    """Commits as little as possible, but never folds: checks, passes, calls; the smallest amounts.

    On any other menu: the option with the lowest stated cost, and the last of several.
    """

    name, _wanted, _dearest = "passive", ("check", "pass", "call"), False


class Aggressive(Fixed):
    """Commits as much as possible: raises, bets, takes, calls; the largest amounts.

    On any other menu: the option with the highest stated cost, and the first of several.
    """

    name, _wanted, _dearest = "aggressive", ("raise", "bet", "take", "call"), True


def chip_needs(program: Program) -> dict[int, list[int]]:
    """For each decision type with named options: the chips that each option needs to be offered, its stated cost."""
    found: dict[int, list[int]] = {}
    for i in range(program.rows):
        op, _, decision, stride, menu = program.code[i * WIDTH : i * WIDTH + 5].tolist()
        if op == Op.CHOOSE:
            count = int(program.code[menu])
            needs = program.code[menu + 1 : menu + 1 + 2 * count : 2].tolist()
            for seat in range(2 if stride else 1):
                found[decision + seat] = [_DEAREST if need == RAISE_NEEDS else need for need in needs]
    return found


def _first(wanted: tuple[str, ...], offered: tuple[str, ...]) -> str | None:
    """The first wanted name that is offered, however it is capitalised."""
    names = {label.casefold(): label for label in offered}
    return next((names[name] for name in wanted if name in names), None)
