"""The Token Games' tables from any set of duels (T8, T10 to T13), each registered; `ratings` makes the ratings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from antemill.tournament.duel.analysis import quality as qualities
from antemill.tournament.duel.analysis import resolve, topics, turns
from antemill.tournament.duel.analysis.external import Scores, correlations
from antemill.tournament.duel.results import Results
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.sheets import Cell, Column, Missing, Sheet, estimate
from antemill.tournament.statistics.statistic import Statistics

_TEXT: Final = "text"
# Columns of the table of roles: of `win_rates.Rounds`, and others.
_COUNTS = {
    "solved": "Solved",
    "failed": "Failed",
    "spared": "Spared",
    "proposed_solved": "Its solved",
    "proposed_unsolved": "Its unsolved",
    "penalties": "Penalties",
}
_RATES = {
    "solver_rate": "Solver, of attempted",
    "solver_success": "Solver, with penalties",
    "proposer_rate": "Proposer, of all",
    "hard_share": "Proposer, of valid",
    "penalty_rate": "Over-ambitious",
}
_SHARES = {"too_easy": "Under-ambitious", "self_rate": "Solves its own", "either_rate": "It or the opponent"}


class DuelFindings(Struct, frozen=True):
    """The data for the tables of a set of duels. rated, costs: their tables; scores: of other benchmarks."""

    results: Results
    rated: Sheet
    scores: Scores
    costs: Sheet


STATISTICS = statistic = Statistics[DuelFindings]("Players", "Puzzles", "Play")


@statistic("ratings", "ratings of duels, of rounds and of the two roles", group="Players", printed=True)
def rated(a: DuelFindings) -> Sheet:
    """Table 1."""
    return a.rated


@statistic("roles", "win rates of solvers and proposers", "table 5", group="Players", printed=True)
def roles(a: DuelFindings) -> Sheet:
    """Table 5 with both definitions of each rate (T8), and the columns "self" and "either" (T10)."""
    results = a.results
    players, found = turns.rounds(results.turns)
    again = {row.player: row for row in resolve.self_and_either(results.turns, results.own)}
    columns = [Column("player", "Player", _TEXT)]
    columns += [Column(key, heading, "count") for key, heading in _COUNTS.items()]
    columns += [Column(key, heading, digits=3) for key, heading in (_RATES | _SHARES).items()]
    rows: list[list[Cell]] = []
    for i, player in enumerate(players):
        row: list[Cell] = [player, *(int(getattr(found, name)[i]) for name in _COUNTS)]
        row += [estimate(getattr(found, name)[i], "no such turns") for name in _RATES]
        turns_as_proposer = int(found.proposed_solved[i] + found.proposed_unsolved[i] + found.penalties[i])
        row.append(_rate(turns.share(int(found.proposed_solved[i]), turns_as_proposer), "no such turns"))
        mine = again.get(player)
        for cell in (mine.self_solved, mine.either_solved) if mine else (None, None):
            row.append(_rate(cell.rate if cell else None, "did not solve its puzzles again"))
        rows.append(row)
    return Sheet("roles", "Solvers and proposers", columns, rows, "Turns and shares of turns.")


@statistic("external", "rank correlations with other benchmarks", "table 2", group="Players", after="costs")
def external(a: DuelFindings) -> Sheet:
    """Table 2: rank correlations of the sheet `ratings` and of rates with other benchmarks' scores (T13)."""
    players, found = turns.rounds(a.results.turns)
    ours = {
        "duel_rating": _numbers(a.rated, "duel_rating"),
        "round_rating": _numbers(a.rated, "round_rating"),
        "solver_rate": _finite(players, found.solver_rate),
        "proposer_rate": _finite(players, found.proposer_rate),
    }
    columns = [Column("ours", "Figure", _TEXT), Column("theirs", "Benchmark", _TEXT)]
    columns += [Column("models", "Models", "count"), Column("rho", "Spearman", digits=2, signed=True)]
    columns += [Column("p", "p", digits=3)]
    rows: list[list[Cell]] = []
    for one in correlations(ours, a.scores):
        why = "fewer than three models in common, or no variation"
        rows.append([one.ours, one.theirs, one.models, _rate(one.rho, why), _rate(one.p_value, why)])
    return Sheet("external", "Rank correlations with other benchmarks", columns, rows)


@statistic("turns_by_number", "outcomes by the turn's number", "table 6", group="Puzzles", printed=True, after="roles")
def by_turn(a: DuelFindings) -> Sheet:
    """Table 6, and the shares of each turn's puzzles that the reference models solve (section 4.4)."""
    results = a.results
    grid = resolve.by_turn(results.turns, results.attempts)
    models = _models(grid)
    columns = [Column("turn", "Turn", "count"), Column("solved", "Solved", "count")]
    columns += [Column("unsolved", "Unsolved", "count"), Column("penalties", "Penalties", "count")]
    columns += [Column("penalty_rate", "Penalty rate", digits=3)]
    columns += [Column(f"resolved_{model}", f"{model} solves", digits=3) for model in models]
    rows: list[list[Cell]] = []
    for one in turns.by_turn(results.turns):
        row: list[Cell] = [one.number, one.solved, one.unsolved, one.penalties, _rate(one.penalty_rate, "")]
        cells = grid.get(str(one.number), {})
        rows.append(row + [_rate(cells[m].rate if m in cells else None, "not attempted") for m in models])
    return Sheet("turns_by_number", "Turns by their number", columns, rows)


