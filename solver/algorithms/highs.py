"""Linear programs solved by HiGHS. Importing this module loads HiGHS."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

import highspy
import numpy as np

from antemill.engine.errors import ExecutionError
from antemill.solver.algorithms.sequence_program import Program
from antemill.solver.game import Array

_STOPPED = (highspy.HighsModelStatus.kTimeLimit, highspy.HighsModelStatus.kInterrupt)


class Optimum(NamedTuple):
    """A solution."""

    variables: Array
    duals: Array  # of the rows


class _Solver(highspy.Highs):  # type: ignore[misc, unused-ignore]
    """HiGHS that prints nothing. By default it prints its version when callbacks are enabled."""

    def enableCallbacks(self) -> None:  # noqa: N802
        self.silent()
        super().enableCallbacks()  # type: ignore[no-untyped-call, unused-ignore]


def optimum(program: Program, seconds: float | None, beside: Callable[[], bool] | None) -> Optimum:
    """Solve a program by the dual simplex method.

    beside: called after every step; it stops the solver by returning False. Raises TimeoutError then, or after
    `seconds`; what `beside` raises; ExecutionError with the status of HiGHS if it fails.
    """
    solver = _Solver()  # type: ignore[no-untyped-call, unused-ignore]
    solver.setOptionValue("time_limit", highspy.kHighsInf if seconds is None else seconds)
    if solver.passModel(_model(program)) == highspy.HighsStatus.kError:
        raise ExecutionError("the linear program was not solved: HiGHS refuses its numbers.")
    try:
        _run(solver, beside)
    finally:
        # Callbacks refer to the solver, so its memory would never be freed.
        solver.disableCallbacks()  # type: ignore[no-untyped-call, unused-ignore]
    status = solver.getModelStatus()
    if status in _STOPPED:
        raise TimeoutError("the linear program was stopped before it was solved.")
    if status != highspy.HighsModelStatus.kOptimal:
        raise ExecutionError(f"the linear program was not solved: {solver.modelStatusToString(status)}")
    found = solver.getSolution()
    return Optimum(np.asarray(found.col_value), np.asarray(found.row_dual))


def _run(solver: highspy.Highs, beside: Callable[[], bool] | None) -> None:
    """Run HiGHS. An exception of `beside`, or Ctrl-C, takes effect after HiGHS has stopped."""
    raised: list[BaseException] = []

    def out_of_time() -> None:  # presolve calls nothing back, but it reads the time limit
        solver.setOptionValue("time_limit", 0.0)

    with _interrupts_held(out_of_time) as held:

        def step(_: object, __: str, ___: object, answer: highspy.cb.HighsCallbackInput, ____: object) -> None:
            try:
                answer.user_interrupt = bool(held) or not (beside is None or beside())
            except BaseException as error:
                raised.append(error)
                answer.user_interrupt = True

        solver.setCallback(step, None)
        solver.startCallback(highspy.cb.HighsCallbackType.kCallbackSimplexInterrupt)
        solver.run()
    if raised:
        raise raised.pop()


@contextmanager
def _interrupts_held(stop: Callable[[], None]) -> Iterator[list[int]]:
    """Within this block Ctrl-C calls `stop` and is noted in the list that the block gets. It is raised afterwards.

    Raised where a callback begins, it would look to HiGHS like an error of its own.
    """
    held: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield held
        return
    with _told_at_once(stop):
        before = signal.signal(signal.SIGINT, lambda number, _: held.append(number))
        try:
            yield held
        finally:
            signal.signal(signal.SIGINT, before or signal.SIG_DFL)
    if held:
        signal.raise_signal(signal.SIGINT)


@contextmanager
def _told_at_once(stop: Callable[[], None]) -> Iterator[None]:
    """Within this block another thread calls `stop` on Ctrl-C.

    Python's own signal handlers wait until HiGHS calls a function of Python. A pipe receives the signal at once.
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    earlier = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)

    def listen() -> None:
        while number := os.read(reader, 1):
            if number[0] == signal.SIGINT:
                stop()
            elif earlier >= 0:  # for the event loop that listens otherwise
                with suppress(OSError):
                    os.write(earlier, number)

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(earlier)
        os.close(writer)
        listener.join()
        os.close(reader)


def _model(program: Program) -> highspy.HighsLp:
    model, infinity = highspy.HighsLp(), highspy.kHighsInf
    model.num_row_, model.num_col_ = program.matrix.shape
    model.col_cost_ = program.cost
    model.col_lower_ = np.where(program.free, -infinity, 0.0)
    model.col_upper_ = np.full(len(program.cost), infinity)
    model.row_lower_, model.row_upper_ = program.low, program.high
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_, model.a_matrix_.index_ = program.matrix.indptr, program.matrix.indices
    model.a_matrix_.value_ = program.matrix.data
    return model
