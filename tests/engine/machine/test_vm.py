"""The machine on its own: exact enumerations (G6), snapshots, addresses (N1), and the table of opcodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine import layout as at
from antemill.engine.machine.layout import DECIDE, OVER
from antemill.engine.machine.observe import info_key, recall_key
from antemill.engine.machine.opcodes import TABLE, WIDTH, Op
from antemill.engine.machine.program import Program
from antemill.engine.machine.vm import advance, new_state
from antemill.engine.rules.limits import MAX_CARDS
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import ActionRound, Deal, Deck, Draw, GameSpec, Option, Showdown, Shuffle, Steps
from tests.specs import every_construct


def ends(program: Program) -> Iterator[tuple[np.ndarray, Fraction]]:
    """Every final state with its probability under uniform play."""
    stack = [(new_state(program.initial_state()), Fraction(1))]
    while stack:
        state, weight = stack.pop()
        if advance(program.code, state) == OVER:
            yield state, weight
            continue
        n = int(state[at.MENU])
        for index in range(n):
            child = state.copy()
            child[at.CHOICE] = index
            stack.append((child, weight / n))


def margins(program: Program) -> dict[int, Fraction]:
    """Distribution of Alice's final stack minus Bob's."""
    found: dict[int, Fraction] = defaultdict(Fraction)
    for state, weight in ends(program):
        found[int(state[at.CHIPS] - state[at.CHIPS + 1])] += weight
    return dict(found)


def information_sets(program: Program) -> tuple[set[int], set[int]]:
    """All perfect-recall keys and all keys of the paper's information states, over the whole tree."""
    recalls, infos = set(), set()
    stack = [new_state(program.initial_state())]
    while stack:
        state = stack.pop()
        what = advance(program.code, state)
        if what == DECIDE:
            seat, decision = int(state[at.SEAT]), int(state[at.DECISION])
            recalls.add(recall_key(state, seat, decision))
            infos.add(info_key(state, seat, decision))
        if what != OVER:
            for index in range(int(state[at.MENU])):
                child = state.copy()
                child[at.CHOICE] = index
                stack.append(child)
    return recalls, infos


def test_kuhn_is_exact() -> None:
    program = compile_spec(NAMED["kuhn"]())
    found = margins(program)
    assert sum(1 for _ in ends(program)) == 30
    assert sum(margin * p for margin, p in found.items()) / 2 == Fraction(1, 8)
    assert len(information_sets(program)[0]) == 12


@pytest.mark.parametrize(("suited", "sets", "leaves"), [(False, 288, 5520), (True, 936, 5520)])
def test_leduc_has_the_known_sizes(suited: bool, sets: int, leaves: int) -> None:
    program = compile_spec(NAMED["leduc"](), suited=suited)
    assert len(information_sets(program)[0]) == sets
    assert sum(1 for _ in ends(program)) == leaves


# Exact margins (Alice minus Bob) of the paper's seed 4643 under uniform play, from an independent enumeration.
SEED_4643 = {
    -20: 0.04254150390625,
    -18: 0.03436279296875,
    -16: 0.0335693359375,
    -14: 0.02069091796875,
    -12: 0.0311279296875,
    -10: 0.0299072265625,
    -8: 0.027974446614583332,
    -6: 0.037882486979166664,
    -4: 0.162841796875,
    -2: 0.032552083333333336,
    0: 0.00146484375,
    2: 0.014180501302083334,
    4: 0.2769304911295573,
    6: 0.05359713236490885,
    8: 0.033426920572916664,
    10: 0.025771458943684895,
    12: 0.027394612630208332,
    14: 0.021791458129882812,
    16: 0.029204050699869793,
    18: 0.020940780639648438,
    20: 0.04184722900390625,
}
SEED_4643_FIRING = {
    "Variable Betting Round (Round 1)": 1.0,
    "Fixed Betting Round (Round 2)": 0.484375,
    "Simultaneous Round (inter-round)": 0.484375,
    "Post-Betting Phase": 0.444091796875,
    "Simultaneous Round (post-betting)": 0.444091796875,
    "Auction Round: Card Draw (post-betting)": 0.14778645833333334,
    "Showdown": 0.444091796875,
}


