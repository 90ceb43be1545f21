"""Choosers: random play, a script of indices, and every playout of a small game."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import prod

from antemill.engine.machine.events import Chance
from antemill.engine.rules.spec import GameSpec

from .interpreter import play
from .state import Chooser, Decision, Playout


class RandomChooser:
    """Uniform players and fair chance."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def decide(self, decision: Decision) -> int:
        """Any offered action."""
        return self.random.choice(decision.menu)

    def chance(self, _kind: Chance, _seat: int, _occurrence: int, n: int) -> int:
        """Any outcome."""
        return self.random.randrange(n)


class ScriptChooser:
    """Answers question number i, of a player or of chance, with `indices[i]` (0 after the script's end).

    `widths` lists how many answers each question had. An index into a menu stands for the action at that place.
    """

    def __init__(self, indices: Sequence[int] = ()) -> None:
        self.indices = tuple(indices)
        self.widths: list[int] = []

    def _next(self, width: int) -> int:
        place = len(self.widths)
        self.widths.append(width)
        return self.indices[place] if place < len(self.indices) else 0

    def decide(self, decision: Decision) -> int:
        """The action at the scripted place of the menu."""
        return decision.menu[self._next(len(decision.menu))]

    def chance(self, _kind: Chance, _seat: int, _occurrence: int, n: int) -> int:
        """The scripted outcome."""
        return self._next(n)


def every_playout(
    spec: GameSpec,
    scripted: type[ScriptChooser] = ScriptChooser,
    play: Callable[[GameSpec, Chooser], Playout] = play,
) -> Iterator[tuple[Playout, Fraction]]:
    """Every way the game can go, with its probability under uniform play: a depth-first walk by replaying scripts.

    scripted: what answers, with the widths that it tells. play: who plays.
    """
    script: list[int] = []
    while True:
        chooser = scripted(script)
        playout = play(spec, chooser)
        yield playout, Fraction(1, prod(chooser.widths))
        script += [0] * (len(chooser.widths) - len(script))
        while script and script[-1] + 1 == chooser.widths[len(script) - 1]:
            script.pop()
        if not script:
            return
        script[-1] += 1
