"""Strategy profiles as dictionaries: player, information set, action, probability.

    {"Alice": {"9a3c51e2f08b7d46": {"check": 0.75, "bet": 0.25}, ...}, "Bob": {...}}

Trees from outside have names of their own (`ExtensiveForm.labels`). In the tree of a program a set is called by its
recall key as 16 hexadecimal digits, as in its export to .efg, and an action as in the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from antemill.engine.arguments import kind, number, wrong_type
from antemill.engine.errors import UsageError
from antemill.engine.match.game import Rules, program_of
from antemill.engine.text.labels import SEATS, action_name, unique
from antemill.solver.game import Array, ExtensiveForm, InformationSets, Labels
from antemill.solver.policies.profile import Profiled, StrategyProfile, profile_of
from antemill.solver.trees.abstract_sets import actions
from antemill.solver.trees.sequence_form import sides

Dictionaries = dict[str, dict[str, dict[str, float]]]
_ROUNDED = 1e-6  # the largest rounding error of a probability that has six decimals or 32 bits
_EXACT = 1e-15  # of a probability: the rounding error of 64 bits, after which nothing is rescaled


def as_dictionaries(tree: ExtensiveForm, profile: Profiled, program: Rules | None = None) -> Dictionaries:
    """The profile by names. program: the tree's; without it actions are called 0, 1, 2, ...

    profile: a strategy profile, or a run, whose profile is taken. Raises UsageError if it is not one of this tree.
    """
    labels = labels_of(tree, program)
    policies = profile_of(sides(tree), profile)
    return {
        player: {name: dict(zip(menu, policies[seat][low:].tolist(), strict=False)) for name, menu, low in rows}
        for seat, (player, rows) in enumerate(_sets(tree, labels))
    }


def as_profile(tree: ExtensiveForm, named: Dictionaries, program: Rules | None = None) -> StrategyProfile:
    """The profile in dictionaries. A missing information set is played uniformly; a missing action has probability 0.

    Probabilities may be rounded to six decimals or 32 bits: if their sum is 1 up to a millionth for each, they are
    rescaled. Raises UsageError for a name that the tree does not have, or for an information set whose probabilities
    have another sum.
    """
    labels, found = _checked(tree, named, program), []
    for seat, (player, rows) in enumerate(_sets(tree, labels)):
        policy, given = np.ones(tree.sets[seat].sequences), named.get(player, {})
        for name, menu, low in rows:
            row = given.get(name)
            policy[low : low + len(menu)] = 1 / len(menu) if row is None else _probabilities(player, name, row, menu)
        found.append(policy)
    return profile_of(sides(tree), (found[0], found[1]))


def missing_sets(tree: ExtensiveForm, named: Dictionaries, program: Rules | None = None) -> tuple[int, int]:
    """How many information sets of each player the dictionaries lack: `as_profile` plays these uniformly.

    Raises UsageError for a name of a player or an information set that the tree does not have.
    """
    labels = _checked(tree, named, program)
    first, second = (
        mine.size - len(named.get(player, {})) for mine, player in zip(tree.sets, labels.players, strict=True)
    )
    return first, second


def labels_of(tree: ExtensiveForm, program: Rules | None = None) -> Labels:
    """What the tree's players, sets and actions are called. Raises UsageError for another game's program."""
    kind(tree, "tree", ExtensiveForm, "give what build_tree(program) or read_efg(path) returns")
    rules = None if program is None else program_of(program, "program")
    if tree.labels is not None:
        return tree.labels
    if rules is not None and tree.digest != rules.digest:
        raise UsageError(f"the tree of {tree.game} is not that of {rules.names.game}: build it from the program.")

    def called(mine: InformationSets) -> list[str]:
        numbers, found = actions(mine), [""]
        for decision, (low, high) in zip(mine.decision.tolist(), pairwise(mine.start), strict=True):
            if rules is None:
                found += map(str, range(high - low))
            else:
                what = rules.names.decisions[decision]
                found += unique(action_name(what, int(one)) for one in numbers[low - 1 : high - 1])
        return found

    (alice, bob), (keys, others) = map(called, tree.sets), ([f"{key:016x}" for key in _unsigned(s)] for s in tree.sets)
    return Labels(SEATS, (keys, others), (alice, bob))


def _unsigned(mine: InformationSets) -> list[int]:
    found: list[int] = mine.key.astype(np.int64).view(np.uint64).tolist()
    return found


def _sets(tree: ExtensiveForm, labels: Labels) -> Iterator[tuple[str, Iterator[tuple[str, list[str], int]]]]:
    """Each player with its sets: name, actions, first sequence."""
    for seat, player in enumerate(labels.players):
        bounds, called = pairwise(tree.sets[seat].start.tolist()), labels.actions[seat]
        rows = zip(labels.sets[seat], bounds, strict=True)
        yield player, ((name, called[low:high], low) for name, (low, high) in rows)


def _checked(tree: ExtensiveForm, named: Dictionaries, program: Rules | None) -> Labels:
    """The tree's names, after those of players and sets were compared with them."""
    labels = labels_of(tree, program)
    _refuse_unknown("player", named, labels.players)
    for player, known in zip(labels.players, labels.sets, strict=True):
        _refuse_unknown(f"information set of {player}", named.get(player, {}), known)
        for name, row in named.get(player, {}).items():
            _refuse_unknown(name, row, None)
    return labels


def _probabilities(player: str, name: str, given: Mapping[str, float], menu: Sequence[str]) -> Array:
    """The probabilities of a set's actions, rescaled to sum to 1 unless their sum differs only by 64-bit rounding."""
    _refuse_unknown(f"action of {player} in '{name}'", given, menu)
    found = np.array([number(given.get(one, 0.0), f"{name}: {one}") for one in menu])
    with np.errstate(over="ignore"):
        total = float(found.sum())
    if not (np.all(found >= 0.0) and abs(total - 1.0) <= _ROUNDED * len(menu)):
        wrong = f"sum to {total:.9g}" if np.all(found >= 0.0) else f"have {found.min():.9g} among them"
        raise UsageError(f"the probabilities of {player} in '{name}' {wrong}: they must be at least 0 and sum to 1.")
    return found if abs(total - 1.0) <= _EXACT * len(menu) else found / total


def _refuse_unknown(what: str, given: object, known: Sequence[str] | None) -> None:
    """Refuse what is no dictionary, and a key that is not known, if it is said which are."""
    if not isinstance(given, Mapping):
        wrong_type(what, given, "a dictionary", "give player, information set, action, probability, as in the module")
    wrong = () if known is None else given.keys() - {*known}
    if known is not None and wrong:
        raise UsageError(f"there is no {what} called '{min(map(str, wrong))}': use {', '.join(known[:5])}.")
