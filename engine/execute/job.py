"""A job is one call of a function in a thread or process; its outcome is the result of that call.

`Job`, `Limits` and `Outcome` are plain data, which are sent between processes. `perform` makes the call in the calling
thread. An outcome has one of these statuses:

Status     meaning
ok         the function returned; `value` holds the result
error      it raised, or its result cannot be sent back
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

from antemill.engine.errors import AntemillError, ExecutionError

T = TypeVar("T")
Status = Literal["ok", "error", "timeout", "memory", "crashed", "cancelled"]


@dataclass(frozen=True, slots=True)
class Limits:
    """The time and memory that one job may use. None means no limit."""

    seconds: float | None = None  # wall time of the call; starting the worker and importing the function do not count
    memory_mb: int | None = None  # MiB of address space in addition to the worker's before the job


@dataclass(frozen=True, slots=True)
class Job(Generic[T]):
    """The call `function(seed, *args)`, to be made in any thread or process.

    The function must be importable: it is defined at the top level of a module other than `__main__`. Its arguments and
    its result must pickle. The result may depend only on the seed and the arguments.
    """

    key: Hashable  # the name of the job and of its outcome; a resumed run skips jobs whose keys are done
    seed: int
    function: Callable[..., T]
    args: tuple[Any, ...] = ()
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """The outcome of a job.

    value: the function's result; None unless the status is "ok". error: one sentence about the failure, or "". seconds:
    the duration of the call. trace: the traceback, if the function raised an exception.
    """

    key: Hashable
    status: Status
    value: T | None = None
    error: str = ""
    seconds: float = 0.0
    trace: str = ""

    @property
    def ok(self) -> bool:
        """Whether the function returned, so that `value` holds its result."""
        return self.status == "ok"

    def unwrap(self) -> T:
        """The value. Raises ExecutionError, which names the job and the failure, unless the status is "ok"."""
        if not self.ok:
            raise ExecutionError(f"job {self.key} failed ({self.status}): {self.error}")
        return cast(T, self.value)


class _Stop(BaseException):
    """Raised at a checkpoint to end a job. It is not an Exception, so `except Exception` in the job lets it pass."""

    def __init__(self, status: Status) -> None:
        super().__init__(status)
        self.status: Status = status


@dataclass(slots=True)
class _Control:
    """The conditions that a checkpoint of a job in this thread tests."""

    deadline: float | None
    cancelled: threading.Event


class _Running(threading.local):
    control: _Control | None = None


_running = _Running()


def checkpoint() -> None:
    """End the job that runs in this thread, if its time is over or if it was cancelled.

    A long job calls this between its kernels. The executors "serial" and "threads" can end a job only here. A call
    outside of a job has no effect.
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
    """In this block, `checkpoint` tests these limits and this event."""
    previous = _running.control  # a job may itself run jobs on the serial executor
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    _running.control = _Control(deadline, cancelled)
    try:
        yield
    finally:
        _running.control = previous


def perform(job: Job[T], cancelled: threading.Event | None = None) -> Outcome[T]:
    """Call the job's function in this thread; returns the outcome. Only a KeyboardInterrupt is passed on.

    cancelled: an event that another thread sets to end the job at its next checkpoint.
    """
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
        status = "memory"  # only this: the traceback holds the memory until the block ends
    except (Exception, SystemExit) as error:
        return Outcome(job.key, "error", None, sentence(error), time.perf_counter() - start, traceback.format_exc())
    return stopped(job, status, time.perf_counter() - start)


def stopped(job: Job[T], status: Status, seconds: float, how: str = "") -> Outcome[T]:
    """The outcome of a job that was ended before its function returned. how: for a crash, how the worker died."""
    cap = job.limits.memory_mb
    sentences = {
        "timeout": f"it did not finish within {job.limits.seconds} seconds.",
        "memory": "there was not enough memory." if cap is None else f"it needed more than {cap} MiB of memory.",
        "crashed": f"its worker process died ({how}).",
        "cancelled": "it was cancelled.",
    }
    return Outcome(job.key, status, None, sentences[status], seconds)


def failed(key: Hashable, what: str, error: BaseException) -> Outcome[Any]:
    """The outcome of a job whose call or result cannot be sent between processes."""
    return Outcome(key, "error", None, f"{what}: {sentence(error)}", trace="".join(traceback.format_exception(error)))


def sentence(error: BaseException) -> str:
    """An exception as one line: the message of an AntemillError, or the type and first line of any other."""
    if isinstance(error, AntemillError):
        return str(error)
    first = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
