"""Overviews in a real browser: legible at every width, light and dark, by keyboard and with a reader of the screen."""

import csv
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from playwright.sync_api import expect

from antemill.axes import AXES
from antemill.tournament.cards import TOURNAMENT
from antemill.tournament.pages.arrange import arranged
from antemill.tournament.pages.overview import overview
from antemill.tournament.pages.page import page, tiles
from antemill.tournament.pool.select import select_games
from antemill.tournament.pool.stats import examine_pool
from antemill.tournament.report import pool_report
from antemill.tournament.statistics.figures import BESIDE
from antemill.tournament.statistics.outputs import results
from antemill.tournament.statistics.statistic import on_page
from tests.browser.visitor import LEGIBLE, SCHEMES, SMALLEST, Visitor, barriers, becomes
from tests.tournament.pool.pool_jobs import scored_pool
from tests.tournament.statistics.planted import play, truth

EVIL = '<img src=x onerror=alert(1)>\u202e"&'
PRINTED = 8.0  # pixels of the smallest letters on paper, 96 to the inch
# Texts of charts that reach out of their drawing.
_CUT = """() => [...document.querySelectorAll("svg.chart")].flatMap((svg) => {
  const box = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")].filter((text) => {
    const own = text.getBoundingClientRect();
    return own.left < box.left - 2 || own.right > box.right + 2 || own.top < box.top - 2 || own.bottom > box.bottom + 2;
  }).map((text) => text.textContent);
})"""


