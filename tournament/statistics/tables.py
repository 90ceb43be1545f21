"""The tables of every tournament: each a function from the estimates to columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from antemill.axes.table import AXES
from antemill.tournament.replies import CAUSES
from antemill.tournament.statistics import replies
from antemill.tournament.statistics import sheets as of
from antemill.tournament.statistics.analysis import Analysis
from antemill.tournament.statistics.complexity import THIRDS
from antemill.tournament.statistics.correlation import agreement, correlate
from antemill.tournament.statistics.estimates import LIKE, THESE
from antemill.tournament.statistics.game_axes import LABELS
from antemill.tournament.statistics.intervals import Floats, false_discovery, percentile
from antemill.tournament.statistics.leaderboards import both_questions, slots
from antemill.tournament.statistics.margins import reference_margins
from antemill.tournament.statistics.matches import SlotTable, encode
from antemill.tournament.statistics.result_files import both_labels, numbers
from antemill.tournament.statistics.sheets import Column, Sheet, by_columns, count, number, text

STRENGTH = f"strength ({of.MARGIN})"
_COUNTED = ("moves_alice", "moves_bob", "fallbacks_alice", "fallbacks_bob")


def leaderboard(a: Analysis) -> Sheet:
    """Table 1: the strengths, and how sure they are for both questions."""
    e, order = a.e, np.arange(len(a.e.models))
    these, like = (e.error(question).interval(e.overall) for question in (THESE, LIKE))
    asked = asked_of(a.rows)
    rates = list(zip(*(replies.cells(asked, model) for model in e.models), strict=True))
    parts: of.Parts = [
        (text("model", "model"), e.models),
        (number("alpha", STRENGTH), of.estimates(e.overall)),
        *paper_bounds(e.overall_drawn),
        *both_questions(these, like, e.ranks(THESE), e.ranks(LIKE), order),
        (count("slots", "matches"), slots(e.table).tolist()),
        *zip(replies.COLUMNS, rates, strict=True),
    ]
    once = " Every game counts once, however often it was played." if e.once else ""
    alone = f" No match connects the others with {', '.join(a.outside)}." if a.outside else ""
    unranked = f" Without a rank, for too many unusable replies: {', '.join(e.unranked)}." if e.unranked else ""
    note = f"{len(e.table.margin):,} matches, {len(e.games)} games.{once}{alone}{unranked} {of.QUESTIONS}"
    return by_columns("table1_leaderboard", "Overall leaderboard", parts, note)


def paper_bounds(drawn: Floats | None, key: str = "") -> of.Parts:
    """The columns of the paper's bootstrap interval; none without replicates."""
    if drawn is None or not len(drawn):
        return []
    interval = percentile(drawn)
    pairs = zip(("low", "high"), (interval.low, interval.high), strict=True)
    return [(number(f"{side}{key}", f"paper's bootstrap: {side}"), of.estimates(values)) for side, values in pairs]


def differences(a: Analysis) -> Sheet:
    """All pairs of models of the leaderboard, in its order, for both questions."""
    e, (i, j) = a.e, np.triu_indices(len(a.e.models), 1)
    parts: of.Parts = [
        (text("model", "model"), [e.models[k] for k in i]),
        (text("against", "against"), [e.models[k] for k in j]),
        (number("difference", f"difference ({of.MARGIN})"), of.estimates((e.overall[:, None] - e.overall)[i, j])),
    ]
    for question, key in ((THESE, ""), (LIKE, "_like")):
        found = e.ranks(question)
        if found.p.size and np.isfinite(found.p).any():
            columns = of.interval_columns(key=key, heading=question)
            columns.append(Column(f"p{key}", f"{question}: p", digits=4, tiny=True))
            values = (found.interval.low, found.interval.high, found.p)
            parts += [(column, of.estimates(each[i, j])) for column, each in zip(columns, values, strict=True)]
    note = "All intervals of a question hold together in 95%, and p, of no difference, is corrected for all pairs. "
    return by_columns("differences", "Differences between models", parts, note + "Ranks come from these.")


def game_strengths(a: Analysis) -> Sheet:
    """Table 9: per-game strengths, in order of composite complexity."""
    e, composite = a.e, a.composite.scores
    order = np.argsort(composite, kind="stable")  # gaps last
    sizes = np.abs(e.per_game[np.isfinite(e.per_game)])
    heat = float(np.percentile(sizes, 98)) if sizes.any() else 1.0
    columns = [Column(name, name, signed=True, heat=heat) for name in e.models]
    parts: of.Parts = [
        (text("game", "game"), [e.games[g] for g in order]),
        (number("composite", "composite"), of.estimates(composite[order])),
        *zip(columns, map(of.estimates, e.per_game[order].T), strict=True),
    ]
    note = f"{STRENGTH.capitalize()} on each game, relative to the mean of its players."
    return by_columns("table9_game_strengths", "Strengths by game", parts, note)


