"""The solver answers every call with a result or with one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from antemill import solver
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.match import Game
from antemill.engine.rules.named import kuhn
from antemill.solver.policies.file import write_policy
from tests.odd import PLAIN, refusals

TREE = solver.build_tree(compile_spec(kuhn()))
RUN = solver.solve(TREE, "cfr+", target=1e-3)
SOLVED = solver.solve_game(compile_spec(kuhn()), solver.Settings(target=0.1))
OURS = (TREE, RUN, RUN.profile, RUN.profile[0], SOLVED, SOLVED.saved, SOLVED.saved.table)
NUMBERS = (int, np.integer)  # seeds, whose trees are large


def _outside(method: str) -> Callable[..., Any]:
    def told(game: Any = "Pennies", players: Any = ("One", "Two"), limit: Any = 100, **given: Any) -> Any:
        return getattr(solver.Outside(game, players, limit), method)(**given)

    return told


@pytest.mark.parametrize(
    ("function", "good", "but"),
    [
        (solver.build_tree, {"program": "kuhn", "limit": 1_000}, ()),
        (
            solver.solve,
            {
                "game": TREE,
                "algorithm": "cfr+",
                "target": 0.1,
                "iterations": 10,
                "seconds": 1.0,
                "watch": None,
            },
            NUMBERS,
        ),
        (solver.exploitability, {"game": TREE, "profile": RUN.profile}, NUMBERS),
        (solver.expected_value, {"game": TREE, "profile": RUN.profile}, NUMBERS),
        (solver.completed, {"game": TREE, "profile": RUN.profile, "rare": 0.01}, NUMBERS),
        (solver.best_response, {"game": TREE, "seat": 0, "opponent": RUN.profile[1]}, NUMBERS),
        (solver.as_dictionaries, {"tree": TREE, "profile": RUN.profile, "program": "kuhn"}, ()),
        (solver.as_profile, {"tree": TREE, "named": {"Alice": {}, "Bob": {}}, "program": "kuhn"}, ()),
        (solver.missing_sets, {"tree": TREE, "named": {"Alice": {}}, "program": "kuhn"}, ()),
        (solver.solve_game, {"program": "kuhn", "settings": solver.Settings(target=0.1), "watch": None}, NUMBERS),
        (_outside("decision"), {"player": 0, "key": 1, "name": "one", "actions": ("a", "b"), "gains": (0, 0)}, ()),
        (_outside("chance"), {"chances": (0.5, 0.5), "gains": (0, 0)}, ()),
        (_outside("end"), {"game": "Pennies", "players": ("One", "Two"), "limit": 9, "payoffs": (1, -1)}, ()),
        (_outside("end"), {"payoffs": (1, -1)}, ()),
    ],
)
def test_odd_arguments(
    function: Callable[..., Any],
    good: dict[str, Any],
    but: tuple[type, ...],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert list(refusals(function, good, (*PLAIN, *OURS), but)) == []


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_policy(tmp_path / "kuhn.parquet", SOLVED.saved)
    monkeypatch.chdir(tmp_path)
    odd = (*PLAIN, *OURS, "kuhn.parquet")
    assert list(refusals(solver.load_policy, {"path": "kuhn.parquet", "program": "kuhn"}, odd)) == []
    (tmp_path / "game.efg").write_text('EFG 2 R "One" { "A" "B" }\nt "" 1 "" { 1, -1 }\n')
    assert list(refusals(solver.read_efg, {"path": "game.efg", "limit": 9}, odd)) == []


def test_a_game_is_named_in_any_way_and_a_run_is_its_profile(tmp_path: Path) -> None:
    want = solver.exploitability(TREE, RUN.profile)
    for game in ("kuhn", kuhn(), compile_spec(kuhn()), Game(kuhn()), TREE):
        assert solver.exploitability(game, RUN) == want
    assert solver.expected_value("kuhn", RUN) == RUN.value
    assert np.array_equal(solver.best_response(TREE, np.int8(0), RUN), solver.best_response(TREE, 0, RUN.profile[1]))  # type: ignore[arg-type]
    assert solver.solve("kuhn", "cfr+", target=np.float64(0.1)).reached
    write_policy(tmp_path / "kuhn.parquet", SOLVED.saved)
    for path in (tmp_path / "kuhn.parquet", str(tmp_path / "kuhn.parquet")):
        assert solver.load_policy(path).solution == solver.load_policy(tmp_path, "kuhn").solution
    with pytest.raises(ValueError, match="is a folder of policies: say for which game as well"):
        solver.load_policy(tmp_path)
