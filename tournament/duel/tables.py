"""The Token Games' tables from any set of duels (T8, T10 to T13), each registered; `ratings` makes the ratings.

Beside the paper's tables stand its table 1 as printed, and the figures of its questions RQ3 and RQ4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from antemill.tournament.duel.analysis import resolve, topics, turns
from antemill.tournament.duel.analysis.external import correlations
from antemill.tournament.duel.analysis.resolve import TOTAL
from antemill.tournament.duel.analysis.resolve import Cell as Cells
from antemill.tournament.duel.analysis.turns import TurnRow, share
from antemill.tournament.duel.findings import STATISTICS, DuelFindings, best_first, finite, numbers
from antemill.tournament.duel.results import Results
from antemill.tournament.embedding import distances, token_hash
from antemill.tournament.statistics.bootstrap import multinomial_weights
from antemill.tournament.statistics.intervals import Floats, percentile
from antemill.tournament.statistics.sheets import Cell, Column, Sheet, count, estimate, number, text
from antemill.tournament.statistics.win_rates import Rounds

__all__ = ["STATISTICS"]
_COUNTS = {  # columns of the table of roles: of `win_rates.Rounds`, and others
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
_UNREADABLE = count("unreadable", "For the form")
statistic = STATISTICS


def _share(key: str, heading: str) -> Column:
    return number(key, heading, 3, signed=False)


@statistic("ratings", "ratings of duels, of rounds and of the two roles", group="Players", printed=True)
def rated(a: DuelFindings) -> Sheet:
    """The ratings of table 1, each under a name of its own."""
    return a.rated


@statistic("ranks", "ratings, rates and other benchmarks with their ranks", "table 1", group="Players")
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
    columns = [text("player", "Player")]
    for key, (heading, _) in figures.items():
        columns += [Column(key, heading, digits=0 if key == "elo" else 1), count(f"{key}_rank", "R")]
    elo = figures["elo"][1]
    rows: list[list[Cell]] = []
    for player in sorted(players, key=lambda name: (-elo.get(name, -np.inf), name)):
        row: list[Cell] = [player]
        for _, values in figures.values():
            row += [values.get(player), _rank(values, player, a.unranked)]
        rows.append(row)
    return Sheet("ranks", "Ranks", columns, rows, "R: the rank from the best down; equal figures share the better one.")


def _rank(values: Mapping[str, float], player: str, unranked: Sequence[str]) -> int | None:
    if player not in values or player in unranked:
        return None
    return 1 + sum(value > values[player] for name, value in values.items() if name not in unranked)


@statistic("roles", "win rates of solvers and proposers", "table 5", group="Players", printed=True)
def roles(a: DuelFindings) -> Sheet:
    """Table 5 with both definitions of each rate (T8), and the columns "self" and "either" (T10)."""
    results = a.results
    players, found = turns.rounds(results.turns)
    again, unread = resolve.self_and_either(results.turns, results.own), turns.unreadable(results.turns)
    columns = [text("player", "Player")]
    columns += [count(key, heading) for key, heading in _COUNTS.items()]
    columns += [_UNREADABLE, *(_share(key, heading) for key, heading in (_RATES | _SHARES).items())]
    rows: list[list[Cell]] = []
    for name in best_first(a.rated, players):
        rows.append([name, *_role(found, players.index(name), unread[name], again.get(name))])
    every = (sum(cells, Cells()) for cells in zip(*again.values(), strict=True))
    rows.append([TOTAL, *_role(found.total(), 0, unread.total(), [*every])])
    note = "Turns and shares of turns; penalties include those for a reply that no puzzle could be read from."
    return Sheet("roles", "Solvers and proposers", columns, rows, note)


def _role(found: Rounds, i: int, unread: int, again: Sequence[Cells] | None) -> list[Cell]:
    rates = [*(getattr(found, name)[i] for name in _RATES), found.easy_rate[i]]
    tried = [cells.rate for cells in again or [Cells()] * 2]
    counts = (int(getattr(found, name)[i]) for name in _COUNTS)
    return [*counts, unread, *map(estimate, rates), *tried]


@statistic("both_roles", "whether strong solvers are strong proposers", "section 4.3", group="Players")
def both_roles(a: DuelFindings) -> Sheet:
    """RQ3: the rank correlation of the players' rates in the two roles."""
    players, found = turns.rounds(a.results.turns)
    solver, proposer = finite(players, found.solver_rate), finite(players, found.proposer_rate)
    (one,) = correlations({"solver_rate": solver}, {"proposer_rate": proposer})
    columns = [count("models", "Models"), number("rho", "Spearman")]
    columns += [_share("p", "p")]
    rows = [[one.models, one.rho, one.p_value]]
    note = "Shares solved of the puzzles attempted, and shares of turns as the proposer that end unsolved."
    return Sheet("both_roles", "Are strong solvers strong proposers?", columns, rows, note)


