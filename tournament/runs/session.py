"""A session of a run: locks its folder, connects its models and works until its end."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, Generic, TypeVar

import httpx2
import msgspec
from msgspec import Struct

from antemill.engine.arguments import kind as kind_of
from antemill.engine.arguments import number, text
from antemill.engine.arguments import path as file_path
from antemill.engine.errors import UsageError
from antemill.llm import Budget as CallBudget
from antemill.llm import CallStore, Client, LLMError, Model, Script, advice_text, check_models, read_models
from antemill.llm.mistakes import meant
from antemill.tournament.runs import config as configs
from antemill.tournament.runs import folder as folders
from antemill.tournament.runs import live
from antemill.tournament.runs.bots import bot_models
from antemill.tournament.runs.config import Budget, MisplacedError, RunConfig
from antemill.tournament.runs.estimate import too_long
from antemill.tournament.runs.folder import ConfigText, Materials, RunFolder, read_config_text
from antemill.tournament.runs.interrupts import run_async, terminable
from antemill.tournament.runs.kind import Kind, Plan
from antemill.tournament.runs.live import Live
from antemill.tournament.runs.lock import locked
from antemill.tournament.runs.progress import Display, run_display, waiting
from antemill.tournament.runs.runner import Runner
from antemill.tournament.runs.stops import InterruptedRunError, RunStoppedError
from antemill.tournament.runs.store import RunStore
from antemill.tournament.runs.wording import RunSize, extent, served

C = TypeVar("C", bound=RunConfig)
_REFRESH = 0.5  # seconds


class Preview(Struct, frozen=True):
    """A run that has not begun, for an estimate of its cost. uncounted: see `Kind`."""

    kind: Plan
    models: dict[str, Model]
    budget: Budget
    uncounted: str = ""


class Loaded(Struct, Generic[C], frozen=True):
    """A run opened for reading, also while a process works on it."""

    config: C
    kind: Plan
    store: RunStore

    def __repr__(self) -> str:
        return f"<Loaded run in {str(self.store.path.parent)!r}>"


class Session(Struct, Generic[C], frozen=True):
    """A run that this process may work on."""

    name: str
    folder: RunFolder
    config: C
    kind: Plan
    store: RunStore
    models: dict[str, Model]
    bots: Mapping[str, Script]

    def __repr__(self) -> str:
        return f"<Session of a {self.name} run in {str(self.folder.path)!r}>"

    def run(
        self,
        quiet: bool = False,
        scripts: Mapping[str, Script] | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
        check: bool = False,
    ) -> None:
        """Work until the end. Finished items are kept in every case.

        scripts: fake models by the names of their entries. transport: of httpx2, for tests. check: check first that
        every model can be reached.
        Raises RunStoppedError, StorageError or what a player raises; KeyboardInterrupt when interrupted.
        """
        try:
            run_async(self.run_here(quiet, scripts, transport, check))
        except InterruptedRunError as error:
            raise KeyboardInterrupt(error.number) from error

    async def run_here(
        self,
        quiet: bool = False,
        scripts: Mapping[str, Script] | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
        check: bool = False,
    ) -> None:
        """As `run`, in the event loop that is running. Raises InterruptedRunError when interrupted."""
        try:
            await self._run(quiet, {**self.bots, **(scripts or {})}, transport, check)
        except LLMError as error:
            raise RunStoppedError(f"{str(error).rstrip('.')}.") from error

    async def _run(
        self, quiet: bool, scripts: Mapping[str, Script], transport: httpx2.AsyncBaseTransport | None, check: bool
    ) -> None:
        limits = self.config.limits
        capacity = {name: model.concurrency for name, model in self.models.items()}
        dollars = self.config.budget.dollars
        with CallStore(self.folder.calls) as calls, _announced(self.folder, calls) as since:
            risk = calls.risk()
            budget = None if dollars is None else CallBudget(dollars, risk + calls.cost(), risk)
            async with Client(self.models, calls, budget=budget, transport=transport, scripts=scripts) as client:
                client.check(self.models)
                warnings: list[str] = []
                if check and not self._finished:
                    with waiting(f"asking whether {len(self.models)} models can be used", quiet):
                        warnings = await self._require_reachable(calls, budget, transport)
                spent = calls.cost(), calls.risk()
                answered = [name for name, totals in calls.totals().items() if totals.calls]
                with run_display(self.name, self.store.counts(), spent, self._size, quiet) as display:
                    for warning in warnings:
                        display.say(f"warning: {warning}")
                    runner = Runner(self.store, self.kind, client, limits, capacity, display, answered, self.bots)
                    for sentence in served(calls.served()).values():
                        display.say(f"warning: {sentence}")
                    async with _followed(runner, client, self.folder, display, since):
                        await runner.run()

    @property
    def _size(self) -> RunSize:
        counts, total = self.store.counts(), self.kind.total
        expected = sum(self.kind.parts().values()) if total is None else 0
        return extent(total, counts.planned + counts.done + counts.discarded, expected)

    @property
    def _finished(self) -> bool:
        """Whether all planned items are played, so that no model has to be reachable."""
        counts = self.store.counts()
        return (
            counts.planned == 0
            and self.store.about() is None
            and 0 < self.store.total() <= counts.done + counts.discarded
        )

    async def _require_reachable(
        self, calls: CallStore, budget: CallBudget | None, transport: httpx2.AsyncBaseTransport | None
    ) -> list[str]:
        """Warnings: slow models, and games that do not fit one. Raises RunStoppedError if a model cannot be used."""
        found = await check_models(self.models.values(), calls, budget=budget, transport=transport)
        found += await self.kind.check()
        problems = [f'"{one.name}" ({one.reason.rstrip(".")})' for one in found if not one.reachable]
        if problems:
            raise RunStoppedError(
                f"these cannot be used: {', '.join(problems)}; {advice_text(found)}; "
                "or try all the same with --no-check."
            )
        slow = [f"{one.warning}." for one in found if one.warning]
        if all(model.context is None for model in self.models.values()):
            return slow
        return slow + [one.sentence for one in too_long(self.kind.estimate(), self.models)]


@contextmanager
def _announced(folder: RunFolder, calls: CallStore) -> Iterator[int]:
    """Within it, other processes can tell this process's attempts from earlier ones: see `Live.since`."""
    since = calls.newest_attempt()
    live.publish(folder.path, Live(time.time(), waits_for="word whether the models can be used", since=since))
    try:
        yield since
    finally:
        live.withdraw(folder.path)


