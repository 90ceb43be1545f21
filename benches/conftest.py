"""What all benchmarks share."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from benches.timing import Bench, worked

os.environ.setdefault("ANTEMILL_COMPILE", "1")  # no kernel runs as Python


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--quick`, with --benchmark-disable: every benchmark once, on tiny work."""
    parser.addoption("--quick", action="store_true", help="tiny work: shows that the benchmarks run, not how fast")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Time what the pieces take, without their preparation."""
    for item in items:
        item.add_marker(pytest.mark.benchmark(timer=worked))


@pytest.fixture
def bench(benchmark: Any, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    """Times pieces of work (`benches.timing`)."""
    with ExitStack() as stack:
        yield Bench(benchmark, bool(request.config.getoption("--quick")), tmp_path, stack)
