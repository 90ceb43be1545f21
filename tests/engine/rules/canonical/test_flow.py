"""The bounds of `flow` hold in every play: cards in a hand, cards that left the deck, and the unit of chips."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.machine.events import Chance, EndReason
from antemill.engine.rules.canonical.facts import Facts
from antemill.engine.rules.canonical.flow import Flow, _Survey
from antemill.engine.rules.spec import GameSpec, Observation, Phase, Positions, Showdown, Steal, Step
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


def watch_all() -> None:
    """All of them."""
    for make in GAMES.values():
        watch(make())


GAMES: dict[str, Callable[[], GameSpec]] = {
    "every construct": every_construct,
    **{f"fuzzed {seed}": lambda seed=seed: fuzzed(seed) for seed in range(30)},  # type: ignore[misc]
    **{f"drawn {seed}": lambda seed=seed: generate(seed) for seed in range(20)},  # type: ignore[misc]
}


@pytest.mark.parametrize("name", GAMES)
def test_no_play_exceeds_the_bounds(name: str) -> None:
    watch(GAMES[name]())


@pytest.mark.parametrize("forgotten", [Steal, "cards that leave the deck"])
def test_cards_that_are_forgotten_are_noticed(forgotten: type | str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = _Survey.step

    def step(self: _Survey, one: Step) -> None:
        before = self.counts[:]
        whole(self, one)
        if forgotten is type(one):
            self.counts = before
        elif isinstance(forgotten, str):
            self.counts[-1] = before[-1]

    monkeypatch.setattr(_Survey, "step", step)
    with pytest.raises(AssertionError):
        watch_all()


def told(survey: _Survey) -> tuple[object, ...]:
    """What a survey has found so far, without what single steps tell it."""
    return survey.counts[:], set(survey.amounts), survey.chosen, survey.bets.copy(), survey.loops.copy()


def phases_that_are_surveyed() -> set[type[Phase]]:
    """The kinds of phases that change what a survey has found, in games that have all of them."""
    whole, found = _Survey.phase, set[type[Phase]]()

    def phase(self: _Survey, one: Phase) -> None:
        before = told(self)
        whole(self, one)
        if told(self) != before:
            found.add(type(one))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_Survey, "phase", phase)
        for spec in (every_construct(), *map(fuzzed, range(10))):
            Facts(spec)
    return found


def test_no_phase_is_forgotten() -> None:
    """A phase that `_Survey.phase` does not know counts as one that moves nothing."""
    assert phases_that_are_surveyed() == set(get_args(Phase)) - {Observation, Positions, Showdown}
