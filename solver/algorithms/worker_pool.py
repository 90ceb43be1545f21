"""The threads that make iterations of the CFR family, and the learners that they update.

The execution layer starts the threads; each gets one job here.
"""

from __future__ import annotations

from contextlib import closing
from types import TracebackType
from typing import Self

import numpy as np

from antemill.engine.execute import Executor, Job, make_executor, run
from antemill.solver.algorithms.barrier import abandon, new_barrier
from antemill.solver.algorithms.learner import average_policy, fill_plans, new_learners, new_workspace
from antemill.solver.algorithms.partition import partition_of
from antemill.solver.algorithms.table import Rule
from antemill.solver.algorithms.traversal import Team, iterate
from antemill.solver.evaluation.measures import average_exploitability
from antemill.solver.game import Array
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.trees.sequence_form import Sides


class WorkerPool:
    """Makes iterations of a rule with several threads. A context manager: leaving it releases the threads and the
    memory.

    start: the strategy profile to start from; by default uniform play. storage: the type of the learners' numbers.
    The result is the same for any number of workers.
    """

    def __init__(
        self,
        both: Sides,
        rule: Rule,
        workers: int = 1,
        start: StrategyProfile | None = None,
        storage: type = np.float64,
    ) -> None:
        self.both = both
        self._workspace = new_workspace(both, storage)
        self.learners = new_learners(both, start, storage, rule.simultaneous, self._workspace)
        self.done = 0
        self._lent = False  # whether the buffer of the plans may hold something else
        self._rule = rule
        self._partition = partition_of(both[0], workers), partition_of(both[1], workers)
        self._team = Team(new_barrier(), workers)
        self._executor: Executor | None = make_executor("threads", workers) if workers > 1 else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        abandon(self._team.barrier)
        if self._executor is not None:
            self._executor.close()
        del self.learners, self._workspace

    def advance(self, iterations: int) -> None:
        """Make this many more iterations. After an exception the state of the learners is invalid."""
        start, stop = self.done + 1, self.done + iterations + 1
        if self._lent:
            fill_plans(self.both, self.learners)
            self._lent = False
        if self._executor is None:
            self._work(0, start, stop)
        else:
            jobs = [Job(worker, 0, _call, (self, worker, start, stop)) for worker in range(self._team.workers)]
            self._run(jobs, self._executor)
        self.done += iterations

    def _run(self, jobs: list[Job[None]], executor: Executor) -> None:
        """Run one job per thread. The jobs wait for each other, so all must run, or none."""
        try:
            with closing(run(jobs, executor)) as outcomes:
                for outcome in outcomes:
                    outcome.unwrap()
        except BaseException:
            abandon(self._team.barrier)
            raise

    def _work(self, worker: int, start: int, stop: int) -> None:
        iterate(*self.both, *self.learners, *self._partition, worker, self._team, self._rule, start, stop)

    def average(self) -> StrategyProfile:
        """The average policies, in new arrays."""
        return average_policy(self.both, self.totals())

    def totals(self) -> tuple[Array, Array]:
        """The sums of plans behind the average policies; further iterations change them."""
        return self.learners[0].total, self.learners[1].total

    def exploitability(self) -> float:
        """The exploitability of the average policies, in chips. It uses only the memory of the pool."""
        self._lent = True
        return average_exploitability(self.both, self.totals(), self._workspace)


def _call(_: int, pool: WorkerPool, worker: int, start: int, stop: int) -> None:
    try:
        pool._work(worker, start, stop)
    except BaseException:
        abandon(pool._team.barrier)
        raise
