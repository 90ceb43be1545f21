"""The coach after a person's choices that the solution would not make: the best answers with costs, or a sentence."""

from __future__ import annotations

import random
from typing import cast

import pytest

from antemill.engine.builder.resolve import resolve
from antemill.engine.match import Game, Match
from antemill.tournament.cards.seats import Seat
from antemill.tournament.play.coach import Coach, Review, Reviewed
from antemill.tournament.play.opponents import Seated
from antemill.tournament.players.solved import SolvedPlayer
from antemill.tournament.players.solver_players import cfr_player
from tests.tournament.play.auctions import poor_bidders


def reviews(coach: Coach, game: Game, count: int) -> list[Review]:
    """Reviews of hands in which both seats play at random."""
    found = []
    for seed in range(count):
        match, dice = Match(game, seed), random.Random(seed)
        while not match.over:
            match.apply(match.menu.choice(dice.randrange(len(match.menu))))
        found.append(coach.review(match.transcript(), 0))
    return found


def after_a_slip(review: Review) -> list[Reviewed]:
    """The decisions that follow a choice which the solution makes less often than one time in a thousand."""
    for place, one in enumerate(review.decisions):
        chosen = [option for option in one.options if option.label == one.chosen]
        if chosen and chosen[0].probability < 1e-4:
            return list(review.decisions[place + 1 :])
    return []


@pytest.mark.parametrize("name", ["leduc", "3@0.05"])
def test_after_a_slip_the_best_answers_are_shown_with_what_the_others_cost(name: str) -> None:
    game = Game(resolve(name))
    saved = cfr_player(game).saved
    coach = Coach(game, Seated(cast(Seat, None), None, saved), lambda: saved)
    later = [one for review in reviews(coach, game, 150) for one in after_a_slip(review)]
    shown = [one for one in later if one.options]
    assert len(shown) > 5
    for one in shown:
        assert one.cost is not None
        assert one.note == ""
        assert sum(option.probability * cast(float, option.gives_away) for option in one.options) < 0.01
    assert all("never leads here" in one.note for one in later if not one.options)


def test_without_a_tree_no_mix_is_shown_where_the_policy_never_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game(resolve("leduc"))
    policy = cfr_player(game)
    monkeypatch.setattr("antemill.tournament.play.coach.LIMIT", 100)
    coach = Coach(
        game, Seated(cast(Seat, None), SolvedPlayer("solved", policy.saved, game), policy.saved), lambda: policy.saved
    )
    found = reviews(coach, game, 150)
    later = [one for review in found for one in after_a_slip(review)]
    assert len(later) > 5
    assert all(one.options == () and "never comes here" in one.note for one in later)
    assert any(one.options for review in found for one in review.decisions)


@pytest.mark.parametrize("limit", [100_000, 10])
def test_a_bid_above_the_stack_is_reviewed_as_the_stack(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game(poor_bidders())
    policy = cfr_player(game)
    monkeypatch.setattr("antemill.tournament.play.coach.LIMIT", limit)
    solved = SolvedPlayer("solved", policy.saved, game)
    coach = Coach(game, Seated(cast(Seat, None), solved, policy.saved), lambda: policy.saved)
    match = Match(game, 1)
    match.apply(4)
    match.apply(1)
    bid = coach.review(match.transcript(), 0).decisions[0]
    assert bid.chosen == "2"
    shown = {option.label: option.probability for option in bid.options}
    assert sum(shown.values()) == pytest.approx(1.0)
    assert not any(shown.get(more) for more in ("3", "4"))
