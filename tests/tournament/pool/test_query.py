"""`pool query`: what SQL sees of pools is what their parts hold, and it sees nothing else."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from antemill.axes import AXES
from antemill.engine.builder.generate import generate
from antemill.engine.errors import StorageError
from antemill.engine.rules.made_of import constructs
from antemill.engine.storage.places import place
from antemill.tournament.cli.entry import run
from antemill.tournament.cli.query import SHOWN
from antemill.tournament.pool.build import acceptance
from antemill.tournament.pool.layout import open_pool
from antemill.tournament.pool.query import TABLES, _errors, query_pools
from antemill.tournament.pool.select import read_points
from antemill.tournament.pool.stats import examine_pool
from tests.doc_pages import ROOT
from tests.engine.storage.stores import BusyStore
from tests.tournament.pool.pool_jobs import SEEDS, files_of, scored_pool


@pytest.fixture
def two(tmp_path: Path) -> list[Path]:
    """The pool twice, in folders of one name."""
    folders = [tmp_path / name / "pool" for name in ("a'b", "other")]
    for folder in folders:
        shutil.copytree(scored_pool(), folder)
    return folders


def rows(sql: str, *folders: Path | str) -> list[dict[str, Any]]:
    return list(query_pools(sql, folders or [scored_pool()]).to_pylist())


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What the command prints."""
    assert run(["pool", "query", *words]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The sentence with which the command refuses."""
    assert run(["pool", "query", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert err.endswith(".\n")
    return err


def test_candidates_and_accepted_are_those_of_the_pool() -> None:
    built = acceptance(open_pool(scored_pool()))
    counted = rows("SELECT reason, count(*) AS n FROM candidates GROUP BY reason")
    assert {row["reason"]: row["n"] for row in counted} == {"": built.accepted, **built.rejected}
    assert rows("SELECT min(seed) AS a, max(seed) AS b FROM candidates") == [{"a": SEEDS[0], "b": SEEDS[1] - 1}]
    assert rows("SELECT count(*) AS n, count(spec) AS s FROM accepted") == [{"n": built.accepted, "s": built.accepted}]


def test_scores_are_the_points_of_the_pool() -> None:
    points = read_points(open_pool(scored_pool()))
    found = query_pools(
        f"SELECT seed, {', '.join(AXES)} FROM scores WHERE tier = 'fast' ORDER BY seed", [scored_pool()]
    )
    assert found["seed"].to_pylist() == points.seeds.tolist()
    for i, axis in enumerate(AXES):
        assert found[axis].to_pylist() == points.values[:, i].tolist()
    assert rows("SELECT count(*) AS n FROM scores WHERE tier <> 'fast'") == [{"n": 0}]


def test_constructs_are_those_that_the_generator_used() -> None:
    for row in rows("SELECT seed, complexity, constructs FROM candidates WHERE seed % 7 = 0"):
        assert set(row["constructs"]) == constructs(generate(row["seed"], row["complexity"]))


def test_versions_of_the_axes_stand_side_by_side(two: list[Path]) -> None:
    now = next((two[0] / "scores" / "fast").iterdir())
    shutil.copytree(now, now.with_name("0123456789abcdef"))
    want = rows("SELECT * FROM scores", two[0])
    assert len(rows("SELECT * FROM all_scores", two[0])) == 2 * len(want)
    shutil.move(now, now.with_name("fedcba9876543210"))
    with pytest.raises(StorageError, match="are of other versions"):
        query_pools("SELECT 1", [two[0]])


def test_rules_are_json_that_sql_looks_into() -> None:
    found = rows("SELECT spec, spec->>'$.name' AS name, decode(encode(names)) AS names FROM accepted")
    assert found
    assert all(json.loads(row["spec"])["name"] == row["name"] for row in found)
    assert all(json.loads(row["names"])["decisions"] for row in found)


def test_several_pools_have_their_names_and_one_without_scores_is_none_the_less_asked(two: list[Path]) -> None:
    shutil.rmtree(two[1] / "scores")
    counted = rows("SELECT pool, count(*) AS n FROM candidates GROUP BY pool", *two)
    assert {row["pool"]: row["n"] for row in counted} == {str(folder): SEEDS[1] - SEEDS[0] for folder in two}
    assert {row["pool"] for row in rows("SELECT pool FROM scores", *two)} == {str(two[0])}
    assert [row["folder"] for row in rows("SELECT folder FROM pools ORDER BY folder", *two)] == sorted(map(str, two))
    assert rows("SELECT pool, first_seed, last_seed FROM pools", two[0]) == [
        {"pool": "pool", "first_seed": SEEDS[0], "last_seed": SEEDS[1] - 1}
    ]


def test_a_pool_in_a_store_is_asked_like_any_other() -> None:
    BusyStore.reset(lambda _number: False)
    store = place("fsspec+busy://bucket/pool")
    for name, data in files_of(scored_pool()).items():
        store.write(name, data)
    for sql in ("SELECT * FROM candidates ORDER BY seed", "SELECT * FROM accepted JOIN scores USING (pool, seed)"):
        assert query_pools(sql, [store.name]).equals(query_pools(sql, [scored_pool()]))
    assert rows("SELECT folder FROM pools", store.name) == [{"folder": store.name}]


def test_the_page_has_every_column_with_its_type() -> None:
    sections = re.split(r"\n(?=`)", (ROOT / "docs" / "queries.md").read_text(encoding="utf-8"))
    for table in TABLES:
        section = next(part for part in sections if f"`{table}`" in part.partition(": ")[0])
        printed = re.findall(r"^\| `(\w+)` \| ([A-Z\[\]]+) \|", section, re.MULTILINE)
        described = rows(f"DESCRIBE {table}")
        assert printed == [(row["column_name"], row["column_type"]) for row in described]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('{outside}')",
        "SELECT * FROM read_parquet('{pool}/games/*.parquet')",
        "SELECT * FROM glob('{pool}/*')",
        "SELECT * FROM '{outside}'",
        "SELECT * FROM read_csv('https://example.org/x.csv')",
        "SELECT * FROM outside",
        "SELECT getenv('HOME')",
        "FROM query('COPY (SELECT 1) TO ''{new}''')",
        "WITH x AS (INSERT INTO pools VALUES (1) RETURNING *) SELECT * FROM x",
    ],
)
def test_nothing_else_can_be_read(sql: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outside = [tmp_path / "outside.txt"]
    outside[0].write_text("secret")
    new = tmp_path / "new.csv"
    text = sql.format(outside=outside[0], pool=scored_pool(), new=new)
    assert "secret" not in refused(capsys, text, str(scored_pool()))
    assert not new.exists()


@pytest.mark.parametrize(
    ("sql", "word"),
    [
        ("COPY (SELECT 1) TO 'x.csv'", "COPY"),
        ("INSERT INTO candidates VALUES (1)", "INSERT"),
        ("CREATE TABLE t AS SELECT 1", "CREATE"),
        ("ATTACH 'x.db'", "ATTACH"),
        ("SET enable_external_access = true", "SET"),
        ("INSTALL httpfs", "LOAD"),
        ("DROP VIEW candidates", "DROP"),
        ("SELECT 1; SELECT 2", "one statement, and there are 2"),
        (" -- nothing", "one statement, and there are none"),
        ("SELEC 1", 'syntax error at or near "SELEC"'),
        ("SELECT nothing FROM scores", 'Referenced column "nothing" not found'),
        ("SELECT * FROM acepted", "the tables are pools, candidates, accepted, scores"),
        ("SELECT CAST(reason AS INT) FROM candidates", "Could not convert"),
    ],
)
def test_what_is_no_query_is_refused_in_a_sentence(sql: str, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert word in refused(capsys, sql, str(scored_pool()))


def test_the_settings_are_closed() -> None:
    found = rows(
        "SELECT name, value FROM duckdb_settings() WHERE name IN ('lock_configuration', 'enable_external_access')"
    )
    assert {row["name"]: row["value"] for row in found} == {
        "lock_configuration": "true",
        "enable_external_access": "false",
    }


def test_a_signal_ends_a_query_like_any_command() -> None:
    """DuckDB answers it with an error of its own, in which the signal is the cause."""
    with pytest.raises(KeyboardInterrupt, match="15"), _errors():
        raise RuntimeError("Query interrupted") from KeyboardInterrupt(15)
    with pytest.raises(RuntimeError, match="a mistake"), _errors():
        raise RuntimeError("a mistake of ours")


def test_a_query_prints_its_answer_and_nothing_else() -> None:
    """As a process: what DuckDB says when the interpreter ends is part of it."""
    command = [sys.executable, "-m", "antemill", "pool", "query", "FROM candidates", str(scored_pool()), "--json"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stderr == ""
    assert len(json.loads(found.stdout)["rows"]) == SEEDS[1] - SEEDS[0]


def test_arguments_that_make_no_sense(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pool = str(scored_pool())
    assert "name the folder of a pool" in refused(capsys, "SELECT 1")
    assert "there is no pool in" in refused(capsys, "SELECT 1", str(tmp_path))
    assert "one form" in refused(capsys, "SELECT 1", pool, "--json", "--csv")
    assert "its folder does not exist" in refused(capsys, "SELECT 1", pool, "-o", str(tmp_path / "no" / "x.parquet"))


def test_a_pool_that_can_not_be_read(two: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    description = two[0] / "pool.json"
    text = description.read_text()
    description.write_text(re.sub(r'("schema": )\d+', r"\g<1>99", text))
    assert "schema version 99" in refused(capsys, "SELECT 1", str(two[0]))
    description.write_text(text.replace('"complete": true', '"complete": false'))
    assert "is not finished" in refused(capsys, "SELECT 1", str(two[0]))
    description.write_text(text)
    part = next((two[0] / "games").glob("*.parquet"))
    part.write_bytes(part.read_bytes()[:1000])
    assert "cannot be answered" in refused(capsys, "SELECT count(*) FROM accepted", str(two[0]))


def test_without_duckdb(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert "install antemill[duckdb]" in refused(capsys, "SELECT 1", str(scored_pool()))


def test_forms_of_the_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sql = (
        "SELECT seed, sum(seed) OVER () AS s, 1.5 AS d, constructs, seed, NULL AS n, 'a,b' AS t FROM candidates "
        "WHERE accepted"
    )
    pool, target = str(scored_pool()), tmp_path / "x.parquet"
    document = json.loads(asked(capsys, sql, pool, "--json"))
    assert document["columns"] == ["seed", "s", "d", "constructs", "seed_1", "n", "t"]
    total = rows("SELECT sum(seed) AS s FROM accepted")[0]["s"]
    want = [
        [row["seed"], total, 1.5, row["constructs"], row["seed"]]
        for row in rows("SELECT seed, constructs FROM candidates WHERE accepted")
    ]
    assert [list(row.values()) for row in document["rows"]] == [[*row, None, "a,b"] for row in want]
    read = list(csv.reader(io.StringIO(asked(capsys, sql, pool, "--csv"))))
    assert read[0] == document["columns"]
    assert [[int(a), int(s), float(d), json.loads(c), int(b)] for a, s, d, c, b, _, _ in read[1:]] == want
    assert {tuple(row[5:]) for row in read[1:]} == {("", "a,b")}
    assert asked(capsys, sql, pool, "-o", str(target)) == ""
    assert pq.read_table(target)["seed_1"].to_pylist() == [row[0] for row in want]


def test_the_table_for_people_is_cut_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    out = asked(capsys, "SELECT i AS number, 'x' || i AS word FROM range(1000) AS t(i)", str(scored_pool()))
    assert "x99 " in out
    assert "x100" not in out
    assert f"The first {SHOWN} rows" in out
    out = asked(capsys, "SELECT i AS number FROM range(2) AS t(i)", str(scored_pool()))
    assert "The first" not in out


def test_asking_changes_no_file(two: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in two[0].rglob("*") if path.is_file()}
    asked(capsys, "SELECT * FROM accepted JOIN scores USING (pool, seed) ORDER BY spec", str(two[0]))
    assert {path: path.read_bytes() for path in two[0].rglob("*") if path.is_file()} == before
    assert examine_pool(two[0]).stats is not None
