"""OpenSpiel's games for our solver; it needs the extra antemill[openspiel].

    from antemill.solver import solve
    from antemill.tournament.adapters.openspiel_games import openspiel_tree
    solve(openspiel_tree("leduc_poker"))

Simultaneous moves become two moves in a row, and the second player does not know the first move. Games with sampled
chance, with more than two players, with returns of different sums, or without perfect recall are refused.
"""

from __future__ import annotations

import difflib

import pyspiel

import antemill.tournament.adapters.openspiel  # noqa: F401  (registers our games, too)
from antemill.engine.errors import SpecError, UsageError
from antemill.solver.game import ExtensiveForm
from antemill.solver.trees.outside import OUTSIDE_LIMIT, Outside


def openspiel_tree(text: str, limit: int = OUTSIDE_LIMIT) -> ExtensiveForm:
    """The tree of a game as `pyspiel.load_game` takes it: "leduc_poker", "liars_dice(numdice=1)".

    Information sets are named by their information state strings. Raises UsageError if OpenSpiel knows no such game, or
    if the tree has more nodes than the limit; SpecError if it is no game of one player, or of two whose returns have
    the same sum at every end, with perfect recall and explicit chance.
    """
    name, known = text.partition("(")[0], pyspiel.registered_names()
    if name not in known:
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
    try:
        return _tree(text, game, limit)
    except SpecError as error:
        raise SpecError(f"{text}: {error}") from error


_PERFECT = pyspiel.GameType.Information.PERFECT_INFORMATION


def _tree(text: str, game: pyspiel.Game, limit: int) -> ExtensiveForm:
    builder = Outside(text, [f"Player {player}" for player in range(game.num_players())], limit)
    known = game.get_type().provides_information_state_string
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
