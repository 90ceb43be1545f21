"""`antemill view` in a browser: lists, links, replays, and runs that go on while a visitor looks at them."""

import asyncio
import logging
import math
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from antemill.llm import Request
from antemill.tournament.cards import TOURNAMENT
from antemill.tournament.cli.entry import run as command
from antemill.tournament.duel.kind import duel_type
from antemill.tournament.runs import RunStalledError, open_run, start_run
from antemill.tournament.runs.items import Row
from antemill.tournament.skate.kind import skate_type
from antemill.tournament.view.app import make_app
from antemill.tournament.view.serve import address, listening, make_server
from antemill.tournament.view.service import Service, opened
from tests.browser.visitor import SCHEMES, Visitor
from tests.tournament.cards.tournament_runs import (
    obedient,
    records_of,
    run_cup,
    run_logged,
    thoughtful,
    unplay,
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
PLAYERS = '[players.m]\nmodel = "m"\n[players.rnd]\nbot = "random"\n[players.l1]\nbot = "l1"\n'
GONE = re.compile("ERR_(CONNECTION_(REFUSED|RESET|CLOSED)|EMPTY_RESPONSE)")  # before a question, or under one
HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)>[me](javascript:alert(3))<svg onload=alert(4)></svg>"
    "</pre></script><!-- \x1b[2J\x07 \u202eevil\u202c \u200b{{7*7}} &lt;b&gt;"
)


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


def choice(page: Page, label: str) -> Locator:
    """What a list is narrowed down with."""
    return page.locator("label").filter(has_text=re.compile(f"^{label}")).locator("select")


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
    expect(page.get_by_role("heading", name="Leaderboard of card tournaments")).to_be_visible()
    expect(page.locator("#live")).to_contain_text("36 of 36")
    expect(page.locator("#board-0 ~ .scroll tbody tr")).to_have_count(3)
    visitor.look(page, "view-first", whole=True)
    page.locator("#board-0 ~ .scroll").get_by_role("link", name="l1", exact=True).press("Enter")
    expect(page.locator("output")).to_have_text("1 to 24 of 24 that fit")  # the matches behind the row
    page.go_back()
    page.get_by_role("link", name="Report").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("cup")
    expect(page.locator(".lead")).to_contain_text("Card tournament, begun on")
    expect(page.get_by_role("heading", name="Overall leaderboard")).to_be_visible()
    page.get_by_role("link", name="Matches 36").click()
    assert len(items(page)) == 36
    page.get_by_role("link", name="All runs").click()
    page.get_by_role("link", name="cup", exact=True).click()
    assert len(items(page)) == 36


def test_a_list_is_narrowed_down_and_its_link_says_how(visitor: Visitor, url: str, cup: Path) -> None:
    wanted = [r.item.key for r in records_of(cup) if "l1" in r.item.data.values() and r.item.data["game"] == "leduc"]
    page = visitor.open(f"{url}#/run/cup")
    assert len(items(page)) == 36
    choice(page, "Player").select_option("l1")
    expect(page.locator(".list-body tbody tr")).to_have_count(24)
    choice(page, "Game").select_option("leduc")
    expect(page.locator(".list-body tbody tr")).to_have_count(len(wanted))
    assert items(page) == wanted
    visitor.look(page, "view-list")
    again = visitor.open(page.url)
    expect(again.locator(".list-body tbody tr")).to_have_count(len(wanted))
    assert items(again) == wanted
    page.get_by_role("searchbox").fill("no such thing")
    expect(page.locator(".list-body")).to_contain_text("Nothing fits")
    page.get_by_role("link", name="Show all").click()
    expect(page.locator(".list-body tbody tr")).to_have_count(36)
    page.get_by_role("link", name="Swing", exact=True).click()
    expect(page.locator("th[aria-sort='descending']")).to_have_text("Swing")


