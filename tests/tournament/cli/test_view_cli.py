"""`antemill view` as a command: its address, its end, its complaints."""

import shutil
import signal
import socket
import sqlite3
import threading
import webbrowser
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import httpx2
import pytest

from antemill.tournament.cli.entry import run as command
from antemill.tournament.view import serve
from tests.tournament.cards.tournament_runs import run_cup, write_cup
from tests.tournament.view.viewing import viewing

BOTS = '[players.l1]\nbot = "l1"\n[players.rnd]\nbot = "random"\n'


@pytest.fixture(scope="module", name="cup")
def _cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    run_cup(write_cup(home, players=BOTS), home / "cup")
    return home / "cup"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_it_serves_until_a_signal_ends_it(cup: Path, number: signal.Signals, code: int, word: str) -> None:
    with viewing(cup) as (process, told):
        assert told["url"].startswith("http://127.0.0.1:")
        assert [(run["id"], run["done"]) for run in told["runs"]] == [("cup", 40)]
        with httpx2.Client(base_url=told["url"]) as client:  # its connection stays open
            assert client.get("/api/runs").json()[0]["total"] == 40
            assert client.get("/").text.startswith("<!doctype html>")
            assert client.get("/", headers={"host": "evil.example"}).status_code == 421
            assert client.post("/api/runs").status_code == 405
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (code, f"antemill: {word}.\n")


@pytest.mark.slow
def test_it_ends_in_order_while_something_is_made(cup: Path) -> None:
    """A leaderboard for which a visitor waits, and a report for which none waits."""
    with viewing(cup) as (process, told), httpx2.Client(base_url=told["url"], timeout=60) as client:
        waiting = threading.Thread(target=lambda: suppressed(lambda: client.get("/api/boards")))
        waiting.start()
        assert "are being made" in client.get("/report/cup").text
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        waiting.join()
    assert (process.returncode, err) == (130, "antemill: interrupted.\n")


def suppressed(ask: Callable[[], object]) -> None:
    with suppress(httpx2.HTTPError):
        ask()


@pytest.mark.slow
def test_a_server_that_other_machines_reach_prints_a_warning(cup: Path) -> None:
    with viewing(cup, "--host", "0.0.0.0") as (process, told):
        assert told["url"].startswith("http://127.0.0.1:")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert "can read these runs" in err
        assert len(err.splitlines()) == 2


def complaint(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """What a command that fails says."""
    assert command(["view", *map(str, arguments)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n"), err.startswith("antemill: ")) == ("", 1, True)
    return err


def test_what_can_not_be_shown_is_said_in_a_sentence(
    cup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pool").mkdir()
    (tmp_path / "pool" / "pool.json").write_text("{}")
    (tmp_path / "empty").mkdir()
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "run.sqlite").write_bytes(b"not a database at all" * 100)
    assert "which does not exist" in complaint(capsys, tmp_path / "nothing")
    told = complaint(capsys, cup, tmp_path / "pool")
    assert "which is a pool of games" in told
    assert f"`antemill report {tmp_path / 'pool'}`" in told
    assert "which is empty" in complaint(capsys, tmp_path / "empty")
    assert "which is a file" in complaint(capsys, cup / "config.toml")
    assert f"but there is one in {cup}" in complaint(capsys, cup.parent)
    assert "is damaged" in complaint(capsys, tmp_path / "damaged")


def test_a_damaged_run_beside_one_that_can_be_read_is_said_and_does_not_end_it(
    cup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run.sqlite").write_bytes(b"not a database at all" * 100)
    monkeypatch.setattr(serve, "with_follower", lambda _service, answering: answering.close())
    monkeypatch.setattr(serve, "run_async", lambda _nothing: None)
    assert command(["view", str(cup), str(tmp_path), "--port", "0"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("cup (finished, 40 of 40): http://")
    assert (err.count("\n"), err.startswith("antemill: "), "is damaged" in err) == (1, True, True)


def test_the_address_stands_alone_if_the_only_run_cannot_be_read(
    cup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "cup"
    shutil.copytree(cup, run)
    with closing(sqlite3.connect(run / "run.sqlite")) as database, database:
        database.execute("UPDATE items SET transcript = x'00' WHERE position = 2")
    monkeypatch.setattr(serve, "with_follower", lambda _service, answering: answering.close())
    monkeypatch.setattr(serve, "run_async", lambda _nothing: None)
    assert command(["view", str(run), "--port", "0"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("http://")
    assert "is damaged" in err


def test_a_port_that_can_not_be_had_is_said_in_a_sentence(cup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"port {port} is in use" in complaint(capsys, cup, "--port", port)
    assert "there is no port 65536" in complaint(capsys, cup, "--port", "65536")
    assert "is not a whole number" in complaint(capsys, cup, "--port", "1.5")
    assert "is no address of this machine" in complaint(capsys, cup, "--host", "192.0.2.1")
    assert "there is no host" in complaint(capsys, cup, "--host", "no such host")


def test_addresses_are_those_that_a_browser_takes() -> None:
    for host, start in (
        ("127.0.0.1", "http://127.0.0.1:"),
        ("0.0.0.0", "http://127.0.0.1:"),
        ("localhost", "http://localhost:"),
    ):
        with serve.listening(host, 0) as listener:
            assert serve.address(host, listener) == f"{start}{listener.getsockname()[1]}/"
    if socket.has_ipv6:
        with serve.listening("::1", 0) as listener:
            assert serve.address("::1", listener) == f"http://[::1]:{listener.getsockname()[1]}/"


def test_a_browser_in_the_terminal_is_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    class Window:
        def open(self, url: str) -> bool:
            opened.append(url)
            return True

    for found, wanted in ((webbrowser.GenericBrowser("lynx"), False), (Window(), True)):
        monkeypatch.setattr(webbrowser, "get", lambda found=found: found)
        assert serve.open_browser("http://127.0.0.1:1/") == wanted
    assert opened == ["http://127.0.0.1:1/"]
