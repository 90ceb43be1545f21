"""What the paper writes beside its tables: its table 1 as printed, and the figures of its questions RQ3 and RQ4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from antemill.tournament.duel.analysis import turns
from antemill.tournament.duel.analysis.external import correlations
from antemill.tournament.duel.analysis.turns import TurnRow
from antemill.tournament.duel.findings import STATISTICS, DuelFindings, best_first, finite, numbers, rate_cell
from antemill.tournament.duel.results import Results
from antemill.tournament.statistics.bootstrap import multinomial_weights
from antemill.tournament.statistics.few import FEWEST
from antemill.tournament.statistics.intervals import Floats, percentile
from antemill.tournament.statistics.sheets import Cell, Column, Missing, Sheet

__all__ = ["STATISTICS", "both_roles", "difficulty", "ranks"]
_TEXT: Final = "text"
statistic = STATISTICS
_TOO_FEW = f"fewer than {FEWEST} duels with such puzzles"


@statistic(
    "ranks",
    "ratings, rates and other benchmarks with their ranks",
    "table 1",
    group="Players",
    after="ratings",
    below="ratings",
)
def ranks(a: DuelFindings) -> Sheet:
    """Table 1 as printed: its "Elo" is the rating of rounds, and equal figures share the better rank."""
    players, found = turns.rounds(a.results.turns)
    figures: dict[str, tuple[str, Mapping[str, float]]] = {
        "elo": ("Elo (rounds)", numbers(a.rated, "round_rating")),
        "solv": ("Solv%", {name: 100.0 * rate for name, rate in finite(players, found.solver_rate).items()}),
        "prop": ("Prop%", {name: 100.0 * rate for name, rate in finite(players, found.proposer_rate).items()}),
    }
    for name, scores in a.scores.items():
        ours = {player: scores[player] for player in players if player in scores}
        figures |= {name: (name, ours)} if ours else {}
    columns = [Column("player", "Player", _TEXT)]
    for key, (heading, _) in figures.items():
        columns += [Column(key, heading, digits=0 if key == "elo" else 1), Column(f"{key}_rank", "R", "count")]
    elo = figures["elo"][1]
    rows: list[list[Cell]] = []
    for player in sorted(players, key=lambda name: (-elo.get(name, -np.inf), name)):
        row: list[Cell] = [player]
        for _, values in figures.values():
            row += [values.get(player, Missing("no figure")), _rank(values, player)]
        rows.append(row)
    return Sheet("ranks", "Ranks", columns, rows, "R: the rank from the best down; equal figures share the better one.")


def _rank(values: Mapping[str, float], player: str) -> int | None:
    return 1 + sum(value > values[player] for value in values.values()) if player in values else None


@statistic(
    "both_roles",
    "whether strong solvers are strong proposers",
    "section 4.3",
    group="Players",
    after="roles",
    below="ranks",
)
def both_roles(a: DuelFindings) -> Sheet:
    """RQ3: the rank correlation of the players' rates in the two roles."""
    players, found = turns.rounds(a.results.turns)
    (one,) = correlations(
        {"solver_rate": finite(players, found.solver_rate)}, {"proposer_rate": finite(players, found.proposer_rate)}
    )
    columns = [Column("models", "Models", "count"), Column("rho", "Spearman", digits=2, signed=True)]
    columns += [Column("p", "p", digits=3)]
    why = "fewer than three models, or no variation"
    rows = [[one.models, rate_cell(one.rho, why), rate_cell(one.p_value, why)]]
    note = "Shares solved of the puzzles attempted, and shares of turns as the proposer that end unsolved."
    return Sheet("both_roles", "Are strong solvers strong proposers?", columns, rows, note)


@statistic(
    "difficulty",
    "how solve rates change over a duel's turns",
    "section 4.4",
    group="Puzzles",
    printed=True,
    after="turns_by_number",
)
def difficulty(a: DuelFindings) -> Sheet | None:
    """RQ4: least squares over the reference models' attempts on valid puzzles, by the number of the puzzle's turn.

    None without attempts.
    """
    if not a.results.attempts:
        return None
    columns = [Column("model", "Model", _TEXT), Column("puzzles", "Puzzles", "count")]
    columns += [Column("first", "Share solved, first turn", digits=3), Column("last", "last turn", digits=3)]
    columns += [Column("change", "Change", digits=3, signed=True), Column("low", "low", digits=3, signed=True)]
    columns += [Column("high", "high", digits=3, signed=True)]
    rows = [
        _trend(model, a.results, a.replicates)
        for model in best_first(a.rated, {one.model for one in a.results.attempts})
    ]
    note = (
        "The line by least squares through all attempts, at the first and at the last turn, and the change between "
        "them. Low and high: 95% over resampled duels; below 0, puzzles become harder."
    )
    return Sheet("difficulty", "Difficulty over the turns", columns, rows, note)


def _trend(model: str, results: Results, replicates: int) -> list[Cell]:
    sums = _sums(turns.valid(results.turns), {one.puzzle: one.solved for one in results.attempts if one.model == model})
    count = int(sums[:, 0].sum())
    numbers_ = [turn.number for turn in results.turns]
    first, last = min(numbers_), max(numbers_)
    slope, level = _line(sums.sum(axis=0))
    if not np.isfinite(slope):
        return [model, count, *[Missing("the puzzles are all of one turn")] * 5]
    ends: list[Cell] = [float(level + slope * first), float(level + slope * last)]
    if len(sums) < FEWEST:
        return [model, count, *ends, float(slope * (last - first)), *[Missing(_TOO_FEW)] * 2]
    drawn, _ = _line(multinomial_weights(len(sums), replicates) @ sums)
    bounds = percentile(drawn * (last - first))
    return [model, count, *ends, float(slope * (last - first)), float(bounds.low), float(bounds.high)]


def _sums(valid: Sequence[TurnRow], solved: Mapping[str, bool]) -> Floats:
    """float64[duels, 5]: of the attempts on each duel's puzzles the sums of 1, t, y, t * t and t * y."""
    found: dict[str, Floats] = {}
    for turn in valid:
        if turn.puzzle in solved:
            t, y = float(turn.number), float(solved[turn.puzzle])
            found[turn.duel] = found.get(turn.duel, np.zeros(5)) + np.array([1.0, t, y, t * t, t * y])
    return np.array(list(found.values())).reshape(len(found), 5)


def _line(sums: Floats) -> tuple[Floats, Floats]:
    """Slope and level of the lines through sums as of `_sums`, [..., 5]; NaN where all turns are the same."""
    n, t, y, tt, ty = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = n * tt - t * t
        slope = np.where(spread > 0.0, (n * ty - t * y) / spread, np.nan)
        return np.asarray(slope), np.asarray((y - slope * t) / n)
