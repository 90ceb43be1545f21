"""A check's interpreter holds nothing of an earlier check: not its code, solution, value, output or answers (D8).

Memory is read from outside, by the kernel's file. A fork holds what its server held, so the server is scanned, too.
"""

import os
import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from antemill.engine.execute.sandbox import Check, CheckLimits, OutputCheck, PuzzleCheck
from antemill.engine.execute.sandbox.conduct import conduct
from antemill.engine.execute.sandbox.native.backend import NativeBackend
from antemill.engine.execute.sandbox.request import Request
from antemill.engine.execute.sandbox.wasm import guest
from antemill.engine.execute.sandbox.wasm.engine import make_engine
from tests.engine.execute.sandbox.backends import NATIVE
from tests.engine.execute.sandbox.host import descendants

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


def judged_with_secrets(worker: Any) -> None:
    """The secrets pass through all stages: code, a literal, an expression, a value, an output, an error's message."""
    code, literal, expression, value, output, message = SECRETS
    checks: list[Check] = [
        PuzzleCheck(f"def mystery(x):\n    return x == {literal!r} and {code!r}", repr(literal)),
        PuzzleCheck("def mystery(x):\n    return len(x)", f"({expression!r} + {value!r})[:]"),
        PuzzleCheck("def mystery(f):\n    return f(3)", f"lambda x, y={value!r}: x"),
        OutputCheck(f"print({output!r})"),
    ]
    assert [conduct(worker, check, "").verdict for check in checks] == ["true"] * 4
    assert (
        message in conduct(worker, PuzzleCheck(f"def mystery(x):\n    raise ValueError({message!r})", "1"), "").detail
    )


def computed(pid: int) -> float:
    """The seconds of processor time that a process has had."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@contextmanager
def at_work(worker: Any, check: Check) -> Iterator[set[int]]:
    """The forks of a check that does not end, when they run its code; they are killed at the end of the block."""
    before = descendants()
    thread = threading.Thread(target=conduct, args=(worker, check, ""))
    thread.start()
    try:
        while not (forks := descendants() - before):
            time.sleep(0.01)
        while min(map(computed, forks)) < 0.3:  # many times what it takes to start
            time.sleep(0.01)
        yield forks
    finally:
        worker.kill()
        thread.join()


def test_nothing_of_a_request_is_ever_in_the_server_or_in_the_next_fork() -> None:
    worker = NativeBackend().worker()
    judged_with_secrets(worker)
    servers = worker.pids()
    with at_work(worker, FOREVER) as forks:
        pids = [*servers, *forks]
        readable = [pid for pid in pids if os.access(f"/proc/{pid}/mem", os.R_OK)]
        assert set(servers) <= set(readable)
        found = {pid: held for pid in readable if (held := secrets_in(pid, SECRETS))}
        assert holds(servers[0], "def objection"[4:]), "the instrument works"
        shared = [line for pid in pids for *_, rights, line in mappings(pid) if rights[1:] in ("w-s", "wxs")]
    worker.close()
    assert found == {}
    assert shared == [], "memory that two processes could write to"


def test_a_fork_sees_its_own_request() -> None:
    """Else the test above would show nothing about forks."""
    worker = NativeBackend().worker()
    conduct(worker, PuzzleCheck("def mystery(x):\n    return True", "1"), "")
    check = PuzzleCheck(f"secret = {SECRETS[0]!r}\n" + FOREVER.code, "1", FOREVER.limits)
    with at_work(worker, check) as forks:
        readable = [pid for pid in forks if os.access(f"/proc/{pid}/mem", os.R_OK)]
        assert all(holds(pid, SECRETS[0]) for pid in readable)
        assert not holds(worker.pids()[0], SECRETS[0])
    worker.close()


def test_the_server_gets_numbers() -> None:
    request = Request("judge", SECRETS[0].encode(), SECRETS[1].encode(), 1.0, 2, 3, 4, [b"f" * 16, b"t" * 16])
    head = request.head()
    assert not any(text in head for text in request.texts)
    assert re.fullmatch(rb"judge\0{11}[\0-\xff]*", head)
    assert len(head) < 100


@pytest.mark.slow
def test_a_fresh_instance_has_nothing_of_the_last_one() -> None:
    """The linear memories of two instances of the guest in one process, as the worker of `wasm` makes them."""
    from wasmtime import Store, component

    engine = make_engine()
    made: Any = component.Component.deserialize_file(engine, str(guest.compiled(0)))
    linker: Any = component.Linker(engine)

    def instance() -> tuple[Any, Any, list[tuple[int, int]]]:
        known = {low for low, *_ in mappings("self")}
        store = Store(engine)
        store.set_fuel(10**12)
        store.set_epoch_deadline(1 << 30)
        fresh = linker.instantiate(store, made)
        return store, fresh, [(low, high) for low, high, *_ in mappings("self") if low not in known]

    def run(store: Any, fresh: Any, program: str) -> bytes:
        stage = fresh.get_func(store, "stage")
        answer = bytes(stage(store, "run", program.encode(), b"", [], 1000, 1000, 5.0))
        assert answer[:1] == b"O"
        return answer[-2:]

    secret = "-".join(reversed(SECRETS[0].split("-")))
    store, first, places = instance()
    assert run(store, first, f"kept = {secret!r}\nprint(1)") == b"1\n"
    assert any(holds("self", secret, place) for place in places)
    del store, first
    store, second, places = instance()
    assert run(store, second, "print(2)") == b"2\n"
    assert places
    assert not any(holds("self", secret, place) for place in places)
