"""Every player passes the same tests; and each plays as its name says."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from rich.console import Console

from antemill.engine.builder.generate import generate
from antemill.engine.machine.policy import UNIFORM, KeyKind, Policy, table
from antemill.engine.machine.rollout import rollout, streams
from antemill.engine.match import Game, Match
from antemill.engine.rules.named import NAMED, appendix_b, kuhn, leduc
from antemill.engine.rules.spec import (
    ActionRound,
    Ante,
    Cost,
    Deal,
    Deck,
    GameSpec,
    Option,
    Showdown,
    Steps,
)
from antemill.tournament.players import BOTS, Observation, Player, PolicyPlayer, StaleObservationError, make_bot, play
from antemill.tournament.players.human import Human
from antemill.tournament.players.policy import l1_policy, mixed_policy
from tests.specs import every_construct


def single() -> GameSpec:
    """A game whose first decision has one option left, and whose second has one that costs chips."""
    forced = ActionRound("Forced", "alice", (Option("buy", cost=Cost(5)), Option("go without")))
    chance = ActionRound("Offer", "bob", (Option("buy", cost=Cost(1)), Option("go without")))
    opening = Steps("Setup", (Deal(1), Ante("both", 1)))
    return GameSpec(
        name="Single",
        deck=Deck((2, 3, 4), ("hearts",)),
        chips=2,
        phases=(opening, forced, chance, Showdown("Showdown")),
        sequence=("Setup", "Forced", "Offer", "Showdown"),
    )


MAKERS: dict[str, Callable[[], GameSpec]] = {
    **NAMED,
    "every-construct": every_construct,
    "single": single,
    **{f"generated-{i}": lambda i=i: generate(i, 0.7) for i in range(2)},  # type: ignore[misc]
}


@cache
def game_of(name: str) -> Game:
    return Game(MAKERS[name]())


class Typist:
    """Types at the terminal: the same line for the same question."""

    def __init__(self) -> None:
        self.menu: Observation | None = None

    def __call__(self, _prompt: str) -> str:
        assert self.menu is not None
        menu = self.menu.question().menu
        number = self.menu.below(len(menu))
        return str(menu.low + number) if menu.amounts else str(number + 1)


class TypedHuman(Human):
    """A person who types legal answers."""

    def __init__(self) -> None:
        self.typist = Typist()
        super().__init__(Console(file=io.StringIO(), width=100), self.typist)

    def choose(self, observation: Observation) -> str | int:
        self.typist.menu = observation
        return super().choose(observation)


PLAYERS: dict[str, Callable[[Game], Player]] = {
    **BOTS,
    "human": lambda _game: TypedHuman(),
    "table": lambda game: PolicyPlayer("table", recorded_table(game)),
}


def recorded_table(game: Game) -> Policy:
    """A table policy for half of the keys that random play meets: the last entry of the menu."""
    log = rollout(game.program, 50, streams(1))
    keys, first = np.unique(log.recall, return_index=True)
    keys, first = keys[::2], first[::2]
    sizes = log.menu[first].astype(np.int64)
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    weights = np.zeros(int(sizes.sum()))
    weights[starts + sizes - 1] = 1.0
    return table(game.program, keys, starts, weights, KeyKind.RECALL)


# ------------------------------------------------------------------------------------------ the conformance suite


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("name", PLAYERS)
def test_conformance(name: str, maker: str) -> None:
    """Legal choices only, the same for the same observation, and the match is left as it was."""
    game = game_of(maker)
    player, opponent, twin = PLAYERS[name](game), make_bot("random", game), PLAYERS[name](game)
    for seed in range(6):
        seat = seed % 2
        played = Match(game, seed)
        while not played.over:
            if played.seat != seat:
                played.apply(opponent.choose(Observation(played)))
                continue
            before = played._state.tobytes(), played.transcript(), played.view(0).lines[:], played.view(1).lines[:]
            choice = player.choose(Observation(played))
            assert twin.choose(Observation(played)) == choice
            after = played._state.tobytes(), played.transcript(), played.view(0).lines[:], played.view(1).lines[:]
            assert after == before
            place, reason = played.menu.resolve(choice)
            assert reason is None
            assert place is not None
            assert played.menu.choice(place) == choice
            played.apply(choice)
        assert played.substitutions == [0, 0]


@pytest.mark.parametrize("name", [name for name in PLAYERS if name != "human"])
def test_a_bot_needs_no_log(name: str) -> None:
    game = game_of("appendix-b")
    for seed in range(10):
        results = [
            play(Match(game, seed, log=log), PLAYERS[name](game), make_bot("random", game)) for log in (True, False)
        ]
        assert results[0] == results[1]


# ------------------------------------------------------------------------------------------ what each one is


@pytest.mark.parametrize("maker", MAKERS)
def test_policies_play_as_in_a_rollout(maker: str) -> None:
    """The same seed gives the same game: match and rollout drive the same machine with the same draws."""
    game = game_of(maker)
    policies = {
        "random": UNIFORM,
        "l1": l1_policy(game),
        "mixed": mixed_policy(game),
        "table": recorded_table(game),
    }
    for alice in policies:
        for bob in policies:
            log = rollout(game.program, 1, streams(11), policies[alice], policies[bob])
            played = Match(game, 11)
            result = play(played, PLAYERS[alice](game), PLAYERS[bob](game))
            assert result.payoffs[0] == int(log.payoff[0])
            assert result.moves == (int((log.seat == 0).sum()), int((log.seat == 1).sum()))


def test_passive_never_folds_bets_or_takes() -> None:
    game = game_of("leduc")
    for seed in range(20):
        played = Match(game, seed)
        play(played, make_bot("passive", game), make_bot("random", game))
        own = {record.choice for record in played.transcript().decisions if record.seat == 0}
        assert own <= {"check", "call"}


def test_aggressive_raises_and_bets_the_most() -> None:
    game = game_of("appendix-b")
    played = Match(game, 0)
    play(played, make_bot("aggressive", game), make_bot("passive", game))
    own = [record.choice for record in played.transcript().decisions if record.seat == 0]
    assert own[:2] == ["bet", 8]
    game = game_of("leduc")
    played = Match(game, 0)
    play(played, make_bot("aggressive", game), make_bot("aggressive", game))
    assert [record.choice for record in played.transcript().decisions] == ["bet", "raise", "call"] * 2


def test_costs_decide_where_names_do_not() -> None:
    game = game_of("single")
    for name, choice in (("passive", "go without"), ("aggressive", "buy")):
        played = Match(game, 0)
        assert played.menu.labels == ("go without",)
        play(played, make_bot(name, game), make_bot(name, game))
        assert [record.choice for record in played.transcript().decisions] == ["go without", choice]


def test_mixed_is_one_fixed_distribution_per_game() -> None:
    game = game_of("appendix-b")
    weights = mixed_policy(game).weights
    assert np.array_equal(weights, mixed_policy(game).weights)
    assert not np.array_equal(weights, mixed_policy(game, seed=1).weights)
    for low, high in zip(game.program.action_offsets[:-1], game.program.action_offsets[1:], strict=True):
        assert weights[low:high].sum() == pytest.approx(1.0)


# ------------------------------------------------------------------------------------------ observations


def test_an_observation_is_valid_until_its_decision_is_made() -> None:
    played = Match(kuhn(), 0)
    observation = Observation(played)
    prompt = observation.prompt()
    assert prompt.startswith("You are Alice.")
    assert observation.view().lines[-1] == "Phase: Betting"
    played.apply("bet")
    for ask in (observation.prompt, observation.keys, observation.view, observation.numbers):
        with pytest.raises(StaleObservationError):
            ask()
    assert observation.menu.labels == ("bet", "check")


def test_a_seats_randomness_does_not_depend_on_the_other_seat() -> None:
    draws = []
    for first in ("bet", "check"):
        played = Match(kuhn(), 3)
        played.apply(first)
        observation = Observation(played)
        draws.append((observation.below(1000), observation.uniform(), observation.stream().word()))
    assert draws[0] == draws[1]
    assert draws[0] != (draws[0][0], 0.0, 0)


@pytest.mark.parametrize("make", [kuhn, leduc, appendix_b])
def test_l1_beats_random_play(make: Callable[[], GameSpec]) -> None:
    game = Game(make())
    l1, rnd = make_bot("l1", game), make_bot("random", game)
    won = [play(Match(game, seed, log=False), l1, rnd).payoffs[0] for seed in range(800)]
    won += [play(Match(game, seed, log=False), rnd, l1).payoffs[1] for seed in range(800)]
    assert np.mean(won) > 4 * np.std(won) / np.sqrt(len(won))