@asynccontextmanager
async def _followed(
    runner: Runner, client: Client, folder: RunFolder, display: Display, since: int
) -> AsyncIterator[None]:
    """Within it, show and publish the run's state, and stop the run if no model answers."""

    async def follow() -> None:
        while True:
            models = client.watch()
            runner.require_progress(models)
            waits_for = runner.waits_for(models)
            display.show(models, waits_for)
            live.publish(folder.path, Live(time.time(), tuple(models), waits_for, runner.stopping, since))
            await asyncio.sleep(_REFRESH)

    follower = asyncio.create_task(follow())
    try:
        yield
    finally:
        follower.cancel()
        with suppress(asyncio.CancelledError):
            await follower


@contextmanager
def _owned(path: Path) -> Iterator[None]:
    """Hold the run's lock. The live state of a killed process is removed."""
    with locked(path):
        live.withdraw(path)
        yield


@contextmanager
def start_run(
    kind: Kind[C, Any],
    config: str | os.PathLike[str] | ConfigText,
    out: str | os.PathLike[str],
    dollars: float | None = None,
    again: str | bool | None = None,
) -> Iterator[Session[C]]:
    """Begin the run of a configuration in a folder, or go on with it if it is there.

    config: its file, or the result of reading it. dollars, again: as for `open_run`.

    Raises UsageError or StorageError. A run that ends with an exception before anything was asked or played leaves
    nothing behind.
    """
    kind_of(kind, "kind", Kind)
    out = file_path(out, "out")
    with terminable():
        given = config if isinstance(config, ConfigText) else read_config_text(file_path(config, "config"))
        materials = _with_budget(_gather(kind, given), dollars)
        made, models = _made(kind, materials, given.source, given.folder / materials.config.models)
        with (
            folders.made_folder(out, kind.name) as folder,
            _owned(folder.path),
            folders.cleared_unless_begun(folder),
            folders.create(kind.name, folder, materials) as store,
        ):
            _plan_again(store, again)
            yield Session(kind.name, folder, materials.config, made, store, models, kind.bots)


