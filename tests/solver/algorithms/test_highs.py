"""HiGHS: what it finds, when it stops, and what it leaves."""

from __future__ import annotations

import _thread
import gc
import os
import signal
import subprocess
import sys
import threading
import weakref
from typing import Any

import highspy
import numpy as np
import pytest
from scipy import sparse

from antemill.engine.errors import ExecutionError
from antemill.solver.algorithms import highs
from antemill.solver.algorithms.highs import optimum
from antemill.solver.algorithms.sequence_program import Program


def program(low: float = 1.0, size: int = 1) -> Program:
    """Minimise the sums of pairs of variables, each pair between `low` and 2."""
    matrix = sparse.csr_array(sparse.block_diag([np.ones((1, 2))] * size))
    free = np.zeros(2 * size, np.bool_)
    return Program(np.ones(2 * size), matrix, np.full(size, low), np.full(size, 2.0), free)


def test_the_optimum_and_its_duals() -> None:
    found = optimum(program(), None, None)
    assert found.variables.sum() == 1.0
    assert found.duals.tolist() == [1.0]


def test_what_has_no_solution() -> None:
    with pytest.raises(ExecutionError, match=r"the linear program was not solved: Infeasible"):
        optimum(program(low=3.0), None, None)


def hard(size: int = 30) -> Program:
    """A program of many steps: a random matrix game."""
    rng = np.random.default_rng(0)
    payoffs = rng.normal(size=(size, size))
    rows = np.vstack((np.hstack((payoffs, np.ones((size, 1)))), [1.0] * size + [0.0]))
    cost, free = np.eye(size + 1)[size], np.arange(size + 1) == size
    return Program(cost, sparse.csr_array(rows), np.eye(size + 1)[size], np.array([np.inf] * size + [1.0]), free)


def test_it_asks_after_every_step_whether_to_go_on() -> None:
    steps: list[int] = []

    def beside() -> bool:
        steps.append(len(steps))
        return len(steps) < 10

    with pytest.raises(TimeoutError):
        optimum(hard(), None, beside)
    assert len(steps) == 10
    assert optimum(hard(), None, lambda: True).variables[:-1].sum() == pytest.approx(1.0)


def test_what_is_raised_beside_it_comes_out_and_no_solver_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[weakref.ref[highs._Solver]] = []

    class Noted(highs._Solver):
        def __init__(self) -> None:
            super().__init__()  # type: ignore[no-untyped-call, unused-ignore]
            made.append(weakref.ref(self))

    monkeypatch.setattr(highs, "_Solver", Noted)

    def beside() -> bool:
        raise KeyboardInterrupt

    optimum(hard(), None, lambda: True)
    with pytest.raises(KeyboardInterrupt):
        optimum(hard(), None, beside)
    gc.collect()
    assert [reference() for reference in made] == [None, None]


def test_an_interrupt_while_it_computes_is_one_afterwards() -> None:
    """It comes from a thread, so mostly when HiGHS is at work and no line of Python runs."""
    begun = threading.Event()

    def interrupt() -> None:
        begun.wait()
        _thread.interrupt_main()

    def beside() -> bool:
        begun.set()
        return True

    def interrupted() -> None:
        optimum(hard(200), None, beside)
        thread.join()

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    thread.join()


def test_an_interrupt_ends_presolve_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Presolve asks nothing, but it looks at the time limit, and so does what follows, before it asks."""
    limited, statuses = threading.Event(), list[highspy.HighsModelStatus]()

    class Interrupted(highs._Solver):
        def setOptionValue(self, name: str, value: Any) -> highspy.HighsStatus:  # noqa: N802
            found = super().setOptionValue(name, value)
            if value == 0.0:
                limited.set()
            return found

        def run(self) -> highspy.HighsStatus:
            _thread.interrupt_main()
            assert limited.wait(30.0)
            found = super().run()
            statuses.append(self.getModelStatus())
            return found

    monkeypatch.setattr(highs, "_Solver", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        optimum(hard(), None, None)
    assert statuses == [highspy.HighsModelStatus.kTimeLimit]


def test_other_signals_reach_the_event_loop_that_listens() -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    handler, loop = signal.signal(signal.SIGUSR1, lambda *_: None), signal.set_wakeup_fd(writer)
    try:
        with highs._told_at_once(lambda: None):
            signal.raise_signal(signal.SIGUSR1)
        assert signal.set_wakeup_fd(loop) == writer
    finally:
        signal.set_wakeup_fd(loop)
        signal.signal(signal.SIGUSR1, handler)
    assert os.read(reader, 9) == bytes([signal.SIGUSR1])
    os.close(reader)
    os.close(writer)


def test_it_says_nothing() -> None:
    """Its first solver in a process would print its version to the standard output."""
    line = "from tests.solver.algorithms.test_highs import *; optimum(program(), None, None)"
    done = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True)
    assert done.stdout == ""
