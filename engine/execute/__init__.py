"""The one place that starts threads and processes: a `Job` goes in, an `Outcome` comes out.

    for outcome in run([Job(seed, seed, build_game) for seed in range(1000)], "processes"):
        store(outcome.unwrap())

job        Job, Outcome; the call of a job's function
workers    run: order and the bounded window; threads, and processes from a server
ray        the same on a cluster, whose nodes come and go
progress   a bar on stderr
later      compiling kernels in another process
"""

from antemill.engine.execute.job import Job, Outcome
from antemill.engine.execute.progress import Progress, progress_bar, silent
from antemill.engine.execute.workers import (
    EXECUTORS,
    Executor,
    Setup,
    beside,
    default_workers,
    run,
)

__all__ = [
    "EXECUTORS",
    "Executor",
    "Job",
    "Outcome",
    "Progress",
    "Setup",
    "beside",
    "default_workers",
    "progress_bar",
    "run",
    "silent",
]
