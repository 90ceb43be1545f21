"""docs/performance.md is written from figures, a figure of growth and a ratio, and keeps the text around them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from antemill.tournament.bench.measure import Figure, Table
from antemill.tournament.bench.table import MEASUREMENTS
from benches.performance import TARGETS
from benches.readme import shown

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
WRITTEN = ("targets", "shares", "growth", "table")  # what other systems do is written when it is asked for


def between(text: str, marker: str) -> str:
    """What stands between a marker's begin and end."""
    return text.partition(f"<!-- {marker}: begin -->\n")[2].partition(f"\n<!-- {marker}: end -->")[0]


def around(text: str) -> str:
    """The page without what is written."""
    for marker in WRITTEN:
        text = text.replace(between(text, marker), "")
    return text


@pytest.mark.slow
def test_the_page_is_written_from_figures(tmp_path: Path) -> None:
    """Made-up figures, a different one for every measurement, in the document that `antemill bench --json` prints."""
    found = [
        Figure(one.name, one.what, one.unit, 1000.0 + number, 1000.0, 2000.0, 1)
        for number, one in enumerate(MEASUREMENTS)
    ]
    document, page = tmp_path / "bench.json", tmp_path / "performance.md"
    machine = {"processor": "a Z80", "cores": 3, "system": "CP/M", "rules": "plain Python", "load": "0.0"}
    measured = {"machine": machine, "versions": {"python": "3.99"}, **msgspec.to_builtins(Table(found, []))}
    document.write_bytes(msgspec.json.encode(measured))
    before = PAGE.read_text(encoding="utf-8")
    page.write_text(before, encoding="utf-8")

    command = [sys.executable, "-m", "benches.performance", "--quick"]
    subprocess.run([*command, "--write", str(page), "--figures", str(document)], cwd=PAGE.parents[1], check=True)

    after = page.read_text(encoding="utf-8")
    assert around(after) == around(before)
    targets, table, growth = (between(after, marker) for marker in ("targets", "table", "growth"))
    kuhn = shown(next(figure.value for figure in found if figure.name == "play-kuhn"))
    assert f"| {kuhn} |" in targets.splitlines()[2]
    assert len(targets.splitlines()) == 2 + len(TARGETS)
    assert table.endswith("\n\nMeasured on a Z80, 3 processors (load 0.0), CP/M, Python 3.99.")
    assert [re.match(r"\| `([^`]+)`", line) is not None for line in table.splitlines()[2:-2]] == [True] * len(found)
    assert re.search(r"20 candidates take \d+\.\d s; their time grows with the power -?\d+\.\d\d", growth)
    assert (tmp_path / "growth.svg").read_text(encoding="utf-8").startswith("<?xml")
