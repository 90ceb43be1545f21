"""What the paper writes beside its tables, from its own figures (T8, T10, T13)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from antemill.tournament.duel import tables
from antemill.tournament.duel.analysis import resolve
from antemill.tournament.duel.analysis.external import paper_scores
from antemill.tournament.duel.analysis.resolve import Attempt
from antemill.tournament.duel.analysis.turns import TurnRow, valid
from antemill.tournament.duel.findings import OURS, DuelFindings
from antemill.tournament.duel.results import Results
from antemill.tournament.duel.rounds import Outcome
from antemill.tournament.statistics.sheets import Cell, Column, Sheet
from tests.tournament.duel.test_analysis import TABLE5, paper_turns

PRINTED = paper_scores()
# Table 1's columns R: Elo, Solv%, Prop%, HLE, ARC-AGI, SWE-BP, TextQ, GPQA-D.
RANKS = {
    "gpt-5.5": (1, 1, 1, 2, 1, 3, 2, 2),
    "gemini-3.1-pro-preview": (2, 4, 2, 1, 2, 4, 1, 1),
    "claude-opus-4-7": (3, 2, 3, 3, 4, 1, 3, 3),
    "gpt-5.4-mini": (4, 3, 5, 6, 7, 7, 6, 6),
    "grok-4.20-0309-reasoning": (5, 6, 3, 5, 3, 9, 9, 5),
    "claude-sonnet-4-6": (6, 5, 7, 8, 6, 2, 5, 6),
    "gemini-3-flash-preview": (7, 9, 6, 4, 5, 6, 4, 4),
    "deepseek-v3.2-thinking": (8, 10, 7, 7, 8, 8, 7, 9),
    "claude-haiku-4-5": (9, 7, 10, 10, 9, 5, 10, 10),
    "grok-4-fast-reasoning": (10, 8, 9, 9, 10, 10, 8, 8),
}


def results(turns: list[TurnRow], attempts: list[Attempt] | None = None, own: list[Attempt] | None = None) -> Results:
    return Results(duels=[], turns=turns, references=("m",), attempts=attempts or [], own=own or [])


def findings(found: Results) -> DuelFindings:
    """With the paper's printed ratings, as the paper does not print who met whom."""
    rated = Sheet(
        "ratings",
        "",
        [Column("player", "", "text"), Column("round_rating", "")],
        [[player, rating] for player, rating in PRINTED["elo"].items()],
    )
    theirs = {name: column for name, column in PRINTED.items() if name not in OURS}
    return DuelFindings(found, rated, theirs, 400)


def test_table_1_as_printed() -> None:
    sheet = tables.ranks(findings(results(paper_turns())))
    keys = ("elo", "solv", "prop", "hle", "arc", "swebp", "textq", "gpqa")
    assert [column.key for column in sheet.columns[1:]] == [key for name in keys for key in (name, f"{name}_rank")]
    assert sheet.column("player") == list(RANKS)
    for k, key in enumerate(keys):
        assert sheet.column(f"{key}_rank") == [ranks[k] for ranks in RANKS.values()]
        assert sheet.column(key) == pytest.approx([PRINTED[key][name] for name in RANKS], abs=0.0501)


def test_the_total_of_table_5() -> None:
    played, own = paper_turns(), list[Attempt]()
    for name, row in TABLE5.items():
        mine = [turn for turn in valid(played) if turn.proposer == name]
        mine.sort(key=lambda turn: turn.outcome == Outcome.SOLVED)  # unsolved ones first: "either" adds these
        rescued = int(row[10]) - sum(turn.outcome == Outcome.SOLVED for turn in mine)
        unsolved = sum(turn.outcome != Outcome.SOLVED for turn in mine)
        order = [*mine[:rescued], *mine[unsolved:], *mine[rescued:unsolved]]
        own += [Attempt(puzzle=turn.puzzle, model=name, solved=i < int(row[8])) for i, turn in enumerate(order)]
    sheet = tables.roles(findings(results(played, own=own)))
    assert sheet.rows[-1][0] == "total"
    total = {column.key: sheet.rows[-1][i] for i, column in enumerate(sheet.columns)}
    assert [total[key] for key in ("solved", "failed", "spared", "penalties")] == [618, 135, 147, 147]
    shares = {"solver_rate": 82.1, "hard_share": 17.9, "penalty_rate": 16.3}
    shares |= {"too_easy": 68.7, "self_rate": 89.9, "either_rate": 94.0}  # the text has 68.6, cut off
    for key, percent in shares.items():
        assert total[key] == pytest.approx(percent / 100, abs=0.000501)


def test_rq3_of_the_paper() -> None:
    sheet = tables.both_roles(findings(results(paper_turns())))
    (row,) = sheet.rows
    assert row[0] == 10
    assert row[1] == pytest.approx(0.71, abs=0.005)
    assert row[2] == pytest.approx(0.022, abs=0.0005)


def trends(turns: list[TurnRow], attempts: list[Attempt]) -> Sequence[Sequence[Cell]]:
    sheet = tables.difficulty(findings(results(turns, attempts)))
    assert sheet is not None
    return sheet.rows


def test_rq4_the_line_through_the_turns_and_its_interval() -> None:
    """Planted: nine of ten solved in the first turn, falling by a twentieth a turn."""
    random, turns, attempts = np.random.default_rng(1), list[TurnRow](), list[Attempt]()
    for duel in range(80):
        for number in range(1, 11):
            name = f"{duel}-{number}"
            turns.append(
                TurnRow(duel=str(duel), number=number, proposer="a", solver="b", outcome=Outcome.SOLVED, puzzle=name)
            )
            solved = random.random() < 0.9 - 0.05 * (number - 1)
            attempts.append(Attempt(puzzle=name, model="m", solved=bool(solved)))
    (row,) = trends(turns, attempts)
    model, count, first, last, change, low, high = row
    assert (model, count) == ("m", 800)
    numbers = [turn.number for turn in turns]
    slope, level = np.polyfit(numbers, [one.solved for one in attempts], 1)
    assert (first, last, change) == pytest.approx((level + slope, level + 10 * slope, 9 * slope))
    assert isinstance(low, float)
    assert isinstance(high, float)
    assert low < -0.45 < high < 0.0
    (few,) = trends(turns[:40], attempts[:40])
    assert all(isinstance(cell, float) for cell in few[2:])  # of four duels
    (one,) = trends(turns[:1], attempts[:1])
    assert tables.difficulty(findings(results(turns))) is None
    assert one[2:] == [None] * 5
    assert resolve.by_turn(turns, attempts)["1"]["m"].attempted == 80
