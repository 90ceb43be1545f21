"""A worker process from the near side: start it, talk to it, end it.

Linux forks workers from a server that has imported the `preload` modules once (multiprocessing's forkserver: a new
worker costs milliseconds and shares their memory); elsewhere each is started afresh (spawn) and imports them itself. So
it does for what the server lacks: there is one server per program, and it has the modules of the first pool. Workers do
not import the caller's `__main__`, and they end when this process does, at once unless a kernel holds the GIL.

multiprocessing looks after all of its children whenever one is started, and takes no lock for it: hence ours.
"""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, SpawnContext
from types import ModuleType

from engine.execute.worker import serve

LEAVING = 0.5  # seconds that an idle worker has to exit by itself
_children = threading.RLock()


class Child:
    """A worker process and our end of its connection. `kill` may be called by any thread, the rest by one."""

    def __init__(self, preload: tuple[str, ...]) -> None:
        self.connection: Connection
        self.connection, theirs = multiprocessing.Pipe()
        with theirs, _children, _without_main():
            self._process = _context(preload).Process(target=serve, args=(theirs, preload), daemon=True)
            self._process.start()
        self.pid = self._process.pid

    def alive(self) -> bool:
        """Whether it still runs."""
        with _children:
            return self._process.is_alive()

    def kill(self) -> None:
        """Kill it and whatever it has started. Without effect when it is gone."""
        with _children, suppress(ValueError):  # a ValueError: it is closed
            pid, alive = self._process.pid, self._process.is_alive()
            assert pid is not None
            with suppress(ProcessLookupError, PermissionError):  # so young, or so dead, that it leads no group
                os.killpg(pid, signal.SIGKILL)
            if alive:
                self._process.kill()

    def end(self, patience: float) -> str:
        """Hang up, kill it if it is not gone after `patience` seconds, and release everything; returns how it ended."""
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


def _context(preload: tuple[str, ...]) -> ForkServerContext | SpawnContext:
    if sys.platform != "linux":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["engine.execute.worker", *preload])
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
