"""The table of ratings of duels, rounds and roles (T7, T9; TTG section 3.2).

Each rating is fitted to the largest group of players who have all beaten each other along chains of wins. The anchor
only chooses the rating that is 1000. A player outside of the group is infinitely far above or below another player,
whom the table names.

A player with fewer than five duels has no interval, is left out of the others' intervals, and is listed below them
(`antemill.tournament.statistics.few`), unless no player has more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from antemill.tournament.duel.results import Results
from antemill.tournament.statistics import elo
from antemill.tournament.statistics.bootstrap import multinomial_weights
from antemill.tournament.statistics.bradley_terry import aligned, bradley_terry, fit, interval
from antemill.tournament.statistics.clustered import stretched_wins
from antemill.tournament.statistics.few import FEWEST, enough
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import Flags, SlotTable, from_codes
from antemill.tournament.statistics.placing import Place, places, said
from antemill.tournament.statistics.sheets import Cell, Column, Missing, Placed, Sheet, limit

_TEXT: Final = "text"
POINTS = elo.SCALE / float(np.log(10.0))  # rating points for one unit of log-odds
TOO_FEW_DUELS = f"fewer than {FEWEST} duels"
ALONE = "no other player has a finite rating"


class Rated(Struct, frozen=True):
    """One kind of ratings: the player at 1000, every player's place, and the cells rating, low and high."""

    anchor: int
    places: list[Place]
    cells: list[list[Cell]]


def ratings(results: Results, replicates: int, seed: int) -> Sheet:
    """Separate ratings of duels, rounds and roles on the Elo scale, the best duelist first.

    Intervals: percentiles over resampled duels, stretched to Student's t where
    duels are few (`antemill.tournament.statistics.clustered`).
    """
    players, there = results.players, enough(_table(results))
    columns = [Column("player", "Player", _TEXT)]
    rows: list[list[Cell]] = [[player] for player in players]
    rated = {}
    for name, heading, wins in zip(("duel", "round"), ("Duels", "Rounds"), _wins(results, players), strict=True):
        columns += [Column(f"{name}_rating", heading, digits=0), Column(f"{name}_low", "low", digits=0)]
        columns += [Column(f"{name}_high", "high", digits=0)]
        rated[name] = rate(wins, players, there, replicates, seed)
        for row, cells in zip(rows, rated[name].cells, strict=True):
            row += cells
    columns += [Column("solver_rating", "As solver", digits=0), Column("proposer_rating", "As proposer", digits=0)]
    for row, cells in zip(rows, _roles(results, players), strict=True):
        row += cells
    few = ~there & there.any()
    duel, turn = (rated[name].places for name in ("duel", "round"))
    order = sorted(range(len(players)), key=lambda i: (few[i], duel[i].rank, turn[i].rank, i))
    note = _note([players[one.anchor] for one in rated.values()])
    if few.any():
        note += f" Listed below the others, with {TOO_FEW_DUELS}: {', '.join(players[i] for i in order if few[i])}."
    return Sheet("ratings", "Ratings of duels, rounds and roles", columns, [rows[i] for i in order], note)


def _note(anchors: Sequence[str]) -> str:
    """The note that explains the numbers."""
    first, second = anchors
    at = f"{first} is at 1000" if first == second else f"{first} is at 1000 for duels, {second} for rounds"
    return (
        "Bradley-Terry without a prior, among the largest group of players who have all beaten each other along chains "
        f"of wins; 400 points are odds of ten to one, and {at}. Intervals over resampled duels, against the mean of "
        f"the group, from {FEWEST} duels on. Roles are on a scale of their own: solvers are at 1000 on average."
    )


