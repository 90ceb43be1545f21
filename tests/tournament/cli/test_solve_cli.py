"""`antemill solve`, of games and of benchmarks, and solved players at the table."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.rules.named import NAMED
from antemill.solver.algorithms.table import CHOICES
from antemill.solver.policies.file import read_policy, read_solution, write_policy
from antemill.solver.policies.solution import SavedPolicy
from antemill.solver.solving import real_measures
from antemill.solver.trees.build import build_tree
from antemill.tournament.cli.entry import run
from tests.tournament.cli.test_cli import complaint, document, said

KEYS = {"nodes", "information_sets", "value", "exploitability", "iterations", "seconds", "algorithm"}


# ------------------------------------------------------------------------------------------ one game


@pytest.mark.parametrize("algorithm", CHOICES)
def test_every_algorithm_solves_kuhn(algorithm: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "kuhn.parquet"
    arguments = ("solve", "kuhn", "--algorithm", algorithm, "--target", "0.01", "-o", str(path))
    found = document(capsys, *arguments, "--iterations", "200000")
    assert found.keys() >= KEYS
    assert (found["nodes"], found["information_sets"]) == (58, 12)
    assert found["exploitability"] <= 0.01
    assert found["value"] == pytest.approx(-1 / 18, abs=0.02)
    assert found["stopped"] == "target"
    assert found["algorithm"] == algorithm or (algorithm == "auto" and found["algorithm"] in CHOICES[1:])
    assert (found["measured"], found["lower_bound"], found["reached"]) == ("exact, on the tree", None, True)
    assert found["trace"]["measure"] == "exploitability"
    assert found["trace"]["points"][-1][2] == pytest.approx(found["exploitability"])
    saved = read_policy(path, compile_spec(NAMED["kuhn"]()))
    assert saved.solution.exploitability == found["exploitability"]
    assert saved.table.rows == 12


def test_a_run_that_stops_before_its_target_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    command = ("solve", "leduc", "--algorithm", "cfr+", "--iterations", "1")
    found = document(capsys, *command)
    assert (found["measured"], found["reached"], found["stopped"]) == ("exact, on the tree", False, "iterations")
    assert found["exploitability"] > found["target"]
    text = said(capsys, *command)
    assert "(exact, on the tree)" in text
    assert "0.001 (target not reached)" in text
    assert "0.001 (target reached)" in said(capsys, "solve", "leduc")


def test_an_abstraction_has_a_real_exploitability_beside_its_convergence(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "solve", "leduc", "--abstraction", "default")
    assert (found["abstraction"], found["algorithm"], found["stopped"]) == ("default", "cfr+", "target")
    assert found["abstract_regret"] <= 1e-3 < 0.5 < found["exploitability"]
    assert (found["information_sets"], found["abstract_sets"]) == (288, 108)
    assert found["trace"]["measure"] == "abstract_regret"
    text = said(capsys, "solve", "leduc", "--abstraction", "default")
    assert "still to gain within the abstraction" in text
    assert "0.001 (target not reached)" in text
    assert "stopped by the target within the abstraction" in text
    assert not found["reached"]
    assert "288" in text


SAMPLED = ("solve", "appendix-b", "--limit", "1000", "--abstraction", "default", "--iterations", "300")


def test_the_exploitability_of_a_saved_policy(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Found by sampling, measured on the tree or by samples; the file keeps the figures."""
    path, program = tmp_path / "policy.parquet", compile_spec(NAMED["appendix-b"]())
    found = document(capsys, *SAMPLED, "-o", str(path))
    saved = read_policy(path, program)
    wanted = real_measures(program, build_tree(program), saved.table)
    assert (found["measured"], found["nodes"], found["exploitability"]) == ("sampled lower bound", None, None)
    command = ("solve", "appendix-b", "--policy")
    again = document(capsys, *command, str(path), "--limit", "1000")
    assert again["lower_bound"] == found["lower_bound"]
    assert found["lower_bound"]["low"] <= wanted[1]
    assert "(95%:" in said(capsys, *command, str(path), "--limit", "1000")
    found = document(capsys, *command, str(tmp_path))
    assert (found["value"], found["exploitability"]) == pytest.approx(wanted, abs=1e-10)
    assert (found["policy"], found["target"], found["reached"]) == (str(path), 0.001, False)
    assert read_solution(path).exploitability == found["exploitability"]
    assert f"{found['exploitability']:.6f} (exact, on the tree)" in said(capsys, *command, str(path))
    assert [one.name for one in tmp_path.iterdir()] == ["policy.parquet"]
    for wrong, words in (
        ("--limit=0", "--limit is 0"),
        ("--workers=2", "leave out -o, --seconds, --iterations and --workers"),
        ("--seconds=1", "--seconds"),
    ):
        assert words in complaint(capsys, *command, str(path), wrong)
    assert "not for Kuhn" in complaint(capsys, "solve", "kuhn", "--policy", str(path))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("kuhn", "--algorithm", "magic"), "there is no algorithm 'magic': use one of auto, lp, cfr, "),
        (("kuhn", "--abstraction", "coarse"), "there is no abstraction 'coarse'"),
        (("kuhn", "--abstraction", "fine", "--algorithm", "lp"), "an abstraction cannot be solved by lp: use auto"),
        (("kuhn", "--target", "-1"), "the target is -1.0"),
        (("kuhn", "--target", "nan"), "the target is nan: give a finite number of chips, at least 0."),
        (("missing.efg", "--target", "inf%"), "the target 'inf%' is not a share of the range of payoffs"),
        (("kuhn", "--seconds", "0"), "the number of seconds must be positive"),
        (("kuhn", "--iterations", "0"), "the number of iterations must be positive"),
        (("kuhn", "--limit", "0"), "the number of nodes must be positive"),
        (("kuhn", "--workers", "2"), "--workers is for a benchmark"),
        (
            ("kuhn", "--limit", "99999999999999999999999"),
            "9 nodes cannot be numbered: use at most 2,147,483,647",
        ),
        (("missing.efg", "--limit", str(2**62 + 1)), "nodes cannot be numbered"),
        (
            ("leduc", "--limit", "1000"),
            "nodes, and the limit is 1,000: solve an abstraction of it (--abs",
        ),
        (("kuhn", "-o", "/nowhere/at/all.parquet"), "its folder does not exist"),
        (("kuhn", "-o", "."), "is a folder: name a file in it"),
        (("kuhn", "-o", "x.json"), "is a Parquet file: name a .parquet file, not x.json"),
        (("nothing",), "there is no game 'nothing'"),
        (("",), "there is no game ''"),
        (("missing.parquet",), "a benchmark needs a folder for its policies"),
    ],
)
def test_mistakes(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], sentence: str) -> None:
    assert sentence in complaint(capsys, "solve", *arguments)


