"""The pool's report: one well-formed, self-contained page for pools of any size, and honest charts."""

import base64
import gzip
import re
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import numpy as np
import pytest

from antemill.axes import AXES
from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.text.describe import random_playout
from antemill.engine.text.rulebook import rulebook
from antemill.tournament.charts import plots
from antemill.tournament.charts.chart import inline
from antemill.tournament.pages.overview import Group, overview, section, sheet_section
from antemill.tournament.pages.page import page
from antemill.tournament.pages.page import table as html_table
from antemill.tournament.pool.build import build_pool
from antemill.tournament.pool.score import score_pool
from antemill.tournament.pool.select import select_games
from antemill.tournament.pool.stats import examine_pool
from antemill.tournament.report import pool_report
from antemill.tournament.statistics.sheets import Cell, Column, Missing, Placed, Sheet
from tests.tournament.pool.pool_jobs import scored_pool

VOID = {"meta", "br", "input", "link", "img"}


class Page(HTMLParser):
    """Counts a page's elements and texts; raises AssertionError where tags are not nested."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def count(self, tag: str, kind: str = "") -> int:
        """Elements of a tag, with a class if one is given."""
        classes = [(attributes.get("class") or "").split() for name, attributes in self.found if name == tag]
        return sum(not kind or kind in found for found in classes)

    @property
    def text(self) -> str:
        return " ".join(self.texts)


def report(selected: int = 5) -> str:
    return pool_report(examine_pool(scored_pool()), select_games(scored_pool(), selected))


def test_the_page_is_well_formed_and_refers_to_nothing_outside() -> None:
    text = report()
    parsed = Page(text)
    unpacked = re.sub(r'(<script type="application/octet-stream"[^>]*>)[A-Za-z0-9+/=]*', r"\1", text)
    assert len(unpacked) < len(text)
    assert not re.search(r"https?:|//[a-z]|@import|url\(", unpacked)
    places = {attributes["id"] for _, attributes in parsed.found if "id" in attributes}
    for _, attributes in parsed.found:
        assert not {"src", "srcset"} & set(attributes)
        link = attributes.get("href", "#")
        assert link is not None
        assert link[:1] == "#"
        assert link == "#" or link[1:] in places
    assert parsed.count("html") == parsed.count("h1") == parsed.count("main") == 1
    assert "prefers-color-scheme: dark" in text


def test_the_page_depends_on_the_pool_alone() -> None:
    assert report() == report()


def test_every_selected_game_is_linked_to_its_rulebook_and_to_its_first_playout() -> None:
    benchmark = select_games(scored_pool(), 13)  # more than one packed element
    text = pool_report(examine_pool(scored_pool()), benchmark)
    packed = {
        name: msgspec.json.decode(gzip.decompress(base64.b64decode(data)))
        for name, data in re.findall(r'<script type="application/octet-stream" id="(texts-\d+)">([^<]*)</script>', text)
    }
    entries = re.findall(r'<details id="game-(\d+)" data-pack="([^"]+)" data-place="(\d+)">', text)
    assert [int(seed) for seed, _, _ in entries] == benchmark["seed"].to_pylist()
    assert len(packed) == 2
    for seed, name, place in entries:
        (first, rules), (second, played) = packed[name][int(place)]
        assert (first, second) == ("Rulebook", "First playout")
        assert rules == rulebook(resolve(seed))
        assert played == str(random_playout(compile_spec(resolve(seed)), 0))


def test_dots_and_data_agree() -> None:
    text = report()
    labels = re.findall(r"<circle[^>]*><title>seed (\d+): ([^<]*)</title>", text)
    found = re.search(r'id="points">(.*?)</script>', text)
    assert found is not None
    data = msgspec.json.decode(found[1])
    assert data["axes"] == [axis.replace("_", " ") for axis in AXES]
    assert len(labels) == len(data["points"])
    for (_, label), point in zip(labels, data["points"], strict=True):
        shown = [float(value) for value in re.findall(r"(-?[\d.]+)(?:,|$)", label)]
        assert shown == pytest.approx(point, abs=0.006)
    points = examine_pool(scored_pool()).points
    assert points is not None
    assert sorted(int(seed) for seed, _ in labels) == points.seeds.tolist()


@pytest.mark.parametrize("accepted", [0, 2])
def test_small_pools_have_a_page_too(accepted: int, tmp_path: Path) -> None:
    whole = examine_pool(scored_pool()).points
    assert whole is not None
    seeds = whole.seeds.tolist()
    rejected = next(seed for seed in range(100) if seed not in seeds)
    build_pool(tmp_path, (0, seeds[accepted - 1] + 1) if accepted else (rejected, rejected + 1), workers=1)
    score_pool(tmp_path, "fast", workers=1)
    pool = examine_pool(tmp_path)
    assert pool.built.accepted == accepted
    parsed = Page(pool_report(pool, select_games(tmp_path) if accepted else None))
    assert parsed.count("circle") == accepted
    axes = pool.points.values.T if pool.points is not None else np.zeros((0, 0))
    varying = sum(len(set(axis.tolist())) > 1 for axis in axes)  # these have densities
    assert parsed.count("svg") == (7 + varying if accepted else 0)
    assert not {"nan", "inf"} & set(parsed.text.lower().split())


# ------------------------------------------------------------------------------------------------ pieces


def test_text_is_escaped() -> None:
    evil = '<script>alert(1)</script> & "more"'
    columns = [Column(evil, evil, "text", group=evil), Column(evil, evil)]
    sections = [sheet_section(Sheet(evil, evil, columns, [[evil, Missing(evil)]], evil)), section(evil, note=evil)]
    dots = [plots.Dot(0.0, 0.0, evil, True)]
    charts = [inline(plots.cloud(dots, evil, evil)), inline(plots.histogram([1.0], evil, (), [(evil, 0.5)]))]
    text = page(evil, evil, [*overview("", [Group(evil, sections)]), *charts])
    assert Page(text).count("script") == 1
    assert "alert(1)</" not in text


def test_figures_sort_by_their_full_value_and_places_beside_them() -> None:
    cells: list[Cell] = [-0.123456, None, Missing("why"), Placed("∞ above b"), Placed("∞ below b"), 1234, 0.5, True]
    columns = [Column("t", "t", "text"), *(Column(f"c{i}", "c", "share" if i == 6 else "number") for i in range(8))]
    html = html_table(Sheet("s", "S", columns, [["x", *cells]]))
    assert re.findall(r'data-key="([^"]*)">([^<]*)</td>', html) == [
        ("-0.123456", "\N{MINUS SIGN}0.12"),
        ("-Infinity", "–"),
        ("-Infinity", "–"),
        ("Infinity", "∞ above b"),
        ("-Infinity", "∞ below b"),
        ("1234", "1,234"),
        ("0.5", "50.0%"),
        ("True", "yes"),
    ]
    assert html.count('title="') == html.count('title="why"') == 1
