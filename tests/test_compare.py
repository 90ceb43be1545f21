"""`benches.compare`: what another machine measured, as it would be here, in pytest-benchmark's own table."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from benches.compare import CALIBRATION, RELEASED, compare, median, scaled, trimmed


def bench(name: str, seconds: float) -> dict[str, Any]:
    times = ("min", "max", "mean", "median", "q1", "q3", "ld15iqr", "hd15iqr", "total")
    stats: dict[str, Any] = dict.fromkeys(times, seconds) | {"stddev": 0.0, "iqr": 0.0, "ops": 1 / seconds, "rounds": 3}
    stats |= {"iterations": 1, "outliers": "0;0", "iqr_outliers": 0, "stddev_outliers": 0}
    return {"name": name, "fullname": name, "group": None, "params": None, "param": None, "stats": stats}


def document(**seconds: float) -> dict[str, Any]:
    machine = {"machine": "m", "python_version": "3", "system": "s", "cpu": {"brand_raw": "b", "flags": ["x"]}}
    return {"benchmarks": [bench(*one) for one in seconds.items()], "machine_info": machine, "commit_info": {"id": "x"}}


def test_a_machine_of_half_the_speed_changes_no_ratio(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    old, new = document(**{CALIBRATION: 1.0, "bench_x": 4.0}), document(**{CALIBRATION: 2.0, "bench_x": 16.0})
    here = scaled(old, median(new) / median(old))
    assert median(here, "bench_x") == 8.0
    assert here["benchmarks"][1]["stats"]["ops"] == 1 / 8
    assert median(old, "bench_x") == 4.0
    compare(trimmed(old), new, tmp_path)
    out = capfd.readouterr().out
    lines = [line for line in out.splitlines() if line.startswith("bench_x")]
    assert any("(1.0)" in line and "released" in line for line in lines)
    assert any("(2.0" in line and "now" in line for line in lines)


def test_without_the_calibration_nothing_is_compared() -> None:
    with pytest.raises(SystemExit, match="cannot be compared"):
        median(document(bench_x=1.0))


def test_what_is_stored_names_no_more_of_a_machine_than_its_processor() -> None:
    stored = trimmed(copy.deepcopy(document(**{CALIBRATION: 1.0})))
    assert stored["machine_info"]["cpu"] == {"brand_raw": "b"}
    assert stored["commit_info"] == {}


def test_the_last_release_is_stored_with_its_calibration() -> None:
    assert median(json.loads(RELEASED.read_text(encoding="utf-8"))) > 0
