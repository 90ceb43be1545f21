"""Options of the benchmarks."""

import os

import pytest

os.environ.setdefault("ANTEMILL_COMPILE", "1")  # no kernel runs as Python


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--quick`, with --benchmark-disable: every benchmark once, on tiny work."""
    parser.addoption("--quick", action="store_true", help="tiny work: shows that the benchmarks run, not how fast")


@pytest.fixture(scope="session")
def quick(request: pytest.FixtureRequest) -> bool:
    """Whether the work shall be tiny."""
    return bool(request.config.getoption("--quick"))
