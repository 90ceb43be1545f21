"""A player against a solved policy (N1, N13): the figures on a hand example, and in Kuhn against exact values."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.machine.program import Program, to_columns
from antemill.engine.match import Game, Match
from antemill.engine.rules.named import NAMED
from antemill.engine.rules.spec import GameSpec, to_json
from antemill.engine.storage.store import table
from antemill.solver.algorithms.linear_program import solve_exactly
from antemill.solver.evaluation.aivat_machine import MachineAivat
from antemill.solver.evaluation.aivat_tree import TreeAivat
from antemill.solver.evaluation.measures import expected_value
from antemill.solver.evaluation.transcripts import aivat_for
from antemill.solver.policies.file import write_policy
from antemill.solver.policies.on_tree import policy_of, profile_on
from antemill.solver.policies.solution import SavedPolicy, Solution
from antemill.solver.trees.abstract_sets import abstract_sets, normalised
from antemill.solver.trees.abstraction import Abstraction
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import sides, uniform_policy
from antemill.tournament import head_to_head as pairs
from antemill.tournament.cli.entry import run
from antemill.tournament.players import make_bot, play
from antemill.tournament.players.solved import SolvedPlayer
from antemill.tournament.pool.schemas import BENCHMARK
from antemill.tournament.pool.select import write_benchmark
from tests.solver.evaluation.moments import exact_moments, kuhn_without_bluffs


def solved(spec: GameSpec, abstraction: Abstraction = Abstraction.NONE) -> SavedPolicy:
    """An exact solution; under an abstraction, a policy of random weights."""
    program = Game(spec).program
    tree = build_tree(program)
    abstract = abstract_sets(program, tree, abstraction)
    found = solve_exactly(sides(tree))
    profile = (kuhn_without_bluffs(), found.profile[1]) if spec == NAMED["kuhn"]() else found.profile
    rng = np.random.default_rng(1)
    policies = [normalised(mine, rng.integers(1, 5, mine.actions) * 1.0) for mine in abstract]
    if abstraction == Abstraction.NONE:
        for mine, exact, policy in zip(abstract, profile, policies, strict=True):
            policy[mine.of_sequence[1:]] = exact[1:]
    table = policy_of(abstract, abstraction, (policies[0], policies[1]))
    return SavedPolicy(solution(program, found.value, found.exploitability, abstraction), table)


def solution(program: Program, value: float, exploitability: float, abstraction: Abstraction) -> Solution:
    return Solution(
        game=program.names.game,
        digest=program.digest,
        suited=program.suited,
        abstraction=abstraction.label,  # type: ignore[arg-type]
        algorithm="lp",
        stopped="target",
        target=0.0,
        iterations=0,
        seconds=0.0,
        information_sets=0,
        value=value,
        exploitability=exploitability,
    )


@cache
def kuhn() -> tuple[Game, SavedPolicy]:
    spec = NAMED["kuhn"]()
    return Game(spec), solved(spec)


# ------------------------------------------------------------------------------------------ figures


def test_pairs_and_their_standard_error_by_hand() -> None:
    """Pairs' means 2, -1 and 5: mean 2, deviations 0, -3, 3, standard deviation 3, error 3 / sqrt(3)."""
    slots = [
        *(pairs.MatchResult(0, 10, 0, 5.0, 1.0), pairs.MatchResult(0, 10, 1, -1.0, 2.0)),
        *(pairs.MatchResult(1, 11, 1, 0.0, 1.0), pairs.MatchResult(1, 11, 0, -2.0, 1.0)),
        pairs.MatchResult(2, 12, 1, 5.0, 3.0),
    ]
    assert pairs.pairs_of(slots) == [
        pairs.Pair(0, 10, 5.0, -1.0, 2.0),
        pairs.Pair(1, 11, -2.0, 0.0, -1.0),
        pairs.Pair(2, 12, None, 5.0, 5.0),
    ]
    raw, estimated = pairs.edge(slots), pairs.edge(slots, pairs.estimate_of)
    assert (raw.mean, raw.pairs, raw.matches) == (2.0, 3, 5)
    assert raw.error == pytest.approx(math.sqrt(3), abs=1e-15)
    assert estimated.mean == pytest.approx(5.5 / 3, abs=1e-15)
    assert estimated.error == pytest.approx(math.sqrt((1 / 9 + 25 / 36 + 49 / 36) / 2 / 3), abs=1e-15)
    assert pairs.variance_ratio(raw, estimated) == pytest.approx((1 / 9 + 25 / 36 + 49 / 36) / 2 / 3 / 3, abs=1e-15)
    assert pairs.edge(slots[:2]) == pairs.Edge(2.0, None, 1, 2)


