"""The list of axes: one module each, in one table, and everything else follows from it."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from antemill import axes
from antemill.axes import AXES, FAST, score
from antemill.axes.scores import ALSO, FIGURES, Scores
from antemill.tournament.pool import paper
from antemill.tournament.pool.schemas import BENCHMARK, SCORE_COLUMNS, SCORES
from tests.axes.axis_games import program
from tests.imports import ROOT, copy_packages

SEVENTH = '''
"""Ties: a toy, to be sure that another axis needs nothing but its module and its line in the table."""

from antemill.axes.axis import Axis, Play


def _measure(play: Play) -> tuple[float, float]:
    ties = play.log.payoff == 0
    return float(ties.mean()), float(ties.sum())


AXIS = Axis("ties", "share of ties", "of random play", "how often there is no winner", _measure, also=("ties_counted",))
'''


COMMANDS = """
import contextlib, io, json, sys
from antemill.tournament.cli.entry import run
printed = []
for line in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        if code := run(line.split()):
            sys.exit(code)
    printed.append(out.getvalue())
json.dump(printed, sys.stdout)
"""


def test_the_facade_says_what_it_has() -> None:
    assert set(axes.__all__) >= {"AXES", "FAST", "PRECISE", "score"}
    assert [name for name in axes.__all__ if not hasattr(axes, name)] == []
    assert all(getattr(axes, name).__doc__ for name in ("Axis", "Scores", "Tier", "score"))


def test_every_axis_is_a_module_of_its_name_and_no_such_module_is_forgotten() -> None:
    modules = {
        path.stem: importlib.import_module(f"antemill.axes.{path.stem}") for path in (ROOT / "axes").glob("*.py")
    }
    assert {name: each.AXIS for name, each in modules.items() if hasattr(each, "AXIS")} == AXES
    assert [axis.name for axis in AXES.values()] == list(AXES)


def test_an_axis_says_what_it_is() -> None:
    for axis in AXES.values():
        assert axis.name.isidentifier()
        assert axis.label
        assert axis.what
        assert "." not in axis.what
    assert AXES["state_space"].title == "state space (log10 information states)"
    assert AXES["information_sensitivity"].title == "information sensitivity"


def test_an_axis_measures_what_it_names() -> None:
    scores = score(program("kuhn"), FAST)
    assert list(scores.axes) == list(AXES)
    assert tuple(scores.also) == ALSO
    assert set(FIGURES) < set(Scores.__struct_fields__)


def test_columns_follow_from_the_axes() -> None:
    """And they are what files have had from the start: another order would refuse every file there is."""
    old = "state_space temporal_depth information_sensitivity opponent_modeling risk brittleness decisions_per_episode "
    old += "sigma_u information_sensitivity_seat_mean information_states axes_version"
    assert " ".join(SCORE_COLUMNS) == old
    assert SCORES.schema.names == ["seed", "digest", "tier", *SCORE_COLUMNS]
    tiers = [f"{tier}_{name}" for tier in ("fast", "precise") for name in SCORE_COLUMNS]
    later = ["exact_tier", *(f"exact_{name}" for name in SCORE_COLUMNS), *(f"precise_again_{axis}" for axis in AXES)]
    assert BENCHMARK.schema.names[-len(tiers) - len(later) :] == [*tiers, *later]
    assert list(BENCHMARK.later) == later  # what a benchmark of an earlier antemill lacks


def test_what_the_paper_prints_is_about_axes_that_exist() -> None:
    assert {*paper.VIF, *(axis for pair in paper.CORRELATIONS for axis in pair)} == set(AXES)


@pytest.mark.slow
def test_a_seventh_axis_needs_its_module_and_a_line_in_the_table(tmp_path: Path) -> None:
    """From seeds to the report, the statistics and the command line, with a pool that was scored on six before."""
    copy_packages(tmp_path)
    run = "run --seeds 0:48 --count 3 --out out --workers 1 --json"
    (made,) = antemill(tmp_path, run)
    assert json.loads(made)["selected"] == 3
    add_seventh(tmp_path / "antemill" / "axes")
    stats = "pool stats out"
    _, counted, told, shown, again = antemill(
        *(tmp_path, run, f"{stats} --json", stats, "game show kuhn --scores fast", "pool score out --only ties --json")
    )
    report = (tmp_path / "out" / "report.html").read_text()
    assert report.count("share of ties") > 20
    assert 'title="how often there is no winner"' in report
    rows = pq.read_table(tmp_path / "out" / "benchmark.parquet").to_pylist()
    assert all(0 <= row["fast_ties"] <= 1 for row in rows)
    assert all(row["precise_ties_counted"] == pytest.approx(3000 * row["precise_ties"]) for row in rows)
    with_ties = [name for axis in AXES for name in ((axis, "ties") if axis == "risk" else (axis,))]
    assert [list(json.loads(counted)[key]) for key in ("axes", "vif", "correlation")] == [with_ties] * 3
    assert "share of ties" in told
    assert "ties" in shown
    assert json.loads(again)["scored"] == 0


def add_seventh(folder: Path) -> None:
    (folder / "ties.py").write_text(SEVENTH.lstrip())
    table = (folder / "table.py").read_text()
    line = "    risk.AXIS,\n"
    for old, new in (
        ("temporal_depth\n", "temporal_depth, ties\n"),
        (line, f"{line}    ties.AXIS,\n"),
    ):
        assert table.count(old) == 1
        table = table.replace(old, new)
    (folder / "table.py").write_text(table)


def antemill(folder: Path, *lines: str) -> list[str]:
    """What each command prints that runs on the copy in `folder`, one after the other in one process."""
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS, *lines],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))
