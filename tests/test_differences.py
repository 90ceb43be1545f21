"""docs/differences.md: every name is there with its value, and every "reading" of the code."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from benches.differences import axes as other_axes
from benches.differences import readings
from benches.differences.__main__ import main
from benches.differences.page import figures_on, filled, percent, short
from tests.imports import project_sources

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "differences.md"
NAME = re.compile(r"`(antemill(?:\.\w+)+)`(?: = ('[^']*'|[^\s,|]+))?")
READING = re.compile(
    r"\bour\s+readings?\b|\bwe\s+read\b|\baverage\s+is\s+ours\b|\bpaper\s+is\s+(?:silent|open)\b"
    r"|\bthe\s+papers?\s+(?:do(?:es)?\s+not|names|leaves?)\b",
    re.IGNORECASE,
)
MARKED = re.compile(r"^([A-Z][A-Z_0-9]*)(?::[^=]+)? = .*#.*\bour readings?\b", re.MULTILINE)  # a constant
Documented = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
NUMBERS = int | float | str | Fraction


def names(page: str) -> list[tuple[str, str]]:
    """Every name on the page, with the value that stands behind it or ""."""
    return [(match[1], match[2] or "") for match in NAME.finditer(page)]


@cache
def found(name: str) -> Any:
    """The module, or what a module has under this name. Raises LookupError."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            thing: Any = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            if not hasattr(thing, part):
                raise LookupError(f"{name} does not exist")
            thing = getattr(thing, part)
        return thing
    raise LookupError(f"{name} does not exist")


def faults(page: str) -> Iterator[str]:
    """What the page says that is not so."""
    for name, said in names(page):
        try:
            thing = found(name)
        except LookupError as error:
            yield str(error)
            continue
        if isinstance(thing, NUMBERS) and "\n" not in str(thing):
            if not said:
                yield f"{name} has a value, {thing}, which the page does not say"
            elif (Fraction(said) if "/" in said else ast.literal_eval(said)) != thing:
                yield f"{name} is {thing}, not {said}"
        elif said:
            yield f"{name} has no value that could be {said}"


def spoken(module: str, text: str) -> Iterator[tuple[str, int]]:
    """What has a docstring that speaks of readings, by its name, and how often it does; the module's own first."""

    def walk(node: ast.AST, name: str) -> Iterator[tuple[str, int]]:
        if isinstance(node, ast.Module | Documented) and (times := len(READING.findall(ast.get_docstring(node) or ""))):
            yield name, times
        for child in ast.iter_child_nodes(node):
            if isinstance(child, Documented):
                yield from walk(child, f"{name}.{child.name}")

    yield from walk(ast.parse(text), module)


def home(name: str) -> str:
    """Where the thing of a name on the page is defined."""
    thing = found(name)
    if isinstance(thing, type):
        return f"{thing.__module__}.{thing.__qualname__}"
    return name


def missing(page: str) -> list[str]:
    """Docstrings that speak of a reading without a row of their own.

    A function's or class's needs itself or a part of it on the page; a module's as many names of the module as it
    speaks of readings.
    """
    known = {name for name, _ in names(page)} | {home(name) for name, _ in names(page)}
    without = []
    for module, name, times in all_spoken():
        own = [one for one in known if one == name or one.startswith(f"{name}.")]
        if len(own) < (times if name == module else 1):
            without.append(name)
    return without


@cache
def all_spoken() -> list[tuple[str, str, int]]:
    """`spoken` of all modules, each with its module."""
    speaking = [(module, text) for module, text in sources() if READING.search(text)]
    return [(module, name, times) for module, text in speaking for name, times in spoken(module, text)]


def sources() -> Iterator[tuple[str, str]]:
    """Every module's name and text."""
    for source in project_sources():
        yield source.module, source.text


def test_names_and_values_on_the_page_are_those_of_the_code() -> None:
    page = PAGE.read_text()
    assert list(faults(page)) == []
    assert len(names(page)) > 50


def test_every_docstring_that_speaks_of_a_reading_has_its_row() -> None:
    assert missing(PAGE.read_text()) == []


