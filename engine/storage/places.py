"""Folders that may be in a store: a path of this machine, or any filesystem of `pyarrow.fs` (s3://, gs://).

Files are complete or absent in stores, too. On this machine they are written beside their target and renamed
(`antemill.engine.storage.files`). S3 and Google's store show an object when its upload is complete; in other stores a
file is written under a hidden name and moved. If a store is busy (503) or does not answer, the request is repeated
after pauses, a limited number of times; then a StorageError is raised.
"""

from __future__ import annotations

import errno
import io
import os
import re
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import BinaryIO, TypeVar

import pyarrow as pa
import pyarrow.fs as pafs
from msgspec import Struct

from antemill.engine.errors import StorageError, UsageError
from antemill.engine.storage import files

T = TypeVar("T")
PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)  # seconds before each repetition of a request
_WHOLE = {"s3", "gcs", "abfs"}  # types of stores that show an object only when its upload is complete
_FINAL = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError, FileExistsError)
_REFUSED = re.compile(r"ACCESS_DENIED|NO_SUCH_BUCKET|INVALID_ACCESS_KEY|SIGNATURE|HTTP status (?:400|401|403|404)\b")
_FULL = {errno.ENOSPC, errno.EDQUOT}


class Place(Struct, frozen=True):
    """A folder, given by its path or URI. Paths of files in it are relative, with "/".

    Pickling makes a path absolute, because a worker may run in another folder. All methods raise StorageError if the
    store cannot be used.
    """

    name: str

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[type[Place], tuple[str]]:
        return Place, (os.path.abspath(self.name) if self.local else self.name,)

    def path(self, file: str) -> str:
        """The file's path or URI, for people and for other libraries."""
        return f"{self.name.rstrip('/')}/{file}"

    @property
    def local(self) -> bool:
        """Whether this is a folder of this machine."""
        return "://" not in self.name

    def make(self, folder: str = "") -> None:
        """Make the folder (or one in it) if it is missing and the store has folders."""
        if self.local:
            target = Path(self.name, folder)
            try:
                target.mkdir(parents=True, exist_ok=True)
            except (FileExistsError, NotADirectoryError) as error:
                raise StorageError(f"{target} is not a folder: name a new or an existing one.") from error
            except OSError as error:
                raise StorageError(f"cannot make the folder {target}: {_reason(error)}.") from error

    def write(self, file: str, data: bytes) -> None:
        """Write a file, which is complete or absent even after a failure. Its folder is made."""
        if self.local:
            self.make(os.path.dirname(file))
            files.write_bytes(Path(self.name, file), data)
        else:
            self._try("write", file, lambda: _put(*self.at(file), data))

    def fill(self, file: str, write: Callable[[BinaryIO], object]) -> None:
        """As `write`, with the content that the function writes."""
        if self.local:
            self.make(os.path.dirname(file))
            with files.atomic_write(Path(self.name, file)) as target:
                write(target)
        else:
            sink = io.BytesIO()
            write(sink)
            self.write(file, sink.getvalue())

    def source(self, file: str) -> bytes | pa.NativeFile:
        """A file to read from. On this machine it is an open file, so that only the needed parts are read."""
        if not self.local:
            return self.read(file)

        def get() -> pa.NativeFile:
            system, path = self.at(file)
            return system.open_input_file(path)

        return self._try("read", file, get)

    def read(self, file: str) -> bytes:
        """The bytes of a file."""

        def get() -> bytes:
            system, path = self.at(file)
            with system.open_input_file(path) as stream:
                return bytes(stream.read())

        return self._try("read", file, get)

    def use(self, file: str, function: Callable[[pa.NativeFile], T]) -> T:
        """The function's result for the opened file. It may be called several times."""

        def use() -> T:
            system, path = self.at(file)
            with system.open_input_file(path) as stream:
                return function(stream)

        return self._try("read", file, use)

    def exists(self, file: str) -> bool:
        """Whether a file or folder exists."""

        def look() -> bool:
            system, path = self.at(file)
            return bool(system.get_file_info(path).type != pafs.FileType.NotFound)

        return self._try("read", file, look)

    def written(self, file: str) -> datetime | None:
        """The time at which a file was last written (UTC); None if the store does not say."""

        def look() -> datetime | None:
            system, path = self.at(file)
            found: datetime | None = system.get_file_info(path).mtime
            return found

        return self._try("read", file, look)

    def names(self, folder: str = "") -> list[str]:
        """The names of the files in a folder in ascending order, without hidden ones; none if it is missing."""
        return sorted(info.base_name for info in self._list(folder) if info.type == pafs.FileType.File)

    def folders(self, folder: str = "") -> list[str]:
        """The names of the folders in a folder."""
        return sorted(info.base_name for info in self._list(folder) if info.type == pafs.FileType.Directory)

    def remove(self, file: str) -> None:
        """Remove a file if it exists."""

        def remove() -> None:
            system, path = self.at(file)
            try:
                system.delete_file(path)
            except FileNotFoundError:
                return
            except OSError:
                if system.get_file_info(path).type != pafs.FileType.NotFound:
                    raise

        self._try("remove", file, remove)

    def sweep(self, folder: str = "") -> None:
        """Remove the temporary files of killed writers from a folder of this machine."""
        if self.local:
            files.sweep(Path(self.name, folder))

    def drop(self, folder: str) -> None:
        """Remove a folder of this machine if it is empty."""
        if self.local:
            with suppress(OSError):  # it is not empty, or does not exist
                Path(self.name, folder).rmdir()

    def _list(self, folder: str) -> list[pafs.FileInfo]:
        def look() -> list[pafs.FileInfo]:
            system, path = self.at(folder)
            return list(system.get_file_info(pafs.FileSelector(path, allow_not_found=True)))

        found = self._try("read", folder, look)
        return [info for info in found if not info.base_name.startswith(".")]

    def at(self, file: str = "") -> tuple[pafs.FileSystem, str]:
        """The filesystem, and the path in it of a file or of the folder itself, for Arrow."""
        system, root = _reach(self.name)
        return system, f"{root}/{file}" if file else root

    def _try(self, what: str, file: str, call: Callable[[], T]) -> T:
        """The call's result. The call is repeated while the store seems busy."""
        for pause in (*PAUSES, None):
            try:
                return call()
            except _FINAL as error:
                raise self._failed(what, file, error) from error
            except OSError as error:
                if self.local or pause is None or error.errno in _FULL or _REFUSED.search(str(error)):
                    raise self._failed(what, file, error) from error
                time.sleep(pause)
        raise AssertionError("the last pause is none")

    def _failed(self, what: str, file: str, error: OSError) -> StorageError:
        where = self.path(file)
        if isinstance(error, FileNotFoundError) and what == "read":
            return StorageError(f"there is no file {where}.")
        if error.errno in _FULL:
            return StorageError(f"no space left in {self}: free some space and run the same command again.")
        again = "" if self.local else "; what was finished is kept, run the same command again to continue"
        return StorageError(f"cannot {what} {where}: {_reason(error)}{again}.")


