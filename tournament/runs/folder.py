"""The folder of a run: made once, opened again to go on; a changed configuration is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from msgspec import Struct

from engine.errors import StorageError, UsageError
from engine.files import sweep, write_bytes
from tournament.runs import config as configs
from tournament.runs import store as stores
from tournament.runs.config import RunConfig
from tournament.runs.item import RunType
from tournament.runs.store import RunStore

CONFIG, MODELS, CALLS = "config.toml", "models.toml", "calls.sqlite"
C = TypeVar("C", bound=RunConfig)


class Materials(Struct, Generic[C], frozen=True):
    """All that a run is made of, read from outside.

    text: of the configuration. home: the folder that its file names are relative to. models: the file of models, None
    if there is none.
    """

    config: C
    text: bytes
    home: Path
    content: dict[str, bytes]
    models: bytes | None


class RunFolder(Struct, frozen=True):
    """The paths in a run's folder."""

    path: Path

    @property
    def config(self) -> Path:
        """The configuration."""
        return self.path / CONFIG

    @property
    def models(self) -> Path:
        """The models."""
        return self.path / MODELS

    @property
    def calls(self) -> Path:
        """The call store."""
        return self.path / CALLS

    @property
    def database(self) -> Path:
        """The items."""
        return self.path / stores.NAME


def gather(kind: RunType[C], config_path: Path, change: Callable[[bytes], bytes] | None = None) -> Materials[C]:
    """Read a configuration and what it names. Raises UsageError or StorageError if that is not possible.

    change: made to the configuration's text first; the run keeps the changed one.
    """
    text = configs.read_bytes(config_path)
    if change is not None:
        text = change(text)
    config = configs.parse_config(text, kind.config, str(config_path))
    home = config_path.absolute().parent
    models = home / config.models
    return Materials(config, text, home, kind.materials(config, home), models.read_bytes() if models.exists() else None)


def create(kind: RunType[C], folder: RunFolder, materials: Materials[C]) -> RunStore:
    """The database of a new run in the folder, or that of the run that is there if it is the same.

    The caller holds the folder's lock. Raises StorageError if another run is there.
    """
    sweep(folder.path)
    store = RunStore(folder.database)
    if store.created:
        _refuse_other(kind, folder, store, materials)
        if folder.config.read_bytes() != materials.text:
            write_bytes(folder.config, materials.text)  # another budget or other limits
        return store
    write_bytes(folder.config, materials.text)
    if materials.models is not None:
        write_bytes(folder.models, materials.models)
    digest = configs.digest(materials.config, materials.content)
    store.create({"kind": kind.name, "digest": digest, "home": str(materials.home)}, materials.content)
    return store


def reopen(kind: RunType[C], folder: RunFolder, store: RunStore) -> Materials[C]:
    """What a run was made of, from its own folder.

    Raises StorageError if it is a run of another kind, or if its configuration was altered in more than its budget and
    limits.
    """
    meta = require_kind(kind.name, folder, store)
    text = configs.read_bytes(folder.config)
    config = configs.parse_config(text, kind.config, str(folder.config))
    content = store.materials()
    if configs.digest(config, content) != meta["digest"]:
        raise StorageError(
            f"{folder.config} was changed since the run began: put it back (only [budget] and [limits] may change), "
            "or begin a new run in another folder."
        )
    models = folder.models.read_bytes() if folder.models.exists() else None
    return Materials(config, text, Path(meta["home"]), content, models)


def require_kind(name: str, folder: RunFolder, store: RunStore) -> dict[str, str]:
    """The run's meta data. Raises StorageError if nothing has begun there, or a run of another kind."""
    if not store.created:
        raise StorageError(f"there is no run in {folder.path}: begin one with `antemill {name} run`.")
    meta = store.meta()
    if meta["kind"] != name:
        raise StorageError(f"{folder.path} is a run of `antemill {meta['kind']}`, not of `antemill {name}`.")
    return meta


def make_folder(path: Path) -> RunFolder:
    """The folder, which is made if there is none. Raises UsageError if it holds something else than a run."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise StorageError(f"{path} is not a folder: name a new one.") from error
    folder = RunFolder(path)
    if not folder.database.exists() and any(not _ours(entry) for entry in path.iterdir()):
        raise UsageError(f"{path} has other files in it: name a new folder, or that of a run.")
    return folder


def existing_folder(path: Path) -> RunFolder:
    """The folder of a run. Raises StorageError if there is none."""
    folder = RunFolder(path)
    if not folder.database.exists():
        raise StorageError(f"there is no run in {path}: name a folder that `run` has made.")
    return folder


def _ours(path: Path) -> bool:
    return path.name.startswith(".") or path.name in (CONFIG, MODELS, "run.lock")


def _refuse_other(kind: RunType[C], folder: RunFolder, store: RunStore, materials: Materials[C]) -> None:
    meta = require_kind(kind.name, folder, store)
    if configs.digest(materials.config, materials.content) != meta["digest"]:
        raise StorageError(
            f"{folder.path} holds a run of another configuration (only [budget] and [limits] may change): "
            "name another folder, or put the configuration back."
        )
    there = folder.models.read_bytes() if folder.models.exists() else None
    if materials.models is not None and there is not None and materials.models != there:
        raise StorageError(
            f"the file of models was changed since the run in {folder.path} began: put it back, or change "
            f"{folder.models} and use `resume`."
        )
