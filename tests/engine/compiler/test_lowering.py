"""Programs from tables of rules: what has no bounds, what the two have in common, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import SpecError
from antemill.engine.machine.opcodes import WIDTH, Op
from antemill.engine.rules.named import kuhn
from antemill.engine.rules.spec import (
    ActionRound,
    AddToVariable,
    Announce,
    AnyOf,
    BettingLoop,
    Condition,
    Deal,
    EndGame,
    FixedBetting,
    GameSpec,
    HoldsSuit,
    If,
    InProgress,
    Leads,
    NoAction,
    Not,
    Option,
    Perform,
    PotIs,
    SideBet,
    Step,
    Steps,
    VariableIs,
)


def with_first(phase: Any, *others: Any, **fields: Any) -> GameSpec:
    """Kuhn poker with a phase more at the beginning, and others that it may play."""
    spec = kuhn()
    return replace(spec, phases=(phase, *others, *spec.phases), sequence=(phase.name, *spec.sequence), **fields)


def listing(spec: GameSpec) -> list[tuple[Op, list[int]]]:
    """The instructions of Kuhn poker's additional phase, before Kuhn poker begins."""
    program = compile_spec(spec)
    found = [(Op(row[0]), row[1:]) for row in program.code[: program.rows * WIDTH].reshape(-1, WIDTH).tolist()]
    place = program.names.phases.index(kuhn().phases[0].name)
    return found[: found.index((Op.PHASE, [place, place, 0, 0, 0, 0, 0]))]


def steps_of(*steps: Step) -> list[tuple[Op, list[int]]]:
    return listing(with_first(Steps("First", steps)))[1:]


def test_the_room_grows_with_the_program() -> None:
    """Many times as many instructions as there are rows of rules."""
    deals, code = 200, steps_of(*[Deal(60, "bob")] * 200)
    assert len(code) == deals * 121
    for deal in range(deals):
        start = 1 + deal * 121  # the first row announces the phase
        part = code[deal * 121 : deal * 121 + 121]
        assert [op for op, _ in part] == [Op.PICK, Op.TAKE] * 60 + [Op.TAKE]
        assert {row[0] for op, row in part if op == Op.PICK} == {start + 120}
        assert [row[1] for op, row in part if op == Op.TAKE] == [0] * 59 + [1, 1]


def test_a_round_opened_by_a_position_has_decision_types_for_both_seats() -> None:
    """The opener's line and the other's share the types after a raise, in which either seat may be the one asked."""
    names = compile_spec(with_first(FixedBetting("First", "follower", 1, raises=2))).names
    asked = [(d.seat, d.phase.removeprefix("First"), d.move_name) for d in names.decisions if d.phase[:5] == "First"]
    assert asked == [
        (seat, suffix, move)
        for suffix, move in (
            ("", "bet/check"),
            (": fold or call", "fold/call/raise"),
            (": raise 1", "fold/call/raise"),
            (": raise 2", "fold/call"),
            (": bet or check", "bet/check"),
            (": fold or call, responding", "fold/call/raise"),
        )
        for seat in (0, 1)
    ]


def test_a_phase_that_is_named_once_is_laid_out_in_place_and_any_other_is_called() -> None:
    inner, outer = Steps("Inner", (NoAction(),)), Steps("Outer", (Perform("Inner"), Perform("Inner")))
    once = replace(outer, steps=(Perform("Inner"),))
    assert [op for op, _ in listing(with_first(once, inner))] == [Op.PHASE, Op.PHASE]
    program = compile_spec(with_first(outer, inner))
    code = program.code[: program.rows * WIDTH].reshape(-1, WIDTH)
    assert code[:3, 0].tolist() == [Op.PHASE, Op.CALL, Op.CALL]
    assert code[1, 1] == code[2, 1]
    assert code[code[1, 1] :, 0].tolist() == [Op.PHASE, Op.RETURN]


def test_parts_of_conditions_jump_as_they_should() -> None:
    """Of two one is enough; then neither. The numbers are rows."""
    either: Condition = AnyOf((PotIs("==", 1), PotIs(">", 5)))
    code = steps_of(If(either, (EndGame("bob"),)))
    tests = [(number, row) for number, (op, row) in enumerate(code) if op == Op.TEST]
    (first, one), (second, other) = tests
    start = 1  # the row that announces the phase
    assert one[2:4] == [1, 1]
    assert other[2:4] == [6, 2**31 - 1]
    assert one[4] == start + second
    assert code[first + 1] == (Op.JUMP, [start + second + 1, *[0] * 6])
    assert code[other[4] - start][0] == Op.OUTCOME
    negated = steps_of(If(Not(either), (EndGame("bob"),)))
    ops = [op for op, _ in code]
    assert [op for op, _ in negated] == [*ops[:3], Op.JUMP, *ops[3:]]


