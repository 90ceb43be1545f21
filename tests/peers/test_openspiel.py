"""Our games in OpenSpiel: its own tests, its algorithms, and its reading of the exported text."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path

import pyspiel
import pytest

from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import SpecError, UsageError
from antemill.engine.machine import layout as at
from antemill.engine.machine.observe import recall_key
from antemill.engine.text.efg import count_nodes, write_efg
from antemill.tournament.adapters.openspiel import load_rules
from tests.engine.machine.fuzz_specs import fuzzed
from tests.peers.openspiel import child
from tests.peers.paths import compare_openspiel, compare_openspiel_bounds
from tests.seeds import seeds

KUHN = "antemill(game=kuhn)"
TREES = ["kuhn", "leduc", "1@0.1", "3@0.1"]
GAMES = [
    KUHN,
    "antemill(game=leduc)",
    "antemill(game=appendix-b)",
    "antemill(seed=7)",
    "antemill(seed=3,complexity=1.0)",
]


def states_of(state: pyspiel.State) -> list[pyspiel.State]:
    """The state and all states after it."""
    found, stack = [], [state]
    while stack:
        found.append(stack.pop())
        if not found[-1].is_terminal():
            stack += [found[-1].child(action) for action in found[-1].legal_actions()]
    return found


@pytest.mark.parametrize("name", GAMES)
def test_openspiels_own_simulation_test(name: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=5, serialize=True, verbose=False)


@pytest.mark.parametrize("seed", range(4))
def test_bounds_hold_in_the_hardest_games(seed: int) -> None:
    game = pyspiel.load_game(f"antemill(seed={seed},complexity=1.0)")
    pyspiel.random_sim_test(game, num_sims=3, serialize=False, verbose=False)
    state, rng = game.new_initial_state(), random.Random(seed)
    draws = 0
    while not state.is_terminal():
        draws += state.is_chance_node()
        state.apply_action(rng.choice(state.legal_actions()))
    assert draws <= game.max_chance_nodes_in_history()


def test_kuhn_has_the_known_counts() -> None:
    states = states_of(pyspiel.load_game(KUHN).new_initial_state())
    assert len(states) == 58
    assert sum(state.is_chance_node() for state in states) == 4
    assert sum(state.is_terminal() for state in states) == 30
    asked = [state for state in states if state.current_player() >= 0]
    assert len({state.information_state_string() for state in asked}) == 12


def test_kuhn_is_solved_by_openspiels_cfr() -> None:
    game = pyspiel.load_game(KUHN)
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(100):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    value, _ = pyspiel.expected_returns(game.new_initial_state(), policy, -1, False)
    assert value == pytest.approx(-1 / 18, abs=1e-4)
    assert pyspiel.nash_conv(game, policy) < 3e-3


@pytest.mark.parametrize("name", TREES)
def test_texts_and_recall_keys_tell_the_same_states_apart(name: str) -> None:
    """The information state string is ours, the recall key the engine's; both must cut the tree alike."""
    texts, keys = defaultdict(set), defaultdict(set)
    for state in states_of(pyspiel.load_game(f"antemill(game={name})").new_initial_state()):
        seat = state.current_player()
        if seat >= 0:
            key = (seat, recall_key(state.words, seat, int(state.words[at.DECISION])))
            texts[key].add(state.information_state_string())
            keys[state.information_state_string()].add(key)
    assert len(texts) > 5
    assert {len(found) for found in (*texts.values(), *keys.values())} == {1}


@pytest.mark.parametrize("name", TREES)
def test_the_exported_text_is_the_same_game(name: str, tmp_path: Path) -> None:
    """OpenSpiel reads the text; walking both side by side by names finds the same turns, odds, menus and payoffs."""
    program = compile_spec(resolve(name))
    with open(tmp_path / "game.efg", "w", encoding="utf-8") as file:
        summary = write_efg(program, file)
    theirs = pyspiel.load_game(f"efg_game(filename={tmp_path / 'game.efg'})")
    assert theirs.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM
    sets: dict[str, set[str]] = defaultdict(set)
    nodes = 0
    stack = [(pyspiel.load_game(f"antemill(game={name})").new_initial_state(), theirs.new_initial_state())]
    while stack:
        ours, read = stack.pop()
        nodes += 1
        assert ours.current_player() == read.current_player()
        if ours.is_terminal():
            assert ours.returns() == read.returns()
            continue
        labels = [ours.action_to_string(action) for action in ours.legal_actions()]
        assert sorted(labels) == sorted(read.action_to_string(action) for action in read.legal_actions())
        if ours.is_chance_node():
            odds = {ours.action_to_string(action): p for action, p in ours.chance_outcomes()}
            assert odds == {read.action_to_string(action): p for action, p in read.chance_outcomes()}
            assert sum(odds.values()) == pytest.approx(1)
        else:
            sets[ours.information_state_string()].add(read.information_state_string())
        stack += [(child(ours, label), child(read, label)) for label in labels]
    assert nodes == summary.nodes == count_nodes(program, 1_000_000)
    assert all(len(found) == 1 for found in sets.values())
    assert len(set.union(*sets.values())) == len(sets) == sum(summary.information_sets)


