"""The loop of a run: items in flight, and the handling of each kind of failure.

    again   asked again by the client until the model's deadline, or until three attempts may have been charged; then
            the item counts like a refused one
    stop    401, 402, 407, the budget, a key that is not set: the run stops (exit 3)
    item    any other refusal: the item is discarded with the server's sentence once its model answers another one.
            Eight items in a row without an answer of that model, or all there are of a model that never answered, stay
            planned, and the run stops (exit 3); an item in which it had answered earlier questions is not counted
    silence no model has answered for `patience` seconds, and all that are asked fail: the run stops (exit 3)

    replies that cannot be used: all of a model's first eight, or twenty in a row: the run stops (exit 3), because its
            items would be played at random; if `fallbacks` is 0, it goes on
    a server that counts fewer tokens than it was sent: the run stops, or goes on with a warning (`truncated`)
    another error, of a disk or a player: the run stops
    the first interruption: no new call; the calls in flight are awaited, because they are paid for
    the second: they are dropped

Whenever a run stops, calls that only queue or wait between two attempts end at once. All waiting is by the event loop's
monotonic clock: the system's clock may jump.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from antemill import llm
from antemill.engine.errors import AntemillError
from antemill.tournament.runs import stops, wording
from antemill.tournament.runs.breaker import Breaker
from antemill.tournament.runs.config import Limits
from antemill.tournament.runs.interrupts import interruptible
from antemill.tournament.runs.kind import Plan
from antemill.tournament.runs.pending import Pending
from antemill.tournament.runs.progress import Display, Silent
from antemill.tournament.runs.records import Played, Record
from antemill.tournament.runs.store import RunStore

_SILENT = 8  # items in a row without an answer of their model


class AbandonedError(Exception):
    """The run is stopping: the item is dropped, and played again when the run is resumed."""


class Asks(Protocol):
    """The part of `antemill.llm.Client` that a run needs."""

    async def ask(self, model_name: str, request: llm.Request) -> llm.Reply:
        """A reply, or an LLMError."""
        ...

    def drop(self) -> None:
        """Send nothing more: calls that are only waiting end with CallDroppedError."""
        ...

    def watch(self) -> Sequence[llm.ModelState]:
        """The state of each model's calls."""
        ...


