"""`antemill view` in a browser: lists, links, replays, and runs that go on while a visitor looks at them."""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Page, expect

from antemill.llm import Request
from antemill.tournament.duel.kind import DuelKind
from antemill.tournament.runs import start_run
from antemill.tournament.skate.kind import SkateKind
from tests.browser.visitor import Visitor
from tests.tournament.cards.tournament_runs import (
    obedient,
    records_of,
    run_cup,
    run_logged,
    thoughtful,
    write_cup,
    write_long_cup,
)
from tests.tournament.duel.duelists import TrustingJudge
from tests.tournament.duel.test_run import SCRIPTS
from tests.tournament.duel.test_run import write_config as write_duels
from tests.tournament.runs.killing import hold, kill_after, lines, started
from tests.tournament.skate.skaters import rules, skater
from tests.tournament.skate.skaters import write_config as write_skate
from tests.tournament.view.viewing import viewing

pytestmark = pytest.mark.slow
GONE = re.compile("ERR_(CONNECTION_(REFUSED|RESET|CLOSED)|EMPTY_RESPONSE)")  # before a question, or under one
HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)>[me](javascript:alert(3))<svg onload=alert(4)></svg>"
    "</pre></script><!-- \x1b[2J\x07 \u202eevil\u202c \u200b{{7*7}} &lt;b&gt;"
)


PLAYERS = '[players.m]\nmodel = "m"\n[players.rnd]\nbot = "random"\n[players.l1]\nbot = "l1"\n'


@pytest.fixture(scope="module", name="cup")
def _cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    config = write_cup(home, 'games = ["kuhn", "leduc"]\nmatches_per_seat = 3', PLAYERS)
    run_cup(config, home / "cup", {"m": thoughtful})
    return home / "cup"


@pytest.fixture(scope="module", name="url")
def _url(cup: Path) -> Iterator[str]:
    with viewing(cup) as (_, told):
        yield told["url"]


def items(page: Page) -> list[str]:
    """The finished items that a list links to."""
    page.wait_for_selector(".list-body tbody")
    links = page.locator(".list-body tbody th a").evaluate_all(
        "links => links.map((link) => link.getAttribute('href'))"
    )
    return [unquote(link.rpartition("/item/")[2]) for link in links]


def matches(home: Path, name: str, players: int, per_seat: int) -> Path:
    """A tournament of many players with nothing to think about."""
    home = home / "made"
    home.mkdir(exist_ok=True)
    names = [f"model-{i:02d}-with-a-rather-long-name" for i in range(players)]
    bots = "".join(f'[players.{one}]\nbot = "random"\n' for one in names)
    run_cup(write_cup(home, f'games = ["kuhn"]\nmatches_per_seat = {per_seat}', bots), home / name)
    return home / name


def test_the_first_page_has_the_run_the_leaderboard_and_the_report(visitor: Visitor, url: str) -> None:
    page = visitor.open(url)
    expect(page.get_by_role("heading", name="Overall leaderboard", exact=True)).to_be_visible()
    expect(page.locator("#live")).to_contain_text("36 of 36")
    expect(page.locator("#board-0 ~ .scroll tbody tr")).to_have_count(3)
    expect(page.locator("#board-0 ~ .note em")).to_have_text(["These games", "Games like these"])
    expect(page.locator("#board-0 ~ .note")).not_to_contain_text("*")
    visitor.look(page, "view-first", whole=True)
    page.locator("#board-0 ~ .scroll").get_by_role("link", name="l1", exact=True).press("Enter")
    expect(page.locator("output")).to_have_text("1 to 24 of 24 that fit")  # the matches behind the row
    page.go_back()
    page.get_by_role("link", name="Report").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("cup")
    expect(page.locator(".lead")).to_contain_text("Card tournament, begun on")
    expect(page.get_by_role("heading", name="Overall leaderboard", exact=True)).to_be_visible()
    page.get_by_role("link", name="Matches 36").click()
    assert len(items(page)) == 36
    page.get_by_role("link", name="All runs").click()
    page.get_by_role("link", name="cup", exact=True).click()
    assert len(items(page)) == 36


