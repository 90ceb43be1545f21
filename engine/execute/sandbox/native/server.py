"""The fork server: a clean, single-threaded Python that has imported everything, and forks once for every stage.

The fork gives up what it can (see `confine`), runs the stage, writes one message into a pipe and ends with exit code 0;
whatever else happens, the stage has no answer. The server waits at most until the deadline, then kills the fork. What
the message says is for the client to judge, who alone keeps the stage's `answers`: the fork takes its own out of their
list, and the server is done with them. It dies with its client: when that closes the pipe of requests.
"""

import contextlib
import gc
import os
import select
import signal
import time

from engine.execute.sandbox import wire
from engine.execute.sandbox.inside import world
from engine.execute.sandbox.inside.stages import STAGES, Bounds
from engine.execute.sandbox.native import library
from engine.execute.sandbox.request import ANSWERED, DEAD, SLOW, Request

_monotonic, _sleep = time.monotonic, time.sleep  # the real ones, before they are frozen
_PAGE = os.sysconf("SC_PAGE_SIZE")
LINGER = 1.0  # seconds for a fork that has answered to be gone
RESULT = 3  # the fork's one descriptor beside /dev/null


def _block() -> None:
    while True:
        _sleep(3600)


class Server:
    """Everything that a fork inherits, and the loop."""

    def __init__(self) -> None:
        self._requests, self._answers = os.dup(0), os.dup(1)
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        os.close(null)
        from engine.execute.sandbox.native.confine import Confinement  # not to be left in this module

        self._confinement: Confinement | None = Confinement()
        self._pid = os.getpid()
        self._statm = os.open("/proc/self/statm", os.O_RDONLY)
        self._clock = world.freeze(_block)
        library.close(library.take_in(), "engine")
        world.seed()
        os.environ.clear()

    def serve(self) -> None:
        """Answer requests until nobody asks any more."""
        gc.collect()
        gc.freeze()
        with contextlib.suppress(wire.WireError):
            wire.send(self._answers, [b"ready"])
            while True:
                request = Request.of(wire.receive(self._requests))
                start = _monotonic()
                answer = self._perform(request, start + request.seconds)
                wire.send(self._answers, [*answer, repr(_monotonic() - start).encode()])

    def _perform(self, request: Request, deadline: float) -> tuple[bytes, bytes]:
        """How the stage ended, and its message."""
        space = int(os.pread(self._statm, 100, 0).split()[0]) * _PAGE + request.memory
        result, theirs = os.pipe()
        pid = os.fork()
        if pid == 0:
            self._fork(request, theirs, space)
        os.close(theirs)
        try:
            message, in_time = self._read(result, request.longest, deadline)
            return _answer(pid, message, in_time, len(message) <= request.longest)
        finally:
            os.close(result)

    def _read(self, result: int, longest: int, deadline: float) -> tuple[bytes, bool]:
        """What the fork wrote until it closed the pipe, and whether it did so before the deadline."""
        message = bytearray()
        poll = select.poll()
        poll.register(result, select.POLLIN)
        poll.register(self._requests, 0)  # reports when our client is gone
        while len(message) <= longest:
            ready = dict(poll.poll(max(0.0, deadline - _monotonic()) * 1000))
            if result not in ready:
                return bytes(message), bool(ready)
            chunk = os.read(result, 1 << 20)
            if not chunk:
                break
            message += chunk
        return bytes(message), True

    def _fork(self, request: Request, theirs: int, space: int) -> None:
        """The life of a fork. From `enter` on, no reference to what confines it is left, nor to the means."""
        try:
            os.setsid()
            os.dup2(theirs, RESULT)
            os.closerange(RESULT + 1, os.sysconf("SC_OPEN_MAX"))
            self._clock.patience = request.seconds
            bounds = Bounds(request.output, request.value, request.seconds)
            stage, first, second, answers = STAGES[request.stage], request.first, request.second, request.answers
            write, leave, message = os.write, os._exit, b"EMemoryError: not enough memory for the answer"
            confinement, self._confinement = self._confinement, None
            assert confinement is not None
            confinement.enter(space, int(request.seconds) + 2, self._pid)
            del confinement
            try:
                leave(write(RESULT, stage(first, second, answers, bounds)) < 1)
            except MemoryError:
                leave(write(RESULT, message) < 1)
        finally:
            os._exit(1)


def _answer(pid: int, message: bytes, in_time: bool, fits: bool) -> tuple[bytes, bytes]:
    """How the stage ended, and its message, or how the fork died without one. What goes on, or talks on, is killed."""
    status = _end(pid, LINGER if in_time and fits else 0.0)
    if not in_time or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU):
        return SLOW, b""
    return (ANSWERED, message) if status == 0 and message and fits else (DEAD, _manner(status).encode())


def _end(pid: int, patience: float) -> int:
    """Wait for the fork, kill it if it does not go; returns its status."""
    handle = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        if not poll.poll(patience * 1000):
            os.kill(pid, signal.SIGKILL)
        return os.waitpid(pid, 0)[1]
    finally:
        os.close(handle)


def _manner(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"its process was killed by {signal.Signals(os.WTERMSIG(status)).name}"
    return "its process ended by itself without an answer"


def main() -> None:
    """The server's whole life."""
    Server().serve()