def game_strength_intervals(a: Analysis) -> Sheet:
    """The intervals of table 9, one row a game and model."""
    e = a.e
    game, model = (part.ravel() for part in np.indices(e.per_game.shape))
    interval = e.errors.by_game.interval(e.per_game)
    parts: of.Parts = [
        (text("game", "game"), [e.games[g] for g in game]),
        (text("model", "model"), [e.models[m] for m in model]),
        (number("alpha", STRENGTH), of.estimates(e.per_game.ravel())),
        *zip(
            of.interval_columns(), (of.estimates(side.ravel()) for side in (interval.low, interval.high)), strict=True
        ),
    ]
    if e.per_game_drawn is not None:
        parts += paper_bounds(e.per_game_drawn.reshape(len(e.per_game_drawn), -1), "_paper")
    note = "95% intervals of *these games*: the game's own noise, mixed with that of all games."
    return by_columns("game_strength_intervals", "Strengths by game with intervals", parts, note)


def slopes(a: Analysis) -> Sheet | None:
    """Each model's slope on each axis, with intervals and p for both questions, one row a model and axis."""
    e, found = a.e, a.profile
    if not np.isfinite(found.slopes).any():
        return None
    model, axis = (part.ravel() for part in np.indices(found.slopes.shape))
    parts: of.Parts = [
        (text("model", "model"), [e.models[m] for m in model]),
        (text("axis", "axis"), [list(AXES)[k] for k in axis]),
        (number("slope", f"slope ({of.MARGIN})"), of.estimates(found.slopes.ravel())),
    ]
    for question, key, error in zip((THESE, LIKE), ("_these", "_like"), a.slope_errors, strict=True):
        interval, p = error.interval(found.slopes), error.p(found.slopes)
        columns = of.interval_columns(key=key, heading=question)
        columns += [Column(f"{name}{key}", f"{question}: {name}", digits=4, tiny=True) for name in ("p", "q")]
        values = (interval.low, interval.high, p, false_discovery(p))
        parts += [(column, of.estimates(each.ravel())) for column, each in zip(columns, values, strict=True)]
    note = (
        "Change of strength per standard deviation of the axis, the other axes held; q: Benjamini-Hochberg over all. "
    )
    return by_columns("slopes", "Capability profiles with intervals", parts, note + f"Axes: {e.axes.source}.")


def jaggedness(a: Analysis) -> Sheet | None:
    """Section 8: local jaggedness, smoothest first."""
    e, found = a.e, a.jagged
    if not np.isfinite(found.values).any():
        return None
    order = np.argsort(found.values, kind="stable")
    values = (found.values, found.smooth, found.interval.low, found.interval.high)
    keys = (("J", "J"), ("corrected", "J without noise"), ("corrected_low", "low"), ("corrected_high", "high"))
    parts: of.Parts = [
        (text("model", "model"), [e.models[m] for m in order]),
        *((number(key, head, 3, False), of.estimates(each[order])) for (key, head), each in zip(keys, values)),
        (Column("p", "p of J = 0", digits=4, tiny=True), of.estimates(found.p[order])),
        (number("alpha", STRENGTH), of.estimates(e.overall[order])),
    ]
    note = (
        "J: mean over the games of the standard deviation of (strength on the game - strength overall) / sd of margins "
        f"over a game and its {found.neighbours} nearest. Noise alone makes every J positive. *Without noise*: the "
        "root mean square without the noise of the matches, with its 95% interval on these games."
    )
    return by_columns("jaggedness", "Local jaggedness", parts, note)


def rank_stability(a: Analysis) -> Sheet | None:
    """Appendix P: which games order the models otherwise, beyond noise."""
    e, found = a.e, a.shown
    if len(e.games) < 2:
        return None
    parts: of.Parts = [
        (text("game", "game"), e.games),
        (number("tau", "tau"), of.estimates(agreement(e.overall, e.per_game).tau)),
        (count("pairs", "pairs"), found.pairs.tolist()),
        (count("observed", "reversals"), found.observed.tolist()),
        (count("shown", "shown"), found.shown.tolist()),
        (Column("p", "p", digits=4, tiny=True), of.estimates(found.p)),
    ]
    note = (
        "Kendall's tau of the game's order with the leaderboard, and the pairs of models in the other order. *p*: of "
        "the clearest reversal, corrected for the game's pairs, on these games. *Shown*: reversals that noise does not "
        "give anywhere in 95% of tournaments, corrected for all pairs and games."
    )
    return by_columns("rank_stability", "Rank stability by game", parts, note)


class Counts:
    """What both seats of all matches came to, by player. moves, fallbacks: int64; matches with a fallback; causes."""

    def __init__(self, rows: pa.Table) -> None:
        chunks = [chunk for seat in both_labels(rows, "alice", "bob") for chunk in seat.chunks]
        self.names, self.code = encode(pa.chunked_array(chunks, pa.string()))
        self.rows, self.size = rows, len(self.names)
        self.slots = np.bincount(self.code, minlength=self.size)

    def sums(self, what: str, hits: bool = False) -> npt.NDArray[np.int64]:
        """int64[players]: of a column of both seats, or how often it is above 0."""
        values = np.concatenate([numbers(self.rows, f"{what}_{seat}") for seat in ("alice", "bob")])
        return np.bincount(self.code, values > 0 if hits else values, self.size).astype(np.int64)


