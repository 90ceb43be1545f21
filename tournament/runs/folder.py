"""The folder of a run: made once, and opened again to go on. Its configuration is fixed once an item is played."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import force_setattr

from antemill.engine.arguments import path as file_path
from antemill.engine.errors import StorageError, UsageError
from antemill.engine.storage.files import read_bytes, sweep, write_bytes
from antemill.llm import CallStore, LLMError
from antemill.tournament.runs import config as configs
from antemill.tournament.runs import live, lock
from antemill.tournament.runs import store as stores
from antemill.tournament.runs.config import RunConfig
from antemill.tournament.runs.database import SAVED
from antemill.tournament.runs.origin import altered
from antemill.tournament.runs.store import RunStore

CONFIG, MODELS, CALLS = "config.toml", "models.toml", "calls.sqlite"
C = TypeVar("C", bound=RunConfig)


class Materials(Struct, Generic[C], frozen=True):
    """The configuration and all files of a new run, as read from outside its folder.

    text: of the configuration. home: the folder to which its file names are relative. models: the content of the file
    of models, None if there is none.
    """

    config: C
    text: bytes
    home: Path
    content: dict[str, bytes]
    models: bytes | None


class RunFolder(Struct, frozen=True):
    """The paths in a run's folder."""

    path: Path

    def __post_init__(self) -> None:
        force_setattr(self, "path", file_path(self.path, "path"))

    @property
    def config(self) -> Path:
        """The file with the configuration."""
        return self.path / CONFIG

    @property
    def models(self) -> Path:
        """The file with the list of models."""
        return self.path / MODELS

    @property
    def calls(self) -> Path:
        """The file of the call store."""
        return self.path / CALLS

    @property
    def database(self) -> Path:
        """The database with the items."""
        return self.path / stores.NAME


class ConfigText(Struct, frozen=True):
    """A configuration to be read. source: its name in errors. folder: to which its file names are relative."""

    text: bytes
    source: str
    folder: Path


def read_config_text(path: Path) -> ConfigText:
    """The configuration in a file. Raises StorageError if there is none."""
    return ConfigText(read_bytes(path), str(path), path.parent)


@contextmanager
def create(name: str, folder: RunFolder, materials: Materials[C]) -> Iterator[RunStore]:
    """The database of a new run in the folder, or of the run that the folder already has, if it is the same run.

    A run without any played item is replaced by the new one. The caller holds the folder's lock. Raises StorageError
    if the folder has another run.
    """
    sweep(folder.path)
    with RunStore(folder.database) as store:
        if store.created and (store.played or _same(name, folder, store, materials)):
            _refuse_other(name, folder, store, materials)
            if read_if_there(folder.config) != materials.text:
                write_bytes(folder.config, materials.text)  # another budget or other limits
        else:
            _begin(name, folder, store, materials)
        yield store


def _begin(name: str, folder: RunFolder, store: RunStore, materials: Materials[C]) -> None:
    write_bytes(folder.config, materials.text)
    if materials.models is not None:
        write_bytes(folder.models, materials.models)
    digest = configs.digest(materials.config, materials.content)
    store.create({"kind": name, "digest": digest, "home": str(materials.home)}, materials.content)


@contextmanager
def looking(name: str, shape: type[C], path: Path) -> Iterator[tuple[C, RunStore]]:
    """The configuration and the database of the run in a folder, for reading. name, shape: of its kind, and of that
    kind's configurations. Raises StorageError or UsageError.
    """
    folder = existing_folder(path, name)
    with RunStore(folder.database, read_only=True) as store:
        yield reopen(name, shape, folder, store).config, store


def reopen(name: str, shape: type[C], folder: RunFolder, store: RunStore) -> Materials[C]:
    """The configuration and files of a run, from its own folder.

    Raises StorageError if it is a run of another kind, or if more of its configuration was changed than budget and
    limits.
    """
    meta = require_kind(name, folder, store)
    text = read_bytes(folder.config)
    config = configs.parse_config(text, shape, str(folder.config))
    content = store.materials()
    if configs.digest(config, content) != meta["digest"]:
        if damaged := altered(meta, content):
            raise StorageError(f"{folder.database} is damaged ({damaged[0]} is not what the run began with): {SAVED}")
        raise StorageError(
            f"{folder.config} was changed since the run began: put it back (only [budget], [limits] and [rating] may "
            "change), or begin a new run in another folder."
        )
    return Materials(config, text, Path(meta["home"]), content, read_if_there(folder.models))


def require_kind(name: str, folder: RunFolder, store: RunStore) -> dict[str, str]:
    """The run's metadata. Raises StorageError if the folder has no run, or one of another kind."""
    if not store.created:
        raise StorageError(f"there is no run in {folder.path}: begin one with `antemill start`.")
    meta = store.meta()
    if meta["kind"] != name:
        raise StorageError(f"{folder.path} is a run of the kind {meta['kind']}, not {name}.")
    return meta


