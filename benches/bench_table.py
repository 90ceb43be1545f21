"""The measurements of `antemill bench`, each as a benchmark."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import pytest

from antemill.tournament.bench.measure import Measurement, Setting, UnavailableError
from antemill.tournament.bench.measurements import MEASUREMENTS

Benchmark = Any  # pytest-benchmark's fixture, which is untyped


@pytest.mark.parametrize("measurement", MEASUREMENTS, ids=lambda one: one.name)
def bench_measurement(benchmark: Benchmark, quick: bool, measurement: Measurement) -> None:
    """All pieces of a measurement; what its unit counts is among the extra information."""
    with ExitStack() as stack:
        try:
            works = measurement.prepare(Setting(quick, stack))
        except UnavailableError as error:
            pytest.skip(str(error))

        def before() -> None:
            for work in works:
                if work.before is not None:
                    work.before()

        def run() -> None:
            for work in works:
                work.call()

        benchmark.group = measurement.group
        benchmark.pedantic(run, setup=before, rounds=measurement.repeats, warmup_rounds=int(measurement.warm))
        if benchmark.stats is not None:  # there are none with --benchmark-disable
            amount = sum(work.amount for work in works)
            benchmark.extra_info["unit"] = measurement.unit
            benchmark.extra_info["figure"] = measurement.value(benchmark.stats.stats.median, amount)
