"""A check's interpreter holds nothing of an earlier check: not its code, solution, value, output or answers (D8).

Memory is read from outside, by the kernel's file. A fork holds what its server held, so the server is scanned, too.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from antemill.engine.execute.sandbox import Check, CheckLimits, OutputCheck, PuzzleCheck, boot
from antemill.engine.execute.sandbox.judge import conduct
from antemill.engine.execute.sandbox.process import Worker
from tests.engine.execute.sandbox.backends import NATIVE
from tests.engine.execute.sandbox.test_losses import at_work

SECRETS = [f"{word}-{'0123456789abcdef' * 3}" for word in ("Alder", "Birch", "Cedar", "Dogwood", "Elder", "Fir")]
FOREVER = PuzzleCheck("def mystery(x):\n    while True: pass", "1", CheckLimits(seconds=60))
pytestmark = pytest.mark.skipif(not NATIVE, reason="reads /proc")


def mappings(pid: int | str) -> Iterator[tuple[int, int, str, str]]:
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        addresses, rights, *_ = line.split()
        low, high = (int(part, 16) for part in addresses.split("-"))
        yield low, high, rights, line


def secrets_in(pid: int | str, secrets: Sequence[str], within: tuple[int, int] = (0, 1 << 64)) -> set[str]:
    """Which of these texts a process's memory has somewhere."""
    found: set[str] = set()
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for low, high, rights, line in mappings(pid):
            if rights[0] != "r" or "[v" in line or not within[0] <= low < within[1]:
                continue
            for start in range(low, high, 1 << 24):
                part = os.pread(memory.fileno(), min(1 << 24, high - start) + 100, start)
                found |= {secret for secret in secrets if secret.encode() in part}
    return found


def holds(pid: int | str, secret: str, within: tuple[int, int] = (0, 1 << 64)) -> bool:
    """Whether a process's memory has the text somewhere."""
    return bool(secrets_in(pid, [secret], within))


def judged_with_secrets(worker: Worker) -> None:
    """The secrets pass through all stages: code, a literal, an expression, a value, an output, an error's message."""
    code, literal, expression, value, output, message = SECRETS
    checks: list[Check] = [
        PuzzleCheck(f"def mystery(x):\n    return x == {literal!r} and {code!r}", repr(literal)),
        PuzzleCheck("def mystery(x):\n    return len(x)", f"({expression!r} + {value!r})[:]"),
        OutputCheck(f"open('a', 'w').write({value!r})\nprint({output!r}, input())", None, CheckLimits(), code),
    ]
    assert [conduct(worker, check).verdict for check in checks] == ["true"] * 3
    assert message in conduct(worker, PuzzleCheck(f"def mystery(x):\n    raise ValueError({message!r})", "1")).detail


def test_nothing_of_a_request_is_ever_in_a_server_or_in_the_next_fork() -> None:
    worker = Worker()
    judged_with_secrets(worker)
    servers = worker.pids()
    assert len(servers) == 6  # five, and the one of the puzzles
    with at_work(worker, FOREVER) as (run, _):
        pids = [*servers, run]
        readable = [pid for pid in pids if os.access(f"/proc/{pid}/mem", os.R_OK)]
        assert set(servers) <= set(readable)
        found = {pid: held for pid in readable if (held := secrets_in(pid, SECRETS))}
        assert holds(servers[0], "def objection"[4:]) or holds(servers[0], "literal_eval"), "the instrument works"
        shared = [line for pid in pids for *_, rights, line in mappings(pid) if rights[1:] in ("w-s", "wxs")]
    worker.close()
    assert found == {}
    assert shared == [], "memory that two processes could write to"


def test_a_fork_sees_its_own_request() -> None:
    """Else the test above would show nothing about forks."""
    worker = Worker()
    check = PuzzleCheck(f"secret = {SECRETS[0]!r}\n" + FOREVER.code, "1", FOREVER.limits)
    with at_work(worker, check) as (run, _):
        assert not os.access(f"/proc/{run}/mem", os.R_OK) or holds(run, SECRETS[0])
        assert not holds(worker.pids()[0], SECRETS[0])
    worker.close()


def test_the_server_gets_numbers() -> None:
    assert boot.HEAD.size < 100
    assert set(boot.HEAD.format) <= set("<BdQI4"), "no text is among them"