@contextmanager
def open_run(
    kind: Kind[C, Any], out: str | os.PathLike[str], dollars: float | None = None, again: str | bool | None = None
) -> Iterator[Session[C]]:
    """Go on with the run in a folder. dollars: another budget. again: the discarded item to play once more, or
    True for all of them.

    Raises UsageError or StorageError.
    """
    kind_of(kind, "kind", Kind)
    folder = folders.existing_folder(file_path(out, "out"), kind.name)
    with terminable(), _owned(folder.path), RunStore(folder.database) as store:
        materials = folders.reopen(kind.name, kind.config, folder, store)
        materials = _with_budget(materials, dollars)
        made, models = _made(kind, materials, str(folder.config), folder.models)
        _plan_again(store, again)
        yield Session(kind.name, folder, materials.config, made, store, models, kind.bots)


@contextmanager
def reading(kind: Kind[C, Any], path: str | os.PathLike[str]) -> Iterator[Loaded[C]]:
    """The run in a folder, opened for reading. Raises StorageError or UsageError."""
    kind_of(kind, "kind", Kind)
    folder = folders.existing_folder(file_path(path, "path"), kind.name)
    with RunStore(folder.database, read_only=True) as store:
        materials = folders.reopen(kind.name, kind.config, folder, store)
        made = kind.make(materials.config, materials.home, materials.content)
        yield Loaded(materials.config, made, store)


def preview(kind: Kind[C, Any], config: Path | ConfigText) -> Preview:
    """The run that a configuration would begin. Writes nothing. Raises UsageError or StorageError."""
    given = config if isinstance(config, ConfigText) else read_config_text(config)
    materials = _gather(kind, given, outline=True)
    made, models = _made(kind, materials, given.source, given.folder / materials.config.models)
    return Preview(made, models, materials.config.budget, kind.uncounted(materials.config))


def _gather(kind: Kind[C, Any], given: ConfigText, outline: bool = False) -> Materials[C]:
    """Read a configuration and the files that it names. Raises UsageError or StorageError if that fails.

    outline: only what a forecast needs.
    """
    read = kind.outline if outline else kind.materials
    config = configs.parse_config(given.text, kind.config, given.source)
    home = given.folder.absolute()
    models = home / config.models
    with configs.placed(given.text, given.source):
        return Materials(config, given.text, home, read(config, home), folders.read_if_there(models))


def _made(kind: Kind[C, Any], materials: Materials[C], source: str, path: Path) -> tuple[Plan, dict[str, Model]]:
    """The run and the entries that it uses. source: the configuration's file, for errors. path: the models'."""
    with configs.placed(materials.text, source):
        made = kind.make(materials.config, materials.home, materials.content)
        return made, _models(made, path, materials)


def _with_budget(materials: Materials[C], dollars: float | None) -> Materials[C]:
    """The materials with another budget, if one is given."""
    if dollars is None:
        return materials
    budget = msgspec.structs.replace(materials.config.budget, dollars=number(dollars, "dollars", 0.0))
    config = msgspec.structs.replace(materials.config, budget=budget)
    return msgspec.structs.replace(materials, config=config)


def _plan_again(store: RunStore, what: str | bool | None) -> None:
    if what is not None and what is not False:
        store.plan_again("all" if what is True else text(what, "again"))


def _models(kind: Plan, path: Path, materials: Materials[C]) -> dict[str, Model]:
    """The entries that the run uses. A run of bots alone needs no file. A budget needs their prices."""
    bots = bot_models(kind.models)
    if len(bots) == len(kind.models):
        return bots
    try:
        models = read_models(path)
    except LLMError as error:
        raise UsageError(f"{str(error).rstrip('.')}.") from error
    if missing := [name for name in kind.models if name not in models and name not in bots]:
        near = meant(missing[0], models)
        raise MisplacedError(
            f"{path} has no model '{missing[0]}': it has {', '.join(models) or 'none'}{near or '.'}",
            *_place_of(missing[0], materials),
        )
    found = {name: bots.get(name) or models[name] for name in kind.models}
    budget = materials.config.budget
    if budget.dollars is not None and (unpriced := [name for name, model in found.items() if _unpriced(model)]):
        raise UsageError(
            f"[{unpriced[0]}] in {path} has no prices, so a budget of ${budget.dollars:g} cannot bound what it costs: "
            "add prices = { input = ..., output = ... } in dollars per million tokens, or "
            'prices = "free" if it costs nothing.'
        )
    return found


def _place_of(model: str, materials: Materials[C]) -> tuple[str, ...]:
    """The path in the configuration to the first player that is this model."""
    players = msgspec.to_builtins(materials.config).get("players", {})
    return next((("players", name, "model") for name, one in players.items() if one.get("model") == model), ())


def _unpriced(model: Model) -> bool:
    return model.prices is None and not model.scripted
