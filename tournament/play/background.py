"""The work of a house: tasks of its event loop, and one thread for slow work."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar, cast

from antemill.engine.errors import AntemillError, UsageError
from antemill.engine.execute import Executor, Job
from antemill.llm import LLMError

T = TypeVar("T")


class Work:
    """Tasks and the thread. `close` ends them."""

    def __init__(self) -> None:
        self._threads = Executor("threads", 1)
        self._tasks: set[asyncio.Task[None]] = set()

    async def aside(self, work: Callable[[], T]) -> T:
        """Run `work` in the thread. Raises UsageError with the message of what `work` raised."""
        job = asyncio.wrap_future(self._threads.submit(Job("play", 0, _call, (work,))))
        outcome = await asyncio.shield(job)  # work in the thread runs to its end
        if not outcome.ok:
            raise UsageError(outcome.error)
        return cast(T, outcome.value)

    def start(
        self, work: Coroutine[Any, Any, None], failed: Callable[[str], Coroutine[Any, Any, None]]
    ) -> asyncio.Task[None]:
        """Start a task. failed: called with a sentence if it fails."""

        async def guarded() -> None:
            try:
                await work
            except (AntemillError, LLMError) as error:
                await failed(f"{str(error).rstrip('.')}.")
            except Exception as error:  # a bug: the page must say that the table has stopped
                traceback.print_exc()
                await failed(f"antemill itself failed ({type(error).__name__}: {error}).")

        task = asyncio.create_task(guarded())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: work.close())  # the task may end before its coroutine has begun
        return task

    async def close(self) -> None:
        """End all tasks."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._threads.close()


def _call(_seed: int, work: Callable[[], Any]) -> Any:
    return work()
