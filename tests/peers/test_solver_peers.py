"""Values, best responses and equilibria beside OpenSpiel's and Gambit's, through the exported text of the games."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pygambit
import pyspiel
import pytest

from antemill.engine.builder.generate import generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.machine.program import Program
from antemill.engine.rules.named import NAMED
from antemill.engine.text.efg import write_efg
from antemill.solver.algorithms.linear_program import solve_exactly
from antemill.solver.algorithms.solve import solve
from antemill.solver.evaluation.measures import Measures, measure
from antemill.solver.game import Array, ExtensiveForm
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import Sides, sides

KUHN, LEDUC = -1 / 18, -0.085606424078

# (seed, complexity, nodes): a generator that draws other games needs another table.
GAMES = [
    (106, 0.2, 1_025),
    (5, 0.15, 1_057),
    (8, 0.3, 1_266),
    (33, 0.1, 1_306),
    (97, 0.3, 1_822),
    (24, 0.25, 2_057),
    (2, 0.1, 3_201),
    (14, 0.1, 3_881),
    (124, 0.3, 6_225),
    (27, 0.1, 8_434),
    (20, 0.1, 16_250),
    (148, 0.1, 72_103),
]
SMALL, LARGE = 5_000, 20_000  # nodes: up to here with the linear program; from here on it takes long
NAMES = ["kuhn", "leduc", *(f"{seed}@{complexity}" for seed, complexity, _ in GAMES)]
QUICK = ("kuhn", "leduc", "5@0.15", "8@0.3", "33@0.1", "97@0.3")
CASES = [pytest.param(name, marks=() if name in QUICK else pytest.mark.extended) for name in NAMES]
LABEL = '"([^"]*)"'
LINE = re.compile(r'^p "" ([12]) (\d+) "([0-9a-f]{16})" \{ (.*) \} 0$', re.MULTILINE)


class Peer(NamedTuple):
    """A game in both programs."""

    tree: ExtensiveForm
    both: Sides
    game: pyspiel.Game
    sets: list[tuple[int, int, str, list[int]]]  # seat, key, OpenSpiel's name, OpenSpiel's actions in our order

    def policy(self, profile: StrategyProfile) -> pyspiel.TabularPolicy:
        """Our strategy profile for OpenSpiel."""
        table = {}
        places = [{int(key): i for i, key in enumerate(mine.key)} for mine in self.tree.sets]
        for seat, key, name, actions in self.sets:
            start = self.tree.sets[seat].start[places[seat][key]]
            table[name] = list(zip(actions, profile[seat][start : start + len(actions)].tolist(), strict=True))
        return pyspiel.TabularPolicy(table)

    def measure(self, profile: StrategyProfile) -> Measures:
        """What OpenSpiel says of our strategy profile."""
        policy, root = self.policy(profile), self.game.new_initial_state()
        value, other = pyspiel.expected_returns(root, policy, -1, True)
        assert value == pytest.approx(-other, abs=1e-9)
        best = [pyspiel.TabularBestResponse(self.game, seat, policy).value_from_state(root) for seat in range(2)]
        return Measures(value, (best[0], best[1]))


def program_of(name: str) -> Program:
    if name in NAMED:
        return compile_spec(NAMED[name]())
    seed, complexity = name.split("@")
    return compile_spec(generate(int(seed), float(complexity)))


def peer(game: str, path: Path) -> Peer:
    """The game here, and read by OpenSpiel from the text.

    OpenSpiel numbers labels as they appear in the text; a node's branches have its labels' numbers in ascending order.
    """
    program = program_of(game)
    with open(path, "w", encoding="utf-8") as file:
        write_efg(program, file)
    numbers: dict[str, int] = {}
    sets: dict[str, tuple[int, int, str, list[int]]] = {}
    for player, number, name, line in LINE.findall(path.read_text(encoding="utf-8")):
        seat, key = int(player) - 1, int(name, 16)
        text = f"{seat}-{seat}-{number}-{name}"
        actions = sorted(numbers.setdefault(label, len(numbers)) for label in re.findall(LABEL, line))
        sets[text] = seat, key - (key >> 63 << 64), text, actions
    tree = build_tree(program)
    return Peer(tree, sides(tree), pyspiel.load_game(f"efg_game(filename={path})"), list(sets.values()))


def random_profile(tree: ExtensiveForm, seed: int) -> StrategyProfile:
    """Random probabilities, a quarter of them 0."""
    rng = np.random.default_rng(seed)

    def policy(start: Array) -> Array:
        row = np.ones(int(start[-1]))
        for low, high in pairwise(start.tolist()):
            weights = rng.random(high - low) * (rng.random(high - low) < 0.75)
            weights[0] += weights.sum() == 0
            row[low:high] = weights / weights.sum()
        return row

    return policy(tree.sets[0].start), policy(tree.sets[1].start)


@pytest.mark.parametrize("name", ["kuhn", "5@0.15"])
def test_openspiels_actions_are_taken_for_the_right_ones(name: str, tmp_path: Path) -> None:
    """Walking through its states: the actions of every information set, in the order of our labels."""
    found = peer(name, tmp_path / "game.efg")
    text = (tmp_path / "game.efg").read_text(encoding="utf-8")
    labels = {name: re.findall(LABEL, line) for _, _, name, line in LINE.findall(text)}
    met: dict[str, tuple[list[int], list[str]]] = {}
    stack = [found.game.new_initial_state()]
    while stack:
        state = stack.pop()
        actions = state.legal_actions() if not state.is_terminal() else []
        if state.is_player_node():
            met[state.information_state_string()] = actions, [state.action_to_string(action) for action in actions]
        stack += [state.child(action) for action in actions]
    assert {text: actions for _, _, text, actions in found.sets} == {text: met[text][0] for text in met}
    assert {text.rpartition("-")[2]: names for text, (_, names) in met.items()} == labels


@pytest.mark.parametrize("name", CASES)
def test_openspiel_measures_the_same(name: str, tmp_path: Path) -> None:
    """Value, both best responses and exploitability of random policies, CFR+'s and the linear program's, to 1e-9."""
    found = peer(name, tmp_path / "game.efg")
    assert len(found.sets) == sum(mine.size for mine in found.tree.sets)
    profiles = [random_profile(found.tree, 1), solve(found.both, "cfr+", 0.0, 5).profile]
    if found.tree.nodes <= SMALL:
        profiles.append(solve_exactly(found.both).profile)
    for profile in profiles:
        ours, theirs = measure(found.both, profile), found.measure(profile)
        assert ours.value == pytest.approx(theirs.value, abs=1e-9)
        assert ours.best_responses == pytest.approx(theirs.best_responses, abs=1e-9)
        assert ours.exploitability == pytest.approx(theirs.exploitability, abs=1e-9)
        if found.tree.nodes < LARGE:  # the same once more, which takes long
            exploitability = pyspiel.exploitability(found.game, found.policy(profile))
            assert exploitability == pytest.approx(ours.exploitability, abs=1e-9)


@pytest.mark.parametrize("name", QUICK)
def test_openspiel_finds_no_way_to_gain_against_the_linear_program(name: str, tmp_path: Path) -> None:
    found = peer(name, tmp_path / "game.efg")
    exact = solve_exactly(found.both)
    theirs = found.measure(exact.profile)
    assert abs(theirs.nash_conv) < 1e-8
    assert theirs.value == pytest.approx(exact.value, abs=1e-9)
    if name in ("kuhn", "leduc"):
        assert theirs.value == pytest.approx({"kuhn": KUHN, "leduc": LEDUC}[name], abs=1e-11)


@pytest.mark.parametrize(
    "name",
    [
        "kuhn",
        *(f"{seed}@0.05" for seed in (6, 12, 18)),
        pytest.param("0@0.05", marks=pytest.mark.extended),
    ],
)
def test_gambit_finds_the_same_value(name: str, tmp_path: Path) -> None:
    """Gambit's own linear program, on the exported text.

    In rational numbers: in doubles it says -1/6 of the game of seed 0, whose value is -1/2, and one of its policies
    there sums to 3/4.
    """
    program = program_of(name)
    with open(tmp_path / "game.efg", "w", encoding="utf-8") as file:
        write_efg(program, file)
    game = pygambit.read_efg(tmp_path / "game.efg")
    profile = pygambit.nash.lp_solve(game, rational=True).equilibrium
    exact = solve_exactly(sides(build_tree(program)))
    assert exact.value == pytest.approx(float(profile.payoffs["Alice"]), abs=1e-9)
    assert abs(exact.exploitability) < 1e-8