def rate(wins: Floats, players: Sequence[str], there: Flags, replicates: int, seed: int) -> Rated:
    """wins: float64[duels, players, players]; there: bool[players], players with enough duels for an interval."""
    whole = wins.sum(axis=0)
    found = bradley_terry(whole)
    regular = np.where(there | ~there.any(), found.strengths, np.nan)
    anchor = elo.anchor_of(found, int(np.argmax(np.isfinite(regular))))
    zero = float(found.strengths[anchor])
    point = elo.on_scale(found.strengths, zero)
    weights = multinomial_weights(len(wins), replicates, seed)
    drawn = (weights @ wins.reshape(len(wins), -1)).reshape(replicates, *wins.shape[1:])
    bounds = interval(elo.on_scale(aligned(fit(drawn), regular), zero))
    if wins.any():
        bounds = stretched_wins(bounds, point, _decided(wins, players), found.strengths, np.isfinite(regular), "none")
    where = places(whole, found)
    lonely = found.status.count("rated") == 1
    why = [ALONE if lonely and i == anchor else "" if there[i] else TOO_FEW_DUELS for i in range(len(players))]
    cells: list[list[Cell]] = [
        [
            _cell(point[i], said(where[i], players, POINTS)),
            *([Missing(why[i])] * 2 if why[i] else [limit(bounds.low[i]), limit(bounds.high[i])]),
        ]
        for i in range(len(players))
    ]
    return Rated(anchor, where, cells)


def _cell(value: float, place: str) -> Cell:
    return float(value) if np.isfinite(value) else Placed(place)


def _table(results: Results) -> SlotTable:
    """The pairs that met, each duel as a unit of its own."""
    place, duels = {name: i for i, name in enumerate(results.players)}, results.duels
    first, second = (np.array([place[getattr(one, side)] for one in duels], np.int64) for side in ("first", "second"))
    margin = np.array([one.points[0] - one.points[1] for one in duels], np.float64)
    none = np.zeros(len(duels), np.int64)
    return from_codes(tuple(results.players), ("duels",), none, np.arange(len(duels)), first, second, margin)


def _decided(wins: Floats, players: Sequence[str]) -> SlotTable:
    """Each duel's margin between its two players, weighted by its wins, one row a duel."""
    low, high = np.triu_indices(len(players), 1)
    won, lost = wins[:, low, high], wins[:, high, low]
    duel, pair = np.nonzero(won + lost)
    won, lost, none = won[duel, pair], lost[duel, pair], np.zeros(len(duel), np.int64)
    margin, weight = (won - lost) / (won + lost), won + lost
    return from_codes(tuple(players), ("duels",), none, duel, low[pair], high[pair], margin, weight)


def _wins(results: Results, players: Sequence[str]) -> tuple[Floats, Floats]:
    """float64[duels, players, players] each: wins of duels and of rounds in each duel."""
    size, place = len(players), {name: i for i, name in enumerate(players)}
    duel = np.zeros((len(results.duels), size, size))
    rounds = np.zeros_like(duel)
    for k, one in enumerate(results.duels):
        a, b = (np.array([place[name]]) for name in (one.first, one.second))
        duel[k] = elo.duel_wins(size, a, b, np.array([float(one.points[0])]), np.array([float(one.points[1])]))
        solver, proposer = (np.array([place[turn[name]] for turn in one.turns]) for name in ("solver", "proposer"))
        rounds[k] = elo.round_wins(size, solver, proposer, [turn["outcome"] for turn in one.turns])
    return duel, rounds


def _roles(results: Results, players: Sequence[str]) -> list[list[Cell]]:
    """The ratings as solver and as proposer of each player."""
    place = {name: i for i, name in enumerate(players)}
    solver = np.array([place[turn.solver] for turn in results.turns], np.int64)
    proposer = np.array([place[turn.proposer] for turn in results.turns], np.int64)
    wins = elo.role_wins(len(players), solver, proposer, [str(turn.outcome) for turn in results.turns])
    found, rating = elo.role_ratings(wins)
    names = [*(f"{name} as solver" for name in players), *(f"{name} as proposer" for name in players)]
    where = places(wins, found)
    return [
        [_cell(rating[role, i], said(where[role * len(players) + i], names, POINTS)) for role in (0, 1)]
        for i in range(len(players))
    ]
