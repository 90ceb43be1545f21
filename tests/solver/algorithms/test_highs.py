"""HiGHS: what it finds, when it stops, and what it leaves."""

from __future__ import annotations

import _thread
import subprocess
import sys
import threading

import numpy as np
import pytest
from scipy import sparse

from antemill.engine.errors import ExecutionError
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


def test_it_says_nothing() -> None:
    """Its first solver in a process would print its version to the standard output."""
    line = "from tests.solver.algorithms.test_highs import *; optimum(program(), None, None)"
    done = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True)
    assert done.stdout == ""
