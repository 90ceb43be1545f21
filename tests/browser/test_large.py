"""Large tournaments, and whether a page of them is small enough to be sent and quick to be seen.

Of 10,000 matches, in `make test-all` of 40,000.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from antemill.tournament.cli.entry import run as command
from antemill.tournament.pages.pack import SIZE
from antemill.tournament.runs.browse import opened
from tests.browser.many import multiply
from tests.browser.visitor import Visitor, becomes
from tests.seeds import fresh
from tests.tournament.cards.tournament_runs import number_of, run_cup, write_cup
from tests.tournament.runs.http_server import http_server
from tests.tournament.view.viewing import viewing

pytestmark = pytest.mark.slow
MATCHES = 10_000 if fresh() is None else 40_000
THOUGHT = 2_000  # characters of reasoning in a reply
RULES = 20_000  # characters of a rulebook, at least
PATIENT = 300_000  # milliseconds
GAMES = ("20@0.6", "21@0.6", "24@0.6")
ENTRY = '[{0}]\nprotocol = "openai-chat"\nbase_url = "{1}"\nprices = {{ input = 1.0, output = 10.0 }}\n'
# Milliseconds; nothing as long as nothing is painted, which may come after a page is loaded and has its elements.
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def reasoned(_path: str, body: Any) -> tuple[int, bytes]:
    """A chat completion: mostly a legal action, in each fifth reply none, after much thinking."""
    text = body["messages"][-1]["content"]
    found = re.search(r"- Legal actions: (.*)", text)
    options = re.findall(r'"[^"]+"', found[1]) if found else []
    number = number_of(text)
    amount = re.search(r"from (\d+) to \d+", text)
    choice = options[number // 5 % len(options)] if options else amount[1] if amount else '"nothing"'
    answer = f'{{"action": {choice}}}' if number % 5 else "I would rather not."
    message = {"role": "assistant", "content": answer, "reasoning_content": "x" * THOUGHT}
    usage = {"prompt_tokens": 7_000, "completion_tokens": 500}
    return 200, json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}).encode()


@pytest.fixture(scope="module")
def thoughtful(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models that think at length about games with long rulebooks."""
    home = tmp_path_factory.mktemp("thoughtful")
    games = ", ".join(f'"{game}"' for game in GAMES)
    players = "".join(f'[players.{name}]\nmodel = "{name}"\n' for name in ("ada", "ben"))
    players += '[players.rnd]\nbot = "random"\n'
    write_cup(home, f"games = [{games}]\nmatches_per_seat = 4", players)
    with http_server(reasoned) as url:
        (home / "models.toml").write_text("".join(ENTRY.format(name, url) for name in ("ada", "ben")))
        assert command(["tournament", "run", str(home / "cup.toml"), "--out", str(home / "cup")]) == 0
    multiply(home / "cup", MATCHES, variants=25)
    return home / "cup"


def test_the_page_of_a_large_tournament_can_be_sent_and_is_quickly_seen(visitor: Visitor, thoughtful: Path) -> None:
    with opened(thoughtful) as run:
        some = next(row for row in run.rows() if {*row["players"]} == {"ada", "ben"} and row["position"] > 1_000)
        detail = run.item(some["item"])
        assert len(detail["rules"]["text"]) >= RULES
        calls = [frame["decision"]["call"] for frame in detail["frames"] if frame["decision"]]
        assert all(len(call["reasoning"]) == THOUGHT for call in calls)
        assert len({call["reasoning"] for call in calls}) == len(calls) > 0
    assert command(["report", str(thoughtful)]) == 0
    size = (thoughtful / "report.html").stat().st_size
    assert 0.9 * SIZE < size <= SIZE
    page = visitor.open(thoughtful / "report.html")
    assert first_paint(page) < 2_000
    look_at_all(page, (thoughtful / "report.html").as_uri())


