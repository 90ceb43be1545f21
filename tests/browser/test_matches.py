"""The matches of a tournament in a real browser: the list, filters, links, a replay by keyboard, hostile texts."""

from __future__ import annotations

import re
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import pytest
from playwright.sync_api import Locator, Page, expect

from antemill.tournament.report.folder_page import write_site
from antemill.tournament.runs.browse import opened as opened_run
from antemill.tournament.runs.items import Row
from antemill.tournament.runs.lists import facets, selected
from tests.browser.visitor import Visitor
from tests.tournament.analysed import report
from tests.tournament.cards.test_items import HOSTILE, PLAYERS, wild
from tests.tournament.cards.tournament_runs import run_cup, write_cup
from tests.tournament.runs.test_lists import FILTERS, ROWS

NAMES = (
    PLAYERS
    + """
[players."<img src=x onerror=alert(2)>"]
bot = "passive"
"""
)


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("cup")
    config = write_cup(home, 'games = ["kuhn", "leduc"]\nmatches_per_seat = 12', NAMES, "[limits]\nfallbacks = 0")
    run_cup(config, home / "run", {"wild": wild})
    (home / "page.html").write_text(report(home / "run"))
    return home


@pytest.fixture(scope="module")
def page(cup: Path) -> Path:
    return cup / "page.html"


@pytest.fixture(scope="module")
def rows(cup: Path) -> list[Row]:
    with opened_run(cup / "run") as run:
        return list(run.rows())


def shown(page: Page) -> list[str]:
    """The links of the list's rows."""
    found: list[str] = page.locator("table.items tbody th a").evaluate_all("all => all.map(one => one.hash)")
    return found


def listed(page: Page) -> Locator:
    """The rows of the list."""
    return page.locator("table.items tbody tr")


def opened(visitor: Visitor, page: Path, where: str) -> Page:
    """The page at an address within it, loaded again."""
    found = visitor.open(page)
    found.goto("about:blank")
    found.goto(f"{page.as_uri()}#/run/run{where}")
    return found


def test_the_overview_comes_first_and_leads_to_the_list(visitor: Visitor, page: Path, rows: list[Row]) -> None:
    found = visitor.open(page)
    assert found.locator("#overview h2").first.is_visible()
    found.get_by_role("link", name="Matches").click()
    found.wait_for_selector("table.items")
    assert not found.locator("#overview").is_visible()
    expect(found.locator(".pager output")).to_have_text(f"1 to 100 of {len(rows)}")
    found.get_by_role("link", name="Next").click()
    expect(listed(found)).to_have_count(len(rows) - 100)
    assert len(shown(found)) == len(rows) - 100
    found.go_back()
    found.go_back()
    found.wait_for_selector("#overview", state="visible")


def test_fallbacks_of_a_player_lead_to_the_matches_with_them(visitor: Visitor, page: Path, rows: list[Row]) -> None:
    found = visitor.open(f"{page.as_uri()}#at-fallbacks")
    table = found.locator("section", has=found.get_by_role("heading", name="Fallbacks by cause"))
    cell = table.locator("tbody tr", has_text="wild").locator("td a").nth(1)
    cause = table.locator("thead th").nth(6).inner_text()
    cell.click()
    wanted = [row for row in rows if f"wild: {cause}" in row.get("fell", ())]
    assert 0 < len(wanted) < len(rows)
    expect(found.locator(".pager output")).to_contain_text(f"of {len(wanted)} that fit")


def test_a_list_is_narrowed_down_by_its_controls_and_by_its_address(
    visitor: Visitor, page: Path, rows: list[Row]
) -> None:
    found = opened(visitor, page, "")
    found.locator("#explorer").get_by_label("Fallback").select_option("illegal")
    wanted = [row for row in rows if "illegal" in row["causes"]]
    expect(listed(found)).to_have_count(min(100, len(wanted)))
    found.locator("#explorer").get_by_label("Swing at least").fill("10")
    wanted = [row for row in wanted if row["swing"] >= 10]
    assert 0 < len(wanted) < 100
    expect(listed(found)).to_have_count(len(wanted))
    again = opened(visitor, page, found.url.partition("#/run/run")[2])
    again.wait_for_selector("table.items")
    assert shown(again) == shown(found)
    again.get_by_role("link", name="Chips won").click()
    again.wait_for_selector("th[aria-sort=descending]")
    chips = [int(text) for text in again.locator("table.items tbody td:nth-child(5)").all_inner_texts()]
    assert chips == sorted((row["won"] for row in wanted), reverse=True)
    again.get_by_role("link", name="Swing", exact=True).click()
    expect(again.locator("th[aria-sort=descending]")).to_have_text("Swing")
    order = shown(again)
    again.locator("table.items tbody th a").first.click()
    for address in order[1:3]:
        again.get_by_role("link", name="Next").click()
        expect(again).to_have_url(page.as_uri() + address)
        key = unquote(address.rpartition("/")[2])
        expect(again.locator(".item > .facts")).to_contain_text(key)  # drawn later than the address says so
    again.get_by_role("link", name="\u2190 Matches").click()
    expect(listed(again)).to_have_count(len(wanted))
    again.locator("#explorer").get_by_label("Search").fill("nobody of that name")
    again.get_by_text("Nothing fits these choices.").wait_for()