def test_a_running_tournament_is_followed_through_a_kill_and_to_its_end(visitor: Visitor, tmp_path: Path) -> None:
    config, out, log = write_long_cup(tmp_path), tmp_path / "cup", tmp_path / "log"
    hold(log, 20)
    process = started(run_logged, config, out, log, 0.0)
    while len(lines(log)) < 20 and process.is_alive():
        process.join(0.05)
    with viewing(out) as (_, told):
        page = visitor.open(f"{told['url']}#/run/cup?status=done")
        page.wait_for_selector(".list-body tbody tr")
        before = page.locator(".pager output").inner_text()
        hold(log, 40)  # eight matches of three calls at most: one of them ends
        expect(page.locator(".pager output")).not_to_have_text(before)
        hold(log, 60)
        assert kill_after(process, log, 60, 0.0)
        page.goto(f"{told['url']}#")
        expect(page.locator("#live")).to_contain_text("stopped")
        kept = sum(one.status == "done" for one in records_of(out))
        expect(page.locator("#live")).to_contain_text(f"{kept} of ")
        # Also those of the last moment; an older board is good for five times as long as it took to make.
        board = page.locator("section", has=page.locator("#board-0")).locator(".note")
        expect(board).to_contain_text(re.compile(rf"^{kept} matches, "), timeout=120_000)
        visitor.look(page, "view-stopped")
        hold(log, math.inf)
        process = started(run_logged, config, out, log, 0.0)
        expect(page.locator("#live .stands")).to_contain_text("finished", timeout=120_000)
        total = sum(one.status == "done" for one in records_of(out))
        expect(page.locator("#live")).to_contain_text(f"{total} of {total}")
        page.goto(f"{told['url']}#/run/cup?status=done")
        expect(page.locator(".pager output")).to_contain_text(f"of {total}")
    process.join()


def test_a_server_that_goes_and_comes_again(visitor: Visitor, cup: Path) -> None:
    with viewing(cup) as (process, told):
        page = visitor.open(told["url"])
        expect(page.get_by_role("heading", name="Overall leaderboard", exact=True)).to_be_visible()
        process.terminate()
        process.wait()
        expect(page.get_by_role("alert")).to_contain_text("does not answer")
        expect(page.locator("#live")).to_contain_text("36 of 36")
    with viewing(cup, port=urlsplit(told["url"]).port or 0):
        expect(page.get_by_role("alert")).to_be_hidden()
        page.get_by_role("link", name="cup", exact=True).click()
        assert len(items(page)) == 36
    assert visitor.complaints
    assert all(GONE.search(one) for one in visitor.complaints)
    visitor.complaints.clear()


def test_hostile_texts_are_texts(visitor: Visitor, tmp_path: Path) -> None:
    def hostile(request: Request) -> str:
        return f"{HOSTILE} {obedient(request)}" if request.sample.endswith(("1", "3")) else HOSTILE

    name = "<img src=x onerror=alert(5)>\u202egnp"
    players = '[players."<b onmouseover=alert(6)>m</b>"]\nmodel = "m"\n[players.rnd]\nbot = "random"\n'
    home = tmp_path / "home"
    home.mkdir()
    config = write_cup(home, 'games = ["kuhn"]\nmatches_per_seat = 2', players)
    run_cup(config, home / name, {"m": hostile})
    with viewing(home / name) as (_, told):
        page = visitor.open(told["url"])
        expect(page.locator("#board-0 ~ .scroll")).to_contain_text("<b onmouseover=alert(6)>m</b>")
        visitor.look(page, "view-hostile")
        page.locator("#live tbody a").first.click()
        assert len(items(page)) == 4
        page.locator(".list-body tbody a").first.click()
        expect(page.get_by_label("Moment of the match")).to_be_visible()
        seen = ""
        for _ in range(30):
            page.keyboard.press("ArrowRight")
            seen += page.locator("main").inner_text()
        assert "<script>alert(1)</script>" in seen
        assert "\x1b" not in seen
        assert "\u202e" not in seen
        visitor.look(page, "view-hostile-match", whole=True)
        assert page.locator("main img, main svg[onload], main b[onmouseover]").count() == 0


def test_duels_and_questions_stand_beside_matches(visitor: Visitor, cup: Path, tmp_path: Path) -> None:
    duels = tmp_path / "duels"
    with start_run(DuelKind(lambda _config: TrustingJudge()), write_duels(tmp_path), duels) as session:
        session.run(quiet=True, scripts=SCRIPTS)
    skills, skate = {"ace": 0.97, "low": 0.3}, tmp_path / "skate"
    with start_run(SkateKind(rules), write_skate(tmp_path, skills, rounds=2), skate) as session:
        session.run(quiet=True, scripts={name: skater(name, skill) for name, skill in skills.items()})
    with viewing(cup, duels, skate) as (_, told):
        page = visitor.open(told["url"])
        for title in ("Ratings of duels, rounds and roles", "TrueSkill"):
            expect(page.get_by_role("heading", name=title)).to_be_visible()
        visitor.look(page, "view-kinds", whole=True)
        for folder in (duels, skate):
            page.goto(f"{told['url']}#/run/{folder.name}")
            expect(page.locator(".list-body tbody a").first).to_be_visible()
            wanted = {record.item.key for record in records_of(folder) if record.status == "done"}
            assert len(found := items(page)) > 0
            assert {*found} <= wanted
            page.locator(".list-body tbody a").first.click()
            expect(page.locator(".item")).to_be_visible()
