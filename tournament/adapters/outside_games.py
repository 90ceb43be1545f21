"""Games from outside by name, and policies for them in JSON: player, information set, action, probability."""

from __future__ import annotations

from json import detect_encoding
from pathlib import Path
from typing import NamedTuple

import msgspec

from antemill.engine.errors import StorageError, UsageError
from antemill.engine.storage.files import read_bytes
from antemill.solver.evaluation.measures import best_response, expected_value
from antemill.solver.game import ExtensiveForm
from antemill.solver.policies.dictionaries import Dictionaries, as_profile, missing_sets
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.trees.efg import read_efg
from antemill.solver.trees.sequence_form import sides, uniform_policy

OPENSPIEL, EFG = "openspiel:", ".efg"


class NamedPolicy(NamedTuple):
    """A strategy profile from a file. missing: information sets that the file lacks, which are played uniformly."""

    profile: StrategyProfile
    missing: tuple[int, int]  # of each player


class Margin(NamedTuple):
    """The exact margin of a player over a policy: the player's payoff less the policy's."""

    margin: float  # mean of both seats
    as_first: float  # the first player's payoff where the player is first
    as_second: float  # the same where the policy is first


TREE_BOTS = ("random", "l1")


class _File(msgspec.Struct):
    policy: Dictionaries


def is_outside(name: str) -> bool:
    """Whether a GAME argument names a game from outside."""
    return name.startswith(OPENSPIEL) or name.lower().endswith(EFG)


def outside_tree(name: str, limit: int) -> ExtensiveForm:
    """The tree of a game from outside. Raises UsageError if OpenSpiel is missing, or for more nodes than the limit."""
    if not name.startswith(OPENSPIEL):
        return read_efg(name, limit)
    try:
        from antemill.tournament.adapters.openspiel_games import openspiel_tree
    except ModuleNotFoundError as error:
        raise UsageError(f"OpenSpiel's games need {error.name}: install antemill[openspiel].") from error
    return openspiel_tree(name.removeprefix(OPENSPIEL), limit)


def read_named_policy(path: Path, tree: ExtensiveForm, name: str) -> NamedPolicy:
    """The policy in a JSON document: what `antemill solve` writes, or its "policy" alone.

    name: the GAME argument. In a game of OpenSpiel's, actions may also be named by their numbers.
    Raises StorageError for a file that cannot be read, UsageError for a policy of another game.
    """
    try:
        content = read_bytes(path)
        named = _decoded(content.decode(detect_encoding(content)))
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise StorageError(
            f"{path} is no policy of a game from outside ({error}): give a JSON document with player, information set, "
            "action, probability, as `antemill solve` writes it."
        ) from error
    if name.startswith(OPENSPIEL):
        from antemill.tournament.adapters.openspiel_games import by_names

        named = by_names(tree, named)
    try:
        return NamedPolicy(as_profile(tree, named), missing_sets(tree, named))
    except UsageError as error:
        raise UsageError(f"the policy in {path} does not fit {tree.game}: {error}") from error


def _decoded(content: str) -> Dictionaries:
    try:
        return msgspec.json.decode(content, type=_File).policy
    except msgspec.ValidationError:
        return msgspec.json.decode(content, type=Dictionaries)


def tree_bot(name: str, tree: ExtensiveForm) -> StrategyProfile:
    """One of `TREE_BOTS`: uniform play, or a best response to it."""
    both = sides(tree)
    uniform = uniform_policy(both[0]), uniform_policy(both[1])
    if name == "random":
        return uniform
    return best_response(both, 0, uniform[1]), best_response(both, 1, uniform[0])


def exact_margin(tree: ExtensiveForm, player: StrategyProfile, policy: StrategyProfile) -> Margin:
    """The margin over both seats. The constant sum of the payoffs, which the tree does not keep, cancels out."""
    first = expected_value(tree, (player[0], policy[1]))
    second = expected_value(tree, (policy[0], player[1]))
    return Margin(first - second, first, second)
