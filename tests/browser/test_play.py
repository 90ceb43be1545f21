"""A person at the table, in a real browser: by clicking and by keys, to the end, and what is kept of it."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.visitor import SCHEMES, Visitor, barriers
from tests.tournament.view.viewing import viewing
from tournament.cards.kind import TOURNAMENT
from tournament.cards.play import read_match
from tournament.runs import reading

LONG = 180_000  # milliseconds: a new version compiles its engine once


@contextmanager
def table(folder: Path, *arguments: str) -> Iterator[str]:
    """The address of a table whose hands are kept in the folder."""
    command = [sys.executable, "-m", "tournament.cli", "play", "--folder", str(folder), "--port", "0", "--json"]
    with subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True) as program:
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
    page.check(f'input[name="game"][value="{game}"]')
    page.check(f'input[name="opponent"][value="{opponent}"]')
    page.check(f'input[name="rule"][value="{rule}"]')
    page.get_by_role("button", name="Sit down").click()
    page.wait_for_selector(".option, .amount, #next", timeout=LONG)


def stored(folder: Path) -> list[Any]:
    with reading(TOURNAMENT, folder) as run:
        done = [record for record in run.store.records() if record.status == "done"]
        return [read_match(run.store.transcript(record.item.key)).transcript for record in done]


def play_hand(page: Page) -> tuple[list[str], str]:
    """Click the first option until the hand is over: the choices, and the words of the result."""
    chosen: list[str] = []
    while True:
        page.wait_for_selector(".option:enabled, #next")
        if page.locator("#next").count():
            return chosen, page.locator(".result").inner_text()
        button = page.locator(".option:enabled").first
        chosen.append(str(button.get_attribute("data-choice")))
        page.evaluate("() => { window.stood = document.querySelector('.option'); }")
        button.click()
        page.wait_for_function("() => !window.stood.isConnected")


def test_a_hand_by_clicking_is_the_match_that_is_kept(visitor: Visitor, tmp_path: Path) -> None:
    folder = tmp_path / "hands"
    with table(folder) as url:
        page = visitor.open(url)
        page.wait_for_selector(".lobby .dot-game")
        visitor.look(page, "play-lobby", whole=True)
        sit_down(page, "leduc", "l1")
        visitor.look(page, "play-hand", whole=True)
        chosen, words = play_hand(page)
        page.wait_for_selector(".facts-line", timeout=LONG)
        visitor.look(page, "play-over", whole=True)
        won = page.locator(".score .facts").inner_text()
        page.close()  # before the server goes, whom it asks for news
    (match,) = stored(folder)
    assert [record.choice for record in match.decisions if record.seat == 0] == chosen
    payoff = match.payoffs[0]
    verb = "win" if payoff > 0 else "lose"
    chips = f"{abs(payoff)} chip{'' if abs(payoff) == 1 else 's'}"
    assert words == (f"You {verb} {chips}." if payoff else "Nobody wins: both end where they started.")
    assert f"{payoff:+d}".replace("-", "\N{MINUS SIGN}").replace("+0", "0") in won


def test_keys_a_reload_and_two_tabs(visitor: Visitor, tmp_path: Path) -> None:
    folder = tmp_path / "hands"
    with table(folder) as url:
        page = visitor.open(url)
        sit_down(page, "leduc", "passive")
        page.keyboard.press("2")
        page.wait_for_function("() => document.querySelector('.log').innerText.includes('Second round')")
        page.wait_for_selector(".option:enabled")
        log = page.locator(".log").inner_text()
        page.reload()
        page.wait_for_selector(".option:enabled")
        assert page.locator(".log").inner_text() == log
        other = visitor.open(url)
        other.wait_for_selector(".option:enabled")
        page.locator(".option:enabled").first.click()
        other.wait_for_function("() => document.querySelectorAll('.log .is-yours').length === 2")
        page.wait_for_function("() => document.querySelectorAll('.log .is-yours').length === 2")
        play_hand(page)
        page.keyboard.press("r")
        page.wait_for_selector("dialog[open] .rulebook")
        page.keyboard.press("Escape")
        page.locator("body").press("Enter")
        page.wait_for_selector(".option:enabled")
        other.wait_for_selector(".option:enabled")
        page.close()
        other.close()
    assert len(stored(folder)) == 1


def open_to_all(page: Page) -> None:
    for scheme in SCHEMES:
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        assert barriers(page) == [], scheme


def test_the_table_is_open_to_all_and_its_hands_are_a_run_to_look_at(visitor: Visitor, tmp_path: Path) -> None:
    folder = tmp_path / "hands"
    with table(folder) as url:
        page = visitor.open(url)
        page.wait_for_selector(".lobby .dot-game")
        open_to_all(page)
        sit_down(page, "kuhn", "l1")
        open_to_all(page)
        play_hand(page)
        page.wait_for_selector(".facts-line", timeout=LONG)
        open_to_all(page)
        page.close()
    (match,) = stored(folder)
    with viewing(folder) as (_, told):
        page = visitor.open(told["url"])
        page.get_by_role("link", name="hands", exact=True).click()
        page.locator(".list-body tbody th a").first.click()
        expect(page.locator("#item-title")).to_contain_text("in kuhn")
        assert len(match.decisions) == page.locator(".log a").count()
