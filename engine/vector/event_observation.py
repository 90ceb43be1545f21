"""The events that a seat saw after its last decision, as rows of numbers, for learners with a memory.

The events are those of the journal (`antemill.engine.machine.events`), filtered by its masks: the events of which the
seat was informed, with the contents that it was shown. Cards are counted by rank, and by suit if some rule reads suits,
as in `StateObservation`: cards that no rule distinguishes look alike.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.events import EVENT_WIDTH, EVERYONE, NOBODY, Event
from antemill.engine.machine.layout import BRANCH_WORDS
from antemill.engine.machine.opcodes import Look
from antemill.engine.machine.program import Program
from antemill.engine.machine.words import unsigned
from antemill.engine.text.wording import looks_of
from antemill.engine.vector.state_observation import Vector, count, kinds_of

_HEAD = ("kind", "who", "x", "y", "z", "public", "shown", "number")
_CARDS = len(_HEAD)
_AFTER = 16  # events after the last question: hands shown, chips, the result
_SIGNAL = int(Event.SIGNAL)
_INDEX = 32 * BRANCH_WORDS  # of phases, conditionals, decision types and texts


class EventObservation:
    """Turns journals of some programs into rows of numbers.

    names: of the numbers in a row. `kind` is the event's number plus 1, so that 0 means no event; `who` is 1 for the
    seat itself, -1 for the opponent, 0 for neither; x, y and z are those of the event; `public` is 1 if both seats were
    informed; `shown` is 1 if the content was shown; `number` is a content other than cards. most: the most events that
    a seat can see in one episode. journal: the most events of an episode's journal. forms: one for each program.
    """

    def __init__(self, programs: tuple[Program, ...], told: int) -> None:
        """told: the most events that a seat sees up to its last decision, in any of the games."""
        kinds = kinds_of(programs)
        self.programs = programs
        self.names = (*_HEAD, *kinds.names)
        self.most = told + _AFTER
        self.journal = 2 * self.most
        self.forms = tuple(Form(kinds.columns(program), _numeric(program)) for program in programs)

    @property
    def width(self) -> int:
        """The number of numbers in a row."""
        return len(self.names)

    def bounds(self, score: float, variable: float) -> tuple[Vector, Vector]:
        """float32[most, width] twice: the smallest and largest value of each number.

        x, y, z and `number` have different meanings for each kind of event. Their bound is the largest number of chips,
        index, rank, score or variable of all games. score, variable: the largest score, in chips, and variable.
        """
        chips = max(2 * program.chips for program in self.programs)
        ranks = max(max(map(abs, program.names.ranks)) for program in self.programs)
        texts = max(len(program.names.texts) for program in self.programs)
        far, near = max(chips, ranks, score, variable, texts, _INDEX), max(ranks, variable)
        high = np.full(self.width, max(program.cards for program in self.programs), np.float32)
        high[:_CARDS] = (len(Event), 1, far, far, far, 1, 1, far)
        low = np.zeros_like(high)
        low[:_CARDS] = (0, -1, -near, -near, -near, 0, 0, -near)
        return np.tile(low, (self.most, 1)), np.tile(high, (self.most, 1))


class Form(NamedTuple):
    """The form of one game's events, as an argument of kernels."""

    columns: npt.NDArray[np.int64]  # int64[cards, 2], see `state_observation.Kinds.columns`
    numeric: npt.NDArray[np.bool_]  # bool[phases] whether a signal of the phase is a number


def _numeric(program: Program) -> npt.NDArray[np.bool_]:
    looks = looks_of(program)
    cards = (Look.OPPONENT_CARD, Look.DECK_CARD)
    return np.array([looks.get(phase, Look.DECK_CARD) not in cards for phase in range(len(program.names.phases))])


@kernel
def write_events(state: npt.NDArray[Any], seat: int, first: int, form: Form, rows: Vector, used: int) -> int:
    """Write the events that a seat saw, from number `first` on, to float32[most, width] `rows`. Returns their number.

    used: the number of rows with older events, which are cleared.
    """
    written, most, width = 0, *rows.shape
    for event in range(first, state[at.JOURNAL_N]):
        place = at.JOURNAL + event * EVENT_WIDTH
        told = state[unsigned(place + 6)]
        if not (told >> seat) & 1 or written == most:
            continue
        row = rows[unsigned(written)]
        written += 1
        kind, who = state[unsigned(place)], state[unsigned(place + 1)]
        shown = (state[unsigned(place + 7)] >> seat) & 1
        row[0] = kind + 1
        row[1] = 0 if who == NOBODY else (1 if who == seat else -1)
        row[2] = state[unsigned(place + 2)]
        row[3] = state[unsigned(place + 3)]
        row[4] = state[unsigned(place + 4)]
        row[5] = told == EVERYONE
        row[6] = shown
        for i in range(_CARDS - 1, width):
            row[unsigned(i)] = 0.0
        content = state[unsigned(place + 5)] if shown else 0
        if content and kind == _SIGNAL and form.numeric[unsigned(state[unsigned(place + 2)])]:
            row[_CARDS - 1] = content
        else:
            card = 0
            while content > 0:
                if content & 1:
                    count(card, form.columns, _CARDS, row)
                content >>= 1
                card += 1
    for i in range(written, used):
        row = rows[unsigned(i)]
        for j in range(width):
            row[unsigned(j)] = 0.0
    return written
