"""The legality checker: every rule refuses a legal spec that was broken in one place, and legal specs pass."""

import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, get_args, get_type_hints

import pytest
from msgspec.structs import replace

from antemill.engine.rules import check as checker
from antemill.engine.rules.check import check, findings
from antemill.engine.rules.legality import registry
from antemill.engine.rules.named import JACK, KING, NAMED, QUEEN, kuhn, leduc
from antemill.engine.rules.spec import (
    ActionRound,
    AddToVariable,
    All,
    Announce,
    Ante,
    AnyOf,
    Auction,
    BettingLoop,
    BoardHasRank,
    Cell,
    ChipsAre,
    Condition,
    Cost,
    Deal,
    Deck,
    DeckSizeIs,
    Draw,
    EndGame,
    FixedBetting,
    GameSpec,
    HandSizeIs,
    HasHigherCard,
    HoldsRank,
    HoldsSuit,
    If,
    InProgress,
    Leads,
    NoAction,
    Not,
    Observation,
    Option,
    Peek,
    Perform,
    Phase,
    PotIs,
    Score,
    Showdown,
    Shuffle,
    SideBet,
    Simultaneous,
    Step,
    Steps,
    Transfer,
    VariableBetting,
    VariableIs,
)
from antemill.engine.rules.walk import PLAYER_FIELDS
from tests.specs import every_construct

RICH = PotIs(">", 2)
UNDECIDED = (Steps("Setup", (Shuffle(), Deal(1))), Showdown("End"))


def put(spec: GameSpec, *phases: Phase, main: bool = True) -> GameSpec:
    """The spec with these phases: in place of those with their names, else new (before the showdown if `main`)."""
    named = {phase.name: phase for phase in phases}
    new = tuple(phase for phase in phases if phase.name not in {old.name for old in spec.phases})
    old = tuple(named.get(phase.name, phase) for phase in spec.phases)
    added = tuple(phase.name for phase in new) if main else ()
    return replace(spec, phases=old + new, sequence=(*spec.sequence[:-1], *added, spec.sequence[-1]))


def steps(*added: Step, spec: GameSpec | None = None) -> GameSpec:
    """Kuhn poker (or `spec`) with a phase of these steps before the showdown."""
    return put(spec or kuhn(), Steps("Events", added))


