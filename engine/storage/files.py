"""Files that are either complete or absent, whenever the process is killed.

`atomic_write` and `atomic_path` write a temporary file beside the target, flush it to the disk (fsync), rename it over
the target and flush the folder. A reader, or the next run after a kill, sees the old file or the new one. A killed run
leaves its temporary file, which has the number of its process in its name; `sweep` removes it.
"""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from antemill.engine.errors import StorageError

SUFFIX = ".partial"
_DISK_FULL = {errno.ENOSPC, errno.EDQUOT}


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file to write to. It becomes `path` if the block ends without an exception, and is removed otherwise.

    Raises StorageError if the folder is missing or not writable, if the disk is full, or if `path` is a device, a pipe
    or a socket, which a rename would replace. Other exceptions pass.
    """
    target = Path(path).resolve()
    with _storage_errors(target):
        _refuse_special(target)
        temporary = target.with_name(f".{target.name}.{os.getpid()}-{secrets.token_hex(6)}{SUFFIX}")
        try:
            with _create(temporary, target) as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
                _replace(temporary, target)
            _sync_folder(target.parent)
        except BaseException:  # including a signal's exception at any moment
            with suppress(OSError):  # it does not exist, or is not accessible
                temporary.unlink()
            raise


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """As `atomic_write`, for libraries that need a path: the block fills the (empty) file at the yielded path."""
    with atomic_write(path) as file:
        yield Path(file.name)


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write `data` to `path` atomically."""
    with atomic_write(path) as file:
        file.write(data)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` to `path` atomically, in UTF-8."""
    write_bytes(path, text.encode())


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file. Raises StorageError."""
    try:
        return Path(path).read_bytes()
    except FileNotFoundError as error:
        raise StorageError(f"there is no file {path}.") from error
    except OSError as error:
        raise StorageError(f"cannot read {path}: {_reason(error)}.") from error


def make_folder(path: Path) -> None:
    """Make a folder with those above it, unless it exists. Raises StorageError."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise StorageError(f"{path} is not a folder: name a new or an existing one.") from error
    except OSError as error:
        raise StorageError(f"cannot make the folder {path}: {_reason(error)}.") from error


def sweep(folder: str | os.PathLike[str], alone: bool = False) -> int:
    """Remove the temporary files that killed runs left in `folder`, not in folders below it; returns their number.

    alone: whether no other process can be writing there, so that all are removed.
    """
    return sum(_remove(path) for path in Path(folder).glob(f".*{SUFFIX}") if alone or not _is_being_written(path))


def _refuse_special(target: Path) -> None:
    with suppress(OSError):  # it does not exist, or the temporary file gives the error
        mode = os.stat(target).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise StorageError(f"cannot write {target}: it is a device, a pipe or a socket; name a file.")


def _create(temporary: Path, target: Path) -> BinaryIO:
    try:
        return open(temporary, "xb")
    except OSError as error:
        raise StorageError(f"cannot write {target}: {_reason(error)}.") from error


def _is_being_written(path: Path) -> bool:
    """Whether the process of a temporary file is alive."""
    number = path.name.removesuffix(SUFFIX).rpartition(".")[2].partition("-")[0]
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, ValueError):
        return False
    except PermissionError:  # it is another user's
        return True
    return True


def _remove(path: Path) -> bool:
    with suppress(OSError):  # it was removed meanwhile
        path.unlink()
        return True
    return False


def _replace(temporary: Path, target: Path) -> None:
    try:
        os.replace(temporary, target)
    except OSError as error:
        if error.errno in _DISK_FULL:
            raise
        raise StorageError(f"cannot write {target}: {_reason(error)}.") from error


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _storage_errors(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in _DISK_FULL:
            raise
        raise StorageError(
            f"no space left on the disk of {target.parent}: free some space and run the same command again."
        ) from error


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "its folder does not exist, create it first"
    return (error.strerror or str(error)).lower()
