"""What a visitor is pressing, has opened or is typing as news arrive: it stays where it is, and a press is heard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from antemill.tournament.cards.report import report
from tests.browser.seated import play_hand, sit_down, table
from tests.browser.visitor import Visitor, becomes
from tests.tournament.cards.tournament_runs import run_cup, write_cup
from tests.tournament.view.viewing import viewing

STATE, CHANGES, ITEMS = "**/api/state?after=*", "**/api/changes", "**/api/runs/cup/items?*"


def until(page: Page, what: Callable[[], object]) -> None:
    """Wait for something in this process."""
    for _ in range(3_000):
        if what():
            return
        page.wait_for_timeout(20)
    raise AssertionError("it did not come about")


def press(button: Locator, meanwhile: Callable[[], None]) -> None:
    """Press it, let something happen, and let it go."""
    button.hover()
    button.page.mouse.down()
    meanwhile()
    button.page.mouse.up()


# --------------------------------------------------------------------------------------------- at the table


def leave(page: Page) -> None:
    page.unroute_all(behavior="ignoreErrors")
    page.close()


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
