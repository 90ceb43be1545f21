"""TrueSkill as SKATE defines it, on recorded ratings and exact fractions (S7, S8)."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
import trueskill

from antemill.tournament.statistics.rating import RatingOptions, rate
from antemill.tournament.statistics.trueskill import (
    RULES,
    Rating,
    Skills,
    absolute,
    rate_matches,
    rate_questions,
    relative,
)
from tests.tournament.statistics.statistics_tables import DATA

RECORDED = json.loads((DATA / "skate_trueskill.json").read_text())
SHARES = [[Fraction(correct, asked) for correct, asked in question] for question in RECORDED["shares"]]


@pytest.mark.parametrize("rule", ["relative", "absolute"])
@pytest.mark.parametrize(("state", "questions"), [("after_q1", 1), ("after_q10", 10), ("final", 30)])
def test_recorded_ratings_are_reproduced(rule: str, state: str, questions: int) -> None:
    """S8: mu and sigma after 1, 10 and 30 questions."""
    found = rate_questions(SHARES[:questions], 4, RULES[rule])
    np.testing.assert_allclose(found.final, RECORDED[rule][state], rtol=1e-9)
    assert len(found.mu) == 1 + 6 * questions


def test_the_library_s_constants_are_the_recorded_ones() -> None:
    """S8: the paper's defaults, mu 25 and sigma 25/3."""
    for table in (trueskill.TrueSkill(), Rating().environment()):
        for name, value in RECORDED["defaults"].items():
            assert getattr(table, name) == pytest.approx(value)


def test_another_library_gives_the_same_ratings() -> None:
    """openskill 6.2.0, ThurstoneMostellerFull with TrueSkill's variance (gamma 1, kappa 1e-9), its tau and its margin
    of draws, sqrt(2) beta times the normal quantile of .55."""
    played = "b>c c<d a>c d>b b<c d>b b>c d>c a>d c=a d<c d<b b>d a<d b<d c<b c<d b>d c>d c>d b=c c>a d<c a>b"
    matches = re.findall(r"(.)(.)(.) ?", played)
    rows = {"a": [a for a, _, _ in matches], "b": [b for _, _, b in matches]}
    scores = {"score_a": ["<=>".index(sign) for _, sign, _ in matches], "score_b": [1] * len(matches)}
    found = {one.player: one for one in rate(pa.table(rows | scores), RatingOptions("trueskill"))}
    want = [(24.754172895652122, 3.303180682671267), (25.339020305773392, 2.5543584277165383)]
    want += [(26.255803750025358, 2.3450957662343166), (22.570409445860143, 2.396422867470459)]
    for name, (mu, sigma) in zip("abcd", want, strict=True):
        assert found[name].rating == pytest.approx(mu, abs=1e-6)
        assert found[name].high - found[name].rating == pytest.approx(1.96 * sigma, rel=1e-4)


def test_a_loss_is_the_other_s_win() -> None:
    lost, won = (rate_matches([(0, 1, outcome)], 2).final for outcome in (-1, 1))
    np.testing.assert_allclose(lost, won[::-1])


def test_shares_are_compared_exactly() -> None:
    """S7: 19/20 and 18/20 differ by 1/20, which is no draw, though .95 - .90 < .05 in floats."""
    assert 0.95 - 0.90 < 0.05
    assert relative(Fraction(19, 20), Fraction(18, 20)) == 1
    assert relative(Fraction(18, 20), Fraction(19, 20)) == -1
    assert relative(Fraction(949, 1000), Fraction(18, 20)) == 0
    assert relative(Fraction(1, 2), Fraction(1, 2)) == 0


def test_eleven_twentieths_pass() -> None:
    """S7: the threshold itself passes (our reading); two that pass draw."""
    p = Fraction(11, 20)
    below = p - Fraction(1, 10**9)
    assert [absolute(p, below), absolute(below, p), absolute(p, Fraction(1)), absolute(below, Fraction(0))] == [
        1,
        -1,
        0,
        0,
    ]


def test_players_who_did_not_answer_are_left_out() -> None:
    """S8: the other pairs of the question are updated as always."""
    p = Fraction(9, 10)
    found = rate_questions([[p, None, Fraction(1, 10)]], 3, relative)
    np.testing.assert_allclose(found.final, rate_matches([(0, 2, 1)], 3).final)
    with pytest.raises(ValueError, match="question 1 has 2 shares for 3 players"):
        rate_questions([[p, p, p], [p, p]], 3, relative)


def test_the_order_of_pairs_is_fixed_and_matters() -> None:
    """S8: i < j in the players' order."""
    shares = [[Fraction(9, 10), Fraction(5, 10), Fraction(1, 10)]]
    forward = rate_questions(shares, 3, relative).final
    np.testing.assert_allclose(forward, rate_matches([(0, 1, 1), (0, 2, 1), (1, 2, 1)], 3).final)
    assert not np.allclose(forward, rate_matches([(1, 2, 1), (0, 2, 1), (0, 1, 1)], 3).final, rtol=1e-6)


def test_what_is_reported_is_the_average_of_the_last_hundred_updates() -> None:
    """S8, figure 2: 180 updates, of which the last 100 count; with fewer, all of them; without any, the prior."""
    found = rate_questions(SHARES, 4, relative)
    np.testing.assert_allclose(found.average()[:, 0], found.mu[81:].mean(axis=0))
    np.testing.assert_allclose(found.average(last=1), found.final)
    short = rate_questions(SHARES[:1], 4, relative)
    np.testing.assert_allclose(short.average()[:, 1], short.sigma[1:].mean(axis=0))
    none: Skills = rate_questions([], 2, relative)
    np.testing.assert_allclose(none.average(), [[25.0, 25.0 / 3.0]] * 2)
