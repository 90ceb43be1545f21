"""The equilibrium's word on moves, checked against Kuhn poker, whose values are known by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from antemill.engine.builder.generate import generate
from antemill.engine.match import Game, Match
from antemill.engine.rules.named import kuhn, leduc
from antemill.solver.policies.file import write_policy
from antemill.solver.policies.solution import SavedPolicy
from antemill.solver.solving import Settings, solve_game
from antemill.tournament.cards.equilibrium import Judge, Judged, Judges

RANKS = ("J", "Q", "K")


@pytest.fixture(scope="module")
def game() -> Game:
    return Game(kuhn())


@pytest.fixture(scope="module")
def saved(game: Game) -> SavedPolicy:
    return solve_game(game.program, Settings(target=1e-4)).saved


@pytest.fixture(scope="module")
def judge(game: Game, saved: SavedPolicy) -> Judge:
    return Judge(game, saved)


def dealt(game: Game, alice: str, bob: str, *choices: str) -> Match:
    """A match in which these cards were dealt."""
    for seed in range(500):
        match = Match(game, seed)
        hands = match.piles().hands
        if (RANKS[hands[0][0]], RANKS[hands[1][0]]) == (alice, bob):
            for choice in choices:
                match.apply(choice)
            assert match.over
            return match
    raise AssertionError("never dealt")


def judged(judge: Judge, match: Match) -> list[Judged]:
    return judge.judge(match.transcript())


@pytest.mark.parametrize(
    ("alice", "bob", "choices", "costs"),
    [
        ("Q", "J", ("bet", "call"), (1 / 6, 1.0)),  # -1/2 instead of -1/3; -2 instead of -1
        ("Q", "K", ("bet", "fold"), (1 / 6, 3.0)),  # the king folds what it wins for certain
        ("Q", "K", ("check", "check"), (0.0, 1 / 3)),  # the queen calls every third bet: 4/3 instead of 1
        ("J", "K", ("check", "bet", "call"), (0.0, 0.0, 1.0)),
    ],
)
def test_a_move_costs_what_it_costs_by_hand(
    judge: Judge, game: Game, alice: str, bob: str, choices: tuple[str, ...], costs: tuple[float, ...]
) -> None:
    found = judged(judge, dealt(game, alice, bob, *choices))
    assert [one.cost for one in found] == pytest.approx(list(costs), abs=0.05)
    for one in found:
        assert sum(one.mix) == pytest.approx(1.0)
        assert one.gives is not None
        assert min(cost for cost in one.gives if cost is not None) == 0.0


def test_what_an_equilibrium_never_plays_is_off(judge: Judge, game: Game) -> None:
    assert [one.off for one in judged(judge, dealt(game, "Q", "J", "bet", "call"))] == [True, True]
    assert [one.off for one in judged(judge, dealt(game, "K", "J", "bet", "fold"))][1] is False


def test_menu_and_mix_stand_in_the_same_order(judge: Judge, game: Game) -> None:
    match = dealt(game, "K", "J", "bet", "fold")
    second = judged(judge, match)[1]
    assert match.transcript().decisions[1].options == ("fold", "call")
    assert second.mix == pytest.approx((1.0, 0.0), abs=0.01)
    assert second.played == 0


def test_an_altered_match_is_not_judged(judge: Judge, game: Game) -> None:
    whole = dealt(game, "Q", "J", "bet", "call").transcript()
    assert judge.judge(replace(whole, play_seed=whole.play_seed + 1, payoffs=(1, -1))) == []
    decisions = [entry for entry in whole.entries if entry in whole.decisions]
    other = [replace(decisions[0], choice="raise"), decisions[1]]
    assert judge.judge(replace(whole, entries=tuple(other))) == []


def test_an_abstract_policy_has_a_mix_and_no_costs() -> None:
    game = Game(leduc())
    saved = solve_game(game.program, Settings(abstraction="default", iterations=2_000, episodes=0)).saved
    match = Match(game, 1)
    while not match.over:
        match.apply(match.menu.choice(0))
    found = Judge(game, saved).judge(match.transcript())
    assert len(found) == match.ply
    assert all(one.cost is None and sum(one.mix) == pytest.approx(1.0) for one in found)


def test_bids_above_the_stack_are_judged_as_bids_of_the_stack() -> None:
    """Menus of amounts can be longer than what the tree tells apart."""
    for seed in range(40):
        game = Game(generate(seed, 0.4))
        if not any(not kind.labels for kind in game.names.decisions):
            continue
        judge = Judges(()).of(game)
        if judge is None:
            continue
        for play in range(5):
            match, sizes = Match(game, play), []
            while not match.over:
                sizes.append(len(match.menu))
                match.apply(match.menu.choice(len(match.menu) - 1))
            found = judge.judge(match.transcript())
            assert [len(one.mix) for one in found] == sizes
            assert all(one.gives is None or len(one.gives) == len(one.mix) for one in found)
        return
    raise AssertionError("no small game with amounts")


def test_policies_are_found_by_their_game_and_others_passed_over(
    tmp_path: Path, game: Game, saved: SavedPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("antemill.tournament.cards.equilibrium.SMALL", 0)
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    (damaged / "a.parquet").write_bytes(b"no parquet")
    policies = tmp_path / "policies"
    policies.mkdir()
    write_policy(policies / "kuhn.parquet", saved)
    found = Judges([tmp_path / "nowhere", damaged, policies])
    assert found.of(game) is not None
    assert found.of(Game(leduc())) is None
