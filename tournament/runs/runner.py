"""The loop of a run: items in flight, and the handling of each kind of failure.

    a time-out                 counted; after `timeout_attempts` of them the item is discarded
    a prompt that is longer than the model's context
                               the item is discarded: no other attempt would help, and other items may be shorter
    a failure that may be this prompt's fault alone, or the model's
                               decided by the results of other prompts (`antemill.tournament.runs.fault`): the item is
                               discarded, or the run stops (RunStalledError)
    a call that was given up because its attempts may have been charged without an answer (malformed replies, broken
      connections)
                               counted likewise for the item; if it happens to five items in a row that never failed
                               before, without an answer of the model in between, the run stops (RunStalledError)
    a server's failure at one item, while the model answers others
                               counted like a time-out
    another transient error    the item is played again later; the error is never a result
    the replies of a model cannot be used, twenty in a row for one cause or more than half of the last hundred
                               the run pauses (RunStalledError), because its items would be played at random; if
                               `fallbacks` is 0, it goes on
    a server that seems to cut prompts
                               the run stops, or goes on with a warning (`truncated`)
    a quota that lasts longer than `patience`, and nothing else to do
                               the run stops (RunStalledError)
    every model that is asked fails, and none has answered for `patience` seconds
                               the run stops (RunStalledError)
    a model's account (its key, its money)
                               the run stops (RunStalledError), with one sentence; what is finished is kept
    another permanent error, the budget, a full disk, a player's fault
                               the run stops likewise
    the first interruption     no new call; the calls in flight are awaited, because they are paid for
    the second                 they are dropped

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
from antemill.tournament.runs.fault import PROBES, Faults
from antemill.tournament.runs.interrupts import interruptible
from antemill.tournament.runs.kind import Kind, Played, Record
from antemill.tournament.runs.pending import Pending
from antemill.tournament.runs.progress import Display, Silent
from antemill.tournament.runs.store import RunStore

_LONGEST_PAUSE = 60.0
_IN_VAIN = 5  # most calls in a row, of items that never failed before, that may have been charged without an answer


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
        self._in_vain: Counter[str] = Counter()  # by model: such calls of new items after its last answer
        self._faults = Faults(answered)
        self._doubts: dict[int, str] = {}  # by position: the model whose failure is doubtful
        self._answers: Counter[str] = Counter()  # by model, in this session
        self._seen: dict[int, int] = {}  # by position: number of its models' answers when the item first failed
        self._cutters: set[str] = set()  # models that seem to cut prompts
        self._resting = ""  # why a model rests for longer than `patience`
        self._planned = 0
        self._expected = sum(kind.parts().values()) if kind.total is None else 0  # items
        self._reason: BaseException | None = None
        self._interrupted = False
        self._wake = asyncio.Event()
        self._began = self._success = time.monotonic()
        self._answered = 0
        self._bots = bots
        self._breaker = Breaker(limits.fallbacks)
        self._warned = set[tuple[str, ...]]()
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
            self._in_vain.pop(model, None)
            self._answers[model] += 1
            if self._faults.answered(model):
                self._wake.set()
        if reply.cut and model not in self._cutters:
            self._cutters.add(model)
            what = f'"{model}" seems to read a part of its prompts only: {reply.cut}; give its server a larger window'
            if self._limits.truncated == "stop":
                other = 'or let the run go on with truncated = "go on" in [limits]'
                self.stop(stops.RunStoppedError(f"{what}, {other}; {stops.KEPT}"))
            else:
                self._display.say(f"warning: {what}.")

    def unanswered(self, model: str, error: llm.TransientError, new: bool) -> None:
        """A call of a model was given up. Stops the run if that repeats, costs money, and is not the item's fault.

        new: whether the item has never failed before.
        """
        self._in_vain[model] += new and stops.in_vain(error)
        if self._in_vain[model] >= _IN_VAIN:
            what = f"{self._in_vain[model]} calls in a row may have been charged without an answer"
            self.stop(stops.stalled(f"{what} ({stops.sentence_of(error)})"))

    def known(self, model: str, request: llm.Request) -> llm.CallError | None:
        """The error with which a prompt has failed before, if the fault may be its own."""
        return self._faults.known(model, request)

    def doubt(self, model: str, request: llm.Request, record: Record, error: llm.CallError) -> None:
        """A call of an item has failed, perhaps through the fault of its prompt alone."""
        self._doubts[record.position] = model
        self._faults.failed(model, request, error)

    # ------------------------------------------------------------------------------------------ the loop

    async def _step(self) -> bool:
        """Start what can start, and wait for something to happen; False when everything is done."""
        self._let_wait_again()
        for guilty, error in self._faults.guilty():
            await self._discard(guilty, error)
        now = time.monotonic()
        held = self._faults.pausing(now, self._limits.retry_pause)
        while len(self._running) < self._limits.in_flight and (record := self._pending.take(held)) is not None:
            self._begin(record)
        if self._running:
            await self._wait()
            return True
        if waiting := self._faults.suspected():
            return await self._try_suspects(waiting, now)
        if self._later:
            soonest = min(when for when, _ in self._later.values()) - now
            if self._resting and soonest > self._limits.patience:
                self.stop(stops.stalled(self._resting))
                return False
            await self._wait()
            return True
        return await self._plan()

    def _begin(self, record: Record) -> None:
        self._running[asyncio.create_task(self._attempt(record))] = record

    async def _try_suspects(self, models: Sequence[str], now: float) -> bool:
        """Nothing runs, and items wait for the results of other prompts: try those, or decide. False: the run stops."""
        for model in models:
            held = self._faults.pausing(now, self._limits.retry_pause).get(model)
            place = 0.5 ** (held.probes if held else 0)
            if held and held.probes >= PROBES:
                self.stop(stops.reason_for(held.suspects[0][1]))
                return False
            if held and held.paused_until is not None and held.paused_until > now:
                await self._wait(held.paused_until - now)
            elif held and (probe := self._pending.probe(model, place)) is not None:
                held.probes += 1
                self._begin(probe)
            elif not held and any(model in record.item.models for _, record in self._later.values()):
                await self._wait()
            elif guilty := self._faults.last(model, now, self._limits.retry_pause):
                for record, error in guilty:
                    await self._discard(record, error)
            elif held and (suspect := self._faults.again(model)) is not None:
                self._begin(suspect)
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
        new = [one for one in tripped if one[:2] not in self._warned]
        self._warned = {one[:2] for one in tripped}
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

    async def _wait(self, longest: float | None = None) -> None:
        """Wait until an item ends, one may be tried again, the run is to stop, or `longest` seconds have passed."""
        wake = asyncio.create_task(self._wake.wait())
        pause = longest
        if self._later and not self.stopping:
            later = max(0.0, min(when for when, _ in self._later.values()) - time.monotonic())
            pause = later if longest is None else min(later, longest)
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
            elif isinstance(error, llm.ContextLengthError | llm.ItemError):
                await self._discard(record, error)
            elif stops.doubtful(error, record) and record.position in self._doubts:
                await self._store.fail(record.item.key, str(error), False, False, time.monotonic() - self._began)
                self._faults.suspect(self._doubts.pop(record.position), record, error)
            elif isinstance(error, llm.TransientError | llm.StoreLockedError):
                await self._failed(record, error)
            elif not isinstance(error, AbandonedError | llm.CallDroppedError):
                if isinstance(error, llm.SpendLimitError):  # counted, so that it is doubted if it stops the run again
                    await self._store.fail(record.item.key, str(error), False, False, time.monotonic() - self._began)
                self.stop(stops.reason_for(error))
        except AntemillError as broken:  # the store
            self.stop(broken)

    async def _failed(self, record: Record, error: llm.LLMError) -> None:
        """An error of the infrastructure: try again later, or discard after too many that cost time or money."""
        timeout = isinstance(error, llm.TimedOutError)
        answers = self._answers_for(record)
        alone = answers > self._seen.setdefault(record.position, answers)
        alone = alone and isinstance(error, llm.ServerError) and not error.congested
        self._lost[record.position] += stops.in_vain(error) or alone
        if max(self._lost[record.position], timeout * (record.timeouts + 1)) >= self._limits.timeout_attempts:
            await self._discard(record, error)
            return
        now = time.monotonic()
        await self._store.fail(record.item.key, str(error), timeout, False, now - self._began)
        after = Record(record.position, record.item, timeouts=record.timeouts + timeout, attempts=record.attempts + 1)
        pause = self._pauses.get(record.position, self._limits.retry_pause)
        self._pauses[record.position] = min(2 * pause, max(_LONGEST_PAUSE, self._limits.retry_pause))
        if isinstance(error, llm.RateLimitedError) and (error.retry_after or 0.0) > self._limits.patience:
            pause = error.retry_after or 0.0
            if error.status is not None or not self._resting:  # else the limiter repeats the server's message
                self._resting = stops.sentence_of(error)
        self._later[record.position] = (now + pause, after)

    def _answers_for(self, record: Record) -> int:
        """The number of calls that the models of an item have answered in this session."""
        return sum(self._answers[model] for model in set(record.item.models))

    async def _discard(self, record: Record, error: llm.LLMError) -> None:
        timeout = isinstance(error, llm.TimedOutError)
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
        try:
            if (known := self._runner.known(model, request)) is not None:
                raise known
            reply = await self._client.ask(model, request)
        except llm.CallError as error:
            if stops.doubtful(error, self._record):
                self._runner.doubt(model, request, self._record, error)
            elif isinstance(error, llm.TransientError):
                self._runner.unanswered(model, error, self._record.attempts == 0)
            raise
        self._runner.answered(model, reply)
        self.cost += reply.usage.cost
        if not reply.stored:
            self.fresh[reply.call] = model
        return reply
