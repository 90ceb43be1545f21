"""What the server says of runs: the same as the command line, page by page, and of nothing else."""

import json
import shutil
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from antemill.tournament.cli.entry import run as command
from antemill.tournament.runs.lock import locked
from antemill.tournament.runs.status import read_status
from antemill.tournament.view.service import opened
from antemill.tournament.view.watch import SLICE, Watched
from tests.tournament.cards.tournament_runs import records_of, run_cup, thoughtful, write_cup
from tests.tournament.view.asking import Asked, asked

KEY = "sk-a-made-up-key"


PLAYERS = '[players.m]\nmodel = "m"\n[players.rnd]\nbot = "random"\n[players.l1]\nbot = "l1"\n'


@pytest.fixture(scope="module", name="cup")
def _cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    config = write_cup(home, 'games = ["kuhn", "leduc"]\nmatches_per_seat = 3', PLAYERS)
    run_cup(config, home / "cup", {"m": thoughtful})
    return home / "cup"


@pytest.fixture(name="server")
def _server(cup: Path) -> Iterator[Asked]:
    with asked(cup) as found:
        yield found


def command_lists(capsys: pytest.CaptureFixture[str], cup: Path, *options: str) -> list[dict[str, Any]]:
    """What `antemill list` says."""
    assert command(["list", str(cup), "--json", *options]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["items"]
    return found


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith("-shm")}


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("", ()),
        ("f.players=m", ("--player", "m")),
        ("f.players=m&f.players=l1", ("--player", "m", "--player", "l1")),
        ("f.about=leduc&f.players=rnd", ("--about", "leduc", "--player", "rnd")),
        ("f.causes=unparsable", ("--cause", "unparsable")),
        ("f.fell=m: unparsable", ("--cause", "unparsable")),  # the others are bots
    ],
)
def test_a_list_is_the_one_of_the_command_line(
    server: Asked, cup: Path, capsys: pytest.CaptureFixture[str], query: str, options: tuple[str, ...]
) -> None:
    wanted = command_lists(capsys, cup, *options)
    assert 0 < len(wanted) <= 36
    found = server.json(f"/api/runs/cup/items?{query}")
    assert (found["total"], found["whole"]) == (len(wanted), True)
    assert [{name: row[name] for name in one} for one, row in zip(wanted, found["rows"], strict=True)] == wanted
    pages = [server.json(f"/api/runs/cup/items?{query}&offset={at}&limit=5")["rows"] for at in range(0, 40, 5)]
    assert [row["item"] for page in pages for row in page] == [one["item"] for one in wanted]


def test_an_item_has_what_was_sent_and_received(server: Asked, cup: Path) -> None:
    record = next(one for one in records_of(cup) if one.fallbacks and "m" in one.item.key)
    found = server.json(f"/api/runs/cup/items/{quote(record.item.key, safe='')}")
    assert (found["item"], found["payoff"]) == (record.item.key, record.row["payoff"])
    text = json.dumps(found)
    assert "Legal actions" in text
    assert any(reply in text for reply in ('"I pass."', "nothing"))


def test_the_run_says_what_it_is(server: Asked, cup: Path) -> None:
    [about] = server.json("/api/runs")
    assert (about["id"], about["kind"], about["done"], about["total"]) == ("cup", "tournament", 36, 36)
    assert (about["finished"], about["running"], about["problem"]) == (True, False, "")
    assert about["players"] == ["l1", "m", "rnd"]
    assert about["cost"] == pytest.approx(sum(record.cost for record in records_of(cup)))


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/api/runs/cub/items", 404, "there is no run 'cub' here: there are cup"),
        ("/api/runs/cup/items/kuhn:9:m:l2", 404, "did you mean"),
        ("/api/runs/cup/items?offset=-1", 400, "a whole number"),
        ("/api/runs/cup/items?limit=100000", 400, "1 to 500 rows"),
        ("/api/runs/cup/items?limit=9999999999999999999", 400, "a whole number"),
        ("/api/runs/cup/items?limit=", 400, "a whole number"),
        ("/api/runs/cup/items?f.swung=3", 400, "the list has no column 'swung'"),
        ("/api/runs/cup/items?sort=-regrets", 400, 'did you mean "regret"'),
        ("/api/runs/cup/items?page=2", 400, "a list has no 'page'"),
        ("/api/runs/cup/items?f.swing=far", 400, "swing is a number, not 'far'"),
        ("/api/runs/cup/items?f.cost=far", 400, "cost is a number, not 'far'"),
        ("/api/runs/cup/items?f.=3", 400, "a list has no 'f.'"),
        ("/api/runs/cup/items?limit=1&limit=2", 400, "limit is given 2 times"),
        ("/api/runs?limit=2", 400, "takes no 'limit'"),
        ("/api/nothing", 404, "there is nothing at /api/nothing"),
    ],
)
def test_a_wrong_question_gets_a_sentence(server: Asked, path: str, status: int, words: str) -> None:
    answer = server.get(path)
    assert answer.status_code == status
    assert words in answer.json()["error"]


