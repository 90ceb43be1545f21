"""Other ways in which a match may have gone, as far as one seat can tell.

`other_world` replays the machine with other chance and other choices of the opponent such that the seat is told exactly
the same. It reads the journal's masks on its own, so that it can check their other readers.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from antemill.engine.machine import layout as at
from antemill.engine.machine.events import EVENT_WIDTH, Event
from antemill.engine.machine.layout import CHANCE, DECIDE, OVER
from antemill.engine.machine.program import Program
from antemill.engine.machine.vm import advance, new_state
from antemill.engine.match import Draw, Game, Match

Told = tuple[int, ...]  # kind, seat, x, y, z, told, and the content where it was shown (-1: hidden)
_ROOM = 1_000
_CARDS = (Event.DEAL, Event.DRAW, Event.BOARD)


@dataclass(frozen=True)
class World:
    """A match up to a decision: the answers to all questions of chance, and the index of every choice with its seat."""

    outcomes: tuple[int, ...]
    choices: tuple[tuple[int, int], ...]

    def match(self, game: Game) -> Match:
        """The match of this world."""
        outcomes = iter(self.outcomes)
        match = Match(game, 0, chance=lambda _draw: next(outcomes))
        for _, index in self.choices:
            match.apply(match.menu.choice(index))
        return match


def random_world(game: Game, rng: random.Random) -> World:
    """A random match to its end."""
    outcomes: list[int] = []
    choices: list[tuple[int, int]] = []

    def chance(draw: Draw) -> int:
        outcomes.append(rng.randrange(draw.n))
        return outcomes[-1]

    match = Match(game, 0, chance=chance)
    while not match.over:
        index = rng.randrange(len(match.menu))
        choices.append((match.seat, index))
        match.apply(match.menu.choice(index))
    return World(tuple(outcomes), tuple(choices))


def told(match: Match, seat: int) -> list[Told]:
    """Everything that the seat was told in a match."""
    return [entry for row in match.events() if (entry := _told(row, seat)) is not None]


def other_world(program: Program, match: Match, choices: list[int], rng: random.Random) -> World | None:
    """A random world in which the seat to move was told the same and chose the same; None if none is found quickly."""
    return _Search(program, match.seat, told(match, match.seat), choices, rng).run()


class _Search:
    """Depth-first search in random order, cut off where the seat would have been told something else."""

    def __init__(self, program: Program, seat: int, target: list[Told], choices: list[int], rng: random.Random) -> None:
        self.code = program.code
        self.start = new_state(program.initial_state(), _ROOM)
        self.seat, self.target, self.choices, self.rng = seat, target, choices, rng
        self.budget = 600

    def run(self) -> World | None:
        return self._explore(self.start, 0, 0, 0, (), ())

    def _explore(
        self,
        state: np.ndarray,
        read: int,
        matched: int,
        chosen: int,
        outcomes: tuple[int, ...],
        choices: tuple[tuple[int, int], ...],
    ) -> World | None:
        self.budget -= 1
        what = advance(self.code, state)
        for row in _rows(state, read):
            entry = _told(row, self.seat)
            if entry is not None:
                if matched == len(self.target) or entry != self.target[matched]:
                    return None
                matched += 1
        read = int(state[at.JOURNAL_N])
        if what == OVER or not self._possible(int(state[at.PICKED]), matched):
            return None
        own = what == DECIDE and state[at.SEAT] == self.seat
        if own and chosen == len(self.choices):
            return World(outcomes, choices) if matched == len(self.target) else None
        answers = [self.choices[chosen]] if own else list(range(int(state[at.MENU])))
        self.rng.shuffle(answers)
        for answer in answers:
            if self.budget <= 0:
                return None
            child = state.copy()
            child[at.CHOICE] = answer
            if what == CHANCE:
                found = self._explore(child, read, matched, chosen, (*outcomes, answer), choices)
            else:
                made = (*choices, (int(state[at.SEAT]), answer))
                found = self._explore(child, read, matched, chosen + own, outcomes, made)
            if found is not None:
                return found
        return None

    def _possible(self, picked: int, matched: int) -> bool:
        """Whether the cards that a deal under way has taken so far can still become what the seat was shown."""
        if picked == 0 or matched == len(self.target):
            return True
        kind, content = self.target[matched][0], self.target[matched][-1]
        return kind not in _CARDS or content < 0 or picked & ~content == 0


def _rows(state: np.ndarray, first: int) -> list[list[int]]:
    count = int(state[at.JOURNAL_N])
    assert count < _ROOM
    words = state[at.JOURNAL + first * EVENT_WIDTH : at.JOURNAL + count * EVENT_WIDTH]
    rows: list[list[int]] = words.reshape(-1, EVENT_WIDTH).tolist()
    return rows


def _told(row: list[int], seat: int) -> Told | None:
    bit = 1 << seat
    if not row[6] & bit:
        return None
    return (*row[:5], row[6], row[5] if row[7] & bit else -1)
