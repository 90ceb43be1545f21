"""A person at `antemill play`, who sits down, clicks until the hand is over, and what is kept of it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Locator, Page

from antemill.tournament.cards.kind import TOURNAMENT
from antemill.tournament.cards.play import MatchRecord, read_match
from antemill.tournament.runs import reading
from tests.browser.visitor import becomes

LONG = 180_000  # milliseconds: a new version compiles its engine once


@contextmanager
def table(folder: Path, *arguments: object, port: int = 0, home: Path | None = None) -> Iterator[str]:
    """The address of a table whose hands are kept in the folder. home: where models.toml is looked for."""
    command = [
        sys.executable,
        "-m",
        "antemill.tournament.cli",
        "play",
        "--folder",
        str(folder),
        "--port",
        str(port),
        "--json",
    ]
    with subprocess.Popen([*command, *map(str, arguments)], stdout=subprocess.PIPE, text=True, cwd=home) as program:
        assert program.stdout is not None
        lines = ""
        while not lines.rstrip().endswith("}"):
            lines += (line := program.stdout.readline())
            assert line, "the table ended"
        try:
            yield json.loads(lines)["url"]
        finally:
            program.send_signal(signal.SIGINT)
            assert program.wait(60) == 130


def sit_down(page: Page, game: str, opponent: str, rule: str = "alice") -> None:
    """Choose all three and wait for the first decision, or for the end of a hand without any."""
    page.check(f'input[name="game"][value="{game}"]')
    take_seat(page, opponent, rule)


def take_seat(page: Page, opponent: str, rule: str = "alice") -> None:
    """As `sit_down`, at the game that is chosen."""
    page.check(f'input[name="opponent"][value="{opponent}"]')
    page.check(f'input[name="rule"][value="{rule}"]')
    page.get_by_role("button", name="Sit down").click()
    page.wait_for_selector(".option, .amount, #next", timeout=LONG)


def first(options: Locator) -> Locator:
    """The first of them."""
    return options.first


def last(options: Locator) -> Locator:
    """The last of them."""
    return options.last


def play_hand(page: Page, pick: Callable[[Locator], Locator] = first) -> tuple[list[str], str]:
    """Click an option until the hand is over: the choices, and the words of the result. pick: one of the options; of
    amounts the least is played."""
    chosen: list[str] = []
    while True:
        page.wait_for_selector(".option:enabled, .amount button[type=submit]:enabled, #next")
        if page.locator("#next").count():
            return chosen, page.locator(".result").inner_text()
        page.evaluate("() => { window.stood = document.querySelector('.menu-box').firstElementChild; }")
        if page.locator(".amount").count():
            chosen.append(page.get_by_label("Amount in chips").input_value())
            page.get_by_role("button", name="Play it").click()
        else:
            button = pick(page.locator(".option:enabled"))
            chosen.append(str(button.get_attribute("data-choice")))
            button.click()
        becomes(page, "() => !window.stood.isConnected")


def next_hand(page: Page) -> None:
    """Deal it, and wait until it is on the table."""
    page.evaluate("() => { window.stood = document.querySelector('#next'); }")
    page.locator("#next").click()
    becomes(page, "() => !window.stood.isConnected")


def reviewed(page: Page) -> None:
    """Wait until the finished hand has been reviewed."""
    page.wait_for_selector(".facts-line", timeout=LONG)


def kept(folder: Path) -> list[MatchRecord]:
    """The finished hands, as a tournament's matches."""
    with reading(TOURNAMENT, folder) as run:
        done = [record for record in run.store.records() if record.status == "done"]
        return [read_match(run.store.transcript(record.item.key)) for record in done]


def won_by(person: str, record: MatchRecord) -> int:
    """Chips that the person won in a finished hand."""
    match = record.transcript
    assert match.payoffs is not None
    return match.payoffs[match.seats.index(person)]
