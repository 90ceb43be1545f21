"""The bounds of `flow` hold in every play: cards in a hand, cards that left the deck, and the unit of chips."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.machine.events import Chance, EndReason
from antemill.engine.rules.canonical.facts import Facts
from antemill.engine.rules.canonical.flow import Flow
from antemill.engine.rules.spec import GameSpec
from tests.engine.machine.fuzz_specs import fuzzed
from tests.naive.choosers import RandomChooser
from tests.naive.interpreter import GameOverError, Interpreter
from tests.naive.state import Decision, Table
from tests.specs import every_construct


class Watching(RandomChooser):
    """Random play that compares the table with the bounds before every answer."""

    table: Table

    def __init__(self, seed: int, flow: Flow) -> None:
        super().__init__(seed)
        self.flow = flow

    def decide(self, decision: Decision) -> int:
        self.look()
        return super().decide(decision)

    def chance(self, kind: Chance, seat: int, occurrence: int, n: int) -> int:
        self.look()
        return super().chance(kind, seat, occurrence, n)

    def look(self) -> None:
        table, flow = self.table, self.flow
        assert max(map(len, table.hands)) <= flow.hand
        assert table.cards - len(table.deck) <= flow.cards
        paid = [table.spec.chips - stack for stack in table.stacks]
        assert [chips % flow.unit for chips in (*paid, table.pot)] == [0, 0, 0]


def watch(spec: GameSpec, episodes: int = 20) -> None:
    """Play a game at random. Raises AssertionError where a bound fails."""
    for seed in range(episodes):
        chooser = Watching(seed, Facts(spec).flow)
        game = Interpreter(spec, chooser)
        chooser.table = game.table
        try:
            for name in spec.sequence:
                game.enter(name)
            game.end(None, EndReason.ENDED)
        except GameOverError:
            pass


GAMES: dict[str, Callable[[], GameSpec]] = {
    "every construct": every_construct,
    **{f"fuzzed {seed}": lambda seed=seed: fuzzed(seed) for seed in range(10)},  # type: ignore[misc]
    **{f"drawn {seed}": lambda seed=seed: generate(seed) for seed in range(6)},  # type: ignore[misc]
}


@pytest.mark.parametrize("name", GAMES)
def test_no_play_exceeds_the_bounds(name: str) -> None:
    watch(GAMES[name]())
