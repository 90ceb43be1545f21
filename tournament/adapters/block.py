"""The lanes of one game in an environment: read from a book if the game is small, else played by the machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from antemill.engine.machine.lanes import ASKED, Lanes
from antemill.engine.machine.policy import UNIFORM, Policy
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Streams
from antemill.engine.machine.vm import new_state
from antemill.engine.vector import book
from antemill.engine.vector.event_observation import Form
from antemill.engine.vector.kept import COMPILED, Kept, alike, kept
from antemill.engine.vector.play import Part, View, deal_parts, deal_some, step_all, step_parts
from antemill.engine.vector.state_observation import Frame

_PER_LANE, _MOST = 64, 1 << 15  # moments of a book: some hundred steps repay its cost, and it fits into caches


class Block:
    """Some lanes that play one game; their view is a part of the environment's view.

    first, last: the lanes first to last - 1 of the environment.
    """

    def __init__(
        self,
        program: Program,
        policies: tuple[Policy, Policy],
        edges: tuple[int, int],
        skip: int,
        journal: int,
        frame: Frame,
        form: Form,
        view: View,
    ) -> None:
        """policies: Alice's and Bob's, or ASKED. edges: `first` and `last`. skip: the difference between the
        numbers of two episodes in a row of a lane. journal: capacity for events. view: of the whole environment.
        """
        self.first, self.last = edges
        self.view = view.part(*edges)
        self._program, self._policies, self._skip, self._journal = program, policies, skip, journal
        self._frame, self._form = frame, form
        self._unasked = 0 if policies[0].kind == ASKED.kind else 1
        self._keys: Streams | None = None
        self._lanes: Lanes | None = None
        self._moments = np.zeros(self.last - self.first, np.int64)
        self._book = self._written() if all(_simple(policy) for policy in policies) else None

    @property
    def lanes(self) -> Lanes:
        """The machine's lanes, which replace the book from here on; the view continues unchanged."""
        if self._lanes is None:
            alice, bob = self._policies
            self._lanes = Lanes(self._program, len(self._moments), alice=alice, bob=bob, events=self._journal)
            if self._keys is not None:
                self._lanes.dealer = self._lanes.dealer._replace(keys=self._keys)
                if self._book is not None:
                    book.play_out(
                        self._book, self._moments, self._lanes.dealer, self._lanes.rows, self._unasked, self.view
                    )
            self._book = None
        return self._lanes

    def deal(self, keys: Streams, which: npt.NDArray[np.bool_], skip: int) -> None:
        """Begin the next episode of the marked lanes of the environment; its number is larger by `skip`."""
        self._keys, marked = keys, which[self.first : self.last]
        if self._book is not None:
            book.open_some(self._book, keys, self._moments, marked, skip, self.view)
            return
        lanes = self.lanes
        lanes.dealer = lanes.dealer._replace(keys=keys)
        deal_some(lanes.dealer, lanes.rows, marked, skip, self._unasked, self._frame, self._form, self.view)

    @property
    def arguments(self) -> book.Volume | Part:
        """This block's part of the arguments of a call that steps several blocks."""
        if self._book is not None:
            return book.Volume(self._book, self._moments, self.view)
        lanes = self.lanes
        return Part(lanes.dealer, lanes.rows, self._unasked, self._frame, self._form, self.view)

    def step(self, actions: npt.NDArray[Any]) -> None:
        """One step of every lane, given int64 actions of all lanes of the environment."""
        chosen = actions[self.first : self.last]
        if self._book is not None and self._keys is not None:
            book.turn_all(self._book, self._keys, self._moments, chosen, self._skip, self.view)
            return
        lanes = self.lanes
        step_all(lanes.dealer, lanes.rows, chosen, self._skip, self._unasked, self._frame, self._form, self.view)

    def _written(self) -> book.Book | None:
        alice, bob = (policy.kind == ASKED.kind for policy in self._policies)
        most, width = self.view.events.shape[1:]
        return book.write_book(
            self._program.code,
            new_state(self._program.initial_state(), self._journal),
            book.Seats(alice, bob, self._unasked),
            self._frame,
            self._form,
            min(_PER_LANE * len(self._moments), _MOST),
            (self.view.vectors.shape[1], self.view.masks.shape[1], most, width),
        )


def _simple(policy: Policy) -> bool:
    """Whether a book can play it: it depends on nothing but the menu."""
    return policy.kind in (ASKED.kind, UNIFORM.kind)


class Calls:
    """Steps of all blocks of an environment, with one kernel call for all blocks of one kind.

    It is valid only while none of these blocks is replaced or changes its kind.
    """

    def __init__(self, blocks: Sequence[Block], skip: int) -> None:
        """skip: as of the blocks."""
        self._skip = skip
        self._alone = list(blocks) if len(blocks) == 1 or not COMPILED else []
        self._groups: list[tuple[Any, Any, Kept, npt.NDArray[np.int64]]] = []
        for items in alike([(block.arguments, block.first) for block in blocks if not self._alone]):
            arguments, firsts = zip(*items, strict=True)
            small = isinstance(arguments[0], book.Volume)
            step, deal = (book.turn_volumes, book.open_volumes) if small else (step_parts, deal_parts)
            self._groups.append((step, deal, kept(arguments), np.array(firsts, np.int64)))

    def step(self, keys: Streams, actions: npt.NDArray[Any]) -> None:
        """One step of every lane, given int64 actions of all lanes of the environment."""
        for block in self._alone:
            block.step(actions)
        for step, _, (words, items), firsts in self._groups:
            step(words, items[0], firsts, keys, actions, self._skip)

    def deal(self, keys: Streams, which: npt.NDArray[np.bool_]) -> None:
        """Begin the next episode of the marked lanes of the environment."""
        for block in self._alone:
            block.deal(keys, which, self._skip)
        for _, deal, (words, items), firsts in self._groups:
            deal(words, items[0], firsts, keys, which, self._skip)