TERMINAL = {**os.environ, "TERM": "xterm"}


@pytest.mark.slow
@pytest.mark.parametrize(("abstraction", "algorithm"), [("none", "cfr+"), ("default", "cfr+"), ("default", "mccfr")])
def test_an_interrupt_leaves_the_best_policy(abstraction: str, algorithm: str, tmp_path: Path) -> None:
    path = tmp_path / "leduc.parquet"
    how = ("leduc", "--target", "0", "--abstraction", abstraction, "--algorithm", algorithm)
    limits = ("--iterations", "1000000000", "--seconds", "600", "-o", str(path))
    command = [sys.executable, "-m", "antemill.tournament.cli", "solve", *how, *limits]
    ours, theirs = os.openpty()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, text=True, env=TERMINAL) as child:
        os.close(theirs)
        shown = b""
        while not re.search(rb"iteration \d+,\d{3}", shown):  # the very first policies are hardly better than chance
            shown += os.read(ours, 65536)
        child.send_signal(signal.SIGINT)
        with suppress(OSError):  # the other end is closed
            while os.read(ours, 65536):
                pass
        out, _ = child.communicate(timeout=60)
    os.close(ours)
    assert child.returncode == 0
    found = read_policy(path).solution
    assert "stopped by you" in " ".join(out.split())
    assert found.exploitability is not None
    assert (found.stopped, found.iterations > 0, found.exploitability < 2) == ("interrupted", True, True)
    assert [each.name for each in tmp_path.iterdir()] == ["leduc.parquet"]


# ------------------------------------------------------------------------------------------ at the table


