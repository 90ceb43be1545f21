"""The exported text in Gambit, and Gambit's exact equilibria in OpenSpiel's reading of the same text."""

from __future__ import annotations

from pathlib import Path

import pygambit
import pyspiel
import pytest

from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.text.efg import TreeSize, write_efg
from tests.peers.games import small_games
from tests.peers.openspiel import child


def export(name: str, path: Path, suited: bool | None = None) -> TreeSize:
    with open(path, "w", encoding="utf-8") as file:
        return write_efg(compile_spec(resolve(name), suited), file)


def equilibrium(
    game: pygambit.ExtensiveGame, reader: pyspiel.Game, rational: bool
) -> tuple[float, pyspiel.TabularPolicy]:
    """Gambit's solution: Alice's value, and the policy for OpenSpiel; information sets are found by their histories."""
    profile = pygambit.nash.lp_solve(game, rational=rational).equilibrium
    table = {}
    for player in ("Alice", "Bob"):
        for history, mixture in profile[player]:
            state = reader.new_initial_state()
            for move in history:
                state = child(state, move.action)
            odds = {action: float(mixture[state.action_to_string(action)]) for action in state.legal_actions()}
            table[state.information_state_string()] = list(zip(odds, normalised([*odds.values()]), strict=True))
    return float(profile.payoffs["Alice"]), pyspiel.TabularPolicy(table)


def normalised(odds: list[float]) -> list[float]:
    """Probabilities without a solver's rounding; uniform where the player never comes, and Gambit leaves zeros."""
    total = sum(max(p, 0.0) for p in odds)
    return [max(p, 0.0) / total if total else 1 / len(odds) for p in odds]


@pytest.mark.parametrize("name", ["kuhn", *small_games(4, 100, 700)])
def test_gambits_equilibrium_is_one_for_openspiel(name: str, tmp_path: Path) -> None:
    summary = export(name, tmp_path / "game.efg")
    game = pygambit.read_efg(tmp_path / "game.efg")
    reader = pyspiel.load_game(f"efg_game(filename={tmp_path / 'game.efg'})")
    assert game.is_perfect_recall
    assert game.is_const_sum
    value, policy = equilibrium(game, reader, rational=summary.nodes < 100)
    if name == "kuhn":
        assert value == pytest.approx(-1 / 18, abs=1e-12)
    values = pyspiel.expected_returns(reader.new_initial_state(), policy, -1, True)
    assert values == pytest.approx([value, -value], abs=1e-9)
    assert pyspiel.nash_conv(reader, policy) == pytest.approx(0, abs=1e-9)


def test_gambit_reads_leduc(tmp_path: Path) -> None:
    summary = export("leduc", tmp_path / "leduc.efg", suited=True)
    game = pygambit.read_efg(tmp_path / "leduc.efg")
    assert tuple(len(game.get_infosets(player)) for player in game.players) == summary.information_sets == (468, 468)
    assert game.title == "Leduc poker"
    assert game.is_perfect_recall
    assert (game.min_payoff, game.max_payoff) == (-13, 13)
