"""Ratings that are not finite: who stands above and below whom, and why (T7, T9)."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from antemill.tournament.duel.analysis.turns import TurnRow
from antemill.tournament.duel.ratings import ratings
from antemill.tournament.duel.results import Duel, Results
from antemill.tournament.duel.rounds import Outcome
from antemill.tournament.pages.overview import sheet_section
from antemill.tournament.statistics.bradley_terry import bradley_terry
from antemill.tournament.statistics.intervals import Floats
from antemill.tournament.statistics.placing import places, said
from antemill.tournament.statistics.sheets import Sheet, to_csv, to_markdown


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
    sheet = ratings(played)
    rating = cells(sheet, "duel_rating")
    assert [row[0] for row in sheet.rows] == ["b", "c", "d", "a"]
    assert rating["b"] == pytest.approx(1000.0)
    assert rating["a"].reason.startswith("∞ below ")
    low, high = (cells(sheet, bound) for bound in ("duel_low", "duel_high"))
    assert all(low[name] < rating[name] < high[name] for name in "bcd")
    assert low["a"] < low["b"]  # by one more draw for everybody
    assert low["a"] < high["a"] < high["b"]
    assert "b is at 1000" in sheet.note
    assert "∞ below" in to_markdown(sheet)
    assert "∞ below" in to_csv(sheet)
    assert "∞ below" in sheet_section(sheet).html
    rounds, low, high = (cells(sheet, f"round_{column}") for column in ("rating", "low", "high"))
    assert isinstance(rounds["a"], float)  # it solves
    assert all(low[name] < rounds[name] < high[name] for name in "abcd")


def test_a_guest_has_a_wide_interval_and_does_not_widen_those_of_the_regulars() -> None:
    random = np.random.default_rng(2)
    regular = [(a, b, int(random.integers(0, 3)), int(random.integers(0, 3))) for a, b in [*permutations("bcd", 2)] * 8]
    sheet = ratings(results(*regular, ("b", "a", 2, 1), ("b", "a", 1, 2)))
    alone = ratings(results(*regular))
    widths = [
        {name: cells(one, "duel_high")[name] - cells(one, "duel_low")[name] for name in cells(one, "duel_low")}
        for one in (alone, sheet)
    ]
    for name in "bcd":
        assert widths[1][name] == pytest.approx(widths[0][name], rel=0.15)
    assert widths[1]["a"] > 3.0 * widths[1]["b"]


def test_the_largest_group_is_rated_whoever_is_first() -> None:
    """a never loses: it is above, and the others have their ratings, which a says nothing about."""
    wins = wins_of(4, *((i + 1, j + 1) for i, j in CYCLE), (1, 2), (0, 1), (0, 2), (0, 3))
    found = bradley_terry(wins)
    assert found.status == ("undefeated", "rated", "rated", "rated")
    np.testing.assert_allclose(found.strengths[1:], bradley_terry(wins[1:, 1:]).strengths)
