"""Conditions on games, and selections within limits: what is chosen, and what is refused in a sentence."""

import json
from pathlib import Path

import numpy as np
import pytest

from antemill.axes.select import farthest_points
from antemill.engine.errors import UsageError
from antemill.tournament.cli.entry import run
from antemill.tournament.pool.layout import open_pool
from antemill.tournament.pool.select import Limits, read_columns, read_points, select_games
from antemill.tournament.pool.where import matching
from tests.tournament.pool.pool_jobs import scored_pool

COLUMNS = {
    "risk": np.array([0.0, 0.5, np.nan, 2.0]),
    "size": np.array([1, 2, 3, 4]),
    "tier": np.array(["fast", "exact", "exact", "fast"], object),
    "has_auction": np.array([True, False, True, False]),
}


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("risk < 1", [0, 1]),
        ("risk != 0.5", [0, 2, 3]),
        ("has_auction", [0, 2]),
        ("not has_auction and size >= 2", [1, 3]),
        ("1 < size <= 3", [1, 2]),
        ("tier == 'exact' or risk == 2e0", [1, 2, 3]),
        ("not (tier == 'exact' or has_auction)", [3]),
        ("size > risk and -1 < risk", [0, 1, 3]),
        ("risk < -1", []),
        (" size\t>= 4 ", [3]),
    ],
)
def test_a_condition_is_a_mask(condition: str, rows: list[int]) -> None:
    assert np.flatnonzero(matching(condition, COLUMNS)).tolist() == rows


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("", "cannot be read"),
        ("risk <", "cannot be read"),
        ("risk = 1", "cannot be read"),
        ("risk", "risk is not a column of truth values; compare it with something"),
        ("3", "'3' is no condition"),
        ("rsik < 3", "asks for rsik, which is no column: did you mean risk?"),
        ("luck < 3", "which is no column: the columns are risk, size, tier, has_auction."),
        ("tier < 3", "'tier < 3' compares a text with a number"),
        ("risk in (1, 2)", "cannot be read"),
        ("-1 < -risk", "'-risk' is neither a column nor a number nor a text in quotes"),
        ("risk + 1 < 3", "'risk + 1' is neither a column nor a number nor a text in quotes"),
        ("__import__('os').system('touch pwned')", "is no condition"),
        ("risk < __import__('os').getpid()", "is neither a column"),
        ("(lambda: risk)() < 3", "is neither a column"),
        ("risk < 1; size < 2", "cannot be read"),
        ("not " * 100_000 + "has_auction", "cannot be read"),
        ("risk < 1\0", "cannot be read"),
    ],
)
def test_what_is_no_condition_is_refused_and_never_executed(
    condition: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as refused:
        matching(condition, COLUMNS)
    assert words in str(refused.value)
    assert not list(tmp_path.iterdir())


def test_a_selection_keeps_its_limits() -> None:
    pool = open_pool(scored_pool())
    points = read_points(pool)
    columns = read_columns(pool, "fast", points)
    assert columns["seed"].tolist() == points.seeds.tolist()
    auctions = [columns[f"has_auction_of_a_{what}"] for what in ("draw", "peek", "steal")]
    assert columns["has_auction"].tolist() == np.any(auctions, axis=0).tolist()
    assert columns["has_auction"].any()
    assert all(name.isidentifier() for name in columns)
    able = np.flatnonzero(columns["state_space"] < 3)
    assert 3 < len(able) < len(points.seeds)
    out, pinned = int(points.seeds[able[0]]), int(points.seeds[np.argmax(columns["state_space"])])
    limits = Limits("state_space < 3", (pinned,), (out,))
    found = select_games(scored_pool(), 4, limits=limits)
    seeds = found["seed"].to_pylist()
    assert seeds[0] == pinned
    assert found["fast_state_space"].to_pylist()[0] >= 3
    assert all(value < 3 for value in found["fast_state_space"].to_pylist()[1:])
    assert out not in select_games(scored_pool(), 1000, limits=limits)["seed"].to_pylist()
    rest = np.flatnonzero((columns["state_space"] < 3) & (points.seeds != out) | (points.seeds == pinned))
    first = int(np.flatnonzero(points.seeds[rest] == pinned)[0])
    assert seeds == points.seeds[rest][farthest_points(points.values[rest], 4, pinned=[first])].tolist()


def test_pinned_games_come_first_and_the_others_stay_far_from_them() -> None:
    line = np.array([[0.0], [1.0], [2.0], [9.0], [10.0]])
    assert farthest_points(line, 3).tolist() == [2, 4, 0]  # 2 is nearest to the mean
    assert farthest_points(line, 3, pinned=[4, 3]).tolist() == [4, 3, 0]
    assert farthest_points(line, 2, seeds=[5, 4, 3, 2, 1], pinned=[0]).tolist() == [0, 4]


def test_the_command_pins_and_excludes_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seeds = read_points(open_pool(scored_pool())).seeds.tolist()
    line = ["pool", "select", str(scored_pool()), "--count", "4", "-o", str(tmp_path / "some.parquet"), "--json"]
    assert run(line) == 0
    first, *others = json.loads(capsys.readouterr().out)["seeds"]
    pinned = [seed for seed in seeds if seed not in (first, *others)][:2]
    limits = [f"--pin={seed}" for seed in pinned] + [f"--exclude={seed}" for seed in (first, others[0])]
    assert run([*line, *limits]) == 0
    found = json.loads(capsys.readouterr().out)["seeds"]
    assert (found[:2], len(found), {first, others[0]} & {*found}) == (pinned, 4, set())
    assert run([*line, f"--pin={first}", f"--exclude={first}"]) == 2
    assert f"game {first} is pinned and excluded" in capsys.readouterr().err