def tournament(folder: Path, models: int, games: int = 14) -> Path:
    """The overview of a planted tournament; one model's name is HTML with a script."""
    folder.mkdir(exist_ok=True)
    t = truth(models, games, seed=1)
    rows = play(t, runs=2, seed=2, share=0.8 if models < 10 else 0.4, whole=models < 10)
    names = {"m1": EVIL, "m0": "provider/a-model-with-quite-a-long-name-2026-11-23"}
    for side in ("alice", "bob"):
        column = rows.column_names.index(side)
        rows = rows.set_column(column, side, pa.array([names.get(name, name) for name in rows[side].to_pylist()]))
    pq.write_table(rows, folder / "slots.parquet")
    columns = {axis: t.axes[:, i] for i, axis in enumerate(AXES)}
    lengths = np.random.default_rng(1).integers(8_600, 39_000, games)
    pq.write_table(pa.table({"game": t.games, **columns, "rulebook_length": lengths}), folder / "axes.parquet")
    found = results(folder / "slots.parquet", folder / "axes.parquet", 60, 1, paper=True)
    groups = arranged(on_page(TOURNAMENT.tables), found.sheets, found.charts, BESIDE, {}, TOURNAMENT.terms)
    e = found.analysis.e
    head = tiles([("Matches", f"{len(e.table.margin):,}", ""), ("Players", f"{models}", "")])
    path = folder / "report.html"
    path.write_text(page("A tournament", ", ".join(e.models), overview(head, groups)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    pages = {f"models-{models}": tournament(folder / str(models), models) for models in (7,)}
    pages["pool"] = folder / "pool.html"
    pages["pool"].write_text(pool_report(examine_pool(scored_pool()), select_games(scored_pool(), 12)), "utf-8")
    return pages


@pytest.mark.parametrize("name", ["models-7", "pool"])
def test_an_overview_is_legible_and_open_to_all(visitor: Visitor, written: dict[str, Path], name: str) -> None:
    page = visitor.open(f"{written[name].as_uri()}#tab-all")  # everything, unfolded
    visitor.look(page, name, whole=True)
    for scheme in SCHEMES:
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        for width in (1300, 400) if scheme == "light" else (400, 1300):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(SMALLEST) >= LEGIBLE
            assert page.evaluate(_CUT) == []
        assert barriers(page) == [], (scheme, width)  # light on a phone, and dark: each takes seconds
    assert written[name].stat().st_size < 2_000_000


def test_the_contents_stand_beside_on_wide_screens_and_fold_on_phones(
    visitor: Visitor, written: dict[str, Path]
) -> None:
    page = visitor.open(f"{written['models-7'].as_uri()}#tab-all")
    contents = page.get_by_role("navigation", name="Contents")
    links = contents.get_by_role("link")
    assert links.count() > 20
    link = links.filter(has_text="Local jaggedness")
    link.focus()
    page.keyboard.press("Enter")
    heading = page.get_by_role("heading", name="Local jaggedness", exact=True)
    becomes(page, "() => scrollY > 500")
    box = heading.bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 300
    becomes(page, """() => document.querySelector('.contents [aria-current]')?.textContent === 'Local jaggedness'""")
    assert contents.is_visible()
    seen = contents.bounding_box()
    assert seen is not None
    assert seen["y"] >= 0  # it stays where it can be seen
    page.set_viewport_size({"width": 400, "height": 900})
    expect(link).to_be_hidden()
    page.evaluate("() => scrollTo(0, 0)")
    contents.get_by_text("Contents").click()
    link.click()
    expect(link).to_be_hidden()  # it folds again, and the section is there
    becomes(page, "() => scrollY > 500")


def test_tables_sort_by_keyboard(visitor: Visitor, written: dict[str, Path]) -> None:
    page = visitor.open(written["models-7"])
    table = page.locator("section", has=page.get_by_role("heading", name="Overall leaderboard")).locator("table")
    button = table.get_by_role("button", name="strength")
    before = table.locator("tbody tr td:nth-child(3)").all_text_contents()
    button.focus()
    page.keyboard.press("Enter")
    assert table.locator("tbody tr td:nth-child(3)").all_text_contents() == before[::-1]
    assert table.locator("th[aria-sort=ascending]").count() == 1


def test_what_a_stranger_wrote_is_text(visitor: Visitor, written: dict[str, Path]) -> None:
    page = visitor.open(written["models-7"])
    assert page.locator("img").count() == 0
    assert page.get_by_text("onerror=alert(1)>⟨U+202E⟩").count() > 3
    assert "\u202e" not in page.content()


@pytest.mark.parametrize("name", ["models-7", "pool"])
def test_on_paper_nothing_is_cut_off(visitor: Visitor, written: dict[str, Path], name: str) -> None:
    page = visitor.open(f"{written[name].as_uri()}#tab-all")
    visitor.print(page, name)
    page.emulate_media(media="print")
    expect(page.get_by_role("navigation", name="Contents")).to_be_hidden()
    assert page.evaluate(SMALLEST) >= PRINTED
    page.emulate_media(media="screen")
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    visitor.print(page, f"{name}-parted")


def test_a_pools_games_open_their_rulebook_and_first_playout(visitor: Visitor, written: dict[str, Path]) -> None:
    page = visitor.open(written["pool"])
    games = page.locator("section", has=page.get_by_role("heading", name="The selected games"))
    link = games.locator("tbody a").nth(11)
    seed = link.text_content()
    link.focus()
    page.keyboard.press("Enter")
    entry = page.locator(f"#game-{seed}")
    rules = entry.locator("pre").first
    rules.wait_for()
    assert "# " in (rules.text_content() or "")
    assert "payoff: Alice" in (entry.locator("pre").nth(1).text_content() or "")
    page.reload()
    page.locator(f"#game-{seed} pre").first.wait_for()  # the address alone opens it too
    page.goto(f"{written['pool'].as_uri()}#tab-the-axes")
    dot = page.locator(".pool-plot svg a").last
    dot.scroll_into_view_if_needed()
    place = page.evaluate("() => scrollY")
    dot.press("Enter")
    page.locator(f"{dot.get_attribute('href')} pre").first.wait_for()  # a selected game of the scatter plot
    page.go_back()
    becomes(page, "() => document.activeElement.closest('.pool-plot') !== null")
    assert page.evaluate("() => scrollY") == place


def test_one_tab_is_shown_at_a_time_and_a_link_to_a_section_opens_its_tab(
    visitor: Visitor, written: dict[str, Path]
) -> None:
    page = visitor.open(written["models-7"])
    shown = page.locator(".group:visible")
    assert shown.evaluate_all("(all) => all.map((one) => one.dataset.title)") == ["Strength"]
    tabs = page.get_by_role("navigation", name="Views")
    tabs.get_by_role("link", name="Games").click()
    expect(page.get_by_role("heading", name="The games", exact=True)).to_be_visible()
    assert shown.count() == 1
    folded = page.get_by_role("heading", name="Variance decomposition").locator("xpath=ancestor::details[1]")
    expect(folded.locator("table")).to_be_hidden()
    page.goto(f"{written['models-7'].as_uri()}#at-variance")
    expect(folded.locator("table")).to_be_visible()  # its tab is open, and it is unfolded
    page.go_back()
    tabs.get_by_role("link", name="Everything").click()
    assert shown.count() == page.locator(".group").count() > 4
    assert page.locator(".group > section > details:not([open])").count() == 0


def test_tables_and_figures_can_be_taken_along(visitor: Visitor, written: dict[str, Path], tmp_path: Path) -> None:
    page = visitor.open(written["models-7"])
    section = page.locator("section", has=page.get_by_role("heading", name="Overall leaderboard"))

    def taken(name: str) -> bytes:
        with page.expect_download() as found:
            section.get_by_role("button", name=name).click()
        found.value.save_as(tmp_path / "taken")
        return (tmp_path / "taken").read_bytes()

    names = section.locator("tbody tr > :first-child").all_text_contents()
    rows = [*csv.reader(taken("as CSV").decode().splitlines())]
    assert [row[0] for row in rows[1:]] == names
    assert all(abs(float(row[1])) < 100 for row in rows[1:])  # figures, not signs for the eye
    assert taken("as Markdown").decode().count("\n| ") == len(names) + 2
    tex = taken("as LaTeX").decode()
    assert tex.count(r" \\") == len(names) + 1
    assert r"\toprule" in tex
    assert "\N{MINUS SIGN}" not in tex
    drawn = ElementTree.fromstring(taken("as SVG"))
    assert any("provider/a-model" in (one.text or "") for one in drawn.iter())
    assert taken("as PNG").startswith(b"\x89PNG")
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Profiles").click()
    section = page.locator("section", has=page.get_by_role("heading", name="Capability profiles with intervals"))
    panels = [one for one in ElementTree.fromstring(taken("as SVG")) if one.tag.endswith("svg")]
    saved = [(float(one.attrib["x"]), float(one.attrib["y"])) for one in panels]
    boxes = section.locator("svg.chart").evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().toJSON())")
    assert len({*saved}) == len(boxes) == 2 * 7  # slopes and levels, a panel a model
    rows_of = [[len([*row]) for _, row in groupby(ys)] for ys in ((y for _, y in saved), (box["y"] for box in boxes))]
    assert rows_of[0] == rows_of[1]  # beside each other, as on the page
    assert max(rows_of[0]) > 1
