"""A state that is copied as far as its piles have cards plays on as the whole one does."""

from __future__ import annotations

import numpy as np
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine import layout as at
from antemill.engine.machine.branches import root_state
from antemill.engine.machine.copies import copy_state
from antemill.engine.machine.layout import OVER
from antemill.engine.machine.program import Program
from antemill.engine.machine.vm import advance
from antemill.engine.rules.limits import MAX_CARDS
from tests.specs import every_construct

PILES = (
    *((at.DECK, at.DECK_N), (at.HANDS, at.HAND_N), (at.HANDS + MAX_CARDS, at.HAND_N + 1)),
    *((at.BOARD, at.BOARD_N), (at.DISCARDS, at.DISCARD_N), (at.CALLS, at.CALL_N)),
)


def same(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether registers, constants, and piles as far as they have cards are equal."""
    piles = all(np.array_equal(one[p : p + one[n]], other[p : p + one[n]]) for p, n in PILES)
    return (
        piles
        and np.array_equal(one[: at.DECK], other[: at.DECK])
        and np.array_equal(one[at.CARD_RANK :], other[at.CARD_RANK :])
    )


def play(program: Program, seed: int) -> set[int]:
    """Play a game at random, and again through copies over a state's remains; returns the piles that were used."""
    rng = np.random.default_rng(seed)
    state, used = root_state(program), set()
    other = state.copy()
    other[: at.CARD_RANK] = rng.integers(0, program.cards, at.CARD_RANK)
    while state[at.STOP] != OVER:
        copy_state(state, other)
        assert same(state, other)
        choice = rng.integers(0, state[at.MENU])
        state[at.CHOICE] = other[at.CHOICE] = choice
        advance(program.code, state)
        advance(program.code, other)
        assert same(state, other)
        used |= {place for place, number in PILES if state[number] > 0}
        other[at.DECK : at.CARD_RANK] = rng.integers(0, program.cards, at.CARD_RANK - at.DECK)
    return used


@pytest.mark.parametrize("seed", range(6))
def test_generated_games(seed: int) -> None:
    for again in range(3):
        play(compile_spec(generate(seed)), again)


def test_every_pile_is_copied() -> None:
    program = compile_spec(every_construct())
    used = set().union(*(play(program, seed) for seed in range(60)))
    assert used == {place for place, _ in PILES}
