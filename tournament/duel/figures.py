"""The figures of duels: ratings, failures as proposers, and solve rates by turn (The Token Games, figures 3 and 4)."""

from __future__ import annotations

import math

from antemill.tournament.charts import plots
from antemill.tournament.charts.chart import Chart
from antemill.tournament.charts.plots import Line
from antemill.tournament.charts.ranks import Rank, fitting, ranked
from antemill.tournament.duel.analysis import resolve, turns
from antemill.tournament.duel.analysis.resolve import TOTAL
from antemill.tournament.duel.findings import DuelFindings, best_first
from antemill.tournament.duel.results import Results
from antemill.tournament.statistics.sheets import Cell, Missing, Placed, Sheet

BESIDE = {  # the table with the numbers of a figure
    "ratings": "ratings",
    "failures": "roles",
    "outcomes_by_turn": "turns_by_number",
    "solve_rates": "turns_by_number",
}


def charts(a: DuelFindings) -> dict[str, Chart]:
    """The figures by the names of their files; empty figures are left out."""
    results, rated = a.results, a.rated
    found = {"ratings": _ratings(rated), "failures": _failures(results, rated)}
    found["outcomes_by_turn"] = _outcomes(results)
    if results.attempts:
        found["solve_rates"] = _solve_rates(results, rated)
    return found


def _ratings(rated: Sheet) -> Chart:
    """Ratings of duels with their intervals, in the order of the table. Players without a rating keep their places."""
    columns = [rated.column(key) for key in ("player", "duel_rating", "duel_low", "duel_high")]
    rows = [
        Rank(str(name), _number(value), _number(low), _number(high), _said(value), place)
        for place, (name, value, low, high) in enumerate(zip(*columns, strict=True))
    ]
    note = "Whiskers: the 95% interval over duels. Arrows: undefeated, or without a win, among the others."
    return ranked("Ratings of duels", rows, "rating: 400 points are odds of ten to one", note, digits=0)


def _failures(results: Results, rated: Sheet) -> Chart:
    """Figure 3: puzzles that were too hard for their own proposer, and those that were too easy for the solver; of the
    players in the order of their ratings."""
    names, found = turns.rounds(results.turns)
    players = [str(name) for name in rated.column("player")]
    counts = {
        "over-ambitious": found.penalties,
        "under-ambitious": found.proposed_solved,
        "unsolved": found.proposed_unsolved,
    }
    values = {label: [float(of[names.index(name)]) for name in players] for label, of in counts.items()}
    return fitting(
        "How each proposer's turns ended",
        lambda width: (plots.groups(players, values, "turns as the proposer", stacked=True, width=width),),
        "Over-ambitious: the proposer's own solution fails. Under-ambitious: the opponent solves the puzzle. "
        "An unsolved puzzle is a point.",
    )


def _outcomes(results: Results) -> Chart:
    """Table 6 as a figure: shares of outcomes by the number of the turn, in the order and colours of `_failures`."""
    found = turns.by_turn(results.turns)
    counts = {
        "penalties": [one.penalties for one in found],
        "solved": [one.solved for one in found],
        "unsolved": [one.unsolved for one in found],
    }
    whole = [one.solved + one.unsolved + one.penalties for one in found]
    shares = {name: [n / total for n, total in zip(line, whole, strict=True)] for name, line in counts.items()}
    labels = [str(one.number) for one in found]
    return fitting(
        "Outcomes by turn",
        lambda width: (plots.groups(labels, shares, "share of turns", "turn", None, (0.0, 1.02), True, width),),
    )


def _solve_rates(results: Results, rated: Sheet) -> Chart:
    """Figure 4: the share of each turn's valid puzzles that the reference models solve. Those that play in the duels
    have the colours of their places among the players.
    """
    grid = resolve.by_turn(results.turns, results.attempts)
    numbers = sorted(int(key) for key in grid if key.isdigit())
    players = [str(name) for name in rated.column("player")]
    models = best_first(rated, {name for cells in grid.values() for name in cells} - {TOTAL})
    colours = {name: i for i, name in enumerate(dict.fromkeys([*players, *models]))}
    lines = [Line(name, numbers, [_rate(grid, n, name) for n in numbers], series=colours[name]) for name in models]
    return fitting(
        "Solve rates by turn",
        lambda width: (plots.lines(lines, "turn", "share solved", (0.0, 1.02), width=width),),
        "Reference models on the valid puzzles of each turn of a duel.",
    )


def _rate(grid: resolve.Grid, number: int, model: str) -> float:
    cell = grid[str(number)].get(model)
    return math.nan if cell is None or cell.rate is None else float(cell.rate)


def _number(cell: Cell) -> float:
    """A number of the table; infinite for a player beyond the others, NaN if there is none."""
    if isinstance(cell, Placed) and "∞" in cell.reason:
        return -math.inf if cell.reason.startswith(("∞ below", "\N{MINUS SIGN}∞")) else math.inf
    return float(cell) if isinstance(cell, int | float) else math.nan


def _said(cell: Cell) -> str:
    return cell.reason if isinstance(cell, Missing) else ""