@pytest.fixture(autouse=True)
def python_s_own_recursion_limit() -> Iterator[None]:
    """Libraries that other tests use raise it; how deep a spec may be nested depends on it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(before)


def deciding(condition: Condition) -> GameSpec:
    """Kuhn poker with a condition before the showdown."""
    return steps(If(condition, (NoAction(),)))


def menu(*options: Option, public: bool = True) -> GameSpec:
    return put(kuhn(), ActionRound("Menu", "alice", options, public=public))


def duel(*cells: Cell, others: tuple[Step, ...] = (), bob: tuple[str, ...] = ("hold", "parry")) -> GameSpec:
    return put(kuhn(), Simultaneous("Duel", ("hold", "parry"), bob, cells, others))


def loop(**changes: Any) -> GameSpec:
    """Leduc poker with a changed betting loop."""
    found = leduc().phase("Betting")
    assert isinstance(found, BettingLoop)
    return put(leduc(), replace(found, **changes))


def nested(depth: int) -> GameSpec:
    step: Step = NoAction()
    for _ in range(depth):
        step = If(RICH, (step,))
    return steps(step)


def alternating(depth: int) -> Condition:
    condition: Condition = RICH
    for level in range(depth):
        condition = All((condition,)) if level % 2 else AnyOf((condition,))
    return condition


def chain(length: int, fan: int = 1) -> GameSpec:
    """Phases that each perform the next one `fan` times."""
    links = [Steps(f"Link {n}", (Perform(f"Link {n + 1}"),) * fan) for n in range(1, length)]
    last = Steps(f"Link {length}", (NoAction(),))
    return steps(Perform("Link 1"), spec=put(kuhn(), *links, last, main=False))


def calls(levels: int) -> GameSpec:
    """Two calls a level: rounds with two picks that perform the next one, which the sequence names as well."""
    rounds: list[Phase] = []
    for n in range(1, levels + 1):
        deeper = (Perform(f"Round {n + 1}"),) if n < levels else (NoAction(),)
        rounds.append(ActionRound(f"Round {n}", "alice", (Option("deeper", deeper), Option("stay")), picks=2))
    spec = put(kuhn(), *rounds)
    return replace(spec, sequence=("Setup", "Round 1", *spec.sequence[1:]))


def many(count: int, make: Callable[[int], Phase]) -> GameSpec:
    return put(kuhn(), *(make(n) for n in range(count)))


def opening(*first: Step, chips: int = 2) -> GameSpec:
    return replace(put(kuhn(), Steps("Setup", first)), chips=chips)


def prize(given: Any) -> GameSpec:
    return put(kuhn(), Auction("Sale", 2, given))


def observe(subject: Any, signal: Any) -> GameSpec:
    return put(kuhn(), Observation("Look", "alice", subject, signal))


class Broken(NamedTuple):
    """A spec that breaks one rule, and part of the sentence about it."""

    rule: str
    spec: GameSpec
    sentence: str
    also: tuple[str, ...] = ()  # other rules that the same change breaks


TO_BOB = Transfer("alice", "bob", 1)
FREE = Option("wait")

BROKEN = [
    # values and sizes
    Broken("malformed", steps(Deal(0)), "Phase 'Events': a value has the wrong type or range"),
    Broken("malformed", steps(Peek("carol")), "Invalid enum value 'carol'"),  # type: ignore[arg-type]
    Broken("malformed", replace(kuhn(), chips=0), "The game: a value has the wrong type or range"),
    Broken("nesting", nested(2000), "nested too deeply"),
    Broken("too_many_phases", many(245, lambda n: Steps(f"P{n}", (NoAction(),))), "has 252 phases"),
    Broken("too_many_phases", many(32, lambda n: VariableBetting(f"V{n}", "bob")), "has 263 phases"),
    Broken("counts_bounded", steps(*[If(RICH, (TO_BOB,))] * 251), "The game has 251 conditionals, at most 250"),
    Broken(
        "counts_bounded", many(9, lambda n: SideBet(f"B{n}", "bob", 1, RICH)), "The game has 9 side bets, at most 8"
    ),
    # deck and names
    Broken("deck_ranks", replace(kuhn(), deck=Deck((KING, JACK), ("hearts",))), "Deck: the ranks must ascend"),
    Broken("deck_ranks", replace(kuhn(), deck=Deck((JACK, JACK), ("hearts",))), "each named once"),
    Broken("deck_suits", replace(kuhn(), deck=Deck((1, 2), ("hearts", "hearts"))), "every suit needs a printable name"),
    Broken("deck_suits", replace(kuhn(), deck=Deck((1, 2, 3), ("",))), "every suit needs a printable name"),
    Broken("game_names", replace(kuhn(), name="Kuhn\npoker"), "must be printable, in one line"),
    Broken("phase_name_plain", put(kuhn(), Steps(" Events", (NoAction(),))), "Phase ' Events': its name must be"),
    Broken(
        "phase_names_unique",
        replace(kuhn(), phases=(*kuhn().phases, kuhn().phases[1])),
        "Several phases are called 'Ante', counting the decisions of betting rounds; rename them.",
    ),
    Broken(
        "phase_names_unique",
        put(kuhn(), Steps("Betting: fold or call", (NoAction(),))),
        "Several phases are called 'Betting: fold or call'",
    ),
    Broken("variables_used", replace(kuhn(), variables=("x",)), "Variables: nothing uses 'x'; remove it."),
    Broken("variables_used", replace(leduc(), variables=("bet round",) * 2), "'bet round' is declared more than once"),
    # the phase graph
    Broken(
        "sequence_known",
        replace(kuhn(), sequence=("Setup", "Ante", "Nowhere", "Showdown")),
        "there is no phase 'Nowhere'",
        ("reachable",),
    ),
    Broken("one_showdown", replace(kuhn(), sequence=("Setup", "Ante", "Showdown", "Betting")), "must end with a show"),
    Broken("one_showdown", put(kuhn(), Showdown("Another")), "and hold no other"),
    Broken("acyclic", steps(Perform("Events")), "Phase 'Events' ends up performing itself; break the cycle."),
    Broken(
        "acyclic",
        put(put(kuhn(), Steps("A", (Perform("B"),))), Steps("B", (If(RICH, (Perform("A"),)),)), main=False),
        "Phase 'A' ends up performing itself",
    ),
    Broken("reachable", put(kuhn(), Steps("Lost", (NoAction(),)), main=False), "Phase 'Lost' is never reached"),
    Broken("depth_bounded", chain(12), "Phase 'Events' performs phases more than 12 deep"),
    Broken("depth_bounded", calls(9), "Phase 'Round 1' has more than 16 calls active at the same time"),
    Broken("has_decision", replace(kuhn(), phases=UNDECIDED, sequence=("Setup", "End")), "No player ever decides"),
    Broken("play_bounded", chain(5, fan=12), "at most 20000 are allowed"),
    Broken("performs_known", steps(Perform("Nowhere")), "Phase 'Events': it performs 'Nowhere', which is no phase"),
    Broken("performs_known", steps(Perform("Showdown")), "it performs the showdown 'Showdown', which only the seq"),
    # the opening
    Broken("shuffled_first", opening(Deal(1)), "a card leaves the deck before it is shuffled; begin the first phase"),
    Broken("shuffled_first", opening(Deal(1), Shuffle()), "a card leaves the deck before it is shuffled"),
    Broken("shuffled_first", opening(If(RICH, (Shuffle(),)), Deal(1)), "not shuffled at the very beginning"),
    Broken("deck_suffices", opening(Shuffle(), Deal(2)), "Deck: 4 cards are dealt before the first choice, but there"),
    Broken("ante_affordable", steps(Ante("bob", 3)), "the ante of 3 exceeds the starting chips (2)"),
    Broken("antes_affordable", put(kuhn(), Steps("Ante", (Ante("both", 1), Ante("bob", 2)))), "come to 3"),
    Broken("antes_affordable", put(kuhn(), Steps("Ante", (Ante("both", 2),))), "nothing to bet with"),
    Broken("antes_affordable", loop(stop_at=12), "Phase 'Betting': it never plays a round, as the antes leave 12"),
    # ends
    Broken("later_phases_played", steps(Announce("Over."), EndGame()), "Phase 'Events' always ends the game"),
    Broken(
        "later_phases_played",
        put(steps(Perform("Sub")), Steps("Sub", (If(RICH, (EndGame(),), (EndGame("bob"),)),)), main=False),
        "Phase 'Events' always ends the game",
    ),
    Broken("no_dead_steps", steps(If(RICH, (EndGame(), TO_BOB))), "steps after the certain end of the game"),
    Broken(
        "no_dead_steps",
        menu(FREE, Option("end", (If(RICH, (EndGame(),), (EndGame("bob"),)), TO_BOB))),
        "Phase 'Menu': steps after the certain end",
    ),
    # players
    Broken("winner_only_in_prize", steps(Peek("winner")), "'winner' exists only in the prize of an auction"),
    Broken("winner_only_in_prize", deciding(HasHigherCard("loser")), "'loser' exists only in the prize"),
    Broken("winner_only_in_prize", put(kuhn(), FixedBetting("More", "winner", 1)), "Phase 'More': 'winner' exists"),
    Broken("transfer_moves", steps(Transfer("loser", "pot", 1)), "exist only in the prize of an auction"),
    Broken("transfer_moves", steps(Transfer("pot", "pot", 1)), "a transfer from 'pot' to itself does nothing"),
    # betting loops
    Broken("counter_owned", replace(leduc(), variables=()), "its counter 'bet round' is not among the game's"),
    Broken(
        "counter_owned",
        put(leduc(), BettingLoop("Again", "bet round", 1, 0, ("First round",))),
        "Phase 'Betting': its counter 'bet round' also counts another loop",
    ),
    Broken("rounds_are_betting", loop(rounds=("First round", "Second round", "Ante"), cap=3), "'Ante' is not."),
    Broken("rounds_are_betting", loop(rounds=("First round", "Second round", "X"), cap=3), "of this game, 'X' is not."),
    Broken("loop_plays_all", loop(stop_at=13), "stop_at is not below the starting chips (13)"),
    Broken("loop_plays_all", loop(cap=1, between=()), "it names 2 rounds but plays at most 1", ("board_exists",)),
    # menus
    Broken("options_distinct", menu(FREE, Option("Wait")), "several options are called 'wait'"),
    Broken("options_distinct", menu(FREE, Option("a\tb")), "must be printable, in one line"),
    Broken("choices_distinct", duel(bob=("hold", "Hold")), "Phase 'Duel': several options are called 'hold'"),
    Broken("always_an_option", menu(Option("buy", cost=Cost(1))), "every option has a stated cost"),
    Broken("costs_sensible", menu(FREE, Option("a", cost=Cost(1, (2, 2)))), "k in n with 0 < k < n <= 10"),
    Broken("costs_sensible", menu(FREE, Option("a", cost=Cost(1, (1, 11)))), "the odds of option 'a'"),
    Broken(
        "private_menu_performs_nothing",
        put(menu(FREE, Option("a", (Perform("Sub"),)), public=False), Steps("Sub", (TO_BOB,)), main=False),
        "a private choice must not perform a phase",
    ),
    Broken("cells_sensible", duel(Cell("hold", "run", ())), "there are cells for 'hold/run'"),
    Broken("cells_sensible", duel(Cell("hold", "hold", ()), Cell("hold", "hold", (TO_BOB,))), "several cells for"),
    # templates
    Broken("prize_sensible", prize(Draw("alice")), "the prize must go to 'winner', not to 'alice'"),
    Broken("prize_sensible", prize(Draw("both")), "the prize must go to 'winner', not to 'both'"),
    Broken("signal_fits", observe("opponent-hand", "suit"), "must be top-rank or size, not suit"),
    Broken("signal_fits", observe("deck-card", "size"), "must be card or suit, not size"),
    Broken("wager_sensible", put(kuhn(), SideBet("Bet", "bob", 5, RICH)), "no player can ever take a wager of 5"),
    Broken("wager_sensible", put(kuhn(), SideBet("Bet", "bob", 1, AnyOf((RICH, InProgress())))), "which is certain at"),
    Broken("board_exists", put(kuhn(), Showdown("Showdown", board=True)), "it reads the board, but nothing is dealt"),
    # steps
    Broken("text_plain", steps(Announce("one\ntwo")), "an announcement must be printable"),
    Broken("change_sensible", steps(AddToVariable("x", 1)), "the variable 'x' is not declared"),
    Broken("change_sensible", steps(AddToVariable("bet round", 1), spec=leduc()), "is the counter of a betting loop"),
    Broken("if_sensible", steps(If(RICH, ())), "both branches of a conditional are empty"),
    Broken("if_sensible", steps(If(InProgress(), (TO_BOB,), (TO_BOB,))), "the other branch is dead"),
    Broken(
        "private_if_performs_nothing",
        steps(If(RICH, (If(RICH, (), (Perform("Ante"),)),), public=False)),
        "a private conditional must not perform a phase",
    ),
    # conditions
    Broken("chips_comparable", deciding(PotIs(">", 4)), "'> 4' never holds for a number from 0 to 4"),
    Broken("chips_comparable", deciding(ChipsAre("bob", ">=", 0)), "'>= 0' always holds"),
    Broken("cards_comparable", deciding(DeckSizeIs("==", 4)), "'== 4' never holds for a number from 0 to 3"),
    Broken("cards_comparable", deciding(HandSizeIs("bob", "<", 0)), "'< 0' never holds"),
    Broken("variable_comparable", deciding(VariableIs("x", ">", 0)), "the variable 'x' is not declared"),
    Broken(
        "variable_comparable",
        replace(deciding(VariableIs("heat", ">", 0)), variables=("heat",)),
        "a comparison of 'heat' is settled beforehand, '> 0' never holds for a number from 0 to 0",
    ),
    Broken(
        "variable_comparable",
        steps(If(VariableIs("bet round", "<=", 2), (TO_BOB,)), spec=leduc()),
        "'<= 2' always holds for a number from 0 to 2",
    ),
    Broken("ranks_exist", deciding(HoldsRank("bob", (QUEEN, 14))), "names the ranks '14', which are not in the deck"),
    Broken("ranks_exist", deciding(HoldsRank("bob", (QUEEN, QUEEN))), "names a rank twice"),
    Broken("board_dealt", deciding(BoardHasRank((QUEEN,))), "reads the board, but nothing is dealt there"),
    Broken("suit_exists", deciding(HoldsSuit("bob", "clubs")), "the suit 'clubs', which is not in the deck"),
    Broken("positions_assigned", deciding(Leads("bob")), "no phase assigns positions"),
    Broken("negation_sensible", deciding(Not(Not(RICH))), "negated twice"),
    Broken("negation_sensible", deciding(Not(InProgress())), "that the game has ended never holds"),
    Broken("condition_shallow", deciding(alternating(8)), "nested more than 8 deep"),
    Broken("condition_shallow", put(kuhn(), SideBet("Bet", "bob", 1, alternating(9))), "Phase 'Bet': a condition is"),
]


@pytest.mark.parametrize("broken", BROKEN, ids=[f"{n}-{broken.rule}" for n, broken in enumerate(BROKEN)])
def test_broken_spec_is_refused(broken: Broken) -> None:
    found = findings(broken.spec)
    assert {finding.rule for finding in found} == {broken.rule, *broken.also}
    assert any(broken.sentence in finding.sentence for finding in found), found
    assert check(broken.spec) == [finding.sentence for finding in found]


def test_every_rule_is_broken_somewhere() -> None:
    rules = {rule.__name__ for listed in registry.RULES.values() for rule in listed}
    rules |= {rule.__name__ for rule in checker.BASIC_RULES} | {"nesting"}
    assert len(rules) > 40
    assert {broken.rule for broken in BROKEN} == rules


LEGAL = {
    **{name: make() for name, make in NAMED.items()},
    "every construct": every_construct(),
    "deepest ifs": nested(16),
    "deepest condition": deciding(alternating(7)),
    "deepest chain": chain(11),
    "most side bets": many(8, lambda n: SideBet(f"B{n}", "bob", 1, RICH)),
    "most conditionals": steps(*[If(RICH, (TO_BOB,))] * 250),
    "most phases": many(243, lambda n: Steps(f"P{n}", (NoAction(),))),
    "no shuffle, no cards": opening(NoAction()),
    "whole deck dealt": opening(Shuffle(), Deal(1), Draw("bob")),
    "a pair without a cell": duel(Cell("hold", "hold", (TO_BOB,))),
    "others for one pair": duel(Cell("hold", "hold", ()), others=(TO_BOB,)),
    "end in one branch": steps(If(RICH, (EndGame(),)), TO_BOB),
    "a main phase twice": replace(kuhn(), sequence=("Setup", "Ante", "Betting", "Betting", "Showdown")),
    "the counter's last value": steps(If(VariableIs("bet round", "==", 2), (TO_BOB,)), spec=leduc()),
    "an empty branch": steps(If(RICH, (), (TO_BOB,))),
    "most calls": calls(8),
    "a public if performs": put(steps(If(RICH, (Perform("Sub"),))), Steps("Sub", (Score("bob", 1),)), main=False),
}


@pytest.mark.parametrize("name", LEGAL)
def test_legal_spec_passes(name: str) -> None:
    assert check(LEGAL[name]) == []


@pytest.mark.parametrize("depth", [450, 5000])
def test_absurd_nesting_is_refused_and_does_not_crash(depth: int) -> None:
    assert check(nested(depth))
    assert check(deciding(alternating(depth)))


def test_every_field_that_names_a_player_is_watched() -> None:
    """A new node with a player must not escape the rule on "winner" and "loser"."""
    kinds = [*get_args(Phase), *get_args(Step), *get_args(Condition)]
    named = [kind for kind in kinds if any("winner" in repr(hint) for hint in get_type_hints(kind).values())]
    assert set(named) == {*registry.ACTORS, Transfer}
    assert {field for kind in named for field in PLAYER_FIELDS[kind]} == {
        *("player", "opener", "viewer", "winner", "source", "target")
    }
