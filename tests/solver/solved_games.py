"""Small solved games, for tests of whatever plays or stores policies."""

from __future__ import annotations

import functools

from engine.compiler.compile import compile_spec
from engine.machine.program import Program
from engine.match import Game
from engine.rules.named import NAMED
from solver.policies.solution import SavedPolicy
from solver.solving import Settings, solve_game


@functools.cache
def game(name: str) -> Game:
    """A game that is known by name."""
    return Game(NAMED[name]())


def program(name: str) -> Program:
    """Its program."""
    return game(name).program


@functools.cache
def solved(name: str, abstraction: str = "none", iterations: int = 50) -> SavedPolicy:
    """The policy after so many iterations of CFR+."""
    settings = Settings(algorithm="cfr+", abstraction=abstraction, iterations=iterations, target=0.0)
    return solve_game(compile_spec(NAMED[name]()), settings).saved
