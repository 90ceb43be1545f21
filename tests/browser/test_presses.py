"""What a visitor is pressing, has opened or is typing as news arrive: it stays where it is, and a press is heard."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from antemill.tournament.cards.report import report
from tests.browser.seated import LONG, next_hand, play_hand, reviewed, sit_down, table
from tests.browser.test_play_model import ENTRY, Server, sit_down_with_model
from tests.browser.visitor import Visitor, becomes
from tests.tournament.cards.tournament_runs import run_cup, write_cup
from tests.tournament.runs.http_server import http_server
from tests.tournament.view.viewing import viewing

STATE, CHANGES, ITEMS = "**/api/state?after=*", "**/api/changes", "**/api/runs/cup/items?*"


def until(page: Page, what: Callable[[], object]) -> None:
    """Wait for something in this process."""
    for _ in range(3_000):
        if what():
            return
        page.wait_for_timeout(20)
    raise AssertionError("it did not come about")


def holding(page: Page, address: str) -> list[Route]:
    """From now on what asks for it waits in the list that is returned."""
    held: list[Route] = []
    page.route(address, lambda route: held.append(route))
    return held


def press(button: Locator, meanwhile: Callable[[], None]) -> None:
    """Press it, let something happen, and let it go."""
    button.hover()
    button.page.mouse.down()
    meanwhile()
    button.page.mouse.up()


# --------------------------------------------------------------------------------------------- at the table


def talkative(page: Page, url: str, unseen: list[str] | None = None) -> Callable[[], None]:
    """From now on the table has news all the time; the function waits for four more.

    unseen: what pages are not shown of the table; it may change.
    """
    told: list[int] = []

    def answer(route: Route) -> None:
        state = page.request.get(f"{url}api/state").json()
        told.append(state["version"])
        state |= {
            "version": state["version"] + 1_000 + len(told),
            "solving": f"The solver has taken {len(told)} steps.",
        }
        state["table"] |= dict.fromkeys(unseen or [])
        route.fulfill(json=state)

    def more() -> None:
        before = len(told)
        until(page, lambda: len(told) >= before + 4)

    page.route(STATE, answer)
    page.reload()
    more()
    return more


def leave(page: Page) -> None:
    page.unroute_all(behavior="ignoreErrors")
    page.close()


def test_a_model_is_asked_again_while_the_solver_is_at_work(visitor: Visitor, tmp_path: Path) -> None:
    server = Server()
    with http_server(server.answer) as address:
        (tmp_path / "models.toml").write_text(ENTRY.format(address))
        with table(tmp_path / "hands", "--models", tmp_path / "models.toml") as url:
            page = visitor.open(url)
            sit_down_with_model(page)
            more = talkative(page, url)
            press(page.get_by_role("button", name="Ask again"), more)
            page.wait_for_selector(".option, .amount, #next")
            leave(page)


def test_what_is_opened_after_a_hand_stays_open(visitor: Visitor, tmp_path: Path) -> None:
    with table(tmp_path / "hands") as url:
        page = visitor.open(url)
        sit_down(page, "kuhn", "l1")
        play_hand(page)
        reviewed(page)
        more = talkative(page, url, unseen := ["review"])
        summary, hidden = page.locator(".review summary"), page.locator(".review details li").first
        expect(page.locator(".facts-line")).to_have_count(0)

        press(summary, more)
        unseen.clear()
        expect(page.locator(".facts-line")).to_be_visible()
        expect(hidden).to_be_visible()
        page.keyboard.press("Enter")  # of who is there: it deals no hand
        more()
        expect(hidden).to_be_hidden()
        summary.click()
        next_hand(page)
        play_hand(page)
        reviewed(page)
        expect(hidden).to_be_hidden()  # the visitor has not opened that of this hand
        leave(page)


def test_a_choice_is_heard_before_the_one_before_it_is_answered(visitor: Visitor, tmp_path: Path) -> None:
    """News of the next question may come before what was sent for the last one is answered."""
    with table(tmp_path / "hands") as url:
        page = visitor.open(url)
        sit_down(page, "leduc", "passive")
        held = []
        page.route("**/api/choose", lambda route: held.append((route, route.fetch())))
        # Both at once: a second click that came later would be an answer to the next question.
        page.locator(".option:enabled", has_text="check").evaluate("(one) => { one.click(); one.click(); }")
        becomes(page, "() => document.querySelector('.log').innerText.includes('Second round')")
        page.locator(".option:enabled").first.click()
        until(page, lambda: len(held) == 2)
        for route, answer in held:
            route.fulfill(response=answer)
        page.unroute("**/api/choose")
        play_hand(page)
        leave(page)


def test_a_second_press_says_nothing_new(visitor: Visitor, tmp_path: Path) -> None:
    with table(tmp_path / "hands") as url:
        page = visitor.open(url)
        page.wait_for_selector(".preview h2")
        for path, button in (("sit", page.get_by_role("button", name="Sit down")), ("deal", page.locator("#next"))):
            held = holding(page, f"**/api/{path}")
            button.dblclick()
            if path == "deal":
                page.keyboard.press("Enter")
            until(page, held.__len__)
            page.wait_for_timeout(200)
            held[0].continue_()
            page.wait_for_selector(".option:enabled", timeout=LONG)
            assert len(held) == 1
            play_hand(page)
            expect(page.locator("#said")).not_to_have_class(re.compile("problem"))
        leave(page)


# ----------------------------------------------------------------------------------------- in lists of matches


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("presses")
    bots = '[players.l1]\nbot = "l1"\n[players.rnd]\nbot = "random"\n'
    run_cup(write_cup(home, 'games = ["kuhn", "leduc"]\nmatches_per_seat = 5', bots), home / "cup")  # 20 matches
    (home / "page.html").write_text(report(home / "cup", bootstrap=20))
    return home / "cup"


@pytest.fixture(scope="module")
def url(cup: Path) -> Iterator[str]:
    with viewing(cup) as (_, told):
        yield told["url"]


@pytest.fixture
def page(visitor: Visitor, url: str) -> Iterator[Page]:
    """The first page of a server on which something changes all the time."""
    found = visitor.open(url)
    changes: list[Route] = []

    def answer(route: Route) -> None:
        changes.append(route)
        route.fulfill(json={"changes": len(changes)})

    found.route(CHANGES, answer)
    found.goto(f"{url}#/run/cup")
    found.wait_for_selector(".list-body tbody tr")
    until(found, lambda: len(changes) > 1)
    yield found
    leave(found)


def test_a_row_that_is_pressed_while_the_list_is_read_is_opened(page: Page) -> None:
    held = holding(page, ITEMS)
    until(page, lambda: held)

    def goes_on() -> None:
        page.unroute(ITEMS)
        for route in held:
            route.continue_()
        becomes(page, "() => !document.getElementById('explorer').hasAttribute('aria-busy')")

    press(page.locator(".list-body tbody th a").nth(2), goes_on)
    expect(page.locator("#item-title")).to_be_visible()


def test_a_choice_that_is_open_stays_where_it_is(page: Page) -> None:
    """A choice that is replaced again and again cannot be pressed."""
    seen: list[str] = []
    page.on("response", lambda response: seen.append(response.url))
    select = page.locator(".controls select").filter(has_text="kuhn")
    select.focus()
    page.evaluate("""() => {
      window.stood = document.activeElement;
      window.row = document.querySelector('.list-body tbody tr');
    }""")
    until(page, lambda: sum("/items?" in url for url in seen) >= 2)
    becomes(page, "() => !window.row.isConnected")  # the list below is the new one
    assert page.evaluate("() => window.stood.isConnected && window.stood === document.activeElement")
    select.select_option("kuhn")
    expect(page.locator(".list-body tbody tr")).to_have_count(10)


def test_a_list_that_can_not_be_read_stays_until_it_can(visitor: Visitor, page: Page) -> None:
    """What was typed, and what was read before, are kept; the next answer brings the list up to date."""
    field = page.get_by_role("searchbox")
    field.fill("leduc")
    expect(page.locator(".list-body tbody tr")).to_have_count(10)
    failed: list[Route] = []

    def fail(route: Route) -> None:
        failed.append(route)
        route.fulfill(status=503, json={"error": "It is busy."})

    page.route(ITEMS, fail)
    until(page, lambda: len(failed) >= 2)
    expect(field).to_have_value("leduc")
    expect(field).to_be_focused()
    expect(page.locator(".list-body tbody tr")).to_have_count(10)
    page.evaluate("() => { window.row = document.querySelector('.list-body tbody tr'); }")
    page.unroute(ITEMS)
    becomes(page, "() => !window.row.isConnected")
    visitor.complaints[:] = [one for one in visitor.complaints if "503" not in one]


def test_links_that_are_pressed_while_something_changes_are_followed(page: Page) -> None:
    page.get_by_role("link", name="All runs").or_(page.get_by_role("link", name="Overview")).first.click()
    runs = page.locator("#live table a", has_text="cup").first
    expect(runs).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    press(runs, lambda: until(page, lambda: sum(url.endswith("/api/changes") for url in asked) >= 3))
    expect(page.locator(".list-body tbody tr").first).to_be_visible()


def test_who_leaves_a_list_while_typing_has_left_it(visitor: Visitor, cup: Path) -> None:
    page = visitor.open(cup.parent / "page.html")
    leaving = "(to) => { const field = document.querySelector('input[type=search]'); field.value = 'leduc'; "
    leaving += "field.dispatchEvent(new Event('input')); document.querySelector(to).click(); }"
    for to, there in ((".list-body tbody th a", "#item-title"), ("#views a[href='#tab-strength']", "#overview")):
        page.get_by_role("link", name="Matches").first.click()
        page.wait_for_selector("input[type=search]")
        page.evaluate(leaving, to)
        expect(page.locator(there)).to_be_visible()
        page.evaluate("() => new Promise((then) => setTimeout(then, 300))")  # later than what typing waits for
        assert page.locator(there).is_visible()
    assert quote("leduc") not in page.url
