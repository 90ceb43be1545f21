"""Saved policies: whole or absent, refused for other games, and played as they say (N13, D9)."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import StorageError, UsageError
from antemill.engine.machine.policy import UNIFORM
from antemill.engine.machine.rollout import rollout, streams
from antemill.engine.match import Match
from antemill.engine.rules.named import NAMED
from antemill.solver.evaluation.measures import best_response, measure
from antemill.solver.evaluation.sampled_response import self_play
from antemill.solver.policies import file as policy_file
from antemill.solver.policies.file import (
    encode_policy,
    find_policy,
    list_policies,
    load_policy,
    read_policy,
    read_solution,
    write_policy,
)
from antemill.solver.policies.on_tree import policy_on_tree
from antemill.solver.policies.policy import strategy_of
from antemill.solver.policies.profile import StrategyProfile
from antemill.solver.policies.solution import SavedPolicy
from antemill.solver.trees.abstraction import Abstraction
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import sides
from antemill.tournament.players import PolicyPlayer, make_bot, make_bots, play
from antemill.tournament.players.policy import l1_policy, mixed_policy
from antemill.tournament.players.solved import SolvedPlayer
from tests.solver.solved_games import game, program, solved

# ------------------------------------------------------------------------------------------------ files


@pytest.mark.parametrize("abstraction", ["none", "default", "fine"])
def test_a_policy_comes_back_as_it_was(abstraction: str, tmp_path: Path) -> None:
    path = tmp_path / "policy.parquet"
    saved = solved("appendix-b", abstraction)
    write_policy(path, saved)
    back = read_policy(path, program("appendix-b"))
    assert back.solution == msgspec.structs.replace(saved.solution, keys=policy_file.keys_digest())
    assert back.table.abstraction.label == abstraction
    assert np.all(np.diff(back.table.key[back.table.seat == 0]) > 0)
    for row in np.random.default_rng(1).integers(0, back.table.rows, 50):
        (old,) = np.flatnonzero(saved.table.key == back.table.key[row])
        for name in ("seat", "decision"):
            assert getattr(back.table, name)[row] == getattr(saved.table, name)[old]
        for name in ("action", "probability"):
            parts = [
                getattr(table, name)[table.start[i] : table.start[i + 1]]
                for table, i in ((back.table, row), (saved.table, old))
            ]
            assert np.array_equal(parts[0], parts[1])
    assert [path.name for path in tmp_path.iterdir()] == ["policy.parquet"]


def test_the_bytes_depend_on_the_content_alone() -> None:
    saved = solved("kuhn")
    assert encode_policy(saved) == encode_policy(saved)
    table = saved.table
    order = np.arange(table.rows)[::-1]
    width = np.diff(table.start)[order]
    places = np.concatenate([np.arange(table.start[i], table.start[i + 1]) for i in order])
    turned = table._replace(
        key=table.key[order],
        seat=table.seat[order],
        decision=table.decision[order],
        start=np.concatenate(([0], np.cumsum(width))),
        action=table.action[places],
        probability=table.probability[places],
    )
    assert encode_policy(SavedPolicy(saved.solution, turned)) == encode_policy(saved)


def test_a_policy_of_another_game_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.parquet"
    write_policy(path, solved("kuhn"))
    sentence = r"is for Kuhn poker \(digest .*\), not for Leduc poker \(.*\): solve this game, or play that one"
    with pytest.raises(UsageError, match=sentence):
        read_policy(path, program("leduc"))
    suited = compile_spec(NAMED["kuhn"](), suited=True)
    with pytest.raises(UsageError, match="not for Kuhn poker"):
        read_policy(path, suited)


def test_a_folder_is_searched_by_digest(tmp_path: Path) -> None:
    for name in ("kuhn", "leduc"):
        write_policy(tmp_path / f"{name}.parquet", solved(name))
    pq.write_table(pa.table({"key": [1]}), tmp_path / "other.parquet")
    assert [solution.game for _, solution in list_policies(tmp_path)] == ["Kuhn poker", "Leduc poker"]
    assert find_policy(tmp_path, program("leduc")).solution.game == "Leduc poker"
    assert load_policy(tmp_path, program("kuhn")).solution.game == "Kuhn poker"
    with pytest.raises(StorageError, match="has no policy for Appendix B"):
        find_policy(tmp_path, program("appendix-b"))


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[20] ^= 0xFF
    path.write_bytes(bytes(data))


def rewrite(path: Path, **columns: list[object]) -> None:
    """Replace columns, and leave the header as it is."""
    table = pq.read_table(path)
    for name, values in columns.items():
        place = table.schema.get_field_index(name)
        table = table.set_column(place, table.schema.field(name), pa.array(values, table.schema.field(name).type))
    pq.write_table(table, path)


def test_files_that_are_no_policy_or_damaged_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.parquet"
    with pytest.raises(StorageError, match="there is no file"):
        read_policy(path)
    path.write_text("not Parquet")
    with pytest.raises(StorageError, match="not a Parquet file"):
        read_policy(path)
    pq.write_table(pa.table({"key": [1]}), path)
    with pytest.raises(StorageError, match="is a Parquet file, but not a policy"):
        read_policy(path)
    write_policy(path, solved("kuhn"))
    damage(path)
    with pytest.raises(StorageError, match="is damaged"):
        read_policy(path)


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"probabilities": [[0.5, 0.6]] * 12}, "a sum of 1"),
        ({"probabilities": [[float("nan"), 1.0]] * 12}, "at least 0"),
        ({"probabilities": [[1.0]] * 12}, "do not fit each other"),
        ({"probabilities": [[]] * 12, "actions": [[]] * 12}, "has no action"),
        ({"key": [7] * 12}, "keys are equal"),
    ],
)
def test_impossible_policies_are_damaged_files(columns: dict[str, list[object]], sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "policy.parquet"
    write_policy(path, solved("kuhn"))
    rewrite(path, **columns)
    with pytest.raises(StorageError, match=f"is damaged .*{sentence}"):
        read_policy(path)


def test_other_versions_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "policy.parquet"
    for name, value in (("VERSION", 9), ("ABSTRACTION_VERSION", 9), ("keys_digest", lambda: "another")):
        write_policy(path, solved("kuhn"))
        assert read_solution(path).game == "Kuhn poker"
        with monkeypatch.context() as patch:
            patch.setattr(policy_file, name, value)
            with pytest.raises(StorageError, match="saved by another version of antemill"):
                read_solution(path)


# ------------------------------------------------------------------------------------------------ players


@pytest.mark.parametrize("abstraction", ["none", "default", "fine"])
def test_a_player_plays_as_the_kernels_do(abstraction: str) -> None:
    """Keys from what the seat was told are the kernels' keys, secret bids included."""
    name, saved = "appendix-b", solved("appendix-b", abstraction)
    player = SolvedPlayer("solver", saved, game(name))
    strategy = strategy_of(saved.table)
    for seed in range(60):
        won = play(Match(game(name), seed), player, player).payoffs[0]
        assert won == self_play(program(name), strategy, streams(seed), 1)[0]
    assert player.unseen == 0


