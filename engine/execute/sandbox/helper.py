"""A helper process: another Python that runs our code and answers requests, one at a time.

It starts without this process's environment, descriptors and site packages (unless `site` is set). Empty packages
replace the packages above its own, so that a fork server holds only what it needs. When memory runs out, the kernel
kills the helper, or its forks, before this process.
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from antemill.engine.errors import ExecutionError
from antemill.engine.execute.sandbox import wire
from antemill.engine.execute.sandbox.request import READY, Request

STARTING = 120.0  # seconds
DYING = 5.0  # seconds to wait for the end of a process that has closed its pipe
_HERE = Path(__file__).resolve().parent
_PARENTS = {
    "antemill": _HERE.parents[2],
    "antemill.engine": _HERE.parents[1],
    "antemill.engine.execute": _HERE.parent,
    "antemill.engine.execute.sandbox": _HERE,
}
_BOOT = """
import contextlib, importlib, sys, types
with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
    file.write("900")
module, *packages = sys.argv[1].split("|")
for line in packages:
    name, _, path = line.partition("=")
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [path]
sys.argv[1:2] = []
importlib.import_module(module).main()
"""
_KEPT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "SYSTEMROOT")


class StartLostError(ExecutionError):
    """A helper was killed, stopped or late while it started. Starting it again may help."""


class Helper:
    """A running helper. Any thread may call `kill`, one thread the other methods.

    Raises StartLostError if it is killed, stopped or late while it starts; ExecutionError if it fails by itself, or
    finds that it cannot protect this machine.
    """

    def __init__(
        self,
        module: str,
        arguments: Sequence[str] = (),
        seed: int = 0,
        site: bool = False,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        packages = "|".join([module, *(f"{name}={path}" for name, path in _PARENTS.items())])
        flags = ["-s", "-P", "-B", *(() if site else ("-S",))]
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes]
        self.requests, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, *flags, "-c", _BOOT, packages, *arguments],
                stdin=theirs.fileno(),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={"PYTHONHASHSEED": str(seed), "TZ": "UTC0", "LC_ALL": "C.UTF-8", **(settings or {})} | kept,
                cwd="/",
                start_new_session=True,
            )
        assert self._process.stdout is not None
        self.answers = self._process.stdout.fileno()
        self.requests.setblocking(False)
        self.python = self._greeted(module)  # the version and build of the Python that runs judged code

    def _greeted(self, module: str) -> str:
        try:
            word, text = wire.receive(self.answers, time.monotonic() + STARTING)
        except (wire.WireError, ValueError) as error:
            if not isinstance(error, wire.LateError):
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(DYING)
            lost = (self._process.poll() or -1) < 0  # a signal has ended it, or it has not ended
            message = f"the sandbox's helper process {module} does not start ({error}; {self.end()})."
            raise (StartLostError if lost else ExecutionError)(message) from error
        if word != READY:
            self.close()
            raise ExecutionError(text.decode(errors="replace"))
        return text.decode(errors="replace")

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def alive(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    def call(self, request: Request, seconds: float) -> list[bytes]:
        """Send a request and wait for its answer: how the stage ended, its message, its seconds.

        Raises WireError if there is no answer within `seconds`; the helper cannot be used afterwards.
        """
        deadline = time.monotonic() + seconds
        wire.send(self.requests.fileno(), request.fields(), deadline)
        return wire.receive(self.answers, deadline)

    def kill(self) -> None:
        """Kill it."""
        with self._lock:
            self._process.kill()

    def close(self) -> None:
        """Kill it and release everything."""
        self.kill()
        self._process.wait()
        self.requests.close()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def end(self) -> str:
        """Close it. Returns in words how it had ended before, or that it was stopped or too slow."""
        code = self._process.poll()
        self.close()
        if code is None:
            return "it was stopped or too slow"
        return f"it was killed by {signal.Signals(-code).name}" if code < 0 else f"it ended with exit code {code}"
