"""Brittleness with exact payoffs of the best response to random play and of its perturbations.

The formula is that of `antemill.axes.brittleness`. L1 plays the action with the best mean payoff in each context, the
lowest of those that tie. The effect on the payoff of shifting 3% of its mass at a decision type is computed, so all
trials of a type agree.

The mean over Dirichlet(1, ..., 1) opponents is a Polya urn: an opponent that has met a decision type k times before,
and taken an action j times there, takes it with probability (1 + j) / (actions + k) on average. So one walk gives the
mean over all opponents, not over ten. This is exact if a decision type that recurs on a path offers the same menu each
time. In other games, `opponents` are drawn from a scrambled Sobol sequence.
"""

from __future__ import annotations

import math

import numpy as np

from antemill.axes.brittleness import FLOOR, most_visited, slopes
from antemill.axes.exact.mixed import play_mixed
from antemill.axes.exact.tree import Array, Tree
from antemill.axes.exact.uniform import TIE, Figures, Play, add_row, highest_mean
from antemill.axes.grouping import Decisions, Groups
from antemill.axes.simplex import directions_for, legal_actions, sobol_weights
from antemill.engine.kernel import kernel
from antemill.engine.machine.chance import key_of
from antemill.engine.seeding import Domain

_NOWHERE, _FAR = -1, -2  # in place of a decision type: see `_deviations`


def brittleness(play: Play, trials: int, shift: float, opponents: int, seed: int) -> float:
    """Brittleness of a game, on the log10 scale: the mean over focal seats.

    trials: for each focal seat. shift: the probability mass. opponents: their number where no urn is exact.
    """
    if play.sigma == 0.0:
        return math.log10(FLOOR)
    greedy = _best_entries(play.tree, play.contexts, play.figures, play.types, TIE * play.largest)
    found = (_swing(play, greedy, focal, trials, shift, opponents, seed) for focal in range(2))
    return sum(math.log10(max(FLOOR, swing / play.sigma)) for swing in found) / 2


def _swing(play: Play, greedy: Array, focal: int, trials: int, shift: float, opponents: int, seed: int) -> float:
    """The sum over the focal seat's decision types of w * |beta|, in chips."""
    tree, types = play.tree, play.types
    visits = _level1_visits(tree, types, greedy, focal)
    # `most_visited` takes whole numbers; a millionth of a visit is far below the resolution of 1,500 episodes.
    ranked = most_visited(np.maximum(np.rint(visits * 1e6), visits > 0.0).astype(np.int64), trials)
    if not len(ranked):
        return 0.0
    after, odds = _deviations(tree, types, greedy, focal, shift), np.empty((len(tree.edge_row), 1))
    if not _urns(tree, types, 1 - focal, odds):
        columns = legal_actions(types, 1 - focal)
        key = key_of(seed, Domain.BRITTLENESS, focal, Domain.SOBOL)
        weights = sobol_weights(types.offsets, columns, directions_for(len(columns)), np.arange(opponents), key)
        odds = np.empty((len(tree.edge_row), opponents))
        _play_all(tree, types, 1 - focal, after, np.ascontiguousarray(weights.T), odds)
    changes = _changes(tree, types, greedy, odds, focal, shift, after)
    by_trial = changes[ranked[np.arange(trials) % len(ranked)]]
    betas = np.abs(slopes(by_trial, len(ranked)))
    return float(visits[ranked] @ betas / visits.sum())


@kernel(allocates=True)
def _best_entries(tree: Tree, contexts: Groups, found: Figures, types: Decisions, tie: float) -> Array:
    """int32[rows]: the entry of each row's menu that L1 plays; -1 where its action is not offered."""
    sums, mass = np.zeros(types.offsets[-1]), np.zeros(types.offsets[-1])
    entries = np.empty(len(tree.row_edge), np.int32)
    for g in range(len(contexts.starts) - 1):
        rows = contexts.order[contexts.starts[g] : contexts.starts[g + 1]]
        low, high = types.offsets[tree.row_type[rows[0]]], types.offsets[tree.row_type[rows[0]] + 1]
        for row in rows:
            add_row(tree, found, types, row, sums, mass)
        highest, action = highest_mean(sums, mass, low, high), -1
        for i in range(low, high):
            if action < 0 and mass[i] > 0.0 and sums[i] / mass[i] >= highest - tie:
                action = i
            sums[i] = 0.0
        for i in range(low, high):
            mass[i] = 0.0
        for row in rows:
            entries[row] = _entry(tree, row, action)
    return entries


