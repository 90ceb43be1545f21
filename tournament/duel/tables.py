"""The Token Games' tables from any set of duels (T8, T10 to T13), each registered; `ratings` makes the ratings."""

from __future__ import annotations

from typing import Final

import msgspec

from antemill.tournament.duel import written
from antemill.tournament.duel.analysis import quality as qualities
from antemill.tournament.duel.analysis import resolve, topics, turns
from antemill.tournament.duel.analysis.external import correlations
from antemill.tournament.duel.findings import TOTAL, DuelFindings, best_first, finite, numbers, rate_cell
from antemill.tournament.duel.results import Results
from antemill.tournament.statistics import replies
from antemill.tournament.statistics.sheets import Cell, Column, Missing, Sheet, estimate
from antemill.tournament.statistics.win_rates import Rounds

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


STATISTICS = statistic = written.STATISTICS


@statistic("ratings", "ratings of duels, of rounds and of the two roles", group="Players", printed=True)
def rated(a: DuelFindings) -> Sheet:
    """The ratings of table 1, each under a name of its own."""
    asked: dict[str, replies.Counts] = {}
    for turn in (turn for duel in a.results.duels for turn in duel.turns):
        for role in ("proposer", "solver"):
            if tries := turn.get(f"{role}_tries", 0):
                had = asked.get(turn[role], (0, 0, 0))
                asked[turn[role]] = (had[0] + 1, had[1] + (tries > 1), had[2] + bool(turn[f"{role}_unread"]))
    rows = [[*row, *replies.cells(asked, str(row[0]))] for row in a.rated.rows]
    return msgspec.structs.replace(a.rated, columns=[*a.rated.columns, *replies.COLUMNS], rows=rows)


@statistic("roles", "win rates of solvers and proposers", "table 5", group="Players", printed=True)
def roles(a: DuelFindings) -> Sheet:
    """Table 5 with both definitions of each rate (T8), and the columns "self" and "either" (T10)."""
    results = a.results
    players, found = turns.rounds(results.turns)
    again = {row.player: row for row in resolve.self_and_either(results.turns, results.own)}
    columns = [Column("player", "Player", _TEXT)]
    columns += [Column(key, heading, "count") for key, heading in _COUNTS.items()]
    columns += [Column(key, heading, digits=3) for key, heading in (_RATES | _SHARES).items()]
    best_first = [str(name) for name in a.rated.column("player")]
    rows = [[name, *_role_cells(found, players.index(name)), *_again(again.get(name))] for name in best_first]
    rows.append([TOTAL, *_role_cells(found.total(), 0), *_again(resolve.all_of(list(again.values())))])
    return Sheet("roles", "Solvers and proposers", columns, rows, "Turns and shares of turns.")


def _role_cells(found: Rounds, i: int) -> list[Cell]:
    rates = [*(getattr(found, name)[i] for name in _RATES), found.easy_rate[i]]
    return [*(int(getattr(found, name)[i]) for name in _COUNTS), *(estimate(one, "no such turns") for one in rates)]


def _again(mine: resolve.SelfEither | None) -> list[Cell]:
    cells = (mine.self_solved, mine.either_solved) if mine else (None, None)
    return [rate_cell(cell.rate if cell else None, "did not solve its puzzles again") for cell in cells]


@statistic("external", "rank correlations with other benchmarks", "table 2", group="Players", after="costs")
def external(a: DuelFindings) -> Sheet:
    """Table 2: rank correlations of the sheet `ratings` and of rates with other benchmarks' scores (T13)."""
    players, found = turns.rounds(a.results.turns)
    ours = {
        "duel_rating": numbers(a.rated, "duel_rating"),
        "round_rating": numbers(a.rated, "round_rating"),
        "solver_rate": finite(players, found.solver_rate),
        "proposer_rate": finite(players, found.proposer_rate),
    }
    columns = [Column("ours", "Figure", _TEXT), Column("theirs", "Benchmark", _TEXT)]
    columns += [Column("models", "Models", "count"), Column("rho", "Spearman", digits=2, signed=True)]
    columns += [Column("p", "p", digits=3)]
    rows: list[list[Cell]] = []
    for one in correlations(ours, a.scores):
        why = "fewer than three models in common, or no variation"
        rows.append([one.ours, one.theirs, one.models, rate_cell(one.rho, why), rate_cell(one.p_value, why)])
    return Sheet("external", "Rank correlations with other benchmarks", columns, rows)


@statistic(
    "turns_by_number", "outcomes by the turn's number", "table 6", group="Puzzles", printed=True, after="both_roles"
)
def by_turn(a: DuelFindings) -> Sheet:
    """Table 6, and the shares of each turn's puzzles that the reference models solve (section 4.4)."""
    results = a.results
    grid = resolve.by_turn(results.turns, results.attempts)
    models = _models(a, grid)
    columns = [Column("turn", "Turn", "count"), Column("solved", "Solved", "count")]
    columns += [Column("unsolved", "Unsolved", "count"), Column("penalties", "Penalties", "count")]
    columns += [Column("penalty_rate", "Penalty rate", digits=3)]
    columns += [Column(f"resolved_{model}", f"{model} solves", digits=3) for model in models]
    rows: list[list[Cell]] = []
    for one in turns.by_turn(results.turns):
        row: list[Cell] = [one.number, one.solved, one.unsolved, one.penalties, rate_cell(one.penalty_rate, "")]
        cells = grid.get(str(one.number), {})
        rows.append(row + [rate_cell(cells[m].rate if m in cells else None, "not attempted") for m in models])
    return Sheet("turns_by_number", "Turns by their number", columns, rows)


_ONCE_A_TURN = (
    "A puzzle counts once for each valid turn. On a page the numbers lead to a list, in which it counts once."
)


