"""Reports and leaderboards of `antemill view` in a browser: figures, and what is said while they are made again."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from antemill.tournament.pages.assets import script
from antemill.tournament.runs import start_run
from antemill.tournament.skate.kind import skate_type
from tests.browser.visitor import Visitor, barriers
from tests.tournament.cards.tournament_runs import records_of, run_cup, run_logged, write_cup, write_long_cup
from tests.tournament.runs.killing import hold, kill_after, lines, started
from tests.tournament.skate.skaters import rules, skater
from tests.tournament.skate.skaters import write_config as write_skate
from tests.tournament.view.viewing import viewing

pytestmark = pytest.mark.slow
BOTS = '[players.rnd]\nbot = "random"\n[players.l1]\nbot = "l1"\n'


def test_the_report_of_a_run_that_goes_on_says_so_and_is_made_anew(visitor: Visitor, tmp_path: Path) -> None:
    config, out, log = write_long_cup(tmp_path), tmp_path / "cup", tmp_path / "log"
    hold(log, 20)
    process = started(run_logged, config, out, log, 0.0)
    while len(lines(log)) < 20 and process.is_alive():
        process.join(0.05)
    with viewing(out) as (_, told):
        page = visitor.open(f"{told['url']}report/cup")
        expect(page.get_by_role("heading", name="Overall leaderboard")).to_be_visible()
        before = page.locator(".tiles").inner_text()
        hold(log, 40)  # eight matches of three calls at most: one of them ends
        link = page.locator("#news a")  # "make it again", or one is made by now: "show it"
        expect(link).to_be_visible()
        visitor.look(page, "view-report-older")
        assert page.locator(".tiles").inner_text() == before  # nothing moves under who reads it
        hold(log, 60)
        assert kill_after(process, log, 60, 0.0)
        kept = sum(one.status == "done" for one in records_of(out))
        for _ in range(20):
            if page.locator(".tiles dd").first.inner_text() == str(kept):
                break
            link.click()
        expect(page.locator(".tiles dd").first).to_have_text(str(kept))
        expect(page.locator("#news span")).to_be_empty()
        page.close()
    process.join()


def test_games_of_skate_have_their_figures_beside_each_other(visitor: Visitor, tmp_path: Path) -> None:
    skills, games = {"ace": 0.97, "low": 0.3}, []
    for name, strategy in (("first", "full"), ("ne<b>xt", "historical-performance")):
        home = tmp_path / f"of {name}"
        home.mkdir()
        config = write_skate(home, skills, rounds=2, strategy=strategy)
        with start_run(skate_type(rules), config, home / name) as session:
            session.run(quiet=True, scripts={player: skater(player, skill) for player, skill in skills.items()})
        games.append(home / name)
    run_cup(write_cup(tmp_path, 'games = ["kuhn"]\nmatches_per_seat = 2', BOTS), tmp_path / "cup")
    with viewing(games[0], tmp_path / "cup", games[1]) as (_, told):
        page = visitor.open(told["url"])
        board = page.locator("section", has=page.get_by_role("heading", name="Leaderboard of SKATE"))
        expect(board.locator("figure")).to_have_count(3)
        expect(board.locator("figcaption").first).to_contain_text("Ratings in each game, relative")
        for label in ("full (first)", "historical-performance (ne<b>xt)"):
            expect(board.locator("svg text:visible", has_text=label)).to_have_count(3)
        size = board.locator("svg path.whisker").first.bounding_box()
        assert size is not None  # a drawing, and not its source
        assert size["height"] > 5
        assert board.locator("figure b").count() == 0
        assert page.locator("figure").count() == 3
        assert barriers(page) == []
        visitor.look(page, "view-skate", whole=True)


@pytest.mark.parametrize(
    "html",
    [
        "<figure><img src=data:,></figure>",
        "<figure><svg onload=alert(1)></svg></figure>",
        '<figure><svg><a href="javascript:alert(1)"></a></svg></figure>',
        '<figure><svg><path style="fill: url(http://evil.example)"></path></svg></figure>',
        "<figure><script>alert(1)</script></figure>",
    ],
)
def test_a_figure_with_anything_else_in_it_is_not_shown(visitor: Visitor, html: str) -> None:
    page = visitor.open("about:blank")
    page.add_script_tag(content=f"{script()}\nwindow.antemill = antemill;")
    tried = "html => { try { antemill.drawn(html); return ''; } catch (error) { return error.message; } }"
    assert page.evaluate(tried, html).startswith("a figure has no ")
    good = '<figure><svg><path d="M0 0h9"></path></svg><figcaption>x</figcaption></figure>'
    assert page.evaluate("html => antemill.drawn(html).outerHTML", good) == good
