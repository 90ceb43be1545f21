"""A job is one call of a function in a thread or process; its outcome is the result of that call.

`Job` and `Outcome` are plain data, which are sent between processes. `perform` makes the call in the calling
thread. An outcome has one of these statuses:

Status     meaning
ok         the function returned; `value` holds the result
error      it raised, or its result cannot be sent back
memory     it ran out of memory
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
Status = Literal["ok", "error", "memory", "crashed", "cancelled"]


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


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """The outcome of a job.

    value: the function's result; None unless the status is "ok". error: one sentence about the failure, or "". seconds:
    the duration of the call. trace: the traceback, if the function raised an exception. cause: that exception, if it is
    one of ours.
    """

    key: Hashable
    status: Status
    value: T | None = None
    error: str = ""
    seconds: float = 0.0
    trace: str = ""
    cause: AntemillError | None = None

    @property
    def ok(self) -> bool:
        """Whether the function returned, so that `value` holds its result."""
        return self.status == "ok"

    def unwrap(self) -> T:
        """The value. Raises ExecutionError, which names the job and the failure, unless the status is "ok"."""
        if not self.ok:
            raise ExecutionError(f"job {self.key} failed ({self.status}): {self.error}")
        return cast(T, self.value)


class _StopError(BaseException):
    """Raised at a checkpoint to end a job. It is not an Exception, so `except Exception` in the job lets it pass."""


class _Running(threading.local):
    cancelled: threading.Event | None = None  # what a checkpoint of the job in this thread tests


_running = _Running()


def checkpoint() -> None:
    """End the job that runs in this thread if it was cancelled.

    A long job calls this between its kernels. The executor "threads" can end a job only here. A call outside of a job
    has no effect.
    """
    if _running.cancelled is not None and _running.cancelled.is_set():
        raise _StopError


@contextmanager
def _controlled(cancelled: threading.Event | None) -> Iterator[None]:
    """In this block, `checkpoint` tests this event."""
    previous = _running.cancelled  # a job may itself run jobs on the serial executor
    _running.cancelled = cancelled or previous
    try:
        yield
    finally:
        _running.cancelled = previous


def perform(job: Job[T], cancelled: threading.Event | None = None) -> Outcome[T]:
    """Call the job's function in this thread; returns the outcome. Only a KeyboardInterrupt is passed on.

    cancelled: an event that another thread sets to end the job at its next checkpoint.
    """
    start = time.perf_counter()
    status: Status
    try:
        with _controlled(cancelled):
            value = job.function(job.seed, *job.args)
        return Outcome(job.key, "ok", value, seconds=time.perf_counter() - start)
    except _StopError:
        status = "cancelled"
    except MemoryError:
        status = "memory"  # only this: the traceback holds the memory until the block ends
    except (Exception, SystemExit) as error:
        ours = error if isinstance(error, AntemillError) else None
        seconds = time.perf_counter() - start
        return Outcome(job.key, "error", None, sentence(error), seconds, traceback.format_exc(), ours)
    return stopped(job, status, time.perf_counter() - start)


def stopped(job: Job[T], status: Status, seconds: float, how: str = "") -> Outcome[T]:
    """The outcome of a job that was ended before its function returned. how: for a crash, how the worker died."""
    sentences = {
        "memory": "there was not enough memory.",
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
