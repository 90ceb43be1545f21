"""Figures of duels: who is undefeated stands on top, and turns are counted as they ended."""

from antemill.tournament.duel.analysis.resolve import Attempt
from antemill.tournament.duel.analysis.turns import TurnRow
from antemill.tournament.duel.figures import charts
from antemill.tournament.duel.findings import DuelFindings
from antemill.tournament.duel.ratings import ratings
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
    return Results(duels=duels, turns=rows, references=("ref",), attempts=tried)


def test_the_undefeated_stand_on_top_with_infinity() -> None:
    found = results()
    (panel,) = charts(DuelFindings(found, ratings(found), {}))["ratings"].panels
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
    drawn = charts(DuelFindings(found, ratings(found), {}))
    (panel,) = drawn["failures"].panels
    bars = {one[0].text for one in elements(panel, "rect", "bar") if len(one)}
    assert "unsolved, best: 3" in bars
    assert "over-ambitious, worst: 3" in bars
    assert "under-ambitious, best: 0" in bars
    (panel,) = drawn["solve_rates"].panels
    told = {one[0].text for one in elements(panel, "circle") if len(one)}
    assert told == {"ref, 1: 1", "ref, 2: 0"}
