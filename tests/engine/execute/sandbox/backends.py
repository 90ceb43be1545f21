"""Whether this machine must have the sandbox, one of it with one worker, and shorthands."""

import platform
import sys
from collections.abc import Iterator

import pytest

from antemill.engine.execute.sandbox import Check, OutputCheck, PuzzleCheck, Sandbox, Verdict, make_sandbox

NATIVE = sys.platform == "linux" and platform.machine() in ("x86_64", "aarch64")


def verdicts(sandbox: Sandbox, *checks: Check) -> list[Verdict]:
    """The verdicts, in order."""
    return list(sandbox.check_many(checks))


def judged(sandbox: Sandbox, checks: dict[str, PuzzleCheck]) -> dict[str, str]:
    """The verdicts by name."""
    return dict(zip(checks, (verdict.verdict for verdict in verdicts(sandbox, *checks.values())), strict=True))


def programs(sandbox: Sandbox, texts: dict[str, str]) -> dict[str, Verdict]:
    """The verdicts of programs by name."""
    return dict(zip(texts, verdicts(sandbox, *map(OutputCheck, texts.values())), strict=True))


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """Checks run one after the other."""
    with make_sandbox(1) as made:
        yield made
