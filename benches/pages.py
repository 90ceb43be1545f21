"""How figures are written into pages: taken, printed, and put between markers.

`python -m benches.pages` runs `antemill run` and writes its summary into docs/population.md. `--quick` uses few seeds,
which shows that the page is written.
"""

from __future__ import annotations

import argparse
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from antemill.engine.execute import progress_bar
from antemill.engine.storage.files import write_text
from antemill.tournament.bench.measure import Figure, Table, table_of, take
from antemill.tournament.bench.measurements import MEASUREMENTS, here

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "population.md"
ANTEMILL = str(Path(sys.executable).parent / "antemill")


def figures(path: Path | None, names: Sequence[str]) -> dict[str, Figure]:
    """Measurements by name: those of a document of `antemill bench --json`, or measured now."""
    if path is not None:
        found = msgspec.json.decode(path.read_bytes(), type=Table)
    else:
        wanted = [one for one in MEASUREMENTS if one.name in names]
        with progress_bar("measurements", len(wanted)) as bar:
            taken = []
            for number, one in enumerate(take(wanted), 1):
                taken.append(one)
                bar(number, None)
        found = table_of(taken)
    by_name = {figure.name: figure for figure in found.results}
    if missing := [name for name in names if name not in by_name]:
        raise SystemExit(f"not measured: {', '.join(missing)}")
    return by_name


def run_summary(quick: bool = False) -> str:
    """The summary table of `antemill run`."""
    few = ["--seeds", "0:60", "--count", "3"] if quick else []
    with tempfile.TemporaryDirectory() as folder:
        command = [ANTEMILL, "run", "--out", f"{folder}/out", *few]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.partition("Correlations")[0].strip()


def where(path: Path | None = None) -> str:
    """The machine that a document of `antemill bench --json` was measured on, or this one, in a few words."""
    if path is None:
        machine, python = here(), platform.python_version()
    else:
        document = msgspec.json.decode(path.read_bytes())
        machine, python = document["machine"], document["versions"]["python"]
    processors = f"{machine['cores']} processors (load {machine['load']})"
    return f"{machine['processor']}, {processors}, {machine['system']}, Python {python}"


def shown(value: float) -> str:
    """A figure as tables print it."""
    if value > 1e5:
        return f"{value / 1e6:.1f} million"
    return f"{value:,.0f}" if value > 99.5 else f"{value:.2f}"


def replace(text: str, marker: str, content: str) -> str:
    """The text with what stands between the marker's begin and end replaced."""
    begin, end = f"<!-- {marker}: begin -->", f"<!-- {marker}: end -->"
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if not pattern.search(text):
        raise SystemExit(f"the page has no '{begin}' ... '{end}'")
    return pattern.sub(lambda _: f"{begin}\n{content.rstrip()}\n{end}", text)


def write(page: Path, marker: str, content: str) -> None:
    """Replace a marker's content in a page."""
    write_text(page, replace(page.read_text(encoding="utf-8"), marker, content))


def main() -> None:
    """Run and write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", type=Path, default=PAGE, help="the page, docs/population.md by default")
    parser.add_argument("--quick", action="store_true", help="few seeds: shows that it runs")
    given = parser.parse_args()
    summary = "\n".join(f"    {line}".rstrip() for line in run_summary(given.quick).splitlines())
    write(given.write, "run", summary)


if __name__ == "__main__":
    main()
