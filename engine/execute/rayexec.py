"""The executor of a cluster: actors of Ray, one per worker, which one thread of this process drives with `ray.wait`.

Joins the cluster that is configured (RAY_ADDRESS, `ray start`), or starts Ray on this machine and stops it at the end.
An actor takes one processor until its pool is closed. Before its first job it reports its versions
(`antemill.engine.execute.versions`): an actor whose results could differ from this process's ends the run. Then it
calls `warm`, so that kernels are compiled once on each node.

Nodes come and go. A job whose worker was lost is performed again by another worker, up to `TRIES` times. By default
there are as many workers as the cluster has processors at the time. Jobs are given only to workers that have started,
since a cluster may never have a processor for the others. Only jobs and outcomes are sent, at most a window of
them: a job writes large results to storage itself.
"""

from __future__ import annotations

import atexit
import importlib
import logging
import os
import pickle
import queue
import signal
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from antemill.engine.errors import ExecutionError
from antemill.engine.execute.job import Job, Outcome, Status, failed, sentence, stopped
from antemill.engine.execute.pool import AHEAD, NO_SETUP, Setup
from antemill.engine.execute.processes import decode, encode
from antemill.engine.execute.versions import differences, versions
from antemill.engine.execute.worker import READY, Worker

T = TypeVar("T")
TRIES = 3  # tries of one job; also, for every wanted worker, the workers in a row that may be lost before they start
POLL = 0.1  # seconds between checks for submitted or cancelled jobs while jobs are running
COUNT = 5.0  # seconds between counts of the cluster's processors
KNOCKING = 10.0  # seconds that a cluster has to accept a connection
LEAVING = 20.0  # seconds that `close` waits for the thread


def load_ray() -> Any:
    """The ray module. Raises ExecutionError if it is not installed."""
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise ExecutionError(
            "the ray executor needs Ray, which is not installed: install antemill[ray], or use another executor."
        ) from error


class RayPool:
    """An executor of Ray actors: `workers` of them, at most (and by default) one per processor of the cluster."""

    def __init__(self, workers: int | None, setup: Setup = NO_SETUP) -> None:
        self._ray = load_ray()
        self._asked = workers
        self._setup = setup
        self._started = False
        self._inbox: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._join()
        self.workers = self._size()

    @property
    def window(self) -> int:
        return AHEAD * self.workers

    def submit(self, job: Job[T]) -> Future[Outcome[T]]:
        future: Future[Outcome[T]] = Future()
        future.set_running_or_notify_cancel()
        try:
            call = encode(job)
        except Exception as error:
            future.set_result(failed(job.key, "it cannot be sent to a worker", error))
            return future
        if self._thread is None:
            self._join()
            atexit.register(self.close)
            crew = Crew(self._ray, self._setup)
            self._thread = threading.Thread(target=self._drive, args=(crew, self._inbox), name="ray", daemon=True)
            self._thread.start()
        self._inbox.put(("add", _Task(job, call, future)))
        return future

    def cancel(self, future: Future[Any]) -> None:
        self._inbox.put(("cancel", future))

    def close(self) -> None:
        if self._thread is not None:
            self._inbox.put(("stop", None))
            self._thread.join(LEAVING)
            self._thread = None
            self._inbox = queue.SimpleQueue()
            atexit.unregister(self.close)
        if self._started:
            self._ray.shutdown()
            self._started = False

    def _join(self) -> None:
        if self._ray.is_initialized():
            return
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no statistics are sent to Ray's makers
        logging.getLogger("ray").setLevel(logging.CRITICAL)
        where = os.environ.get("RAY_ADDRESS", "")
        try:
            _require_listener(where)
            with _signals_kept():
                self._ray.init(include_dashboard=False, log_to_driver=False, configure_logging=False)
        except Exception as error:
            what = f"cannot join the Ray cluster at {where}" if where else "cannot start or join Ray"
            why = error.strerror.lower() if isinstance(error, OSError) and error.strerror else sentence(error)
            raise ExecutionError(f"{what}: {why.rstrip('.')}.") from error
        self._started = True

    def _size(self) -> int:
        processors = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        return min(self._asked or processors, processors)

    def _drive(self, crew: Crew, inbox: queue.SimpleQueue[tuple[str, Any]]) -> None:
        """The main function of the thread: handles requests until "stop"."""
        counted = time.monotonic()
        try:
            while True:
                while not (crew.busy and inbox.empty()):
                    what, value = inbox.get()
                    if what == "stop":
                        return
                    crew.add(value) if what == "add" else crew.cancel(value)
                try:
                    if time.monotonic() > counted + COUNT:
                        counted, self.workers = time.monotonic(), self._size()
                    crew.turn(self.workers)
                except self._ray.exceptions.RayError as error:
                    crew.fail(ExecutionError(f"the Ray cluster has failed: {_reason(error)}."))
                except Exception as error:
                    crew.fail(error)
        finally:
            crew.disband()