@contextmanager
def made_folder(path: Path, kind: str) -> Iterator[RunFolder]:
    """The folder. It is made if it does not exist, and removed again if it is empty after an exception.

    kind: of the run that it is for. Raises UsageError if it holds other files than those of a run.
    """
    new = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        try:
            path.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            raise StorageError(f"{path} is not a folder: name a new one.") from error
        folder = RunFolder(path)
        if not folder.database.exists() and any(not _ours(entry) for entry in path.iterdir()):
            raise UsageError(f"{path} has other files in it{what_is(path, kind)}: name a new folder, or that of a run.")
        yield folder
    except BaseException:
        for made in new:
            with suppress(OSError):  # not empty, or not made
                made.rmdir()
        raise


@contextmanager
def cleared_unless_begun(folder: RunFolder) -> Iterator[None]:
    """After an exception, remove the run's files if nothing was played and no model was asked. The caller holds the
    lock. An error that advises to resume then says what to do instead, which is its `afresh`.
    """
    try:
        yield
    except BaseException as error:
        if not _begun(folder):
            sweep(folder.path)
            beside = [f"{name}{end}" for name in (stores.NAME, CALLS) for end in ("", "-wal", "-shm")]
            for name in (CONFIG, MODELS, lock.NAME, live.NAME, *beside):
                with suppress(OSError):
                    (folder.path / name).unlink()
            if afresh := getattr(error, "afresh", ""):
                error.args = (afresh,)
        raise


def _begun(folder: RunFolder) -> bool:
    """Whether to keep the folder: it has an answer, a plan for which a model was asked, or damaged files."""
    try:
        planned = played = False
        if folder.database.exists():
            with RunStore(folder.database, read_only=True) as store:
                planned = store.created and store.total() > 0
                played = planned and store.played
        if played or not folder.calls.exists():
            return played
        with CallStore(folder.calls, read_only=True) as calls:
            asked = any(total.failed_attempts for total in calls.totals().values()) or calls.risk() > 0
            return (planned and asked) or any(total.calls for total in calls.totals().values())
    except (StorageError, LLMError):
        return True


def existing_folder(path: Path, kind: str | None = None) -> RunFolder:
    """The folder of a run, of the given kind if any. Raises StorageError, which says what the folder is instead."""
    folder = RunFolder(path)
    try:
        begun = folder.database.exists()
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}.") from error
    if not begun:
        if is_pool(path):
            told = f"the page of its games is made by `antemill report {path}`; a run is made by `antemill start`"
            raise StorageError(f"there is no run in {path}{what_is(path, kind)}: {told}.")
        where = f"there is no run in {path}{what_is(path, kind)}"
        raise StorageError(f"{where}: name a folder that `antemill start` has made.")
    if kind is not None:
        with RunStore(folder.database, read_only=True) as store:
            require_kind(kind, folder, store)
    return folder


def is_pool(path: Path) -> bool:
    """Whether `antemill run` or `antemill pool build` has made a folder."""
    return (path / "pool.json").exists()


def what_is(path: Path, kind: str | None = None) -> str:
    """What a path is instead of a run, as a part of a sentence: ", which is a pool of games"; "" if unknown.

    kind: of the run that is wanted; any if empty. Runs of another kind are not suggested.
    """
    if not path.exists():
        return ", which does not exist"
    if not path.is_dir():
        return ", which is a file"
    if is_pool(path):
        return ", which is a pool of games"
    if next(path.iterdir(), None) is None:
        return ", which is empty"
    inside = next((entry for entry in sorted(path.iterdir()) if _holds(entry, kind)), None)
    return f", but there is one in {inside}" if inside is not None else ""


def _holds(path: Path, kind: str | None) -> bool:
    """Whether a folder holds a readable run of a kind, or of any kind."""
    database = RunFolder(path).database
    if not database.exists():
        return False
    with suppress(StorageError), RunStore(database, read_only=True) as store:
        return store.created and kind in (None, store.meta()["kind"])
    return False


def _ours(path: Path) -> bool:
    """Whether a file may be in a run's folder without its database: after a killed start, or with saved calls."""
    return path.name.startswith((".", CALLS)) or path.name in (CONFIG, MODELS, lock.NAME, live.NAME)


def read_if_there(path: Path) -> bytes | None:
    """A file's content; None if there is none."""
    return path.read_bytes() if path.exists() else None


def _same(name: str, folder: RunFolder, store: RunStore, materials: Materials[C]) -> bool:
    """Whether the folder has exactly this run, with the same text in the models' file."""
    meta = store.meta()
    digest = configs.digest(materials.config, materials.content)
    return meta["kind"] == name and meta["digest"] == digest and read_if_there(folder.models) == materials.models


def _refuse_other(name: str, folder: RunFolder, store: RunStore, materials: Materials[C]) -> None:
    meta = require_kind(name, folder, store)
    if configs.digest(materials.config, materials.content) != meta["digest"]:
        raise StorageError(
            f"{folder.path} holds a run of another configuration (only [budget], [limits] and [rating] may change): "
            "name another folder, or put the configuration back."
        )
    there = read_if_there(folder.models)
    if materials.models is not None and there is not None and materials.models != there:
        raise StorageError(
            f"the file of models was changed since the run in {folder.path} began: put it back, or change "
            f"{folder.models} and continue with `antemill start {folder.path}`."
        )
