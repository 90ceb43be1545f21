"""OpenSpiel's games for our solver; it needs the extra antemill[openspiel].

    from antemill.solver import solve
    from antemill.tournament.adapters.openspiel_games import openspiel_tree
    solve(openspiel_tree("leduc_poker"))

Simultaneous moves become two moves in a row, and the second player does not know the first move. Games with sampled
chance, with more than two players, with returns of different sums, or without perfect recall are refused.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pyspiel

import antemill.tournament.adapters.openspiel  # noqa: F401  (registers our games, too)
from antemill.engine.arguments import wrong_type
from antemill.engine.errors import SpecError, UsageError
from antemill.solver.game import ExtensiveForm, Labels
from antemill.solver.policies.dictionaries import Dictionaries, as_profile
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.trees.estimate import WALKS, estimated_nodes
from antemill.solver.trees.outside import OUTSIDE_LIMIT, Outside, TooManyNodesError


def openspiel_tree(text: str, limit: int = OUTSIDE_LIMIT) -> ExtensiveForm:
    """The tree of a game as `pyspiel.load_game` takes it: "leduc_poker", "liars_dice(numdice=1)".

    Information sets are named by their information state strings. Raises UsageError if OpenSpiel knows no such game, or
    if the tree has more nodes than the limit; SpecError if it is no game of one player, or of two whose returns have
    the same sum at every end, with perfect recall and explicit chance.
    """
    game = _game(text)
    try:
        return _tree(text, game, limit)
    except SpecError as error:
        raise SpecError(f"{text}: {error}") from error


def _game(text: str) -> pyspiel.Game:
    """The game in turns. Raises UsageError or SpecError if it cannot be solved."""
    name = text.partition("(")[0]
    if name not in pyspiel.registered_names():
        import open_spiel.python.games  # noqa: F401  (registers the games that are written in Python)
    if name not in (known := pyspiel.registered_names()):
        near = difflib.get_close_matches(name, known, 3, 0.5)
        meant = f": did you mean {' or '.join(near)}?" if near else "."
        raise UsageError(f"OpenSpiel has no game '{name}'{meant}")
    try:
        game = pyspiel.load_game(text)
    except pyspiel.SpielError as error:
        raise UsageError(f"OpenSpiel does not load '{text}': {str(error).splitlines()[0]}") from error
    kind = game.get_type()
    if kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        game = pyspiel.convert_to_turn_based(game)
        kind = game.get_type()  # of imperfect information: the second does not know the first's move
    elif kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        raise SpecError(
            f"{text} has moves of several players at once: only games in which one player moves at a time are solved."
        )
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise SpecError(f"{text} samples chance: only games whose chances are known can be solved.")
    if not (kind.provides_information_state_string or kind.information == _PERFECT):
        raise SpecError(f"{text} has no information states: OpenSpiel does not say what its players know.")
    return game


_PERFECT = pyspiel.GameType.Information.PERFECT_INFORMATION


def _tree(text: str, game: pyspiel.Game, limit: int) -> ExtensiveForm:
    builder = Outside(text, [f"Player {player}" for player in range(game.num_players())], limit)
    known = game.get_type().provides_information_state_string
    _check_size(text, game, limit)
    stack = [game.new_initial_state()]
    while stack:
        state = stack.pop()
        if state.is_terminal():
            builder.end(tuple(state.returns()))
            continue
        if state.is_chance_node():
            actions, chances = zip(*state.chance_outcomes(), strict=True)
            builder.chance(chances)
        else:
            player, actions = state.current_player(), state.legal_actions()
            key = state.information_state_string(player) if known else state.history_str()
            builder.decision(player, key, key, [state.action_to_string(player, action) for action in actions])
        stack += [state.child(action) for action in reversed(actions)]
    return builder.tree()


def _check_size(text: str, game: pyspiel.Game, limit: int) -> None:
    """Raise TooManyNodesError for a tree that is clearly larger than the limit."""

    def ways(state: pyspiel.State) -> list[int]:
        return [] if state.is_terminal() else state.legal_actions()

    for walks in (_FEW, WALKS):  # a few tell small games
        nodes = estimated_nodes(game.new_initial_state(), ways, lambda state, action: state.child(action), walks)
        if nodes <= _CLEARLY * limit:
            return
    size = f"about {nodes:.2g} nodes" if math.isfinite(nodes) else "more nodes than 64 bits can count"
    raise TooManyNodesError(f"the tree of {text} has {size}, and the limit is {limit:,}.")


_FEW, _CLEARLY = 50, 3  # walks; times the limit


def openspiel_profile(tree: ExtensiveForm, policy: Any) -> StrategyProfile:
    """OpenSpiel's policy as a strategy profile on the tree of its game.

    policy: an object with `action_probabilities(state)`, such as OpenSpiel's TabularPolicy; or a dictionary from
    information states to {action number: probability} or to pairs of both. An information state that a dictionary lacks
    is played uniformly. Raises UsageError for an information state that the game does not have, an action that is not
    legal, or probabilities that do not sum to 1.
    """
    labels, menus, named = _labels(tree), _menus(tree), {}
    answer = getattr(policy, "action_probabilities", None)
    if answer is None and not isinstance(policy, Mapping):
        wrong_type("policy", policy, "a policy of OpenSpiel's", "give a TabularPolicy, or a dictionary of its rows")
    unknown = {*policy} - menus[0].keys() - menus[1].keys() if answer is None else ()
    if unknown:
        raise UsageError(
            f"{tree.game} has no information state {min(map(repr, unknown))}: its rows are by these alone."
        )
    for player, sets in menus.items():
        named[labels.players[player]] = {
            key: _row(dict(policy[key] if answer is None else answer(state)), legal)
            for key, (state, legal) in sets.items()
            if answer is not None or key in policy
        }
    return as_profile(tree, by_names(tree, named))


def by_names(tree: ExtensiveForm, named: Dictionaries) -> Dictionaries:
    """The dictionaries with OpenSpiel's numbers of actions replaced by the tree's names; names are left as they are."""
    labels = _labels(tree)
    known = {
        (player, name): labels.actions[seat][low:high]
        for seat, player in enumerate(labels.players)
        for name, (low, high) in zip(labels.sets[seat], pairwise(tree.sets[seat].start.tolist()), strict=True)
    }

    def numbered(player: str, name: str, row: Mapping[str, float]) -> bool:
        return any(one not in known.get((player, name), ()) for one in row) and all(one.isdecimal() for one in row)

    if not any(numbered(player, name, row) for player, sets in named.items() for name, row in sets.items()):
        return named
    menus = {labels.players[seat]: sets for seat, sets in _menus(tree).items()}

    def translated(player: str, name: str, row: Mapping[str, float]) -> dict[str, float]:
        if name not in menus.get(player, {}) or not numbered(player, name, row):
            return dict(row)
        names = dict(zip(map(str, menus[player][name][1]), known[player, name], strict=True))
        return {names.get(one, one): probability for one, probability in row.items()}

    return {
        player: {name: translated(player, name, row) for name, row in sets.items()} for player, sets in named.items()
    }


def _row(row: Mapping[Any, float], legal: Sequence[int]) -> dict[str, float]:
    """The probabilities of the legal actions by number as text; policies of OpenSpiel's may also list others at 0."""
    return {str(int(action)): float(p) for action, p in row.items() if action in legal or p != 0}


def _labels(tree: ExtensiveForm) -> Labels:
    if tree.labels is None:
        raise UsageError(f"{tree.game} is no game of OpenSpiel's: give what openspiel_tree returns.")
    return tree.labels


def _menus(tree: ExtensiveForm) -> dict[int, dict[str, tuple[pyspiel.State, list[int]]]]:
    """For each player and information set a state in it, and the numbers of its legal actions."""
    game = _game(tree.game)
    known = game.get_type().provides_information_state_string
    found: dict[int, dict[str, tuple[pyspiel.State, list[int]]]] = {0: {}, 1: {}}
    stack = [game.new_initial_state()]
    while stack:
        state = stack.pop()
        if state.is_terminal():
            continue
        if not state.is_chance_node():
            player = state.current_player()
            key = state.information_state_string(player) if known else state.history_str()
            found[player].setdefault(key, (state, state.legal_actions()))
        stack += [state.child(action) for action in state.legal_actions()]
    return found
