"""The tasks that all systems are given, and the runs: one processor, ours and theirs in turn.

Seconds are those of the processor. Every repeat measures all contestants of a task once, one after the other, so that
a load that slows the machine down for a while slows all of them down.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial

from msgspec import Struct

from antemill.solver.algorithms.table import RULES
from antemill.tournament.bench import measure
from antemill.tournament.bench.measurements import COMPARE
from antemill.tournament.bench.peers import peers, random_play, solving, vector_play
from antemill.tournament.bench.peers.peers import Peer
from antemill.tournament.bench.training import BATCHES

REPEATS = 5
_LISTS = "lists of time steps, batch 100"  # what OpenSpiel's SyncVectorEnv hands out


class Contestant(Struct, frozen=True):
    """One system's way to do a task.

    like: contestants with the same one do the same work, so that a ratio between them means something; None if no other
    system does this work.
    """

    peer: Peer
    how: str
    prepare: Callable[[measure.Setting], Sequence[measure.Work]]
    like: str | None = ""

    @property
    def name(self) -> str:
        """What the table calls it."""
        return f"{self.peer.name}, {self.how}" if self.how else self.peer.name


class Task(Struct, frozen=True):
    """A task that all systems are given."""

    name: str
    what: str
    unit: str
    contestants: tuple[Contestant, ...]


class Result(Struct, frozen=True):
    """A contestant's figure, with the version that was measured."""

    task: str
    system: str
    version: str
    unit: str
    value: float
    low: float
    high: float
    repeats: int


PINNED = hasattr(os, "sched_setaffinity")  # macOS has no such thing


class Comparison(Struct, frozen=True):
    """All results; and the systems that could not be measured, with what to do about it."""

    results: list[Result] = []
    missing: list[measure.Missing] = []
    pinned: bool = PINNED  # whether all ran on one processor; some systems cannot be told not to use more


def _random_play(game: str) -> tuple[Contestant, ...]:
    def contestant(
        peer: Peer, how: str, prepare: Callable[[str, measure.Setting], Sequence[measure.Work]]
    ) -> Contestant:
        return Contestant(peer, how, partial(prepare, game))

    found = [
        contestant(peers.OURS, "three keys and more logged", random_play.ours),
        contestant(peers.PGX, "batch 1,000, trajectories kept", partial(random_play.pgx, 1_000)),
        contestant(peers.PGX, "batch 10,000, trajectories kept", partial(random_play.pgx, 10_000)),
        contestant(peers.OPENSPIEL, "C++ rollouts, nothing logged", random_play.openspiel_nothing),
        contestant(peers.OPENSPIEL, "C++ trajectories, information states", random_play.openspiel_states),
        contestant(peers.OPENSPIEL, "Python, information states", random_play.openspiel_python),
    ]
    if game == "leduc":
        found.append(contestant(peers.RLCARD, "nothing logged", random_play.rlcard))
    return tuple(found)


def _vector_play(game: str) -> tuple[Contestant, ...]:
    return (
        *(
            Contestant(
                peers.OURS,
                f"batch {batch:,}, the present{' and all events' if events else ''}{'' if copy else ', not copied'}",
                partial(vector_play.ours, batch, events, copy, game),
                f"batch {batch:,}" if copy and not events else None,
            )
            for batch in BATCHES[-2:]  # those of pgx
            for events in (False, True)
            for copy in (True, False)
        ),
        *(
            Contestant(
                peers.OURS,
                f"as OpenSpiel's SyncVectorEnv, batch {batch:,}",
                partial(vector_play.ours_in_openspiel, batch, game),
                _LISTS if batch == 100 else None,
            )
            for batch in (100, 1_000)
        ),
        *(
            Contestant(peers.PGX, f"batch {batch:,}", partial(vector_play.pgx, batch, game), f"batch {batch:,}")
            for batch in BATCHES[-2:]
        ),
        Contestant(peers.OPENSPIEL, "SyncVectorEnv, batch 100", partial(vector_play.openspiel, game), _LISTS),
        Contestant(
            peers.OPENSPIEL,
            "SyncVectorEnv over our states, batch 100",
            partial(vector_play.openspiel_on_ours, game),
            _LISTS,
        ),
    )


