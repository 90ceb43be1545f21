"""How many information states a game is expected to have: by hand, and beside random play."""

from __future__ import annotations

from math import exp

import msgspec
import pytest

from antemill.axes.scores import default_seed
from antemill.axes.state_space import information_states
from antemill.engine.builder.caps import BENCHMARK_CAPS, Caps
from antemill.engine.builder.generate import generate
from antemill.engine.builder.questions import PLAYS
from antemill.engine.builder.states import expected
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.rollout import rollout, streams
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import (
    ActionRound,
    Announce,
    BettingLoop,
    Cell,
    ChipsAre,
    Deck,
    FixedBetting,
    GameSpec,
    HoldsSuit,
    If,
    NoAction,
    Option,
    Peek,
    Perform,
    Phase,
    Showdown,
    Simultaneous,
    Steps,
)
from antemill.engine.seeding import Domain

ROUND = FixedBetting("Round", "alice", 1)
MENU = ActionRound("Menu", "bob", (Option("a", (NoAction(),)), Option("b", (NoAction(),))))
LOOK = Steps("Look", (Peek("bob", "private"),))


def game(
    *phases: Phase, ranks: int = 3, suits: tuple[str, ...] = ("hearts",), more: tuple[Phase, ...] = ()
) -> GameSpec:
    """Kuhn poker with other phases between ante and showdown; `more` are in the graph and not in the sequence."""
    kuhn = NAMED["kuhn"]()
    first, last = kuhn.phases[:2], Showdown("Showdown")
    names = (*(phase.name for phase in first), *(phase.name for phase in phases), last.name)
    deck = Deck(tuple(range(14 - ranks, 14)), suits)
    return msgspec.structs.replace(
        kuhn, deck=deck, chips=9, phases=(*first, *phases, last, *more), sequence=names, variables=()
    )


def met(spec: GameSpec) -> int:
    """Information states of random play, at the precise tier's budget."""
    program = compile_spec(spec)
    return information_states(rollout(program, PLAYS, streams(default_seed(program), Domain.LEVEL0)))


def test_kuhn_poker_has_twelve() -> None:
    assert expected(NAMED["kuhn"]()) == 12 == met(NAMED["kuhn"]())


@pytest.mark.parametrize("ranks", [4, 5, 9])
def test_a_round_has_four_for_every_rank(ranks: int) -> None:
    assert expected(game(ROUND, ranks=ranks)) == 4 * ranks == met(game(ROUND, ranks=ranks))


def test_suits_count_only_where_a_rule_reads_them() -> None:
    plain = game(ROUND, suits=("hearts", "spades"))
    hearts = If(HoldsSuit("alice", "hearts"), (Announce("Hearts."),), public=False)
    read = game(ROUND, Steps("Event", (hearts,)), suits=("hearts", "spades"))
    assert (expected(plain), expected(read)) == (12, 24)


def test_what_came_before_multiplies() -> None:
    """A public choice of two, then the round; a look at three cards by one player, then the round."""
    assert expected(game(MENU, ROUND)) == 3 + 2 * 12 == met(game(MENU, ROUND))
    seen = 3**0.9  # nine tenths of a card, as a logarithm: two of the three can be the other's
    assert expected(game(LOOK, ROUND)) == round(6 + 6 * seen)
    assert met(game(LOOK, ROUND)) == 6 + 6 * 2


def test_a_round_after_a_round_comes_three_times_where_nobody_folds() -> None:
    assert expected(game(ROUND, msgspec.structs.replace(ROUND, name="Again"))) == 12 + 3 * 12


def test_no_more_than_there_are_decisions() -> None:
    """Of a play in ten thousand ways each is new: every decision is a state of its own."""
    menus = [msgspec.structs.replace(MENU, name=f"Menu {i}", picks=4) for i in range(5)]
    spec = game(*menus, ranks=9)
    ways = [2**i * 9 for i in range(20)]
    assert expected(spec) == pytest.approx(sum(w * (1 - exp(-PLAYS / w)) for w in ways), abs=1)
    assert expected(spec) < 20 * PLAYS


def test_an_outcome_that_seems_unlikely_gets_three_tenths_of_the_plays() -> None:
    """The condition is one that never holds; what is behind it is counted, for fewer plays."""
    never = ChipsAre("alice", ">", 1_000)
    duel = Simultaneous("Duel", ("x", "y"), ("x", "y"), (Cell("x", "x", (NoAction(),)),))
    behind = game(Steps("Event", (If(never, (Perform("Duel"),)),)), more=(duel,))
    assert expected(behind) == 6
    assert met(behind) == 0


def test_games_keep_within_the_cap() -> None:
    """A cap that half of the drafts of this complexity exceed, and the benchmark's."""
    low = Caps(states=6_000)
    large = 0
    for seed in range(40):
        assert expected(generate(seed, 0.9, low)) <= 6_000
        large += expected(generate(seed, 0.9, Caps(states=10**9))) > 6_000
        assert expected(generate(seed, 0.9)) <= BENCHMARK_CAPS.states
    assert large > 12


@pytest.mark.parametrize("phase", [BettingLoop("L", "n", 2, 0, ()), BettingLoop("L", "n", 2, 0, ("nowhere",))])
def test_rules_that_lead_nowhere_are_refused(phase: Phase) -> None:
    kuhn = NAMED["kuhn"]()
    game = msgspec.structs.replace(kuhn, phases=(*kuhn.phases, phase), sequence=("L",), variables=("n",))
    with pytest.raises(ValueError, match=r"'L' has no rounds\.|no phase 'nowhere'"):
        expected(game)
    with pytest.raises(ValueError, match=r"no phase 'away'"):
        expected(msgspec.structs.replace(kuhn, sequence=("away",)))
