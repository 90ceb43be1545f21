"""A helper process: another Python of ours that answers requests, one at a time.

It starts without our environment, our descriptors, our site packages (unless it asks for them) and without the modules
of the packages above its own: those are replaced by empty ones, so that a fork server holds nothing but what it needs.
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from engine.errors import ExecutionError
from engine.execute.sandbox import wire

STARTING = 120.0  # seconds
_HERE = Path(__file__).resolve().parent
_PARENTS = {"engine": _HERE.parent.parent, "engine.execute": _HERE.parent, "engine.execute.sandbox": _HERE}
_BOOT = """
import importlib, sys, types
module, *packages = sys.argv[1].split("|")
for line in packages:
    name, _, path = line.partition("=")
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [path]
sys.argv[1:2] = []
importlib.import_module(module).main()
"""
_KEPT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "SYSTEMROOT")


class Helper:
    """A running helper. `kill` may be called by any thread, the rest by one.

    Raises ExecutionError if it does not come up.
    """

    def __init__(self, module: str, arguments: Sequence[str] = (), seed: int = 0, site: bool = False) -> None:
        packages = "|".join([module, *(f"{name}={path}" for name, path in _PARENTS.items())])
        flags = ["-s", "-P", "-B", "-X", "utf8", *(() if site else ("-S",))]
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, *flags, "-c", _BOOT, packages, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PYTHONHASHSEED": str(seed), "TZ": "UTC0", "LC_ALL": "C.UTF-8"} | kept,
            cwd="/",
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests, self._answers = self._process.stdin.fileno(), self._process.stdout.fileno()
        try:
            self.greeting = wire.receive(self._answers, time.monotonic() + STARTING)
        except wire.WireError as error:
            self.close()
            raise ExecutionError(f"the sandbox's helper process {module} does not start: {error}.") from error

    @property
    def pid(self) -> int:
        """Its process number."""
        return self._process.pid

    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def call(self, fields: Sequence[bytes], seconds: float) -> list[bytes]:
        """Send a request and wait for its answer. Raises WireError if there is none; the helper is of no use then."""
        wire.send(self._requests, fields)
        return wire.receive(self._answers, time.monotonic() + seconds)

    def kill(self) -> None:
        """Kill it."""
        with self._lock:
            self._process.kill()

    def close(self) -> None:
        """Kill it and release everything."""
        self.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
