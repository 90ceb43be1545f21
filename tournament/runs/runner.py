"""The loop of a run: items in flight, and the handling of each kind of failure.

    again   a call was given up at its deadline, or after three attempts that may have been charged: its item is played
            again after a pause. It is discarded after `timeout_attempts` such ends that cost time or money, or that
            came while the model answered other items; and if every model that is asked fails, and none has answered
            for `patience` seconds, the run stops (exit 3)
    stop    401, 402, 407, the budget, a key that is not set: the run stops (exit 3)
    item    any other refusal: the item is discarded with the server's sentence once its model answers another one.
            Eight items in a row without an answer of that model, or all there are of a model that never answered, stay
            planned, and the run stops (exit 3); so it does after five whose calls may have been charged

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
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from antemill import llm
from antemill.engine.errors import AntemillError
from antemill.tournament.runs import stops, wording
from antemill.tournament.runs.breaker import Breaker
from antemill.tournament.runs.config import Limits
from antemill.tournament.runs.interrupts import interruptible
from antemill.tournament.runs.kind import Kind, Played, Record
from antemill.tournament.runs.pending import Pending
from antemill.tournament.runs.progress import Display, Silent
from antemill.tournament.runs.store import RunStore

_LONGEST_PAUSE = 60.0
_SILENT = 8  # refused items in a row, between which a model answers none
_IN_VAIN = 5  # the same, of items whose calls may have been charged


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
        kind: Kind,
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
        self._later: dict[int, tuple[float, Record]] = {}  # by position: when to try again
        self._pauses: dict[int, float] = {}
        self._lost: Counter[int] = Counter()  # by position: the item's calls that were charged in vain
        self._ever = set(answered)  # models that have answered
        self._guilty: list[tuple[Record, llm.CallError]] = []  # refused items whose models have answered others
        self._refused: dict[str, dict[int, tuple[Record, llm.CallError]]] = {}  # by model and position, in a row
        self._silent: dict[str, set[int]] = {}  # by model: positions of items that may be charged, in a row
        self._answers: Counter[str] = Counter()  # by model, in this session
        self._seen: dict[int, int] = {}  # by position: number of its models' answers when the item first failed
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
        self._told: dict[str, str] = {}  # the recorded sentences, by model

    @property
    def stopping(self) -> bool:
        """Whether no new call may be made."""
        return self._reason is not None

    async def run(self) -> None:
        """Work until the end. Raises RunStoppedError or another AntemillError, or InterruptedRunError."""
        await self._store.begin_session()
        self._told = self._store.warnings()
        records = self._store.records()
        self._planned = len(records)
        self._pending.add(record for record in records if record.status == "planned")
        with interruptible(self._interrupt):
            try:
                await self._work()
                while self._running:  # stopping: nothing new starts
                    await self._wait()
                if self._warned:  # the last replies count, too
                    await self._warn()
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
        later = min((when for when, _ in self._later.values()), default=None)
        wait = None if later is None else max(0.0, later - time.monotonic())
        return wording.waits(models, len(self._running), wait, self._store.held)

    def require_progress(self, models: Sequence[llm.ModelState]) -> None:
        """Stop if no model has answered for too long, and every model that is asked fails. Call it regularly."""
        now, answered = time.monotonic(), sum(state.answered for state in models)
        if answered != self._answered:
            self._answered, self._success = answered, now
        silent = now - self._success
        if self.stopping or silent <= self._limits.patience or not (self._running or self._later):
            return
        asked = [state for state in models if state.busy]
        slow = any((state.oldest or 0.0) > self._limits.patience / 2 for state in asked)  # within its own time-out
        failed = [state for state in models if state.failing]
        if failed and not slow and all(state.failing for state in asked):
            causes = "; ".join(f"{state.name}: {state.last_error.rstrip('.')}" for state in failed)
            self.stop(stops.stalled(f"nothing has succeeded for {wording.duration(silent)} ({causes})"))

    def answered(self, model: str, reply: llm.Reply) -> None:
        """A model has answered a call, in this session or an earlier one."""
        if not reply.stored:
            self._ever.add(model)
            self._silent.pop(model, None)
            self._answers[model] += 1
            if model in self._refused:
                self._guilty += self._refused.pop(model).values()
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
        self._let_wait_again()
        while self._guilty:
            await self._discard(*self._guilty.pop())
        while len(self._running) < self._limits.in_flight and (record := self._pending.take()) is not None:
            self._begin(record)
        if self._running or self._later:
            await self._wait()
            return True
        if self._refused:
            return self._decide()
        return await self._plan()

    def _begin(self, record: Record) -> None:
        self._running[asyncio.create_task(self._attempt(record))] = record

    def _decide(self) -> bool:
        """No other item is left: refused items are at fault if their model has ever answered. False: the run stops."""
        for model, refused in list(self._refused.items()):
            if model not in self._ever:
                self.stop(stops.reason_for(next(iter(refused.values()))[1]))
                return False
            self._guilty += self._refused.pop(model).values()
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
        await self._judge(played, access.fresh)
        return Record(record.position, record.item, "done", played.row, access.cost, played.fallbacks, record.timeouts)

    async def _judge(self, played: Played, fresh: Mapping[int, str]) -> None:
        """Count the replies of a played item, and warn or pause if those of a model cannot be used."""
        for call, cause in played.replies:
            if call in fresh and fresh[call] not in self._bots:
                self._breaker.count(fresh[call], cause)
        tripped = self._breaker.tripped()
        new = [one for one in tripped if one.model not in self._warned]
        self._warned = {one.model for one in tripped}
        if new or (self._told.keys() & self._breaker.used) - {one.model for one in tripped}:
            await self._warn()
        for one in new:
            self._display.say(f"{one.sentence}.", alarm=True)
        if tripped and self._breaker.pauses:
            what = "; ".join(one.sentence for one in tripped)
            self.stop(stops.stalled(f"{what}; `list` and `show` have them, [limits] fallbacks = 0 plays on"))

    async def _warn(self) -> None:
        """Record whose replies cannot be used. A sentence of an earlier session holds until a reply can be used."""
        self._told = {model: said for model, said in self._told.items() if model not in self._breaker.used}
        self._told |= {one.model: f"{one.sentence}." for one in self._breaker.tripped()}
        await self._store.warn(self._told)

    async def _wait(self) -> None:
        """Wait until an item ends, one may be tried again, or the run is to stop."""
        wake = asyncio.create_task(self._wake.wait())
        pause = None
        if self._later and not self.stopping:
            pause = max(0.0, min(when for when, _ in self._later.values()) - time.monotonic())
        try:
            await asyncio.wait({wake, *self._running}, timeout=pause, return_when=asyncio.FIRST_COMPLETED)
        finally:
            wake.cancel()
        self._wake.clear()
        for task in [task for task in self._running if task.done()]:
            await self._ended(task, self._running.pop(task))

    def _let_wait_again(self) -> None:
        now = time.monotonic()
        for position, (when, record) in list(self._later.items()):
            if when <= now:
                del self._later[position]
                self._pending.add([record])

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
                self._pauses.pop(record.position, None)
                self._display.report(task.result(), self._size())
            elif isinstance(error, llm.ItemError) and error.model:
                await self._refuse(record, error)
            elif isinstance(error, llm.AgainError | llm.StoreLockedError):
                await self._failed(record, error)
            elif not isinstance(error, AbandonedError | llm.CallDroppedError):
                self.stop(stops.reason_for(error))
        except AntemillError as broken:  # the store
            self.stop(broken)

    async def _refuse(self, record: Record, error: llm.ItemError) -> None:
        """A server has refused an item's prompt. It is discarded when the model answers another one."""
        await self._store.fail(record.item.key, str(error), False, False, time.monotonic() - self._began)
        refused = self._refused.setdefault(error.model, {})
        refused[record.position] = (record, error)
        if len(refused) >= _SILENT:
            what = f"{len(refused)} items in a row were refused, and the model answered no other"
            self.stop(stops.stalled(f"{what} ({stops.sentence_of(error)}): {llm.advice_on(error)}"))

    async def _failed(self, record: Record, error: llm.LLMError) -> None:
        """An error of the infrastructure: try again later, or discard after too many that cost time or money."""
        timeout = isinstance(error, llm.CallError) and error.timed_out
        billed = isinstance(error, llm.CallError) and error.billed
        answers = self._answers_for(record)
        alone = answers > self._seen.setdefault(record.position, answers)
        busy = isinstance(error, llm.CallError) and error.congested
        said = isinstance(error, llm.CallError) and error.status is not None and not busy
        self._lost[record.position] += billed or (alone and said)
        if max(self._lost[record.position], timeout * (record.timeouts + 1)) >= self._limits.timeout_attempts:
            await self._discard(record, error)
            return
        now = time.monotonic()
        await self._store.fail(record.item.key, str(error), timeout, False, now - self._began)
        after = Record(record.position, record.item, timeouts=record.timeouts + timeout, attempts=record.attempts + 1)
        pause = self._pauses.get(record.position, self._limits.retry_pause)
        self._pauses[record.position] = min(2 * pause, max(_LONGEST_PAUSE, self._limits.retry_pause))
        if isinstance(error, llm.CallError) and busy:
            pause = max(pause, error.retry_after or 0.0)
        self._later[record.position] = (now + pause, after)
        if isinstance(error, llm.CallError) and billed:
            silent = self._silent.setdefault(error.model, set())
            silent.add(record.position)
            if len(silent) >= _IN_VAIN:
                what = f"the calls of {len(silent)} items in a row may have been charged without an answer"
                self.stop(stops.stalled(f"{what} ({stops.sentence_of(error)})"))

    def _answers_for(self, record: Record) -> int:
        """The number of calls that the models of an item have answered in this session."""
        return sum(self._answers[model] for model in set(record.item.models))

    async def _discard(self, record: Record, error: llm.LLMError) -> None:
        timeout = isinstance(error, llm.CallError) and error.timed_out
        self._success = time.monotonic()  # a discarded item counts as progress
        await self._store.fail(record.item.key, str(error), timeout, True, self._success - self._began)
        after = Record(record.position, record.item, "discarded", timeouts=record.timeouts + timeout)
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
        self._runner.answered(model, reply)
        self.cost += reply.usage.cost
        if not reply.stored:
            self.fresh[reply.call] = model
        return reply
