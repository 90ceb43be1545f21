"""The fold over the phase graph: parts in order, one of several, several times; each phase once."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from antemill.engine.builder.generate import draw_game
from antemill.engine.rules.constructs import CONSTRUCTS, constructs, constructs_of
from antemill.engine.rules.fold import Fold
from antemill.engine.rules.named import NAMED, kuhn
from antemill.engine.rules.spec import (
    ActionRound,
    Announce,
    Auction,
    BettingLoop,
    Cell,
    Draw,
    FixedBetting,
    GameSpec,
    If,
    Option,
    Perform,
    Phase,
    PotIs,
    Simultaneous,
    Steps,
    from_json,
    to_json,
)
from tests.specs import every_construct


class Ways(Fold[frozenset[str]]):
    """All that may be announced in a play, in the order of the announcements."""

    def __init__(self, spec: GameSpec) -> None:
        super().__init__(spec)
        self.visits: list[str] = []

    def leaf(self, node: object) -> frozenset[str]:
        return frozenset({node.text if isinstance(node, Announce) else ""})

    def then(self, parts: Iterable[frozenset[str]]) -> frozenset[str]:
        found = frozenset({""})
        for part in parts:
            found = frozenset(one + other for one in found for other in part)
        return found

    def either(self, ways: Iterable[frozenset[str]]) -> frozenset[str]:
        return frozenset[str]().union(*ways)

    def visit(self, phase: Phase, inside: frozenset[str]) -> frozenset[str]:
        self.visits.append(phase.name)
        return inside


def told(*phases: Phase, main: int = 1) -> set[str]:
    """What may be announced in a game whose first phases are these; the others are performed."""
    spec = kuhn()
    names = tuple(phase.name for phase in phases[:main])
    whole = replace(spec, phases=(*phases, *spec.phases), sequence=(*names, *spec.sequence))
    fold = Ways(whole)
    found = fold.game()
    assert sorted(fold.visits) == sorted(phase.name for phase in whole.phases)
    return {*found}


def say(text: str) -> Announce:
    return Announce(text)


def test_a_conditional_takes_one_of_its_branches() -> None:
    branch = If(PotIs(">", 1), (say("b"), say("c")), (say("d"),))
    assert told(Steps("S", (say("a"), branch, say("e")))) == {"abce", "ade"}


def test_a_performed_phase_is_in_its_place_each_time() -> None:
    twice = Steps("S", (Perform("T"), say("b"), Perform("T")))
    assert told(twice, Steps("T", (say("a"),))) == {"aba"}


def test_an_action_round_takes_an_option_for_each_pick() -> None:
    options = (Option("x", (say("a"),)), Option("y", (say("b"),)))
    assert told(ActionRound("R", "alice", options, picks=2)) == {"aa", "ab", "ba", "bb"}


def test_a_simultaneous_round_takes_a_cell_or_the_others() -> None:
    cells = (Cell("x", "x", (say("a"),)), Cell("x", "y", (say("b"),)))
    assert told(Simultaneous("R", ("x", "y"), ("x", "y"), cells, (say("c"),))) == {"a", "b", "c"}


def test_a_loop_plays_its_last_round_again_and_steps_between_rounds() -> None:
    loop = BettingLoop("L", "n", 3, 0, ("S", "T"), (say("-"),))
    assert told(loop, Steps("S", (say("a"),)), Steps("T", (say("b"),))) == {"abb--"}


def test_the_prize_of_an_auction_is_a_step() -> None:
    class Draws(Ways):
        def leaf(self, node: object) -> frozenset[str]:
            return frozenset({type(node).__name__ if isinstance(node, Draw | Auction) else ""})

    spec = replace(kuhn(), phases=(Auction("A", 2, Draw("winner")), *kuhn().phases), sequence=("A", "Showdown"))
    assert Draws(spec).game() == {"AuctionDraw"}


def test_a_phase_that_performs_itself_or_is_missing_counts_as_nothing() -> None:
    spec = replace(kuhn(), phases=(Steps("S", (say("a"), Perform("S"), Perform("nowhere"))), *kuhn().phases))
    fold = Ways(replace(spec, sequence=("S", "Showdown")))
    assert fold.game() == {"a"}
    assert fold.cycle == ["S"]
    assert "nowhere" not in fold.known


def test_constructs_are_identifiers_of_kinds_traits_words_and_unusual_values() -> None:
    assert all(name.isidentifier() and name.islower() for name in CONSTRUCTS)
    found = constructs(NAMED["kuhn"]())
    assert found >= {
        "betting",
        "choice",
        "fixed_betting",
        "showdown",
        "showdown_high",
        "deal",
        "ante",
        "steps",
        "shuffle",
    }
    assert not found & {"betting_loop", "fixed_betting_raises", "draw", "showdown_board", "no_action"}
    raised = replace(kuhn(), phases=tuple(_raised(phase) for phase in kuhn().phases))
    assert constructs(raised) - found == {"fixed_betting_raises"}
    assert {"draw_private", "action_round_picks", "observation_trigger", "if_otherwise"} <= constructs(
        every_construct()
    )


def test_a_drawn_table_has_the_constructs_of_its_game() -> None:
    for seed in range(60):
        drawn = draw_game(seed)
        found = {name for name, has in zip(CONSTRUCTS, constructs_of(drawn.table), strict=True) if has}
        assert found == constructs(from_json(to_json(drawn.spec())))


def _raised(phase: Phase) -> Phase:
    return replace(phase, raises=1) if isinstance(phase, FixedBetting) else phase
