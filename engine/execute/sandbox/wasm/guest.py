"""The guests: two builds of the same interpreter that differ in their hash seeds, built once by guest/build.py.

The package contains them compressed, with their digests. On first use they are unpacked and compiled to machine code,
about half a minute each, into a folder that only this user can write to. Machine code in this folder is trusted.
"""

import atexit
import fcntl
import hashlib
import lzma
import os
import platform
import shutil
import stat
import sys
import tempfile
import threading
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from antemill.engine.errors import ExecutionError, StorageError
from antemill.engine.execute.sandbox.wasm.engine import SETTINGS, make_engine
from antemill.engine.storage.files import write_bytes

_HERE = Path(__file__).resolve().parent
ARCHIVE, RECORD = _HERE / "guests.xz", _HERE / "guests.json"
_folders = threading.Lock()  # several workers start at the same time
WASMTIME = (50, 0, 1)  # the oldest release that is trusted, see docs/sandbox.md


class Build(msgspec.Struct, frozen=True):
    """One guest: its place in the archive is after the guests before it."""

    size: int
    sha256: str


class Record(msgspec.Struct, frozen=True):
    """The content of the archive. origin: the digest of the sources from which it was built."""

    origin: str
    made_by: str
    guests: list[Build]


def record() -> Record:
    """The record of the archive."""
    return msgspec.json.decode(RECORD.read_bytes(), type=Record)


def require_wasmtime() -> str:
    """The version of wasmtime. Raises ExecutionError if it is missing or too old."""
    needed = ".".join(map(str, WASMTIME))
    try:
        found = version("wasmtime")
    except PackageNotFoundError:
        raise ExecutionError("the wasm sandbox needs wasmtime: install antemill[wasm].") from None
    if tuple(int(part) for part in found.split(".")[:3]) < WASMTIME:
        raise ExecutionError(
            f"the wasm sandbox needs wasmtime {needed} or newer, found {found}: update antemill[wasm]."
        )
    return found


def unpack(number: int) -> bytes:
    """One guest, checked. Raises ExecutionError if the archive is damaged."""
    builds = record().guests
    start = sum(build.size for build in builds[:number])
    try:
        with lzma.open(ARCHIVE) as file:
            file.seek(start)
            data = file.read(builds[number].size)
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise ExecutionError(f"cannot read {ARCHIVE}: {error}; install antemill again.") from error
    if hashlib.sha256(data).hexdigest() != builds[number].sha256:
        raise ExecutionError(f"{ARCHIVE} is damaged (its digest is wrong): install antemill again.")
    return data


def compiled(number: int) -> Path:
    """The file with a guest's machine code; it is made if it is missing."""
    parts = (record().guests[number].sha256, require_wasmtime(), SETTINGS, platform.system(), platform.machine())
    name = f"guest-{hashlib.sha256(repr((*parts, platform.processor())).encode()).hexdigest()[:32]}.cwasm"
    with _folders:
        kept = _folder()
        if kept is not None and (kept / name).exists():  # the folder may be read-only, as in a container's image
            return kept / name
        folder = kept if kept is not None and os.access(kept, os.W_OK | os.X_OK) else _temporary()
    try:
        with (folder / "lock").open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (folder / name).exists():
                write_bytes(folder / name, _compile(unpack(number)))
    except (OSError, StorageError) as error:
        reason = str(error).rstrip(".")
        advice = "free 100 MB there, or let ANTEMILL_CACHE name another folder"
        raise ExecutionError(f"cannot keep the wasm sandbox's guest in {folder} ({reason}): {advice}.") from error
    return folder / name


def _compile(guest: bytes) -> bytes:
    from wasmtime import component

    return bytes(component.Component(make_engine(), guest).serialize())


def _folder() -> Path | None:
    """A folder that only this user can write to, since machine code from it is executed; None if there is none."""
    if named := os.environ.get("ANTEMILL_CACHE"):
        root = Path(named).expanduser()
    elif sys.platform == "darwin":
        root = Path.home() / "Library/Caches/antemill"
    else:
        root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "antemill"
    try:
        folder = root / "sandbox"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022:
            return folder
    except OSError:
        pass
    return None


@cache
def _temporary() -> Path:
    """A folder for this process only, removed when it exits."""
    folder, owner = Path(tempfile.mkdtemp(prefix="antemill-")), os.getpid()

    def remove() -> None:
        if os.getpid() == owner:  # not in a fork of it
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder
