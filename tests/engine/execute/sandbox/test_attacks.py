"""Every attack against the sandbox (D8, T6).

Contained means: no effect on the host, no verdict gained, no worker lost, and the next check right and clean.
"""

from collections.abc import Iterator

import pytest

from antemill.engine.execute.sandbox import CheckLimits, PuzzleCheck, Sandbox
from tests.engine.execute.sandbox.attacks import ATTACKS
from tests.engine.execute.sandbox.backends import verdicts
from tests.engine.execute.sandbox.host import Host, descendants

CARRIED_OVER, OWN = 29, 30  # programs of the attack corpus, and at least as many of our own
# Raises a fingerprint of everything in the interpreter that attacks are after.
PROBE = PuzzleCheck(
    """
import builtins, os, random, sys, time, zlib
def mystery(x):
    import ast, codecs, gc, json, operator, pickle, re, struct, threading, warnings
    marks = [hasattr(builtins, "_leak"), sorted(os.environ), random.random(), time.time(), sys.getrecursionlimit()]
    marks += [sorted(sys.modules), len(sys.meta_path), sys.path, len(gc.callbacks), gc.isenabled()]
    marks += [threading.active_count(), time.tzname, repr(sys.stdout.encoding), sys.excepthook is sys.__excepthook__]
    for module in (ast, builtins, codecs, json, operator, pickle, re, struct, sys, time, warnings):
        marks.append([(name, type(value).__name__) for name, value in sorted(vars(module).items())])
    raise ValueError(zlib.crc32(repr(marks).encode()))
""",
    "1",
)
RIGHT = PuzzleCheck("def mystery(x):\n    return sorted(x) == [1, 2, 3]", "[3, 1, 2]")
WRONG = PuzzleCheck("def mystery(x):\n    return sorted(x) == [1, 2, 3]", "[3, 1, 2, 0]")


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    made = Host(tmp_path_factory.mktemp("canary"))
    yield made
    made.close()


_clean: list[str] = []


def fingerprint(sandbox: Sandbox) -> str:
    """What the probe says before anything happened."""
    if not _clean:
        (verdict,) = verdicts(sandbox, PROBE)
        assert "ValueError: " in verdict.detail
        _clean.append(verdict.detail)
    return _clean[0]


def test_there_are_enough_attacks() -> None:
    assert len(ATTACKS) >= CARRIED_OVER + OWN


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * attack.slow) for name, attack in ATTACKS.items()]
)
def test_contained(sandbox: Sandbox, host: Host, name: str) -> None:
    attack, clean = ATTACKS[name], fingerprint(sandbox)
    processes = descendants()
    limits = CheckLimits(seconds=attack.seconds, memory_mb=128)
    check = PuzzleCheck(host.fill_in(attack.code), "1", limits)
    verdict, probe, right, wrong = verdicts(sandbox, check, PROBE, RIGHT, WRONG)
    assert verdict.verdict in attack.verdicts, verdict
    assert verdict.seconds < attack.seconds + 2
    assert len(verdict.detail) <= 500
    assert "\n" not in verdict.detail
    assert host.report() == []
    assert probe.detail == clean
    assert (right.verdict, wrong.verdict) == ("true", "false")
    assert descendants() == processes, "a helper process was lost, or something was left behind"


def test_the_host_notices_what_attacks_would_do(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The instruments of the test above work: files, sockets and processes."""
    import socket
    import subprocess

    made = Host(tmp_path_factory.mktemp("noticing"))
    assert made.report() == []
    (made.canary / "new").write_text("x")
    assert len(made.report()) == 1
    with socket.create_connection(("127.0.0.1", made.port)):
        assert len(made.report()) == 2
    before = descendants()
    with subprocess.Popen(["sleep", "5"]) as process:
        assert descendants() - before == {process.pid}
        process.kill()
    made.close()
