"""The acceptance gate: three rules on random playouts (G44; GENSTRAT section 3).

Where the paper is silent we read it so: a move is a decision, and the average per player is half of all decisions; a
branch is one outcome of a conditional (`If`, a variable round's affordability test, an observation's trigger), and it
is dead if no episode took it. What a phase is has several readings (`engine.machine.readings`): one decides, and every
verdict says what the others would have been.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.kernel import kernel
from engine.machine import layout as at
from engine.machine.policy import UNIFORM
from engine.machine.program import Program
from engine.machine.readings import READING, READINGS
from engine.machine.rollout import BATCH, batch_for, begin, play, streams
from engine.machine.together import BITS, ENDED, Batch, decisions_of
from engine.seeding import Domain

IntArray = npt.NDArray[np.int64]
_LOW63 = (1 << 63) - 1

EPISODES = 2_000
MOST_MOVES = 10.0  # average decisions per player
RARE = 0.05  # a phase that fires in fewer episodes than this share is rare
MOST_RARE_PHASES = 0.30
MOST_DEAD_BRANCHES = 0.34


class Rule(NamedTuple):
    """A rule of the gate: a figure and how large it may be."""

    reason: str  # why a game that breaks it is rejected
    figure: str  # its name in `Gate`
    most: float


RULES = (
    Rule("too many moves", "moves", MOST_MOVES),
    Rule("rare phases", "rare_phases", MOST_RARE_PHASES),
    Rule("dead branches", "dead_branches", MOST_DEAD_BRANCHES),
)
REASONS = tuple(rule.reason for rule in RULES)


class Gate(NamedTuple):
    """The gate's verdict on a game, with the figures it is based on."""

    accepted: bool
    reason: str  # "" if accepted, else the first of REASONS that applies
    moves: float  # average decisions per player and episode
    rare_phases: float  # share of phases that fire in fewer than RARE of the episodes
    dead_branches: float  # share of branches never taken; 0 for a game without conditionals
    broken: tuple[str, ...]  # all of REASONS that apply
    rare_by_reading: Mapping[str, float]  # `rare_phases` by each of READINGS
    accepted_by: tuple[str, ...]  # the readings by which the game is accepted


@kernel
def _count_bits(batch: Batch, ends: int, base: int, counts: IntArray) -> None:
    """Add up in how many episodes each bit of a bit set was set."""
    for i in range(ends):
        end = batch.ends[i]
        for low in range(0, len(counts), 64):
            word, bit = end[base + (low >> 6)], low
            while word != 0 and bit < len(counts):
                counts[bit] += end[ENDED] * (word & 1)
                word = (word >> 1) & _LOW63
                bit += 1


def gate(program: Program, seed: int, episodes: int = EPISODES) -> Gate:
    """Play `episodes` random episodes and apply the three rules."""
    phases = np.zeros(len(program.names.phases), np.int64)
    branches = np.zeros(2 * len(program.names.conditionals), np.int64)
    decisions = 0
    keys = streams(seed, Domain.GATE)
    keys = keys._replace(bob=keys.alice)  # both choose by one stream, of which a decision takes one number
    batch = batch_for(program, min(episodes, BATCH))._replace(draws=1)
    for first in range(0, episodes, BATCH):
        count = min(BATCH, episodes - first)
        begin(batch, keys, first, count, 0)
        batch, ends = play(batch, count, UNIFORM, UNIFORM)
        decisions += int(decisions_of(batch, ends))
        _count_bits(batch, ends, BITS, phases)
        _count_bits(batch, ends, BITS + at.PHASE_WORDS, branches)
    rare = phases < RARE * episodes
    by_reading = {name: float(np.mean(rare[counts(program.names)])) for name, counts in READINGS.items()}
    figures = {
        "moves": decisions / episodes / 2,
        "rare_phases": by_reading[READING],
        "dead_branches": float(np.mean(branches == 0)) if len(branches) else 0.0,
    }
    broken = _broken(figures)
    return Gate(
        accepted=not broken,
        reason=broken[0] if broken else "",
        **figures,
        broken=broken,
        rare_by_reading=by_reading,
        accepted_by=tuple(name for name, share in by_reading.items() if not _broken(figures | {"rare_phases": share})),
    )


def _broken(figures: Mapping[str, float]) -> tuple[str, ...]:
    """The reasons of the rules that the figures break."""
    return tuple(rule.reason for rule in RULES if figures[rule.figure] > rule.most)
