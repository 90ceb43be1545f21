"""A server as its client sees it: it is started by its own exec, gets one request at a time, and is replaced when lost.

It starts without this process's environment, descriptors and site packages. Empty packages replace the packages above
the sandbox, so that it holds only what it needs. When memory runs out, the kernel kills its runs first, then the
server, before this process.
"""

import contextlib
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from antemill.engine.errors import ExecutionError
from antemill.engine.execute.sandbox import boot, conditions
from antemill.engine.execute.sandbox.contract import LostError

STARTING = 120.0  # seconds
PATIENCE = 10.0  # seconds after a run's own limit until its server counts as lost
TRIES = 2  # of a run whose server is lost, and of starting a server
DYING = 5.0  # seconds to wait for the end of a server that has closed its socket
_HERE = Path(__file__).resolve().parent
_PACKAGES = ("antemill", "antemill.engine", "antemill.engine.execute", "antemill.engine.execute.sandbox")
_BOOT = """
import sys
bare = set(sys.modules)
import types
for name in sys.argv[5:]:
    sys.modules[name] = types.ModuleType(name)
sys.modules[name].__path__ = [sys.argv[4]]
from antemill.engine.execute.sandbox import boot
exec(*boot.serve(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], bare))
"""


class _GoneError(Exception):
    """A server does not answer in time, or is gone."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a run. how: one of `boot`'s ends."""

    how: bytes
    status: int  # its exit code, or the negative number of a signal
    reason: str
    seconds: float
    output: bytes  # at most one byte more than asked for
    answer: bytes
    python: str  # the version and build of its interpreter, as in sys.version


class _Server:
    """A running server. Raises ExecutionError if it finds that it cannot protect this machine."""

    def __init__(self, number: int) -> None:
        row = conditions.ROWS[number % conditions.PUZZLES]
        self._folder = tempfile.mkdtemp(prefix="antemill-")
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        kept = {name: value for name, value in os.environ.items() if name == "LD_LIBRARY_PATH"}
        arguments = [str(theirs.fileno()), str(number), self._folder, str(_HERE), *_PACKAGES]
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-s", "-P", "-B", "-S", "-c", _BOOT, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=row.environ | kept,
                cwd="/",
                start_new_session=True,
                pass_fds=[theirs.fileno()],
            )
        self._socket, self.hung_up = ours, False
        try:
            word = self._receive(time.monotonic() + STARTING)
        except _GoneError as error:
            raise _GoneError(self.close(DYING if self.hung_up else 0.0)) from error
        if word[:1] != boot.READY:
            self.close()
            raise ExecutionError(word[1:].decode(errors="replace"))
        self.python = word[1:].decode(errors="replace")

    @property
    def pid(self) -> int:
        return self._process.pid

    def alive(self) -> bool:
        return self._process.poll() is None

    def call(self, head: bytes, descriptors: list[int], seconds: float) -> bytes:
        """Send a request and wait for its answer. Raises _GoneError if there is none within `seconds`."""
        try:
            socket.send_fds(self._socket, [head], descriptors)
        except OSError as error:
            self.hung_up = True
            raise _GoneError(str(error)) from error
        return self._receive(time.monotonic() + seconds)

    def _receive(self, deadline: float) -> bytes:
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise _GoneError("it does not answer")
        with contextlib.suppress(OSError):
            if data := self._socket.recv(4096):
                return data
        self.hung_up = True
        raise _GoneError("it is gone")

    def kill(self) -> None:
        self._process.kill()

    def close(self, patience: float = 0.0) -> str:
        """End it, with its run. Returns how it had ended before, or that it was stopped or too slow."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        code = self._process.poll()
        self._process.kill()
        self._process.wait()
        self._socket.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        if code is None:
            return "it was stopped or too slow"
        return f"it was killed by {signal.Signals(-code).name}" if code < 0 else f"it ended with exit code {code}"


class Worker:
    """Runs one stage at a time. Any thread may call `kill`, one thread the other methods.

    Its servers, one for each row of conditions, start when they are needed, and again after a loss.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # guards the two below
        self._servers: dict[int, _Server] = {}
        self._kills = 0

    def run(
        self,
        row: int,
        stage: str,
        texts: list[bytes],
        stdin: bytes,
        seconds: float,
        memory: int,
        size: int,
        output: int,
    ) -> Ran:
        """Run a stage on the server of a row for at most `seconds`, with `memory` bytes, files of at most `size` bytes,
        and of its output at most `output` + 1.

        Judged code never makes it raise. Raises LostError if its server is lost every time; ExecutionError if this
        machine cannot be protected.
        """
        lengths = [*map(len, texts), 0, 0, 0, 0][:4]
        head = boot.HEAD.pack(boot.STAGES.index(stage), seconds, memory, size, *lengths)
        kills, reason = self._kills, ""
        for left in reversed(range(TRIES)):
            server = self._server(row)
            with contextlib.ExitStack() as opened:
                given = [_file(opened, data) for data in (b"".join(texts), stdin, b"", b"")]
                try:
                    done = server.call(head, given, seconds + PATIENCE)
                    how, status, took = boot.DONE.unpack(done[: boot.DONE.size])
                    reason = done[boot.DONE.size :].decode(errors="replace")
                    if how == boot.KILLED and not left:  # twice: it takes more memory than the machine has
                        how = boot.ENDED
                    if how not in (boot.LOST, boot.KILLED) and self._kills == kills:
                        printed, answer = os.pread(given[2], output + 1, 0), os.pread(given[3], size, 0)
                        return Ran(how, status, reason, took, printed, answer, server.python)
                except _GoneError as error:
                    reason = f"its server is lost: {self._drop(row) or error}"
            if self._kills != kills:
                return Ran(boot.ENDED, -signal.SIGKILL, "its server is gone", 0.0, b"", b"", "")
        raise LostError(f"a check could not be judged, {TRIES} times: {reason}.")

    def _server(self, row: int) -> _Server:
        with self._lock:
            found = self._servers.get(row)
        if found is not None and found.alive():
            return found
        self._drop(row)
        for left in reversed(range(TRIES)):
            try:
                started = _Server(row)
                break
            except _GoneError as error:
                if not left:
                    raise LostError(f"a check could not be judged: its server does not start ({error}).") from error
        with self._lock:
            self._servers[row] = started
        return started

    def _drop(self, row: int) -> str:
        """Release a server; returns how it had ended, if there was one."""
        with self._lock:
            gone = self._servers.pop(row, None)
        return gone.close(DYING if gone.hung_up else 0.0) if gone is not None else ""

    def pids(self) -> list[int]:
        """The process ids of the servers."""
        with self._lock:
            return [server.pid for server in self._servers.values()]

    def kill(self) -> None:
        """End what is running; the next call starts new servers."""
        with self._lock:
            self._kills += 1
            for server in self._servers.values():
                server.kill()

    def close(self) -> None:
        """Release the servers."""
        for row in list(self._servers):
            self._drop(row)


def _file(opened: contextlib.ExitStack, data: bytes) -> int:
    """A new file in memory with this content, at its beginning."""
    descriptor = os.memfd_create("antemill")
    opened.callback(os.close, descriptor)
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
    if data:
        os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