@statistic("resolved", "valid puzzles, solved again", "table 4", group="Puzzles")
def resolved(a: DuelFindings) -> Sheet:
    """Table 4: reference models on each proposer's valid puzzles."""
    results = a.results
    grid = resolve.by_proposer(results.turns, results.attempts)
    models = _models(grid)
    columns = [Column("proposer", "Proposer", _TEXT)]
    for model in models:
        columns += [Column(f"{model}_solved", f"{model} solved", "count"), Column(f"{model}_of", "of", "count")]
        columns += [Column(f"{model}_rate", "rate", digits=3)]
    rows: list[list[Cell]] = []
    for proposer in sorted(grid, key=lambda name: (name == "total", name)):
        row: list[Cell] = [proposer]
        for model in models:
            cell = grid[proposer].get(model)
            row += [cell.solved, cell.attempted, _rate(cell.rate, "")] if cell else [None, None, None]
        rows.append(row)
    return Sheet("resolved", "Valid puzzles, solved again", columns, rows)


@statistic("quality", "the quality of each proposer's puzzles", group="Puzzles", after="tags")
def quality(a: DuelFindings) -> Sheet:
    """The shares of valid and of unsolved puzzles, and their novelty."""
    results = a.results
    columns = [Column("proposer", "Proposer", _TEXT), Column("turns", "Turns", "count")]
    columns += [Column("valid", "Valid", "count"), Column("distinct", "Distinct", "count")]
    columns += [Column("valid_share", "Share valid", digits=3)]
    columns += [
        Column("unsolved_share", "Unsolved by all references", digits=3),
        Column("novelty", "Novelty", digits=3),
    ]
    rows: list[list[Cell]] = [
        [
            *(one.proposer, one.turns, one.valid, one.distinct),
            _rate(one.valid_share, "no turns"),
            _rate(one.unsolved_share, "no reference model attempted them"),
            _rate(one.novelty, "no puzzle to compare with"),
        ]
        for one in qualities.quality(results.turns, results.codes, results.attempts, results.references)
    ]
    return Sheet(
        "quality", "Quality of puzzles", columns, rows, "Novelty: median distance to the nearest earlier puzzle."
    )


@statistic("topics", "topics of each proposer's puzzles", "table 3", group="Puzzles", after="resolved")
def topic_profiles(a: DuelFindings) -> Sheet:
    """Table 3: each proposer's most frequent tag, the tag of the highest lift, and the tag that only it has (T11)."""
    results = a.results
    columns = [Column("proposer", "Proposer", _TEXT), Column("puzzles", "Puzzles", "count")]
    for name, heading in (("top", "Most frequent"), ("distinctive", "Distinctive"), ("exclusive", "Exclusive")):
        columns += [Column(name, heading, _TEXT), Column(f"{name}_count", "puzzles", "count")]
        columns += [Column(f"{name}_share", "share", digits=3), Column(f"{name}_lift", "lift", digits=1)]
    rows: list[list[Cell]] = []
    for profile in topics.profiles(results.tagged):
        row: list[Cell] = [profile.proposer, profile.puzzles]
        for use in (profile.top, profile.distinctive, profile.exclusive):
            row += (
                [use.tag, use.count, float(use.frequency), float(use.lift)]
                if use
                else [Missing("none"), None, None, None]
            )
        rows.append(row)
    whole = topics.corpus(results.tagged)
    note = (
        f"All {whole.puzzles:,} puzzles that were tagged, valid or not. {whole.tags} tags, {whole.tags_a_puzzle:.2f} a "
        f"puzzle; {whole.rare} of them in {topics.RARE} puzzles at most. A distinctive tag has {topics.LEAST} at least."
    )
    return Sheet("topics", "Topics", columns, rows, note if rows else "No puzzle was tagged.")


@statistic("tags", "the frequency of each tag", group="Puzzles")
def tags(a: DuelFindings) -> Sheet:
    """The frequency of each tag among all puzzles."""
    results = a.results
    whole = topics.corpus(results.tagged)
    columns = [Column("tag", "Tag", _TEXT), Column("share", "Share of puzzles", digits=3)]
    return Sheet("tags", "Tags", columns, [[tag, value] for tag, value in whole.frequency.items()])


@statistic("costs", "tokens and dollars by purpose and model", "table 7", group="Play", after="quality")
def costs(a: DuelFindings) -> Sheet:
    """Table 7, with the calls that were not part of a duel."""
    return a.costs


def all_turns(results: Results) -> Sheet:
    """One row a turn: turns.parquet."""
    texts = (
        "proposer",
        "solver",
        "outcome",
        "puzzle",
        "code",
        "solution",
        "attempt",
        "sample_verdict",
        "sample_detail",
    )
    more = ("sample_backend", "attempt_verdict", "attempt_detail", "attempt_backend")
    counts = ("proposer_format_failures", "solver_format_failures")
    columns = [Column("duel", "Duel", _TEXT), Column("number", "Turn", "count")]
    columns += [Column(name, name, _TEXT) for name in (*texts, *more)]
    columns += [Column(name, name, "count") for name in counts]
    names = [column.key for column in columns[1:]]
    rows = [[duel.key, *(turn[name] for name in names)] for duel in results.duels for turn in duel.turns]
    return Sheet("turns", "Turns", columns, rows)


def _models(grid: resolve.Grid) -> list[str]:
    names = {model for cells in grid.values() for model in cells}
    return sorted(names, key=lambda name: (name == "total", name))


def _rate(value: float | None, reason: str) -> Cell:
    return Missing(reason) if value is None else value


def _finite(players: Sequence[str], values: Floats) -> dict[str, float]:
    return {player: float(value) for player, value in zip(players, values, strict=True) if np.isfinite(value)}


def _numbers(sheet: Sheet, key: str) -> dict[str, float]:
    pairs = zip(sheet.column("player"), sheet.column(key), strict=True)
    return {str(player): cell for player, cell in pairs if isinstance(cell, float)}