def test_script_and_server_choose_the_same_rows(visitor: Visitor, page: Path, rows: list[Row]) -> None:
    found = visitor.open(page)
    some = [(filters, sort) for filters, sort, _ in FILTERS]
    for items in (ROWS, rows):
        script = "([rows, asked]) => asked.map(([f, s]) => antemill.select(rows, f, s).map((row) => row.item))"
        theirs = found.evaluate(script, [items, [list(one) for one in some]])
        assert theirs == [[row["item"] for row in selected(items, *one)] for one in some]
    counted = found.evaluate("() => antemill.packed().list('run', {}).then((one) => one.facets)")
    assert counted == facets(rows, list(counted))


def test_a_replay_by_keyboard_and_the_link_to_a_decision(visitor: Visitor, page: Path, cup: Path) -> None:
    with opened_run(cup / "run") as run:
        row = max(run.rows(), key=lambda one: one["moves"])
        detail = run.item(row["item"])
    frames = detail["frames"]
    found = opened(visitor, page, f"/item/{row['item'].replace(':', '%3A')}")
    where, pot = found.locator(".where"), found.locator(".pot .chips b")
    found.wait_for_selector(".table")

    def see(place: int) -> None:
        assert where.inner_text().startswith(f"Moment {place + 1} of {len(frames)}")
        assert pot.inner_text() == str(frames[place]["state"]["pot"])

    see(0)
    for place in range(1, 6):
        found.keyboard.press("ArrowRight")
        see(place)
    found.keyboard.press("ArrowLeft")
    see(4)
    found.keyboard.press("End")
    see(len(frames) - 1)
    winner = row["outcome"] if row["payoff"] else "draw"
    assert winner in found.locator(".panel .result").inner_text()
    found.keyboard.press("Home")
    see(0)
    decided = [i for i, frame in enumerate(frames) if frame["decision"] is not None]
    for number, place in enumerate(decided):
        found.keyboard.press("ArrowDown")
        see(place)
        expect(found).to_have_url(re.compile(f"/d{number}$"))
        assert f"Decision {number + 1}:" in found.locator(".panel h3").inner_text()
    found.keyboard.press("Home")
    found.keyboard.press("Space")
    expect(where).not_to_contain_text("Moment 1 of")
    found.keyboard.press("Space")
    held = where.inner_text()
    found.wait_for_timeout(1_200)  # more than a moment lasts
    assert where.inner_text() == held
    other = opened(visitor, page, f"/item/{row['item'].replace(':', '%3A')}/d{len(decided) - 1}")
    other.wait_for_selector(".panel h3")
    assert f"Decision {len(decided)}:" in other.locator(".panel h3").inner_text()


def test_the_list_leads_to_the_matches_that_say_most(visitor: Visitor, page: Path, rows: list[Row]) -> None:
    found = visitor.open(page)
    found.get_by_role("link", name="Matches").click()
    found.get_by_role("link", name="Most given away first").click()
    expect(found.locator("th[aria-sort=descending]")).to_have_text("Given away")
    most = max(row.get("regret") or 0.0 for row in rows)
    expect(listed(found).first).to_contain_text(f"{most:.2f}")
    found.get_by_role("link", name="Largest swing first").click()
    expect(found.locator("th[aria-sort=descending]")).to_have_text("Swing")


