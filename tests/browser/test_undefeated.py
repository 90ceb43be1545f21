"""Who never lost, and who never won, in the pages that `antemill report` writes: infinity in words, the best on top."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from antemill.llm import Request
from antemill.tournament.cli.entry import run as command
from antemill.tournament.duel.kind import duel_type
from antemill.tournament.runs import start_run
from antemill.tournament.skate.kind import skate_type
from tests.browser.visitor import LEGIBLE, Visitor
from tests.tournament.duel import duelists
from tests.tournament.duel.duelists import TrustingJudge
from tests.tournament.skate import skaters

# All models fold to a bet or a raise, but the first, which makes them, and the last makes none: so who wins is no luck.
PLAYERS = """
class _Player:
    def __init__(self, game):
        pass

    def choose(self, observation):
        offered = observation.menu.labels
        return next(one for one in self.wanted if one in offered)

class Top(_Player):
    name, wanted = "top", ("raise", "bet", "call", "check")

class Mid(_Player):
    name, wanted = "mid", ("bet", "fold", "check")

class Low(_Player):
    name, wanted = "low", ("fold", "check")
"""
CUP = """
[tournament]
games = ["leduc"]
matches_per_seat = 8
"""
SCRIPTS = {"zoe": "Top", "below": "Mid", "mia": "Mid", "abe": "Low"}  # by alphabet the worst comes first
SMALLEST_SHOWN = """() => Math.min(...[...document.querySelectorAll("svg text")].filter((one) => one.checkVisibility())
  .map((one) => parseFloat(getComputedStyle(one).fontSize) * Math.hypot(one.getScreenCTM().a, one.getScreenCTM().b)))"""
NO_FIGURE = re.compile(r"(?<![\w.])[-+\u2212]?(nan|inf|infinity|undefined|null)(?!\w)", re.IGNORECASE)


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("cup")
    (home / "players.py").write_text(PLAYERS)
    players = "".join(f'[players.{name}]\nscript = "players.py:{kind}"\n' for name, kind in SCRIPTS.items())
    (home / "cup.toml").write_text(CUP + players)
    assert command(["tournament", "run", str(home / "cup.toml"), "--out", str(home / "run")]) == 0
    assert command(["report", str(home / "run")]) == 0
    return home / "run" / "report.html"


def hard(request: Request) -> str:
    """Proposes what only it can solve, and solves everything."""
    if duelists.is_proposal(request):
        return duelists.proposals(lambda n: duelists.reply((1_000 + n) ** 2, 1_000 + n))(request)
    return duelists.solver(request)


def middling(request: Request) -> str:
    """Solves its own kind in every other turn of a duel."""
    text = request.messages[-1].text
    if duelists.is_proposal(request):
        return duelists.strong(request)
    found = re.search(r"x \* x == (\d{1,5})\b", text)
    return duelists.solver(request) if found and int(found[1]) ** 0.5 % 4 < 2 else "I do not know."


@pytest.fixture(scope="module")
def duels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("duels")
    scripts = {"zoe": hard, "below": middling, "mia": middling, "abe": duelists.silent}
    (home / "models.toml").write_text("".join(f'[{n}]\nprotocol = "scripted"\nmodel = "{n}"\n' for n in scripts))
    players = "".join(f'[players.{name}]\nmodel = "{name}"\n' for name in scripts)
    (home / "duels.toml").write_text(f"[limits]\nfallbacks = 0\n[duel]\n{players}")
    with start_run(duel_type(lambda _config: TrustingJudge()), home / "duels.toml", home / "run") as session:
        session.run(quiet=True, scripts=scripts)
    assert command(["report", str(home / "run")]) == 0
    return home / "run" / "report.html"


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("skate")
    skills = {"abe": 0.0, "mia": 0.5, "zoe": 1.0}
    config = skaters.write_config(home, skills, rounds=2)
    with start_run(skate_type(skaters.rules), config, home / "run") as session:
        session.run(quiet=True, scripts={name: skaters.skater(name, skill) for name, skill in skills.items()})
    assert command(["report", str(home / "run")]) == 0
    return home / "run" / "report.html"


def section(page: Page, title: str) -> Locator:
    return page.locator("section", has=page.get_by_role("heading", name=title, exact=True))


def cells(table: Locator, heading: str) -> list[str]:
    """A column of a table, by its heading."""
    heads = [text.strip() for text in table.locator("thead tr").last.locator("th").all_inner_texts()]
    place = heads.index(heading) + 1
    return [text.strip() for text in table.locator(f"tbody tr > :nth-child({place})").all_inner_texts()]


def check_that_figures_are_figures(page: Page) -> None:
    assert NO_FIGURE.findall(page.locator("#overview").inner_text()) == []
    drawn = page.locator("#overview svg").evaluate_all("all => all.map(one => one.outerHTML).join()")
    assert not re.search(r'[" ,MLHV-](NaN|inf|Infinity)\b', drawn)


def test_a_tournament_s_undefeated_player_is_on_top_with_infinity(visitor: Visitor, cup: Path) -> None:
    page = visitor.open(f"{cup.as_uri()}#tab-all")
    table = section(page, "Bradley-Terry on wins").locator("table")
    assert cells(table, "model") in (["zoe", "below", "mia", "abe"], ["zoe", "mia", "below", "abe"])
    told = cells(table, "Bradley-Terry")
    assert re.fullmatch("∞ above (below|mia)", told[0])
    assert re.fullmatch("∞ below (below|mia)", told[3])
    assert all(re.fullmatch(r"[+\u2212]?\d+\.\d\d", one) for one in told[1:3])
    assert cells(table, "rank") == ["1", "2", "3", "4"]
    assert cells(table, "low")[0] == cells(table, "high")[0] == "∞"
    assert cells(table, "low")[3] == cells(table, "high")[3] == "\N{MINUS SIGN}∞"
    assert cells(section(page, "Overall leaderboard").locator("table"), "model")[0] == "zoe"
    head = table.get_by_role("button", name="Bradley-Terry")
    for order in (1, -1):  # a click sorts upwards, a second one downwards
        head.click()
        assert [cells(table, "model")[i] for i in (0, -1)] == ["abe", "zoe"][::order]
    expect(page.get_by_text("the best on top")).to_be_visible()
    check_that_figures_are_figures(page)
    visitor.look(page, "undefeated", whole=True)
    visitor.print(page, "undefeated")


def test_duels_undefeated_player_is_on_top_with_infinity(visitor: Visitor, duels: Path) -> None:
    page = visitor.open(f"{duels.as_uri()}#tab-all")
    found = section(page, "Ratings of duels, rounds and roles")
    table = found.locator("table")
    players = cells(table, "Player")
    assert (players[0], players[-1]) == ("zoe", "abe")
    told = cells(table, "Duels")
    assert told[0].startswith("∞ above ")
    assert told[-1].startswith("∞ below ")
    names = found.locator("svg text.name.end").all_text_contents()
    assert (names[0], names[-1]) == ("zoe", "abe")
    for order in (1, -1):
        table.get_by_role("button", name="Duels").click()
        assert [cells(table, "Player")[i] for i in (0, -1)] == ["abe", "zoe"][::order]
    check_that_figures_are_figures(page)
    visitor.look(page, "overview-duels", whole=True)
    visitor.print(page, "overview-duels")


def test_the_first_screen_leads_to_the_turn_that_decided(visitor: Visitor, duels: Path) -> None:
    page = visitor.open(duels)
    told = re.search(
        r"in turn (\d+) (.*) did not solve (.*)'s puzzle, and (.*) stayed ahead to the end, (\d+) to (\d+)\.",
        page.locator("p.finding").last.inner_text(),
    )
    assert told is not None
    number, loser, winner = int(told[1]), told[2], told[3]
    assert told[4] == winner
    page.get_by_role("link", name=f"The turn that decided a duel of {winner} and {loser}:").click()
    expect(page.locator(f"#turn-{number}")).to_be_in_viewport()
    expect(page.locator(f"#turn-{number} h3")).to_contain_text(f"a point for {winner}")
    leads, lead = [], 0
    for line in page.locator("section.turn h3").all_inner_texts():
        lead += line.endswith(f"a point for {winner}") - line.endswith(f"a point for {loser}")
        leads.append(lead)
    assert leads[-1] == int(told[5]) - int(told[6])
    assert min(leads[number - 1 :]) > 0
    assert number == 1 or leads[number - 2] <= 0


def test_who_is_always_right_has_a_finite_skill_and_is_on_top(visitor: Visitor, questions: Path) -> None:
    page = visitor.open(f"{questions.as_uri()}#tab-all")
    table = page.locator("#overview table").first
    assert cells(table, "Player")[0] == "zoe"
    assert cells(table, "Player")[-1] == "abe"
    assert page.get_by_text("∞").count() == 0
    check_that_figures_are_figures(page)
    visitor.look(page, "overview-skate", whole=True)
    visitor.print(page, "overview-skate")


@pytest.mark.parametrize("kind", ["duels", "questions"])
def test_every_figure_fits_a_phone(visitor: Visitor, kind: str, request: pytest.FixtureRequest) -> None:
    page = visitor.open(f"{request.getfixturevalue(kind).as_uri()}#tab-all", width=390)
    figures = page.locator("figure.drawn")
    assert figures.locator("svg:visible").count() >= 3
    wide = "all => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.ariaLabel)"
    assert figures.locator(".panels > :visible").evaluate_all(wide) == []
    assert page.evaluate(SMALLEST_SHOWN) >= LEGIBLE


def test_the_turns_of_a_duel_stand_in_their_column(visitor: Visitor, duels: Path) -> None:
    page = visitor.open(f"{duels.as_uri()}#/list", width=1100)
    right = "getBoundingClientRect().right"
    inside = f"all => all.map((one) => one.parentElement.{right} - one.lastChild.{right})"
    room = page.locator("table.items .strip").evaluate_all(inside)
    assert room
    assert min(room) >= 1.0
