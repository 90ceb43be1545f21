"""Small solved games, for tests of players and files of policies."""

from __future__ import annotations

import functools

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.program import Program
from antemill.engine.match import Game
from antemill.engine.rules.named import NAMED
from antemill.solver.policies.solution import SavedPolicy
from antemill.solver.solving import Settings, solve_game


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
