"""Ray as one function: jobs as tasks on a cluster, with their outcomes as they come.

Joins the cluster that is configured (RAY_ADDRESS, `ray start`), or starts Ray on this machine and stops it at the end.
Each task takes one processor. Nodes come and go: Ray repeats a task whose worker was lost, up to `TRIES` times. Only
jobs and outcomes are sent, at most a window of them: a job writes large results to storage itself, complete or absent,
and refuses to work with other versions than the command's (`antemill.tournament.pool.work`).
"""

from __future__ import annotations

import functools
import importlib
import logging
import os
import pickle
import signal
import socket
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from antemill.engine.errors import ExecutionError
from antemill.engine.execute.job import Job, Outcome, perform, sentence
from antemill.engine.execute.workers import AHEAD, NO_SETUP, Setup

T = TypeVar("T")
TRIES = 3  # of a job whose worker is lost
COUNT = 5.0  # seconds between counts of the cluster's processors
KNOCKING = 10.0  # seconds that a cluster has to accept a connection


def on_ray(
    jobs: Iterable[Job[T]], workers: int | None = None, setup: Setup = NO_SETUP
) -> Generator[Outcome[T], None, None]:
    """Yield the outcome of every job as soon as it is there. workers: how many jobs run at a time; None: as many as the
    cluster has processors. Raises ExecutionError if the cluster cannot be used, or loses a job's worker too often.
    """
    try:
        ray: Any = importlib.import_module("ray")
    except ImportError as error:
        raise ExecutionError("the executor ray needs Ray, which is not installed: install antemill[ray].") from error
    ours = not ray.is_initialized()
    _join(ray)
    task = ray.remote(num_cpus=1, max_retries=TRIES)(_perform)
    waiting, warm = iter(jobs), pickle.dumps(setup)
    running: dict[Any, Job[T]] = {}
    try:
        while True:
            processors = max(1, int(ray.cluster_resources().get("CPU", 1)))
            while len(running) < (workers or AHEAD * processors) and (job := next(waiting, None)) is not None:
                running[task.remote(pickle.dumps(job), warm)] = job
            if not running:
                return
            ready, _ = ray.wait(list(running), num_returns=1, timeout=COUNT)
            for reference in ready:
                running.pop(reference)
                yield pickle.loads(ray.get(reference))
    except ray.exceptions.RayError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        why = (lines[-1] if lines else type(error).__name__).rstrip(".")
        raise ExecutionError(f"the Ray cluster cannot do the work ({why}).") from error
    finally:
        for reference in running:
            with suppress(Exception):  # it has ended, or the cluster is gone
                ray.cancel(reference, force=True)
        if ours:
            ray.shutdown()


def _perform(call: bytes, setup: bytes) -> bytes:
    """The task: an outcome as bytes."""
    _prepare(setup)
    return pickle.dumps(perform(pickle.loads(call)))


@functools.cache
def _prepare(setup: bytes) -> None:
    """Prepare this worker of Ray; once on each node kernels are compiled."""
    prepared: Setup = pickle.loads(setup)
    for module in prepared.preload:
        importlib.import_module(module)
    if prepared.warm is not None:
        prepared.warm()


def _join(ray: Any) -> None:
    """Join the configured cluster, or start one on this machine."""
    if ray.is_initialized():
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no statistics are sent to Ray's makers
    logging.getLogger("ray").setLevel(logging.CRITICAL)
    where = os.environ.get("RAY_ADDRESS", "")
    try:
        host, colon, port = where.rpartition(":")
        if colon and port.isdigit() and "/" not in host:  # Ray would knock for minutes
            socket.create_connection((host.strip("[]"), int(port)), KNOCKING).close()
        with _signals_kept():
            ray.init(include_dashboard=False, log_to_driver=False, configure_logging=False)
    except Exception as error:
        what = f"cannot join the Ray cluster at {where}" if where else "cannot start or join Ray"
        why = error.strerror.lower() if isinstance(error, OSError) and error.strerror else sentence(error)
        raise ExecutionError(f"{what}: {why.rstrip('.')}.") from error


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
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
