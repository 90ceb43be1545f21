"""Environments that are copied, sent, shared and given up: what they show goes on, and nothing of them stays behind."""

from __future__ import annotations

import copy
import pickle
import threading
import weakref
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from antemill.tournament.adapters import vector_env
from antemill.tournament.adapters.gymnasium import VectorTable

RANDOM = -1  # with illegal="masked": the action that a rollout's uniform player draws


def through_ray(given: VectorTable) -> VectorTable:
    """Its arrays in read-only buffers, as Ray's workers get them."""
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(given, 5, buffer_callback=buffers.append)
    assert buffers
    table: VectorTable = pickle.loads(data, buffers=[bytes(buffer.raw()) for buffer in buffers])
    return table


def through_pickle(given: VectorTable, protocol: int) -> VectorTable:
    table: VectorTable = pickle.loads(pickle.dumps(given, protocol))
    return table


COPIES = [
    copy.copy,
    copy.deepcopy,
    through_ray,
    *(partial(through_pickle, protocol=protocol) for protocol in (2, 4, 5)),
]


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("dealt", [False, True])
def test_a_copy_plays_on_by_itself(copied: Callable[[VectorTable], VectorTable], dealt: bool) -> None:
    """It shows what the original would have shown, whichever of them is stepped first, and neither moves the other."""
    table = vector_env(["kuhn", "7", "leduc"], 300, illegal="masked")
    table.reset(seed=4)
    draw = np.full(300, RANDOM)
    table.step(draw)
    twin = copied(table)
    if not dealt:
        twin.reset(seed=4)
        table.reset(seed=4)
    for _ in range(6):
        mine = table.step(draw)
        kept = [array.tobytes() for array in (*mine[0].values(), *mine[1:4], *mine[4].values())]
        other = twin.step(draw)
        assert [array.tobytes() for array in (*other[0].values(), *other[1:4], *other[4].values())] == kept
        assert [array.tobytes() for array in (*mine[0].values(), *mine[1:4], *mine[4].values())] == kept


def test_a_step_is_whole_whoever_takes_it() -> None:
    """Threads that step one environment take turns: together they are as far as one of them with all their steps."""
    games, draw = ["7", "8", "leduc"], np.full(600, RANDOM)
    shared, alone = (vector_env(games, 600, illegal="masked") for _ in range(2))
    for one in (shared, alone):
        one.reset(seed=1)

    def go_on() -> None:
        for _ in range(40):
            shared.step(draw)

    threads = [threading.Thread(target=go_on) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for _ in range(120):
        alone.step(draw)
    mine, others = shared.step(draw), alone.step(draw)
    assert all(np.array_equal(mine[0][name], others[0][name]) for name in others[0])
    assert all(np.array_equal(mine[4][name], others[4][name]) for name in others[4])


def test_what_was_shown_outlives_the_environment() -> None:
    """Arrays that a learner holds stay; everything else is freed with the environment, at once."""
    table = vector_env(["7", "kuhn", "leduc"], 300, illegal="masked")
    table.reset(seed=4)
    shown = table.step(np.full(300, RANDOM))[0]
    kept = {name: part.copy() for name, part in shown.items()}
    blocks = [weakref.ref(block) for block in table._blocks]
    table.close()
    del table
    assert all(block() is None for block in blocks)
    assert all(np.array_equal(shown[name], kept[name]) for name in kept)