def test_solved_players_sit_down(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = str(tmp_path / "leduc.parquet")
    document(capsys, "solve", "leduc", "--abstraction", "default", "-o", path)
    for alice, bob in (("cfr", "best"), (path, "random"), (str(tmp_path), "l1"), ("best", path)):
        arguments = ("game", "play", "leduc", "--alice", alice, "--bob", bob, "--matches", "20")
        found = document(capsys, *arguments)
        assert found == document(capsys, *arguments)
        assert found["players"] == {"alice": alice, "bob": bob}
        assert len(found["matches"]) == 20
    one = document(capsys, "game", "play", "leduc", "--alice", path, "--bob", "cfr")
    assert one["transcript"]["seats"] == [path, "cfr"]


@pytest.mark.parametrize("abstraction", ["none", "default"])
def test_rows_that_a_policy_lacks_are_counted(
    abstraction: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, game = tmp_path / "policy.parquet", "2@0.1"
    assert run(["solve", game, "--abstraction", abstraction, "--iterations", "20", "-o", str(path)]) == 0
    capsys.readouterr()
    assert document(capsys, "solve", game, "--policy", str(path))["missing_sets"] == 0
    saved = read_policy(path)
    table = saved.table
    kept = table._replace(
        key=table.key[:-3], seat=table.seat[:-3], decision=table.decision[:-3], start=table.start[:-3],
        action=table.action[: table.start[-4]], probability=table.probability[: table.start[-4]],
    )  # fmt: skip
    write_policy(path, SavedPolicy(saved.solution, kept))
    assert document(capsys, "solve", game, "--policy", str(path))["missing_sets"] == 3
    text = said(capsys, "solve", game, "--policy", str(path))
    assert re.search(r"information sets without a row +3, played uniformly", text)


# ------------------------------------------------------------------------------------------ games from outside


def test_a_game_from_outside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exported, read back, solved: the same value, and a policy by the names in the file."""
    game, policy = tmp_path / "kuhn.efg", tmp_path / "policy.json"
    assert run(["game", "export", "kuhn", "-o", str(game)]) == 0
    capsys.readouterr()
    found = document(capsys, "solve", str(game), "--target", "1e-6", "-o", str(policy))
    assert found.keys() >= KEYS
    assert (found["nodes"], found["information_sets"], found["policy"]) == (58, 12, str(policy))
    assert found["value"] == pytest.approx(-1 / 18, abs=2e-6)
    saved = json.loads(policy.read_text())
    assert (saved["game"], saved["value"]) == (found["game"], found["value"])
    assert {player: len(sets) for player, sets in saved["policy"].items()} == {"Alice": 6, "Bob": 6}
    assert "value for the first player" in said(capsys, "solve", str(game))
    shouted = tmp_path / "KUHN.EFG"
    shouted.write_bytes(game.read_bytes())
    assert document(capsys, "solve", str(shouted), "--target", "1e-6")["value"] == found["value"]


def test_policies_of_a_game_from_outside_are_measured_and_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game, policy, part = tmp_path / "kuhn.efg", tmp_path / "policy.json", tmp_path / "part.json"
    assert run(["game", "export", "kuhn", "-o", str(game)]) == 0
    capsys.readouterr()
    solved = document(capsys, "solve", str(game), "--target", "1e-6", "-o", str(policy))
    found = document(capsys, "solve", str(game), "--policy", str(policy))
    assert (found["value"], found["missing_sets"]) == (pytest.approx(solved["value"], abs=1e-12), 0)
    assert found["exploitability"] == pytest.approx(solved["exploitability"], abs=1e-12)

    rows = json.loads(policy.read_text())["policy"]
    kept = dict(list(rows["Alice"].items())[:4])
    part.write_text(json.dumps({"Alice": kept}))  # the "policy" of a file alone, with rows missing
    lacking = document(capsys, "solve", str(game), "--policy", str(part))
    assert lacking["missing_sets"] == 8
    assert lacking["exploitability"] > 0.1
    assert "8, played uniformly" in said(capsys, "solve", str(game), "--policy", str(part))

    edges = {
        player: document(capsys, "game", "compare", str(game), "--player", player, "--against", str(policy))
        for player in ("random", "l1", str(policy))
    }
    assert edges[str(policy)]["margin"] == 0
    assert edges["random"]["margin"] < edges["l1"]["margin"] < 1e-5
    assert edges["random"]["as_first"] - edges["random"]["as_second"] == edges["random"]["margin"]
    assert edges[str(policy)]["missing_sets"] == {"player": 0, "policy": 0}
    told = said(capsys, "game", "compare", str(game), "--player", "l1", "--against", str(part))
    assert "exact, on the tree" in told
    assert "without a row of the policy" in told
    assert "8, played uniformly" in told
    assert "of the player" not in told
    part.write_bytes(policy.read_text().encode("utf-16"))  # as PowerShell writes it
    assert document(capsys, "solve", str(game), "--policy", str(part)) == found | {"policy": str(part)}

    part.write_text('{"Alice": {"nothing": {"bet": 1}}}')
    assert "no information set of Alice called 'nothing'" in complaint(
        capsys, "solve", str(game), "--policy", str(part)
    )
    part.write_text('{"Alice": null}')
    assert "is no policy of a game from outside" in complaint(capsys, "solve", str(game), "--policy", str(part))
    compared = "game", "compare", str(game), "--against", str(policy), "--player"
    assert "no player 'cfr' for a game from outside" in complaint(capsys, *compared, "cfr")
    assert "leave out --aivat" in complaint(capsys, *compared, "l1", "--aivat")


def test_a_game_from_outside_that_can_not_be_solved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = tmp_path / "game.efg"
    game.write_text('EFG 2 R "x" { "a" "b" }\nt "" 1 "" { 1 }\n')
    assert f"{game}, line 2: outcome 1 has 1 payoffs:" in complaint(capsys, "solve", str(game))
    game.write_text('EFG 2 R "x" { "a" "b" }\nt "" 1 "" { 1 -1 }\n')
    assert found_value(capsys, str(game)) == 1.0
    for options, reason in (
        (("--abstraction", "default"), "solved on its tree: leave out the abstraction"),
        (("--algorithm", "mccfr"), "solved on its tree: leave out the abstraction and the sampling"),
        (("-o", str(tmp_path / "x.parquet")), "name a .json file"),
        (("-o", str(tmp_path / "none" / "x.json")), "its folder does not exist"),
    ):
        assert reason in complaint(capsys, "solve", str(game), *options)


def found_value(capsys: pytest.CaptureFixture[str], game: str) -> float:
    return float(document(capsys, "solve", game)["value"])


def test_openspiels_games_need_openspiel(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    for module in ("openspiel", "openspiel_games"):
        monkeypatch.delitem(sys.modules, f"antemill.tournament.adapters.{module}", raising=False)
    text = complaint(capsys, "solve", "openspiel:kuhn_poker")
    assert "OpenSpiel's games need pyspiel: install antemill[openspiel]." in text
