"""The client's side of the WebAssembly workers."""

from antemill.engine.errors import ExecutionError
from antemill.engine.execute.sandbox.helper import Helper
from antemill.engine.execute.sandbox.helper_worker import HelperWorker
from antemill.engine.execute.sandbox.wasm import guest

_SERVER = "antemill.engine.execute.sandbox.wasm.server"


class WasmBackend:
    """CPython in WebAssembly. Raises ExecutionError if wasmtime or the guest is missing."""

    name = "wasm"

    def __init__(self) -> None:
        guest.require_wasmtime()
        if not (guest.ARCHIVE.exists() and guest.RECORD.exists()):
            raise ExecutionError("the wasm sandbox's guest is missing: install antemill again.")

    def worker(self) -> HelperWorker:
        return HelperWorker(lambda seed: Helper(_SERVER, [str(guest.compiled(seed))], site=True))
