"""The figures of duels: ratings, failures as proposers, and solve rates by turn (The Token Games, figures 3 and 4)."""

from __future__ import annotations

import math

from antemill.tournament.charts import plots
from antemill.tournament.charts.chart import Chart
from antemill.tournament.charts.plots import Line
from antemill.tournament.charts.ranks import Rank, ranked
from antemill.tournament.duel.analysis import resolve, turns
from antemill.tournament.duel.results import Results
from antemill.tournament.statistics.sheets import Cell, Missing, Placed, Sheet

BESIDE = {  # the table with the numbers of a figure
    "ratings": "ratings",
    "failures": "roles",
    "outcomes_by_turn": "turns_by_number",
    "solve_rates": "turns_by_number",
}


def charts_of(results: Results, rated: Sheet) -> dict[str, Chart]:
    """The figures by the names of their files; empty figures are left out. rated: the ratings."""
    found = {"ratings": _ratings(rated), "failures": _failures(results, rated)}
    found["outcomes_by_turn"] = _outcomes(results)
    if results.attempts:
        found["solve_rates"] = _solve_rates(results)
    return found


def _ratings(rated: Sheet) -> Chart:
    """Ratings of duels with their intervals, in the order of the table. Players without a rating keep their places."""
    columns = [rated.column(key) for key in ("player", "duel_rating", "duel_low", "duel_high")]
    rows = [
        Rank(str(name), _number(value), _number(low), _number(high), _said(value), place)
        for place, (name, value, low, high) in enumerate(zip(*columns, strict=True))
    ]
    note = "Whiskers: the 95% interval over resampled duels. Arrows: undefeated, or without a win, among the others."
    return ranked("Ratings of duels", rows, "rating: 400 points are odds of ten to one", note, digits=0)


def _failures(results: Results, rated: Sheet) -> Chart:
    """Figure 3: puzzles that were too hard for their own proposer, and those that were too easy for the solver; of the
    players in the order of their ratings."""
    names, found = turns.rounds(results.turns)
    players = [str(name) for name in rated.column("player")]
    counts = {
        "over-ambitious: its own solution fails": found.penalties,
        "under-ambitious: the opponent solves it": found.proposed_solved,
        "unsolved": found.proposed_unsolved,
    }
    values = {label: [float(of[names.index(name)]) for name in players] for label, of in counts.items()}
    panel = plots.groups(players, values, "turns as the proposer", stacked=True)
    return Chart("How each proposer's turns ended", (panel,), "The first two fail; an unsolved puzzle is a point.")


def _outcomes(results: Results) -> Chart:
    """Table 6 as a figure: shares of outcomes by the number of the turn."""
    found = turns.by_turn(results.turns)
    counts = {
        "solved": [one.solved for one in found],
        "unsolved": [one.unsolved for one in found],
        "penalties": [one.penalties for one in found],
    }
    whole = [one.solved + one.unsolved + one.penalties for one in found]
    shares = {name: [n / total for n, total in zip(line, whole, strict=True)] for name, line in counts.items()}
    labels = [str(one.number) for one in found]
    panel = plots.groups(labels, shares, "share of turns", "turn", span=(0.0, 1.02), stacked=True)
    return Chart("Outcomes by turn", (panel,))


def _solve_rates(results: Results) -> Chart:
    """Figure 4: the share of each turn's valid puzzles that the reference models solve."""
    grid = resolve.by_turn(results.turns, results.attempts)
    numbers = sorted(int(key) for key in grid if key.isdigit())
    models = sorted({name for cells in grid.values() for name in cells} - {"total"})
    lines = [Line(name, numbers, [_rate(grid, number, name) for number in numbers]) for name in models]
    panel = plots.lines(lines, "turn", "share solved", (0.0, 1.02))
    return Chart("Solve rates by turn", (panel,), "Reference models on the valid puzzles of each turn of a duel.")


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
