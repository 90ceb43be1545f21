"""What choices in Kuhn poker give away by an equilibrium, against sums done by hand."""

import numpy as np
import pytest

from antemill.engine.errors import UsageError
from antemill.engine.match import Game, Match
from antemill.engine.rules.named import kuhn, leduc
from antemill.solver.evaluation.regret import Adviser
from antemill.solver.evaluation.transcripts import transcript_history
from antemill.solver.policies.on_tree import profile_on
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import sides, uniform_policy
from antemill.tournament.players.solver_players import cfr_player


@pytest.fixture(scope="module")
def game() -> Game:
    return Game(kuhn())


@pytest.fixture(scope="module")
def adviser(game: Game) -> Adviser:
    tree = build_tree(game.program, 1_000)
    return Adviser(tree, profile_on(game.program, tree, cfr_player(game).saved.table))


def played(game: Game, bob: str, *choices: str) -> Match:
    """A match with those choices in which Bob holds that card."""
    for seed in range(100):
        match = Match(game, seed)
        if game.wording.cards(match.view(1).hand) == bob:
            for choice in choices:
                match.apply(choice)
            assert match.over
            return match
    raise AssertionError(f"Bob never holds {bob}")


@pytest.mark.parametrize(
    ("card", "reply", "cost"),
    [
        ("K", "fold", 3.0),  # loses the ante of 1 instead of winning 2
        ("K", "call", 0.0),
        ("J", "call", 1.0),  # loses 2 instead of 1
        ("J", "fold", 0.0),
    ],
)
def test_the_cost_of_answering_a_bet(game: Game, adviser: Adviser, card: str, reply: str, cost: float) -> None:
    match = played(game, card, "bet", reply)
    (advice,) = adviser.review(1, transcript_history(game, match.transcript()))
    assert advice.cost == pytest.approx(cost, abs=1e-9)
    assert advice.probabilities.sum() == pytest.approx(1.0)
    assert advice.chosen == match.game.names.decisions[-1].labels.index(reply)
    if cost:
        assert advice.probabilities[advice.chosen] == pytest.approx(0.0, abs=0.01)
        assert advice.regret == pytest.approx(cost, abs=0.05)


def test_decisions_come_in_the_order_in_which_they_were_made(game: Game, adviser: Adviser) -> None:
    match = played(game, "K", "check", "bet", "call")
    history = transcript_history(game, match.transcript())
    first, second = adviser.review(0, history)
    assert len(adviser.review(1, history)) == 1
    assert first.cost == pytest.approx(0.0, abs=0.05)  # checking is never wrong
    assert second.gains.shape == (2,)


def test_where_the_opponent_never_leads_nothing_is_known(game: Game) -> None:
    tree = build_tree(game.program, 1_000)
    both = sides(tree)
    meek = uniform_policy(both[0])
    sets = tree.sets[0]
    for i in np.flatnonzero(sets.parent_sequence == 0):  # Alice never bets first
        low, high = sets.start[i], sets.start[i + 1]
        meek[low:high] = [0.0 if k == 0 else 1.0 for k in range(high - low)]
    adviser = Adviser(tree, (meek, uniform_policy(both[1])))
    match = played(game, "K", "bet", "fold")
    (advice,) = adviser.review(1, transcript_history(game, match.transcript()))
    assert np.isnan(advice.gains).all()
    assert advice.cost is None
    assert advice.regret == 0.0


def test_a_match_of_another_game_is_refused(adviser: Adviser) -> None:
    other = Game(leduc())
    match = Match(other, 0)
    while not match.over:
        match.apply(match.menu.choice(0))
    with pytest.raises(UsageError, match="pass the game that was played"):
        adviser.review(0, transcript_history(other, match.transcript()))