@kernel(inline="late")
def _entry(tree: Tree, row: int, action: int) -> int:
    """The index in a row's menu of an action of the flat table; -1 if it is not offered. Amounts are clamped."""
    first = tree.row_first[row]
    if tree.row_word[row] < 0:
        return int(max(0, min(action - tree.edge_action[first], tree.row_menu[row] - 1)))
    for edge in range(first, tree.row_first[row + 1]):
        if tree.edge_action[edge] == action:
            return int(edge - first)
    return -1


@kernel(inline="late")
def _odds_of(tree: Tree, row: int, edge: int, entry: int, shift: float) -> float:
    """The probability that L1 goes on by an edge of a row, with `shift` of its mass on the other entries of the menu.

    entry: the entry that L1 plays; -1: all entries with equal probability.
    """
    menu, place = tree.row_menu[row], edge - tree.row_first[row]
    entries = tree.edge_entries[edge]
    if entry < 0:
        return float(entries / menu)
    inside = place <= entry < place + entries
    if menu == 1:
        return 1.0
    others = shift * (entries - inside) / (menu - 1)
    return float(others + 1.0 - shift if inside else others)


@kernel(allocates=True)
def _level1_visits(tree: Tree, types: Decisions, greedy: Array, focal: int) -> Array:
    """float64[types]: how often the focal seat meets each of its types while it plays L1 against random play."""
    found, reach = np.zeros(len(types.seats)), np.ones(len(tree.edge_row))
    for row in range(len(tree.row_edge)):
        above, mine = reach[tree.row_edge[row]], types.seats[tree.row_type[row]] == focal
        if mine:
            found[tree.row_type[row]] += above * tree.row_chance[row]
        entry = greedy[row] if mine else -1
        for edge in range(tree.row_first[row], tree.row_first[row + 1]):
            reach[edge] = above * _odds_of(tree, row, edge, entry, 0.0)
    return found


@kernel(allocates=True)
def _play_all(tree: Tree, types: Decisions, seat: int, after: Array, weights: Array, odds: Array) -> None:
    """Write the probabilities with which a seat's mixed policies go on, except where `after` is _FAR.

    after: from `_deviations`. weights: float64[all actions, policies].
    """
    total = np.empty(weights.shape[1])
    for row in range(len(tree.row_edge)):
        if types.seats[tree.row_type[row]] == seat and after[tree.row_edge[row]] != _FAR:
            play_mixed(tree, row, weights, odds, total)


@kernel
def _urns(tree: Tree, types: Decisions, seat: int, odds: Array) -> bool:
    """Write the probabilities with which a seat goes on if each decision type is a Polya urn.

    Returns whether they are exact. odds: float64[edges, 1].
    """
    for row in range(len(tree.row_edge)):
        kind = tree.row_type[row]
        if types.seats[kind] != seat:
            continue
        first, last, met = tree.row_first[row], tree.row_first[row + 1], 0
        for edge in range(first, last):
            odds[edge, 0] = tree.edge_entries[edge]
        above = tree.row_edge[row]
        while above > 0:
            before = tree.edge_row[above]
            if tree.row_type[before] == kind:
                met += 1
                if tree.row_word[before] != tree.row_word[row]:
                    return False
                inside = False
                low, high = tree.edge_action[above], tree.edge_action[above] + tree.edge_entries[above]
                for edge in range(first, last):
                    own = tree.edge_action[edge]
                    if own <= low and high <= own + tree.edge_entries[edge]:
                        odds[edge, 0] += 1.0
                        inside = True
                if not inside:
                    return False
            above = tree.row_edge[before]
        for edge in range(first, last):
            odds[edge, 0] /= tree.row_menu[row] + met
    return True


@kernel(inline="late")
def _is_alone(before: int, kind: int) -> bool:
    """Whether a perturbation of decision type `kind` alone reaches a place after deviations at `before`."""
    return kind == before or before == _NOWHERE


