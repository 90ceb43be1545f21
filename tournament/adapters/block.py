"""The lanes of one game in an environment."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from antemill.engine.machine.lanes import ASKED, Lanes
from antemill.engine.machine.policy import Policy
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Streams
from antemill.engine.vector.event_observation import Form
from antemill.engine.vector.play import View, deal_some, step_all
from antemill.engine.vector.state_observation import Frame


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
        self._skip, self._frame, self._form = skip, frame, form
        self._unasked = 0 if policies[0].kind == ASKED.kind else 1
        self.lanes = Lanes(program, self.last - self.first, alice=policies[0], bob=policies[1], events=journal)

    def deal(self, keys: Streams, which: npt.NDArray[np.bool_], skip: int) -> None:
        """Begin the next episode of the marked lanes of the environment; its number is larger by `skip`."""
        lanes, marked = self.lanes, which[self.first : self.last]
        lanes.dealer = lanes.dealer._replace(keys=keys)
        deal_some(lanes.dealer, lanes.rows, marked, skip, self._unasked, self._frame, self._form, self.view)

    def step(self, actions: npt.NDArray[Any]) -> None:
        """One step of every lane, given int64 actions of all lanes of the environment."""
        lanes, chosen = self.lanes, actions[self.first : self.last]
        step_all(lanes.dealer, lanes.rows, chosen, self._skip, self._unasked, self._frame, self._form, self.view)
