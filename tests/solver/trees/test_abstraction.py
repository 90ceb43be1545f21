"""Abstractions: keys that keep what they should, policies that play the real game (GENSTRAT appendix K, N13)."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine import layout as at
from antemill.engine.machine.events import EVERYONE, Event
from antemill.engine.machine.layout import DECIDE, OVER
from antemill.engine.machine.observe import context_key, info_key
from antemill.engine.machine.program import Program
from antemill.engine.machine.vm import advance, new_state
from antemill.engine.rules.limits import MAX_CARDS
from antemill.engine.rules.named import NAMED, appendix_b
from antemill.engine.rules.spec import GameSpec
from antemill.engine.text.describe import journal
from antemill.solver.trees.abstract_sets import abstract_sets, lift
from antemill.solver.trees.abstraction import Abstraction, abstract_key, menu_word
from tests.solver.games import small

GAMES: dict[str, GameSpec] = {"kuhn": NAMED["kuhn"](), "appendix-b": appendix_b()} | {
    f"seed {seed}": generate(seed, complexity) for seed, complexity in ((3, 0.2), (7, 0.4), (11, 0.8))
}


# ------------------------------------------------------------------------------------------------ keys


def naive_default(program: Program, state: Any) -> tuple[object, ...]:
    """What the default key of the decision at hand must keep, from the journal and the registers."""
    seat, decision = int(state[at.SEAT]), int(state[at.DECISION])
    steps = []
    for kind, actor, x, y, _, _, told, _ in journal(state):
        if kind in (Event.CHOICE, Event.LOCK, Event.REVEALED) and told >> seat & 1:
            steps.append((told == EVERYONE, actor, x, y))
    first = seat * MAX_CARDS
    held = state[at.HANDS + first : at.HANDS + first + int(state[at.HAND_N + seat])].tolist()
    suits = len(program.names.suits)
    hand = sorted(card if program.suited else card // suits for card in held)
    low, mask = int(state[at.MENU_LOW]), int(state[at.MENU_MASK])
    high = max(low, min(low + int(state[at.MENU]) - 1, int(state[at.CHIPS + seat])))
    menu = mask if mask else (low, high)
    chip_bin = int(state[at.CHIPS + seat]) // max(1, program.chips // 5)
    return decision, tuple(hand), tuple(steps), chip_bin, menu


def decisions(program: Program, episodes: int, seed: int) -> list[Any]:
    """Copies of the states at all decisions of random play, of a game."""
    rng, found = random.Random(seed), []
    for _ in range(episodes):
        state = new_state(program.initial_state(), 400)
        what = advance(program.code, state)
        while what != OVER:
            if what == DECIDE:
                found.append(state.copy())
            state[at.CHOICE] = rng.randrange(int(state[at.MENU]))
            what = advance(program.code, state)
    return found


@pytest.mark.parametrize("name", GAMES)
def test_the_default_key_keeps_hand_path_and_chip_bin_and_nothing_else(name: str) -> None:
    """N13: equal keys for equal (decision type, hand, path, chip bin, menu), and only for these."""
    program = compile_spec(GAMES[name])
    keys: dict[tuple[object, ...], int] = {}
    states = decisions(program, 150, 1)
    for state in states:
        seat, decision = int(state[at.SEAT]), int(state[at.DECISION])
        key = int(abstract_key(state, seat, decision, int(Abstraction.DEFAULT)))
        assert keys.setdefault(naive_default(program, state), key) == key
    assert len(set(keys.values())) == len(keys)
    assert len(keys) < len(states)


@pytest.mark.parametrize("name", GAMES)
def test_the_fine_key_is_the_papers_information_state_with_its_menu(name: str) -> None:
    """X2: (dt, hand, action path, chip bin, signals, roles), with every wager as it was."""
    program = compile_spec(GAMES[name])
    pairs, fine = set(), int(Abstraction.FINE)
    for state in decisions(program, 60, 2):
        seat, decision = int(state[at.SEAT]), int(state[at.DECISION])
        info = int(info_key(state, seat, context_key(state, seat, decision)))
        pairs.add(((info, int(menu_word(state))), int(abstract_key(state, seat, decision, fine))))
    assert len({info for info, _ in pairs}) == len({key for _, key in pairs}) == len(pairs)


# ------------------------------------------------------------------------------------------------ trees


@pytest.mark.parametrize("name", ["kuhn", "leduc", "appendix-b"])
def test_no_abstraction_leaves_the_game_as_it_is(name: str) -> None:
    program, tree, both = small(name)
    abstract = abstract_sets(program, tree, Abstraction.NONE)
    for mine, sets, side in zip(abstract, tree.sets, both, strict=True):
        assert np.array_equal(mine.key, sets.key)
        assert np.array_equal(mine.start, sets.start - 1)
        policy = np.random.default_rng(1).random(mine.actions)
        assert np.array_equal(lift(mine, policy)[1:], policy)
        assert side.sequences == mine.actions + 1
