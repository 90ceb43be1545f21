"""docs/differences.md: every name is there with its value, and whatever the code calls its reading is on the page."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "differences.md"
PACKAGES = ("engine", "axes", "solver", "llm", "tournament")
NAME = re.compile(rf"`((?:{'|'.join(PACKAGES)})(?:\.\w+)+)`(?: = ('[^']*'|[^\s,|]+))?")
READING = re.compile(
    r"\bour readings?\b|\bwe read\b|\bour reading\b|the paper (?:does not|names|is silent|leaves)|paper is silent",
    re.IGNORECASE,
)
MARKED = re.compile(r"^([A-Z][A-Z_0-9]*)(?::[^=]+)? = .*#.*\bour readings?\b", re.MULTILINE)  # a constant
NUMBERS = int | float | str | Fraction


def names(page: str) -> list[tuple[str, str]]:
    """Every name on the page, with the value that stands behind it or ""."""
    return [(match[1], match[2] or "") for match in NAME.finditer(page)]


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


def homes(page: str) -> set[str]:
    """The modules of what the page names."""
    modules = set()
    for name, _ in names(page):
        thing = found(name)
        modules.add(thing.__name__ if isinstance(thing, ModuleType) else getattr(thing, "__module__", ""))
        modules.add(name.rpartition(".")[0])
    return modules


def missing(page: str) -> list[str]:
    """Modules that speak of a reading, and have none on the page."""
    known = homes(page)
    return [name for name, text in sources() if READING.search(text) and name not in known]


def sources() -> Iterator[tuple[str, str]]:
    """Every module's name and text."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield ".".join(path.relative_to(ROOT).with_suffix("").parts), path.read_text()


def test_names_and_values_on_the_page_are_those_of_the_code() -> None:
    page = PAGE.read_text()
    assert list(faults(page)) == []
    assert len(names(page)) > 50


def test_every_module_that_speaks_of_a_reading_has_one_on_the_page() -> None:
    assert missing(PAGE.read_text()) == []


def test_every_constant_that_is_marked_as_a_reading_is_on_the_page() -> None:
    marked = {f"{module}.{constant}" for module, text in sources() for constant in MARKED.findall(text)}
    assert len(marked) > 10
    assert marked <= {name for name, _ in names(PAGE.read_text())}


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("CHIP_BINS` = 5", "CHIP_BINS` = 4", "engine.machine.layout.CHIP_BINS is 5, not 4"),
        ("CHIP_BINS` = 5", "CHIP_BINS`", "engine.machine.layout.CHIP_BINS has a value, 5, which the page does not say"),
        ("layout.CHIP_BINS` = 5", "layout.BINS` = 5", "engine.machine.layout.BINS does not exist"),
        ("PASS` = 11/20", "PASS` = 10/20", "tournament.statistics.trueskill.PASS is 11/20, not 10/20"),
        ("neighbourhoods`", "neighbourhoods` = 3", "tournament.statistics.jaggedness.neighbourhoods has no value"),
    ],
)
def test_a_page_that_is_wrong_is_found_out(old: str, new: str, what: str) -> None:
    page = PAGE.read_text()
    assert old in page
    assert [fault for fault in faults(page.replace(old, new, 1)) if fault.startswith(what)]


def test_a_reading_that_is_not_on_the_page_is_found_out() -> None:
    lines = PAGE.read_text().splitlines()
    page = "\n".join(line for line in lines if "axes.risk" not in line)
    assert set(missing(page)) - set(missing("\n".join(lines))) == {"axes.risk"}