def test_a_match_is_replayed_with_the_keyboard_and_each_decision_has_its_link(
    visitor: Visitor, url: str, cup: Path
) -> None:
    record = next(r for r in records_of(cup) if r.fallbacks and r.item.key.startswith("leduc"))
    link = f"{url}#/run/cup/item/{quote(record.item.key, safe='')}"
    page = visitor.open(link)
    moment = page.get_by_label("Moment of the match")
    expect(moment).to_be_visible()
    last = int(moment.get_attribute("max") or 0)
    assert last > 4
    page.keyboard.press("End")
    expect(moment).to_have_value(str(last))
    page.keyboard.press("ArrowLeft")
    expect(moment).to_have_value(str(last - 1))
    page.keyboard.press("Home")
    expect(moment).to_have_value("0")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    there = moment.input_value()
    assert int(there) > 0
    expect(page.locator(".decision")).to_be_visible()
    visitor.look(page, "view-match")
    again = visitor.open(page.url)
    expect(again.get_by_label("Moment of the match")).to_have_value(there)
    assert again.locator(".decision").inner_text() == page.locator(".decision").inner_text()


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("#/run/nobody", "there is no run 'nobody' here"),
        ("#/run/cup/item/kuhn%3A77%3Am%3Al1", "there is no item"),
        ("#/run/cup/item/%E0%A4%A", ""),
    ],
)
def test_a_wrong_link_says_what_is_wrong(visitor: Visitor, url: str, place: str, words: str) -> None:
    page = visitor.open(f"{url}{place}")
    if words:
        expect(page.get_by_role("alert").filter(has_text=words)).to_be_visible()
    else:
        expect(page.get_by_role("heading", name="The run")).to_be_visible()
    visitor.complaints[:] = [one for one in visitor.complaints if "404" not in one]


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
        expect(page.locator("#live")).to_contain_text(f"fitted to {kept} matches", timeout=120_000)
        visitor.look(page, "view-stopped")
        hold(log, math.inf)
        process = started(run_logged, config, out, log, 0.0)
        expect(page.locator("#live")).to_contain_text("finished", timeout=120_000)
        total = sum(one.status == "done" for one in records_of(out))
        expect(page.locator("#live")).to_contain_text(f"{total} of {total}")
        page.goto(f"{told['url']}#/run/cup?status=done")
        expect(page.locator(".pager output")).to_contain_text(f"of {total}")
    process.join()


def test_a_server_that_goes_and_comes_again(visitor: Visitor, cup: Path) -> None:
    with viewing(cup) as (process, told):
        page = visitor.open(told["url"])
        expect(page.get_by_role("heading", name="Leaderboard of card tournaments")).to_be_visible()
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


def test_an_empty_run_and_one_with_a_single_match(visitor: Visitor, cup: Path, tmp_path: Path) -> None:
    for name, keep in (("empty", 0), ("single", 1)):
        folder = tmp_path / name
        folder.mkdir()
        for path in cup.iterdir():
            (folder / path.name).write_bytes(path.read_bytes())
        unplay(folder, keep)
    with viewing(tmp_path / "empty", tmp_path / "single") as (_, told):
        page = visitor.open(told["url"])
        expect(page.locator("#live")).to_contain_text("not started")
        expect(page.locator("#live")).to_contain_text("1 of 36")
        expect(page.get_by_role("heading", name="Leaderboard of card tournaments")).to_be_visible()
        visitor.look(page, "view-empty")
        page.goto(f"{told['url']}#/run/empty")
        expect(page.locator(".list-body tbody tr")).to_have_count(36)
        assert items(page) == []
        page.goto(f"{told['url']}#/run/single")
        expect(page.locator(".list-body tbody a")).to_have_count(1)
        page.locator(".list-body tbody a").click()
        expect(page.get_by_label("Moment of the match")).to_be_visible()