# ------------------------------------------------------------------------------------------------ cfr and best


def test_cfr_is_near_an_equilibrium() -> None:
    player = make_bot("cfr", game("leduc"))
    assert isinstance(player, SolvedPlayer)
    assert player.saved.solution.exploitability is not None
    assert player.saved.solution.exploitability < 0.01
    assert player.saved.solution.abstraction == "none"


def test_a_best_response_has_the_best_value() -> None:
    saved = solved("leduc", "none", 5)
    tree = build_tree(program("leduc"))
    both = sides(tree)
    opponent = SolvedPlayer("solver", saved, game("leduc"))
    from antemill.solver.policies.on_tree import policies_of
    from antemill.solver.trees.abstract_sets import abstract_sets, lift

    abstract = abstract_sets(program("leduc"), tree, Abstraction.NONE)
    policies, _ = policies_of(abstract, saved.table)
    profile: StrategyProfile = (lift(abstract[0], policies[0]), lift(abstract[1], policies[1]))
    best = measure(both, profile).best_responses
    for seat in (0, 1):
        mine = best_response(both, seat, profile[1 - seat])
        pair = (mine, profile[1]) if seat == 0 else (profile[0], mine)
        assert measure(both, pair).value * (1 - 2 * seat) == pytest.approx(best[seat], abs=1e-12)
        names = ("best", "random") if seat == 0 else ("random", "best")
        assert isinstance(make_bots(names, game("leduc"))[seat], SolvedPlayer)
    from antemill.tournament.players.solver_players import best_player

    won = best_player(game("leduc"), opponent, 1).saved.solution.value
    assert won == pytest.approx(-best[1], abs=1e-12)


def test_kernel_policies_play_the_tree_as_they_play_matches() -> None:
    name = "appendix-b"
    tree = build_tree(program(name))
    both = sides(tree)
    policies = {"random": UNIFORM, "l1": l1_policy(game(name)), "mixed": mixed_policy(game(name))}
    for alice, bob in (("random", "random"), ("l1", "mixed"), ("mixed", "l1")):
        profile = tuple(
            policy_on_tree(program(name), tree, policies[who], seat) for seat, who in enumerate((alice, bob))
        )
        log = rollout(program(name), 40_000, streams(5), policies[alice], policies[bob])
        error = log.payoff.std() / len(log.payoff) ** 0.5
        assert abs(measure(both, (profile[0], profile[1])).value - log.payoff.mean()) < 4 * error


def test_best_needs_an_opponent_whose_policy_is_known() -> None:
    with pytest.raises(UsageError, match="the policy of 'passive' is not known"):
        make_bots(("best", "passive"), game("kuhn"))
    with pytest.raises(UsageError, match="best is a response"):
        make_bots(("best", "best"), game("kuhn"))
    tree, shifted = build_tree(program("kuhn")), l1_policy(game("kuhn"))._replace(shifted=0)
    with pytest.raises(UsageError, match="a perturbed policy"):
        policy_on_tree(program("kuhn"), tree, shifted, 0)
    assert isinstance(make_bots(("l1", "best"), game("kuhn"))[0], PolicyPlayer)
