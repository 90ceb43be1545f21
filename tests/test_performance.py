"""docs/performance.md and measurements.md are written from figures and a ratio; the text around stays."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from antemill.tournament.bench.measure import Figure, Table
from antemill.tournament.bench.measurements import MEASUREMENTS
from benches.pages import shown
from benches.performance import ALL, TARGETS

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
WRITTEN = ("targets", "shares", "table")  # the comparison is written only with --comparison


def between(text: str, marker: str) -> str:
    """The text between a marker's begin and end."""
    return text.partition(f"<!-- {marker}: begin -->\n")[2].partition(f"\n<!-- {marker}: end -->")[0]


def around(text: str) -> str:
    """The page without the parts that are written."""
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
    before = {name: (PAGE.parent / name).read_text(encoding="utf-8") for name in (PAGE.name, ALL)}
    for name, text in before.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    command = [sys.executable, "-m", "benches.performance", "--quick"]
    subprocess.run([*command, "--write", str(page), "--figures", str(document)], cwd=PAGE.parents[1], check=True)

    after = {name: (tmp_path / name).read_text(encoding="utf-8") for name in before}
    assert {name: around(text) for name, text in after.items()} == {name: around(text) for name, text in before.items()}
    targets = between(after[PAGE.name], "targets")
    table = between(after[ALL], "table")
    kuhn = shown(next(figure.value for figure in found if figure.name == "play-kuhn"))
    assert f"| {kuhn} |" in targets.splitlines()[2]
    assert len(targets.splitlines()) == 2 + len(TARGETS)
    assert table.endswith("\n\nMeasured on a Z80, 3 processors (load 0.0), CP/M, Python 3.99.")
    assert [re.match(r"\| `([^`]+)`", line) is not None for line in table.splitlines()[2:-2]] == [True] * len(found)