def test_a_single_model(visitor: Visitor, tmp_path: Path) -> None:
    config = write_cup(
        tmp_path, 'games = ["kuhn"]\nmatches_per_seat = 1', '[players.m]\nmodel = "m"\n[players.b]\nbot = "l1"'
    )
    run_cup(config, tmp_path / "one", {"m": obedient})
    with viewing(tmp_path / "one") as (_, told):
        page = visitor.open(told["url"])
        expect(page.locator("#board-0 ~ .scroll tbody tr")).to_have_count(2)
        visitor.look(page, "view-one-model")


def test_a_run_that_pauses_for_unusable_replies_says_so_in_red(visitor: Visitor, tmp_path: Path) -> None:
    """Beside the run's state and on its page; the line goes when the replies can be used after a `resume`."""
    bad = True

    def model(request: Request) -> str:
        return "No." if bad else obedient(request)

    config = write_cup(tmp_path, 'games = ["kuhn"]\nmatches_per_seat = 12', PLAYERS)
    with pytest.raises(RunStalledError, match="could not be used"):
        run_cup(config, tmp_path / "cup", {"m": model})
    line = re.compile(r"^the last \d\d replies of m could not be used \(unparsable\)\.$")
    with viewing(tmp_path / "cup") as (_, told):
        page = visitor.open(told["url"])
        row = page.locator("#live tbody tr").filter(has_text="cup")
        warning = row.get_by_text(line)
        expect(warning).to_be_visible()
        expect(row).to_contain_text("stopped")
        for scheme in SCHEMES:
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            assert red(warning)
        visitor.look(page, "view-unusable")
        assert command(["report", str(tmp_path / "cup"), "-o", str(tmp_path / "cup.html")]) == 0
        alert = visitor.open(tmp_path / "cup.html").get_by_role("alert").filter(has_text=line)
        expect(alert).to_be_visible()
        assert red(alert)
        bad = False
        with ThreadPoolExecutor(1) as beside:  # the browser has this thread's loop
            beside.submit(resume, tmp_path / "cup", model).result()
        expect(row).to_contain_text("finished")
        expect(warning).to_have_count(0)


def resume(folder: Path, model: Callable[[Request], str]) -> None:
    """Continue a run with the model "m"."""
    with open_run(TOURNAMENT, folder) as session:
        session.run(quiet=True, scripts={"m": model})


def red(shown: Locator) -> bool:
    """Whether its letters are red."""
    color: str = shown.evaluate("(one) => getComputedStyle(one).color")
    r, g, b = (int(part) for part in re.findall(r"\d+", color)[:3])
    return r > 1.4 * max(g, b)


def test_thirty_models(visitor: Visitor, tmp_path: Path) -> None:
    folder = matches(tmp_path, "thirty", 30, 1)
    with viewing(folder) as (_, told):
        page = visitor.open(told["url"])
        expect(page.locator("#board-0 ~ .scroll tbody tr")).to_have_count(30)
        visitor.look(page, "view-thirty")
        page.goto(f"{told['url']}#/run/thirty")
        assert len(items(page)) == 100
        page.get_by_role("link", name="Next").click()
        expect(page.locator(".pager output")).to_contain_text("101 to 200 of 870")
        visitor.look(page, "view-thirty-list")


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


@contextmanager
def failing(cup: Path) -> Iterator[str]:
    """The address of a server in a thread, with a mistake in what answers for an item."""

    class Failing(Service):
        def item(self, name: str, key: str) -> Row:
            raise ZeroDivisionError(f"{name} {key}")

        async def boards(self) -> Row:
            return {"boards": [], "fresh": True}

    with opened([cup]) as service, listening("127.0.0.1", 0) as listener:
        service.__class__ = Failing
        server = make_server(make_app(service, "127.0.0.1"))
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])))
        thread.start()
        try:
            yield address("127.0.0.1", listener)
        finally:
            server.should_exit = True
            thread.join()