def test_games_count_alike_in_the_average() -> None:
    found = pairs.average([pairs.Edge(1.0, 0.3, 50, 100), pairs.Edge(-2.0, 0.4, 10, 19)])
    assert (found.mean, found.pairs, found.matches) == (-0.5, 60, 119)
    assert found.error == pytest.approx(0.25, abs=1e-15)
    assert pairs.average([pairs.Edge(1.0, 0.3, 50, 100), pairs.Edge(3.0, None, 1, 2)]) == pairs.Edge(2.0, None, 51, 102)
    assert pairs.standard_error([1.0]) is None
    assert pairs.variance_ratio(pairs.Edge(0.0, 0.0, 2, 4), pairs.Edge(0.0, 0.0, 2, 4)) is None


def test_play_seeds_are_a_hash_of_game_run_and_matchup() -> None:
    digest = kuhn()[0].digest
    seeds = pairs.play_seeds(digest, "l1", "solved", 50)
    assert len(set(seeds)) == 50
    assert all(0 <= seed < 1 << 63 for seed in seeds)
    assert pairs.play_seeds(digest, "l1", "solved", 60)[:50] == seeds
    others = [("random", "solved", 0), ("l1", "other", 0), ("l", "1solved", 0), ("l1", "solved", 1)]
    for player, against, seed in others:
        assert not set(seeds) & set(pairs.play_seeds(digest, player, against, 50, seed))
    assert not set(seeds) & set(pairs.play_seeds(Game(NAMED["leduc"]()).digest, "l1", "solved", 50))
    with pytest.raises(UsageError, match="the number of pairs is 0"):
        pairs.play_seeds(digest, "l1", "solved", 0)


# ------------------------------------------------------------------------------------------ matches


def test_random_play_against_kuhns_solution_gets_its_exact_value() -> None:
    """1,000 pairs: the mean is within 4 standard errors of the exact one, which AIVAT makes much smaller."""
    game, saved = kuhn()
    tree = build_tree(game.program)
    both = sides(tree)
    profile = profile_on(game.program, tree, saved.table)
    assert expected_value(both, profile) == pytest.approx(-1 / 18, abs=1e-12)
    as_alice = expected_value(both, (uniform_policy(both[0]), profile[1]))
    as_bob = -expected_value(both, (profile[0], uniform_policy(both[1])))
    exact = as_alice + as_bob  # the mean of the margins, which are twice the payoffs
    seeds = pairs.play_seeds(game.digest, "random", "solved", 1_000)
    method = aivat_for(game.program, saved.table)
    slots = pairs.play_pairs(game, make_bot("random", game), SolvedPlayer("solved", saved, game), seeds, method)
    raw, estimated = pairs.edge(slots), pairs.edge(slots, pairs.estimate_of)
    assert (raw.pairs, raw.matches) == (1_000, 2_000)
    for found in (raw, estimated):
        assert found.error is not None
        assert abs(found.mean - exact) < 4 * found.error
    ratio = pairs.variance_ratio(raw, estimated)
    assert ratio is not None
    assert ratio < 0.25
    for seat, want in ((0, as_alice), (1, as_bob)):
        moments = exact_moments(TreeAivat(tree, profile), 1 - seat, uniform_policy(both[seat]))
        mine = [slot.estimate for slot in slots if slot.seat == seat and slot.estimate is not None]
        assert abs(sum(mine) / len(mine) - 2 * want) < 8 * math.sqrt(moments.corrected / len(mine))


def test_both_seats_see_the_same_cards() -> None:
    game, saved = kuhn()
    dealt: list[list[int]] = []

    def note(match: Match) -> None:
        dealt.append([row[5] for row in match.events() if row[5] and row[0] == match.events()[0][0]])
        assert match.over

    seeds = pairs.play_seeds(game.digest, "random", "solved", 20)
    slots = pairs.play_pairs(game, make_bot("random", game), SolvedPlayer("solved", saved, game), seeds, None, note)
    assert [(slot.run, slot.seat) for slot in slots] == [(run, seat) for run in range(20) for seat in (0, 1)]
    assert [slot.play_seed for slot in slots[::2]] == [slot.play_seed for slot in slots[1::2]] == seeds
    assert dealt[::2] == dealt[1::2]
    assert all(slot.estimate is None for slot in slots)


@pytest.mark.parametrize("abstraction", Abstraction)
def test_aivat_takes_abstract_policies_with_a_tree_and_without(abstraction: Abstraction) -> None:
    """Both ways are right about the mean (they differ match by match), and say which they are."""
    spec = NAMED["leduc"]()
    game, saved = Game(spec), solved(spec, abstraction)
    with_tree = aivat_for(game.program, saved.table)
    without = aivat_for(game.program, saved.table, limit=100)
    assert isinstance(with_tree, TreeAivat)
    assert isinstance(without, MachineAivat)
    assert (with_tree.kind, without.kind) == ("tree", "machine")
    seeds = pairs.play_seeds(game.digest, "random", "solved", 60)
    players = make_bot("random", game), SolvedPlayer("solved", saved, game)
    edges = [
        pairs.edge(pairs.play_pairs(game, *players, seeds, method), pairs.estimate_of)
        for method in (with_tree, without)
    ]
    raw = pairs.edge(pairs.play_pairs(game, *players, seeds))
    assert players[1].unseen == 0
    errors = [found.error for found in (*edges, raw) if found.error is not None]
    assert errors[0] < errors[2]
    assert abs(edges[0].mean - edges[1].mean) < 4 * (errors[0] + errors[1])