@dataclass(eq=False, slots=True)
class _Task:
    """A job that has no outcome yet."""

    job: Job[Any]
    call: bytes
    future: Future[Any]
    tries: int = 0


@dataclass(eq=False, slots=True)
class _Hand:
    """An actor and its activity: "greeting", "loading" a task, "working" on it, or "idle"."""

    actor: Any
    doing: str = "greeting"
    task: _Task | None = None
    start: float = 0.0
    proven: bool = False  # whether it has loaded a task


class Crew:
    """The actors and the tasks of one pool; used by one thread."""

    def __init__(self, ray: Any, setup: Setup) -> None:
        self._ray = ray
        self._lost = (ray.exceptions.RayActorError, ray.exceptions.ObjectLostError, ray.exceptions.OutOfMemoryError)
        self._greeting = (setup.preload, pickle.dumps(setup.warm), versions(setup.preload))
        self._waiting: deque[_Task] = deque()
        self._hands: set[_Hand] = set()
        self._idle: list[_Hand] = []
        self._awaited: dict[Any, _Hand] = {}
        self._unborn = 0  # workers in a row that were lost before they started

    @property
    def busy(self) -> bool:
        """Whether a task has no outcome yet."""
        return bool(self._waiting) or any(hand.task is not None for hand in self._hands)

    def add(self, task: _Task) -> None:
        """Accept a task."""
        self._waiting.append(task)

    def cancel(self, future: Future[Any]) -> None:
        """End the task of this future, if it has no outcome yet."""
        for task in self._waiting:
            if task.future is future:
                self._waiting.remove(task)
                future.set_result(stopped(task.job, "cancelled", 0.0))
                return
        for hand in self._hands:
            if hand.task is not None and hand.task.future is future:
                self._stop(hand, "cancelled")
                return

    def turn(self, size: int) -> None:
        """Give waiting tasks to at most `size` workers, wait up to `POLL` seconds for answers, and take them."""
        self._hire(size)
        while self._waiting and self._idle:
            hand = self._idle.pop()
            hand.task = self._waiting.popleft()
            self._ask(hand, "loading", hand.actor.load, hand.task.call)
        ready, _ = self._ray.wait(list(self._awaited), num_returns=1, timeout=POLL)
        if ready:
            ready, _ = self._ray.wait(list(self._awaited), num_returns=len(self._awaited), timeout=0)
        for reference in ready:
            if reference in self._awaited:  # otherwise its worker was ended meanwhile
                self._take(self._awaited.pop(reference), reference)

    def fail(self, error: BaseException) -> None:
        """End all tasks: their futures raise the error, and the workers are released."""
        tasks = [*self._waiting, *(hand.task for hand in self._hands if hand.task is not None)]
        self._release_all()
        for task in tasks:
            task.future.set_exception(error)

    def disband(self) -> None:
        """Cancel every task and release the workers."""
        tasks = [*self._waiting, *(hand.task for hand in self._hands if hand.task is not None)]
        self._release_all()
        for task in tasks:
            task.future.set_result(stopped(task.job, "cancelled", 0.0))

    def _hire(self, size: int) -> None:
        wanted = len(self._waiting) + sum(hand.task is not None for hand in self._hands)
        for _ in range(len(self._hands), min(size, wanted)):
            actor = self._ray.remote(num_cpus=1, max_restarts=0)(RayWorker).remote()
            hand = _Hand(actor)
            self._hands.add(hand)
            self._ask(hand, "greeting", actor.greet, *self._greeting)

    def _ask(self, hand: _Hand, doing: str, method: Any, *args: Any) -> None:
        hand.doing, hand.start = doing, time.perf_counter()
        self._awaited[method.remote(*args)] = hand

    def _take(self, hand: _Hand, reference: Any) -> None:
        """Handle the answer or the loss of a worker."""
        try:
            answer = self._ray.get(reference)
        except self._lost as error:
            self._replace(hand, error)
            return
        except self._ray.exceptions.RayError as error:
            self._refuse(hand, error)
            return
        if hand.doing == "greeting":
            where, refusal = answer
            if refusal:
                raise ExecutionError(
                    f"the node {where} cannot take part: it has {refusal}; install the same packages there as here, "
                    "or leave it out of the cluster."
                )
            self._unborn = 0
            self._rest(hand)
        elif answer == READY:
            hand.proven = True
            self._ask(hand, "working", hand.actor.work)
        else:
            self._finish(hand, answer)

    def _finish(self, hand: _Hand, answer: bytes) -> None:
        task = hand.task
        assert task is not None
        outcome: Outcome[Any] = decode(task.job, answer)
        if outcome.status == "memory":  # the worker's state is unknown
            self._dismiss(hand)
        else:
            self._rest(hand)
        task.future.set_result(outcome)

    def _replace(self, hand: _Hand, error: Exception) -> None:
        """Handle the loss of a worker, or of the node with its answer: its task waits again, up to `TRIES` times."""
        if hand.task is None:
            self._unborn += 1
            self._dismiss(hand)
            if self._unborn > TRIES * (len(self._hands) + 1):
                raise ExecutionError(f"no worker of the Ray cluster comes up: {sentence(error)}")
            return
        if hand.doing == "working" or not hand.proven:  # otherwise it was lost while it was idle
            hand.task.tries += 1
        if hand.task.tries == TRIES:
            memory = isinstance(error, self._ray.exceptions.OutOfMemoryError)
            self._stop(hand, "memory" if memory else "crashed", _reason(error))
            return
        self._waiting.appendleft(hand.task)
        self._dismiss(hand)

    def _refuse(self, hand: _Hand, error: Exception) -> None:
        """Handle a failure of Ray to make a worker, or to fetch its answer."""
        task = hand.task
        self._dismiss(hand)
        if task is None:
            raise ExecutionError(
                f"a node of the Ray cluster cannot do the work ({_reason(error)}): "
                "install antemill on every node as it is here."
            )
        task.future.set_result(failed(task.job.key, "the cluster lost its result", error))

    def _stop(self, hand: _Hand, status: Status, how: str = "") -> None:
        """End a worker, and its task with this status."""
        task = hand.task
        assert task is not None
        self._dismiss(hand)
        task.future.set_result(stopped(task.job, status, time.perf_counter() - hand.start, how))

    def _rest(self, hand: _Hand) -> None:
        hand.task, hand.doing = None, "idle"
        self._idle.append(hand)

    def _dismiss(self, hand: _Hand) -> None:
        hand.task = None
        self._hands.discard(hand)
        self._awaited = {reference: other for reference, other in self._awaited.items() if other is not hand}
        with suppress(ValueError):
            self._idle.remove(hand)
        self._kill(hand)

    def _release_all(self) -> None:
        for hand in self._hands:
            self._kill(hand)
        self._waiting.clear()
        self._hands.clear()
        self._idle.clear()
        self._awaited.clear()

    def _kill(self, hand: _Hand) -> None:
        with suppress(self._ray.exceptions.RayError, RuntimeError):  # it is gone, or Ray is
            self._ray.kill(hand.actor)


