"""The duels' analyses, from the paper's own tables (T8, T10 to T13)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from antemill.llm import Attempt, Call, CallStore, Prices, Usage
from antemill.tournament.duel.analysis import external, resolve, topics, turns
from antemill.tournament.duel.kind import KIND
from antemill.tournament.duel.rounds import Outcome
from antemill.tournament.runs.costs import sheet as cost_table
from antemill.tournament.statistics.sheets import Missing

# Table 5: solver S, solver's rate, F; proposer S, U, rate of U, P, rate of P; self S, rate; either S, rate.
TABLE5 = {
    "gpt-5.5": (69, 97.2, 2, 53, 32, 37.6, 5, 5.6, 84, 98.8, 84, 98.8),
    "claude-opus-4-7": (62, 93.9, 4, 69, 16, 18.8, 5, 5.6, 78, 91.8, 80, 94.1),
    "gpt-5.4-mini": (67, 89.3, 8, 59, 11, 15.7, 20, 22.2, 61, 87.1, 67, 95.7),
    "gemini-3.1-pro-preview": (66, 89.2, 8, 52, 28, 35.0, 10, 11.1, 76, 95.0, 77, 96.2),
    "claude-sonnet-4-6": (66, 83.5, 13, 80, 9, 10.1, 1, 1.1, 78, 87.6, 82, 92.1),
    "grok-4.20-0309-reasoning": (59, 78.7, 16, 64, 16, 20.0, 10, 11.1, 63, 78.8, 70, 87.5),
    "claude-haiku-4-5": (57, 78.1, 16, 86, 0, 0.0, 4, 4.4, 84, 97.7, 86, 100.0),
    "grok-4-fast-reasoning": (64, 74.4, 22, 63, 4, 6.0, 23, 25.6, 64, 95.5, 65, 97.0),
    "gemini-3-flash-preview": (55, 70.5, 23, 40, 10, 20.0, 40, 44.4, 38, 76.0, 44, 88.0),
    "deepseek-v3.2-thinking": (53, 69.7, 23, 52, 9, 14.8, 29, 32.2, 51, 83.6, 53, 86.9),
}
TURNS_EACH = 90  # as the proposer, and as the solver
# Table 4: solved of attempted, by claude-sonnet-4-6 and by gpt-5.4-mini.
TABLE4 = {
    "claude-haiku-4-5": (76, 76, 86),
    "grok-4-fast-reasoning": (56, 57, 67),
    "claude-sonnet-4-6": (80, 68, 89),
    "deepseek-v3.2-thinking": (44, 49, 61),
    "gpt-5.4-mini": (53, 53, 70),
    "claude-opus-4-7": (65, 58, 85),
    "grok-4.20-0309-reasoning": (55, 57, 80),
    "gpt-5.5": (62, 56, 85),
    "gemini-3-flash-preview": (36, 32, 50),
    "gemini-3.1-pro-preview": (58, 48, 80),
}
# Table 6: solved, unsolved, penalty, its rate, for the turns 1 to 10.
TABLE6 = (
    (66, 9, 15, 16.7),
    (67, 10, 13, 14.4),
    (63, 11, 16, 17.8),
    (64, 16, 10, 11.1),
    (69, 10, 11, 12.2),
    (54, 18, 18, 20.0),
    (58, 16, 16, 17.8),
    (58, 13, 19, 21.1),
    (57, 17, 16, 17.8),
    (62, 15, 13, 14.4),
)
# Table 7: dollars per million in and out, tokens in and out, calls, dollars.
TABLE7 = {
    "claude-haiku-4-5": (1.0, 5.0, 191326, 1970086, 163, 10.04),
    "claude-opus-4-7": (5.0, 25.0, 212963, 1157530, 156, 30.0),
    "claude-sonnet-4-6": (3.0, 15.0, 203817, 2750483, 169, 41.87),
    "deepseek-v3.2-thinking": (0.27, 0.4, 159319, 2006757, 166, 0.85),
    "gemini-3-flash-preview": (0.5, 3.0, 213024, 3719913, 168, 11.27),
    "gemini-3.1-pro-preview": (2.0, 12.0, 221665, 3405222, 164, 41.31),
    "gpt-5.4-mini": (0.75, 4.5, 169403, 1781796, 165, 8.15),
    "gpt-5.5": (5.0, 30.0, 260029, 1358059, 161, 42.04),
    "grok-4-fast-reasoning": (0.2, 0.5, 190934, 1447295, 176, 0.76),
    "grok-4.20-0309-reasoning": (1.25, 2.5, 157273, 1769149, 165, 4.62),
}


def percent(rate: float | None) -> float:
    assert rate is not None
    return round(100 * rate + 1e-9, 1)


def paper_turns() -> list[turns.TurnRow]:
    """Turns with every player's sums of table 5 and, in this order, the turns' sums of table 6; who meets whom is made
    up.
    """
    numbers = {
        outcome: [n for n, row in enumerate(TABLE6, 1) for _ in range(int(row[place]))]
        for place, outcome in enumerate((Outcome.SOLVED, Outcome.UNSOLVED, Outcome.PENALTY))
    }
    rows = []
    solver_sums: dict[Outcome, Callable[[tuple[float, ...]], float]] = {
        Outcome.SOLVED: lambda row: row[0],
        Outcome.UNSOLVED: lambda row: row[2],
        Outcome.PENALTY: lambda row: TURNS_EACH - row[0] - row[2],
    }
    for outcome, proposed in ((Outcome.SOLVED, 3), (Outcome.UNSOLVED, 4), (Outcome.PENALTY, 6)):
        proposers = [name for name, row in TABLE5.items() for _ in range(int(row[proposed]))]
        solvers = [name for name, row in TABLE5.items() for _ in range(int(solver_sums[outcome](row)))]
        for i, (proposer, solver, number) in enumerate(zip(proposers, solvers, numbers[outcome], strict=True)):
            name = f"{outcome}-{i}"
            rows.append(
                turns.TurnRow(duel=name, number=number, proposer=proposer, solver=solver, outcome=outcome, puzzle=name)
            )
    return rows


def test_t5_the_papers_calls_are_one_a_turn() -> None:
    """So a question is asked once with `paper = true`."""
    assert {name: row[4] for name, row in TABLE7.items()} == {
        name: TURNS_EACH + row[0] + row[2] for name, row in TABLE5.items()
    }
    assert sum(row[4] for row in TABLE7.values()) == 1653


def test_t8_rates_of_table_5_and_of_table_1() -> None:
    players, found = turns.rounds(paper_turns())
    assert players == sorted(TABLE5)
    for i, name in enumerate(players):
        row = TABLE5[name]
        assert (found.solved[i], found.failed[i]) == (row[0], row[2])
        assert (found.proposed_solved[i], found.proposed_unsolved[i], found.penalties[i]) == (row[3], row[4], row[6])
        assert found.spared[i] == TURNS_EACH - row[0] - row[2]
        assert percent(found.solver_rate[i]) == row[1] == external.paper_scores()["solv"][name]
        assert percent(found.hard_share[i]) == row[5]
        assert percent(found.penalty_rate[i]) == row[7]
        assert percent(found.proposer_rate[i]) == external.paper_scores()["prop"][name]
        assert found.solver_success[i] == pytest.approx((TURNS_EACH - row[2]) / TURNS_EACH)


def test_t10_turns_of_table_6() -> None:
    found = turns.by_turn(paper_turns())
    for number, (record, row) in enumerate(zip(found, TABLE6, strict=True), 1):
        assert (record.number, record.solved, record.unsolved, record.penalties) == (number, *row[:3])
        assert record.unreadable == 0
        assert percent(record.penalty_rate) == row[3]


def test_t10_reference_models_of_table_4() -> None:
    played = paper_turns()
    attempts = []
    for proposer, (sonnet, mini, attempted) in TABLE4.items():
        puzzles = [turn.puzzle for turn in turns.valid(played) if turn.proposer == proposer]
        assert len(puzzles) == attempted
        for model, solved in (("claude-sonnet-4-6", sonnet), ("gpt-5.4-mini", mini)):
            attempts += [
                resolve.Attempt(puzzle=puzzle, model=model, solved=i < solved) for i, puzzle in enumerate(puzzles)
            ]
    grid = resolve.by_proposer(played, attempts)
    for proposer, (sonnet, mini, attempted) in TABLE4.items():
        assert grid[proposer]["claude-sonnet-4-6"] == resolve.Cell(sonnet, attempted)
        assert grid[proposer]["gpt-5.4-mini"] == resolve.Cell(mini, attempted)
        assert grid[proposer]["total"] == resolve.Cell(sonnet + mini, 2 * attempted)
    assert grid["total"]["claude-sonnet-4-6"] == resolve.Cell(585, 753)
    assert grid["total"]["gpt-5.4-mini"] == resolve.Cell(554, 753)
    assert grid["total"]["total"] == resolve.Cell(1139, 1506)
    by_turn = resolve.by_turn(played, attempts)
    assert [by_turn[str(n)]["gpt-5.4-mini"].attempted for n in range(1, 11)] == [row[0] + row[1] for row in TABLE6]
    assert sum(row["total"].solved for row in by_turn.values()) == 1139
    own = {turn.puzzle for turn in turns.valid(played) if turn.proposer == "gpt-5.5"}
    assert resolve.unsolved_by_all(own, attempts, ["claude-sonnet-4-6"]) == (85 - 62, 85)
    assert resolve.unsolved_by_all(own, attempts, ["gpt-5.4-mini"]) == (85 - 56, 85)
    assert resolve.unsolved_by_all(own, attempts, ["gpt-5.4-mini", "none yet"]) == (0, 56)  # the others are unknown


def test_t10_a_repeated_puzzle_counts_once() -> None:
    def turn(duel: str, proposer: str, number: int) -> turns.TurnRow:
        return turns.TurnRow(
            duel=duel, number=number, proposer=proposer, solver="c", outcome=Outcome.SOLVED, puzzle="same"
        )

    played = [turn("1", "a", 1), turn("2", "b", 2)]
    attempts = [resolve.Attempt(puzzle="same", model="m", solved=True)]
    assert resolve.by_first_proposer(played, attempts) == {
        "a": {"m": resolve.Cell(1, 1), "total": resolve.Cell(1, 1)},
        "total": {"m": resolve.Cell(1, 1), "total": resolve.Cell(1, 1)},
    }
    assert set(resolve.by_turn(played, attempts)) == {"1", "2"}
    cell = resolve.Cell(1, 1)
    both = resolve.Cell(2, 2)
    assert resolve.by_proposer(played, attempts) == {
        "a": {"m": cell, "total": cell}, "b": {"m": cell, "total": cell}, "total": {"m": both, "total": both}
    }  # fmt: skip


def test_t10_self_and_either_of_table_5() -> None:
    played, attempts = paper_turns(), []
    for name, row in TABLE5.items():
        own = [turn for turn in turns.valid(played) if turn.proposer == name]
        solved, unsolved = (
            [t for t in own if t.outcome == Outcome.SOLVED],
            [t for t in own if t.outcome != Outcome.SOLVED],
        )
        rescued = int(row[10]) - len(solved)  # solved by the proposer alone
        order = unsolved[:rescued] + solved + unsolved[rescued:]
        attempts += [
            resolve.Attempt(puzzle=turn.puzzle, model=name, solved=i < int(row[8])) for i, turn in enumerate(order)
        ]
    found = resolve.self_and_either(played, attempts)
    for name, row in TABLE5.items():
        mine, either = found[name]
        assert mine.solved == row[8]
        assert percent(mine.rate) == row[9]
        assert either.solved == row[10]
        assert either.rate == pytest.approx(row[11] / 100, abs=0.000501)
    assert sum(mine.solved for mine, _ in found.values()) == 677
    assert sum(either.solved for _, either in found.values()) == 708


def test_t11_lift_and_exclusive_tags_of_table_3() -> None:
    """All eight quines of 90 puzzles by one of ten proposers: 8.9%, ten times the frequency among all."""
    puzzles = []
    for i in range(10):
        for k in range(90):
            tags = {"strings"} | ({"quine"} if i == 3 and k < 8 else set()) | ({"maths"} if (i + k) % 2 else set())
            puzzles.append(topics.Tagged(puzzle=f"{i}-{k}", proposer=f"p{i}", tags=frozenset(tags)))
    found = {profile.proposer: profile for profile in topics.profiles(puzzles)}
    quine = found["p3"].distinctive
    assert quine is not None
    assert found["p3"].exclusive == quine
    assert (quine.tag, quine.count, percent(float(quine.frequency))) == ("quine", 8, 8.9)
    assert quine.lift == pytest.approx(10.0)
    assert found["p0"].exclusive is None
    assert found["p0"].top is not None
    assert found["p0"].top.tag == "strings"
    whole = topics.corpus(puzzles)
    assert (whole.puzzles, len(whole.counts), whole.rare) == (900, 3, 0)
    assert list(whole.counts) == ["strings", "maths", "quine"]
    assert whole.tags_a_puzzle == pytest.approx((900 + 450 + 8) / 900)
    assert topics.corpus(puzzles[:1]).rare == 1
    assert topics.corpus([]).tags_a_puzzle == 0.0


# Table 3: the distinctive tag with its share in percent and its lift, and the exclusive one with its count.
TABLE3 = {
    "claude-haiku-4-5": ("cycle-detection", 7.8, 8.8, "digit-splitting", 4),
    "claude-opus-4-7": ("digit-constraints", 6.7, 6.7, "pandigital", 4),
    "claude-sonnet-4-6": ("digit-sum", 32.2, 4.8, "polynomial-rolling-hash", 3),
    "deepseek-v3.2-thinking": ("palindrome", 22.2, 3.6, "lambda-functions", 4),
    "gemini-3-flash-preview": ("bit-rotation", 12.2, 8.5, "fixed-width-integers", 4),
    "gemini-3.1-pro-preview": ("quine", 8.9, 10.0, "quine", 8),
    "gpt-5.4-mini": ("affine-transformation", 5.6, 6.2, "hex", 2),
    "gpt-5.5": ("rot13", 6.7, 10.0, "hmac", 20),
    "grok-4-fast-reasoning": ("perfect-cubes", 7.8, 4.1, "math-series", 2),
    "grok-4.20-0309-reasoning": ("floating-point", 5.6, 7.1, "linear-congruential-generator", 3),
}


def paper_tags() -> list[topics.Tagged]:
    """All 900 puzzles with the tags of table 3: a share of 90 puzzles and a lift leave one count among all 900, or two
    beside each other, of which the lower is taken; who else used a tag is made up.
    """
    tags: dict[tuple[str, int], set[str]] = {(name, k): set() for name in TABLE3 for k in range(TURNS_EACH)}
    for name, (distinctive, share, lift, exclusive, own) in TABLE3.items():
        count = round(share * TURNS_EACH / 100)
        everywhere = next(n for n in range(count, 900) if round(Fraction(count * 10, n), 1) == Fraction(str(lift)))
        others = [key for key in tags if key[0] != name][:: 810 // max(1, everywhere - count)]
        for key in [*((name, k) for k in range(count)), *others[: everywhere - count]]:
            tags[key].add(distinctive)
        for k in range(own if exclusive != distinctive else 0):
            tags[name, 89 - k].add(exclusive)
    return [topics.Tagged(puzzle=f"{name}-{k}", proposer=name, tags=frozenset(t)) for (name, k), t in tags.items()]


def table3(found: list[topics.Profile]) -> int:
    """How many of the ten distinctive tags are the paper's, with their shares and lifts."""
    right = 0
    for profile in found:
        tag, share, lift, _, _ = TABLE3[profile.proposer]
        use = profile.distinctive
        right += use is not None and (use.tag, percent(float(use.frequency)), float(round(use.lift, 1))) == (
            *(tag, share, lift),
        )
    return right


