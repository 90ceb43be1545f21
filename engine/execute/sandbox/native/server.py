"""The fork server: a clean, single-threaded Python that has imported everything, and forks once for every stage.

The fork gives up its rights (see `confine`), reads the texts of the request, runs the stage, writes one message into a
pipe and ends with exit code 0. In all other cases the stage has no answer. The server waits until the deadline, then
kills the fork. It never holds the texts or the message, but passes on the descriptors of both, so a fork inherits
nothing from earlier requests. The server ends when its client closes the socket of requests.
"""

import contextlib
import fcntl
import os
import select
import signal
import socket
import sys
import time

from antemill.engine.execute.sandbox import wire
from antemill.engine.execute.sandbox.inside.stages import STAGES, Bounds, prepare
from antemill.engine.execute.sandbox.inside.world import freezing, machines
from antemill.engine.execute.sandbox.native import library
from antemill.engine.execute.sandbox.request import ANSWERED, DEAD, DENIED, LOST, READY, SLOW, Head

_monotonic = time.monotonic  # the real one, before it is frozen
_PAGE = os.sysconf("SC_PAGE_SIZE")
LINGER = 1.0  # seconds that a fork has to end after its answer
LATE = 2.0  # a server that wakes so many seconds after a deadline must have been stopped itself
RESULT, TEXTS = 3, 4  # a fork's descriptors besides /dev/null; the second is closed before judged code runs
_ABOVE = 16  # the lowest number under which they are kept until they get these numbers


def _block() -> None:
    import _thread

    forever = _thread.allocate_lock()
    forever.acquire()
    forever.acquire()


class Server:
    """The state that a fork inherits, and the loop."""

    def __init__(self, number: int) -> None:
        """number: of its hash seed."""
        self._requests, self._answers = socket.socket(fileno=os.dup(0)), os.dup(1)
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        os.close(null)
        from antemill.engine.execute.sandbox.native.confine import Confinement  # must not be left in this module

        self._confinement: Confinement | None = Confinement()
        self._denied = _trial(self._confinement)
        self._pid = os.getpid()
        self._statm = os.open("/proc/self/statm", os.O_RDONLY)
        self._clock = freezing.freeze(_block)
        taken = library.take_in()
        from antemill.engine.execute.sandbox.native import slots  # must not be left here either

        slots.write(number)
        library.close(taken, "antemill")
        machines.settle(number, prepare)

    def serve(self) -> None:
        """Answer requests until the client closes the socket."""
        with contextlib.suppress(wire.WireError, OSError):
            if self._denied:
                wire.send(self._answers, [DENIED, self._denied.encode()])
                return
            wire.send(self._answers, [READY, sys.version.encode()])
            while True:
                data, descriptors, _, _ = socket.recv_fds(self._requests, Head.SIZE, 2)
                if len(data) != Head.SIZE:
                    return
                wire.send(self._answers, self._perform(Head.of(data), *descriptors))

    def _perform(self, head: Head, texts: int, result: int) -> list[bytes]:
        """How the stage ended, why, and its seconds."""
        start = _monotonic()
        space = int(os.pread(self._statm, 100, 0).split()[0]) * _PAGE + head.memory
        try:
            pid = os.fork()
        except OSError as error:
            pid = -1
            failure = f"no process could be forked ({error.strerror})"
        if pid == 0:
            self._fork(head, texts, result, space)
        os.close(texts)
        os.close(result)
        how, reason = self._end(pid, start + head.seconds) if pid > 0 else (LOST, failure)
        if pid < 0:
            self._heard()
        return [how, reason.encode(), repr(_monotonic() - start).encode()]

    def _fork(self, head: Head, texts: int, result: int, space: int) -> None:
        """The main function of a fork. After `enter` no reference to its confinement, or to its means, is left."""
        try:
            os.setsid()
            with contextlib.suppress(OSError):
                os.write(os.open("/proc/self/oom_score_adj", os.O_WRONLY), b"1000")  # closed with the others
            held = [fcntl.fcntl(each, fcntl.F_DUPFD, _ABOVE) for each in (result, texts)]
            for each, number in zip(held, (RESULT, TEXTS), strict=True):
                os.dup2(each, number)
            os.closerange(TEXTS + 1, os.sysconf("SC_OPEN_MAX"))
            self._clock.patience = head.seconds
            bounds = Bounds(head.output, head.value, head.seconds)
            stage, write, leave, message = STAGES[head.stage], os.write, os._exit, b"EMemoryError: not enough memory"
            confinement, self._confinement = self._confinement, None
            assert confinement is not None
            confinement.enter(space, int(head.seconds) + 2, self._pid)
            del confinement
            try:
                first, second, *answers = _read(head.sizes)
                leave(write(RESULT, stage(first, second, answers, bounds)) < 1)
            except MemoryError:
                leave(write(RESULT, message) < 1)
        finally:
            os._exit(1)

    def _end(self, pid: int, deadline: float) -> tuple[bytes, str]:
        """Wait for the fork until the deadline, or until the client has read enough, and kill it if it has not ended.

        Returns how it ended, and why.
        """
        handle, heard, killed, now = os.pidfd_open(pid), False, False, _monotonic()
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        poll.register(self._requests, select.POLLIN)
        try:
            while (ready := dict(poll.poll(max(0.0, deadline - now) * 1000))) and handle not in ready:
                heard, now = self._heard(), _monotonic()
                poll.unregister(self._requests)
                deadline = min(deadline, now + LINGER)
            late = _monotonic() - deadline
            if handle not in ready:
                killed, stopped = True, _state(pid) == "T"
                os.kill(pid, signal.SIGKILL)
            status = os.waitpid(pid, 0)[1]
        finally:
            os.close(handle)
            if not heard:
                self._heard()
        if killed and (stopped or late > LATE):
            return LOST, "its process was stopped"
        return _manner(status, killed and not heard, killed)

    def _heard(self) -> bool:
        """Receive the client's message that it has read enough. Ends this process if the client is gone."""
        if not self._requests.recv(1):
            os._exit(0)
        return True


def _read(sizes: tuple[int, ...]) -> list[bytes]:
    """The texts of the request; they cannot be read a second time."""
    texts = []
    for size in sizes:
        text = bytearray()
        while len(text) < size:
            text += os.read(TEXTS, size - len(text))
        texts.append(bytes(text))
    os.close(TEXTS)
    return texts


def _state(pid: int) -> str:
    """A process's state as one letter: T if it is stopped."""
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]


def _manner(status: int, late: bool, killed: bool) -> tuple[bytes, str]:
    """The meaning of a fork's status. killed: by this server. late: because its time was over."""
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if late or number == signal.SIGXCPU:
        return SLOW, ""
    if number == signal.SIGKILL and not killed:  # a fork cannot send this signal itself
        return LOST, "its process was killed by SIGKILL, from outside or for lack of memory"
    if number:
        return DEAD, f"its process was killed by {signal.Signals(number).name}"
    return (DEAD, "its process ended by itself without an answer") if status else (ANSWERED, "")


def _trial(confinement: object) -> str:
    """Try whether a fork can give up its rights on this machine: "", or a sentence on what the kernel denies."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            confinement.enter(1 << 40, 10, os.getppid())  # type: ignore[attr-defined]
        except BaseException as error:
            os.write(writing, str(error.strerror if isinstance(error, OSError) else repr(error)).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as file:
        said = file.read().decode(errors="replace")
    os.waitpid(pid, 0)
    advice = "allow it in the container's security profile, or use the wasm sandbox"
    return f"{said}: {advice}." if said else ""


def main() -> None:
    """The main function of the server."""
    Server(int(sys.argv[1])).serve()
