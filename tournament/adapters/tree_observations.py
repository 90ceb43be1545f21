"""From a network to a strategy profile: what it plays in every information set of a game, for exact measures.

    sets = TreeObservations("kuhn")
    profile = sets.profile(lambda batch: network(batch.observations, batch.masks))
    exploitability(sets.tree, profile)

Observations and masks are those of `vector_env`; with `flat` those of `env`. The tree is walked once; the network is
asked in batches. A network with a memory is asked for the first decisions of both seats, then for those that follow,
each with the state in which it left the decision before: an information set has one past, so this is exact.

The present forgets what was seen before, and the events are those after the seat's last decision. `forgotten` says how
much: in Leduc poker 180 pairs of observation and mask stand for 288 information sets, in starter-5 2,352 for 14,478.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from antemill.engine.arguments import ArgumentValueError, truth, whole, wrong_type
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import next_branch
from antemill.engine.machine.observe import recall_key
from antemill.engine.machine.vm import advance, new_state
from antemill.engine.match.game import Game, Rules
from antemill.engine.match.view import seen_by
from antemill.engine.text.describe import journal
from antemill.engine.text.labels import class_name
from antemill.engine.text.wording import Wording
from antemill.engine.vector.event_observation import EventObservation, write_events
from antemill.engine.vector.state_observation import StateObservation
from antemill.solver.game import ALICE, BOB
from antemill.solver.policies.profile import StrategyPair, StrategyProfile
from antemill.solver.trees.build import build_tree
from antemill.tournament.extent import extent

LIMIT = 1_000_000  # nodes; a node takes some ten microseconds here
BATCH = 4_096  # information sets that the network is asked for at once


class Batch(NamedTuple):
    """Information sets, a row each."""

    observations: npt.NDArray[np.float32]  # [rows, size] as those of `vector_env`; with `flat` as those of `env`
    masks: npt.NDArray[np.int8]  # [rows, actions] 1 for each legal action
    seats: npt.NDArray[np.int8]  # [rows] 0: Alice, 1: Bob
    keys: npt.NDArray[np.int64]  # [rows] the recall key, as `keys()` of the lanes of `vector_env` gives it
    events: npt.NDArray[np.float32]  # [rows, most, width] as those of `vector_env`; [rows, 0, 0] without events


class Forgotten(NamedTuple):
    """How much observations forget."""

    pairs: int  # different pairs of observation and mask, with the events if there are some
    sets: int  # information sets


class TreeObservations:
    """The observation and the legal actions in every information set of a game.

    game: rules, a name, a seed, a path of rules. limit: of the tree's nodes. events: whether the events after the
    seat's last decision are there. flat: whether they are numbers of the observation, as in `env`. Raises UsageError
    for a larger tree.
    """

    def __init__(self, game: Rules | Game, limit: int = LIMIT, *, events: bool = False, flat: bool = False) -> None:
        known, told = game if isinstance(game, Game) else Game(game), truth(events, "events")
        if told and known.spec is None:
            raise ArgumentValueError("the events need the rules: give these, and not the program.")
        self._program = known.program
        self.tree = build_tree(self._program, whole(limit, "limit", 1))
        self.state_observation = StateObservation(self._program)
        size = 0 if known.spec is None else extent(known.spec, lambda _event, _cards: 1).log_size
        self.event_observation = EventObservation((self._program,), size)
        count = [mine.size for mine in self.tree.sets]
        most, width = (self.event_observation.most, self.event_observation.width) if told else (0, 0)
        views = np.empty((sum(count), self.state_observation.size), np.float32)
        masks = np.empty((sum(count), self.state_observation.actions), np.int8)
        seen = np.zeros((sum(count), most, width), np.float32)
        self.texts = [""] * sum(count)  # with events, what the seat has seen, a line each event
        self._wording = Wording(self._program, known.spec, class_name)
        self._fill(views, masks, seen)
        if truth(flat, "flat") and told:
            views, seen = np.concatenate((views, seen.reshape(len(seen), -1)), axis=1), seen[:, :0, :0]
        seats = np.repeat(np.array((ALICE, BOB), np.int8), count)
        self.sets = Batch(views, masks, seats, np.concatenate([mine.key for mine in self.tree.sets]), seen)

    def _fill(self, views: npt.NDArray[Any], masks: npt.NDArray[Any], seen: npt.NDArray[Any]) -> None:
        """Walk the tree until every information set is met."""
        code, first = self._program.code, self.tree.sets[ALICE].size
        places = [{int(key): i for i, key in enumerate(mine.key)} for mine in self.tree.sets]
        missing = {(seat, place) for seat in (ALICE, BOB) for place in places[seat].values()}
        root = new_state(self._program.initial_state(), self.event_observation.journal if seen.size else 0)
        advance(code, root)
        stack = [(root, (0, 0))]  # states, with the events that each seat had seen at its last decision
        while missing:
            state, shown = stack.pop()
            if state[at.STOP] == at.DECIDE:
                seat = int(state[at.SEAT])
                place = places[seat][int(recall_key(state, seat, state[at.DECISION]))]
                if (seat, place) in missing:
                    missing.remove((seat, place))
                    row = place + seat * first
                    views[row] = self.state_observation.vector(state, seat)
                    masks[row] = self.state_observation.legal(state, seat)
                    if seen.size:
                        write_events(state, seat, shown[seat], self.event_observation.forms[0], seen[row], 0)
                        heard = (one for event in journal(state) if (one := seen_by(event, seat)) is not None)
                        self.texts[row] = "\n".join(self._wording.line(one, seat) for one in heard)
                now = int(state[at.JOURNAL_N])
                shown = (now, shown[1]) if seat == ALICE else (shown[0], now)
            index = int(next_branch(code, state, 0))
            while index >= 0:
                child = state.copy()
                child[at.CHOICE] = index
                advance(code, child)
                stack.append((child, shown))
                index = int(next_branch(code, state, index + 1))

    @property
    def forgotten(self) -> Forgotten:
        """How many pairs of observation and mask stand for how many information sets."""
        parts = (part.reshape(len(part), -1) for part in (*self.sets[:3], self.sets.events))
        rows = np.concatenate([part.astype(np.float32) for part in parts], axis=1)
        return Forgotten(len(np.unique(rows, axis=0)), len(rows))

    def profile(self, network: Callable[..., Any], batch: int = BATCH, *, memory: bool = False) -> StrategyProfile:
        """The strategy profile of a network.

        network: takes a `Batch`; returns the probability of each action, [rows, actions] as numbers or a tensor on the
        processor, or the chosen action, [rows] whole numbers. Probabilities are taken where the mask is 1 and scaled to
        sum to 1. memory: whether it also takes and returns its state, an array [rows, ...], which is None at first
        decisions. batch: rows at a time. Raises UsageError for an answer of another shape, or without a positive
        probability of a legal action.
        """
        if not callable(network):
            wrong_type("network", network, "a function of a Batch", "give one that returns [rows, actions]")
        batch, kept = whole(batch, "batch", 1), None
        weights = np.empty(self.sets.masks.shape)
        for rows, before in self._levels() if memory else [(np.arange(len(weights)), np.zeros(0, np.int64))]:
            states = []
            for low in range(0, len(rows), batch):
                here = rows[low : low + batch]
                part = Batch._make(column[here] for column in self.sets)
                if memory:
                    answer, state = network(part, None if kept is None else kept[before[low : low + batch]])
                    states.append(np.asarray(state))
                else:
                    answer = network(part)
                weights[here] = _answered(answer, part)
            if memory:
                level, width = np.concatenate(states), len(weights)
                kept = np.zeros((width, *level.shape[1:]), level.dtype) if kept is None else kept
                kept[rows] = level
        alice, bob = (
            np.concatenate((np.ones(1), weights[self.sets.seats == seat][self.sets.masks[self.sets.seats == seat] > 0]))
            for seat in (ALICE, BOB)
        )
        return StrategyPair(alice, bob)

    def _levels(self) -> list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        """The rows after 0, 1, 2, ... own decisions, each with the row of the decision before it."""
        before, depth, first = [], np.zeros(len(self.sets.seats), np.int64), 0
        for mine in self.tree.sets:
            parent = np.searchsorted(mine.start, mine.parent_sequence, side="right") - 1
            before.append(np.where(mine.parent_sequence > 0, parent + first, -1))
            first += mine.size
        above = np.concatenate(before)
        for row in range(len(above)):  # a set comes after the one before it
            depth[row] = depth[above[row]] + 1 if above[row] >= 0 else 0
        levels = [np.flatnonzero(depth == level) for level in range(int(depth.max(initial=-1)) + 1)]
        return [(rows, above[rows]) for rows in levels]


def forgotten(game: Rules | Game, events: bool = True, limit: int = LIMIT) -> Forgotten:
    """How many pairs of observation and mask, as `env` gives them, stand for how many information sets of a game.

    Raises what `TreeObservations` raises.
    """
    return TreeObservations(game, limit, events=events).forgotten


def _answered(answer: Any, part: Batch) -> npt.NDArray[np.float64]:
    """The probabilities of legal actions that a network has answered."""
    try:
        found = np.asarray(answer)
    except (TypeError, ValueError):  # rows of different lengths
        found = np.zeros(0)
    if found.shape == part.seats.shape and found.dtype.kind in "iu":
        found = np.eye(part.masks.shape[1])[found]
    if found.shape != part.masks.shape or found.dtype.kind not in "biuf":
        raise ArgumentValueError(
            f"the network answered an array of shape {found.shape}: give one probability for each action, "
            f"{part.masks.shape}, or the number of an action."
        )
    found = np.where(part.masks > 0, found.astype(np.float64), 0.0)
    total = found.sum(axis=1, keepdims=True)
    if not (bool(np.all(np.isfinite(found))) and bool(np.all(found >= 0)) and bool(np.all(total > 0))):
        raise ArgumentValueError(
            "the network's probabilities of legal actions must be at least 0 with a positive sum: apply a softmax "
            "to its logits."
        )
    scaled: npt.NDArray[np.float64] = found / total
    return scaled