def test_no_file_can_be_asked_for(server: Asked) -> None:
    for path in (
        "/models.toml",
        "/run.sqlite",
        "/api/runs/cup/calls.sqlite",
        "/report/..%2Fcup",
        "/%2e%2e/models.toml",
    ):
        assert server.get(path).status_code == 404


def test_nothing_of_the_folder_changes_and_no_key_is_told(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    before = contents(cup)
    with asked(cup) as server:
        texts = [server.get(path).text for path in ("/", "/api/runs", "/api/changes", "/api/runs/cup/items")]
        texts += [server.get(f"/api/runs/cup/items/{quote(r.item.key, safe='')}").text for r in records_of(cup)[:4]]
    assert contents(cup) == before
    assert not any(KEY in text for text in texts)
    assert all(texts)


def test_a_folder_that_can_not_be_written_is_read(cup: Path, tmp_path: Path) -> None:
    copy = tmp_path / "cup"
    copy.mkdir()
    for name in ("run.sqlite", "config.toml"):  # without its calls
        (copy / name).write_bytes((cup / name).read_bytes())
    copy.chmod(0o555)
    try:
        with asked(copy) as server:
            key = quote(next(r.item.key for r in records_of(copy) if "m" in r.item.key.split(":")), safe="")
            assert server.json(f"/api/runs/cup/items/{key}")["item"]
    finally:
        copy.chmod(0o755)


def test_before_all_is_read_a_page_of_the_plan_is_there(cup: Path) -> None:
    with asked(cup) as whole:
        wanted = whole.json("/api/runs/cup/items?offset=30")
    with asked() as nothing:
        assert nothing.json("/api/runs") == []
    run = Watched("cup", cup)
    try:
        run._statuses = run._run.store.statuses()
        assert not run.whole
        found = run.listed({}, "", 30, 100)
        assert (found["rows"], found["total"], found["whole"]) == (wanted["rows"], 36, False)
        assert SLICE > 36
        assert run.update() is False
        assert run.whole
    finally:
        run.close()


def test_that_a_process_begins_or_ends_is_a_change(server: Asked, cup: Path) -> None:
    """A process that is killed leaves nothing new in the database, and the page has to tell."""
    still = server.json("/api/changes")
    with locked(cup):
        assert server.json("/api/runs")[0]["running"]
        assert server.json("/api/changes") != still
    assert not server.json("/api/runs")[0]["running"]
    assert server.json("/api/changes") == still


def test_a_run_says_how_far_it_is(cup: Path, tmp_path: Path) -> None:
    """In the list of runs and above its report, in the same words."""
    copy = tmp_path / "cup"
    shutil.copytree(cup, copy)
    with closing(sqlite3.connect(copy / "run.sqlite")) as database, database:
        database.execute("UPDATE items SET status = 'planned' WHERE position >= 12")
        database.execute("UPDATE items SET status = 'discarded' WHERE position < 2")
    with asked(copy) as server:
        report = "/api/runs/cup/report"
        assert (
            server.json("/api/runs")[0]["stands"] == "stopped, 10 of 36, 2 discarded" == server.json(report)["stands"]
        )
        with locked(copy):
            assert server.json("/api/runs")[0]["stands"] == "running, 10 of 36, 2 discarded"
    with asked(cup) as server:
        assert server.json("/api/runs")[0]["stands"] == "finished, 36 of 36"


def test_the_cost_of_a_run_is_that_of_all_answers(cup: Path, tmp_path: Path) -> None:
    """As `status` and the report say, also of answers to matches that are not finished."""
    copy = tmp_path / "cup"
    shutil.copytree(cup, copy)
    with closing(sqlite3.connect(copy / "calls.sqlite")) as calls, calls:
        calls.execute("UPDATE calls SET cost = 0.5 WHERE id <= 3")
    with closing(sqlite3.connect(copy / "run.sqlite")) as database, database:
        database.execute("UPDATE items SET status = 'planned'")
    with asked(copy) as server:
        found = server.json("/api/runs")[0]
    assert found["cost"] == pytest.approx(read_status("tournament", copy).cost)
    assert found["cost"] >= 1.5


def test_a_run_with_a_damaged_match_is_a_problem_and_not_the_end(cup: Path, tmp_path: Path) -> None:
    shutil.copytree(cup, tmp_path / "bad")
    with closing(sqlite3.connect(tmp_path / "bad" / "run.sqlite")) as database, database:
        database.execute("UPDATE items SET transcript = ? WHERE position = 2", (zlib.compress(b'{"nothing": 1}'),))
    with opened([cup, tmp_path / "bad"]) as service:
        server = Asked(service)
        good, bad = server.json("/api/runs")
        assert (good["problem"], good["read"]) == ("", 36)
        assert bad["problem"].startswith("the record of a match is damaged: ")
        assert server.get("/api/runs/bad/items").status_code == 503
        assert server.json("/api/runs/bad/report")["stands"] == ""
        assert ["Finished" in server.get(f"/report/{name}").text for name in ("cup", "bad")] == [True, False]
