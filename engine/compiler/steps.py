"""Steps and phases to instructions (the compiler's upper half). The rules are those of `engine.rules.spec`, word for
word.

A phase that is referred to once is laid out in place; one that is referred to several times becomes a subroutine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.compiler.assembler import Assembler, Label
from engine.compiler.conditions import SEAT_OPERANDS, lower_condition
from engine.errors import SpecError
from engine.machine.events import Chance, ChipReason
from engine.machine.opcodes import Op, Sight, Tell
from engine.rules import spec as rules
from engine.rules.limits import MAX_SIDE_BETS, MAX_VARIABLES
from engine.rules.walk import reads_hidden, survey, uses

_SIGHTS: Final = {"public": Sight.PUBLIC, "occurrence": Sight.OCCURRENCE, "private": Sight.PRIVATE}
_DRAW_TELLS: Final = {"public": Tell.DRAW_PUBLIC, "occurrence": Tell.DRAW_OCCURRENCE, "private": Tell.DRAW_PRIVATE}
_DISCARDS: Final = {"random": 0, "lowest": 1, "highest": 2}
_REVEALS: Final = {"random": 0, "highest": 1, "all": 2}
_NOTHING_TO_REVEAL: Final = 3
# Looked up once: these, with jumps and tests, are most of the instructions (`engine.compiler.assembler`).
_OUTCOME: Final = Op.OUTCOME
_PHASE: Final = Op.PHASE
_TAKE: Final = Op.TAKE
_PICK: Final = Op.PICK
_PAY: Final = Op.PAY


def operands(player: str) -> tuple[int, ...]:
    """Seat operands of a player reference; "both" is Alice, then Bob."""
    return (0, 1) if player == "both" else (SEAT_OPERANDS[player],)


def sight(visibility: str) -> int:
    """A visibility as an operand."""
    return int(_SIGHTS[visibility])


class Lowering:
    """Emits a spec's code into an assembler. `phase_handlers` lower the phase kinds (`engine.compiler.phases`)."""

    def __init__(self, spec: rules.GameSpec, phase_handlers: Mapping[type, Callable[[Lowering, Any], None]]) -> None:
        self.spec = spec
        self.phase_handlers = phase_handlers
        self.number = {phase.name: i for i, phase in enumerate(spec.phases)}
        self.asm = Assembler(self.number, spec.variables)
        self.by_name: dict[str, rules.Phase] = {phase.name: phase for phase in spec.phases}
        self.survey = survey(spec)
        self.side_bets = [phase for phase in spec.phases if type(phase) is rules.SideBet]
        if len(self.side_bets) > MAX_SIDE_BETS or len(spec.variables) > MAX_VARIABLES:
            raise SpecError(
                f"game '{spec.name}' has {len(self.side_bets)} side bets and {len(spec.variables)} variables; "
                f"the machine takes {MAX_SIDE_BETS} and {MAX_VARIABLES}"
            )
        self._first_conditional = self._number_conditionals()
        self._next_conditional = 0
        self._uses = uses(spec, self.survey.played)
        self._subroutines: dict[str, Label] = {}

    def _number_conditionals(self) -> list[int]:
        """Per phase the number of its first conditional."""
        first = [0] * (len(self.spec.phases) + 1)
        for conditional in self.survey.conditionals:
            first[conditional.phase + 1] += 1
        for i in range(len(self.spec.phases)):
            first[i + 1] += first[i]
        return first

    # phases

    def perform(self, name: str) -> None:
        """Play a phase here: in place if this is its only use, else through a subroutine."""
        if self._uses[name] == 1:
            self.inline(self.by_name[name])
        else:
            self.asm.emit(Op.CALL, self._subroutine(name))

    def _subroutine(self, name: str) -> Label:
        if name not in self._subroutines:
            self._subroutines[name] = self.asm.label()
        return self._subroutines[name]

    def inline(self, phase: rules.Phase) -> None:
        """Lower a phase in place. Each phase is lowered once, so its conditionals get their numbers once."""
        number = self.number[phase.name]
        outer, self._next_conditional = self._next_conditional, self._first_conditional[number]
        self.asm.emit(_PHASE, number, number)
        self.phase_handlers[type(phase)](self, phase)
        assert self._next_conditional == self._first_conditional[number + 1], "conditionals are numbered as walked"
        self._next_conditional = outer

    def lower_subroutines(self) -> None:
        """Lower the phases that were called, and those that they call."""
        done: set[str] = set()
        while pending := [name for name in self._subroutines if name not in done]:
            for name in pending:
                self.asm.place(self._subroutines[name])
                self.inline(self.by_name[name])
                self.asm.emit(Op.RETURN)
                done.add(name)

    # conditionals

    def branch(
        self,
        condition: Callable[[Label], None],
        then: Callable[[], None],
        otherwise: Callable[[], None] | None,
        public: bool,
        hidden: bool,
    ) -> None:
        """A numbered conditional: both outcomes are counted, and told if the check is public."""
        number = self._next_conditional
        self._next_conditional += 1
        fails, end = self.asm.label(), self.asm.label()
        condition(fails)
        self.asm.emit(_OUTCOME, 2 * number, int(public), int(hidden))
        then()
        self.asm.jump(end)
        self.asm.place(fails)
        self.asm.emit(_OUTCOME, 2 * number + 1, int(public), int(hidden))
        if otherwise is not None:
            otherwise()
        self.asm.place(end)

    def branch_on(
        self,
        condition: rules.Condition,
        public: bool,
        then: Callable[[], None],
        otherwise: Callable[[], None] | None = None,
    ) -> None:
        """A numbered conditional on a condition of the spec."""
        self.branch(
            lambda fails: lower_condition(self.asm, self.spec.deck, condition, fails),
            then,
            otherwise,
            public,
            reads_hidden(condition),
        )

    # steps

    def steps(self, steps: tuple[rules.Step, ...]) -> None:
        """Lower a list of steps."""
        for step in steps:
            STEP_HANDLERS[type(step)](self, step)

    def pay(self, source: int, target: int, amount: int, reason: ChipReason) -> None:
        """Move chips between accounts."""
        self.asm.emit(_PAY, source, target, amount, int(reason))

    def take_cards(self, seat: int, count: int, tell: Tell) -> None:
        """Deck cards to a hand, as many as there are, told as one event."""
        empty = self.asm.label()
        for i in range(count):
            self.asm.emit(_PICK, empty)
            self.asm.emit(_TAKE, seat, int(tell) if i == count - 1 else 0, 1)
        self.asm.place(empty)
        self.asm.emit(_TAKE, seat, int(tell), 0)


