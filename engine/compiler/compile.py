"""GameSpec to Program: the compiler's entry point.

    program = compile_spec(spec)
    compiled = compile_table(table, "a game")
    compiled.code                                without names, for playing and judging
    compiled.program(spec)                       with names

`lowering` turns the table of the rules into instructions, kind by kind (`phases`, `steps`, `conditions`, `choices`),
with `assembler`; all of this is compiled. `names` adds the names. The result is only defined for a spec that
`antemill.engine.rules.check` accepts.
"""

from __future__ import annotations

from typing import NamedTuple

from antemill.engine.compiler import assembler as code
from antemill.engine.compiler.choices import FALLBACK
from antemill.engine.compiler.lowering import lower
from antemill.engine.compiler.names import Lists, lists_of, names_of
from antemill.engine.errors import SpecError
from antemill.engine.machine import layout as at
from antemill.engine.machine.program import NO_DECISION, Code, Outline, Program
from antemill.engine.rules.limits import MAX_SIDE_BETS, MAX_VARIABLES
from antemill.engine.rules.spec import GameSpec
from antemill.engine.rules.table import columns as of
from antemill.engine.rules.table.codec import table_of
from antemill.engine.rules.table.columns import Table


class Compiled(NamedTuple):
    """A compiled table: the code, and the lists from which the names of its program are made."""

    code: Code
    lists: Lists

    def program(self, spec: GameSpec) -> Program:
        """The program of the table's game with its names, as `compile_spec` makes it."""
        code = self.code
        return Program(code.code, code.rows, code.chips, code.suited, names_of(spec, self.lists))


def compile_spec(spec: GameSpec, suited: bool | None = None) -> Program:
    """Compile a legal spec.

    suited: whether keys tell suits apart; None: only if some rule reads suits (X2). Raises SpecError if the game
    exceeds the machine's size, if no player ever decides anything, or if it names something that it does not have.
    """
    return compile_table(table_of(spec), spec.name, suited).program(spec)


def compile_table(table: Table, game: str, suited: bool | None = None) -> Compiled:
    """As `compile_spec`, for a table of rules; names come later, if at all. game: its name in errors."""
    words, lists = lower(table)
    counts = lists.counts.tolist()
    if counts[code.BROKEN]:
        raise SpecError(f"game '{game}' names a phase, a variable or a suit that it does not have.")
    assert not counts[code.ASTRAY], "the compiler knows all kinds, and numbers conditionals as they are walked"
    if counts[code.SIDE_BETS] > MAX_SIDE_BETS or table.variables > MAX_VARIABLES:
        raise SpecError(
            f"game '{game}' has {counts[code.SIDE_BETS]} side bets and {table.variables} variables; "
            f"the machine takes {MAX_SIDE_BETS} and {MAX_VARIABLES}"
        )
    if not counts[code.TYPES]:
        raise SpecError(NO_DECISION.format(game))
    found = lists_of(lists)
    outline = _outline(table, found, counts[code.BRANCHES])
    if outline.phases > 64 * at.PHASE_WORDS or outline.conditionals > 32 * at.BRANCH_WORDS:
        raise SpecError(
            f"game '{game}' has {outline.phases} phases and {outline.conditionals} conditionals; "
            f"the machine takes {64 * at.PHASE_WORDS} and {32 * at.BRANCH_WORDS}"
        )
    suited = bool(counts[code.SUITS]) if suited is None else suited
    ranks = tuple(table.ranks.tolist())
    return Compiled(Code(words, counts[code.CODE], table.chips, suited, ranks, table.suits, outline), found)


def _outline(table: Table, lists: Lists, conditionals: int) -> Outline:
    """The program's outline."""
    own, fallbacks, inside = len(table.phases), 0, 0
    sub_phases = lists.sub_phases.tolist()
    later = [(number, *row) for number, row in enumerate(sub_phases, own) if row[1] >= FALLBACK]
    kinds = table.nodes[table.phases, of.KIND].tolist() if later else []
    for number, place, which in later:
        if kinds[place] != of.VARIABLE_BETTING:
            continue  # an answer to a raise
        if which == FALLBACK:
            fallbacks |= 1 << number
        else:
            inside |= 1 << number
    return Outline(own + len(sub_phases), own, fallbacks, inside, conditionals)
