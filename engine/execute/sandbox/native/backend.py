"""The client's side of the fork servers: only the fork gets the texts of a request, and only the client its message."""

import os
import platform
import select
import socket
import sys
import time
from contextlib import ExitStack

from antemill.engine.errors import ExecutionError
from antemill.engine.execute.sandbox import wire
from antemill.engine.execute.sandbox.helper import Helper
from antemill.engine.execute.sandbox.helper_worker import HelperWorker
from antemill.engine.execute.sandbox.native.confine import MACHINES
from antemill.engine.execute.sandbox.request import ANSWERED, DEAD, Request

_SERVER = "antemill.engine.execute.sandbox.native.server"
# A program's second run has another locale. (Without the other settings, Python would replace it by one in UTF-8.)
_LOCALES: tuple[dict[str, str], ...] = ({}, {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"})


class NativeBackend:
    """Forks of this machine's Python. Raises ExecutionError on a machine without them."""

    name = "native"

    def __init__(self) -> None:
        if sys.platform != "linux":
            raise ExecutionError("the native sandbox needs Linux.")
        if platform.machine() not in MACHINES:
            raise ExecutionError(f"the native sandbox does not know the system calls of {platform.machine()} machines.")

    def worker(self) -> HelperWorker:
        return HelperWorker(ForkServer)


class ForkServer(Helper):
    """The server of a hash seed.

    It receives the head of a request and two descriptors: a file with the texts, which only the fork reads, and the end
    of a pipe to which only the fork writes. Its answer says how the fork ended.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(_SERVER, [str(seed)], seed, settings=_LOCALES[seed])

    def call(self, request: Request, seconds: float) -> list[bytes]:
        deadline = time.monotonic() + seconds
        with ExitStack() as opened:
            texts = opened.enter_context(os.fdopen(os.memfd_create("texts"), "wb", 0))
            for text in request.texts:
                texts.write(text)
            texts.seek(0)
            reading, writing = os.pipe()
            opened.callback(os.close, reading)
            try:
                self._send(request.head(), [texts.fileno(), writing], deadline)
            finally:
                os.close(writing)
            message = _read(reading, request.longest, deadline)
            self._send(b".", [], deadline)  # the message is read: the fork may end
        how, reason, took = wire.receive(self.answers, deadline)
        if how != ANSWERED:
            return [how, reason, took]
        fits = 0 < len(message) <= request.longest
        return [ANSWERED, message, took] if fits else [DEAD, b"its process ended without an answer that fits", took]

    def _send(self, data: bytes, descriptors: list[int], deadline: float) -> None:
        try:
            wire.wait(self.requests.fileno(), select.POLLOUT, deadline)
            socket.send_fds(self.requests, [data], descriptors)
        except OSError as error:
            raise wire.WireError(f"it does not listen: {error}") from error


def _read(descriptor: int, longest: int, deadline: float) -> bytes:
    """Read until the pipe is closed, or until there is more than the longest message."""
    message = bytearray()
    while len(message) <= longest:
        wire.wait(descriptor, select.POLLIN, deadline)
        chunk = os.read(descriptor, 1 << 20)
        if not chunk:
            break
        message += chunk
    return bytes(message)
