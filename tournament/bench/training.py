"""The vectorised environment, on one core: random play that is stepped from outside, with all that a step hands out.

Every action is an illegal one, in place of which the environment draws a legal one itself. A batch is a number of
lanes.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import GameSpec
from antemill.tournament.bench.measure import Measurement, Setting, UnavailableError, Work
from antemill.tournament.bench.sample_games import accepted_specs

BATCHES = (256, 1_000, 10_000)
GAMES = (("kuhn", "Kuhn poker"), ("leduc", "a Leduc game"), ("accepted", "accepted games, the median"))
_ACCEPTED = 24  # games
_LANE_STEPS = 200_000  # of a repeat


def vector_play(specs: Sequence[GameSpec], batch: int, events: bool, setting: Setting, copy: bool) -> Sequence[Work]:
    """Steps of an environment for each game. Raises UnavailableError without gymnasium.

    copy: whether every step hands out arrays of its own.

    One environment is kept at a time: those of many lanes would not fit into memory side by side.
    """
    try:
        vector_env = importlib.import_module("antemill.tournament.adapters.gymnasium").vector_env
    except ImportError as error:
        raise UnavailableError("it needs gymnasium: pip install antemill[gymnasium].") from error
    lanes = setting.size(batch, 10)
    steps = setting.size(_LANE_STEPS // batch, 4)
    draw = np.full(lanes, -1)
    kept: dict[GameSpec, Any] = {}

    def begin(spec: GameSpec) -> Any:
        if spec not in kept:
            kept.clear()
            kept[spec] = vector_env(spec, lanes, events=events, illegal="masked", copy=copy)
        return kept[spec].reset(seed=1)[1]["asked"]

    def play(spec: GameSpec) -> None:
        if spec not in kept:  # a caller that starts all games before the first is played
            begin(spec)
        step = kept[spec].step
        for _ in range(steps):
            step(draw)

    def decisions(spec: GameSpec) -> int:
        asked, found = begin(spec), 0
        for _ in range(steps):
            found += int(np.count_nonzero(asked))
            asked = kept[spec].step(draw)[-1]["asked"]
        return found

    return [Work(partial(play, spec), decisions(spec), partial(begin, spec)) for spec in specs]


def name_of(game: str, batch: int, events: bool, copy: bool) -> str:
    """What a measurement is called."""
    return f"vector-{game}-{batch}{'' if events else '-present'}{'-copied' if copy else ''}"


def _measurement(game: str, what: str, batch: int, events: bool, copy: bool) -> Measurement:
    def prepare(setting: Setting) -> Sequence[Work]:
        specs = [NAMED[game]()] if game in NAMED else accepted_specs(setting.size(_ACCEPTED, 2))
        return vector_play(specs, batch, events, setting, copy)

    told = "the present and all events" if events else "the present"
    return Measurement(
        name_of(game, batch, events, copy),
        "vector",
        f"vectorised environment, {what}, batch {batch:,}: {told}{', copied' if copy else ''}",
        "decisions/s",
        prepare,
    )


MEASUREMENTS = tuple(
    _measurement(game, what, batch, events, copy)
    for game, what in GAMES
    for batch in BATCHES
    for events in (False, True)
    for copy in (False, True)
)