def fallbacks(a: Analysis) -> Sheet | None:
    """Appendix F, over all rows, those of reference players among them."""
    if any(name not in a.rows.column_names for name in _COUNTED):
        return None
    counts = Counts(a.rows)
    moves, fell, hit = counts.sums("moves"), counts.sums("fallbacks"), counts.sums("fallbacks", hits=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        rate, share = 100.0 * fell / moves, 100.0 * hit / counts.slots
    order = sorted(range(counts.size), key=lambda m: (-np.nan_to_num(rate[m]), counts.names[m]))
    columns = [count("slots", "matches"), count("moves", "moves"), count("fallbacks", "fallbacks")]
    whole = zip(columns, (counts.slots, moves, fell), strict=True)
    rates = [
        (number("move_rate", "move rate, %", 2, False), rate),
        (number("slot_rate", "match rate, %", 1, False), share),
    ]
    causes = [name for name in CAUSES if {f"{name}_alice", f"{name}_bob"} <= set(a.rows.column_names)]
    parts: of.Parts = [
        (text("model", "model"), [counts.names[m] for m in order]),
        *((column, values[order].tolist()) for column, values in whole),
        *((column, of.estimates(values[order])) for column, values in rates),
        *((count(name, name.replace("_", " ")), counts.sums(name)[order].tolist()) for name in causes),
    ]
    note = (
        "Moves for which no legal action could be read from the reply, as a share of moves; matches with at least one, "
        "as a share of matches. All matches, whatever they were played for."
    )
    return by_columns("fallbacks", "Fallbacks by cause", parts, note)


def asked_of(rows: pa.Table) -> dict[str, replies.Counts]:
    """By player: moves, those that took a second try, fallbacks. Results of others that do not say so have none."""
    columns = ("moves", "second", "fallbacks")
    if any(f"{name}_{seat}" not in rows.column_names for name in columns for seat in ("alice", "bob")):
        return {}
    counts = Counts(rows)
    sums = zip(*(counts.sums(name).tolist() for name in columns), strict=True)
    return dict(zip(counts.names, sums, strict=True))


def references(a: Analysis) -> list[Sheet]:
    """Table 6: margins against each reference player."""
    return [_reference(a.whole, player, a.e.models, a.overall) for player in a.references]


def _reference(table: SlotTable, player: str, models: Sequence[str], overall: Mapping[str, float]) -> Sheet:
    """The table of one reference player. models: in leaderboard order; overall: their strengths."""
    found = reference_margins(table, player)
    order = [
        found.models.index(name) for name in [*models, *sorted(set(found.models) - set(models))] if name in found.models
    ]
    parts: of.Parts = [(text("model", "model"), [found.models[m] for m in order])]
    for g in np.flatnonzero(found.groups.any(axis=1)):
        game = table.games[g]
        parts.append((number(game, game), of.estimates(found.mean[g, order])))
        parts.append((number(f"{game}_se", "SE", 2, False), of.estimates(found.error[g, order])))
    parts.append((number("average", "average"), of.estimates(found.average[order])))
    parts.append((count("slots", "matches"), found.slots.sum(axis=0)[order].tolist()))
    agree = correlate(found.average, np.array([overall.get(name, np.nan) for name in found.models]))
    told = f"Spearman {agree.spearman:.2f} (p = {agree.spearman_p:.4f}), Pearson {agree.pearson:.2f}"
    note = f"Mean {of.MARGIN} against {player} over play-seed pairs, and its standard error."
    note += f" Correlation of the averages with the leaderboard: {told}." if np.isfinite(agree.spearman) else ""
    safe = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in player)
    return by_columns(f"table6_against_{safe}", f"Matches against {player}", parts, note)


def games(a: Analysis) -> Sheet:
    """The games: their axes, composite complexity, third, and spread of margins."""
    e, known = a.e, a.thirds >= 0
    columns = [number(axis, label, 3, False) for axis, label in zip(AXES, LABELS, strict=True)]
    parts: of.Parts = [
        (text("game", "game"), e.games),
        *zip(columns, map(of.estimates, e.axes.values.T), strict=True),
        (number("rulebook_length", "rulebook characters", 0, False), of.estimates(e.axes.rulebook_length)),
        (number("composite", "composite"), of.estimates(a.composite.scores)),
        (text("third", "third"), [THIRDS[k] if there else None for k, there in zip(a.thirds, known, strict=True)]),
        (number("sigma", "sd of margins", 2, False), of.estimates(e.scale)),
    ]
    note = (
        f"Axes: {e.axes.source}. *Composite*: one figure of how complex a game is, its axes with the weights of the "
        "table *Composite complexity*. T1 is the third of the games with the lowest composite, T3 with the highest. A "
        "name with @ is a seed and the complexity that was asked for."
    )
    return by_columns("games", "The games", parts, note)
