"""The acceptance gate: three rules on random playouts (G44; GENSTRAT section 3).

Our reading, where the paper is silent: a move is a decision, and the average per player is half of all decisions. A
branch is one outcome of a conditional (`If`, a variable round's affordability test, an observation's trigger), and it
is dead if no episode took it. The word "phase" has several readings (`antemill.engine.machine.readings`): one of them
decides, and every verdict also lists the others under which the game is accepted.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.batch import BATCH, kept_batch, larger
from antemill.engine.machine.chance import key_of, subkey
from antemill.engine.machine.policy import UNIFORM, Policy
from antemill.engine.machine.program import Outline, Playable
from antemill.engine.machine.readings import READING, READINGS
from antemill.engine.machine.rollout import Streams, begin
from antemill.engine.machine.together import BITS, ENDED, MADE, Batch, walk
from antemill.engine.seeding import Domain

IntArray = npt.NDArray[np.int64]

_CHANCE, _ALICE = int(Domain.CHANCE), int(Domain.ALICE)
EPISODES = 2_000
MOST_MOVES = 10.0  # average decisions per player
RARE = 0.05  # a phase that fires in fewer episodes than this share is rare
MOST_RARE_PHASES = 0.30
MOST_DEAD_BRANCHES = 0.34


class Rule(NamedTuple):
    """A rule of the gate: a figure and how large it may be."""

    reason: str  # of the rejection of a game that breaks it
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
    rare_by_reading: Mapping[str, float]  # `rare_phases` under each of READINGS
    accepted_by: tuple[str, ...]  # the readings under which the game is accepted


@kernel
def _tally(batch: Batch, ends: int, fired: IntArray, taken: IntArray) -> int:
    """Add a batch's episodes to the counts of phases and to the set of taken branches; returns the decisions.

    fired: int64[PHASE_WORDS, digits]. Bit i of word w of digit d is binary digit d of the count of phase 64 w + i, so
    whole words are added at once. taken: int64[BRANCH_WORDS], a bit set.
    """
    decisions = 0
    for i in range(ends):
        end = batch.ends[i]
        decisions += end[MADE] * end[ENDED]
        for j in range(at.PHASE_WORDS):
            phases = end[BITS + j]
            lowest, times = 0, end[ENDED] if phases != 0 else 0
            while times != 0:
                digit, carry = lowest, phases if times & 1 else 0
                while carry != 0:
                    before = fired[j, digit]
                    fired[j, digit] = before ^ carry
                    carry &= before
                    digit += 1
                lowest, times = lowest + 1, times >> 1
        for j in range(at.BRANCH_WORDS):
            taken[j] |= end[BITS + at.PHASE_WORDS + j]
    return decisions


@kernel
def _judge(fired: IntArray, taken: IntArray, phases: int, fewest: int, rare: IntArray) -> int:
    """Read the counts of `_tally`; returns the number of branches that were taken.

    rare: int64[PHASE_WORDS], zeros. It becomes the bit set of those of the first `phases` phases that fired in fewer
    than `fewest` episodes.
    """
    for bit in range(phases):
        times = 0
        for digit in range(fired.shape[1]):
            times += ((fired[bit >> 6, digit] >> (bit & 63)) & 1) << digit
        if times < fewest:
            rare[bit >> 6] |= 1 << (bit & 63)
    branches = 0
    for word in taken:
        while word != 0:
            word &= word - 1
            branches += 1
    return branches


@kernel(allocates=True)
def _measured(
    batch: Batch, player: Policy, key: int, episodes: int, step: int, phases: int, rare: IntArray
) -> tuple[int, int]:
    """Play random episodes, `step` of them together; returns the numbers of decisions and of taken branches.

    player: the uniform policy. key: of the episodes' streams. rare: as for `_judge`. Returns -1 twice if the batch is
    too small for the walk.
    """
    digits, decisions = 1, 0
    while episodes >> digits:
        digits += 1
    fired, taken = np.zeros((at.PHASE_WORDS, digits), np.int64), np.zeros(at.BRANCH_WORDS, np.int64)
    player_key = subkey(key, _ALICE)  # both players choose by one stream; a decision takes one number of it
    keys = Streams(subkey(key, _CHANCE), player_key, player_key)
    for first in range(0, episodes, step):
        count = min(step, episodes - first)
        begin(batch, keys, first, count, 0)
        ends = walk(batch, count, player, player)
        if ends < 0:
            return -1, -1
        decisions += _tally(batch, ends, fired, taken)
    return decisions, _judge(fired, taken, phases, math.ceil(RARE * episodes), rare)


def gate(program: Playable, seed: int, episodes: int = EPISODES) -> Gate:
    """Play `episodes` random episodes and apply the three rules. Raises ValueError for fewer than one episode."""
    if episodes < 1:
        raise ValueError(f"a game cannot be gated by {episodes} episodes: ask for one or more.")
    key = key_of(seed, Domain.GATE)
    outline, rare = program.outline, np.zeros(at.PHASE_WORDS, np.int64)
    batch = kept_batch(program, blind=True, noted=False, draws=1)
    while (found := _measured(batch, UNIFORM, key, episodes, BATCH, outline.phases, rare))[0] < 0:
        batch = larger(batch)
    decisions, alive = found
    return _verdict(outline, decisions / episodes / 2, rare.tobytes(), alive)


def _verdict(outline: Outline, moves: float, rare: bytes, alive: int) -> Gate:
    """The verdict of the rules. rare: a bit set of phases, lowest byte first. alive: the number of taken branches."""
    seldom = int.from_bytes(rare, "little")
    by_reading = {name: _share(seldom, counts(outline)) for name, counts in READINGS.items()}
    branches = 2 * outline.conditionals
    dead = (branches - alive) / branches if branches else 0.0
    broken = _broken((moves, by_reading[READING], dead))
    hopeless = _broken((moves, 0.0, dead))  # under every reading of a phase
    few_rare = [name for name, share in by_reading.items() if share <= MOST_RARE_PHASES]
    return Gate(
        accepted=not broken,
        reason=broken[0] if broken else "",
        moves=moves,
        rare_phases=by_reading[READING],
        dead_branches=dead,
        broken=broken,
        rare_by_reading=by_reading,
        accepted_by=() if hopeless else tuple(few_rare),
    )


def _share(some: int, among: int) -> float:
    """The share of one bit set, `among`, that is also in the other."""
    return (some & among).bit_count() / among.bit_count()


def _broken(figures: tuple[float, float, float]) -> tuple[str, ...]:
    """The reasons of the rules that the figures break. figures: in the order of the rules."""
    return tuple([rule.reason for rule, figure in zip(RULES, figures, strict=True) if figure > rule.most])