@statistic("turns_by_number", "outcomes by the turn's number", "table 6", group="Puzzles", printed=True)
def by_turn(a: DuelFindings) -> Sheet:
    """Table 6, and the shares of each turn's puzzles that the reference models solve (section 4.4)."""
    grid = resolve.by_turn(a.results.turns, a.results.attempts)
    models = _models(a, grid)
    columns = [count("turn", "Turn"), count("solved", "Solved")]
    columns += [count("unsolved", "Unsolved"), count("penalties", "Penalties"), _UNREADABLE]
    columns += [_share("penalty_rate", "Penalty rate")]
    columns += [_share(f"resolved_{model}", f"{model} solves") for model in models]
    rows: list[list[Cell]] = []
    for one in turns.by_turn(a.results.turns):
        row: list[Cell] = [one.number, one.solved, one.unsolved, one.penalties, one.unreadable, one.penalty_rate]
        cells = (grid.get(str(one.number), {}).get(model, resolve.Cell()) for model in models)
        rows.append(row + [cell.rate for cell in cells])
    return Sheet("turns_by_number", "Turns by their number", columns, rows)


@statistic("difficulty", "how solve rates change over a duel's turns", "section 4.4", group="Puzzles", printed=True)
def difficulty(a: DuelFindings) -> Sheet | None:
    """RQ4: least squares over the reference models' attempts on valid puzzles, by the number of the puzzle's turn.

    None without attempts.
    """
    if not a.results.attempts:
        return None
    columns = [text("model", "Model"), count("puzzles", "Puzzles"), _share("first", "Share solved, first turn")]
    columns += [_share("last", "last turn"), number("change", "Change", 3)]
    columns += [number("low", "low", 3), number("high", "high", 3)]
    models = best_first(a.rated, {one.model for one in a.results.attempts})
    note = (
        "The line by least squares through all attempts, at the first and at the last turn, and the change between "
        "them. Low and high: 95% over resampled duels; below 0, puzzles become harder."
    )
    rows = [_trend(model, a.results, a.replicates) for model in models]
    return Sheet("difficulty", "Difficulty over the turns", columns, rows, note)


def _trend(model: str, results: Results, replicates: int) -> list[Cell]:
    """The line; none if the puzzles are all of one turn. One duel has no interval."""
    sums = _sums(turns.valid(results.turns), {one.puzzle: one.solved for one in results.attempts if one.model == model})
    times = [turn.number for turn in results.turns]
    first, last = min(times), max(times)
    slope, level = _line(sums.sum(axis=0))
    low = high = np.nan
    if len(sums) > 1:
        drawn, _ = _line(multinomial_weights(len(sums), replicates) @ sums)
        bounds = percentile(drawn * (last - first))
        low, high = float(bounds.low), float(bounds.high)
    ends = float(level + slope * first), float(level + slope * last)
    found = [*ends, float(slope * (last - first)), low, high]
    return [model, int(sums[:, 0].sum()), *map(estimate, found)]


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


@statistic("resolved", "valid puzzles, solved again", "table 4", group="Puzzles")
def resolved(a: DuelFindings) -> Sheet:
    """Table 4: reference models on each proposer's valid puzzles, one for each valid turn."""
    grid = resolve.by_proposer(a.results.turns, a.results.attempts)
    note = "A puzzle counts once for each valid turn. On a page the numbers lead to a list, in which it counts once."
    return _resolved(a, "resolved", "Valid puzzles, solved again", grid, note)


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
    columns = [text("proposer", "Proposer")]
    for model in models:
        columns += [count(f"{model}_solved", f"{model} solved"), count(f"{model}_of", "of")]
        columns += [_share(f"{model}_rate", "rate")]
    rows: list[list[Cell]] = []
    for proposer in best_first(a.rated, grid):
        row: list[Cell] = [proposer]
        for cell in (grid[proposer].get(model) for model in models):
            row += [cell.solved, cell.attempted, cell.rate] if cell else [None, None, None]
        rows.append(row)
    return Sheet(name, title, columns, rows, note)


def _models(a: DuelFindings, grid: resolve.Grid) -> list[str]:
    return best_first(a.rated, {model for cells in grid.values() for model in cells})