def test_t11_nine_of_ten_entries_of_table_3() -> None:
    """The tenth is a tie that exact fractions give to the more frequent tag. A lower or higher least count, or valid
    puzzles only, give fewer.
    """
    found = topics.profiles(paper_tags())
    assert table3(found) == 9
    for profile in found:
        exclusive = profile.exclusive
        assert exclusive is not None
        assert (exclusive.tag, exclusive.count) == TABLE3[profile.proposer][3:]
    tied = next(profile.distinctive for profile in found if profile.proposer == "gpt-5.5")
    assert tied == topics.TagUse(tag="hmac", count=20, frequency=Fraction(2, 9), lift=Fraction(10))
    assert (20 / 90) / (20 / 900) != 10.0
    assert table3(topics.profiles(paper_tags(), 4)) < 9
    assert table3(topics.profiles(paper_tags(), 6)) < 9
    assert table3(topics.profiles([one for i, one in enumerate(paper_tags()) if i % 6])) < 9


def test_t12_costs_of_table_7_for_each_purpose(tmp_path: Path) -> None:
    """From the calls to the sheet: the paper's columns for the duels, and apart from them what came afterwards."""
    prices = {name: Prices(input=row[0], output=row[1]) for name, row in TABLE7.items()}
    with CallStore(tmp_path / "calls.sqlite") as store:
        for name, row in TABLE7.items():
            for i in range(row[4]):
                first = not i
                usage = Usage(
                    input_uncached=row[2] if first else 0,
                    output_visible=row[3] // 3 if first else 0,
                    reasoning=row[3] - row[3] // 3 if first else 0,
                    cost_estimated=(row[2] * row[0] + row[3] * row[1]) / 1e6 if first else 0.0,
                )
                store.add(call(name, f"duel/a/b/{i}/solve/0", usage))
        again = Usage(input_uncached=5, input_cached=3, cache_write=2, output_visible=7, cost_estimated=1.5)
        store.add(call("gpt-5.5", "solve/1f/gpt-5.5/solve/0", again))
        store.add(call("unpriced", "tag/1f/unpriced/tag/0", again))
        store.add_attempt(broken("gpt-5.5", 0.75))
        sheet = cost_table(store.stages(list(KIND.purposes)), prices, store.totals().values(), KIND.purposes)
    assert sheet.note.endswith(" gpt-5.5: possibly charged, no answer: $0.7500 in 1 attempt.")
    assert [column.heading for column in sheet.columns] == [
        *("Purpose", "Model", "In $/M", "Out $/M", "In tokens", "Out tokens", "Calls", "Cost (USD)"),
        *("Calls without counts", "Of it assumed"),
    ]
    rows = {(row[0], row[1]): row[2:] for row in sheet.rows}
    for name, want in TABLE7.items():
        got = rows["duel", name]
        assert got[:5] == list(want[:5])
        assert isinstance(got[5], float)
        assert round(got[5], 2) == pytest.approx(want[5], abs=0.0101)
    assert rows["duel", "total"][2:5] == [1_979_753, 21_366_290, sum(row[4] for row in TABLE7.values())]
    assert rows["duel", "total"][5] == pytest.approx(190.90, abs=0.05)
    assert rows["re-solve", "gpt-5.5"] == [5.0, 30.0, 10, 7, 1, 1.5, 0, 0.0]
    assert rows["tags", "unpriced"] == [Missing("no price"), Missing("no price"), 10, 7, 1, 1.5, 0, 0.0]
    assert rows["all", "gpt-5.5"][2:5] == [260_029 + 10, 1_358_059 + 7, 162]
    assert rows["all", "total"][5] == pytest.approx(193.90, abs=0.05)