class Runner:
    """Works on one run until it is finished or has to stop. Each session makes its own.

    capacity: calls at a time for each model. answered: models that have answered in an earlier session. bots: the
    scripted models of this package, whose fallbacks are not counted.
    """

    def __init__(
        self,
        store: RunStore,
        kind: Plan,
        client: Asks,
        limits: Limits,
        capacity: Mapping[str, int] | None = None,
        display: Display | None = None,
        answered: Collection[str] = (),
        bots: Collection[str] = (),
    ) -> None:
        self._store = store
        self._kind = kind
        self._client = client
        self._limits = limits
        self._display = display or Silent(quiet=True)
        self._pending = Pending(capacity or {})
        self._running: dict[asyncio.Task[Record], Record] = {}
        self._ever = set(answered)  # models that have answered
        self._guilty: list[tuple[Record, llm.CallError]] = []  # failed items whose models have answered others
        self._failed: dict[str, list[tuple[Record, llm.CallError]]] = {}  # by model, in a row
        self._answers = set[tuple[str, int]]()  # models, and the positions of items in which they have answered
        self._cutters: set[str] = set()  # models that seem to cut prompts
        self._planned = 0
        self._expected = sum(kind.parts().values()) if kind.total is None else 0  # items
        self._reason: BaseException | None = None
        self._interrupted = False
        self._wake = asyncio.Event()
        self._began = self._success = time.monotonic()
        self._answered = 0
        self._bots = bots
        self._breaker = Breaker(limits.fallbacks)
        self._warned = set[str]()

    @property
    def stopping(self) -> bool:
        """Whether no new call may be made."""
        return self._reason is not None

    async def run(self) -> None:
        """Work until the end. Raises RunStoppedError or another AntemillError, or InterruptedRunError."""
        await self._store.begin_session()
        records = self._store.records()
        self._planned = len(records)
        self._pending.add(record for record in records if record.status == "planned")
        with interruptible(self._interrupt):
            try:
                await self._work()
                while self._running:  # stopping: nothing new starts
                    await self._wait()
            finally:
                await self._cancel()
        if self._reason is not None:
            raise self._reason

    async def _work(self) -> None:
        """Work until all is done or the run is to stop. Failures while it stops do not change the reason."""
        try:
            while not self.stopping and await self._step():
                pass
        except AntemillError:
            if not self.stopping:
                raise

    def stop(self, reason: BaseException) -> None:
        """Stop the run. The first reason counts. Calls in flight are awaited."""
        self._reason = self._reason or reason
        self._client.drop()
        self._wake.set()

    def waits_for(self, models: Sequence[llm.ModelState]) -> str:
        """What the run waits for, in words."""
        return wording.waits(models, len(self._running), self._store.held)

    def require_progress(self, models: Sequence[llm.ModelState]) -> None:
        """Stop if no model has answered for too long, and every model that is asked fails. Call it regularly."""
        now, answered = time.monotonic(), sum(state.answered for state in models)
        if answered != self._answered:
            self._answered, self._success = answered, now
        silent = now - self._success
        if self.stopping or silent <= self._limits.patience or not self._running:
            return
        asked = [state for state in models if state.busy]
        slow = any((state.oldest or 0.0) > self._limits.patience / 2 for state in asked)  # within its own time-out
        failed = [state for state in models if state.failing]
        if failed and not slow and all(state.failing for state in asked):
            causes = "; ".join(f"{state.name}: {state.last_error.rstrip('.')}" for state in failed)
            self.stop(stops.stalled(f"nothing has succeeded for {wording.duration(silent)} ({causes})"))

    def answered(self, model: str, reply: llm.Reply, record: Record) -> None:
        """A model has answered a call of an item, in this session or an earlier one."""
        if not reply.stored:
            self._ever.add(model)
            self._answers.add((model, record.position))
            if model in self._failed:
                self._guilty += self._failed.pop(model)
                self._wake.set()
        if reply.cut and model not in self._cutters:
            self._cutters.add(model)
            what = f'"{model}" seems to read a part of its prompts only: {reply.cut}; give its server a larger window'
            if self._limits.truncated == "stop":
                other = 'or let the run go on with truncated = "go on" in [limits]'
                self.stop(stops.RunStoppedError(f"{what}, {other}; {stops.KEPT}"))
            else:
                self._display.say(f"warning: {what}.")

    # ------------------------------------------------------------------------------------------ the loop

    async def _step(self) -> bool:
        """Start what can start, and wait for something to happen; False when everything is done."""
        while self._guilty:
            await self._discard(*self._guilty.pop())
        while len(self._running) < self._limits.in_flight and (record := self._pending.take()) is not None:
            self._begin(record)
        if self._running:
            await self._wait()
            return True
        if self._failed:
            return self._decide()
        return await self._plan()

    def _begin(self, record: Record) -> None:
        self._running[asyncio.create_task(self._attempt(record))] = record

    def _decide(self) -> bool:
        """No other item is left: failed items are at fault if their model has ever answered. False: the run stops."""
        for model, failed in list(self._failed.items()):
            if model not in self._ever:
                self.stop(stops.reason_for(failed[0][1]))
                return False
            self._guilty += self._failed.pop(model)
        return True

    async def _plan(self) -> bool:
        """All planned items are finished: ask the kind for more. Returns whether there are more."""
        finished = self._store.records() if self._planned else []
        items = self._kind.next_items(finished)
        if items:
            await self._store.plan(items, self._planned, self._kind.total, self._expected)
            self._pending.add(Record(self._planned + i, item) for i, item in enumerate(items))
            self._planned += len(items)
            self._display.report(None, self._size())
        else:
            await self._store.end_plan()
        return bool(items)

    async def _attempt(self, record: Record) -> Record:
        access = _Access(self._client, self, record)
        start = time.monotonic()
        played = await self._kind.play(record.item, access)
        now = time.monotonic()
        await self._store.finish(record.item.key, played, access.cost, now - start, now - self._began)
        self._judge(played, access.fresh)
        return Record(record.position, record.item, "done", played.row, access.cost, played.fallbacks, record.timeouts)

    def _judge(self, played: Played, fresh: Mapping[int, str]) -> None:
        """Count the replies of a played item, and warn or pause if those of a model cannot be used."""
        for call, cause in played.replies:
            if call in fresh and fresh[call] not in self._bots:
                self._breaker.count(fresh[call], cause)
        tripped = self._breaker.tripped()
        new = [one for one in tripped if one.model not in self._warned]
        self._warned = {one.model for one in tripped}
        for one in new:
            self._display.say(f"{one.sentence}.", alarm=True)
        if tripped and self._breaker.pauses:
            what = "; ".join(one.sentence for one in tripped)
            self.stop(stops.stalled(f"{what}; `list` and `show` have them, [limits] fallbacks = 0 plays on"))

    async def _wait(self) -> None:
        """Wait until an item ends, or the run is to stop."""
        wake = asyncio.create_task(self._wake.wait())
        try:
            await asyncio.wait({wake, *self._running}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            wake.cancel()
        self._wake.clear()
        for task in [task for task in self._running if task.done()]:
            await self._ended(task, self._running.pop(task))

    async def _cancel(self) -> None:
        """Drop the items in flight."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        self._running.clear()

    # ------------------------------------------------------------------------------------------ the end of an item

    async def _ended(self, task: asyncio.Task[Record], record: Record) -> None:
        self._pending.release(record)
        if task.cancelled():
            return
        error = task.exception()
        try:
            if error is None:
                self._success = time.monotonic()
                self._display.report(task.result(), self._size())
            elif isinstance(error, llm.AgainError | llm.ItemError) and error.model:
                await self._fail(record, error)
            elif not isinstance(error, AbandonedError | llm.CallDroppedError):
                self.stop(stops.reason_for(error))
        except AntemillError as broken:  # the store
            self.stop(broken)

    async def _fail(self, record: Record, error: llm.CallError) -> None:
        """An item has got no answer. It is discarded when its model answers another one."""
        now = time.monotonic() - self._began
        await self._store.fail(record.item.key, str(error), error.timed_out, False, now)
        failed = self._failed.setdefault(error.model, [])
        failed.append((record, error))
        silent = sum((error.model, one.position) not in self._answers for one, _ in failed)
        if silent >= _SILENT:
            what = f"{silent} items in a row got no answer"
            self.stop(stops.stalled(f"{what} ({stops.sentence_of(error)}): {llm.advice_on(error)}"))

    async def _discard(self, record: Record, error: llm.CallError) -> None:
        self._success = time.monotonic()  # a discarded item counts as progress
        await self._store.fail(record.item.key, str(error), False, True, self._success - self._began)
        after = Record(record.position, record.item, "discarded", timeouts=record.timeouts + error.timed_out)
        self._display.report(after, self._size())

    def _size(self) -> wording.RunSize:
        return wording.extent(self._kind.total, self._planned, self._expected)

    def _interrupt(self, number: int) -> None:
        if self._interrupted:
            self._store.wait_no_longer()
            for task in self._running:
                task.cancel()
            return
        self._interrupted = True
        self.stop(stops.InterruptedRunError(number))
        if text := wording.interrupted(self._client.watch(), self._store.held):
            self._display.say(text)


class _Access:
    """An item's access to the client, which sums the item's cost."""

    def __init__(self, client: Asks, runner: Runner, record: Record) -> None:
        self._client = client
        self._runner = runner
        self._record = record
        self.cost = 0.0
        self.fresh: dict[int, str] = {}  # the models of the calls that were made in this session

    async def ask(self, model: str, request: llm.Request) -> llm.Reply:
        """One reply. Raises AbandonedError if the run is stopping."""
        if self._runner.stopping:
            raise AbandonedError
        reply = await self._client.ask(model, request)
        self._runner.answered(model, reply, self._record)
        self.cost += reply.usage.cost
        if not reply.stored:
            self.fresh[reply.call] = model
        return reply
