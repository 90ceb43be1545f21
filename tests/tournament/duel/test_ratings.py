"""Ratings that are not finite: who stands above and below whom, and why (T7, T9)."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from antemill.tournament.duel.analysis.turns import TurnRow
from antemill.tournament.duel.ratings import POINTS, TOO_FEW_DUELS, rate, ratings
from antemill.tournament.duel.results import Duel, Results
from antemill.tournament.duel.rounds import Outcome
from antemill.tournament.pages.overview import sheet_section
from antemill.tournament.statistics.bootstrap import multinomial_weights
from antemill.tournament.statistics.bradley_terry import aligned, bradley_terry, fit, interval
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.placing import places, said
from antemill.tournament.statistics.sheets import Missing, Placed, Sheet, to_csv, to_markdown


def wins_of(players: int, *pairs: tuple[int, int]) -> Floats:
    """One win for each pair (winner, loser)."""
    wins = np.zeros((players, players))
    for winner, loser in pairs:
        wins[winner, loser] += 1.0
    return wins


def words(wins: Floats) -> list[str]:
    """Every player's place; "rated" for those in the group."""
    found = places(wins, bradley_terry(wins))
    names = "abcdefgh"
    return ["rated" if place.level == 0 else said(place, names, 100.0) for place in found]


CYCLE = ((0, 1), (1, 2), (2, 0))


@pytest.mark.parametrize(
    ("wins", "want"),
    [
        (wins_of(3, *CYCLE), ["rated"] * 3),
        (wins_of(4, *CYCLE, (0, 3), (1, 3)), ["rated"] * 3 + ["∞ below a"]),  # a, b and c are equal
        (wins_of(4, *CYCLE, *CYCLE, (0, 1), (3, 0)), ["rated"] * 3 + ["∞ above a"]),
        (wins_of(5, *CYCLE, (3, 0), (4, 3)), ["rated"] * 3 + ["∞ above a", "∞ above d"]),
        (wins_of(5, *CYCLE, (0, 3), (3, 4), (1, 4)), ["rated"] * 3 + ["∞ below a", "∞ below d"]),
        (wins_of(4, *CYCLE), ["rated"] * 3 + ["no result connects it with a"]),
        (wins_of(5, *CYCLE, (0, 3), (4, 3)), ["rated"] * 3 + ["∞ below a", "no chain of wins leads to a or back"]),
        (wins_of(4, (0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)), ["rated", "∞ below a", "∞ below b", "∞ below c"]),
        (wins_of(3, (2, 0), (1, 0), (2, 1)), ["rated", "∞ above a", "∞ above b"]),
        (wins_of(2), ["rated", "no result connects it with a"]),
        (wins_of(1), ["rated"]),
    ],
)
def test_everybody_has_a_place(wins: Floats, want: list[str]) -> None:
    assert words(wins) == want


def test_a_group_outside_keeps_its_own_order() -> None:
    """Two who beat each other, three to one, stand above three who do; and apart from them if they never met."""
    pair = wins_of(5, *CYCLE, (3, 4), (3, 4), (3, 4), (4, 3))
    apart = words(pair)[3:]
    assert apart == [
        "no result connects it with a (+55 in its own group)",
        "no result connects it with a (\N{MINUS SIGN}55 in its own group)",
    ]
    above = words(pair + wins_of(5, (4, 0)))[3:]
    assert above == ["∞ above a (+55 in its own group)", "∞ above a (\N{MINUS SIGN}55 in its own group)"]


@pytest.mark.parametrize("seed", range(6))
def test_places_agree_with_chains_of_wins(seed: int) -> None:
    """Above is a player with a chain to the rated group and none back; the next one is on it, and none is between."""
    random = np.random.default_rng(seed)
    wins = (random.random((8, 8)) < 0.14).astype(np.float64)
    np.fill_diagonal(wins, 0.0)
    reach = np.linalg.matrix_power(np.eye(8) + wins, 8) > 0
    fitted = bradley_terry(wins)
    rated = [i for i, status in enumerate(fitted.status) if status == "rated"]
    for i, place in enumerate(places(wins, fitted)):
        up, down = reach[i, rated[0]], reach[rated[0], i]
        assert (place.level == 0) == (up and down)
        assert (place.level is None) == (not up and not down)
        if place.level:
            assert (place.level > 0) == up
            beside = places(wins, fitted)[place.beside]
            assert beside.level is not None
            assert abs(beside.level) == abs(place.level) - 1
            assert reach[i, place.beside] if up else reach[place.beside, i]


def test_replicates_are_put_where_the_estimate_is() -> None:
    """No player's luck moves the others, and one who is undefeated in a resample leaves them where they are."""
    point = np.array([1.0, 0.0, -1.0, np.inf])
    drawn = np.array([[0.5, 0.0, -0.5, np.inf], [np.inf, 2.0, -2.0, 0.0], [np.inf, -np.inf, np.nan, 0.0]])
    got = aligned(drawn, point)
    np.testing.assert_allclose(got[0], [0.5, 0.0, -0.5, np.inf])
    np.testing.assert_allclose(got[1], [np.inf, 1.5, -2.5, -0.5])
    assert np.isnan(got[2][3])
    whole = fit(wins_of(3, *CYCLE)[None])
    np.testing.assert_allclose(aligned(whole, np.array([5.0, 5.0, 5.0])), 5.0)


# ------------------------------------------------------------------------------------------ from duels to pages


