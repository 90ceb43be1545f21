"""Kernels compiled by another process of low priority, which may outlive the process that asks for them.

A request for a kernel is a file in a folder of the cache, with the kernel's module, its name and the types of its
arguments. One process at a time compiles the requested kernels into the cache, and ends when no file is left.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import subprocess
import sys
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import Any

from antemill.engine.kernel_cache import cache_dir

POLITE = 10  # the increase of the process's niceness


def compile_later(module: str, name: str, signature: tuple[object, ...]) -> None:
    """Have another process compile a kernel for these types. A failure costs only time."""
    with suppress(OSError, pickle.PicklingError):
        data = pickle.dumps((module, name, signature))
        path = _wanted() / blake2b(data, digest_size=16).hexdigest()
        new = path.with_suffix(".new")
        new.write_bytes(data)
        new.replace(path)
        _start()


def main() -> None:
    """Compile the requested kernels, unless another process does."""
    with suppress(OSError), (_wanted().parent / "later.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        while files := [path for path in _wanted().iterdir() if not path.suffix]:
            for path in sorted(files, key=lambda path: path.stat().st_mtime_ns):
                _compile(path)


def _wanted() -> Path:
    folder = cache_dir() / "wanted"
    folder.mkdir(exist_ok=True)
    return folder


@cache
def _start() -> subprocess.Popen[bytes]:
    """Start the compiling process, once: it looks for further files until none is left."""
    # With closed streams and its own session it keeps no pipe open, and no signal to the command reaches it.
    environment = os.environ | {"ANTEMILL_COMPILE": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", "antemill.engine.execute.later"]
    null = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=null, stdout=null, stderr=null, env=environment, start_new_session=True)


def _compile(path: Path) -> None:
    """Compile the kernel of a file. It may come from another version, or fail to compile."""
    try:
        module, name, signature = pickle.loads(path.read_bytes())  # the cache is trusted, like numba's files in it
        kernel: Any = import_module(module)
        for part in name.split("."):
            kernel = getattr(kernel, part)
        kernel.compile_entry(signature)
    except Exception:
        pass
    path.unlink(missing_ok=True)


if __name__ == "__main__":
    with suppress(OSError):
        os.nice(POLITE)
    main()
