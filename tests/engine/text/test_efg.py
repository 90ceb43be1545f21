"""The exported tree, read back."""

from __future__ import annotations

import io

import numpy as np
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.machine import branches
from antemill.engine.machine import layout as at
from antemill.engine.machine.events import Chance, Event
from antemill.engine.machine.layout import CHANCE, OVER
from antemill.engine.machine.program import Program
from antemill.engine.machine.vm import advance, new_state
from antemill.engine.rules.limits import MAX_CARDS
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import (
    ActionRound,
    Ante,
    Deal,
    Deck,
    GameSpec,
    Option,
    Phase,
    Showdown,
    Shuffle,
    Steps,
)
from antemill.engine.text import efg
from antemill.engine.text.describe import journal
from antemill.engine.text.efg import TreeSize, count_nodes, write_efg
from antemill.engine.text.labels import branch_label
from antemill.solver.evaluation.measures import expected_value
from antemill.solver.game import END, NATURE
from antemill.solver.trees.efg import parse_efg
from antemill.solver.trees.sequence_form import sides, uniform_policy
from tests.engine.machine.test_vm import ends
from tests.specs import every_construct


def export(program: Program, limit: int = efg.NODE_LIMIT) -> tuple[str, TreeSize]:
    out = io.StringIO()
    summary = write_efg(program, out, limit)
    return out.getvalue(), summary


@pytest.mark.parametrize(
    ("name", "suited", "summary"),
    [
        ("kuhn", False, TreeSize(nodes=58, chance_nodes=4, terminals=30, information_sets=(6, 6))),
        ("leduc", True, TreeSize(9457, 157, 5520, (468, 468))),
        ("leduc", False, TreeSize(1939, 49, 1116, (144, 144))),
    ],
)
def test_known_games_have_their_known_sizes_and_values(name: str, suited: bool, summary: TreeSize) -> None:
    """Read back: the number of nodes of each kind, and the exact value of uniform play."""
    program = compile_spec(NAMED[name](), suited=suited)
    text, written = export(program)
    tree = parse_efg(text)
    assert written == summary
    assert (tree.nodes, tree.count(NATURE), tree.count(END)) == summary[:3]
    assert count_nodes(program, summary.nodes) == summary.nodes
    want = sum(weight * int(state[at.CHIPS] - program.chips) for state, weight in ends(program))
    both = sides(tree)
    assert expected_value(tree, (uniform_policy(both[0]), uniform_policy(both[1]))) == pytest.approx(float(want))


def test_equal_cards_are_merged_with_their_probabilities_added() -> None:
    lines = export(compile_spec(NAMED["leduc"]()))[0].splitlines()
    first, second = [line for line in lines if line.startswith('c "')][:2]
    assert first.endswith('{ "J" 1/3 "Q" 1/3 "K" 1/3 } 0')
    assert second.endswith('{ "J" 1/5 "Q" 2/5 "K" 2/5 } 0')
    suited = export(compile_spec(NAMED["leduc"](), suited=True))[0]
    assert '{ "J-hearts" 1/6 "J-spades" 1/6' in suited


@pytest.mark.parametrize("seed", range(8))
def test_trees_of_generated_games(seed: int) -> None:
    program = compile_spec(generate(seed, 0.05))
    if count_nodes(program, 20_000) > 20_000:
        with pytest.raises(UsageError, match=r"more than 20,000 nodes"):
            export(program, 20_000)
        return
    text, summary = export(program)
    tree = parse_efg(text)
    assert (tree.nodes, tree.count(NATURE), tree.count(END)) == summary[:3]
    assert (tree.sets[0].size, tree.sets[1].size) == summary.information_sets
    assert count_nodes(program, efg.NODE_LIMIT) == summary.nodes


def test_a_tree_over_the_limit_is_refused_before_anything_is_written() -> None:
    program = compile_spec(NAMED["kuhn"]())
    out = io.StringIO()
    with pytest.raises(UsageError, match=r"the tree of Kuhn poker has more than 57 nodes: export a smaller game"):
        write_efg(program, out, 57)
    assert out.getvalue() == ""
    assert write_efg(program, out, 58).nodes == 58
    assert count_nodes(program, 10) == 11
    assert count_nodes(compile_spec(every_construct()), 5_000) == 5_001


