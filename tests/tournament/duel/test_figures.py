"""Figures of duels: who is undefeated stands on top, and turns are counted as they ended."""

import pytest
from msgspec.structs import replace

from antemill.tournament.duel.analysis.resolve import Attempt
from antemill.tournament.duel.analysis.turns import TurnRow
from antemill.tournament.duel.figures import charts_of
from antemill.tournament.duel.ratings import ratings
from antemill.tournament.duel.report import example_of
from antemill.tournament.duel.results import Duel, Results
from antemill.tournament.duel.rounds import Outcome
from tests.tournament.charts.drawn import elements, texts


def duel(key: str, first: str, second: str, points: tuple[int, int]) -> Duel:
    """A duel of two turns in which the first sets and then solves."""
    turns = [
        {"proposer": first, "solver": second, "outcome": Outcome.UNSOLVED if points[0] else Outcome.SOLVED},
        {"proposer": second, "solver": first, "outcome": Outcome.UNSOLVED if points[1] else Outcome.PENALTY},
    ]
    return Duel(key, first, second, points, turns)


@pytest.mark.parametrize(
    ("strip", "decided"),
    [("uU", None), ("ss", None), ("sU", ("b", 2)), ("uUu", ("a", 3)), ("usPs", ("a", 1)), ("pSuUs", ("b", 4))],
)
def test_a_duel_is_decided_by_the_turn_after_which_the_winner_was_ahead_to_the_end(
    strip: str, decided: tuple[str, int] | None
) -> None:
    """The letters of the list: s(olved), u(nsolved), p(enalty), capitals if the second player proposed."""
    outcomes = {"s": Outcome.SOLVED, "u": Outcome.UNSOLVED, "p": Outcome.PENALTY}
    turns = [
        {"number": n, "proposer": "a" if letter.islower() else "b", "outcome": outcomes[letter.lower()]}
        for n, letter in enumerate(strip, 1)
    ]
    found = Duel("k", "a", "b", (0, 0), turns).decided
    assert (found and (found[0], found[1]["number"])) == decided


def test_the_example_is_a_duel_of_this_run_that_the_best_player_won_and_says_why() -> None:
    def duelled(key: str, outcome: Outcome, proposer: str, points: tuple[int, int]) -> Duel:
        turn = {"number": 1, "proposer": proposer, "solver": "b" if proposer == "a" else "a", "outcome": outcome}
        return Duel(key, "a", "b", points, [turn])

    duels = [
        duelled("of the base", Outcome.UNSOLVED, "a", (1, 0)),
        duelled("lost", Outcome.UNSOLVED, "b", (0, 1)),
        duelled("won", Outcome.PENALTY, "b", (1, 0)),
    ]
    found = replace(results(), duels=duels, earlier=1)
    told = example_of(found, ["a", "b"])
    assert told is not None
    assert told.address == "#/item/won/1"
    assert (
        told.said == " in turn 1 b set no puzzle that its own solution solves, and a stayed ahead to the end, 1 to 0."
    )
    told = example_of(replace(found, duels=duels[:2]), ["a", "b"])
    assert told is not None
    assert told.said == " in turn 1 a did not solve b's puzzle, and b stayed ahead to the end, 1 to 0."
    assert example_of(replace(found, duels=duels[:1]), ["a", "b"]) is None
    assert example_of(found, ["a"]) is None


def results(attempts: bool = True) -> Results:
    """The best never loses, the worst never wins, two in the middle beat each other."""
    duels = [
        *(duel(f"a{i}", "best", other, (1, 0)) for i, other in enumerate(("mid", "even", "worst"))),
        duel("b", "mid", "even", (1, 0)),
        duel("c", "mid", "even", (0, 1)),
        *(duel(f"d{i}", other, "worst", (1, 0)) for i, other in enumerate(("mid", "even"))),
    ]
    rows = [
        TurnRow(duel=one.key, number=n, puzzle=f"{one.key}/{n}", **turn)
        for one in duels
        for n, turn in enumerate(one.turns, 1)
    ]
    tried = [Attempt(puzzle=row.puzzle, model="ref", solved=row.number == 1) for row in rows] if attempts else []
    return Results(duels=duels, turns=rows, references=("ref",), codes={}, attempts=tried, own=[], tagged=[])


def test_the_undefeated_stand_on_top_with_infinity() -> None:
    found = results()
    (panel,) = charts_of(found, ratings(found, 50, 0))["ratings"].panels
    names = texts(panel, "end")
    assert names[0] == "best"
    assert names[-1] == "worst"
    said = texts(panel, "small")
    assert said[0].startswith("∞ above")
    assert said[-1].startswith("∞ below")
    assert len(elements(panel, "path", "point")) == 2
    assert len(elements(panel, "circle")) == 2


def test_turns_are_counted_as_they_ended() -> None:
    found = results()
    charts = charts_of(found, ratings(found, 50, 0))
    (panel,) = charts["failures"].panels
    bars = {one[0].text for one in elements(panel, "rect", "bar") if len(one)}
    assert "unsolved, best: 3" in bars
    assert "over-ambitious, worst: 3" in bars
    assert "under-ambitious, best: 0" in bars
    (panel,) = charts["solve_rates"].panels
    told = {one[0].text for one in elements(panel, "circle") if len(one)}
    assert told == {"ref, 1: 1", "ref, 2: 0"}
