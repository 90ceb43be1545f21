"""Strategy profiles of a game carried over to its disguise.

Where the seats are kept, both trees are walked side by side (`aligned`). Where they are exchanged, the order of deals
and events differs, and each tree is walked with the events of every play. An information set is what its seat has seen:
the events, translated into the names, ranks, chips and seats of the disguise, and the seat's own choices between them.
If the seats are exchanged, the order of events between two choices of a seat is ignored, because Alice is dealt and
asked first. The map of information sets is checked: it must be one to one, with the same actions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.disguise.disguise import Disguise
from antemill.engine.errors import SpecError, UsageError
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import count_nodes, next_branch
from antemill.engine.machine.events import EVERYONE, Event
from antemill.engine.machine.layout import DECIDE, OVER
from antemill.engine.machine.observe import recall_key
from antemill.engine.machine.program import DecisionType, Program
from antemill.engine.machine.vm import advance, menu_action, new_state
from antemill.engine.rules.spec import Observation
from antemill.engine.text.describe import journal
from antemill.solver.game import Array
from antemill.solver.policies.aligned import UNLIKE, aligned, chosen
from antemill.solver.policies.profile import Profiled, StrategyPair, StrategyProfile, profile_of
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import sides

LIMIT = 200_000  # nodes of a tree that is walked event by event
_JOURNAL = 512  # events of a play
_CHOICES = (Event.CHOICE, Event.LOCK, Event.REVEALED)
_PHASED = (Event.PHASE, Event.SIGNAL, Event.LEADER, Event.SIDE_BET)
Seen: TypeAlias = tuple[Any, ...]


class _Set(NamedTuple):
    key: int
    actions: tuple[str, ...]  # in the order of the tree's sequences


def carry(disguise: Disguise, profile: Profiled, limit: int = LIMIT) -> StrategyProfile:
    """The same policies in the disguise's tree.

    profile: of the tree of `disguise.original`. limit: the most nodes of that tree. Each payoff in the disguise is
    `disguise.scale` times the payoff in the game, of Bob if the seats are exchanged. Raises UsageError for a profile of
    another tree or a tree that is larger than `limit`.
    """
    if count_nodes(compile_spec(disguise.original), limit) > limit:
        raise UsageError(f"the tree of {disguise.original.name} has more than {limit:,} nodes: raise the limit.")
    if not disguise.exchanged:
        tree, _, (alice, bob) = aligned(disguise)
        known = profile_of(sides(tree), profile)
        return StrategyPair(known[0][alice], known[1][bob])
    return by_events(disguise, profile)


def by_events(disguise: Disguise, profile: Profiled) -> StrategyProfile:
    """As `carry`, by what each seat has seen, also where the seats are kept. Raises SpecError if the trees differ."""
    programs = compile_spec(disguise.original), compile_spec(disguise.game)
    trees = build_tree(programs[0]), build_tree(programs[1])
    policies = profile_of(sides(trees[0]), profile)
    old = _sets(programs[0], _Translation(disguise, programs), disguise.exchanged)
    new = _sets(programs[1], None, disguise.exchanged)
    found: list[Array] = []
    for seat, mine in enumerate(trees[1].sets):
        source = 1 - seat if disguise.exchanged else seat
        where = {int(key): i for i, key in enumerate(trees[0].sets[source].key)}
        policy = np.ones(mine.sequences)
        seen = {one.key: (what, one) for what, one in new[seat].items()}
        if len(seen) != mine.size or len(old[seat]) != mine.size:
            raise SpecError(UNLIKE)
        for i, key in enumerate(mine.key):
            what, here = seen[int(key)]
            there = old[seat].get(what)
            if there is None or sorted(there.actions) != sorted(here.actions):
                raise SpecError(UNLIKE)
            start = int(trees[0].sets[source].start[where[there.key]])
            for place, action in enumerate(here.actions):
                policy[int(mine.start[i]) + place] = policies[source][start + there.actions.index(action)]
        found.append(policy)
    return StrategyPair(found[0], found[1])


class _Translation:
    """From a game's events and actions to those of its disguise."""

    def __init__(self, disguise: Disguise, programs: tuple[Program, Program]) -> None:
        self._disguise, (self._old, self._new) = disguise, programs
        self._names = disguise.names
        self._ranks = dict(zip(disguise.original.deck.ranks, disguise.game.deck.ranks, strict=True))
        self._chosen = chosen(disguise.original)

    def seat(self, seat: int) -> int:
        return 1 - seat if self._disguise.exchanged and seat < 2 else seat

    def label(self, kind: DecisionType, label: str) -> str:
        return self._names.options[label] if kind.phase in self._chosen else label

    def row(self, row: list[int]) -> list[int]:
        """A row of the journal in the disguise, but for choices, whose action is a label."""
        kind, seat, x, y, z, content = row[:6]
        names = self._old.names
        if kind in _PHASED:
            x = self._phase(names.phases[x])
        elif kind == Event.CHIPS:
            x, y = x * self._disguise.scale, self.seat(y)
        elif kind == Event.SCORE:
            x *= self._disguise.scale
        elif kind == Event.ANNOUNCE:
            x = self._new.names.texts.index(self._names.texts[names.texts[x]])
        elif kind == Event.VARIABLE:
            x = self._new.names.variables.index(self._names.variables[names.variables[x]])
        if kind == Event.SIGNAL and content and self._signal(row[2]) == "top-rank":
            content = self._ranks[content]
        return [kind, self.seat(seat), x, y, z, content, _both(row[6], self.seat), _both(row[7], self.seat)]

    def _phase(self, name: str) -> int:
        """A phase's number; sub-phases of betting rounds are called after their round."""
        found = self._names.phases.get(name)
        return self._new.names.phases.index(found) if found is not None else -1

    def _signal(self, phase: int) -> str:
        found = self._disguise.original.phases[phase]
        assert isinstance(found, Observation)
        return found.signal