def small(
    *phases: Phase, name: str = "Small", chips: int = 3, suits: tuple[str, ...] = ("hearts", "spades")
) -> GameSpec:
    """A deck of two ranks, one card each, antes of 1, then the phases, then a showdown."""
    setup = Steps("Setup", (Shuffle(), Deal(1), Ante("both", 1)))
    every = (setup, *phases, Showdown("Showdown"))
    return GameSpec(name, Deck((2, 3), suits), chips, every, tuple(phase.name for phase in every))


def test_every_kind_of_draw_keeps_the_odds() -> None:
    """One play after the other through a game with every construct: merged outcomes account for the whole menu."""
    program = compile_spec(every_construct())
    for first in range(40):
        state, step = branches.root_state(program), first
        while ways := branches.branches(program, state):
            numbers = [way.number for way in ways]
            assert sorted(set(numbers)) == numbers
            if state[at.STOP] == CHANCE:
                assert sum(way.weight for way in ways) == state[at.MENU]
            labels = [branch_label(program, state, way) for way in ways]
            assert len(set(labels)) == len(labels)
            step = step * 5 + 3
            state[at.CHOICE] = ways[step // 7 % len(ways)].choice
            advance(program.code, state)


def test_the_card_behind_an_outcome_is_the_card_that_is_told() -> None:
    """For every kind of draw: after choosing an outcome, the journal names the card that `outcome_card` promised."""
    program, rng = compile_spec(every_construct()), np.random.default_rng(1)
    kinds = set()
    for _ in range(150):
        state = new_state(program.initial_state(), 2_000)
        while advance(program.code, state) != OVER:
            index = int(rng.integers(state[at.MENU]))
            card = int(branches.outcome_card(program.code, state, index)) if state[at.STOP] == CHANCE else -1
            kind = Chance(int(state[at.ADDRESS] >> 16) // 3)
            state[at.CHOICE] = index
            if card >= 0:
                after = state.copy()
                advance(program.code, after)
                assert card in cards_told(program, after, kind, int(state[at.JOURNAL_N]))
                kinds.add(kind)
    assert kinds == set(Chance) - {Chance.COIN, Chance.COST, Chance.ODD_CHIP, Chance.POSITION}


def cards_told(program: Program, state: branches.Array, kind: Chance, start: int) -> set[int]:
    """Cards that the events from `start` on, or the step under way, can be about."""
    following, seat = divmod(int(state[at.ADDRESS] >> 16), 3)
    if kind is Chance.SWAP_GIVE and following == Chance.SWAP_TAKE:  # told later, with the card that is taken
        return {int(state[at.HANDS + seat * MAX_CARDS + state[at.HELD]])}
    masks = [int(state[at.PICKED])]
    if kind is Chance.DRAW and state[at.DISCARD_N]:  # the card may have gone from the deck to the discards, unseen
        masks.append(1 << int(state[at.DISCARDS + state[at.DISCARD_N] - 1]))
    for row in journal(state, start):
        if row[0] == Event.SIGNAL and program.names.phases[row[2]] == "Watch":  # a suit
            masks.append(sum(1 << card for card in range(program.cards) if card % 2 == row[5] - 1))
        else:
            masks.append(row[5])
    return {card for card in range(program.cards) for mask in masks if mask >> card & 1}


def test_names_that_the_format_can_not_hold_are_replaced() -> None:
    act = ActionRound("Act", "bob", (Option('say "yes"'), Option("say 'yes'"), Option("tab\there"), Option("ü♥")))
    spec = small(act, name='The "odd"\nga\\me')
    text, _ = export(compile_spec(spec))
    assert text.startswith("EFG 2 R \"The 'odd' ga/me\" {")
    assert """{ "say 'yes'" "say 'yes' (2)" "tab here" "ü♥" }""" in text
