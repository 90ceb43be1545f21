"""What runs of all algorithms tell whoever watches them, and keep as their trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

Stopped = Literal["target", "time", "iterations", "interrupted"]


class Trace(NamedTuple):
    """A measurement."""

    iteration: int
    seconds: float  # since the start, measuring included
    exploitability: float  # of the best policy so far, chips


class Progress(NamedTuple):
    """What a watcher is told after each measurement."""

    algorithm: str
    iteration: int
    seconds: float
    exploitability: float  # of the best policy so far, chips
    target: float
    seconds_left: float | None  # an estimate from the run so far; None while there is too little to go by


Watch = Callable[[Progress], bool]  # whether to go on