# ------------------------------------------------------------------------------------------ the command


@pytest.fixture(scope="module")
def policies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with policies of Kuhn and Leduc."""
    folder = tmp_path_factory.mktemp("policies")
    write_policy(folder / "kuhn.parquet", kuhn()[1])
    write_policy(folder / "leduc.parquet", solved(NAMED["leduc"]()))
    return folder


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def complaint(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    return err


def test_compare_prints_one_document(policies: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["game", "compare", "kuhn", "--player", "random", "--against", str(policies), "--seeds", "20"]
    document = json.loads(said(capsys, *arguments, "--aivat", "--json"))
    assert document["player"] == "random"
    [found] = document["games"]
    assert (found["game"], found["digest"]) == ("Kuhn poker", kuhn()[0].digest)
    assert (found["groups"], found["matches"], len(found["pairs"])) == (20, 40, 20)
    assert found["margin"] == pytest.approx(sum(pair["mean"] for pair in found["pairs"]) / 20)
    assert found["value"] == pytest.approx(-1 / 18)
    assert found["aivat"]["method"] == "tree"
    assert found["aivat"]["variance_ratio"] == pytest.approx((found["aivat"]["error"] / found["error"]) ** 2)
    assert document["average"]["margin"] == found["margin"]
    assert document["average"]["aivat"]["error"] == found["aivat"]["error"]
    again = json.loads(said(capsys, *arguments, "--json"))
    assert again["games"][0]["margin"] == found["margin"]
    assert "aivat" not in again["games"][0]
    assert "aivat" not in again["average"]


def benchmark_row(spec: GameSpec, rank: int) -> dict[str, object]:
    empty: dict[str, object] = {field.name: None for field in BENCHMARK.schema}
    known = {"seed": rank, "rank": rank, "complexity": 0.0, "builder": "test", "accepted": True, "reason": ""}
    return empty | known | {"spec": to_json(spec)} | to_columns(compile_spec(spec))


def test_compare_plays_a_benchmarks_solved_games(
    policies: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    specs = [NAMED[name]() for name in ("kuhn", "leduc", "appendix-b")]
    rows = [benchmark_row(spec, rank) for rank, spec in enumerate(specs, 1)]
    write_benchmark(tmp_path / "bench.parquet", table(BENCHMARK, rows))
    arguments = ["game", "compare", str(tmp_path / "bench.parquet"), "--player", "random", "--seeds", "4"]
    document = json.loads(said(capsys, *arguments, "--against", str(policies), "--json"))
    assert [found["game"] for found in document["games"]] == ["Kuhn poker", "Leduc poker"]
    assert document["unsolved"] == [specs[2].name]
    margins = [found["margin"] for found in document["games"]]
    assert document["average"]["margin"] == pytest.approx(sum(margins) / 2)
    text = said(capsys, *arguments, "--against", str(policies), "--aivat")
    assert f"Not played, because there is no policy: {specs[2].name}." in text
    assert "average" in text
    assert "needs a folder of policies" in complaint(
        capsys, *arguments, "--against", str(policies / "kuhn.parquet"), "--json"
    )
    (tmp_path / "empty").mkdir()
    assert "has no policy for any game" in complaint(capsys, *arguments, "--against", str(tmp_path / "empty"))
    arguments[4] = "juggler"
    said_of_it = complaint(capsys, *arguments, "--against", str(policies))
    assert "Kuhn poker could not be played: there is no player 'juggler'" in said_of_it


def test_the_best_response_wins_what_the_policy_can_lose(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Against a policy far from the equilibrium it wins much; an exact margin is twice the exploitability."""
    weak = tmp_path / "weak.parquet"
    assert run(["solve", "kuhn", "--iterations", "3", "-o", str(weak)]) == 0
    capsys.readouterr()
    start = ["game", "compare", "kuhn", "--player", "best", "--seeds", "400", "--aivat", "--json", "--against"]
    [cell] = json.loads(said(capsys, *start, str(weak)))["games"]
    assert cell["exploitability"] > 0.02
    assert abs(cell["aivat"]["margin"] - 2 * cell["exploitability"]) < 4 * cell["aivat"]["error"]
    assert "best:NAME" in said(capsys, "game", "compare", "--help")


def test_an_estimate_is_of_what_the_player_has_won() -> None:
    game, saved = kuhn()
    method = aivat_for(game.program, saved.table)
    match = Match(game, 3)
    play(match, make_bot("random", game), SolvedPlayer("solved", saved, game))
    assert isinstance(method, TreeAivat)
    as_player, as_solver = (pairs.corrected(method, game, match.transcript(), seat) for seat in (0, 1))
    assert math.isfinite(as_player)
    assert math.isfinite(as_solver)
    assert as_player != -as_solver