@statistic("resolved", "valid puzzles, solved again", "table 4", group="Puzzles")
def resolved(a: DuelFindings) -> Sheet:
    """Table 4: reference models on each proposer's valid puzzles, one for each valid turn."""
    grid = resolve.by_proposer(a.results.turns, a.results.attempts)
    return _resolved(a, "resolved", "Valid puzzles, solved again", grid, _ONCE_A_TURN)


@statistic("resolved_once", "the same, equal puzzles once", group="Puzzles")
def resolved_once(a: DuelFindings) -> Sheet:
    """The same with each puzzle once, for its first proposer: by repeating one a proposer changes nothing."""
    grid = resolve.by_first_proposer(a.results.turns, a.results.attempts)
    note = (
        "Puzzles of equal code count once, for their first proposer. On a page the numbers lead to a list, which has "
        "them for all who proposed them."
    )
    return _resolved(a, "resolved_once", "Different valid puzzles, solved again", grid, note)


def _resolved(a: DuelFindings, name: str, title: str, grid: resolve.Grid, note: str) -> Sheet:
    models = _models(a, grid)
    columns = [Column("proposer", "Proposer", _TEXT)]
    for model in models:
        columns += [Column(f"{model}_solved", f"{model} solved", "count"), Column(f"{model}_of", "of", "count")]
        columns += [Column(f"{model}_rate", "rate", digits=3)]
    rows: list[list[Cell]] = []
    for proposer in best_first(a.rated, grid):
        row: list[Cell] = [proposer]
        for model in models:
            cell = grid[proposer].get(model)
            row += [cell.solved, cell.attempted, rate_cell(cell.rate, "")] if cell else [None, None, None]
        rows.append(row)
    return Sheet(name, title, columns, rows, note)


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
    every = qualities.quality(results.turns, results.codes, results.attempts, results.references)
    found = {one.proposer: one for one in every}
    rows: list[list[Cell]] = [
        [
            *(one.proposer, one.turns, one.valid, one.distinct),
            rate_cell(one.valid_share, "no turns"),
            rate_cell(one.unsolved_share, "no reference model attempted them"),
            rate_cell(one.novelty, "no puzzle to compare with"),
        ]
        for one in (found[name] for name in best_first(a.rated, found))
    ]
    return Sheet(
        "quality", "Quality of puzzles", columns, rows, "Novelty: median distance to the nearest earlier puzzle."
    )


@statistic("topics", "topics of each proposer's puzzles", "table 3", group="Puzzles", after="resolved_once")
def topic_profiles(a: DuelFindings) -> Sheet:
    """Table 3: each proposer's most frequent tag, the tag of the highest lift, and the tag that only it has (T11)."""
    results = a.results
    columns = [Column("proposer", "Proposer", _TEXT), Column("puzzles", "Puzzles", "count")]
    for name, heading in (("top", "Most frequent"), ("distinctive", "Distinctive"), ("exclusive", "Exclusive")):
        columns += [Column(name, heading, _TEXT), Column(f"{name}_count", "puzzles", "count")]
        columns += [Column(f"{name}_share", "share", digits=3), Column(f"{name}_lift", "lift", digits=1)]
    rows: list[list[Cell]] = []
    found = {profile.proposer: profile for profile in topics.profiles(results.tagged)}
    for profile in (found[name] for name in best_first(a.rated, found)):
        row: list[Cell] = [profile.proposer, profile.puzzles]
        for use in (profile.top, profile.distinctive, profile.exclusive):
            row += (
                [use.tag, use.count, float(use.frequency), float(use.lift)]
                if use
                else [Missing("none"), None, None, None]
            )
        rows.append(row)
    whole = topics.corpus(results.tagged)
    note = f"{_tags_in_all(whole)} A distinctive tag has {topics.LEAST} puzzles at least. "
    note += "Lift: the tag's share of the proposer's puzzles over its share of all."
    return Sheet("topics", "Topics", columns, rows, note if rows else "No puzzle was tagged.")


@statistic("tags", "the frequency of each tag", group="Puzzles")
def tags(a: DuelFindings) -> Sheet:
    """The frequency of each tag among all puzzles."""
    results = a.results
    whole = topics.corpus(results.tagged)
    columns = [Column("tag", "Tag", _TEXT), Column("puzzles", "Puzzles", "count")]
    columns += [Column("share", "Share of puzzles", digits=3), Column("proposers", "Proposers", "count")]
    rows: list[list[Cell]] = [
        [tag, count, count / whole.puzzles, whole.proposers[tag]] for tag, count in whole.counts.items()
    ]
    return Sheet("tags", "Tags", columns, rows, _tags_in_all(whole) if rows else "")


def _tags_in_all(whole: topics.Corpus) -> str:
    return (
        f"All {whole.puzzles:,} puzzles that were tagged, valid or not. {whole.tags:,} tags, {whole.tags_a_puzzle:.2f} "
        f"a puzzle; {whole.rare:,} of them ({whole.rare / max(1, whole.tags):.0%}) in {topics.RARE} puzzles at most."
    )


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
    unread = ("proposer_unread", "solver_unread")
    counts = ("proposer_tries", "solver_tries")
    columns = [Column("duel", "Duel", _TEXT), Column("number", "Turn", "count")]
    columns += [Column(name, name, _TEXT) for name in (*texts, *more, *unread)]
    columns += [Column(name, name, "count") for name in counts]
    names = [column.key for column in columns[1:]]
    rows = [[duel.key, *(turn[name] for name in names)] for duel in results.duels for turn in duel.turns]
    return Sheet("turns", "Turns", columns, rows)


def _models(a: DuelFindings, grid: resolve.Grid) -> list[str]:
    return best_first(a.rated, {model for cells in grid.values() for model in cells})