def _deal(self: Lowering, step: rules.Deal) -> None:
    for seat in operands(step.player):
        self.take_cards(seat, step.count, Tell.DEAL)


def _draw(self: Lowering, step: rules.Draw) -> None:
    for seat in operands(step.player):
        self.take_cards(seat, step.count, _DRAW_TELLS[step.visibility])


def _deal_board(self: Lowering, step: rules.DealBoard) -> None:
    empty = self.asm.label()
    for i in range(step.count):
        self.asm.emit(_PICK, empty)
        self.asm.emit(Op.TURN, int(i == step.count - 1), 1)
    self.asm.place(empty)
    self.asm.emit(Op.TURN, 1, 0)


def _discard(self: Lowering, step: rules.Discard) -> None:
    seat, empty = SEAT_OPERANDS[step.player], self.asm.label()
    if step.which == "random":
        self.asm.emit(Op.ASK_HAND, int(Chance.DISCARD), seat, 0, empty)
    self.asm.emit(Op.DISCARD, seat, _DISCARDS[step.which], int(step.face_up))
    self.asm.place(empty)


def _ante(self: Lowering, step: rules.Ante) -> None:
    for seat in operands(step.player):
        self.pay(seat, SEAT_OPERANDS["pot"], step.amount, ChipReason.ANTE)


