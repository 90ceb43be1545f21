"""Games to measure with: those with names, and the first that the gate accepts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import count, islice

import msgspec

from engine.builder.generate import generate
from engine.compiler.compile import compile_spec
from engine.machine.gate import gate
from engine.machine.program import Program
from engine.rules.named import NAMED
from engine.rules.spec import Deck

_SUITS = ("hearts", "spades", "clubs", "diamonds")


def named(name: str) -> Program:
    """The program of a game with a name."""
    return compile_spec(NAMED[name]())


@cache
def accepted(number: int) -> Sequence[Program]:
    """The first so many accepted games from seed 0 on."""
    programs = ((seed, compile_spec(generate(seed))) for seed in count())
    return tuple(islice((program for seed, program in programs if gate(program, seed).accepted), number))


def bigger_leduc(ranks: int, suits: int) -> Program:
    """Leduc with another deck, suits kept: 6 cards make 9,457 nodes, 12 make 100,993, 20 make 518,721."""
    deck = Deck(ranks=tuple(range(2, 2 + ranks)), suits=_SUITS[:suits])
    return compile_spec(msgspec.structs.replace(NAMED["leduc"](), deck=deck), suited=True)
