"""The tables of how the matches were played: fallbacks, the thinking ablation."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from antemill.tournament.replies import CAUSES
from antemill.tournament.statistics import replies
from antemill.tournament.statistics import sheets as of
from antemill.tournament.statistics.ablation import effect, siblings
from antemill.tournament.statistics.analysis import Analysis, statistic
from antemill.tournament.statistics.matches import Integers, encode
from antemill.tournament.statistics.result_files import both_labels, labels, numbers
from antemill.tournament.statistics.sheets import Cell, Sheet

_COUNTED = ("moves_alice", "moves_bob", "fallbacks_alice", "fallbacks_bob")


class Fallbacks(Struct, frozen=True):
    """One model's counts over both seats. Rates are NaN if it made no move, or played no match."""

    slots: int
    moves: int
    fallbacks: int  # moves
    slots_with: int  # slots with at least one
    move_rate: float
    slot_rate: float


def fallback_counts(
    models: int,
    seats: npt.NDArray[np.integer],
    moves: npt.NDArray[np.integer],
    fallbacks: npt.NDArray[np.integer],
) -> list[Fallbacks]:
    """Counts of every model. All arrays: one entry a seat of a match; seats: index of the model that sat there."""
    slots = np.bincount(seats, minlength=models)
    made = np.bincount(seats, weights=moves, minlength=models).astype(np.int64)
    fell = np.bincount(seats, weights=fallbacks, minlength=models).astype(np.int64)
    hit = np.bincount(seats, weights=fallbacks > 0, minlength=models).astype(np.int64)
    return [rates(int(s), int(m), int(f), int(h)) for s, m, f, h in zip(slots, made, fell, hit, strict=True)]


def rates(slots: int, moves: int, fallbacks: int, slots_with: int) -> Fallbacks:
    """Counts with their rates."""
    per_move = fallbacks / moves if moves else float("nan")
    return Fallbacks(slots, moves, fallbacks, slots_with, per_move, slots_with / slots if slots else float("nan"))


@statistic("fallbacks", "moves without a legal action in the reply", "appendix F", group="Play", after="vif")
def fallbacks(a: Analysis) -> Sheet:
    """Appendix F, over all rows, those of reference players among them."""
    rows = a.rows
    names, codes = encode(
        pa.chunked_array([chunk for seat in both_labels(rows, "alice", "bob") for chunk in seat.chunks], pa.string())
    )
    causes = [name for name in CAUSES if f"{name}_alice" in rows.column_names and f"{name}_bob" in rows.column_names]
    columns = [of.text("model", "model"), of.count("slots", "matches"), of.count("moves", "moves")]
    columns.append(of.count("fallbacks", "fallbacks"))
    columns += [of.number("move_rate", "move rate, %", 2, False), of.number("slot_rate", "match rate, %", 1, False)]
    columns += [of.count(name, name.replace("_", " ")) for name in causes]
    note = (
        "Moves for which no legal action could be read from the reply, as a share of moves; matches with at least "
        "one, as a share of matches. All matches, whatever they were played for."
    )
    cells: list[list[Cell]] = []
    if any(name not in rows.column_names for name in _COUNTED):
        reason = "the results do not count moves and fallbacks"
        cells = [[name, *[of.Missing(reason)] * (len(columns) - 1)] for name in names]
    else:
        moves, fell = (_both_seats(rows, what) for what in ("moves", "fallbacks"))
        by_cause = [np.bincount(codes, _both_seats(rows, name), len(names)) for name in causes]
        found = fallback_counts(len(names), codes, moves, fell)
        for m in sorted(range(len(names)), key=lambda m: (-np.nan_to_num(found[m].move_rate), names[m])):
            one = found[m]
            shares = of.estimate(100.0 * one.move_rate, "made no move"), of.estimate(100.0 * one.slot_rate)
            counted = (int(numbers[m]) for numbers in by_cause)
            cells.append([names[m], one.slots, one.moves, one.fallbacks, *shares, *counted])
    return Sheet("fallbacks", "Fallbacks by cause", columns, cells, note)


@statistic("table2_ablation", "what a bigger thinking budget gains", "table 2", group="Play", after="few_matches")
def ablation(a: Analysis) -> Sheet:
    """Table 2. families: name -> (high-effort player, low-effort player)."""
    rows, bootstrap, seed = a.rows, len(a.e.overall_drawn), a.e.seed
    columns = [of.text("family", "family"), of.number("delta", "gain"), *of.interval_columns()]
    columns += [of.number(f"{side}_like", f"games like these, {side}") for side in ("low", "high")]
    columns += [of.count("pairs", "pairs"), of.count("games", "games")]
    note = (
        f"Margin of the high-effort variant minus that of the low-effort one in {of.CHIPS}, over "
        "sibling matches (same game, cards, seat and opponent). *low, high*: the paper's 95% "
        "bootstrap interval over games, which is too narrow for few games; *games like these*: "
        "Student's. Bold: the paper's interval excludes 0."
    )
    missing = of.Missing("no family of variants was named")
    cells: list[list[Cell]] = [] if a.families else [["none", *[missing] * 7]]
    bold = set()
    for line, (family, (high, low)) in enumerate(a.families.items()):
        found = effect(*_siblings(rows, high, low), bootstrap, seed)
        bounds = found.low, found.high, float(found.student.low), float(found.student.high)
        figures = [of.estimate(value, found.reason) for value in (found.delta, *bounds)]
        cells.append([family, *figures, found.pairs, found.games])
        bold |= {(line, 1)} if found.significant else set()
    return Sheet("table2_ablation", "Thinking ablation", columns, cells, note, frozenset(bold))


def asked_of(rows: pa.Table) -> dict[str, replies.Counts]:
    """By player: moves, those that took a second try, fallbacks. Results of others that do not say so have none."""
    columns = ("moves", "second", "fallbacks")
    if any(f"{name}_{seat}" not in rows.column_names for name in columns for seat in ("alice", "bob")):
        return {}
    found: dict[str, replies.Counts] = {}
    for seat in ("alice", "bob"):
        sums = rows.group_by(seat).aggregate([(f"{name}_{seat}", "sum") for name in columns]).to_pylist()
        for one in sums:
            name, more = str(one[seat]), [int(one[f"{column}_{seat}_sum"] or 0) for column in columns]
            had = found.get(name, (0, 0, 0))
            found[name] = (had[0] + more[0], had[1] + more[1], had[2] + more[2])
    return found


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
