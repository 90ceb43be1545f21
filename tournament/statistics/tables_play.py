"""Tables of how the matches were played: fallbacks, the thinking ablation, matches against a reference player."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antemill.tournament.answers import CAUSES
from antemill.tournament.statistics.ablation import effect, siblings
from antemill.tournament.statistics.correlation import correlate
from antemill.tournament.statistics.fallbacks import fallback_counts
from antemill.tournament.statistics.margins import reference_margins
from antemill.tournament.statistics.reading import both_labels, labels, numbers
from antemill.tournament.statistics.sheets import (
    CHIPS,
    Cell,
    Missing,
    Sheet,
    count,
    estimate,
    interval_columns,
    number,
    text,
)
from antemill.tournament.statistics.table import Integers, SlotTable, encode

_COUNTED = ("moves_alice", "moves_bob", "fallbacks_alice", "fallbacks_bob")


def fallback_table(rows: pa.Table) -> Sheet:
    """Appendix F, over all rows, those of reference players among them."""
    names, codes = encode(
        pa.chunked_array([chunk for seat in both_labels(rows, "alice", "bob") for chunk in seat.chunks], pa.string())
    )
    causes = [name for name in CAUSES if f"{name}_alice" in rows.column_names and f"{name}_bob" in rows.column_names]
    columns = [text("model", "model"), *(count(name, name) for name in ("slots", "moves", "fallbacks"))]
    columns += [number("move_rate", "move rate, %", 2, False), number("slot_rate", "slot rate, %", 1, False)]
    columns += [count(name, name.replace("_", " ")) for name in causes]
    note = (
        "Moves for which no legal action could be read from the reply, as a share of moves; slots with at least "
        "one, as a share of slots. All matches, whatever they were played for."
    )
    cells: list[list[Cell]] = []
    if any(name not in rows.column_names for name in _COUNTED):
        reason = "the results do not count moves and fallbacks"
        cells = [[name, *[Missing(reason)] * (len(columns) - 1)] for name in names]
    else:
        moves, fell = (_both_seats(rows, what) for what in ("moves", "fallbacks"))
        by_cause = [np.bincount(codes, _both_seats(rows, name), len(names)) for name in causes]
        found = fallback_counts(len(names), codes, moves, fell)
        for m in sorted(range(len(names)), key=lambda m: (-np.nan_to_num(found[m].move_rate), names[m])):
            one = found[m]
            shares = estimate(100.0 * one.move_rate, "made no move"), estimate(100.0 * one.slot_rate)
            counted = (int(numbers[m]) for numbers in by_cause)
            cells.append([names[m], one.slots, one.moves, one.fallbacks, *shares, *counted])
    return Sheet("fallbacks", "Fallbacks by cause", columns, cells, note)


def ablation_table(rows: pa.Table, families: Mapping[str, tuple[str, str]], bootstrap: int, seed: int) -> Sheet:
    """Table 2. families: name -> (high-effort player, low-effort player)."""
    columns = [text("family", "family"), number("delta", "gain"), *interval_columns()]
    columns += [count("pairs", "pairs"), count("games", "games")]
    note = (
        f"Margin of the high-effort variant minus that of the low-effort one in {CHIPS}, over "
        "sibling matches (same game, cards, seat and opponent); 95% bootstrap intervals over "
        "games. Bold: the interval excludes 0."
    )
    missing = Missing("no family of variants was named")
    cells: list[list[Cell]] = [] if families else [["none", *[missing] * 5]]
    bold = set()
    for line, (family, (high, low)) in enumerate(families.items()):
        found = effect(*_siblings(rows, high, low), bootstrap, seed)
        figures = [estimate(value, found.reason) for value in (found.delta, found.low, found.high)]
        cells.append([family, *figures, found.pairs, found.games])
        bold |= {(line, 1)} if found.significant else set()
    return Sheet("table2_ablation", "Thinking ablation", columns, cells, note, frozenset(bold))


def reference_table(table: SlotTable, player: str, models: Sequence[str], overall: Mapping[str, float]) -> Sheet:
    """Table 6: margins against a reference player. models: in leaderboard order; overall: their strengths."""
    found = reference_margins(table, player)
    played = [g for g in range(len(table.games)) if found.groups[g].any()]
    columns = [text("model", "model")]
    for g in played:
        columns += [number(table.games[g], table.games[g]), number(f"{table.games[g]}_se", "SE", 2, False)]
    columns += [number("average", "average"), count("slots", "slots")]
    cells: list[list[Cell]] = []
    for model in (name for name in [*models, *(set(found.models) - set(models))] if name in found.models):
        m = found.models.index(model)
        row: list[Cell] = [model]
        for g in played:
            row += [
                estimate(found.mean[g, m], "never met here"),
                estimate(found.error[g, m], "one play seed" if found.groups[g, m] else "never met here"),
            ]
        cells.append([*row, estimate(found.average[m], "never met"), int(found.slots[:, m].sum())])
    strengths = np.array([overall.get(name, np.nan) for name in found.models])
    agree = correlate(found.average, strengths)
    told = (
        f"Spearman {agree.spearman:.2f} (p = {agree.spearman_p:.4f}), Pearson {agree.pearson:.2f}"
        if not agree.reason
        else f"not known ({agree.reason})"
    )
    note = (
        f"Mean margin against {player} in {CHIPS} over play-seed pairs, and its standard error. "
        f"Correlation of the averages with the leaderboard: {told}."
    )
    return Sheet(f"table6_against_{_file_name(player)}", f"Matches against {player}", columns, cells, note)


def _both_seats(rows: pa.Table, what: str) -> Integers:
    """Alice's counts, then Bob's."""
    return np.concatenate([numbers(rows, f"{what}_{seat}") for seat in ("alice", "bob")]).astype(np.int64)


def _siblings(rows: pa.Table, high: str, low: str) -> tuple[np.ndarray, np.ndarray]:
    if "ablation" in rows.column_names:
        meant = pc.fill_null(pc.not_equal(pc.cast(rows["ablation"], pa.string()), ""), False)
        rows = rows.filter(meant) if pc.any(meant).as_py() else rows
    deck = "play_seed" if "play_seed" in rows.column_names else "run"
    alice, bob = (seat.to_pylist() for seat in both_labels(rows, "alice", "bob"))
    games = encode(labels(rows, "game"))[1]
    found = siblings(games, labels(rows, deck).to_pylist(), alice, bob, numbers(rows, "margin"), high, low)
    return found.game, found.difference


def _file_name(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in name)
