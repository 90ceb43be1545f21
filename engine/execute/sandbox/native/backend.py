"""Our side of the fork servers."""

import platform
import sys

from engine.errors import ExecutionError
from engine.execute.sandbox.native.confine import MACHINES
from engine.execute.sandbox.process import Helper
from engine.execute.sandbox.worker import HelperWorker

_SERVER = "engine.execute.sandbox.native.server"


class NativeBackend:
    """Forks of this machine's Python. Raises ExecutionError where there is no such thing."""

    name = "native"

    def __init__(self) -> None:
        if sys.platform != "linux":
            raise ExecutionError("the native sandbox needs Linux.")
        if platform.machine() not in MACHINES:
            raise ExecutionError(f"the native sandbox knows no system calls of {platform.machine()} machines.")

    def worker(self) -> HelperWorker:
        return HelperWorker(lambda seed: Helper(_SERVER, seed=seed))
