"""The benchmarks beside the last release's: `python -m benches.compare [--save] [pytest's arguments]`.

Runs them once, scales the times of `released.json` by the speed of this machine, which straight-line Kuhn tells, and
lets pytest-benchmark compare. `--save` makes this run the stored one instead.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HOME = Path(__file__).parent
RELEASED = HOME / "released.json"
CALIBRATION = "bench_straight_line"
_TIMES = ("min", "max", "mean", "stddev", "median", "iqr", "q1", "q3", "ld15iqr", "hd15iqr", "total")
_MACHINE = ("machine", "python_version", "system")
_KEPT = (*_TIMES, "rounds", "iterations", "ops", "outliers", "iqr_outliers", "stddev_outliers")


def median(document: dict[str, Any], name: str = CALIBRATION) -> float:
    """The median seconds of one benchmark. Raises SystemExit if the document does not have it."""
    for bench in document["benchmarks"]:
        if bench["name"] == name:
            return float(bench["stats"]["median"])
    raise SystemExit(f"there is no {name} among the benchmarks, so they cannot be compared: run it, too.")


def scaled(document: dict[str, Any], by: float) -> dict[str, Any]:
    """The document with all times multiplied."""
    benches = []
    for bench in document["benchmarks"]:
        stats = {key: value * by if key in _TIMES else value for key, value in bench["stats"].items()}
        stats["ops"] = bench["stats"]["ops"] / by
        benches.append(bench | {"stats": stats})
    return document | {"benchmarks": benches}


def trimmed(document: dict[str, Any]) -> dict[str, Any]:
    """What is worth storing of a document."""
    benches = []
    for bench in document["benchmarks"]:
        stats = {key: bench["stats"][key] for key in _KEPT}
        benches.append(bench | {"params": None, "stats": stats})  # as text, parameters hold addresses of objects
    machine = {key: document["machine_info"].get(key) for key in _MACHINE}
    processor = {"brand_raw": document["machine_info"].get("cpu", {}).get("brand_raw")}
    return document | {"benchmarks": benches, "machine_info": machine | {"cpu": processor}, "commit_info": {}}


def run(out: Path, arguments: list[str]) -> dict[str, Any]:
    """Run the benchmarks, the calibration among them."""
    command = [sys.executable, "-m", "pytest", "-q", str(HOME), f"--benchmark-json={out}", *arguments]
    subprocess.run(command, cwd=HOME.parent, check=True, stdout=subprocess.DEVNULL)
    found: dict[str, Any] = json.loads(out.read_text())
    median(found)
    return found


def compare(old: dict[str, Any], new: dict[str, Any], folder: Path) -> None:
    """Print pytest-benchmark's table of both, the old one as it would be on the machine of the new one."""
    files = {"released.json": scaled(old, median(new) / median(old)), "now.json": new}
    for name, document in files.items():
        (folder / name).write_text(json.dumps(document))
    program = Path(sys.executable).parent / "pytest-benchmark"
    options = ["--group-by=fullname", "--columns=median,iqr,rounds", "--sort=fullname"]
    subprocess.run([str(program), "compare", *(str(folder / name) for name in files), *options], check=True)


def main() -> None:
    """Run and compare, or store."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--save", action="store_true", help="store this run as the last release's")
    given, further = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        new = run(Path(folder) / "run.json", further)
        if given.save:
            RELEASED.write_text(json.dumps(trimmed(new), indent=1) + "\n", encoding="utf-8")
        else:
            compare(json.loads(RELEASED.read_text(encoding="utf-8")), new, Path(folder))


if __name__ == "__main__":
    main()
