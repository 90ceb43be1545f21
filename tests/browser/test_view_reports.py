"""Reports and leaderboards of `antemill view` in a browser: figures, and what is said while they are made again."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from antemill.tournament.pages.assets import script
from tests.browser.visitor import Visitor
from tests.tournament.cards.tournament_runs import records_of, run_logged, write_long_cup
from tests.tournament.runs.killing import hold, kill_after, lines, started
from tests.tournament.view.viewing import viewing

pytestmark = pytest.mark.slow


def test_the_report_of_a_run_that_goes_on_says_so_and_is_made_anew(visitor: Visitor, tmp_path: Path) -> None:
    config, out, log = write_long_cup(tmp_path), tmp_path / "cup", tmp_path / "log"
    hold(log, 20)
    process = started(run_logged, config, out, log, 0.0)
    while len(lines(log)) < 20 and process.is_alive():
        process.join(0.05)
    with viewing(out) as (_, told):
        page = visitor.open(f"{told['url']}report/cup")
        expect(page.get_by_role("heading", name="Overall leaderboard", exact=True)).to_be_visible()
        before = page.locator(".tiles").inner_text()
        hold(log, 40)  # eight matches of three calls at most: one of them ends
        link = page.locator("#news a")  # "make it again", or one is made by now: "show it"
        expect(link).to_be_visible()
        visitor.look(page, "view-report-older")
        assert page.locator(".tiles").inner_text() == before  # nothing moves under who reads it
        hold(log, 60)
        assert kill_after(process, log, 60, 0.0)
        kept = sum(one.status == "done" for one in records_of(out))
        tiles = page.locator(".tiles > div")
        finished, matches = (tiles.filter(has_text=name).locator("dd") for name in ("Finished", "Matches"))
        for _ in range(20):
            if matches.inner_text() == str(kept):
                break
            link.click()
        expect(matches).to_have_text(str(kept))
        expect(finished).to_have_text(re.compile(rf"^{kept}\s*of "), use_inner_text=True)
        expect(page.locator("#news span")).to_be_empty()
        page.close()
    process.join()


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