def broken(model: str, risk: float) -> Attempt:
    """An attempt that may have been charged."""
    said: dict[str, Any] = {"error": "time-out", "message": "", "body": "", "status": None, "retry_after": None}
    return Attempt(key="", model=model, number=1, time=0.0, seconds=1.0, risk=risk, **said)


def call(model: str, sample: str, usage: Usage) -> Call:
    return Call(
        key=sample,
        model=model,
        protocol="scripted",
        gateway="",
        remote=model,
        sample=sample,
        purpose="solve",
        status="ok",
        request="{}",
        prompt_hash="",
        usage=usage,
        time=0.0,
        total_seconds=0.0,
        attempts=1,
    )


def test_t13_correlations_of_table_2() -> None:
    scores = external.paper_scores()
    ours = {name: scores[name] for name in ("elo", "solv", "prop")}
    theirs = {name: scores[name] for name in ("hle", "arc", "swebp", "textq", "gpqa")}
    found = {(row.ours, row.theirs): row for row in external.correlations(ours, theirs)}
    want = {
        "elo": ((0.87, 0.001), (0.89, 0.001), (0.58, 0.082), (0.77, 0.009), (0.86, 0.002)),
        "solv": ((0.55, 0.098), (0.62, 0.054), (0.64, 0.048), (0.56, 0.090), (0.63, 0.053)),
        "prop": ((0.94, 0.000), (0.94, 0.000), (0.36, 0.307), (0.73, 0.018), (0.91, 0.000)),
    }
    for mine, row in want.items():
        for other, (rho, p_value) in zip(theirs, row, strict=True):
            got = found[mine, other]
            assert got.models == 10
            assert got.rho == pytest.approx(rho, abs=0.0051)
            assert got.p_value == pytest.approx(p_value, abs=0.0011)


def test_t13_the_p_value_of_few_models_is_that_of_all_orders() -> None:
    """A perfect order of four comes about twice in 24 by chance: the usual approximation says never."""
    ours = {"x": dict(zip("abcd", (1.0, 2.0, 3.0, 4.0), strict=True))}
    (perfect,) = external.correlations(ours, {"y": dict(zip("abcd", (9.0, 8.0, 6.0, 1.0), strict=True))})
    assert (perfect.rho, perfect.p_value) == pytest.approx((-1.0, 2 / 24))
    (tied,) = external.correlations(ours, {"y": dict(zip("abcd", (1.0, 1.0, 1.0, 5.0), strict=True))})
    assert tied.p_value == pytest.approx(1 / 2)


def test_t13_what_can_not_be_correlated_is_none() -> None:
    (few,) = external.correlations({"x": {"a": 1.0, "b": 2.0}}, {"y": {"a": 1.0, "b": 3.0, "c": 1.0}})
    assert (few.models, few.rho, few.p_value) == (2, None, None)
    (flat,) = external.correlations({"x": dict.fromkeys("abc", 1.0)}, {"y": {"a": 1.0, "b": 3.0, "c": 1.0}})
    assert (flat.models, flat.rho) == (3, None)
