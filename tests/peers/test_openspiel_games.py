"""OpenSpiel's games solved here: values of the literature, OpenSpiel's own measures, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms.exploitability import nash_conv
from open_spiel.python.policy import TabularPolicy

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import SpecError, UsageError
from antemill.engine.rules.named import NAMED
from antemill.solver.algorithms.solve import solve
from antemill.solver.evaluation.measures import measure
from antemill.solver.policies.dictionaries import as_dictionaries, as_profile
from antemill.solver.trees.build import build_tree
from antemill.tournament.adapters.openspiel_games import openspiel_profile, openspiel_tree
from antemill.tournament.cli.entry import run


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kuhn_poker", -1 / 18),
        ("leduc_poker", -0.085606424078),
        ("matrix_rps", 0.0),
        ("goofspiel(num_cards=3,points_order=descending,returns_type=win_loss,imp_info=true)", 0.0),
        ("tiny_bridge_2p", None),
    ],
)
def test_values_and_measures_are_openspiels(name: str, value: float | None) -> None:
    """The solved policy, and one at random, as OpenSpiel measures them."""
    if value is None:
        with pytest.raises(SpecError, match="all ends pay the same sum"):
            openspiel_tree(name)
        return
    tree = openspiel_tree(name)
    solved = solve(tree, target=1e-6)
    assert solved.value == pytest.approx(value, abs=2e-6)
    game = pyspiel.load_game(name)
    if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        game = pyspiel.convert_to_turn_based(game)
    rng = np.random.default_rng(1)
    named = as_dictionaries(tree, solved.profile)
    mixed = {
        player: {
            key: dict(zip(menu, rng.dirichlet(np.ones(len(menu))).tolist(), strict=True)) for key, menu in sets.items()
        }
        for player, sets in named.items()
    }
    menus = _menus(game)
    for policy in (named, mixed):
        table = {
            key: list(zip(menus[key], menu.values(), strict=True))
            for sets in policy.values()
            for key, menu in sets.items()
        }
        theirs = pyspiel.TabularPolicy(table)
        ours = measure(tree, as_profile(tree, policy))
        assert measure(tree, openspiel_profile(tree, theirs)) == ours
        assert measure(tree, openspiel_profile(tree, table)) == ours
        values = pyspiel.expected_returns(game.new_initial_state(), theirs, -1, True)
        assert values[0] == pytest.approx(ours.value, abs=1e-9)
        assert pyspiel.nash_conv(game, theirs) == pytest.approx(ours.nash_conv, abs=1e-9)


def test_policies_may_name_actions_by_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = pyspiel.load_game("kuhn_poker")
    uniform = TabularPolicy(game)
    tree = openspiel_tree("kuhn_poker")
    for row in uniform.action_probability_array:
        row[:] = 0.25, 0.75
    ours = measure(tree, openspiel_profile(tree, uniform))
    assert ours.nash_conv == pytest.approx(nash_conv(game, uniform), abs=1e-12)
    by_number = {
        f"Player {player}": {
            state.information_state_string(): {"0": 0.25, "1": 0.75}
            for state in uniform.states
            if state.current_player() == player
        }
        for player in (0, 1)
    }
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(by_number))
    assert run(["solve", "openspiel:kuhn_poker", "--policy", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["exploitability"], found["missing_sets"]) == (pytest.approx(ours.nash_conv / 2, abs=1e-12), 0)
    with pytest.raises(UsageError, match="no action"):
        openspiel_profile(tree, {"0": {5: 1.0}})
    with pytest.raises(UsageError, match="no information state 'Player 0'"):
        openspiel_profile(tree, by_number)


def _menus(game: pyspiel.Game) -> dict[str, list[int]]:
    """The legal actions in every information state, found by walking the game."""
    menus, stack = {}, [game.new_initial_state()]
    while stack:
        state = stack.pop()
        if not state.is_terminal():
            if not state.is_chance_node():
                menus[state.information_state_string()] = state.legal_actions()
            stack += [state.child(action) for action in state.legal_actions()]
    return menus


def test_perfect_information_needs_no_information_states() -> None:
    name = "pig(winscore=4,diceoutcomes=2,horizon=6)"
    game = pyspiel.load_game(name)
    assert not game.get_type().provides_information_state_string

    def value(state: pyspiel.State) -> float:
        if state.is_terminal():
            return float(state.returns()[0])
        if state.is_chance_node():
            return sum(float(chance) * value(state.child(action)) for action, chance in state.chance_outcomes())
        values = [value(state.child(action)) for action in state.legal_actions()]
        return max(values) if state.current_player() == 0 else min(values)

    assert solve(openspiel_tree(name), "lp").value == pytest.approx(value(game.new_initial_state()))


def test_our_own_game_through_openspiel_is_the_same_game() -> None:
    tree, ours = openspiel_tree("antemill(game=leduc)"), build_tree(compile_spec(NAMED["leduc"]()))
    assert (tree.nodes, tree.sets[0].size, tree.sets[1].size) == (ours.nodes, ours.sets[0].size, ours.sets[1].size)
    assert solve(tree, "lp").value == pytest.approx(solve(ours, "lp").value, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "kind", "reason"),
    [
        ("leduc_pokr", UsageError, "OpenSpiel has no game 'leduc_pokr': did you mean leduc_poker"),
        ("kuhn_poker(players=3)", SpecError, "the game has 3 players"),
        ("matrix_pd", SpecError, "only games in which all ends pay the same sum"),
        ("mfg_garnet", SpecError, "only games in which one player moves at a time"),
        ("capture_the_flag", SpecError, "has no information states"),
        ("backgammon", UsageError, "and the limit is 9,000"),
    ],
)
def test_what_can_not_be_solved_is_refused(name: str, kind: type[Exception], reason: str) -> None:
    with pytest.raises(kind, match=reason) as error:
        openspiel_tree(name, 9_000)
    assert "\n" not in str(error.value)


def test_games_in_python_are_known_and_a_large_one_is_refused_by_its_size() -> None:
    assert openspiel_tree("python_kuhn_poker").nodes == 58
    with pytest.raises(UsageError, match=r"the tree of phantom_ttt has about \d.*e\+\d+ nodes, and the limit is"):
        openspiel_tree("phantom_ttt")
