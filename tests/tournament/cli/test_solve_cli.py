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
from typing import Any

import pytest

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.rules.named import NAMED
from antemill.solver.algorithms.loop import Progress
from antemill.solver.algorithms.table import CHOICES
from antemill.solver.policies.file import read_policy, read_solution, write_policy
from antemill.solver.policies.solution import SavedPolicy
from antemill.solver.solving import Settings, real_measures, solve_game
from antemill.solver.trees.build import build_tree
from antemill.tournament.cli.app import app
from antemill.tournament.cli.entry import run
from antemill.tournament.cli.solve import line

KEYS = {"nodes", "information_sets", "value", "exploitability", "iterations", "seconds", "algorithm"}


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return json.loads(said(capsys, *arguments, "--json"))


def complaint(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("antemill: ")
    assert err.count("\n") == 1
    return err


# ------------------------------------------------------------------------------------------ one game


def test_the_help_has_examples_that_parse(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "solve", "--help")
    examples = [text_line.split()[1:] for text_line in text.splitlines() if text_line.strip().startswith("antemill s")]
    assert len(examples) >= 4
    for example in examples:
        app.parse_args(example, exit_on_error=False, print_error=False)


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


@pytest.mark.parametrize("algorithm", ["auto", "lp"])
def test_a_run_to_nothing_stops_with_the_precision(capsys: pytest.CaptureFixture[str], algorithm: str) -> None:
    command = ("solve", "kuhn", "--target", "0", "--algorithm", algorithm)
    found = document(capsys, *command)
    assert 0 < found["exploitability"] < 1e-15
    assert (found["target"], found["reached"], found["stopped"]) == (0.0, False, "precision")
    text = said(capsys, *command)
    assert "0 (target not reached: numbers of 64 bits go no further)" in text
    assert "stopped by the precision of 64 bits" in text


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


def test_mccfr_of_an_abstraction_is_measured_on_the_real_tree(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("solve", "leduc", "--algorithm", "mccfr", "--abstraction", "default", "--iterations", "3000")
    found = document(capsys, *arguments)
    assert found["iterations"] == 3000
    assert 0.5 < found["exploitability"] < 1.5


def test_a_game_without_a_tree_has_a_lower_bound(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "policy.parquet"
    arguments = (
        "solve",
        "appendix-b",
        "--limit",
        "1000",
        "--abstraction",
        "default",
        "--iterations",
        "300",
        "--episodes",
        "40000",
        "--exact",
        "50000",
    )
    found = document(capsys, *arguments, "-o", str(path))
    assert found["measured"] == "sampled lower bound"
    assert found["response_nodes"] > 50_000
    assert found["nodes"] is None
    assert found["exploitability"] is None
    bound = found["lower_bound"]
    assert bound["low"] < bound["mean"] < bound["high"]
    assert (found["algorithm"], found["stopped"]) == ("mccfr", "iterations")
    assert abs(found["value"]) < 2
    assert found["value_error"] > 0
    whole = solve_game(compile_spec(NAMED["appendix-b"]()), Settings(abstraction="default", iterations=1))
    assert found["abstract_sets"] <= (whole.saved.solution.abstract_sets or 0)
    assert not found["reached"]
    text = said(capsys, *arguments)
    assert "target not reached: the exploitability itself is not known" in text
    assert "too many to build" in text
    assert "exploitability, lower bound" in text
    assert "95%" in text
    assert "nodes that best responses visit" in text


SAMPLED = ("solve", "appendix-b", "--limit", "1000", "--abstraction", "default", "--iterations", "300")


def test_without_a_tree_best_responses_give_the_exact_figures(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path, program = tmp_path / "policy.parquet", compile_spec(NAMED["appendix-b"]())
    found = document(capsys, *SAMPLED, "--episodes", "0", "-o", str(path))
    saved = read_policy(path, program)
    wanted = real_measures(program, build_tree(program), saved.table)
    assert (found["value"], found["exploitability"]) == pytest.approx(wanted, abs=1e-10)
    assert (found["measured"], found["nodes"], found["lower_bound"]) == ("exact, best response", None, None)
    assert (saved.solution.exploitability, saved.solution.value) == (found["exploitability"], found["value"])
    assert [one.name for one in tmp_path.iterdir()] == ["policy.parquet"]
    assert "(exact, best response)" in said(capsys, *SAMPLED, "--episodes", "0")
    assert "is not a number of nodes" in complaint(capsys, "solve", "kuhn", "--exact=-1")


def test_the_exploitability_of_a_saved_policy(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path, program = tmp_path / "policy.parquet", compile_spec(NAMED["appendix-b"]())
    said(capsys, *SAMPLED, "--episodes", "0", "--exact", "0", "-o", str(path))
    assert read_solution(path).measured == ""
    command = ("game", "exploitability", "appendix-b")
    sentence = complaint(capsys, *command, str(path), "--limit", "1000")
    assert "a best response in Appendix B (seed 4643) visits about " in sentence
    assert "the limit is 1.0e+03: raise it" in sentence
    found = document(capsys, *command, str(tmp_path), "--workers", "2")
    wanted = real_measures(program, build_tree(program), read_policy(path, program).table)
    assert (found["value"], found["exploitability"]) == pytest.approx(wanted, abs=1e-10)
    assert found["policy"] == str(path)
    assert read_solution(path).exploitability == found["exploitability"]
    text = said(capsys, *command, str(path))
    assert f"{found['exploitability']:.6f} (exact, best response)" in text
    assert "0.001 (target not reached)" in text
    assert (found["target"], found["reached"]) == (0.001, False)
    assert [one.name for one in tmp_path.iterdir()] == ["policy.parquet"]
    for wrong, words in (("--limit=0", "--limit is 0"), ("--workers=0", "--workers is 0")):
        assert words in complaint(capsys, *command, str(path), wrong)
    assert run(("game", "exploitability", "kuhn", str(path))) == 2
    assert "not for Kuhn" in capsys.readouterr().err


def test_a_policy_can_be_continued(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for abstraction in ("none", "default"):
        path = str(tmp_path / f"{abstraction}.parquet")
        arguments = ("solve", "appendix-b", "--algorithm", "cfr+", "--abstraction", abstraction, "--target", "0")
        first = document(capsys, *arguments, "--iterations", "400", "-o", path)
        again = document(capsys, *arguments, "--iterations", "10", "--warm-start", path)
        cold = document(capsys, *arguments, "--iterations", "10")
        assert first["stopped"] == again["stopped"] == "iterations"
        assert again["exploitability"] < 0.6 * cold["exploitability"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("kuhn", "--algorithm", "magic"), "there is no algorithm 'magic': use one of auto, lp, cfr, "),
        (("kuhn", "--abstraction", "coarse"), "there is no abstraction 'coarse'"),
        (("kuhn", "--abstraction", "fine", "--algorithm", "lp"), "an abstraction cannot be solved by lp: use auto"),
        (("kuhn", "--target", "-1"), "the target is -1.0"),
        (("kuhn", "--target", "nan"), "the target is nan: give a finite number of chips, at least 0."),
        (("kuhn", "--target", "inf"), "the target is inf: give a finite number of chips, at least 0."),
        (("missing.efg", "--target", "inf"), "the target is inf: give a finite number of chips, at least 0."),
        (("missing.efg", "--target", "inf%"), "the target 'inf%' is not a share of the range of payoffs"),
        (("kuhn", "--seed", "-1"), "the argument `seed` must be a whole number from 0 to 2^63 - 1, and is -1"),
        (("kuhn", "--seconds", "0"), "the number of seconds must be positive"),
        (("kuhn", "--iterations", "0"), "the number of iterations must be positive"),
        (("kuhn", "--limit", "0"), "the number of nodes must be positive"),
        (("kuhn", "--workers", "0"), "the number of workers must be positive"),
        (("kuhn", "--episodes", "10"), "10 episodes are too few for a lower bound: use at least 1,000, or 0 for none"),
        (
            ("kuhn", "--limit", "99999999999999999999999"),
            "9 nodes cannot be counted: use at most 2^62",
        ),
        (("missing.efg", "--limit", str(2**62 + 1)), "nodes cannot be counted"),
        (("kuhn", "--exact", str(2**62 + 1)), "nodes cannot be counted"),
        (("kuhn", "--episodes", "1000000001"), "1000000001 episodes are too many: use at most 1,000,000,000"),
        (("leduc", "--limit", "1000"), "has more than 1,000 nodes: use --abstraction default"),
        (("kuhn", "-o", "/nowhere/at/all.parquet"), "its folder does not exist"),
        (("kuhn", "-o", "."), "is a folder: name a file in it"),
        (("kuhn", "--warm-start", "missing.parquet"), "there is no file missing.parquet"),
        (("kuhn", "-o", "x.json"), "is a Parquet file: name a .parquet file, not x.json"),
        (("kuhn", "-o", "x.EFG"), "is a Parquet file: name a .parquet file, not x.EFG"),
        (("nothing",), "there is no game 'nothing'"),
        (("",), "there is no game ''"),
        (("missing.parquet",), "a benchmark needs a folder for its policies"),
        (("missing.parquet", "-o", "x", "--warm-start", "y"), "--warm-start does not work"),
    ],
)
def test_mistakes(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], sentence: str) -> None:
    assert sentence in complaint(capsys, "solve", *arguments)


def test_the_largest_limits_are_limits(capsys: pytest.CaptureFixture[str]) -> None:
    most = ("--limit", str(2**62), "--exact", str(2**62), "--episodes", "1000000000", "--iterations", str(10**30))
    assert document(capsys, "solve", "kuhn", *most)["stopped"] == "target"
    assert document(capsys, "solve", "kuhn", *most, "--algorithm", "mccfr", "--target", "0.1")["stopped"] == "target"


def test_more_threads_than_processors_are_not_started(capsys: pytest.CaptureFixture[str]) -> None:
    """A thousand threads that wait for each other would not come to the end of an iteration."""
    few, many = (
        document(capsys, "solve", "kuhn", "--workers", workers, "--seconds", "60") for workers in ("1", "1000")
    )
    assert many["stopped"] == "target"
    assert (many["value"], many["iterations"]) == (few["value"], few["iterations"])


def test_one_game_is_solved_on_one_machine(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--executor is for the games of a benchmark" in complaint(capsys, "solve", "kuhn", "--executor", "ray")


def test_a_warm_start_must_fit(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = str(tmp_path / "kuhn.parquet")
    document(capsys, "solve", "kuhn", "-o", path)
    assert "not for Leduc poker" in complaint(capsys, "solve", "leduc", "--warm-start", path)
    wrong = ("solve", "kuhn", "--warm-start", path)
    assert "use --abstraction none" in complaint(capsys, *wrong, "--abstraction", "fine")
    assert "cannot start with a policy" in complaint(capsys, *wrong, "--algorithm", "mccfr")


def test_the_live_line_says_how_far_it_is() -> None:
    progress = Progress("cfr+", 12_000, 3.2, 0.0123, 1e-3, 75.0)
    assert line(progress, "exploitability") == (
        "cfr+, iteration 12,000, exploitability 0.012 (target 0.001), 3 s, about 1 min 15 s left; "
        "Ctrl-C stops and keeps the policy"
    )
    early = progress._replace(measure=float("nan"), seconds_left=None)
    assert line(early, "exploitability") == "cfr+, iteration 12,000, 3 s; Ctrl-C stops and keeps the policy"


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


def test_the_best_response_wins_against_the_abstract_policy(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Leduc's default abstraction loses about 0.8 chips a game."""
    path = str(tmp_path / "leduc.parquet")
    document(capsys, "solve", "leduc", "--abstraction", "default", "-o", path)
    found = document(capsys, "game", "play", "leduc", "--alice", "best", "--bob", path, "--matches", "400")
    assert found["total"]["alice"] > 0


def test_players_that_can_not_sit_down(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = str(tmp_path / "leduc.parquet")
    document(capsys, "solve", "leduc", "--iterations", "5", "-o", path)
    play = ("game", "play", "kuhn", "--bob", "random", "--alice")
    assert "is for Leduc poker" in complaint(capsys, *play, path)
    assert "has no policy for Kuhn poker" in complaint(capsys, *play, str(tmp_path))
    assert "or the path of a policy" in complaint(capsys, *play, "deep blue")
    assert "let a bot play there" in complaint(capsys, "game", "play", "kuhn", "--alice", "human", "--bob", "best")


def test_a_response_to_a_named_bot_is_the_response_to_it_in_the_other_seat(capsys: pytest.CaptureFixture[str]) -> None:
    play = ("game", "play", "kuhn", "--matches", "50", "--bob", "random", "--alice")
    totals = [document(capsys, *play, who)["total"]["alice"] for who in ("best", "best:random", "best:cfr")]
    assert totals[0] == totals[1] > totals[2]


@pytest.mark.parametrize("abstraction", ["none", "default", "suits"])
def test_rows_that_a_policy_lacks_are_counted(
    abstraction: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, game = tmp_path / "policy.parquet", "2@0.1"
    assert run(["solve", game, "--abstraction", abstraction, "--iterations", "20", "-o", str(path)]) == 0
    capsys.readouterr()
    assert document(capsys, "game", "exploitability", game, str(path))["missing_sets"] == 0
    saved = read_policy(path)
    table = saved.table
    kept = table._replace(
        key=table.key[:-3], seat=table.seat[:-3], decision=table.decision[:-3], start=table.start[:-3],
        action=table.action[: table.start[-4]], probability=table.probability[: table.start[-4]],
    )  # fmt: skip
    write_policy(path, SavedPolicy(saved.solution, kept))
    assert document(capsys, "game", "exploitability", game, str(path))["missing_sets"] == 3
    text = said(capsys, "game", "exploitability", game, str(path))
    assert re.search(r"decisions without a row +3, played uniformly", text)


# ------------------------------------------------------------------------------------------ games from outside


def test_a_game_from_outside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exported, read back, solved: the same value, and a policy by the names in the file."""
    game, policy = tmp_path / "kuhn.efg", tmp_path / "policy.json"
    assert run(["game", "export", "kuhn", "--format", "efg", "-o", str(game)]) == 0
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


def test_policies_of_a_game_from_outside_are_measured_compared_and_started_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game, policy, part = tmp_path / "kuhn.efg", tmp_path / "policy.json", tmp_path / "part.json"
    assert run(["game", "export", "kuhn", "--format", "efg", "-o", str(game)]) == 0
    capsys.readouterr()
    solved = document(capsys, "solve", str(game), "--target", "1e-6", "-o", str(policy))
    found = document(capsys, "game", "exploitability", str(game), str(policy))
    assert (found["value"], found["missing_sets"]) == (pytest.approx(solved["value"], abs=1e-12), 0)
    assert found["exploitability"] == pytest.approx(solved["exploitability"], abs=1e-12)
    again = document(capsys, "solve", str(game), "--target", "1e-6", "--warm-start", str(policy))
    assert (again["iterations"], again["reached"]) == (0, True)

    rows = json.loads(policy.read_text())["policy"]
    kept = dict(list(rows["Alice"].items())[:4])
    part.write_text(json.dumps({"Alice": kept}))  # the "policy" of a file alone, with rows missing
    lacking = document(capsys, "game", "exploitability", str(game), str(part))
    assert lacking["missing_sets"] == 8
    assert lacking["exploitability"] > 0.1
    assert "8 of 12, played uniformly" in said(capsys, "game", "exploitability", str(game), str(part))

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
    assert run(["solve", str(game), "--iterations", "5", "--warm-start", str(part)]) == 0
    assert "has no row for 8 of 12 information sets" in capsys.readouterr().err
    part.write_bytes(policy.read_text().encode("utf-16"))  # as PowerShell writes it
    assert document(capsys, "game", "exploitability", str(game), str(part)) == found | {"policy": str(part)}

    part.write_text('{"Alice": {"nothing": {"bet": 1}}}')
    assert "no information set of Alice called 'nothing'" in complaint(
        capsys, "game", "exploitability", str(game), str(part)
    )
    part.write_text('{"Alice": null}')
    assert "is no policy of a game from outside" in complaint(capsys, "solve", str(game), "--warm-start", str(part))
    compared = "game", "compare", str(game), "--against", str(policy), "--player"
    assert "no player 'cfr' for a game from outside" in complaint(capsys, *compared, "cfr")
    assert "leave out --aivat" in complaint(capsys, *compared, "l1", "--aivat")
    assert "more than 57 nodes" in complaint(capsys, *compared, "l1", "--limit", "57")
    assert document(capsys, *compared, "l1", "--limit", "58") == edges["l1"]


def test_names_with_brackets_are_shown_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The live line names the file while it is read, and then the game."""
    monkeypatch.setattr("antemill.tournament.cli.solve.is_watched", lambda quiet: not quiet)
    (tmp_path / "[").mkdir()
    game = tmp_path / "[" / "b].efg"
    game.write_text('EFG 2 R "x [/i]" { "a" "b" }\nt "" 1 "" { 1 -1 }\n')
    assert run(["solve", str(game)]) == 0
    assert "x [/i]" in capsys.readouterr().out


def test_tiny_payoffs_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A game for billionths of a chip, of whose value and exploitability six decimals would show nothing."""
    game = tmp_path / "pennies.efg"
    ends = ('t "" 1 "" { 2e-9 -2e-9 }', 't "" 2 "" { -1e-9 1e-9 }')
    game.write_text(
        'EFG 2 R "Pennies" { "Ann" "Ben" }\np "" 1 1 "" { "h" "t" } 0\n'
        f'p "" 2 1 "" {{ "h" "t" }} 0\n{ends[0]}\n{ends[1]}\np "" 2 1 0\n{ends[1]}\n{ends[1]}\n'
    )
    text = said(capsys, "solve", str(game), "--iterations", "1", "--algorithm", "cfr")
    assert re.search(r"value for the first player +-\d\.\d+e-\d\d", text)
    assert re.search(r"exploitability +\d\.\d+e-\d\d \(exact, on the tree\)", text)
    found = document(capsys, "solve", str(game))
    assert found["reached"]
    assert (found["target"], found["value"]) == pytest.approx((3e-12, -1e-9), rel=0.01)
    assert "'abc' is neither a number of chips such as 0.001 nor" in complaint(
        capsys, "solve", str(game), "--target", "abc"
    )


def test_a_game_from_outside_that_can_not_be_solved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = tmp_path / "game.efg"
    game.write_text('EFG 2 R "x" { "a" "b" }\nt "" 1 "" { 1 }\n')
    assert f"{game}, line 2: outcome 1 has 1 payoff:" in complaint(capsys, "solve", str(game))
    game.write_text('EFG 2 R "x" { "a" "b" }\nt "" 1 "" { 1 -1 }\n')
    assert found_value(capsys, str(game)) == 1.0
    for options, reason in (
        (("--abstraction", "default"), "solved on its tree: leave out the abstraction"),
        (("--algorithm", "mccfr"), "solved on its tree: leave out the abstraction and the sampling"),
        (("--warm-start", "x.parquet"), "there is no file x.parquet"),
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