def results(*won: tuple[str, str, int, int], turns: int = 10) -> Results:
    """Duels (first, second, unsolved puzzles of the first, and of the second); all others are solved."""
    duels, rows = [], []
    for k, (first, second, a, b) in enumerate(won):
        left, table = {first: a, second: b}, list[dict[str, Any]]()
        for number in range(1, turns + 1):
            proposer, solver = (first, second) if number % 2 else (second, first)
            outcome = Outcome.UNSOLVED if left[proposer] > 0 else Outcome.SOLVED
            left[proposer] -= 1
            table.append({"number": number, "proposer": proposer, "solver": solver, "outcome": str(outcome)})
            rows.append(
                TurnRow(
                    duel=str(k), number=number, proposer=proposer, solver=solver, outcome=outcome, puzzle=f"{k}{number}"
                )
            )
        duels.append(Duel(str(k), first, second, (a, b), table))
    return Results(duels=duels, turns=rows)


def cells(sheet: Sheet, key: str) -> dict[str, Any]:
    return dict(zip(map(str, sheet.column("player")), sheet.column(key), strict=True))


def even(*names: str) -> list[tuple[str, str, int, int]]:
    """Every player beats every other once as the first proposer."""
    return [(a, b, 2, 1) for a, b in permutations(names, 2)]


def test_one_player_who_never_beats_the_rest_leaves_them_their_ratings() -> None:
    played = results(*even("b", "c", "d") * 2, *((name, "a", 3, 0) for name in "bcd" * 2))
    sheet = ratings(played, 200, 0)
    rating = cells(sheet, "duel_rating")
    assert [row[0] for row in sheet.rows] == ["b", "c", "d", "a"]
    assert rating["b"] == pytest.approx(1000.0)
    assert rating["a"].reason.startswith("∞ below ")
    assert all(
        isinstance(cells(sheet, bound)[name], float | Placed) for bound in ("duel_low", "duel_high") for name in "bcd"
    )
    assert cells(sheet, "duel_low")["a"] == Placed("\N{MINUS SIGN}∞")
    assert "b is at 1000" in sheet.note
    assert "∞ below" in to_markdown(sheet)
    assert "∞ below" in to_csv(sheet)
    assert "∞ below" in sheet_section(sheet).html
    assert isinstance(cells(sheet, "round_rating")["a"], float)  # it solves


def test_a_guest_has_no_interval_and_does_not_move_those_of_the_regulars() -> None:
    """Of what two duels of one opponent say, no width can be told; the regulars' widths stay what they were."""
    random = np.random.default_rng(2)
    regular = [(a, b, int(random.integers(0, 3)), int(random.integers(0, 3))) for a, b in [*permutations("bcd", 2)] * 8]
    sheet = ratings(results(*regular, ("b", "a", 2, 1), ("b", "a", 1, 2)), 1000, 0)
    for key in ("duel_low", "duel_high", "round_low", "round_high"):
        assert cells(sheet, key)["a"] == Missing(TOO_FEW_DUELS)
    assert [row[0] for row in sheet.rows][-1] == "a"
    alone = ratings(results(*regular), 1000, 0)
    for name in "bcd":
        widths = [cells(one, "duel_high")[name] - cells(one, "duel_low")[name] for one in (alone, sheet)]
        assert widths[1] == pytest.approx(widths[0], rel=0.15)


def test_few_duels_have_students_intervals() -> None:
    """Of a player with five duels the percentiles reach too little; with 400 of each pair nothing is stretched."""
    random = np.random.default_rng(5)
    names = ["a", "b", "c", "guest"]

    def won(first: int, second: int) -> Floats:
        one, count = np.zeros((4, 4)), int(random.integers(3, 6))
        one[first, second], one[second, first] = count, 8 - count
        return one

    main = [won(*pair) for pair in ((0, 1), (0, 2), (1, 2)) for _ in range(400)]
    wins = np.array([*main, *(won(3, k % 3) for k in range(5))])
    found = rate(wins, names, np.ones(4, bool), 300, 1)
    drawn = multinomial_weights(len(wins), 300, 1) @ wins.reshape(len(wins), -1)
    fitted = aligned(fit(drawn.reshape(300, 4, 4)), bradley_terry(wins.sum(axis=0)).strengths)
    plain = interval(POINTS * fitted)
    width = np.array([float(cells[2]) - float(cells[1]) for cells in found.cells])  # type: ignore[arg-type]
    wider = width / (plain.high - plain.low)
    assert wider[3] == pytest.approx(2.78 / 1.96 * np.sqrt(5 / 4), rel=0.05)
    alone = rate(np.array(main)[:, :3, :3], names[:3], np.ones(3, bool), 300, 1).cells
    drawn = multinomial_weights(len(main), 300, 1) @ np.array(main).reshape(len(main), -1)
    fitted = aligned(fit(drawn.reshape(300, 4, 4)[:, :3, :3]), bradley_terry(np.sum(main, axis=0)[:3, :3]).strengths)
    plain = interval(POINTS * fitted)
    for k, cells in enumerate(alone):
        assert float(cells[2]) - float(cells[1]) == pytest.approx(plain.high[k] - plain.low[k], rel=0.01)  # type: ignore[arg-type]


def test_the_largest_group_is_rated_whoever_is_first() -> None:
    """a never loses: it is above, and the others have their ratings, which a says nothing about."""
    wins = wins_of(4, *((i + 1, j + 1) for i, j in CYCLE), (1, 2), (0, 1), (0, 2), (0, 3))
    found = bradley_terry(wins)
    assert found.status == ("undefeated", "rated", "rated", "rated")
    np.testing.assert_allclose(found.strengths[1:], bradley_terry(wins[1:, 1:]).strengths)