def first_paint(page: Page) -> float:
    """Milliseconds: the least of three, for others use the machine too."""
    found = [becomes(page, PAINT)]
    while found[-1] >= 2_000 and len(found) < 3:
        page.reload()
        found.append(becomes(page, PAINT))
    return float(min(found))


def look_at_all(page: Page, address: str) -> None:
    """The list has all matches, says how many are there in full, and those that are open with their reasoning."""
    page.goto(f"{address}#/run/cup")
    expect(page.locator(".pager output")).to_contain_text(f"of {MATCHES:,}")
    said = re.compile(rf"it has [\d,]{{3,}} of {MATCHES:,} finished ones in full")
    expect(page.locator(".list")).to_contain_text(said)
    expect(page.locator(".list")).to_contain_text("the most telling ones")
    page.goto(f"{address}#/run/cup?sort=-fallbacks")
    expect(page.locator("th[aria-sort='descending']")).to_be_visible()
    open_first(page)


def open_first(page: Page) -> None:
    """The first match of a list, and the rulebook of its game."""
    page.locator(".list-body tbody th a").first.click()
    expect(page.get_by_label("Moment of the match")).to_be_visible()
    page.locator(".log li.choice a").first.click()
    expect(page.locator(".decision")).to_be_visible()
    expect(page.locator(".rules summary")).to_contain_text(re.compile(r"2\d,\d{3} characters"))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five bots."""
    home = tmp_path_factory.mktemp("plain")
    bots = "".join(f'[players.bot-{i}]\nbot = "random"\n' for i in range(5))
    run_cup(write_cup(home, 'games = ["kuhn"]\nmatches_per_seat = 10', bots), home / "large")
    multiply(home / "large", MATCHES)
    return home / "large"


def test_a_server_has_many_matches_at_once(visitor: Visitor, plain: Path) -> None:
    with viewing(plain) as (_, told):
        page = visitor.open(f"{told['url']}#/run/large")
        page.wait_for_selector(".list-body tbody tr")
        rows = page.evaluate("performance.now()")
        assert first_paint(page) < 2_000
        expect(page.locator(".pager output")).to_contain_text(f"of {MATCHES:,}")
        assert rows < 10_000
        page.goto(f"{told['url']}#/run/large?from={MATCHES - 100}")
        expect(page.locator(".pager output")).to_contain_text(f"{MATCHES - 99:,} to {MATCHES:,}")
        page.goto(f"{told['url']}#/run/large?sort=-swing&about=kuhn")
        expect(page.locator("th[aria-sort='descending']")).to_be_visible()
        page.locator(".list-body tbody a").first.click()
        expect(page.get_by_label("Moment of the match")).to_be_visible()


def test_a_server_has_the_report_of_a_large_tournament(visitor: Visitor, thoughtful: Path) -> None:
    with viewing(thoughtful) as (_, told):
        page = visitor.open(f"{told['url']}report/cup")  # what is known, before the rest is made
        expect(page.locator("#news")).to_contain_text("Figures and tables are being made")
        expect(page.locator(".tiles")).to_contain_text(f"{MATCHES:,}")
        page.get_by_role("link", name=f"Matches {MATCHES:,}").click()  # the visitor need not wait for it
        page.wait_for_selector(".list-body tbody tr")
        visitor.look(page, "view-report-later")
        page.get_by_role("link", name="Overview").click()
        expect(page.locator(".contents")).to_be_visible(timeout=PATIENT)
        expect(page.get_by_role("heading", name="Overall leaderboard")).to_be_visible()
        visitor.look(page, "view-report-large")
        assert len(page.content()) < 1_000_000
        page.reload()  # it is made once, and kept
        expect(page.locator(".contents")).to_be_visible()
        assert first_paint(page) < 2_000
        page.goto(f"{told['url']}report/cup#/run/cup?sort=-fallbacks")
        expect(page.locator(".pager output")).to_contain_text(f"of {MATCHES:,}")
        open_first(page)
