"""What has learned to play, in every form, as a policy by information key: one conversion, and its uses.

    as_policy(game, model)            of a model of Stable-Baselines3 or PyTorch, a function of a `Batch`, a strategy
                                      profile, a run, a solution, a policy of any kind, or the path of one
    exploitability(game, model)       exact, on the game's tree
    save(path, game, model)           a file that tournaments, `game play` and environments read as a policy
    as_player(game, model)            a player of matches
    as_rows(game, model)              for each information set its text and the probabilities of actions, by name

Kernels play `kernel_policy(program, as_policy(...))`, and `profile_on(program, tree, as_policy(...))` is the profile on
a tree. A model is asked for every information set, so the game's tree must have at most `LIMIT` nodes.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from antemill.engine.arguments import ArgumentTypeError, described
from antemill.engine.machine.policy import Policy as KernelPolicy
from antemill.engine.match.game import Game, Rules
from antemill.engine.vector.state_observation import StateObservation
from antemill.solver import public
from antemill.solver.evaluation.measures import measure
from antemill.solver.game import ALICE, BOB, ExtensiveForm
from antemill.solver.policies.dictionaries import as_dictionaries
from antemill.solver.policies.file import load_policy, require_game, write_policy
from antemill.solver.policies.on_tree import policy_of_tree, policy_on_tree, profile_on
from antemill.solver.policies.policy import Policy
from antemill.solver.policies.profile import profile_of
from antemill.solver.policies.solution import SavedPolicy, Solution
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import Side, sides
from antemill.tournament.adapters.tree_observations import LIMIT, Batch, TreeObservations
from antemill.tournament.players.solved import SolvedPlayer

_KNOWN = "a model, a function of a Batch, a strategy profile, a run, a policy, or the path of one"


def as_policy(game: Rules | Game, given: Any, observed: TreeObservations | None = None) -> Policy:
    """The policy by information key of whatever plays the game.

    given: as the module says. A model without a memory is asked for the observations of `env`, flat, with or without
    events as its input wants; a function gets a `Batch` of `observed`, by default without events, and answers as
    `TreeObservations.profile` says. Raises UsageError for what is no policy, or none of this game.
    """
    known = game if isinstance(game, Game) else Game(game)
    if isinstance(given, Policy):
        return given
    given = getattr(given, "saved", given)  # of a `Solved`
    if isinstance(given, SavedPolicy):
        require_game(given.solution, known.program, "this policy")
        return given.table
    if isinstance(given, str | os.PathLike):
        return load_policy(given, known.program).table
    if isinstance(given, KernelPolicy):
        tree = build_tree(known.program, LIMIT)
        alice, bob = (policy_on_tree(known.program, tree, given, seat) for seat in (ALICE, BOB))
        return policy_of_tree(tree.sets, (alice, bob))
    if _is_profile(given):
        tree = build_tree(known.program, LIMIT)
        return policy_of_tree(tree.sets, profile_of(sides(tree), given))
    if not callable(network := _network(given)):
        raise ArgumentTypeError(f"{described(given)} is no policy: give {_KNOWN}.")
    found = observed or TreeObservations(known, events=_wants_events(known, given), flat=network is not given)
    return policy_of_tree(found.tree.sets, found.profile(network))


def exploitability(game: Any, profile: Any) -> float:
    """NashConv / 2 in chips per game: what a player gains on average by switching to a best response.

    game: a tree, its sequence form, or what `build_tree` takes. profile: a strategy profile or a run, whose profile is
    taken; of a game by name or rules also what `as_policy` takes. Raises UsageError if it does not play this game.
    """
    tree = isinstance(game, ExtensiveForm) or (isinstance(game, tuple) and all(isinstance(one, Side) for one in game))
    if tree or _is_profile(profile):
        return public.exploitability(game, profile)
    known = game if isinstance(game, Game) else Game(game)
    table, form = as_policy(known, profile), build_tree(known.program)
    return measure(sides(form), profile_on(known.program, form, table)).exploitability


def saved_policy(game: Rules | Game, given: Any) -> SavedPolicy:
    """The policy with what is known of it: its value and its exploitability, if the tree has at most `LIMIT` nodes."""
    known = game if isinstance(game, Game) else Game(game)
    given = getattr(given, "saved", given)
    if isinstance(given, SavedPolicy):
        return given
    table, tree = as_policy(known, given), build_tree(known.program, LIMIT)
    found = measure(sides(tree), profile_on(known.program, tree, table))
    about: dict[str, Any] = {"game": known.names.game, "digest": known.digest, "suited": known.program.suited}
    how: dict[str, Any] = {"algorithm": "learned", "stopped": "iterations", "target": 0.0}
    how |= {"iterations": 0, "seconds": 0.0, "abstraction": table.abstraction.label}
    sizes: dict[str, Any] = {"nodes": tree.nodes, "information_sets": tree.sets[ALICE].size + tree.sets[BOB].size}
    figures: dict[str, Any] = {"value": found.value, "exploitability": found.exploitability}
    return SavedPolicy(Solution(**about, **how, **sizes, **figures), table)


def save(path: str | os.PathLike[str], game: Rules | Game, given: Any) -> None:
    """Write what `as_policy` takes to a file, atomically. Raises StorageError if that is not possible."""
    write_policy(path, saved_policy(game, given))


def as_player(game: Rules | Game, given: Any, name: str = "learned") -> SolvedPlayer:
    """A player of matches (`antemill.tournament.players.play`) by what `as_policy` takes."""
    known = game if isinstance(game, Game) else Game(game)
    return SolvedPlayer(name, saved_policy(known, given), known)


def as_rows(game: Rules | Game, given: Any) -> list[dict[str, Any]]:
    """The policy as a table for people: for each information set its seat, key (16 hexadecimal digits), text (what the
    seat has seen, a line each event) and the probability of each action. Raises what `as_policy` raises."""
    known = game if isinstance(game, Game) else Game(game)
    sets = TreeObservations(known, events=True)
    named = as_dictionaries(sets.tree, profile_on(known.program, sets.tree, as_policy(known, given)), known.program)
    rows = ((seat, key, actions) for seat, found in named.items() for key, actions in found.items())
    return [
        {"seat": seat, "key": key, "text": text, "actions": actions}
        for (seat, key, actions), text in zip(rows, sets.texts, strict=True)
    ]


def _is_profile(given: Any) -> bool:
    """Whether it is a strategy profile, or a run."""
    pair = getattr(given, "profile", given)
    return isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(one, np.ndarray) for one in pair)


def _network(given: Any) -> Any:
    """A function of a `Batch` by a model of Stable-Baselines3 or a module of PyTorch; anything else as it is."""
    policy = getattr(given, "policy", None)
    if hasattr(policy, "get_distribution"):
        return lambda batch: _distribution(policy, batch)
    if hasattr(given, "parameters") and hasattr(given, "forward"):
        return lambda batch: _logits(given, batch)
    return given


def _distribution(policy: Any, batch: Batch) -> npt.NDArray[np.float64]:
    import torch

    with torch.no_grad():
        seen, _ = policy.obs_to_tensor(batch.observations)
        found = policy.get_distribution(seen).distribution
        probabilities: npt.NDArray[np.float64] = found.probs.double().cpu().numpy()
    return probabilities + 1e-12 * batch.masks  # of the legal ones; those of others are left out later


def _logits(module: Any, batch: Batch) -> npt.NDArray[np.float64]:
    import torch

    with torch.no_grad():
        found = module(torch.as_tensor(batch.observations))
        found = found.masked_fill(torch.as_tensor(batch.masks) == 0, -torch.inf).softmax(-1)
    probabilities: npt.NDArray[np.float64] = found.double().cpu().numpy()
    return probabilities


def _wants_events(game: Game, given: Any) -> bool:
    """Whether a model's input has the size of an observation with events."""
    space = getattr(given, "observation_space", None)
    layers = [one for one in getattr(given, "modules", list)() if hasattr(one, "in_features")]
    sizes = [int(np.prod(space.shape))] if space is not None else [one.in_features for one in layers[:1]]
    return sizes not in ([], [StateObservation(game.program).size])
