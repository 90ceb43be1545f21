"""The buffers in which episodes are played together, kept by a thread, and the state at their beginning."""

import threading
from typing import Any

import numpy as np
import numpy.typing as npt

from antemill.engine.errors import UsageError
from antemill.engine.kernel import kernel
from antemill.engine.machine import layout as at
from antemill.engine.machine.layout import NO_KEYS
from antemill.engine.machine.policy import KeyKind, Policy, PolicyKind
from antemill.engine.machine.program import Playable
from antemill.engine.machine.together import ASKED_WORDS, END_WORDS, GROUP_WORDS, PLACE_WORDS, Batch, walk
from antemill.engine.machine.vm import advance

Array = npt.NDArray[Any]
BATCH = 32768  # episodes played together: with more of them, more share a state, but the buffers are larger


@kernel(inline="always")
def reset(initial: Array, state: Array) -> None:
    """Reset a state to `initial`, an `opening`, whose piles except the deck are empty; their counts are registers."""
    for i in range(at.DECK + initial[at.CARDS]):
        state[i] = initial[i]


@kernel(inline="always")
def start(initial: Array, state: Array, chance: int) -> None:
    """Reset a state to `initial`; from there on the machine draws chance itself from the stream `chance`.

    Call `advance` next: if `initial` waits for a draw, play goes on; if it waits for a decision, it asks again.
    """
    reset(initial, state)
    state[at.CHANCE_KEY] = chance if chance != 0 else 1


def opening(program: Playable, blind: bool = False) -> Array:
    """int64[layout.SIZE]: a state that every episode passes through, the argument `initial` of `reset`.

    It is the state at the game's first question. If a call is active there, or cards are outside the deck, it is the
    state before the first instruction. blind: cards are drawn only when they are read, and keys are not kept
    (`antemill.engine.machine.instructions.unseen`).
    """
    initial = program.initial_state()
    initial[at.BLIND] = NO_KEYS if blind else 0
    state = initial.copy()
    advance(program.code, state)
    return initial if any(map(state.item, _COUNTS)) else state


_COUNTS = (at.CALL_N, at.HAND_N, at.HAND_N + 1, at.BOARD_N, at.DISCARD_N)


def batch_for(program: Playable, episodes: int, logged: bool = False, blind: bool = False, noted: bool = True) -> Batch:
    """Buffers in which `play` plays this number of episodes together.

    logged: whether they include the columns that `write_log` reads. blind: as in `opening`, for policies that look up
    no keys except contexts, as `play` checks; not with `logged`. noted: as in `Batch`.
    """
    places, asked = _place_buffers(32 * episodes + 64 if noted else 0, logged)
    return Batch(
        code=program.code,
        initial=opening(program, blind),
        stack=np.zeros((32, at.SIZE), np.int64),
        groups=np.empty((1024, GROUP_WORDS), np.int64),
        keys=np.empty((3, episodes), np.int64),
        draws=2,
        noted=noted,
        rows=np.zeros((2, episodes), np.int32),
        order=np.empty(episodes, np.int32),
        answers=np.empty(episodes, np.int32),
        spare=np.empty((2, episodes + 1), np.int32),
        end=np.empty(episodes, np.int32),
        places=places,
        asked=asked,
        ends=np.empty((episodes, END_WORDS), np.int64),
    )


_kept = threading.local()


def kept_batch(
    program: Playable, logged: bool = False, blind: bool = False, noted: bool = True, draws: int = 2
) -> Batch:
    """`batch_for` of `BATCH` episodes in buffers that this thread keeps and its next call overwrites.

    New buffers would have to be loaded into the processor's caches for every game.
    """
    buffers: Batch | None = getattr(_kept, "batch", None)
    if buffers is None:
        buffers = _kept.batch = batch_for(program, BATCH, logged=True)
    return Batch(
        program.code,
        opening(program, blind),
        buffers.stack,
        buffers.groups,
        buffers.keys,
        draws,
        noted,
        buffers.rows,
        buffers.order,
        buffers.answers,
        buffers.spare,
        buffers.end,
        buffers.places,
        buffers.asked if logged else buffers.asked[:0],
        buffers.ends,
    )


def _place_buffers(number: int, logged: bool) -> tuple[Array, Array]:
    """`Batch.places` and `Batch.asked`, which take memory only where they are written.

    They are one allocation: when several large ones are freed together, the C library returns their memory to the
    system, and the first writes to new memory then take as long as playing.
    """
    words = PLACE_WORDS // 2  # of 64 bits
    buffers = np.empty(number * (words + (ASKED_WORDS if logged else 0)), np.int64)
    places, asked = buffers[: number * words], buffers[number * words :]
    return places.view(np.int32).reshape(-1, PLACE_WORDS), asked.reshape(-1, ASKED_WORDS)


def play(batch: Batch, episodes: int, alice: Policy, bob: Policy) -> tuple[Batch, int]:
    """Play the first episodes of a batch whose keys are set.

    Returns the batch, or a larger one if its buffers were too small, and the number of used rows of its `ends`. Raises
    UsageError if a policy looks up keys that the batch does not keep.
    """
    unkept = [policy.kind == PolicyKind.TABLE and policy.key_kind != KeyKind.CONTEXT for policy in (alice, bob)]
    if batch.initial[at.BLIND] != 0 and any(unkept):
        raise UsageError("the policy looks up keys that a blind batch does not keep: play it in one that is not blind.")
    while True:
        ends = walk(batch, episodes, alice, bob)
        if ends >= 0:
            return batch, ends
        batch = larger(batch)


def larger(batch: Batch) -> Batch:
    """A batch for the same number of episodes with larger buffers, after a walk that did not fit."""
    places, asked = _place_buffers(2 * len(batch.places), len(batch.asked) > 0)
    return batch._replace(
        stack=np.zeros((2 * len(batch.stack), at.SIZE), np.int64),
        groups=np.empty((2 * len(batch.groups), GROUP_WORDS), np.int64),
        places=places,
        asked=asked,
    )