def test_leduc_with_suits_has_openspiels_value(tmp_path: Path) -> None:
    """Our Leduc as text, solved by OpenSpiel, beside OpenSpiel's own Leduc at the same iteration."""
    with open(tmp_path / "leduc.efg", "w", encoding="utf-8") as file:
        write_efg(compile_spec(resolve("leduc"), suited=True), file)
    values = []
    for name in (f"efg_game(filename={tmp_path / 'leduc.efg'})", "leduc_poker"):
        solver = pyspiel.CFRPlusSolver(pyspiel.load_game(name))
        for _ in range(30):
            solver.evaluate_and_update_policy()
        state = pyspiel.load_game(name).new_initial_state()
        values.append(pyspiel.expected_returns(state, solver.average_policy(), -1, True)[0])
    assert values[0] == pytest.approx(values[1], abs=1e-9)


def test_a_state_survives_copying_and_writing() -> None:
    game = pyspiel.load_game("antemill(game=appendix-b)")
    state, rng = game.new_initial_state(), random.Random(1)
    for _ in range(6):
        state.apply_action(rng.choice(state.legal_actions()))
    twin = state.clone()
    _, read = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    while not state.is_terminal():
        for other in (twin, read):
            assert str(other) == str(state)
            assert other.legal_actions() == state.legal_actions()
            assert [other.information_state_string(seat) for seat in (0, 1)] == [
                state.information_state_string(seat) for seat in (0, 1)
            ]
        action = rng.choice(state.legal_actions())
        for other in (state, twin, read):
            other.apply_action(action)
    assert twin.returns() == read.returns() == state.returns()


def test_nobody_reads_the_other_players_card() -> None:
    states = [pyspiel.load_game(KUHN).new_initial_state() for _ in range(2)]
    for state, cards in zip(states, ("JQ", "JK"), strict=True):
        for card in cards:
            state.apply_action(child_action(state, card))
    assert states[0].information_state_string(0) == states[1].information_state_string(0)
    assert states[0].observation_string(0) == states[1].observation_string(0)
    assert states[0].observation_tensor(0) == states[1].observation_tensor(0)
    assert states[0].information_state_string(1) != states[1].information_state_string(1)
    assert "dealt 1 card: J" in states[0].information_state_string(0)


def child_action(state: pyspiel.State, label: str) -> int:
    actions: list[int] = state.legal_actions()
    return next(action for action in actions if state.action_to_string(action) == label)


def test_rules_are_loaded_without_a_file_and_written_with_their_states() -> None:
    for spec in (*map(fuzzed, range(10)), resolve("leduc")):
        game = load_rules(spec)
        assert game.program.digest == compile_spec(spec).digest
        state = game.new_initial_state()
        state.apply_action(state.legal_actions()[0])
        again, read = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
        assert (str(again), str(read)) == (str(game), str(state))


@pytest.mark.parametrize("rules", ["zz", "7b7d"])
def test_a_parameter_that_holds_no_rules_is_refused(rules: str) -> None:
    with pytest.raises(SpecError, match="the parameter rules holds no game: load rules by load_rules"):
        pyspiel.load_game("antemill", {"rules": rules})


def test_an_illegal_action_is_refused() -> None:
    state = pyspiel.load_game(KUHN).new_initial_state()
    with pytest.raises(UsageError, match=r"there is no action 7 here: choose one of \[0, 1, 2\]"):
        state.apply_action(7)


def test_fuzzed_games_are_played_as_written(tmp_path: Path) -> None:
    """No game of a generator: whole trees of small ones, one play of large ones."""
    assert sum(whole_tree(seed, tmp_path, 300) for seed in range(12)) >= 4
    for seed in range(10):
        compare_openspiel_bounds(fuzzed(seed), tmp_path, seed)


@pytest.mark.extended
def test_fuzzed_games_are_played_as_written_at_length(tmp_path: Path) -> None:
    trees = seeds(1_000, 1_100)
    assert sum(whole_tree(seed, tmp_path, 3_000) for seed in trees) > 0.25 * len(trees)
    for seed in seeds(1_000, 1_200):
        compare_openspiel_bounds(fuzzed(seed), tmp_path, seed)


def whole_tree(seed: int, folder: Path, limit: int) -> bool:
    """Compare a small fuzzed game; False if its tree has more nodes."""
    spec = fuzzed(seed, small=True)
    small = count_nodes(compile_spec(spec), limit) <= limit
    if small:
        compare_openspiel(spec, folder)
    return small
