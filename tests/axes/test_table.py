"""The list of axes: one module each, in one table, and everything else follows from it."""

import importlib

from antemill.axes import AXES, FAST, score
from antemill.axes.scores import ALSO, FIGURES, Scores
from antemill.tournament.pool import paper
from antemill.tournament.pool.schemas import BENCHMARK, SCORE_COLUMNS, SCORES
from tests.axes.axis_games import program
from tests.imports import ROOT


def test_every_axis_is_a_module_of_its_name_and_no_such_module_is_forgotten() -> None:
    modules = {
        path.stem: importlib.import_module(f"antemill.axes.{path.stem}") for path in (ROOT / "axes").glob("*.py")
    }
    assert {name: each.AXIS for name, each in modules.items() if hasattr(each, "AXIS")} == AXES
    assert [axis.name for axis in AXES.values()] == list(AXES)


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
    assert SCORES.schema.names == ["seed", "digest", "tier", *SCORE_COLUMNS, "rulebook_length"]
    tiers = [f"{tier}_{name}" for tier in ("fast", "precise") for name in SCORE_COLUMNS]
    later = ["exact_tier", *(f"exact_{name}" for name in SCORE_COLUMNS), *(f"precise_again_{axis}" for axis in AXES)]
    assert BENCHMARK.schema.names[-len(tiers) - len(later) :] == [*tiers, *later]


def test_what_the_paper_prints_is_about_axes_that_exist() -> None:
    assert {*paper.VIF, *(axis for pair in paper.CORRELATIONS for axis in pair)} == set(AXES)
