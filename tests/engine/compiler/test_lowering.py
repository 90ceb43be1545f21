"""Programs from tables of rules: where phases lie, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from antemill.engine.builder.generate import draw_game, generate
from antemill.engine.compiler.compile import compile_spec, compile_table
from antemill.engine.errors import SpecError
from antemill.engine.machine.opcodes import WIDTH, Op
from antemill.engine.rules.named import kuhn
from antemill.engine.rules.spec import (
    ActionRound,
    AddToVariable,
    BettingLoop,
    FixedBetting,
    GameSpec,
    HoldsSuit,
    If,
    Leads,
    NoAction,
    Option,
    Perform,
    PotIs,
    SideBet,
    Steps,
    VariableIs,
)
from tests.seeds import size


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


def test_a_phase_that_is_named_once_is_laid_out_in_place_and_any_other_is_called() -> None:
    inner, outer = Steps("Inner", (NoAction(),)), Steps("Outer", (Perform("Inner"), Perform("Inner")))
    once = replace(outer, steps=(Perform("Inner"),))
    assert [op for op, _ in listing(with_first(once, inner))] == [Op.PHASE, Op.PHASE]
    program = compile_spec(with_first(outer, inner))
    code = program.code[: program.rows * WIDTH].reshape(-1, WIDTH)
    assert code[:3, 0].tolist() == [Op.PHASE, Op.CALL, Op.CALL]
    assert code[1, 1] == code[2, 1]
    assert code[code[1, 1] :, 0].tolist() == [Op.PHASE, Op.RETURN]


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


def test_a_drawn_table_gets_the_program_of_its_game() -> None:
    """A pool compiles the table before it has the objects, and makes the names of accepted games alone afterwards."""
    for seed in range(size(60, 400)):
        drawn = draw_game(seed).kept()
        compiled = compile_table(drawn.table, drawn.name)
        spec = drawn.spec()
        assert compiled.program(spec) == compile_spec(spec) == compile_spec(generate(seed))