def test_what_fails_is_a_sentence_in_the_page_and_a_trace_in_the_terminal(
    visitor: Visitor, cup: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    key = quote(next(record.item.key for record in records_of(cup)), safe="")
    monkeypatch.setattr(logging.getLogger(), "handlers", [])  # as outside of the tests
    words = "The server could not answer (ZeroDivisionError): the terminal in which it runs says where it failed."
    with failing(cup) as url:
        page = visitor.open(f"{url}#/run/cup/item/{key}")
        expect(page.get_by_role("alert").filter(has_text=words)).to_be_visible()
        page.goto(f"{url}api/runs/cup/items/{key}")
        expect(page.locator("body")).to_have_text(words)
        page.close()
    said = capsys.readouterr().err
    assert "Traceback" in said
    assert "raise ZeroDivisionError" in said
    assert visitor.complaints
    assert all("500" in one for one in visitor.complaints)
    visitor.complaints.clear()


def test_runs_are_followed_while_their_leaderboard_is_made(visitor: Visitor, cup: Path, tmp_path: Path) -> None:
    folder, away = tmp_path / "cup", tmp_path / "away"
    shutil.copytree(cup, folder)
    with viewing(folder) as (_, told):
        page, asked = visitor.open(told["url"]), list[Route]()
        page.route("**/api/boards", lambda route: asked.append(route))
        page.reload()
        state = page.locator("#runs ~ .scroll tbody tr")
        expect(state).to_contain_text("finished, 36 of 36")
        folder.rename(away)
        expect(state).to_contain_text("is gone: no such file or directory.")
        assert state.locator("td").nth(2).inner_text() == "3"
        away.rename(folder)
        expect(state).to_contain_text("finished, 36 of 36")
        expect(page.locator("#board ~ .note")).to_have_text("It is being worked out \u2026")
        asked[-1].continue_()
        expect(page.get_by_role("heading", name="Leaderboard of card tournaments")).to_be_visible()


def test_several_runs_stand_side_by_side(visitor: Visitor, cup: Path, tmp_path: Path) -> None:
    other = tmp_path / "cup"
    run_cup(write_cup(tmp_path, 'games = ["leduc"]\nmatches_per_seat = 4', PLAYERS), other, {"m": obedient})
    with viewing(cup, other) as (_, told):
        page = visitor.open(told["url"])
        expect(page.locator("#runs ~ .scroll tbody tr")).to_have_count(2)
        board = page.locator("#board-0 ~ .scroll")
        expect(board).to_contain_text("In one run alone")
        assert all(f"{path.parent.name} cup" in board.inner_text() for path in (cup, other))
        visitor.look(page, "view-several")


def test_duels_and_questions_stand_beside_matches(visitor: Visitor, cup: Path, tmp_path: Path) -> None:
    duels = tmp_path / "duels"
    with start_run(duel_type(lambda _config: TrustingJudge()), write_duels(tmp_path), duels) as session:
        session.run(quiet=True, scripts=SCRIPTS)
    skills, skate = {"ace": 0.97, "low": 0.3}, tmp_path / "skate"
    with start_run(skate_type(rules), write_skate(tmp_path, skills, rounds=2), skate) as session:
        session.run(quiet=True, scripts={name: skater(name, skill) for name, skill in skills.items()})
    with viewing(cup, duels, skate) as (_, told):
        page = visitor.open(told["url"])
        for title in ("card tournaments", "duels", "SKATE"):
            expect(page.get_by_role("heading", name=f"Leaderboard of {title}")).to_be_visible()
        visitor.look(page, "view-kinds", whole=True)
        for folder in (duels, skate):
            page.goto(f"{told['url']}#/run/{folder.name}")
            expect(page.locator(".list-body tbody a").first).to_be_visible()
            wanted = {record.item.key for record in records_of(folder) if record.status == "done"}
            assert len(found := items(page)) > 0
            assert {*found} <= wanted
            page.locator(".list-body tbody a").first.click()
            expect(page.locator(".item")).to_be_visible()