class RayWorker(Worker):
    """The class of the actors."""

    def greet(self, preload: tuple[str, ...], warm: bytes, ours: dict[str, str]) -> tuple[str, str]:
        """Become ready for jobs. Returns this node's address, and the versions that differ as text, "" for none."""
        where: str = load_ray().util.get_node_ip_address()
        for module in preload:
            try:
                importlib.import_module(module)
            except ImportError as error:
                return where, f"no {error.name}"
        if different := differences(versions(preload), ours):
            return where, ", ".join(different)
        call: Callable[[], object] | None = pickle.loads(warm)
        if call is not None:
            call()
        return where, ""


def _require_listener(address: str) -> None:
    """Raise OSError if no server listens at HOST:PORT: Ray would retry for minutes."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdigit() and "/" not in host:
        socket.create_connection((host.strip("[]"), int(port)), KNOCKING).close()


def _reason(error: Exception) -> str:
    """The most informative line of one of Ray's long messages."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__).rstrip(".")


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Keep this program's handler of SIGTERM, which Ray replaces, and hide Ctrl-C from processes that Ray starts."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    except SystemExit:  # Ray's answer to a SIGTERM meanwhile
        signal.signal(signal.SIGTERM, before)
        signal.raise_signal(signal.SIGTERM)
        raise
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
