"""Job functions for the tests of antemill.engine.execute: a light module, for worker processes to import."""

import importlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from antemill.engine.errors import SpecError


def square(seed: int) -> int:
    return seed * seed


def stagger(seed: int, most: float) -> int:
    """Later jobs finish earlier."""
    time.sleep(most / (1 + seed))
    return seed


def draw(seed: int, count: int) -> list[int]:
    """A little chain of pseudo-random numbers."""
    numbers = [seed]
    for _ in range(count):
        numbers.append(numbers[-1] * 6364136223846793005 + 1442695040888963407 & 0xFFFFFFFFFFFFFFFF)
    return numbers


def process_id(_seed: int) -> int:
    return os.getpid()


def parent_id(_seed: int) -> int:
    return os.getppid()


def write_parent(_seed: int, file: Path) -> None:
    file.with_suffix(".new").write_text(str(os.getppid()))
    file.with_suffix(".new").rename(file)
    time.sleep(60)


def is_imported(_seed: int, module: str) -> bool:
    return module in sys.modules


def fail(seed: int) -> NoReturn:
    raise ValueError(f"bad seed {seed}\nsecond line")


def fail_politely(_seed: int) -> NoReturn:
    raise SpecError("the deck has no cards.")


def leave(_seed: int) -> NoReturn:
    sys.exit(4)


def exhaust(_seed: int) -> NoReturn:
    raise MemoryError


def die(_seed: int) -> NoReturn:
    os._exit(3)


def die_by_signal(_seed: int) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def sleep(seed: int, seconds: float) -> int:
    """Sleeps without a checkpoint."""
    time.sleep(seconds)
    return seed


def wait_politely(seed: int, seconds: float) -> int:
    """Sleeps, and swallows every Exception."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            time.sleep(0.01)
        except Exception:
            return -1
    return seed


def note_and_sleep(seed: int, folder: str, seconds: float) -> int:
    """Leaves a file named by its process, then sleeps."""
    Path(folder, str(os.getpid())).touch()
    time.sleep(seconds)
    return seed


def start_and_sleep(seed: int, folder: str) -> int:
    """Starts a process of its own, leaves a file named by it, then sleeps."""
    with subprocess.Popen(["sleep", "600"]) as child:
        Path(folder, str(child.pid)).touch()
        time.sleep(600)
    return seed


def closure(seed: int) -> Callable[[], int]:
    """A result that does not pickle."""
    return lambda: seed


def talk(_seed: int) -> str:
    print("from the job", flush=True)
    return "said"


class Unreadable:
    """Pickles, but does not unpickle."""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return int, ("not a number",)


def unreadable(_seed: int) -> Unreadable:
    return Unreadable()


def identity(_seed: int, value: object) -> object:
    return value


def endless(limit: int, taken: list[int]) -> Iterator[int]:
    """Counts, and notes how far it was read."""
    for number in range(limit):
        taken.append(number)
        yield number


def begin_and_wait(seed: int, folder: str) -> int:
    """Leaves a file named by its seed, its process and its Ray node, then waits for the file `go`."""
    ray: Any = importlib.import_module("ray")
    node = ray.get_runtime_context().get_node_id()
    Path(folder, f"began-{seed}-{os.getpid()}-{node}").touch()
    while not Path(folder, "go").exists():
        time.sleep(0.02)
    return seed