def test_a_seat_s_view_hides_the_other_s_cards(visitor: Visitor, page: Path, rows: list[Row]) -> None:
    row = next(row for row in rows if row["about"] == "kuhn")
    found = opened(visitor, page, f"/item/{row['item'].replace(':', '%3A')}/d0")
    found.wait_for_selector(".table")
    backs = found.locator(".seat .card.back")
    assert (found.locator(".seat .card").count(), backs.count()) == (2, 0)
    for seat, name in enumerate(("Alice", "Bob")):
        found.get_by_label(name, exact=False).and_(found.locator("[type=radio]")).check()
        assert backs.count() == 1
        assert found.locator(".table .seat").last.get_attribute("aria-label") == (row["alice"], row["bob"])[seat]
        log = found.locator(".log").inner_text()
        assert "You are dealt 1 card:" in log
        assert "is dealt 1 card:" not in log


def test_what_strangers_wrote_is_text(visitor: Visitor, page: Path, cup: Path) -> None:
    with opened_run(cup / "run") as run:
        details = [run.item(row["item"]) for row in run.rows()]
    place = next(
        (detail["item"], decision["number"])
        for detail in details
        if "<img" in detail["item"]
        for frame in detail["frames"]
        if (decision := frame["decision"]) is not None and decision["call"] and decision["call"]["reply"] == HOSTILE
    )
    found = visitor.open(page)
    address = found.evaluate("([item, n]) => antemill.link('run', item, `d${n}`)", list(place))
    found.evaluate("(to) => { location.hash = to; }", address)
    reply = found.locator(".call details[open] pre").last
    reply.wait_for()
    assert reply.inner_text() == (
        "<script>alert(1)</script>\u27e8U+001B\u27e9[31m\u27e8U+202E\u27e9evil\u27e8U+2066\u27e9 **bold** "
        '{"action": "check"}'
    )
    assert found.locator("#explorer script, #explorer img, header img").count() == 0
    assert "<img src=x onerror=alert(2)>" in found.locator("h2").last.inner_text()
    prompt = found.locator(".call details", has_text="Prompt").locator("pre")
    assert prompt.text_content() == next(
        message["text"]
        for detail in details
        for frame in detail["frames"]
        if detail["item"] == place[0] and frame["decision"] and frame["decision"]["number"] == place[1]
        for message in frame["decision"]["call"]["messages"]
        if message["role"] == "user"
    )


def test_elements_take_neither_handlers_nor_foreign_addresses(visitor: Visitor, page: Path) -> None:
    found = visitor.open(page)
    element = "antemill.el('a', { attrs }, '<b>\\u202e').outerHTML"
    made = f"(attrs) => {{ try {{ return {element}; }} catch (error) {{ return error.message; }} }}"
    for attrs in (
        {"onclick": "alert(1)"},
        {"OnClick": "alert(1)"},
        {"href": "javascript:alert(1)"},
        {"href": "https://example.org"},
        {"src": "//example.org/x.png"},
        {"HREF": "data:text/html,x"},
    ):
        assert "takes nothing from data" in found.evaluate(made, attrs)
    assert found.evaluate(made, {"href": "#/run/x"}) == '<a href="#/run/x">&lt;b&gt;\u27e8U+202E\u27e9</a>'
    option = "(value) => antemill.el('option', { attrs: { value } }, value)"
    assert found.evaluate(f"(value) => ({option})(value).value", "a\u202eb") == "a\u202eb"
    assert found.evaluate(f"(value) => ({option})(value).textContent", "a\u202eb") == "a\u27e8U+202E\u27e9b"


def test_pages_fit_windows_and_paper(visitor: Visitor, page: Path, rows: list[Row]) -> None:
    found = opened(visitor, page, "?sort=-fallbacks")
    found.wait_for_selector("table.items")
    visitor.look(found, "matches")
    visitor.print(found, "matches")
    item = max(rows, key=lambda row: row["fallbacks"])["item"]
    found.evaluate("(item) => { location.hash = antemill.link('run', item, 'd0'); }", item)
    found.wait_for_selector(".table")
    visitor.look(found, "match", whole=True)
    visitor.print(found, "match")


def test_a_folder_on_a_plain_web_server_shows_every_match(visitor: Visitor, cup: Path, tmp_path: Path) -> None:
    write_site(cup / "run", tmp_path / "site")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "site")))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        page = visitor.open(f"http://127.0.0.1:{server.server_address[1]}/")
        page.get_by_role("link", name="Matches").first.click()
        links = page.locator(".list-body tbody th a")
        expect(links.first).to_be_visible()
        assert page.locator(".list-body tbody th .closed").count() == 0
        links.last.click()
        expect(page.get_by_label("Moment of the match")).to_be_visible()
        page.close()
    finally:
        server.shutdown()
        server.server_close()


class Quiet(SimpleHTTPRequestHandler):
    """A web server that gives out files and says nothing."""

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""
