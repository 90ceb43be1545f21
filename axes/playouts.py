"""Playouts whose decisions are counted directly, without a log, for the axes that simulate opponents."""

import numpy as np

from antemill.axes.grouping import IntArray
from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.batch import BATCH, batch_for, opening
from antemill.engine.machine.chance import root, subkey
from antemill.engine.machine.policy import Policy
from antemill.engine.machine.program import Program
from antemill.engine.machine.rollout import Streams, begin, streams_below
from antemill.engine.machine.together import ACTION, DECISION, ENDED, MADE, PARENT, PAYOFF, SEAT, Batch, walk
from antemill.engine.machine.words import unsigned


def batch_in(program: Program, episodes: int, batch: Batch | None, blind: bool = False) -> Batch:
    """A batch for a number of episodes: `batch` if it is large enough, else a new one. blind: as in `batch_for`."""
    if batch is None or len(batch.end) < episodes:
        return batch_for(program, episodes, blind=blind)
    return batch if bool(batch.initial[at.BLIND]) == blind else batch._replace(initial=opening(program, blind))


@kernel(inline="always")  # otherwise the machine would be compiled into this kernel and the next two
def walk_against(batch: Batch, episodes: int, player: Policy, opponent: Policy, focal: int) -> int:
    """`walk` with the focal seat's policy and the other seat's."""
    return walk(batch, episodes, player, opponent) if focal == 0 else walk(batch, episodes, opponent, player)


@kernel(inline="always")
def visits(
    batch: Batch, keys: Streams, player: Policy, opponent: Policy, episodes: int, focal: int, counts: IntArray
) -> bool:
    """Count how often the focal seat meets each decision type; returns whether the batch was large enough.

    The policies have one row. counts: int64[decision types], added to.
    """
    for first in range(0, episodes, BATCH):
        count = min(BATCH, episodes - first)
        begin(batch, keys, first, count, 0)
        ends = walk_against(batch, count, player, opponent, focal)
        if ends < 0:
            return False
        count_visits(batch, ends, focal, counts)
    return True


@kernel
def count_visits(batch: Batch, ends: int, focal: int, counts: IntArray) -> None:
    """Count the focal seat's decisions by type."""
    for i in range(ends):
        end = batch.ends[i]
        place = end[PARENT]
        while place >= 0:
            here = batch.places[unsigned(place)]
            if here[SEAT] == focal:
                counts[unsigned(here[DECISION])] += end[ENDED]
            place = here[PARENT]


@kernel
def streams_of(seed: int, domain: int, focal: int) -> Streams:
    """`antemill.engine.machine.rollout.streams` for the episodes of a focal seat."""
    return streams_below(subkey(subkey(root(seed), domain), focal))


@kernel
def substreams(keys: Streams, word: int) -> Streams:
    """The streams for one numbered part of a batch, such as the episodes against one opponent."""
    return Streams(subkey(keys.chance, word), subkey(keys.alice, word), subkey(keys.bob, word))


@kernel
def begin_all(batch: Batch, keys: Streams, first: int, parts: int, episodes: int, focal: int, opponents: int) -> None:
    """Fill the batch with the first episodes of the parts first, first + 1, ... of the streams, in this order.

    The opponent's policy has a row for each opponent; the opponents take the parts in turn.
    """
    for part in range(parts):
        begin(batch, substreams(keys, first + part), 0, episodes, part * episodes)
        batch.rows[1 - focal, part * episodes : (part + 1) * episodes] = part % opponents


@kernel
def payoff_of(batch: Batch, episode: int, focal: int) -> int:
    """The focal seat's payoff in an episode of a batch."""
    alice = batch.ends[unsigned(batch.end[unsigned(episode)]), PAYOFF]
    return int(alice if focal == 0 else -alice)


@kernel(allocates=True)
def ways(batch: Batch, ends: int, focal: int, offsets: IntArray) -> tuple[IntArray, IntArray]:
    """The focal seat's actions on the way to each end, as indices into the flat table of all actions.

    Returns int64[ends + 1], the start of each end's part of the second array, and int64[.], the actions. ends: the
    number of used rows of `batch.ends`. offsets: `Program.action_offsets`.
    """
    starts, most = np.empty(ends + 1, np.int64), 0
    for i in range(ends):
        most += batch.ends[i, MADE]
    actions, n = np.empty(most, np.int64), 0
    for i in range(ends):
        end = batch.ends[i]
        starts[i] = n
        place, action = end[PARENT], end[ACTION]
        while place >= 0:
            here = batch.places[unsigned(place)]
            actions[unsigned(n)] = offsets[unsigned(here[DECISION])] + action
            n += here[SEAT] == focal  # otherwise the next one overwrites it: this avoids an unpredictable branch
            place, action = here[PARENT], here[ACTION]
    starts[ends] = n
    return starts, actions
