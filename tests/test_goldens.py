"""Golden values (see tests/goldens.py): games, verdicts, axes, estimates, values and tables are as recorded."""

from __future__ import annotations

import pytest

from tests import goldens
from tests.differing import assert_same

LINES = {
    "games": 3_300,
    "scores_fast": 40,
    "scores_precise": 40,
    "solved": 36,
    "planted": 100,
    "ratings": 20,
    "run_tournament": 231,
    "run_duel": 54,
    "run_skate": 34,
    "run_eval": 17,
}


def test_there_are_as_many_files_and_lines_as_cases() -> None:
    assert {path.stem for path in goldens.FOLDER.glob("*.txt")} == set(goldens.CASES) == set(LINES)
    assert {case: len(goldens.recorded(case)) for case in LINES} == LINES


@pytest.mark.parametrize("case", goldens.CASES)
def test_values_are_as_recorded(case: str) -> None:
    want = goldens.recorded(case)
    found = goldens.settled(goldens.lines(case), want)
    assert_same(found, want, f"if the change is meant, run: python -m tests.goldens {case}")


def test_a_figure_that_differs_is_named() -> None:
    want = ["a\t1.0\t0x1.8p+0", "b\t2.0"]
    assert goldens.settled(["a\t1.0000000000001\t0x1.8p+0", "b\t2.0"], want) == want
    for found in (["a\t1.000001\t0x1.8p+0", "b\t2.0"], ["a\t1.0\t0x1.9p+0", "b\t2.0"], want[:1], [*want, "c"]):
        with pytest.raises(AssertionError, match="differs"):
            assert_same(goldens.settled(found, want), want)
