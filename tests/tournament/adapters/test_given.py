"""What strangers pass to environments is read as they meant it, or refused in a sentence that says what was wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import antemill as am
from antemill.engine import canonical_digest
from antemill.engine.errors import StorageError, UsageError
from antemill.engine.machine.policy import UNIFORM
from antemill.engine.rules.named import kuhn, leduc
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


def test_numbers_of_numpy_are_numbers() -> None:
    table = vector_env(np.int64(7), np.int32(4))  # type: ignore[arg-type]
    assert table.specs == vector_env(7).specs
    for seed in (3, 2**80 + 1, -5):
        plain = table.reset(seed=seed)[0]["observation"].copy()
        assert np.array_equal(plain, vector_env(7, 4).reset(seed=seed)[0]["observation"])
    plain = table.reset(seed=-3)[0]["observation"].copy()
    assert np.array_equal(plain, table.reset(seed=np.int64(-3))[0]["observation"])  # type: ignore[arg-type]


@pytest.mark.parametrize("games", [None, 3.5, True, b"kuhn", [None], ["kuhn", 3.5], [["kuhn"]], [b"kuhn"]])
def test_what_is_no_game_is_refused(games: Any) -> None:
    for options in ({"games": games}, {"form": games}):
        with pytest.raises(UsageError, match="is no game"):
            vector_env(**options)


def test_games_in_whatever_holds_them() -> None:
    several: list[Any] = [["kuhn", leduc()], ("kuhn", leduc()), (game for game in ("kuhn", "leduc"))]
    for games in several:
        assert vector_env(games, 8).specs == (kuhn(), leduc())


def test_folders_and_files_that_are_not_there(tmp_path: Path) -> None:
    for folder in (tmp_path, str(tmp_path)):
        with pytest.raises(UsageError, match=r"is a folder: name a file of `antemill pool split`, or draw games by a"):
            vector_env(folder)
    with pytest.raises(StorageError, match=r"there is no file .*train.parquet"):
        vector_env(tmp_path / "train.parquet")


@pytest.mark.parametrize("opponent", [5, b"random", lambda _state: 0, ["random"]])
def test_what_is_no_policy_is_refused(opponent: Any) -> None:
    with pytest.raises(UsageError, match=r"is no policy: use random, l1, mixed, cfr, the path of a policy"):
        vector_env("kuhn", bob=opponent)


def test_a_policy_of_no_kind_is_refused() -> None:
    for kind in (-1, 9):
        with pytest.raises(UsageError, match=f"there are no policies of kind {kind}"):
            vector_env("kuhn", bob=UNIFORM._replace(kind=kind))


@pytest.mark.parametrize("seed", ["x", 1.5, True, [1, 2, 3, 4]])
def test_seeds_that_are_no_numbers(seed: Any) -> None:
    with pytest.raises(UsageError, match=r"the seed is .*: pass a whole number"):
        vector_env("kuhn", 4).reset(seed=seed)


def test_options_of_a_reset() -> None:
    table = vector_env("kuhn", 4)
    assert table.reset(seed=1, options={"of": "others"})[1]["episode_number"].tolist() == [0, 1, 2, 3]
    for mask in ([True] * 3, np.zeros(4, np.bool_), [1, 0, 0, 0], "all"):
        with pytest.raises(UsageError, match="reset_mask must be 4 truth values, at least one of them true"):
            table.reset(options={"reset_mask": mask})
    with pytest.raises(UsageError, match="a series begins in all lanes: leave out reset_mask"):
        table.reset(seed=1, options={"reset_mask": [True] * 4})
    with pytest.raises(UsageError, match="a series begins in all lanes: leave out reset_mask"):
        vector_env("kuhn", 4).reset(options={"reset_mask": [True] * 4})
    assert table.reset()[1]["episode_number"].tolist() == [4, 5, 6, 7]  # and nothing was dealt


@pytest.mark.parametrize("events", [None, "no", 0])
def test_events_are_told_or_not(events: Any) -> None:
    with pytest.raises(UsageError, match=r"`events` must be True or False"):
        vector_env("kuhn", events=events)


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


def test_an_environment_has_each_game_and_its_disguises() -> None:
    table = vector_env(["kuhn", "starter-1"], 12, disguises=2)
    digests = [canonical_digest(spec) for spec in table.specs]
    assert digests == [digest for name in ("kuhn", "starter-1") for digest in [canonical_digest(am.game(name))] * 3]
    assert len({spec.name for spec in table.specs}) > 2
    assert table.specs == vector_env(["kuhn", "starter-1"], 6, disguises=2).specs
    observations, _ = table.reset(seed=1)
    assert observations["observation"].shape[0] == 12
    with pytest.raises(UsageError, match="disguises"):
        vector_env("kuhn", 4, disguises=-1)