def _both(mask: int, seat: Callable[[int], int]) -> int:
    return sum(1 << seat(one) for one in (0, 1) if mask >> one & 1)


def _sets(program: Program, translation: _Translation | None, sort: bool) -> tuple[dict[Seen, _Set], dict[Seen, _Set]]:
    """Both seats' information sets, seats and names as in the disguise, by what has been seen."""
    found: tuple[dict[Seen, _Set], dict[Seen, _Set]] = ({}, {})
    for state in _decisions(program):
        kind = program.names.decisions[int(state[at.DECISION])]
        labels = tuple(_label(kind, translation, action) for action in _actions(program, state))
        own = int(state[at.SEAT])
        seat = own if translation is None else translation.seat(own)
        seen = _seen(program, translation, state, seat, sort)
        here = _Set(int(recall_key(state, own, int(state[at.DECISION]))), labels)
        if found[seat].setdefault(seen, here) != here:
            raise SpecError(UNLIKE)
    return found


def _decisions(program: Program) -> Iterator[Array]:
    """The states of all decision nodes, with their journals."""
    state = new_state(program.initial_state(), _JOURNAL)
    advance(program.code, state)
    waiting = [state]
    while waiting:
        state = waiting.pop()
        if state[at.STOP] == OVER:
            continue
        if state[at.STOP] == DECIDE:
            yield state
        index = int(next_branch(program.code, state, 0))
        while index >= 0:
            child = state.copy()
            child[at.CHOICE] = index
            advance(program.code, child)
            waiting.append(child)
            index = int(next_branch(program.code, state, index + 1))


def _actions(program: Program, state: Array) -> list[int]:
    """The actions of a decision's branches in their order."""
    found, index = [], int(next_branch(program.code, state, 0))
    while index >= 0:
        found.append(int(menu_action(state, index)))
        index = int(next_branch(program.code, state, index + 1))
    return found


def _label(kind: DecisionType, translation: _Translation | None, action: int) -> str:
    label = kind.labels[action] if kind.labels else str(action)
    return label if translation is None else translation.label(kind, label)


def _seen(program: Program, translation: _Translation | None, state: Array, seat: int, sort: bool) -> Seen:
    """What a seat of the disguise has seen, in segments that its own choices end."""
    segments: list[list[Seen]] = [[]]
    for row in journal(state):
        new = row if translation is None else translation.row(row)
        if not new[6] >> seat & 1:
            continue
        event = _event(program, translation, row, new, bool(new[7] >> seat & 1))
        segments[-1].append(event)
        if new[0] in (Event.CHOICE, Event.LOCK) and new[1] == seat:
            segments.append([])
    return tuple(tuple(sorted(one, key=repr)) if sort else tuple(one) for one in segments)


def _event(program: Program, translation: _Translation | None, row: list[int], new: list[int], shown: bool) -> Seen:
    kind, actor, x, y, z, content = new[:6]
    if kind in _CHOICES:
        decision = program.names.decisions[row[2]]
        return kind, actor, _label(decision, translation, row[3]), None
    if kind == Event.CHECK:
        x = -1  # conditionals have other numbers where phases are listed in another order
    if shown and kind != Event.SIGNAL and not program.suited:
        content = _ranks_of(program, content)
    return kind, actor, x, y, z, content if shown else None, new[6] == EVERYONE


def _ranks_of(program: Program, mask: int) -> int:
    """A number for the ranks of the cards of a mask, and how many of each: cards of a rank are alike."""
    suits = len(program.names.suits)
    found = 0
    for card in range(program.cards):
        if mask >> card & 1:
            found += (suits + 1) ** (card // suits)
    return found
