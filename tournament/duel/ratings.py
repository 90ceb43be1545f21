"""The table of ratings of duels, rounds and roles (T7, T9; TTG section 3.2).

Each rating is fitted to the largest group of players who have all beaten each other along chains of wins. The anchor
only chooses the rating that is 1000. A player outside of the group is infinitely far above or below another player,
whom the table names.

Intervals are those of `antemill.tournament.statistics.wins`, over duels, against the mean that each player's duels
weigh; where someone is unbeaten or has not won they are about a fit with one more draw for every player.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from antemill.tournament.duel.results import Results
from antemill.tournament.statistics import elo
from antemill.tournament.statistics.bradley_terry import bradley_terry
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.matches import SlotTable, from_codes, largest_group
from antemill.tournament.statistics.placing import Place, places, said
from antemill.tournament.statistics.sheets import Cell, Column, Placed, Sheet, estimate
from antemill.tournament.statistics.wins import fit_wins

_TEXT: Final = "text"
POINTS = elo.SCALE / float(np.log(10.0))  # rating points for one unit of log-odds


class Rated(Struct, frozen=True):
    """One kind of ratings: the player at 1000, every player's place, and the cells rating, low and high."""

    anchor: int
    places: list[Place]
    cells: list[list[Cell]]


def ratings(results: Results) -> Sheet:
    """Separate ratings of duels, rounds and roles on the Elo scale, the best duelist first."""
    players = results.players
    columns = [Column("player", "Player", _TEXT)]
    rows: list[list[Cell]] = [[player] for player in players]
    rated = {}
    for name, heading, wins in zip(("duel", "round"), ("Duels", "Rounds"), _wins(results, players), strict=True):
        columns += [Column(f"{name}_rating", heading, digits=0), Column(f"{name}_low", "low", digits=0)]
        columns += [Column(f"{name}_high", "high", digits=0)]
        rated[name] = rate(wins, players)
        for row, cells in zip(rows, rated[name].cells, strict=True):
            row += cells
    columns += [Column("solver_rating", "As solver", digits=0), Column("proposer_rating", "As proposer", digits=0)]
    for row, cells in zip(rows, _roles(results, players), strict=True):
        row += cells
    duel, turn = (rated[name].places for name in ("duel", "round"))
    order = sorted(range(len(players)), key=lambda i: (duel[i].rank, turn[i].rank, i))
    note = _note([players[one.anchor] for one in rated.values()])
    return Sheet("ratings", "Ratings of duels, rounds and roles", columns, [rows[i] for i in order], note)


def _note(anchors: Sequence[str]) -> str:
    """The note that explains the numbers."""
    first, second = anchors
    at = f"{first} is at 1000" if first == second else f"{first} is at 1000 for duels, {second} for rounds"
    return (
        "Bradley-Terry without a prior, among the largest group of players who have all beaten each other along chains "
        f"of wins; 400 points are odds of ten to one, and {at}. Intervals are 95% over duels, against the mean that "
        "each player's duels weigh. Roles are on a scale of their own: solvers are at 1000 on average."
    )


def rate(wins: Floats, players: Sequence[str]) -> Rated:
    """wins: float64[duels, players, players]."""
    whole = wins.sum(axis=0)
    found = bradley_terry(whole)
    anchor = elo.anchor_of(found, int(np.argmax(np.isfinite(found.strengths))))
    zero = float(found.strengths[anchor])
    point, reach = elo.on_scale(found.strengths, zero), np.full(len(players), np.nan)
    middle = point.copy()
    if wins.any():
        main, outside = largest_group(_decided(wins, players))
        there = ~np.isin(players, outside)
        fit = fit_wins(main)
        reach[there] = POINTS * fit.spread.error.reach
        if fit.prior:  # those without a finite rating stand where the draw puts them
            level = np.full(len(players), np.nan)
            level[there] = fit.strengths
            shift = np.nanmean((point - POINTS * level)[np.isfinite(point)])
            middle = np.where(np.isfinite(point), point, POINTS * level + shift)
    where = places(whole, found)
    cells: list[list[Cell]] = [
        [
            _cell(point[i], said(where[i], players, POINTS)),
            estimate(middle[i] - reach[i]),
            estimate(middle[i] + reach[i]),
        ]
        for i in range(len(players))
    ]
    return Rated(anchor, where, cells)


def _cell(value: float, place: str) -> Cell:
    return float(value) if np.isfinite(value) else Placed(place)


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
