"""What goes in and what comes out: `Job`, `Limits`, `Outcome`, and how a job is performed once it is where it runs.

Status     meaning
ok         the function returned; `value` holds the result
error      it raised, or its result can not be sent back
timeout    it ran longer than `limits.seconds`
memory     it ran out of memory (`limits.memory_mb`, or MemoryError)
crashed    its worker process died: killed, os._exit, a segmentation fault
cancelled  the caller stopped it
"""

import threading
import time
import traceback
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, cast

from engine.errors import AntemillError, ExecutionError

T = TypeVar("T")
Status = Literal["ok", "error", "timeout", "memory", "crashed", "cancelled"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one job may use; None means no limit."""

    seconds: float | None = None  # wall time, without the start of the worker and the import of the function
    memory_mb: int | None = None  # MiB of address space on top of what the worker held before the job


@dataclass(frozen=True, slots=True)
class Job(Generic[T]):
    """One call: `function(seed, *args)`. The function is importable (top level, not in `__main__`), the rest pickles.

    Everything the function may depend on is here; its result must not depend on anything else.
    """

    key: Hashable  # names the job in its outcome and in what a resumed run skips
    seed: int
    function: Callable[..., T]
    args: tuple[Any, ...] = ()
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """What became of a job. `error` is one sentence, empty if all is well; `trace` the traceback, if there was one."""

    key: Hashable
    status: Status
    value: T | None = None
    error: str = ""
    seconds: float = 0.0
    trace: str = ""

    @property
    def ok(self) -> bool:
        """Whether there is a value."""
        return self.status == "ok"

    def unwrap(self) -> T:
        """The value. Raises ExecutionError, with the job's key and what went wrong, if there is none."""
        if not self.ok:
            raise ExecutionError(f"job {self.key} failed ({self.status}): {self.error}")
        return cast(T, self.value)


class _Stop(BaseException):
    """Unwinds a job at a checkpoint. Not an Exception: a job's own `except Exception` must not swallow it."""

    def __init__(self, status: Status) -> None:
        super().__init__(status)
        self.status: Status = status


@dataclass(slots=True)
class _Control:
    deadline: float | None
    cancelled: threading.Event


class _Running(threading.local):
    control: _Control | None = None


_running = _Running()


def checkpoint() -> None:
    """Call this between the kernels of a long job: it ends the job if its time is up or the run was cancelled.

    The serial and threads executors can stop a job nowhere else. Outside a job it does nothing.
    """
    control = _running.control
    if control is None:
        return
    if control.cancelled.is_set():
        raise _Stop("cancelled")
    if control.deadline is not None and time.monotonic() > control.deadline:
        raise _Stop("timeout")


@contextmanager
def _controlled(limits: Limits, cancelled: threading.Event) -> Iterator[None]:
    previous = _running.control  # a job may itself run jobs on the serial executor
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    _running.control = _Control(deadline, cancelled)
    try:
        yield
    finally:
        _running.control = previous


def perform(job: Job[T], cancelled: threading.Event | None = None) -> Outcome[T]:
    """Call the job's function here and now, and turn what happens into an outcome. KeyboardInterrupt passes."""
    start = time.perf_counter()
    status: Status
    try:
        with _controlled(job.limits, cancelled or threading.Event()):
            value = job.function(job.seed, *job.args)
        seconds = time.perf_counter() - start
        if job.limits.seconds is None or seconds <= job.limits.seconds:
            return Outcome(job.key, "ok", value, seconds=seconds)
        status = "timeout"
    except _Stop as stop:
        status = stop.status
    except MemoryError:
        status = "memory"  # and no more in here: until the block ends the traceback holds on to the memory
    except (Exception, SystemExit) as error:
        return Outcome(job.key, "error", None, sentence(error), time.perf_counter() - start, traceback.format_exc())
    return stopped(job, status, time.perf_counter() - start)


def stopped(job: Job[T], status: Status, seconds: float, how: str = "") -> Outcome[T]:
    """The outcome of a job that did not come to its own end; `how` says how a crashed worker died."""
    cap = job.limits.memory_mb
    sentences = {
        "timeout": f"it did not finish within {job.limits.seconds} seconds.",
        "memory": "there was not enough memory." if cap is None else f"it needed more than {cap} MiB of memory.",
        "crashed": f"its worker process died ({how}).",
        "cancelled": "it was cancelled.",
    }
    return Outcome(job.key, status, None, sentences[status], seconds)


def failed(key: Hashable, what: str, error: BaseException) -> Outcome[Any]:
    """The outcome of a job whose call or result can not travel."""
    return Outcome(key, "error", None, f"{what}: {sentence(error)}", trace="".join(traceback.format_exception(error)))


def sentence(error: BaseException) -> str:
    """An exception as one line: our own errors speak for themselves, others are named."""
    if isinstance(error, AntemillError):
        return str(error)
    first = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
