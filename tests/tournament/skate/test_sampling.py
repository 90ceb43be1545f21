"""Algorithm 1 of SKATE, on recorded runs (S6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import cycle, islice

import pytest

from antemill.engine.errors import UsageError
from antemill.tournament.skate.sampling import TRUTH, Sampling, Score, variant

# Step, the answers as binary digits behind a leading one (hexadecimal), correct, asked.
RUNS = (
    (5, "20", 0, 5),
    (5, "20", 0, 5),
    (5, "20", 0, 5),
    (5, "1f14a0944a9c1a19f3995fb74c", 49, 100),
    (5, "1c3b03fcbd551d1d3aafb7d4fb", 60, 100),
    (5, "26ffb7f5ff3ef7f7b", 52, 65),
    (5, "3f", 5, 5),
    (5, "3f", 5, 5),
    (10, "400", 0, 10),
    (10, "400", 0, 10),
    (10, "102508103683020e12860", 21, 80),
    (10, "1100ce75ef9004b22023ad5542", 40, 100),
    (10, "1a5d293df7453cac18fe15f0c1", 52, 100),
    (10, "5dffffff", 28, 30),
    (10, "7ff", 10, 10),
    (10, "7ff", 10, 10),
    (20, "100000", 0, 20),
    (20, "100000", 0, 20),
    (20, "1200c1704ae4481090301", 22, 80),
    (20, "19a7fa2dc2c2bd304fedf29866", 54, 100),
    (20, "12edeecdfc6ee2b7a571377098", 58, 100),
    (20, "1df37fdffffefdfb", 52, 60),
    (20, "1ff7fbffeff", 37, 40),
    (20, "1fffff", 20, 20),
)
SMALLEST = {5: 20, 10: 37, 20: 65, 25: 76, 30: 85, 40: 97, 45: 100, 50: 101, 55: 100, 75: 76, 90: 37, 95: 20}


def estimate(answers: Iterable[bool], rule: Sampling) -> Score:
    """The score of a series of answers, of which no more are taken than Algorithm 1 asks for."""
    source, score = iter(answers), Score()
    while count := rule.due(score):
        batch = list(islice(source, count))
        assert len(batch) == count, "the answers ended, unsettled"
        score = Score(score.correct + sum(batch), score.asked + count)
    return score


@pytest.mark.parametrize(("step", "answers", "correct", "asked"), RUNS)
def test_s6_recorded_runs(step: int, answers: str, correct: int, asked: int) -> None:
    series = [digit == "1" for digit in f"{int(answers, 16):b}"[1:]]
    assert len(series) == asked
    source = iter([*series, *[True] * 500])
    got = estimate(source, Sampling(step=step, least=step))
    assert got == Score(correct, asked)
    assert sum(1 for _ in source) == 500  # not one answer too many
    if asked > step:
        with pytest.raises(AssertionError, match="ended"):
            estimate(series[:-1], Sampling(step=step, least=step))


@pytest.mark.parametrize(("percent", "smallest"), SMALLEST.items())
def test_s6_smallest_number_that_settles(percent: int, smallest: int) -> None:
    """The deviation at a share p falls below 1/20 where N > 400 p (1 - p), with equality not enough."""
    p = Fraction(percent, 100)
    numbers = [n for n in range(1, 200) if p * (1 - p) < n * Fraction(1, 400)]
    assert numbers[0] == smallest
    for n in range(1, 130):
        if (p * n).denominator == 1:
            assert Sampling(step=1, least=1).settled(Score(int(p * n), n)) == (n >= smallest)


def test_s6_at_most_110_with_a_step_of_ten() -> None:
    rule = Sampling()
    reached = {Score()}
    longest = 0
    while reached:
        longest = max(score.asked for score in reached)
        reached = {
            Score(score.correct + right, score.asked + rule.due(score))
            for score in reached
            for right in range(rule.due(score) + 1)
            if rule.due(score)
        }
    assert longest == 110


def test_s6_the_scores_of_figure_12_can_occur() -> None:
    rule, stops = Sampling(), set()
    reached = {Score()}
    while reached:
        stops |= {f"{float(score.p):.2f}" for score in reached if not rule.due(score)}
        reached = {
            Score(score.correct + right, score.asked + 10)
            for score in reached
            if rule.due(score)
            for right in range(11)
        }
    assert stops >= {"1.00", "0.95", "0.90", "0.45", "0.54", "0.00"}


def test_s6_least_samples_and_partial_batches() -> None:
    rule = Sampling(step=10, least=30)
    assert [rule.due(Score(n, n)) for n in (0, 4, 10, 29, 30)] == [10, 6, 10, 1, 0]
    assert not Sampling().settled(Score(5, 5))
    for bad in ({"step": 0}, {"least": 0}, {"threshold": Fraction(0)}):
        with pytest.raises(UsageError, match="above 0"):
            Sampling(**bad)


def test_s6_scores() -> None:
    assert Score().p == 0
    assert Score().deviation == 0.0
    assert Score(1, 4).p == Fraction(1, 4)
    assert Score(50, 100).deviation == pytest.approx(0.05)
    assert not Sampling().settled(Score(50, 100))


def test_s6_variants_are_fair_and_recorded_by_their_number() -> None:
    drawn = [variant(7, number) for number in range(6_000)]
    assert drawn[17] == variant(7, 17)
    assert all(len(set(options)) == 4 and TRUTH in options for options in drawn)
    places = Counter(options.index(TRUTH) for options in drawn)
    shown = Counter(option for options in drawn for option in options)
    assert shown[TRUTH] == 6_000
    assert all(abs(places[place] - 1_500) < 200 for place in range(4))
    assert all(abs(shown[option] - 2_000) < 200 for option in range(1, 10))
    assert variant(8, 0, distractors=3) != variant(9, 0, distractors=3)
    assert sorted(variant(8, 0, distractors=3)) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "rule", [Sampling(), Sampling(step=7), Sampling(step=20, least=50), Sampling(threshold=Fraction(1, 9))]
)
def test_no_score_takes_more_variants_than_the_most(rule: Sampling) -> None:
    """Nor fewer than the first, and both are reached."""
    asked = {estimate(cycle(pattern), rule).asked for pattern in ([True], [True, False], [False, False, True, True])}
    assert min(asked) == rule.first
    assert max(asked) == rule.most