def test_the_papers_sample_game_is_exact() -> None:
    """All 23,676 leaves, the mean, the whole distribution, and the firing rates, with equality and not by sampling."""
    program = compile_spec(NAMED["appendix-b"]())
    fired: dict[str, Fraction] = defaultdict(Fraction)
    found: dict[int, Fraction] = defaultdict(Fraction)
    leaves = 0
    for state, weight in ends(program):
        leaves += 1
        found[int(state[at.CHIPS] - state[at.CHIPS + 1])] += weight
        for number, name in enumerate(program.names.phases):
            if int(state[at.FIRED + (number >> 6)]) >> (number & 63) & 1:
                fired[name] += weight
    assert leaves == 23_676
    assert sum(margin * p for margin, p in found.items()) == Fraction(31_741, 196_608)
    assert {margin: float(p) for margin, p in found.items()} == pytest.approx(SEED_4643, abs=1e-15)
    assert {name: float(fired[name]) for name in SEED_4643_FIRING} == pytest.approx(SEED_4643_FIRING, abs=1e-15)


def test_a_copied_state_goes_on_alike() -> None:
    program = compile_spec(every_construct())
    state = new_state(program.initial_state(), 2_000)
    stops = 0
    while advance(program.code, state) != OVER:
        twin = state.copy()
        state[at.CHOICE] = twin[at.CHOICE] = (7 * stops) % int(state[at.MENU])
        advance(program.code, twin)
        stops += 1
        before = state.copy()
        advance(program.code, state)
        assert np.array_equal(state, twin)
        state = before
    assert stops > 10


def test_given_a_key_the_machine_asks_only_players() -> None:
    program = compile_spec(every_construct())
    state = new_state(program.initial_state())
    state[at.CHANCE_KEY] = 99
    while (what := advance(program.code, state)) != OVER:
        assert what == DECIDE
        state[at.CHOICE] = 0


@pytest.mark.parametrize("key", range(1, 4))
def test_cards_do_not_depend_on_what_players_do(key: int) -> None:
    """The deck's order is a function of the key: both seats would draw the same third card and the same fourth one."""
    options = (Option("mine", (Draw("alice"),)), Option("yours", (Draw("bob"),)))
    phases = (
        Steps("Setup", (Shuffle(), Deal(1))),
        ActionRound("Who", "alice", options),
        Steps("More", (Draw("bob"),)),
        Showdown("Showdown"),
    )
    spec = GameSpec("draws", Deck(tuple(range(2, 14)), ("hearts",)), 5, phases, tuple(phase.name for phase in phases))
    program = compile_spec(spec)
    drawn = []
    for choice in range(2):
        state = new_state(program.initial_state())
        state[at.CHANCE_KEY] = key
        assert advance(program.code, state) == DECIDE
        state[at.CHOICE] = choice
        assert advance(program.code, state) == OVER
        alice, bob = (state[at.HANDS + seat * MAX_CARDS :][: state[at.HAND_N + seat]].tolist() for seat in (0, 1))
        drawn.append([alice[0], bob[0], *alice[1:], *bob[1:]])
    assert len(set(drawn[0])) == 4
    assert drawn[0] == drawn[1]


def test_every_opcode_has_a_row_and_is_emitted() -> None:
    assert set(TABLE) == set(Op)
    assert sorted(Op) == list(range(len(Op)))
    assert all(len(row.operands.split()) < WIDTH and row.meaning for row in TABLE.values())
    emitted = set()
    for spec in (every_construct(), *(make() for make in NAMED.values())):
        program = compile_spec(spec)
        emitted |= set(program.code[: program.rows * WIDTH : WIDTH].tolist())
    assert {Op(op) for op in emitted} == set(Op)
