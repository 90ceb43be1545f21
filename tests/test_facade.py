"""What users import: a few packages, a few names. Behind each is what the package says, and importing loads little."""

import importlib
import inspect
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antemill import engine
from antemill.engine.facade import homes
from antemill.tournament import statistics

PROMISED = {  # a contract: scripts depend on these names
    "antemill": "AXES EXACT FAST NAMED PRECISE GameSpec Match Policy analyze build_tree check compile_spec env "
    "exploitability from_json game gate generate leaderboard read_slots rollout score solve streams to_json vector_env",
    "antemill.engine": "GameSpec Lanes NAMED check compile_spec from_json gate generate rollout streams to_json",
    "antemill.axes": "AXES EXACT FAST PRECISE score",
    "antemill.solver": "Policy build_tree exploitability solve",
    "antemill.tournament.adapters": "Curriculum Growth as_player as_policy as_rows env exploitability forgotten "
    "refuse_benchmark save selfplay vector_env",
    "antemill.tournament.report": "page_of pool_report",
    "antemill.tournament.runs": "RunStore open_run read_status reading start_run",
    "antemill.tournament.statistics": "RatingOptions SlotTable analyze capability_profile head_to_head leaderboard "
    "local_jaggedness rate read_rows read_slots results_table slot_table strengths",
}
LAZY = [
    "antemill",
    "antemill.engine",
    "antemill.solver",
    "antemill.tournament.adapters",
    "antemill.tournament.statistics",
    "antemill.tournament.report",
]


@pytest.mark.parametrize(("package", "names"), PROMISED.items())
def test_a_facade_has_what_is_promised_and_says_what_it_is(package: str, names: str) -> None:
    module = importlib.import_module(package)
    assert set(names.split()) <= set(module.__all__)
    absent = "openspiel" if find_spec("pyspiel") is None else "nothing"  # Intel Macs have no wheel
    for name in (name for name in module.__all__ if not name.startswith(absent)):
        thing = getattr(module, name)
        if inspect.isfunction(thing) or inspect.isclass(thing):
            assert thing.__doc__, name
            assert thing.__module__.startswith(f"{package}."), name


def test_a_game_can_be_drawn_checked_compiled_and_played_through_the_facade() -> None:
    spec = engine.generate(7, 0.1)
    assert isinstance(spec, engine.GameSpec)
    assert engine.check(spec) == []
    assert engine.from_json(engine.to_json(spec)) == spec
    program = engine.compile_spec(spec)
    log = engine.rollout(program, 10, engine.streams(1))
    assert len(log.payoff) == 10
    assert engine.gate(program, 7, 10).moves > 0
    assert set(engine.NAMED) >= {"kuhn", "leduc"}


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'generat'"):
        engine.generat  # noqa: B018


@pytest.mark.parametrize("package", LAZY)
def test_importing_a_facade_loads_little(package: str) -> None:
    heavy = ("numba", "numpy", "pyarrow", "scipy", "matplotlib")
    script = f"import {package}, sys; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("package", LAZY)
def test_a_lazy_facade_has_a_home_for_every_name(package: str) -> None:
    module = importlib.import_module(package)
    assert sorted(homes(str(module.__file__))) == sorted(module.__all__)
    assert set(module.__all__) <= set(dir(module))
    with pytest.raises(AttributeError, match="no attribute 'ratee'"):
        module.ratee  # noqa: B018


def test_statistics_of_anybody_s_matches_through_the_facade(tmp_path: Path) -> None:
    margins = {("a", "b"): 4.0, ("b", "c"): 2.0, ("a", "c"): 6.0}
    rows = pa.table(
        [
            [game for game in "xy" for _ in margins for _ in range(8)],
            [str(run) for _ in "xy" for _ in margins for run in range(8)],
            [first for _ in "xy" for first, _ in margins for _ in range(8)],
            [second for _ in "xy" for _, second in margins for _ in range(8)],
            [margin + run % 2 - 0.5 for _ in "xy" for margin in margins.values() for run in range(8)],
        ],
        names=["game", "run", "alice", "bob", "margin"],
    )
    table = statistics.slot_table(rows)
    board = statistics.leaderboard(table)
    assert board.models == ("a", "b", "c")
    assert board.strengths == pytest.approx([10 / 3, -2 / 3, -8 / 3])
    assert (board.these.low < board.strengths).all()
    assert statistics.strengths(table) == pytest.approx(board.strengths)
    assert statistics.head_to_head(table).margins[0, 1] == pytest.approx(4.0)
    rated = statistics.rate(statistics.results_table(rows), statistics.RatingOptions("margin"))
    assert [one.player for one in rated] == ["a", "b", "c"]
    pq.write_table(rows, tmp_path / "slots.parquet")
    summary = statistics.analyze(tmp_path / "slots.parquet", None, tmp_path)
    assert [one.player for one in summary.leaderboard] == ["a", "b", "c"]
