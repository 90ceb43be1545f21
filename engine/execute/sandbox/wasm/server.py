"""A worker of the WebAssembly backend: every stage gets a new instance of the guest, which is used once.

The guest has no imports: it can only compute and return bytes. Fuel and the clock limit its time, the store its memory.
On Linux its process also gives up its rights, as the native backend's forks do, so that a guest that breaks out of
WebAssembly gains nothing. Imports wasmtime, and only those modules of ours that use the standard library alone.
"""

import contextlib
import os
import sys
import threading
import time
from typing import Any

from antemill.engine.execute.sandbox import wire
from antemill.engine.execute.sandbox.request import ANSWERED, DEAD, DENIED, READY, SLOW, Request
from antemill.engine.execute.sandbox.wasm.engine import FUEL, make_engine

TICK = 0.02  # seconds of an epoch
BARE = 48 << 20  # bytes of memory that the interpreter uses before it runs a stage


class Server:
    """The guest, and the loop."""

    def __init__(self, path: str) -> None:
        from wasmtime import component

        self._requests, self._answers = os.dup(0), os.dup(1)
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        self._engine = make_engine()
        self._component = component.Component.deserialize_file(self._engine, path)
        self._linker = component.Linker(self._engine)  # nothing is added: the guest has no imports
        threading.Thread(target=self._tick, daemon=True).start()

    def _tick(self) -> None:
        while True:
            time.sleep(TICK)
            self._engine.increment_epoch()

    def serve(self) -> None:
        # The first stage loads everything, before the process gives up its rights.
        how, python = self._stage(Request("about", b"", b"", 60.0, 64 << 20, 1000, 1000, []))
        with contextlib.suppress(wire.WireError):
            if how != ANSWERED:
                wire.send(self._answers, [DENIED, b"the wasm sandbox's guest does not run: " + python + b"."])
                return
            try:
                self._confine()
            except OSError as error:
                advice = "allow it in the container's security profile, or use the native sandbox"
                wire.send(self._answers, [DENIED, f"{error.strerror}: {advice}.".encode()])
                return
            wire.send(self._answers, [READY, python])
            while True:
                request = Request.of(wire.receive(self._requests))
                start = time.monotonic()
                answer = self._stage(request)
                wire.send(self._answers, [*answer, repr(time.monotonic() - start).encode()])

    def _confine(self) -> None:
        if sys.platform != "linux":
            return
        from antemill.engine.execute.sandbox.native.confine import MACHINES, Confinement

        if os.uname().machine in MACHINES:
            Confinement().enter(None, None, ours=True)

    def _stage(self, request: Request) -> tuple[bytes, bytes]:
        """How the stage ended, and its message."""
        from wasmtime import Store, Trap, WasmtimeError

        fuel = int(request.seconds * FUEL)
        store = Store(self._engine)
        store.set_limits(memory_size=BARE + request.memory)
        store.set_epoch_deadline(max(1, round(request.seconds / TICK)))
        store.set_fuel(fuel)
        try:
            instance: Any = self._linker.instantiate(store, self._component)
            stage = instance.get_func(store, "stage")
            bounds = (request.output, request.value, request.seconds)
            message = bytes(stage(store, request.stage, request.first, request.second, request.answers, *bounds))
        except (Trap, WasmtimeError) as error:
            return _stopped(str(error), store.get_fuel())
        return (ANSWERED, message) if 0 < len(message) <= request.longest else (DEAD, b"its message is too long")


def _stopped(message: str, fuel: int) -> tuple[bytes, bytes]:
    """The end of an instance: too late, or dead, with the reason."""
    if fuel == 0 or "interrupt" in message or "fuel" in message:
        return SLOW, b""
    line = message.strip().splitlines()[-1].strip() if message.strip() else "no reason given"
    return DEAD, f"its instance died ({line})".encode()


def main() -> None:
    """The main function of the worker."""
    Server(sys.argv[1]).serve()