@statistic("topics", "topics of each proposer's puzzles", "table 3", group="Puzzles")
def topic_profiles(a: DuelFindings) -> Sheet:
    """Table 3: each proposer's most frequent tag, the tag of the highest lift, and the tag that only it has (T11)."""
    columns = [text("proposer", "Proposer"), count("puzzles", "Puzzles")]
    for name, heading in (("top", "Most frequent"), ("distinctive", "Distinctive"), ("exclusive", "Exclusive")):
        columns += [text(name, heading), count(f"{name}_count", "puzzles"), _share(f"{name}_share", "share")]
        columns += [number(f"{name}_lift", "lift", 1, signed=False)]
    rows: list[list[Cell]] = []
    found = {profile.proposer: profile for profile in topics.profiles(a.results.tagged)}
    for profile in (found[name] for name in best_first(a.rated, found)):
        row: list[Cell] = [profile.proposer, profile.puzzles]
        for use in (profile.top, profile.distinctive, profile.exclusive):
            row += [use.tag, use.count, float(use.frequency), float(use.lift)] if use else [None] * 4
        rows.append(row)
    note = f"{_tags_in_all(topics.corpus(a.results.tagged))} A distinctive tag has {topics.LEAST} puzzles at least. "
    note += "Lift: the tag's share of the proposer's puzzles over its share of all."
    return Sheet("topics", "Topics", columns, rows, note if rows else "No puzzle was tagged.")


@statistic("tags", "the frequency of each tag", group="Puzzles")
def tags(a: DuelFindings) -> Sheet:
    """The frequency of each tag among all puzzles."""
    whole = topics.corpus(a.results.tagged)
    columns = [text("tag", "Tag"), count("puzzles", "Puzzles"), _share("share", "Share of puzzles")]
    columns += [count("proposers", "Proposers")]
    rows: list[list[Cell]] = [
        [tag, puzzles, puzzles / whole.puzzles, whole.proposers[tag]] for tag, puzzles in whole.counts.items()
    ]
    return Sheet("tags", "Tags", columns, rows, _tags_in_all(whole) if rows else "")


def _tags_in_all(whole: topics.Corpus) -> str:
    tags = len(whole.counts)
    return (
        f"All {whole.puzzles:,} puzzles that were tagged, valid or not. {tags:,} tags, {whole.tags_a_puzzle:.2f} "
        f"a puzzle; {whole.rare:,} of them ({whole.rare / max(1, tags):.0%}) in {topics.RARE} puzzles at most."
    )


@statistic("quality", "the quality of each proposer's puzzles", group="Puzzles")
def quality(a: DuelFindings) -> Sheet:
    """The shares of valid and of unsolved puzzles, and their novelty; none of it is in the paper."""
    columns = [text("proposer", "Proposer"), count("turns", "Turns")]
    columns += [count("valid", "Valid"), count("distinct", "Distinct")]
    columns += [_share("valid_share", "Share valid")]
    columns += [_share("unsolved_share", "Unsolved by all references")]
    columns += [_share("novelty", "Novelty")]
    new, rows = _novelty(a.results.codes), list[list[Cell]]()
    for proposer in best_first(a.rated, {turn.proposer for turn in a.results.turns}):
        played = sum(turn.proposer == proposer for turn in a.results.turns)
        puzzles = [turn.puzzle for turn in turns.valid(a.results.turns) if turn.proposer == proposer]
        distinct = set(puzzles)
        unsolved = resolve.unsolved_by_all(distinct, a.results.attempts, a.results.references)
        measured = [new[puzzle] for puzzle in distinct if puzzle in new]
        rows.append(
            [
                *(proposer, played, len(puzzles), len(distinct), share(len(puzzles), played)),
                share(*unsolved),
                float(np.median(measured)) if measured else None,
            ]
        )
    note = "Novelty: median distance to the nearest earlier puzzle."
    return Sheet("quality", "Quality of puzzles", columns, rows, note)


def _novelty(codes: Mapping[str, str]) -> dict[str, float]:
    """The distance of each valid puzzle to the nearest of all before it, by any proposer; the first one has none."""
    vectors = token_hash([*codes.values()])
    return {name: float(distances(vectors[i], vectors[:i]).min()) for i, name in enumerate(codes) if i}


@statistic("external", "rank correlations with other benchmarks", "table 2", group="Players")
def external(a: DuelFindings) -> Sheet:
    """Table 2: rank correlations of the sheet `ratings` and of rates with other benchmarks' scores (T13)."""
    players, found = turns.rounds(a.results.turns)
    ours = {
        "duel_rating": numbers(a.rated, "duel_rating"),
        "round_rating": numbers(a.rated, "round_rating"),
        "solver_rate": finite(players, found.solver_rate),
        "proposer_rate": finite(players, found.proposer_rate),
    }
    columns = [text("ours", "Figure"), text("theirs", "Benchmark")]
    columns += [count("models", "Models"), number("rho", "Spearman")]
    columns += [_share("p", "p")]
    rows: list[list[Cell]] = [
        [one.ours, one.theirs, one.models, one.rho, one.p_value] for one in correlations(ours, a.scores)
    ]
    return Sheet("external", "Rank correlations with other benchmarks", columns, rows)
