"""A run from its folder to its end: the folder is locked, the models are connected, the runner works."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Generic, TypeVar

import httpx
import msgspec
from msgspec import Struct

from engine.errors import UsageError
from llm import Budget as CallBudget
from llm import CallStore, Client, LLMError, Model, Script, read_models
from tournament.runs import folder as folders
from tournament.runs.bots import bot_models
from tournament.runs.config import RunConfig
from tournament.runs.folder import Materials, RunFolder
from tournament.runs.item import Kind, RunType
from tournament.runs.lock import locked
from tournament.runs.progress import run_bar
from tournament.runs.runner import InterruptedRunError, Report, Runner, RunStoppedError
from tournament.runs.store import RunStore

C = TypeVar("C", bound=RunConfig)


class Preview(Struct, frozen=True):
    """A run that has not begun: to see what it will cost."""

    kind: Kind
    models: dict[str, Model]


class Loaded(Struct, Generic[C], frozen=True):
    """A run as it is read: by `analyze`, while a process may be working on it."""

    config: C
    kind: Kind
    store: RunStore


class Session(Struct, Generic[C], frozen=True):
    """A run that this process may work on."""

    name: str
    folder: RunFolder
    config: C
    kind: Kind
    store: RunStore
    models: dict[str, Model]
    bots: Mapping[str, Script]

    def run(
        self,
        quiet: bool = False,
        scripts: Mapping[str, Script] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Work until the end. What is finished is kept, whatever happens.

        scripts: fake models by the names of their entries. transport: of httpx, for tests.
        Raises RunStoppedError, StorageError or what a player raises; KeyboardInterrupt when interrupted.
        """
        try:
            asyncio.run(self._run(quiet, {**self.bots, **(scripts or {})}, transport))
        except InterruptedRunError as error:
            raise KeyboardInterrupt from error
        except LLMError as error:
            raise RunStoppedError(f"{str(error).rstrip('.')}.") from error

    async def _run(
        self, quiet: bool, scripts: Mapping[str, Script], transport: httpx.AsyncBaseTransport | None
    ) -> None:
        limits = self.config.limits
        room = {name: model.concurrency for name, model in self.models.items()}
        dollars = self.config.budget.dollars
        with CallStore(self.folder.calls) as calls, self._bar(quiet) as report:
            budget = None if dollars is None else CallBudget(dollars, calls.spent())
            async with Client(self.models, calls, budget=budget, transport=transport, scripts=scripts) as client:
                client.check(self.models)
                await Runner(self.store, self.kind, client, limits, room, report).run()

    def _bar(self, quiet: bool) -> AbstractContextManager[Report | None]:
        return run_bar(self.name, self.store.counts(), self.kind.total, quiet)


@contextmanager
def start_run(
    kind: RunType[C], config_path: Path, out: Path, change: Callable[[bytes], bytes] | None = None
) -> Iterator[Session[C]]:
    """Begin the run of a configuration in a folder, or go on with it if it is there. change: of its text, see `gather`.

    Raises UsageError or StorageError; then nothing has been made, or what is there is as it was.
    """
    materials = folders.gather(kind, config_path, change)
    made = kind.make(materials.config, materials.home, materials.content)
    models = _models(made, config_path.parent / materials.config.models)
    folder = folders.make_folder(out)
    with locked(folder.path):
        store = folders.create(kind, folder, materials)
        try:
            yield Session(kind.name, folder, materials.config, made, store, models, kind.bots)
        finally:
            store.close()


@contextmanager
def open_run(kind: RunType[C], out: Path, dollars: float | None = None, again: bool = False) -> Iterator[Session[C]]:
    """Go on with the run in a folder. dollars: another budget. again: play what was discarded once more.

    Raises UsageError or StorageError.
    """
    folder = folders.existing_folder(out)
    with locked(folder.path):
        store = RunStore(folder.database)
        try:
            materials = folders.reopen(kind, folder, store)
            made = kind.make(materials.config, materials.home, materials.content)
            config = _with_budget(materials, dollars)
            if again:
                asyncio.run(store.plan_again())
            yield Session(kind.name, folder, config, made, store, _models(made, folder.models), kind.bots)
        finally:
            store.close()


@contextmanager
def reading(kind: RunType[C], path: Path) -> Iterator[Loaded[C]]:
    """The run in a folder, to be read. Raises StorageError or UsageError."""
    folder = folders.existing_folder(path)
    store = RunStore(folder.database, read_only=True)
    try:
        materials = folders.reopen(kind, folder, store)
        made = kind.make(materials.config, materials.home, materials.content)
        yield Loaded(materials.config, made, store)
    finally:
        store.close()


def preview(kind: RunType[C], config_path: Path, change: Callable[[bytes], bytes] | None = None) -> Preview:
    """What a configuration would run. Makes nothing. Raises UsageError or StorageError."""
    materials = folders.gather(kind, config_path, change)
    made = kind.make(materials.config, materials.home, materials.content)
    return Preview(made, _models(made, config_path.parent / materials.config.models))


def _with_budget(materials: Materials[C], dollars: float | None) -> C:
    if dollars is None:
        return materials.config
    budget = msgspec.structs.replace(materials.config.budget, dollars=dollars)
    return msgspec.structs.replace(materials.config, budget=budget)


def _models(kind: Kind, path: Path) -> dict[str, Model]:
    """The entries that the run uses; no file is needed if it uses none but bots."""
    found = bot_models(kind.models)
    if len(found) == len(kind.models):
        return found
    try:
        models = read_models(path)
    except LLMError as error:
        raise UsageError(f"{str(error).rstrip('.')}.") from error
    if missing := [name for name in kind.models if name not in models and name not in found]:
        raise UsageError(f"{path} has no model '{missing[0]}': it has {', '.join(models) or 'none'}.")
    return {name: found.get(name) or models[name] for name in kind.models}
