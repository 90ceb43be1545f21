"""The inside of a worker process or a Ray actor: it receives calls as bytes, and answers with bytes.

A call is a pickled `Job`. An answer is a pickled `Outcome`, whose key is None if the call could not be unpickled.
Unpickling a call imports the module of its function; only then its clock starts.
"""

import importlib
import os
import pickle
import signal
import threading
from multiprocessing.connection import Connection, wait
from multiprocessing.process import parent_process
from typing import Any

from antemill.engine.execute.job import Job, Outcome, failed, perform

READY = b"ready"  # the worker is up, or the call is unpickled and starts now


class Worker:
    """Performs one job at a time: `load` it, then `work`."""

    def load(self, call: bytes) -> bytes:
        """Unpickle a call. Returns READY, or an answer with the reason if the call cannot be unpickled."""
        try:
            self.job: Job[Any] = pickle.loads(call)
        except Exception as error:
            return pickle.dumps(failed(None, "it cannot be loaded in the worker", error))
        return READY

    def work(self) -> bytes:
        """Perform the job that was loaded, and return the answer."""
        job = self.job
        return _answer(job, perform(job))


def _answer(job: Job[Any], outcome: Outcome[Any]) -> bytes:
    try:
        return pickle.dumps(outcome, protocol=5)
    except Exception as error:
        return pickle.dumps(failed(job.key, "its result cannot be sent back", error))


def serve(connection: Connection, preload: tuple[str, ...]) -> None:
    """The main function of a worker process: answers calls until the other end of the connection closes."""
    os.setpgid(0, 0)  # Ctrl-C does not reach this process, and a kill of its group also ends what a job has started
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(2, 1)  # a job's output must not get into the command's JSON
    threading.Thread(target=_die_with_parent, daemon=True).start()
    for module in preload:
        importlib.import_module(module)
    worker = Worker()
    try:
        connection.send_bytes(READY)
        while True:
            answer = worker.load(connection.recv_bytes())
            connection.send_bytes(answer)
            if answer == READY:
                connection.send_bytes(worker.work())
    except (EOFError, OSError):
        return


def _die_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os.killpg(0, signal.SIGKILL)
