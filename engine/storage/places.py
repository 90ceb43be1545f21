"""Folders that may be in a store: a path of this machine, or any filesystem of `pyarrow.fs` (s3://, gs://).

Files are complete or absent in stores, too. On this machine they are written beside their target and renamed
(`antemill.engine.storage.files`). S3 and Google's store show an object when its upload is complete; in other stores a
file is written under a hidden name and moved. If a store is busy (503) or does not answer, the request is repeated
after pauses, a limited number of times; then a StorageError is raised.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TypeVar

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
            files.make_folder(Path(self.name, folder))

    def write(self, file: str, data: bytes) -> None:
        """Write a file, which is complete or absent even after a failure. Its folder is made."""
        if self.local:
            self.make(os.path.dirname(file))
            files.write_bytes(Path(self.name, file), data)
        else:
            self._try("write", file, lambda system, path: _put(system, path, data))

    def find(self, file: str) -> bytes | None:
        """The bytes of a file; None if it does not exist."""

        def read(system: pafs.FileSystem, path: str) -> bytes | None:
            try:
                with system.open_input_file(path) as stream:
                    return bytes(stream.read())
            except FileNotFoundError:
                return None

        return self._try("read", file, read)

    def read(self, file: str) -> bytes:
        """The bytes of a file, which must exist."""
        data = self.find(file)
        if data is None:
            raise StorageError(f"there is no file {self.path(file)}.")
        return data

    def exists(self, file: str) -> bool:
        """Whether a file or folder exists."""
        return bool(self._try("read", file, _info).type != pafs.FileType.NotFound)

    def written(self, file: str) -> datetime | None:
        """The time at which a file was last written (UTC); None if the store does not say."""
        found: datetime | None = self._try("read", file, _info).mtime
        return found

    def names(self, folder: str = "") -> list[str]:
        """The names of the files in a folder in ascending order, without hidden ones; none if it is missing."""
        return self._list(folder, pafs.FileType.File)

    def folders(self, folder: str = "") -> list[str]:
        """The names of the folders in a folder."""
        return self._list(folder, pafs.FileType.Directory)

    def remove(self, file: str) -> None:
        """Remove a file if it exists."""

        def remove(system: pafs.FileSystem, path: str) -> None:
            try:
                system.delete_file(path)
            except OSError:
                if _info(system, path).type != pafs.FileType.NotFound:
                    raise

        self._try("remove", file, remove)

    def sweep(self, folder: str = "") -> None:
        """Remove all temporary files from a folder of this machine, into which no process writes."""
        if self.local:
            files.sweep(Path(self.name, folder), alone=True)

    def _list(self, folder: str, kind: pafs.FileType) -> list[str]:
        def look(system: pafs.FileSystem, path: str) -> list[pafs.FileInfo]:
            return list(system.get_file_info(pafs.FileSelector(path, allow_not_found=True)))

        found = self._try("read", folder, look)
        return sorted(info.base_name for info in found if info.type == kind and not info.base_name.startswith("."))

    def _try(self, what: str, file: str, call: Callable[[pafs.FileSystem, str], T]) -> T:
        """The call's result for the filesystem and the path in it. It is repeated while the store seems busy."""
        system, root = _reach(self.name)
        path = f"{root}/{file}" if file else root
        for pause in (*PAUSES, None):
            try:
                return call(system, path)
            except OSError as error:
                final = isinstance(error, _FINAL) or error.errno in _FULL or _REFUSED.search(str(error))
                if self.local or pause is None or final:
                    raise self._failed(what, file, error) from error
                time.sleep(pause)
        raise AssertionError("the last pause is none")

    def _failed(self, what: str, file: str, error: OSError) -> StorageError:
        if error.errno in _FULL:
            return StorageError(f"no space left in {self}: free some space and run the same command again.")
        again = "" if self.local else "; what was finished is kept, run the same command again to continue"
        return StorageError(f"cannot {what} {self.path(file)}: {_reason(error)}{again}.")


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


def _info(system: pafs.FileSystem, path: str) -> pafs.FileInfo:
    return system.get_file_info(path)


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
