"""Strategy profiles as dictionaries: player, information set, action, probability.

    {"Alice": {"9a3c51e2f08b7d46": {"check": 0.75, "bet": 0.25}, ...}, "Bob": {...}}

Trees from outside have names of their own (`ExtensiveForm.labels`). In the tree of a program a set is called by its
recall key as 16 hexadecimal digits, as in its export to .efg, and an action as in the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from antemill.engine.arguments import kind, number, wrong_type
from antemill.engine.errors import UsageError
from antemill.engine.machine.program import Program
from antemill.engine.match.game import Rules, program_of
from antemill.engine.text.labels import SEATS, action_name, unique
from antemill.solver.game import ALICE, BOB, Array, ExtensiveForm, Labels
from antemill.solver.policies.profile import Profiled, StrategyProfile, profile_of
from antemill.solver.trees.abstract_sets import actions
from antemill.solver.trees.sequence_form import sides

Dictionaries = dict[str, dict[str, dict[str, float]]]
_KEY_MASK = (1 << 64) - 1
_ROUNDED = 1e-6  # the largest rounding error of a probability that has six decimals or 32 bits
_EXACT = 1e-15  # of a probability: the rounding error of 64 bits, after which nothing is rescaled


def as_dictionaries(tree: ExtensiveForm, profile: Profiled, program: Rules | None = None) -> Dictionaries:
    """The profile by names. program: the tree's; without it actions are called 0, 1, 2, ...

    profile: a strategy profile, or a run, whose profile is taken. Raises UsageError if it is not one of this tree.
    """
    tree, program = _read(tree, program)
    profile = profile_of(sides(tree), profile)
    labels = labels_of(tree, program)
    return {
        labels.players[seat]: {
            name: dict(zip(labels.actions[seat][low:high], policy[low:high].tolist(), strict=True))
            for name, (low, high) in zip(labels.sets[seat], pairwise(tree.sets[seat].start.tolist()), strict=True)
        }
        for seat, policy in enumerate(profile)
    }


def as_profile(tree: ExtensiveForm, named: Dictionaries, program: Rules | None = None) -> StrategyProfile:
    """The profile in dictionaries. A missing information set is played uniformly; a missing action has probability 0.

    Probabilities may be rounded to six decimals or 32 bits: if their sum is 1 up to a millionth for each, they are
    rescaled. Raises UsageError for a name that the tree does not have, or for an information set whose probabilities
    have another sum.
    """
    tree, labels, rows = _rows(tree, named, program)
    found = []
    for seat, (player, given) in enumerate(zip(labels.players, rows, strict=True)):
        start = tree.sets[seat].start
        policy = np.ones(tree.sets[seat].sequences)
        for name, (low, high) in zip(labels.sets[seat], pairwise(start.tolist()), strict=True):
            actions = labels.actions[seat][low:high]
            _refuse_unknown(f"action of {player} in '{name}'", given.get(name, {}), actions)
            policy[low:high] = _probabilities(player, name, given[name], actions) if name in given else 1 / (high - low)
        found.append(policy)
    return profile_of(sides(tree), (found[0], found[1]))


def missing_sets(tree: ExtensiveForm, named: Dictionaries, program: Rules | None = None) -> tuple[int, int]:
    """How many information sets of each player the dictionaries lack: `as_profile` plays these uniformly.

    Raises UsageError for a name of a player or an information set that the tree does not have.
    """
    tree, _, rows = _rows(tree, named, program)
    alice, bob = (mine.size - len(given) for mine, given in zip(tree.sets, rows, strict=True))
    return alice, bob


def _rows(
    tree: ExtensiveForm, named: Dictionaries, program: Rules | None
) -> tuple[ExtensiveForm, Labels, list[dict[str, dict[str, float]]]]:
    """The tree, its names, and each player's rows, of sets that the tree has."""
    tree, program = _read(tree, program)
    labels = labels_of(tree, program)
    _refuse_unknown("player", named, labels.players)
    found = []
    for seat, player in enumerate(labels.players):
        rows = _names(player, named.get(player, {}))
        given = {name: _numbers_of(name, actions) for name, actions in rows.items()}
        _refuse_unknown(f"information set of {player}", given, labels.sets[seat])
        found.append(given)
    return tree, labels, found


def _probabilities(player: str, name: str, given: Mapping[str, float], actions: Sequence[str]) -> Array:
    """The probabilities of a set's actions, rescaled to sum to 1 unless their sum differs only by 64-bit rounding."""
    found = np.array([given.get(one, 0.0) for one in actions])
    with np.errstate(over="ignore"):
        total = float(found.sum())
    if not (np.all(found >= 0.0) and abs(total - 1.0) <= _ROUNDED * len(actions)):
        wrong = f"sum to {total:.9g}" if np.all(found >= 0.0) else f"have {found.min():.9g} among them"
        raise UsageError(f"the probabilities of {player} in '{name}' {wrong}: they must be at least 0 and sum to 1.")
    return found if abs(total - 1.0) <= _EXACT * len(actions) else found / total


def _read(tree: ExtensiveForm, program: Rules | None) -> tuple[ExtensiveForm, Program | None]:
    """The checked arguments of both functions."""
    kind(tree, "tree", ExtensiveForm, "give what build_tree(program) or read_efg(path) returns")
    return tree, None if program is None else program_of(program, "program")


def _names(name: str, given: object) -> Mapping[Any, Any]:
    """A dictionary. Raises ArgumentTypeError for anything else."""
    if not isinstance(given, Mapping):
        wrong_type(name, given, "a dictionary", "give player, information set, action, probability, as in the module")
    return given


def _numbers_of(name: str, given: object) -> dict[str, float]:
    return {action: number(one, f"{name}: {action}") for action, one in _names(name, given).items()}


def labels_of(tree: ExtensiveForm, program: Program | None = None) -> Labels:
    """What the tree's players, sets and actions are called."""
    if tree.labels is not None:
        return tree.labels
    actions = _numbers(tree) if program is None else _actions(tree, program)
    alice, bob = ([f"{int(key) & _KEY_MASK:016x}" for key in mine.key] for mine in tree.sets)
    return Labels(SEATS, (alice, bob), actions)


def _numbers(tree: ExtensiveForm) -> tuple[list[str], list[str]]:
    def of(start: Array) -> list[str]:
        return ["", *(str(k) for width in np.diff(start) for k in range(width))]

    return of(tree.sets[ALICE].start), of(tree.sets[BOB].start)


def _actions(tree: ExtensiveForm, program: Program) -> tuple[list[str], list[str]]:
    if tree.digest != program.digest:
        raise UsageError(f"the tree of {tree.game} is not that of {program.names.game}: build it from the program.")

    def of(seat: int) -> list[str]:
        mine, found = tree.sets[seat], [""]
        numbers = actions(mine)
        for decision, (low, high) in zip(mine.decision, pairwise(mine.start), strict=True):
            kind = program.names.decisions[int(decision)]
            found += unique(action_name(kind, int(number)) for number in numbers[low - 1 : high - 1])
        return found

    return of(ALICE), of(BOB)


def _refuse_unknown(what: str, given: object, known: Sequence[str]) -> None:
    given = _names("named", given)
    names = set(known)
    wrong = next((name for name in given if name not in names), None)
    if wrong is not None:
        raise UsageError(f"there is no {what} called '{wrong}': use {', '.join(known[:5])}.")
