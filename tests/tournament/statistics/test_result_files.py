"""Tables that others wrote: names are text, whatever they look like; one reader, one sentence for what it refuses."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from antemill.axes import AXES
from antemill.engine.errors import AntemillError, UsageError
from antemill.tournament.cli.entry import run
from antemill.tournament.statistics.game_axes import read_axes
from antemill.tournament.statistics.outputs import analyze
from antemill.tournament.statistics.result_columns import results_table
from antemill.tournament.statistics.result_files import numbers, read_rows
from tests.differing import assert_same

RESULTS = "a,b,score_a,score_b\n"
SLOTS = "game,run,alice,bob,margin\n"
BROKEN = pa.StringArray.from_buffers(2, *pa.array([b"\xff", b"x"]).buffers()[1:])  # not UTF-8
DAY, LATER = datetime.datetime(2026, 1, 1), datetime.datetime(2026, 1, 2)


def rated(path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> set[str]:
    assert run(["rate", str(path), "--json", *options]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return {row["player"] for row in json.loads(out)["ratings"]}


def refused(path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert run(["rate", str(path)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n"), err[-2:]) == ("", 1, ".\n")
    return err


def analysed(path: Path, out: Path) -> set[str]:
    return {rank.player for rank in analyze(path, None, out).leaderboard}


def refused_by_analyze(path: Path, out: Path) -> str:
    with pytest.raises(AntemillError) as caught:
        analyze(path, None, out)
    assert not out.exists()
    return str(caught.value)


@pytest.mark.parametrize(("one", "other"), [("001", "1"), ("NA", "1e3")])
def test_names_that_look_like_numbers_stay_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], one: str, other: str
) -> None:
    """In every column of names, of a CSV file as of a Parquet file that holds the same text."""
    lines = [f"{one},{other},2,1", f"{other},{one},1,0", f"{one},{other},0,3"]
    (tmp_path / "results.csv").write_text(RESULTS + "\n".join(lines))
    rows = [f"{one},7,{one},{other},2", f"{other},07,{other},{one},-1", f"{one},7.0,{one},{other},0"]
    (tmp_path / "slots.csv").write_text(SLOTS + "\n".join(rows))
    for name in ("results", "slots"):
        columns = [line.split(",") for line in (tmp_path / f"{name}.csv").read_text().splitlines()]
        table = pa.table({head: list(cells) for head, *cells in zip(*columns, strict=True)})
        pq.write_table(table, tmp_path / f"{name}.parquet")
        for suffix in ("csv", "parquet"):
            assert rated(tmp_path / f"{name}.{suffix}", capsys) == {one, other}
    for suffix in ("csv", "parquet"):
        assert analysed(tmp_path / f"slots.{suffix}", tmp_path / suffix) == {one, other}
        lines = (tmp_path / suffix / "tables" / "table9_game_strengths.csv").read_text().splitlines()[1:]
        assert {line.partition(",")[0] for line in lines} == {one, other}
    assert_same((tmp_path / "csv/tables.md").read_text(), (tmp_path / "parquet/tables.md").read_text())


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (RESULTS + "ann,,1,0", "row 1 has no 'b'"),
        ("a,b,score_a,score_b,a\nann,bob,1,0,x", "more than one column 'a'"),
        (RESULTS + "ann,bob,9007199254740993,9007199254740992", "too large to be exact"),
        (RESULTS + "ann,bob,1,-inf", "row 1 has no finite number in 'score_b'"),
        (RESULTS + "ann,bob,1,0,9", "is not a csv file that can be read"),
        ((RESULTS + "ann,bj\xf6rn,1,0").encode("latin-1"), "it is not UTF-8 text"),
        ("a,b,score_a,score_b,n\xf6te\nann,bob,1,0,x".encode("latin-1"), "is not UTF-8 text"),
        (b"", "is not a csv file that can be read"),
        ("a|b|score_a|score_b\nann|bob|1|0", "no column 'a', 'b'"),
    ],
)
def test_csv_files_are_refused_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | bytes, sentence: str
) -> None:
    path = tmp_path / "results.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert sentence in refused(path, capsys)


@pytest.mark.parametrize(
    "content",
    [
        "\ufeff" + RESULTS + "ann,bob,1,0",
        RESULTS.replace("\n", "\r\n") + "ann,bob,1,0\r\n\r\n",
        "," + RESULTS + '0,"ann",bob, 1 ,0',
        RESULTS + "ann,bob,1e-300,0\nbob,ann,0,0.5",
    ],
)
def test_csv_files_of_other_programs_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str) -> None:
    """A byte order mark, line ends of Windows, a nameless index, tiny scores."""
    path = tmp_path / "results.csv"
    path.write_bytes(content.encode())
    for method in ("elo", "margin", "bradley-terry", "trueskill"):
        assert rated(path, capsys, "--method", method) == {"ann", "bob"}


def results_with(**columns: Any) -> pa.Table:
    return pa.table({"a": ["ann", "bob"], "b": ["bob", "ann"], "score_a": [1, 2], "score_b": [0, 1]} | columns)


def slots_with(**columns: Any) -> pa.Table:
    plain = {"game": ["g", "g"], "run": [0, 0], "alice": ["ann", "bob"], "bob": ["bob", "ann"], "margin": [1, 2]}
    return pa.table(plain | columns)


NO_NAMES: list[Any] = [
    [["x"], ["y"]],
    [4.1, 4.2],
    [Decimal("4.10"), Decimal("4.20")],
    [True, False],
    [DAY, LATER],
    [{"x": 1}, {"x": 2}],
    [b"ann", b"bob"],
    BROKEN,
    pa.nulls(2),
    ["ann", None],
    ["ann", ""],
    pa.array([1.5, 2.5]).dictionary_encode(),
]
NO_FIGURES: list[Any] = [
    [[1], [2]],
    [True, False],
    [DAY, LATER],
    [b"1", b"2"],
    pa.nulls(2),
    [1.0, None],
    [1.0, float("nan")],
    pa.array([2**63 + 1, 0], pa.uint64()),
    [2**53 + 1, 0],
    [1e300, 0.0],
    pa.array([1, 2], pa.duration("s")),
    ["1", "one"],
]


@pytest.mark.parametrize(
    ("kind", "column", "values"),
    [("names", "a", values) for values in NO_NAMES]
    + [("figures", "score_a", values) for values in NO_FIGURES]
    + [("names", "cluster", [4.1, 4.2]), ("names", "game", pa.nulls(2)), ("figures", "weight", [1.0, None])],
)
def test_odd_parquet_columns_are_refused_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, column: str, values: Any
) -> None:
    """By `rate` and by `analyze`, for the same reason."""
    path, slots = tmp_path / "results.parquet", tmp_path / "slots.parquet"
    pq.write_table(results_with(**{column: values}), path)
    sentence = refused(path, capsys)
    assert f"'{column}'" in sentence
    same = {"a": "alice", "score_a": "margin"}.get(column, column)
    pq.write_table(slots_with(**{same: values}), slots)
    assert refused_by_analyze(slots, tmp_path / "out") in sentence.replace(f"'{column}'", f"'{same}'")
    assert kind in ("names", "figures")


@pytest.mark.parametrize(
    "columns",
    [
        {"a": pa.array(["ann", "bob"]).dictionary_encode()},
        {"a": pa.array(["ann", "bob"], pa.large_string()), "b": pa.array(["bob", "ann"], pa.string_view())},
        {"score_a": [Decimal("4.10"), Decimal("4.20")]},
        {"score_a": pa.array([1, 2], pa.uint8()).dictionary_encode()},
        {"score_a": ["1", " 2.5 "]},
        {"cluster": [DAY.date(), LATER.date()]},
        {"cluster": [3, 4]},
        {"other": [[1], [2]]},
    ],
)
def test_parquet_columns_that_mean_one_thing_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], columns: dict[str, Any]
) -> None:
    pq.write_table(results_with(**columns), tmp_path / "results.parquet")
    assert rated(tmp_path / "results.parquet", capsys) == {"ann", "bob"}


def test_numbers_in_one_column_of_names_and_text_in_the_other_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """1 and 001 would be two players."""
    pq.write_table(results_with(a=[1, 2], b=["001", "3"]), tmp_path / "results.parquet")
    assert "'a' holds numbers and 'b' text" in refused(tmp_path / "results.parquet", capsys)
    pq.write_table(slots_with(alice=["1", "2"], bob=[2, 1]), tmp_path / "slots.parquet")
    assert "'bob' holds numbers and 'alice' text" in refused_by_analyze(tmp_path / "slots.parquet", tmp_path / "out")
    pq.write_table(results_with(a=[1, 2], b=[2, 1]), tmp_path / "whole.parquet")
    assert rated(tmp_path / "whole.parquet", capsys) == {"1", "2"}


def test_axes_are_read_like_everything_else(tmp_path: Path) -> None:
    """Games are text there, too, and what is no number is a sentence."""
    path = tmp_path / "axes.csv"
    path.write_text(f"game,{','.join(AXES)}\n07,1,2,3,4,5,6\n7,6,5,4,3,2,\n")
    found = read_axes(path, ["07", "7"])
    assert found.values[0].tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert np.isnan(found.values[1]).all()
    path.write_text(f"game,{','.join(AXES)}\n07,1,2,3,4,5,much\n")
    with pytest.raises(UsageError, match="'brittleness' has text in it"):
        read_axes(path, ["07"])


@pytest.mark.parametrize("write", [str.encode, lambda text: text.encode("utf-8-sig")])
def test_gaps_are_nan_only_where_they_are_allowed(tmp_path: Path, write: Callable[[str], bytes]) -> None:
    (tmp_path / "x.csv").write_bytes(write("x,y\n1,\n,2\n"))
    rows = read_rows(tmp_path / "x.csv")
    np.testing.assert_array_equal(numbers(rows, "x", gaps=True), [1.0, np.nan])
    with pytest.raises(UsageError, match="row 2 has no finite number in 'x'"):
        numbers(rows, "x")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_names_that_differ_in_how_an_accent_is_written_are_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], suffix: str
) -> None:
    """Files of two systems put together: an accented letter is one code point here, and two there."""
    one, two = "caf\u00e9", "cafe\u0301"
    rows = pa.table(
        {
            "a": [one, two, "bob"],
            "b": ["bob", "bob", two],
            "score_a": [1, 0, 1],
            "score_b": [0, 1, 0],
            "game": [one, two, one],
        }
    )
    path = tmp_path / f"results.{suffix}"
    if suffix == "csv":
        pyarrow.csv.write_csv(rows, path)
    else:
        pq.write_table(rows, path)
    assert results_table(read_rows(path)).models == ("bob", one)
    assert results_table(read_rows(path)).games == (one,)
    assert run(["rate", str(path), "--anchor", f"{two}=1500", "--json"]) == 0
    found = {row["player"]: row["rating"] for row in json.loads(capsys.readouterr().out)["ratings"]}
    assert found[one] == 1500.0
