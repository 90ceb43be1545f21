"""Games to measure with: those with names, and the first that the gate accepts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import count, islice

import msgspec

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.gate import gate
from antemill.engine.machine.program import Program
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import GameSpec


def named(name: str) -> Program:
    """The program of a game with a name."""
    return compile_spec(NAMED[name]())


@cache
def accepted_specs(number: int) -> Sequence[GameSpec]:
    """The first so many accepted games from seed 0 on."""
    specs = ((seed, generate(seed)) for seed in count())
    return tuple(islice((spec for seed, spec in specs if gate(compile_spec(spec), seed).accepted), number))


@cache
def accepted(number: int) -> Sequence[Program]:
    """Their programs."""
    return tuple(map(compile_spec, accepted_specs(number)))


def bigger_leduc(ranks: int) -> Program:
    """Leduc with more ranks, suits kept: 6 cards make 9,457 nodes, 12 make 100,993, 20 make 518,721."""
    leduc = NAMED["leduc"]()
    deck = msgspec.structs.replace(leduc.deck, ranks=tuple(range(2, 2 + ranks)))
    return compile_spec(msgspec.structs.replace(leduc, deck=deck), suited=True)
