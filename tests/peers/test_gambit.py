"""The exported text in Gambit, and Gambit's exact equilibria in OpenSpiel's reading of the same text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pygambit
import pyspiel
import pytest

from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import SpecError
from antemill.engine.text.efg import TreeSize, write_efg
from antemill.solver import as_dictionaries, best_response, expected_value, exploitability, read_efg, solve
from tests.peers.openspiel import child

CATALOGUE = Path(pygambit.__file__).parent / "catalog_data"  # games of textbooks and papers


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


@pytest.mark.parametrize("name", ["kuhn", "3@0.1", "5@0.1", "6@0.1"])
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


def behaviour(game: pygambit.ExtensiveGame, named: dict[str, dict[str, dict[str, float]]]) -> Any:
    """Our policy in Gambit; the information sets of a player come in the same order."""
    profile = game.mixed_behavior_profile()
    for player, rows in named.items():
        for (history, _), row in zip(list(profile[player]), rows.values(), strict=True):
            profile[pygambit.H.path(*(move.action for move in history))] = row
    return profile


@pytest.mark.parametrize("path", sorted(CATALOGUE.rglob("*.efg")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_gambits_catalogue_is_solved_or_refused_for_a_true_reason(path: Path) -> None:
    """Values and the larger gain of a best response are Gambit's, at a policy that is far from an equilibrium, too."""
    game = pygambit.read_efg(path)
    if not (len(game.players) == 2 and game.is_const_sum and game.is_perfect_recall):
        with pytest.raises(SpecError, match=r"has \d+ players|has forgotten|all ends pay the same sum"):
            read_efg(path)
        return
    tree, first = read_efg(path), next(iter(game.players))
    exact = pygambit.nash.lp_solve(game, rational=True).equilibrium.payoffs[first]
    assert solve(tree, "lp", 0.0).value == pytest.approx(float(exact), abs=1e-9)
    for profile in (solve(tree, target=1e-9).profile, solve(tree, "cfr", 0.0, iterations=1).profile):
        theirs = behaviour(game, as_dictionaries(tree, profile))
        value = expected_value(tree, profile)
        assert float(theirs.payoffs[first]) == pytest.approx(value, abs=1e-9)
        best = [best_response(tree, seat, profile[1 - seat]) for seat in range(2)]
        gains = expected_value(tree, (best[0], profile[1])) - value, value - expected_value(tree, (profile[0], best[1]))
        assert float(theirs.max_regret()) == pytest.approx(max(gains), abs=1e-9)
        assert exploitability(tree, profile) == pytest.approx(sum(gains) / 2, abs=1e-9)
