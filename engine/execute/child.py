"""A worker process as its parent sees it: how it is started, spoken to and ended. `worker` is what runs inside.

On Linux workers are forked from a server that has imported the `preload` modules once (the forkserver of
multiprocessing), so that a new worker takes milliseconds and shares their memory. There is one server per program, with
the modules of the first pool; a worker imports by itself what the server lacks. On other systems every worker is
started afresh (spawn) and imports everything by itself. Workers do not import the caller's `__main__`. They end when
this process ends, at once unless a kernel holds the GIL.

Whenever multiprocessing starts a process it also looks after all others that it has started, without a lock. Therefore
there is a lock here.
"""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, SpawnContext
from types import ModuleType

from antemill.engine.execute.worker import serve

LEAVING = 0.5  # seconds that an idle worker has to exit by itself
_children = threading.RLock()


class Child:
    """A worker process and our end of its connection. Any thread may call `kill`, one thread all the rest."""

    def __init__(self, preload: tuple[str, ...], afresh: bool = False) -> None:
        """afresh: without the server, which is then still free to begin with other modules."""
        self.connection: Connection
        self.connection, theirs = multiprocessing.Pipe()
        with theirs, _children, _without_main(), _without_ctrl_c():
            self._process = _context(preload, afresh).Process(target=serve, args=(theirs, preload), daemon=True)
            self._process.start()
        self.pid = self._process.pid

    def alive(self) -> bool:
        """Whether the process still runs."""
        with _children:
            return self._process.is_alive()

    def kill(self) -> None:
        """Kill the process and all that it has started. If it is gone already, this has no effect."""
        with _children, suppress(ValueError):  # a ValueError: it is closed
            pid, alive = self._process.pid, self._process.is_alive()
            assert pid is not None
            with suppress(ProcessLookupError, PermissionError):  # so young, or so dead, that it leads no group
                os.killpg(pid, signal.SIGKILL)
            if alive:
                self._process.kill()

    def end(self, patience: float) -> str:
        """Close the connection, kill the process unless it ends within `patience` seconds, and return how it ended."""
        self.connection.close()
        wait([self._process.sentinel], patience)
        self.kill()
        wait([self._process.sentinel])
        with _children:
            self._process.join()
            code = self._process.exitcode
            self._process.close()
        if code is not None and code < 0:
            return f"killed by {signal.Signals(-code).name}"
        return f"exit code {code}"


def start_server(preload: tuple[str, ...]) -> None:
    """Begin to load what workers share, beside what this process does until it has jobs; without a server, nothing.

    preload: the modules, as of the first pool later on.
    """
    if sys.platform == "linux":
        from multiprocessing.forkserver import ensure_running

        with _children, _without_main(), _without_ctrl_c():
            _context(preload, afresh=False)
            ensure_running()


def _context(preload: tuple[str, ...], afresh: bool) -> ForkServerContext | SpawnContext:
    if afresh or sys.platform != "linux":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["antemill.engine.execute.worker", *preload])
    return context


@contextmanager
def _without_main() -> Iterator[None]:
    """Keep multiprocessing from importing the caller's script into the worker: slow, and endless if it has no guard."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Keep Ctrl-C from what is started: until it ignores that by itself, it would answer with a traceback of its own.

    It inherits that SIGINT is blocked. What reaches this process meanwhile comes when the block ends.
    """
    resource_tracker.ensure_running()  # first, since starting it lets SIGINT through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
