"""The executor of Ray actors, for clusters: the extra `ray`. Limits hold as for worker processes, one actor per lane.

Joins the cluster that is configured (RAY_ADDRESS, `ray start`), or starts Ray on this machine and stops it at the end.
The workers of a cluster must have this package installed. An actor takes one processor of the cluster until its pool is
closed, so a job waits while another pool has them all.
"""

import importlib
import threading
import time
from concurrent.futures import Future
from typing import Any, TypeVar

from engine.errors import ExecutionError
from engine.execute.job import Job, Outcome, failed, stopped
from engine.execute.pool import LanePool
from engine.execute.processes import decode, encode
from engine.execute.worker import READY, Worker

T = TypeVar("T")


def load_ray() -> Any:
    """The ray module. Raises ExecutionError if it is not installed."""
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise ExecutionError(
            "the ray executor needs Ray, which is not installed: install antemill[ray], or use another executor."
        ) from error


class RayPool(LanePool):
    """An executor of Ray actors, at most (and if `workers` is None, exactly) one per processor of the cluster."""

    def __init__(self, workers: int | None) -> None:
        self._ray = load_ray()
        self._started = False
        self._join()
        processors = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        super().__init__(lambda: _RayLane(self._ray), min(workers or processors, processors))

    def _join(self) -> None:
        if not self._ray.is_initialized():
            self._ray.init(include_dashboard=False, log_to_driver=False, configure_logging=False)
            self._started = True

    def submit(self, job: Job[T]) -> Future[Outcome[T]]:
        self._join()
        return super().submit(job)

    def close(self) -> None:
        super().close()
        if self._started:
            self._ray.shutdown()
            self._started = False


class _RayLane:
    """A lane that performs jobs in an actor of Ray, which it starts for its first job and replaces when it is lost."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._lock = threading.Lock()  # guards the two below
        self._actor: Any = None
        self._interrupted = False

    def perform(self, job: Job[T]) -> Outcome[T]:
        try:
            call = encode(job)
        except Exception as error:
            return failed(job.key, "it can not be sent to a worker", error)
        errors = self._ray.exceptions
        start = time.perf_counter()
        try:
            actor = self._live_actor()
            answer = self._ray.get(actor.load.remote(call))
            start = time.perf_counter()
            if answer == READY:
                answer = self._ray.get(actor.work.remote(), timeout=job.limits.seconds)
        except errors.GetTimeoutError:
            return self._stopped(job, "timeout", start)
        except errors.OutOfMemoryError:
            return self._stopped(job, "memory", start)
        except errors.RayActorError as error:
            status = "cancelled" if self._interrupted else "crashed"
            return self._stopped(job, status, start, str(error).partition("\n")[0])
        outcome: Outcome[T] = decode(job, answer)
        if outcome.status == "memory":
            self.close()
        return outcome

    def interrupt(self) -> None:
        with self._lock:
            self._interrupted = True
            if self._actor is not None:
                self._ray.kill(self._actor)

    def reset(self) -> None:
        if self._interrupted:
            self.close()
            self._interrupted = False

    def close(self) -> None:
        with self._lock:
            actor, self._actor = self._actor, None
        if actor is not None:
            self._ray.kill(actor)

    def _live_actor(self) -> Any:
        if self._actor is None:
            actor = self._ray.remote(num_cpus=1, max_restarts=0)(Worker).remote()
            with self._lock:
                self._actor = actor
                if self._interrupted:
                    self._ray.kill(actor)
        return self._actor

    def _stopped(self, job: Job[T], status: Any, start: float, how: str = "") -> Outcome[T]:
        self.close()
        return stopped(job, status, time.perf_counter() - start, how)
