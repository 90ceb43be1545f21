"""A log of Inspect in Inspect's own viewer, served on this machine."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.error import URLError
from urllib.parse import quote
from urllib.request import urlopen

import pytest
from playwright.sync_api import expect

from tests.browser.visitor import Visitor
from tests.tournament.runs.test_inspect_log import HOSTILE, Cup, exported


class Served(NamedTuple):
    """Where the viewer is, and a sample with a message that would do harm."""

    address: str
    sample: str


def free_port() -> int:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return int(unused.getsockname()[1])


@pytest.fixture(scope="module")
def viewer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Inspect's viewer over a folder with one log."""
    folder = tmp_path_factory.mktemp("inspect")
    cup, logs = Cup(folder), folder / "logs"
    logs.mkdir()
    log = exported("tournament", "export", cup.folder, "--format", "inspect", "-o", logs / "cup.eval")
    assert log.samples is not None
    (sample,) = [one.id for one in log.samples if any(message.text == HOSTILE for message in one.messages)]
    port, program = free_port(), str(Path(sys.executable).with_name("inspect"))
    command = [program, "view", "start", "--log-dir", str(logs), "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=logs)
    try:
        wait_for(f"http://127.0.0.1:{port}", process)
        yield Served(f"http://127.0.0.1:{port}", str(sample))
    finally:
        process.terminate()
        process.wait(30)


def wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert process.poll() is None
        try:
            urlopen(address, timeout=5).close()
            return
        except (URLError, OSError):
            time.sleep(0.1)
    raise AssertionError(f"no server answers at {address}")


def test_the_viewer_of_inspect_shows_a_message_as_text(viewer: Served, visitor: Visitor) -> None:
    route = f"#/logs/cup.eval/samples/sample/{quote(viewer.sample, safe='')}/1/messages"
    page = visitor.open(f"{viewer.address}/{route}")
    page.set_default_timeout(60_000)
    message = page.get_by_text(HOSTILE.removesuffix("\u202e").strip())
    message.first.wait_for()
    expect(page.locator("img[src=x]")).to_have_count(0)
    visitor.complaints[:] = [one for one in visitor.complaints if one.startswith("dialog")]  # the others are not ours