@kernel(allocates=True)
def _deviations(tree: Tree, types: Decisions, greedy: Array, focal: int, shift: float) -> Array:
    """int32[edges]: the decision type at which the focal seat must have deviated from L1 to reach the edge.

    _NOWHERE: none. _FAR: several, so that no perturbation of one type reaches it.
    """
    after = np.full(len(tree.edge_row), _NOWHERE, np.int32)
    for row in range(len(tree.row_edge)):
        kind, before = tree.row_type[row], after[tree.row_edge[row]]
        mine = types.seats[kind] == focal and before != _FAR
        for edge in range(tree.row_first[row], tree.row_first[row + 1]):
            after[edge] = before
            if mine and _odds_of(tree, row, edge, greedy[row], 0.0) == 0.0:
                possible = _is_alone(before, kind) and _odds_of(tree, row, edge, greedy[row], shift) > 0.0
                after[edge] = kind if possible else _FAR
    return after


@kernel(allocates=True)
def _changes(tree: Tree, types: Decisions, greedy: Array, odds: Array, focal: int, shift: float, after: Array) -> Array:
    """float64[types]: the change of the focal seat's mean payoff if L1 is perturbed at each of its decision types.

    odds: float64[edges, opponents], the other seat's. after: from `_deviations`.

    A change is a sum over the type's rows: the probability that the perturbed policy reaches the row, times the gain of
    the moved mass there if the seat plays L1 from then on.
    """
    edges, lanes = len(tree.edge_row), odds.shape[1]
    value, reach = np.empty((edges, lanes)), np.empty((edges, lanes))
    _values(tree, types, greedy, odds, focal, after, value)
    changes = np.zeros(len(types.seats))
    reach[0, :] = 1.0
    for row in range(len(tree.row_edge)):
        kind, above, gain = tree.row_type[row], tree.row_edge[row], 0.0
        if after[above] == _FAR:
            continue
        mine = types.seats[kind] == focal
        for edge in range(tree.row_first[row], tree.row_first[row + 1]):
            if after[edge] == _FAR:
                continue
            for k in range(lanes):
                reach[edge, k] = reach[above, k] * (1.0 if mine else odds[edge, k])
            if mine and _is_alone(after[above], kind):
                moved = _odds_of(tree, row, edge, greedy[row], shift) - _odds_of(tree, row, edge, greedy[row], 0.0)
                for k in range(lanes):
                    gain += reach[above, k] * moved * value[edge, k]
        if gain != 0.0:
            changes[kind] += gain * _own_odds(tree, types, greedy, row, focal, shift) / lanes
    return changes


@kernel(inline="late")
def _own_odds(tree: Tree, types: Decisions, greedy: Array, row: int, focal: int, shift: float) -> float:
    """The probability of the focal seat's choices on the way to a row if L1 is perturbed at the row's type."""
    found, kind, edge = 1.0, tree.row_type[row], tree.row_edge[row]
    while edge > 0:
        before = tree.edge_row[edge]
        if types.seats[tree.row_type[before]] == focal:
            moved = shift if tree.row_type[before] == kind else 0.0
            found *= _odds_of(tree, before, edge, greedy[before], moved)
        edge = tree.row_edge[before]
    return found


@kernel
def _values(tree: Tree, types: Decisions, greedy: Array, odds: Array, focal: int, after: Array, value: Array) -> None:
    """Write the value of each edge if the focal seat plays L1 from there on, except where `after` is _FAR.

    value: float64[edges, opponents].
    """
    lanes, sign = value.shape[1], 1.0 if focal == 0 else -1.0
    for edge in range(len(after)):
        if after[edge] != _FAR:
            value[edge, :] = 0.0
    for i in range(len(tree.end_edge)):
        edge, chips = tree.end_edge[i], sign * tree.end_chance[i] * tree.end_payoff[i]
        if after[edge] != _FAR:
            for k in range(lanes):
                value[edge, k] += chips
    for row in range(len(tree.row_edge) - 1, -1, -1):
        above, mine = tree.row_edge[row], types.seats[tree.row_type[row]] == focal
        if after[above] == _FAR:
            continue
        for edge in range(tree.row_first[row], tree.row_first[row + 1]):
            weight = _odds_of(tree, row, edge, greedy[row], 0.0) if mine else 1.0
            if after[edge] == _FAR or weight == 0.0:
                continue
            for k in range(lanes):
                value[above, k] += (weight if mine else odds[edge, k]) * value[edge, k]
