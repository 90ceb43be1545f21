"""The exact exploitability of a policy without a tree in memory, for games of some 10^10 nodes.

A best response for one player, the responder, is worked out as follows:

1. The histories that lead to the responder's first decisions (or to later ones, if these are few) are written down,
   each with the probability of what chance and the opponent did, and grouped by information set. Too many of them come
   in several passes, by a hash of the set's key.
2. The groups are dealt into parts, which threads work on side by side. A part walks depth first through all that
   follows its histories (`streamed_walk`), in one array a level; it keeps a value for each action of each information
   set that it meets, and backward induction gives the value of its groups.
3. If these sets become too many, the part is halved; a single group is divided into the groups after it.
4. The values of all parts are added to the sequences that lead to them, and backward induction ends at the root.

The parts and the order of additions depend only on the game and the policy. So any number of threads gives the same
bits, and so does a run that was killed and resumed. Every part verifies perfect recall for its own information sets.
Then the result is the exploitability that `measures` has on a tree, up to rounding. Each responder's walk also gives
the value of the policy against itself; the two must agree.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from antemill.engine.execute import Job, checkpoint, run
from antemill.engine.machine.branches import root_state
from antemill.engine.machine.program import Program
from antemill.solver.evaluation import streamed_arrays as arrays
from antemill.solver.evaluation import streamed_walk as walking
from antemill.solver.evaluation.measures import Measures
from antemill.solver.evaluation.parts import Part, Parts
from antemill.solver.evaluation.streamed_arrays import Histories, Sets
from antemill.solver.evaluation.streamed_walk import NEVER
from antemill.solver.evaluation.tally import OnProgress, Tally
from antemill.solver.evaluation.tree_size import widest_menu
from antemill.solver.game import Array
from antemill.solver.policies.policy import Policy, Strategy, strategy_by_state

VERSION = 1  # of what parts are
_FIRST_SETS, _FIRST_HISTORIES, _FIRST_LEVELS = 1 << 12, 1 << 12, 64  # initial capacity
_SLICE = 1_000_000  # nodes between two looks at the keyboard
_AGREE = 1e-9  # of the values that the two walks find, in starting stacks


class Division(NamedTuple):
    """How the work is divided. Other numbers give the same result up to rounding."""

    sets: int = 1 << 22  # most information sets of a part; they take some 300 MB a thread
    histories: int = 1 << 21  # most histories of a pass; about as much, once
    passes: int = 4096  # at most; then a pass may have more histories
    groups: int = 64  # if there are fewer, groups begin at later decisions
    trial: int = 20_000_000  # most nodes of the walk that tries later decisions
    parts: int = 256  # of each responder, about
    in_turn: int = 16  # parts that a group is divided into when it is too large for one


DIVISION = Division()


class _Game(NamedTuple):
    """What a walk needs to know."""

    code: Array
    root: Array
    width: int
    policy: Strategy
    seat: int  # the responder
    division: Division


class _Groups(NamedTuple):
    """Histories by information set: those of group g are numbers first[g] .. first[g + 1] - 1."""

    histories: Histories
    first: Array  # int64[groups + 1]
    parent: Array  # int32[groups] the sequence that leads to the group

    @property
    def size(self) -> int:
        """Number of groups."""
        return len(self.parent)

    def part(self, low: int, high: int) -> _Groups:
        """The groups low .. high - 1, numbered from 0."""
        a, b = int(self.first[low]), int(self.first[high])
        some = Histories(*(column[a:b] for column in self.histories))
        some = some._replace(group=some.group - np.int32(low))
        return _Groups(some, self.first[low : high + 1] - a, self.parent[low:high])


_Run = tuple[int, int]  # the first of some groups, and the one after the last of them


class _Walked(NamedTuple):
    """What a walk has found. histories: those written down, in the order of the walk."""

    sets: Sets
    histories: Histories
    total: float
    nodes: int


class _Caps(NamedTuple):
    """What a walk may find before it is abandoned; None: no limit."""

    sets: int | None = None
    histories: int | None = None
    nodes: int | None = None


def streamed_measures(
    program: Program,
    table: Policy,
    workers: int = 1,
    path: Path | None = None,
    on_progress: OnProgress | None = None,
    sizes: tuple[float, float] = (0.0, 0.0),
    division: Division = DIVISION,
) -> Measures:
    """The exact value of the policy and of both best responses to it; the exploitability is half of their sum.

    workers: threads. path: the file of finished parts, from which a later run continues; the caller may delete it when
    it has the result. on_progress: called often, by any thread. sizes: the estimated nodes for each responder, from
    which the progress is computed at first.
    Raises StorageError, and RuntimeError if the keys do not give perfect recall, which would be a bug.
    """
    tally = Tally(on_progress, sizes)
    policy, root = strategy_by_state(table), root_state(program)
    found = []
    with Parts(path, _about(program, table, division)) as parts:
        for seat in (0, 1):
            game = _Game(program.code, root, widest_menu(program), policy, seat, division)
            found.append(_respond(game, parts, workers, tally))
    (alice, value), (bob, lost) = found
    if abs(value + lost) > _AGREE * program.chips:
        raise RuntimeError(f"{program.names.game}: the walks for Alice and for Bob disagree about the policy's value")
    return Measures(value, (alice, bob))


def _about(program: Program, table: Policy, division: Division) -> str:
    """A line that names the game, the policy, and how it is divided into parts."""
    digest = hashlib.blake2b(digest_size=16)
    for column in (table.key, table.start, table.probability):
        digest.update(np.ascontiguousarray(column).tobytes())
    words = VERSION, program.digest, digest.hexdigest(), int(table.abstraction), *division
    return f"antemill response {' '.join(map(str, words))}"


def _respond(game: _Game, parts: Parts, workers: int, tally: Tally) -> tuple[float, float]:
    """The value of the best response, and of the policy, for the responder, in chips."""
    tally.begin(game.seat)
    start = arrays.at_the_start()
    top = _top(game, start)

    def evaluate(number: int, below: _Groups) -> Iterator[tuple[_Run, _Value]]:
        runs = _dealt(below, max(8, game.division.parts // top.passes))
        dealt = {(game.seat, number, i): bounds for i, bounds in enumerate(runs)}
        for name in dealt.keys() & parts.found.keys():
            tally.add(parts.found[name].nodes, earlier=True)
        jobs = [Job(name, 0, _work, (game, below.part(*bounds), tally)) for name, bounds in dealt.items()]
        waiting = [job for job in jobs if job.key not in parts.found]
        with closing(run(waiting, "threads" if workers > 1 else "serial", workers)) as outcomes:
            for name, bounds in dealt.items():
                if name not in parts.found:
                    value = _by_parent(below, bounds, next(outcomes).unwrap())
                    parts.add(Part(name, value.values.tolist(), value.total, value.nodes))
                tally.finish((number + float(below.first[bounds[1]]) / float(below.first[-1])) / top.passes)
                part = parts.found[name]
                yield bounds, _Value(np.array(part.values), part.total, part.nodes)

    found = _sum(game, start, top, evaluate)
    return float(found.values[0]), found.total


class _Top(NamedTuple):
    """The part of the game before the groups: the walk of the first pass, where it stops, and the number of passes."""

    walked: _Walked
    stop: int
    passes: int


class _Value(NamedTuple):
    """The value of some groups for the responder, in chips by reach."""

    values: Array  # float64[groups] at best; or of the sequences that lead to them
    total: float  # of all groups together, when it plays the policy
    nodes: int


def _top(game: _Game, start: Histories) -> _Top:
    """The top of the whole game: passes if there are many histories, later decisions if there are few groups."""
    first = _passes(game, start, 0)
    stop, found, division = 0, first.walked, game.division
    caps = _Caps(division.sets, division.histories, division.trial)
    while first.passes == 1 and 0 < len(np.unique(found.histories.key)) < division.groups:
        deeper = _walk(game, start, 1, stop + 1, (0, 1), caps)
        if deeper is None:
            break
        stop, found = stop + 1, deeper
    return _Top(found, stop, first.passes)


def _passes(game: _Game, start: Histories, stop: int) -> _Top:
    """A first pass that is small enough, if there is one."""
    passes = 1
    while True:
        caps = _Caps(histories=game.division.histories if passes < game.division.passes else None)
        walked = _walk(game, start, 1, stop, (0, passes), caps)
        if walked is not None:
            return _Top(walked, stop, passes)
        passes *= 4


def _sum(
    game: _Game, start: Histories, top: _Top, evaluate: Callable[[int, _Groups], Iterator[tuple[_Run, _Value]]]
) -> _Value:
    """The value of one group, or of the game: that of all that follows it, by backward induction.

    evaluate: gives the values of a pass's groups, some at a time and in order, as `_by_parent` has them.
    """
    sets, total, nodes = top.walked.sets, top.walked.total, top.walked.nodes
    for number in range(top.passes):
        walked = top.walked if number == 0 else _walk(game, start, 1, top.stop, (number, top.passes), _Caps())
        assert walked is not None  # it has no limits
        below = _grouped(walked.histories)
        for (low, high), value in evaluate(number, below) if below.size else ():
            sets.value[np.unique(below.parent[low:high])] += value.values
            total, nodes = total + value.total, nodes + value.nodes
    walking.induce(sets)
    return _Value(sets.value[:1].copy(), total, nodes)


def _work(_: int, game: _Game, groups: _Groups, tally: Tally) -> _Value:
    """The value of some groups."""
    walked = _walk(game, groups.histories, groups.size, NEVER, (0, 1), _Caps(sets=game.division.sets), tally)
    if walked is not None:
        walking.induce(walked.sets)
        return _Value(walked.sets.value[: groups.size].copy(), walked.total, walked.nodes)
    if groups.size == 1:
        top = _passes(game, groups.histories, 1)
        return _sum(game, groups.histories, top, lambda _, below: _in_turn(game, below, tally))
    half = groups.size // 2
    left, right = (_work(0, game, groups.part(*bounds), tally) for bounds in ((0, half), (half, groups.size)))
    return _Value(np.append(left.values, right.values), left.total + right.total, left.nodes + right.nodes)


def _in_turn(game: _Game, below: _Groups, tally: Tally) -> Iterator[tuple[_Run, _Value]]:
    """The values of groups, some at a time."""
    for bounds in _dealt(below, game.division.in_turn):
        yield bounds, _by_parent(below, bounds, _work(0, game, below.part(*bounds), tally))


def _by_parent(below: _Groups, bounds: _Run, value: _Value) -> _Value:
    """The values of some groups, added up for each sequence that leads to them, by ascending sequence.

    Many groups share few of these sequences, so finished parts are small.
    """
    _, place = np.unique(below.parent[slice(*bounds)], return_inverse=True)
    return value._replace(values=np.bincount(place, value.values))


def _walk(
    game: _Game,
    roots: Histories,
    groups: int,
    stop: int,
    part: tuple[int, int],
    caps: _Caps,
    tally: Tally | None = None,
) -> _Walked | None:
    """Walk from the histories `roots` of so many groups on. Returns None if one of the caps does not suffice."""
    frames, sets = arrays.new_frames(game.root, _FIRST_LEVELS, game.width), arrays.new_sets(groups, _FIRST_SETS)
    found = arrays.new_histories(_FIRST_HISTORIES if stop != NEVER else 0, _FIRST_LEVELS)
    seen = 0
    while True:
        what = walking.walk(game.code, game.seat, game.policy, roots, stop, part, frames, sets, found, _SLICE)
        checkpoint()
        nodes, written = arrays.nodes_of(frames), arrays.written_by(frames)
        if tally is not None:
            tally.add(nodes - seen)
        seen = nodes
        if what == walking.DONE:
            rows = Histories(*(column[:written] for column in found))
            return _Walked(sets, rows, float(frames.total[0]), nodes)
        if (
            (what == walking.TABLE_FULL and caps.sets is not None and len(sets.key) >= caps.sets)
            or (caps.histories is not None and written > caps.histories)
            or (caps.nodes is not None and nodes > caps.nodes)
        ):
            if tally is not None:
                tally.add(-nodes)
            return None
        if what == walking.TABLE_FULL:
            sets = arrays.larger_sets(sets)
        elif what == walking.HISTORIES_FULL:
            found = arrays.larger_histories(found, written, len(frames.state))
        elif what == walking.FRAMES_FULL:
            frames = arrays.larger_frames(game.root, frames)
        elif what == walking.COLLISION:
            raise RuntimeError("an information set has several menus or pasts, or two of them share a key")


def _grouped(found: Histories) -> _Groups:
    """Histories sorted by key, in the order of discovery within a key."""
    order, longest = np.argsort(found.key, kind="stable"), int(found.length.max(initial=1))
    found = found._replace(path=found.path[:, :longest])
    found = Histories(*(np.ascontiguousarray(column[order]) for column in found))
    starts = np.flatnonzero(np.append(True, found.key[1:] != found.key[:-1])) if len(order) else np.zeros(0, np.int64)
    first = np.append(starts, len(order))
    parent = found.group[starts]
    group = np.repeat(np.arange(len(starts), dtype=np.int32), np.diff(first))
    if bool(np.any(found.group != parent[group])):
        raise RuntimeError("an information set has several pasts, or two of them share a key")
    return _Groups(found._replace(group=group), first, parent)


def _dealt(groups: _Groups, pieces: int) -> list[_Run]:
    """The groups divided into at most `pieces` runs with about equally many histories: the first group of each run and
    the one after its last."""
    ends = np.searchsorted(groups.first, np.arange(1, pieces + 1) * (int(groups.first[-1]) / pieces))
    bounds = np.unique(np.append(0, np.minimum(ends, groups.size))).tolist()
    return list(pairwise(bounds))
