"""The loop that all iterating algorithms share, on an algorithm whose measures are written down."""

from __future__ import annotations

import itertools
import time

import pytest

from antemill.engine.errors import UsageError
from antemill.solver.algorithms import loop
from antemill.solver.algorithms.loop import Limits, Progress, Record, check_positive, iterate


class Counter:
    """An algorithm whose average policy is the number of iterations made."""

    def __init__(self, pause: float = 0.0) -> None:
        self.done = 0
        self.pause = pause
        self.batches: list[int] = []

    def advance(self, iterations: int) -> None:
        time.sleep(self.pause * iterations)
        self.batches.append(iterations)
        self.done += iterations

    def average(self) -> int:
        return self.done


def wave(policy: int) -> float:
    """Falls with the iterations, but for one bump."""
    return 5.0 if policy == 30 else 10.0 / policy


def test_it_measures_where_it_is_told_to_and_stops_at_the_target() -> None:
    made, record = Counter(), Record[int]("a", Limits(0.1, None, None), None, wave)
    iterate(made, record, itertools.count(10, 10))
    assert (made.done, record.policy, record.best, record.stopped()) == (100, 100, 0.1, "target")
    assert [point.iteration for point in record.trace] == list(range(10, 101, 10))
    assert [point.measure for point in record.trace[1:4]] == [0.5, 0.5, 0.25]
    assert made.batches[0] == 1  # to learn how fast it is


def test_the_last_policy_is_kept_where_the_best_is_not_wanted() -> None:
    made, record = Counter(), Record[int]("a", Limits(0.1, 30, None), None, wave, keep_best=False)
    iterate(made, record, itertools.count(10, 10))
    assert (record.policy, record.best, record.stopped()) == (30, 5.0, "iterations")
    made, record = Counter(), Record[int]("a", Limits(0.1, 30, None), None, wave)
    iterate(made, record, itertools.count(10, 10))
    assert (record.policy, record.best, record.stopped()) == (20, 0.5, "iterations")


def test_a_limit_between_two_measurements_is_kept_to() -> None:
    made, record = Counter(), Record[int]("a", Limits(0.0, 17, None), None, wave)
    iterate(made, record, itertools.count(10, 10))
    assert [point.iteration for point in record.trace] == [10, 17]
    made, record = Counter(0.001), Record[int]("a", Limits(0.0, None, 0.05), None, wave)
    iterate(made, record, itertools.count(10_000, 10_000))
    assert record.stopped() == "time"
    assert 0 < made.done < 10_000
    assert [point.iteration for point in record.trace] == [made.done]


@pytest.mark.parametrize("tell_batches", [False, True])
def test_the_watcher_is_told_of_measurements_or_of_batches(tell_batches: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "_BATCH_SECONDS", 0.0)  # batches of one iteration
    told: list[Progress] = []

    def watch(progress: Progress) -> bool:
        told.append(progress)
        return len(told) < 3

    made, record = Counter(), Record[int]("a", Limits(0.0, None, None), watch, wave, tell_batches=tell_batches)
    iterate(made, record, itertools.count(10, 10))
    assert record.stopped() == "interrupted"
    assert len(told) == 3
    assert made.done == (3 if tell_batches else 30)
    assert [progress.iteration for progress in told] == ([1, 2, 3] if tell_batches else [10, 20, 30])


def test_limits_that_are_not_positive_are_refused() -> None:
    check_positive(iterations=None, seconds=0.1)
    for wrong in (0, -1, float("nan")):
        with pytest.raises(UsageError, match=f"the number of iterations must be positive, not {wrong}"):
            check_positive(seconds=1.0, iterations=wrong)
