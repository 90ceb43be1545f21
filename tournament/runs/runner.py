"""The loop of a run: items in flight, and what happens at the end of each.

    again   asked again by the client until the model's deadline, or until three attempts may have been charged; then
            the item counts like a refused one
    stop    401, 402, 407, the budget, a key that is not set: the run stops (exit 3)
    item    any other refusal: the item is discarded, or the run stops (exit 3), as `faults` says

    silence no model has answered for `patience` seconds, and all that are asked fail: the run stops (exit 3)
    replies that cannot be used: the run stops (exit 3), as `breaker` says; if `fallbacks` is 0, it goes on
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

from antemill import llm
from antemill.engine.errors import AntemillError
from antemill.tournament.runs import stops, wording
from antemill.tournament.runs.asking import AbandonedError, Asks, ItemAccess
from antemill.tournament.runs.breaker import Breaker
from antemill.tournament.runs.config import Limits
from antemill.tournament.runs.faults import Faults
from antemill.tournament.runs.interrupts import interruptible
from antemill.tournament.runs.kind import Plan
from antemill.tournament.runs.pending import Pending
from antemill.tournament.runs.progress import Display, Silent
from antemill.tournament.runs.records import Record
from antemill.tournament.runs.store import RunStore


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
        self._faults = Faults(answered)
        self._cutters: set[str] = set()  # models that seem to cut prompts
        self._planned = 0
        self._expected = sum(kind.parts().values()) if kind.total is None else 0  # items
        self._reason: BaseException | None = None
        self._interrupted = False
        self._wake = asyncio.Event()
        self._began = self._success = time.monotonic()
        self._answered = 0
        self._breaker = Breaker(limits.fallbacks, bots)

    @property
    def stopping(self) -> bool:
        """Whether no new call may be made."""
        return self._reason is not None

    async def run(self) -> None:
        """Work until the end. Raises RunStoppedError or another AntemillError, or InterruptedRunError."""
        self._store.begin_session()
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
        return wording.waits(models, len(self._running))

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
        if not reply.stored and self._faults.answered(model, record):
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
        while (found := self._faults.guilty()) is not None:
            self._discard(*found)
        while len(self._running) < self._limits.in_flight and (record := self._pending.take()) is not None:
            self._running[asyncio.create_task(self._attempt(record))] = record
        if self._running:
            await self._wait()
            return True
        if self._faults:
            if (reason := self._faults.decided()) is not None:
                self.stop(reason)
            return not self.stopping
        return self._plan()

    def _plan(self) -> bool:
        """All planned items are finished: ask the kind for more. Returns whether there are more."""
        finished = self._store.records() if self._planned else []
        items = self._kind.next_items(finished)
        if items:
            self._store.plan(items, self._planned, self._kind.total, self._expected)
            self._pending.add(Record(self._planned + i, item) for i, item in enumerate(items))
            self._planned += len(items)
            self._display.report(None, self._size())
        else:
            self._store.end_plan()
        return bool(items)

    async def _attempt(self, record: Record) -> Record:
        access = ItemAccess(self._client, self, record)
        start = time.monotonic()
        played = await self._kind.play(record.item, access)
        now = time.monotonic()
        self._store.finish(record.item.key, played, access.cost, now - start, now - self._began)
        for sentence in self._breaker.judge(played, access.fresh):
            self._display.say(sentence, alarm=True)
        if self._breaker.pauses and (tripped := self._breaker.tripped()):
            what = "; ".join(one.sentence for one in tripped)
            self.stop(stops.stalled(f"{what}; `list` and `show` have them, [limits] fallbacks = 0 plays on"))
        return Record(record.position, record.item, "done", played.row, access.cost, played.fallbacks, record.timeouts)

    async def _wait(self) -> None:
        """Wait until an item ends, or the run is to stop."""
        wake = asyncio.create_task(self._wake.wait())
        try:
            await asyncio.wait({wake, *self._running}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            wake.cancel()
        self._wake.clear()
        for task in [task for task in self._running if task.done()]:
            self._ended(task, self._running.pop(task))

    async def _cancel(self) -> None:
        """Drop the items in flight."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        self._running.clear()

    # ------------------------------------------------------------------------------------------ the end of an item

    def _ended(self, task: asyncio.Task[Record], record: Record) -> None:
        self._pending.release(record)
        if task.cancelled():
            return
        error = task.exception()
        try:
            if error is None:
                self._success = time.monotonic()
                self._display.report(task.result(), self._size())
            elif isinstance(error, llm.AgainError | llm.ItemError) and error.model:
                self._fail(record, error)
            elif not isinstance(error, AbandonedError | llm.CallDroppedError):
                self.stop(stops.reason_for(error))
        except AntemillError as broken:  # the store
            self.stop(broken)

    def _fail(self, record: Record, error: llm.CallError) -> None:
        """An item has got no answer: it stays planned until it is known whose fault that is."""
        self._store.fail(record.item.key, str(error), error.timed_out, False, time.monotonic() - self._began)
        if (reason := self._faults.failed(record, error)) is not None:
            self.stop(reason)

    def _discard(self, record: Record, error: llm.CallError) -> None:
        self._success = time.monotonic()  # a discarded item counts as progress
        self._store.fail(record.item.key, str(error), False, True, self._success - self._began)
        after = Record(record.position, record.item, "discarded", timeouts=record.timeouts + error.timed_out)
        self._display.report(after, self._size())

    def _size(self) -> wording.RunSize:
        return wording.extent(self._kind.total, self._planned, self._expected)

    def _interrupt(self, number: int) -> None:
        if self._interrupted:
            for task in self._running:
                task.cancel()
            return
        self._interrupted = True
        self.stop(stops.InterruptedRunError(number))
        if text := wording.interrupted(self._client.watch()):
            self._display.say(text)
