"""What strangers pass to environments is read as they meant it, or refused in a sentence that says what was wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from antemill.engine.errors import UsageError
from antemill.tournament.adapters import vector_env


@pytest.mark.parametrize(
    ("lanes", "message"),
    [
        (1.5, r"the number of lanes is 1.5: pass a whole number"),
        (True, r"the number of lanes is True: pass a whole number"),
        ("8", r"the number of lanes is '8': pass a whole number"),
        (None, r"the number of lanes is None: pass a whole number"),
        (-1, r"1 games need at least 1 lanes, not -1"),
        (1 << 50, r"1,125,899,906,842,624 lanes do not fit into memory: ask for fewer"),
        (1 << 70, r"1,180,591,620,717,411,303,424 lanes do not fit into memory: ask for fewer"),
    ],
)
def test_numbers_of_lanes(lanes: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        vector_env("kuhn", lanes)


@pytest.mark.parametrize("games", [None, 3.5, True, b"kuhn", [None], ["kuhn", 3.5], [["kuhn"]], [b"kuhn"]])
def test_what_is_no_game_is_refused(games: Any) -> None:
    for options in ({"games": games}, {"form": games}):
        with pytest.raises(UsageError, match="is no game"):
            vector_env(**options)


READ_ONLY = np.zeros(4, np.int64)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    "actions",
    [
        [0, 0, 0, 0],
        (0.0, 0.0, 0.0, 0.0),
        np.zeros(4, np.uint8),
        np.zeros(4, np.bool_),
        np.zeros(4, ">i8"),
        np.zeros(8, np.int64)[::2],
        np.frombuffer(bytes(33), np.int64, 4, 1),  # not aligned
        READ_ONLY,
    ],
)
def test_actions_of_every_make(actions: Any) -> None:
    got, want = vector_env("kuhn", 4), vector_env("kuhn", 4)
    for table in (got, want):
        table.reset(seed=1)
    kept = want.step(np.zeros(4, np.int64))
    shown = got.step(actions)
    assert shown[0]["observation"].tobytes() == kept[0]["observation"].tobytes()
    assert shown[1].tolist() == kept[1].tolist()


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0.5] * 4, "actions are whole numbers, not float64: 4 lanes need one each"),
        ([np.nan] * 4, "actions are whole numbers, not "),
        ([np.inf] * 4, "actions are whole numbers, not "),
        (np.zeros(4, complex), "actions are whole numbers, not complex128"),
        (["0"] * 4, "actions are whole numbers, not "),
        ([None] * 4, "actions are whole numbers, not object"),
        ([2**70] * 4, "actions are whole numbers, not object"),
        ([[0], [0, 1], [0], [0]], "actions do not fit: 4 lanes need one whole number each"),
        (np.full(4, 2**64 - 1, np.uint64), "action -1 is not legal in lane 0"),
        (0, r"actions of shape \(\) do not fit: 4 lanes need one each"),
        (None, r"actions of shape \(\) do not fit"),
        ({0: 0}, r"actions of shape \(\) do not fit"),
        ([[0]] * 4, r"actions of shape \(4, 1\) do not fit"),
    ],
)
def test_what_are_no_actions_is_refused_and_nothing_is_played(actions: Any, message: str) -> None:
    table = vector_env("kuhn", 4)
    table.reset(seed=1)
    with pytest.raises(UsageError, match=message):  # and no warning, which would be an error
        table.step(actions)
    untouched = vector_env("kuhn", 4)
    untouched.reset(seed=1)
    want = untouched.step([0] * 4)[0]
    got = table.step([0] * 4)[0]
    assert all(np.array_equal(got[name], want[name]) for name in want)
