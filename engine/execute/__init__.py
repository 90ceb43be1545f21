"""The one place that starts threads and processes: a `Job` goes in, an `Outcome` comes out.

    for outcome in run([Job(seed, seed, build_game) for seed in range(1000)], "processes", done=finished_keys):
        store(outcome.unwrap())

job        Job, Outcome; the call of a job's function
runner     run: order, the bounded window, resumption, cancellation
pool       the contract of every executor (Executor, Setup), and the threads that drive the lanes of one machine
threads    serial and threads: no processes
processes  worker processes, which can be killed   (child: a worker seen by its parent, worker: inside of it)
rayexec    Ray actors: the same on a cluster, whose nodes come and go   (versions: the nodes that may take part)
progress   a bar on stderr
ahead      reading ahead in a thread
later      compiling kernels in another process
"""

from antemill.engine.execute.job import Job, Outcome, Status, checkpoint
from antemill.engine.execute.pool import Executor, Setup, default_workers
from antemill.engine.execute.processes import beside
from antemill.engine.execute.progress import Progress, progress_bar, silent
from antemill.engine.execute.runner import EXECUTORS, make_executor, run

__all__ = [
    "EXECUTORS",
    "Executor",
    "Job",
    "Outcome",
    "Progress",
    "Setup",
    "Status",
    "beside",
    "checkpoint",
    "default_workers",
    "make_executor",
    "progress_bar",
    "run",
    "silent",
]
