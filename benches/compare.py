"""The figures of `make bench` as a table, alone or beside others.

    python -m benches.compare                  runs the benchmarks, keeps their figures in build/bench, prints them
    python -m benches.compare --with last      beside those that were kept before
    python -m benches.compare --with FILE      beside figures in a file, such as benches/before.json
    python -m benches.compare --with COMMIT    beside that commit's own benchmarks, module by module in turn with ours

Further words are pytest's, such as `-k solver`. Ratios are above 1 where this checkout is faster. They compare time of
the processor where both have it, since that hangs less on what else runs on the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "build" / "bench" / "now.json"
Figures = dict[str, dict[str, Any]]  # by benchmark: unit, figure, low, high and, if it is known, processor


def measured(home: Path, words: Sequence[str]) -> Figures:
    """Run benchmarks of a checkout. None may be chosen."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "found.json")
        path.write_text("")
        quiet = ["-W", "ignore::pytest_benchmark.logger.PytestBenchmarkWarning"]  # where no benchmark is chosen
        command = [sys.executable, "-m", "pytest", "-q", f"--benchmark-json={path}", *quiet, *words]
        environment = os.environ | {"PYTHONPATH": f"{home}{os.pathsep}{home / 'src'}"}
        done = subprocess.run(command, cwd=home, env=environment, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode not in (0, 5):  # 5: no benchmark is chosen
            raise SystemExit(done.stdout)
        document = json.loads(path.read_text() or "{}")
    return {one["name"]: one["extra_info"] for one in document.get("benchmarks", [])}


def modules(home: Path) -> list[str]:
    """The files of benchmarks of a checkout."""
    return sorted(path.name for path in (home / "benches").glob("bench_*.py"))


@contextmanager
def checkout(commit: str) -> Iterator[Path]:
    """A checkout of a commit, which is removed afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "checkout")
        if subprocess.run(
            ["git", "worktree", "add", "-q", "--detach", str(home), commit], cwd=ROOT, check=False
        ).returncode:
            raise SystemExit(f"'{commit}' is neither a file nor a commit.")
        try:
            yield home
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(home)], cwd=ROOT, check=True)


def both(other: str, words: Sequence[str]) -> tuple[Figures, Figures]:
    """Our figures, and those of "last", a file or a commit; none if there is no other."""
    path = KEPT if other == "last" else Path(other)
    before = json.loads(path.read_text()) if other and path.is_file() else {}
    if not other or before or other == "last":
        return measured(ROOT, ["benches", *words]), before
    ours: Figures = {}
    with checkout(other) as home:
        for module in modules(ROOT):
            if module in modules(home):
                before |= measured(home, [f"benches/{module}", *words])
            ours |= measured(ROOT, [f"benches/{module}", *words])
    return ours, before


def ratio(new: dict[str, Any], old: dict[str, Any]) -> float | None:
    """How many times as fast the new one is; None if their units differ."""
    if new["unit"] != old["unit"]:
        return None
    key = "processor" if "processor" in new and "processor" in old else "figure"
    found = float(new[key] / old[key])
    return found if new["unit"].endswith("/s") else 1.0 / found


def shown(value: float | None) -> str:
    """A figure with three digits at least, or a dash."""
    if value is None:
        return "–"
    return f"{value / 1e6:.2f} million" if value >= 1e6 else f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def table(ours: Figures, before: Figures) -> Table:
    """A row for each of ours, in the order in which they were measured, and those of the others that are missing."""
    found = Table("benchmark", "unit")
    for name in ("median", "lowest", "highest", "by the processor", *(("before", "faster by") if before else ())):
        found.add_column(name, justify="right")
    for name, new in ours.items():
        cells = [shown(new.get(key)) for key in ("figure", "low", "high", "processor")]
        old = before.get(name)
        beside = [shown(old["figure"]), shown(ratio(new, old))] if old else ["–", "–"]
        found.add_row(name, new["unit"], *cells, *(beside if before else ()))
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, keep and print."""
    parser = argparse.ArgumentParser(prog="python -m benches.compare", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--with", dest="other", default="", metavar="last|FILE|COMMIT", help="what to compare with")
    options, words = parser.parse_known_args(arguments)
    ours, before = both(options.other, words)
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    kept = json.loads(KEPT.read_text()) if KEPT.is_file() else {}
    KEPT.write_text(json.dumps(kept | ours, indent=1))
    Console(width=None if sys.stdout.isatty() else 140).print(table(ours, before))


if __name__ == "__main__":
    main()