def place(folder: str | os.PathLike[str] | Place) -> Place:
    """The place of a path or URI. Raises UsageError for a URI of an unknown kind."""
    if isinstance(folder, Place):
        return folder
    found = Place(os.fspath(folder))
    _reach(found.name)
    return found


@cache
def _reach(name: str) -> tuple[pafs.FileSystem, str]:
    """The filesystem of a path or URI, and the path in it."""
    if "://" not in name:
        return pafs.LocalFileSystem(), name.rstrip("/") or "/"
    try:
        system, root = pafs.FileSystem.from_uri(name)
    except (pa.ArrowException, ImportError, ValueError, OSError) as error:
        first = str(error).partition("\n")[0].rstrip(".")
        raise UsageError(
            f"'{name}' cannot be used ({first}): name a folder, or a store such as s3://BUCKET/FOLDER or gs://BUCKET/FOLDER."
        ) from error
    return system, root.rstrip("/")


def _put(system: pafs.FileSystem, path: str, data: bytes) -> None:
    if system.type_name in _WHOLE:
        _upload(system, path, data)
        return
    folder, _, name = path.rpartition("/")
    system.create_dir(folder)
    hidden = f"{folder}/.{name}.{secrets.token_hex(6)}{files.SUFFIX}"
    try:
        _upload(system, hidden, data)
        system.move(hidden, path)
    except BaseException:
        with suppress(OSError):  # it does not exist, or is not accessible
            system.delete_file(hidden)
        raise


def _upload(system: pafs.FileSystem, path: str, data: bytes) -> None:
    """One upload. A failed stream is not closed, because that could publish an incomplete file."""
    stream = system.open_output_stream(path)
    stream.write(data)
    stream.close()


def _reason(error: OSError) -> str:
    text = error.strerror or str(error).partition("\n")[0] or type(error).__name__
    text = text.rstrip(".")
    return text.lower() if error.strerror else text
