"""A worker process as its parent sees it: start, connection and end. The module `worker` runs inside of it.

On Linux workers are forked from a server that has imported the `preload` modules once (the forkserver of
multiprocessing), so that a new worker takes milliseconds and shares their memory. There is one server per program, with
the modules of the first pool; a worker imports all other modules itself. On other systems every worker is a new Python
(spawn) and imports everything itself. Workers do not import the caller's `__main__`. They end with this process,
immediately unless a kernel holds the GIL.

Whenever multiprocessing starts a process, it also checks all others that it has started, without a lock. Therefore this
module has a lock.
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
    """A worker process and this end of its connection. Any thread may call `kill`, one thread the other methods."""

    def __init__(self, preload: tuple[str, ...], afresh: bool = False) -> None:
        """preload: modules that it imports. afresh: not from the server, which can then begin with other modules."""
        self.connection: Connection
        self.connection, theirs = multiprocessing.Pipe()
        with theirs, _children, _without_main(), _without_ctrl_c():
            self._process = _context(preload, afresh).Process(target=serve, args=(theirs, preload), daemon=True)
            self._process.start()
        self.pid = self._process.pid

    def alive(self) -> bool:
        """Whether the process runs."""
        with _children:
            return self._process.is_alive()

    def kill(self) -> None:
        """Kill the process and all that it has started. It has no effect on a process that has ended."""
        with _children, suppress(ValueError):  # a ValueError: it is closed
            pid, alive = self._process.pid, self._process.is_alive()
            assert pid is not None
            with suppress(ProcessLookupError, PermissionError):  # it does not lead its group yet, or has ended
                os.killpg(pid, signal.SIGKILL)
            if alive:
                self._process.kill()

    def end(self, patience: float) -> str:
        """Close the connection, kill the process unless it ends within `patience` seconds; returns how it ended."""
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
    """Start the server of workers, so that it imports its modules while this process prepares jobs.

    On systems without the server it has no effect. preload: the modules, the same as for the first pool.
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
    """Keep multiprocessing from importing the caller's script into the worker, which may be slow or never end."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Keep Ctrl-C from processes started in this block: until they ignore it themselves, they would print a traceback.

    They inherit a blocked SIGINT. A signal to this process is delivered when the block ends.
    """
    resource_tracker.ensure_running()  # first, since starting it lets SIGINT through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