def test_a_check_is_a_signal_if_any_part_of_its_condition_reads_a_hand() -> None:
    """Also after a branch with another condition, and the steps within it."""
    shown, hidden = PotIs("==", 1), AnyOf((InProgress(), Not(HoldsSuit("bob", kuhn().deck.suits[0]))))
    code = steps_of(If(hidden, (If(shown, (NoAction(),)),), (If(shown, (NoAction(),), public=False),)), If(shown, ()))
    told = [tuple(row[:3]) for op, row in code if op == Op.OUTCOME]
    assert told == [(0, 1, 1), (2, 1, 0), (3, 1, 0), (1, 1, 1), (4, 0, 0), (5, 0, 0), (6, 1, 0), (7, 1, 0)]


def many(number: int, make: Any) -> GameSpec:
    """Kuhn poker with so many more phases before it."""
    spec, more = kuhn(), tuple(map(make, range(number)))
    return replace(spec, phases=more + spec.phases, sequence=(*(phase.name for phase in more), *spec.sequence))


CHOICES = Steps("First", tuple([If(PotIs("==", 1), (NoAction(),))] * 257))
REFUSED = {
    "has 9 side bets and 0 variables; the machine takes 8 and 16": many(
        9, lambda number: SideBet(f"Bet {number}", "alice", 1, Leads("bob"))
    ),
    "has 0 side bets and 17 variables; the machine takes": with_first(CHOICES, variables=tuple("abcdefghijklmnopq")),
    "has 267 phases and 0 conditionals; the machine takes 256 and 256": many(
        65, lambda number: FixedBetting(f"Round {number}", "bob", 1)
    ),
    "has 8 phases and 257 conditionals; the machine takes 256 and 256": with_first(CHOICES),
    "no player ever decides anything": replace(kuhn(), phases=(Steps("A", (NoAction(),)),), sequence=("A",)),
}
NOWHERE: dict[str, Any] = {
    "a phase": Steps("First", (Perform("Nowhere"),)),
    "a round": BettingLoop("First", "round", 1, 1, ("Nowhere",)),
    "a counter": BettingLoop("First", "nothing", 1, 1, (kuhn().sequence[0],)),
    "a variable": Steps("First", (AddToVariable("nothing", 1),)),
    "a variable in a condition": Steps("First", (If(VariableIs("nothing", "==", 1), (NoAction(),)),)),
    "a suit": Steps("First", (If(HoldsSuit("bob", "nothing"), (NoAction(),)),)),
    "a suit in an option": ActionRound("First", "bob", (Option("a", (If(HoldsSuit("bob", "no"), ()),)),)),
}


@pytest.mark.parametrize("said", REFUSED)
def test_games_beyond_the_machine_are_refused(said: str) -> None:
    with pytest.raises(SpecError, match=said):
        compile_spec(REFUSED[said])


@pytest.mark.parametrize("what", NOWHERE)
def test_what_is_named_must_be_there(what: str) -> None:
    """`check` would say so in more words; a program is not made, and nothing else is read instead."""
    with pytest.raises(SpecError, match="names a phase, a variable or a suit that it does not have"):
        compile_spec(with_first(NOWHERE[what]))


def test_a_sequence_names_phases_that_are_there() -> None:
    with pytest.raises(SpecError, match="names a phase"):
        compile_spec(replace(kuhn(), sequence=("Nowhere", *kuhn().sequence)))


def test_an_announcement_s_number_is_that_of_its_text_s_first() -> None:
    """Three hundred texts are more than there are buckets for them, and most of them are announced twice."""
    texts = [f"news {i % 300}" for i in range(0, 700, 3)] + [f"news {i % 300}" for i in range(500)]
    spec = with_first(Steps("News", tuple(map(Announce, texts))))
    different = list(dict.fromkeys(texts))
    assert list(compile_spec(spec).names.texts) == different
    announced = [cells[0] for op, cells in listing(spec) if op == Op.ANNOUNCE]
    assert announced == [different.index(text) for text in texts]
