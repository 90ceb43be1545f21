"""The backends that this machine must have, and a sandbox of each with one worker."""

import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from antemill.engine.execute.sandbox import Check, PuzzleCheck, Sandbox, Verdict, make_sandbox

NATIVE = sys.platform == "linux" and platform.machine() in ("x86_64", "aarch64")
HERE = ("native", "wasm") if NATIVE else ("wasm",)


@contextmanager
def one_worker(backend: str) -> Iterator[Sandbox]:
    """A sandbox whose checks run one after the other."""
    with make_sandbox(backend, workers=1) as sandbox:
        yield sandbox


def verdicts(sandbox: Sandbox, *checks: Check) -> list[Verdict]:
    """The verdicts, in order."""
    return list(sandbox.check_many(checks))


def judged(sandbox: Sandbox, checks: dict[str, PuzzleCheck]) -> dict[str, str]:
    """The verdicts by name."""
    return dict(zip(checks, (verdict.verdict for verdict in verdicts(sandbox, *checks.values())), strict=True))


@pytest.fixture(scope="session", params=HERE)
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Each backend in turn. Fails, and does not skip, where one is missing."""
    with one_worker(request.param) as made:
        yield made
