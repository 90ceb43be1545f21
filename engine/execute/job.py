"""A job is one call of a function in a thread or process; its outcome is the result of that call.

Both are plain data, which are sent between processes. `perform` makes the call in the calling thread.
"""

import time
import traceback
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from antemill.engine.errors import AntemillError, ExecutionError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Job(Generic[T]):
    """The call `function(seed, *args)`, to be made in any thread or process.

    For processes the function must be importable: it is defined at the top level of a module other than `__main__`, and
    its arguments and its result must pickle. The result may depend only on the seed and the arguments.
    """

    key: Hashable  # the name of the job and of its outcome
    seed: int
    function: Callable[..., T]
    args: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """The outcome of a job.

    value: the function's result; None after a failure. error: one sentence about the failure, or "". seconds: the
    duration of the call. trace: the traceback, if the function raised an exception. cause: that exception, if it is one
    of ours.
    """

    key: Hashable
    value: T | None = None
    error: str = ""
    seconds: float = 0.0
    trace: str = ""
    cause: AntemillError | None = None

    @property
    def ok(self) -> bool:
        """Whether the function returned, so that `value` holds its result."""
        return not self.error

    def unwrap(self) -> T:
        """The value. Raises ExecutionError, which names the job and the failure, if there is none."""
        if not self.ok:
            raise ExecutionError(f"job {self.key} failed: {self.error}")
        return cast(T, self.value)


def perform(job: Job[T]) -> Outcome[T]:
    """Call the job's function in this thread; returns the outcome. Only a KeyboardInterrupt is passed on."""
    start = time.perf_counter()
    try:
        return Outcome(job.key, job.function(job.seed, *job.args), "", time.perf_counter() - start)
    except MemoryError:
        return Outcome(job.key, None, "there was not enough memory.", time.perf_counter() - start)
    except (Exception, SystemExit) as error:
        return failed(job.key, error, time.perf_counter() - start)


def failed(key: Hashable, error: BaseException, seconds: float = 0.0) -> Outcome[Any]:
    """The outcome of a job that raised an exception."""
    ours = error if isinstance(error, AntemillError) else None
    trace = "".join(traceback.format_exception(error))
    return Outcome(key, None, sentence(error), seconds, trace, ours)


def sentence(error: BaseException) -> str:
    """An exception as one line: the message of an AntemillError, or the type and first line of any other."""
    if isinstance(error, AntemillError):
        return str(error)
    first = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