def test_every_constant_that_is_marked_as_a_reading_is_on_the_page() -> None:
    marked = {f"{module}.{constant}" for module, text in sources() for constant in MARKED.findall(text)}
    assert len(marked) > 10
    assert marked <= {name for name, _ in names(PAGE.read_text())}


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("CHIP_BINS` = 5", "CHIP_BINS` = 4", "antemill.engine.machine.layout.CHIP_BINS is 5, not 4"),
        (
            "CHIP_BINS` = 5",
            "CHIP_BINS`",
            "antemill.engine.machine.layout.CHIP_BINS has a value, 5, which the page does not say",
        ),
        ("layout.CHIP_BINS` = 5", "layout.BINS` = 5", "antemill.engine.machine.layout.BINS does not exist"),
        ("PASS` = 11/20", "PASS` = 10/20", "antemill.tournament.statistics.trueskill.PASS is 11/20, not 10/20"),
        (
            "neighbourhoods`",
            "neighbourhoods` = 3",
            "antemill.tournament.statistics.jaggedness.neighbourhoods has no value",
        ),
    ],
)
def test_a_page_that_is_wrong_is_found_out(old: str, new: str, what: str) -> None:
    page = PAGE.read_text()
    assert old in page
    assert [fault for fault in faults(page.replace(old, new, 1)) if fault.startswith(what)]


def test_a_reading_that_is_not_on_the_page_is_found_out() -> None:
    lines = PAGE.read_text().splitlines()
    for name, what in (
        ("antemill.axes.risk", "antemill.axes.risk"),  # of a module
        ("robustness.axis_clusters", "antemill.tournament.statistics.robustness.axis_clusters"),  # of a function
        ("jaggedness.neighbourhoods", ""),  # one of several names of a module, which has two others
        ("abstraction.VERSION", "antemill.solver.trees.abstraction"),  # both names of a module that speaks twice
        ("antemill.engine.rules.spec.Score", "antemill.engine.rules.spec.steps.Score"),  # named where it is exported
    ):
        page = "\n".join(line for line in lines if name not in line)
        assert page.count("\n") < len(lines) - 1
        assert missing(page) == [what] * bool(what)


def rows(page: str) -> list[list[str]]:
    """The cells of the tables' rows, without headings and rules."""
    lines = [line.split(" | ") for line in page.splitlines() if line.startswith("| ") and not line.startswith("| :")]
    return [[cell.strip("| ") for cell in cells] for cells in lines]


def test_every_row_says_what_another_reading_gives() -> None:
    page = PAGE.read_text()
    empty = [cells[:2] for cells in rows(page) if cells[0] and not cells[-1]]
    assert empty == []
    assert "not measured" not in page


def test_every_figure_of_the_page_was_measured() -> None:
    found = figures_on(PAGE.read_text())
    assert len(found) > 100
    assert [name for name, text in found.items() if not re.search(r"[0-9a-z]", text)] == []


def test_figures_are_put_where_their_names_stand() -> None:
    page = "a <!--x.y-->?<!--/--> b <!--z-->1<!--/--> c <!--z-->1<!--/-->"
    assert filled(page, {"x.y": "5%", "z": ".3"}) == "a <!--x.y-->5%<!--/--> b <!--z-->.3<!--/--> c <!--z-->.3<!--/-->"
    for figures in ({"z": ".3"}, {"x.y": "5%", "z": ".3", "w": "1"}):
        with pytest.raises(ValueError, match="measure"):
            filled(page, figures)
    with pytest.raises(ValueError, match="in another"):
        figures_on(page.replace("1", "2", 1))


def test_figures_read_as_papers_print_them() -> None:
    assert [percent(share) for share in (0.0, 0.0002, 0.006, 0.052, 0.0996, 0.71, 1.0)] == [
        "0%", ".02%", ".6%", "5.2%", "10%", "71%", "100%",
    ]  # fmt: skip
    assert [short(value) for value in (0.985, -0.04, 1.2345, 0.0)] == [".985", "-.040", "1.234", "0"]


def test_names_are_changed_for_a_while() -> None:
    from antemill.axes import risk

    kernel = risk.tenth_percentile
    with readings.changed(risk, plain=("tenth_percentile",), MIN_TRIES=1):
        assert risk.MIN_TRIES == 1
        assert risk.tenth_percentile is not kernel
    assert (risk.MIN_TRIES, risk.tenth_percentile) == (5, kernel)


def test_agreement_of_partitions() -> None:
    assert other_axes.adjusted_rand([0, 0, 1, 1], [7, 7, 3, 3]) == 1.0
    assert other_axes.adjusted_rand([0, 0, 1, 2], [0, 0, 1, 1]) == pytest.approx(4 / 7)


@pytest.mark.slow
def test_one_command_measures_every_figure_of_the_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE.read_text())
    sizes = ["--seeds", "0:150", "--games", "5", "--worlds", "1"]
    main([*sizes, "--store", str(tmp_path / "store"), "--write", str(page)])
    found = figures_on(page.read_text())
    assert found.keys() == figures_on(PAGE.read_text()).keys()
    assert (found["candidates"], found["axes.games"], found["worlds"]) == ("150", "5", "1")
    assert list(faults(page.read_text())) == []