def _solving() -> tuple[Contestant, ...]:
    def contestant(peer: Peer, how: str, make: solving.Make) -> Contestant:
        return Contestant(peer, how, partial(solving.to_target, make))

    own = [contestant(peers.OURS, name.upper(), partial(solving.ours, name)) for name in RULES if name != "cfr"]
    return (
        *own,
        contestant(peers.LITE_EFG, "CFR+", partial(solving.lite_efg, "CFRplus")),
        contestant(peers.LITE_EFG, "PCFR+", partial(solving.lite_efg, "PCFR")),
        contestant(peers.JAX_CFR, "", solving.jax_cfr),
        contestant(peers.OPENSPIEL, "C++ CFR+", solving.openspiel),
        contestant(peers.NOREGRET, "CFR+", solving.noregret),
    )


TASKS = (
    Task("compare-kuhn", "random play of Kuhn poker", "decisions/s", _random_play("kuhn")),
    Task("compare-leduc", "random play of Leduc poker", "decisions/s", _random_play("leduc")),
    Task("compare-vector-kuhn", "a vectorised environment of Kuhn poker", "decisions/s", _vector_play("kuhn")),
    Task("compare-vector-leduc", "a vectorised environment of Leduc poker", "decisions/s", _vector_play("leduc")),
    Task("compare-solvers", "Leduc to an exploitability of 1e-4", "s", _solving()),
)


def compare(tasks: Sequence[Task], quick: bool, done: Callable[[], None], found: Comparison) -> None:
    """Run the tasks and add to `found`, which keeps what was measured when this is interrupted.

    done: called after every contestant that is prepared, and after every repeat.
    """
    with one_processor():
        for task in tasks:
            _run(task, quick, done, found)


def steps(tasks: Sequence[Task]) -> int:
    """How often `compare` calls `done`."""
    return sum(len(task.contestants) + REPEATS for task in tasks)


def _run(task: Task, quick: bool, done: Callable[[], None], found: Comparison) -> None:
    ready: list[tuple[Contestant, measure.Work, list[float]]] = []
    measurement = measure.Measurement(task.name, COMPARE, task.what, task.unit, lambda _: ())
    try:
        with ExitStack() as stack:
            for contestant in task.contestants:
                try:
                    ready.append((contestant, _prepared(contestant, measure.Setting(quick, stack)), []))
                except measure.UnavailableError as error:
                    absent = not contestant.peer.installed
                    name = contestant.peer.name if absent else f"{task.name}: {contestant.name}"
                    if name not in {one.name for one in found.missing}:
                        found.missing.append(measure.Missing(name, str(error)))
                done()
            for _ in range(1 if quick else REPEATS):
                for _, work, values in ready:
                    values.append(measurement.value(measure.once(work, time.process_time), work.amount))
                done()
    finally:
        for contestant, _, values in ready:
            if values:
                figure = measure.figure_of(contestant.name, task.what, task.unit, values)
                found.results.append(_result(task, contestant, figure))


def _prepared(contestant: Contestant, setting: measure.Setting) -> measure.Work:
    """The contestant's work, warm. Raises UnavailableError if it is not installed or does not work here."""
    peer = contestant.peer
    if not peer.installed:
        raise measure.UnavailableError(peer.advice)
    try:
        (work,) = contestant.prepare(setting)
        measure.once(work)
    except measure.UnavailableError:
        raise
    except Exception as error:  # any error of another package; the comparison goes on
        if peer is peers.OURS:
            raise
        raise measure.UnavailableError(f"version {peer.version} failed: {type(error).__name__}: {error}") from error
    return work


def _result(task: Task, contestant: Contestant, figure: measure.Figure) -> Result:
    return Result(
        task.name,
        contestant.name,
        contestant.peer.version,
        figure.unit,
        figure.value,
        figure.low,
        figure.high,
        figure.repeats,
    )


def factor(task: Task, results: Sequence[Result], result: Result) -> float | None:
    """How many times better the best of ours that does the same work is than a result; None if none was measured."""
    likes = {contestant.name: contestant.like for contestant in task.contestants}
    like = likes.get(result.system, "")  # a stored result may be of a contestant that was renamed
    same = [one for one in results if one.task == task.name and likes.get(one.system, "") == like]
    own = [one.value for one in same if one.system.startswith(peers.OURS.name)]
    if like is None or not own:
        return None
    return max(own) / result.value if task.unit.endswith("/s") else result.value / min(own)


def shown_factor(task: Task, results: Sequence[Result], result: Result) -> str:
    """The factor as tables print it."""
    found = factor(task, results, result)
    return "–" if found is None else f"{found:.2f}"


@contextmanager
def one_processor() -> Iterator[None]:
    """Within it, this process and the threads that it starts run on one processor, where the system can do that."""
    if not PINNED:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