def _transfer(self: Lowering, step: rules.Transfer) -> None:
    self.pay(SEAT_OPERANDS[step.source], SEAT_OPERANDS[step.target], step.amount, ChipReason.TRANSFER)


def _peek(self: Lowering, step: rules.Peek) -> None:
    seat, empty = SEAT_OPERANDS[step.player], self.asm.label()
    self.asm.emit(Op.ASK_HAND, int(Chance.PEEK), seat, 1, empty)
    self.asm.emit(Op.PEEK, seat, sight(step.visibility), 1)
    self.asm.place(empty)
    self.asm.emit(Op.PEEK, seat, sight(step.visibility), 0)


def _swap(self: Lowering, step: rules.Swap) -> None:
    seat, empty = SEAT_OPERANDS[step.player], self.asm.label()
    self.asm.emit(Op.ASK_SWAP, seat, empty)
    self.asm.emit(Op.HOLD, seat)
    self.asm.emit(Op.SWAP, seat, 1)
    self.asm.place(empty)
    self.asm.emit(Op.SWAP, seat, 0)


def _steal(self: Lowering, step: rules.Steal) -> None:
    seat, empty = SEAT_OPERANDS[step.player], self.asm.label()
    self.asm.emit(Op.ASK_HAND, int(Chance.STEAL), seat, 1, empty)
    self.asm.emit(Op.STEAL, seat, 1)
    self.asm.place(empty)
    self.asm.emit(Op.STEAL, seat, 0)


def _reveal(self: Lowering, step: rules.Reveal) -> None:
    seat, empty = SEAT_OPERANDS[step.player], self.asm.label()
    if step.which != "random":
        self.asm.emit(Op.REVEAL, seat, _REVEALS[step.which])
        return
    self.asm.emit(Op.ASK_HAND, int(Chance.REVEAL), seat, 0, empty)
    self.asm.emit(Op.REVEAL, seat, 0)
    self.asm.place(empty)
    self.asm.emit(Op.REVEAL, seat, _NOTHING_TO_REVEAL)


def _if(self: Lowering, step: rules.If) -> None:
    self.branch_on(step.condition, step.public, lambda: self.steps(step.then), lambda: self.steps(step.otherwise))


def _end_game(self: Lowering, step: rules.EndGame) -> None:
    if step.winner is None:
        self.asm.emit(Op.SPLIT)
        self.asm.emit(Op.ODD)
    else:
        self.asm.emit(Op.WIN, SEAT_OPERANDS[step.winner])


STEP_HANDLERS: Final[dict[type, Callable[[Lowering, Any], None]]] = {
    rules.Shuffle: lambda self, step: self.asm.emit(Op.SHUFFLE, int(step.discard_pile)),
    rules.Deal: _deal,
    rules.DealBoard: _deal_board,
    rules.Draw: _draw,
    rules.Discard: _discard,
    rules.Ante: _ante,
    rules.Transfer: _transfer,
    rules.TakePot: lambda self, step: self.asm.emit(Op.TAKE_POT, SEAT_OPERANDS[step.player]),
    rules.Score: lambda self, step: self.asm.emit(Op.SCORE, SEAT_OPERANDS[step.player], step.amount),
    rules.Peek: _peek,
    rules.Swap: _swap,
    rules.Steal: _steal,
    rules.Reveal: _reveal,
    rules.Announce: lambda self, step: self.asm.emit(Op.ANNOUNCE, self.asm.text(step.text)),
    rules.AddToVariable: lambda self, step: self.asm.emit(Op.ADD, self.asm.variables[step.variable], step.amount),
    rules.If: _if,
    rules.Perform: lambda self, step: self.perform(step.phase),
    rules.EndGame: _end_game,
    rules.NoAction: lambda _self, _step: None,
}
