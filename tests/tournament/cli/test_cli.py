"""The command line: pure JSON on stdout, one sentence on stderr and exit code 2 for mistakes, a light `--help`."""

import errno
import importlib
import inspect
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, TextIO

import pytest
from cyclopts import App
from msgspec.structs import replace

from antemill.axes import AXES
from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import StorageError
from antemill.engine.rules.named import kuhn
from antemill.engine.rules.spec import Ante, Deck, GameSpec, Steps, to_json
from antemill.engine.text.describe import random_playout
from antemill.tournament.cli.app import COMMANDS, app, docstring
from antemill.tournament.cli.entry import run
from antemill.tournament.pool import stats
from tests.tournament.pool.pool_jobs import files_of, scored_pool

ANTEMILL = [sys.executable, "-m", "antemill.tournament.cli"]


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command that succeeds prints; nothing may go to stderr, which is no terminal here."""
    assert run(arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """The JSON document of a command; there is nothing else on stdout."""
    return json.loads(said(capsys, *arguments, "--json"))


def complaint(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 2) -> str:
    """The sentence of a command that fails."""
    assert run(arguments) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("antemill: ")
    assert err.endswith(".\n")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


MAP = """
run | start | eval | status | list | show | export | analyze | report | view
pool build | pool score | pool select | pool split | pool stats | pool verify
game show | game rulebook | game play | game check | game disguise | game export | game compare
solve | play | rate | verify puzzle | verify output | models check | init | demo | doctor | warm
"""


def commands(tree: App, *names: str) -> dict[str, App]:
    """The commands of a tree by the words that call them."""
    found = [name for name in tree if not name.startswith("-")]
    if not found:
        return {" ".join(names): tree}
    return {words: one for name in found for words, one in commands(tree[name], *names, name).items()}


def test_the_commands_are_the_map_and_have_at_most_160_parameters() -> None:
    found = commands(app)
    assert {*found} == {" ".join(words.split()) for words in re.split(r"[|\n]", MAP) if words.strip()}
    assert len(found) == 33
    arguments = [one for tree in found.values() for one in tree.assemble_argument_collection(parse_docstring=True)]
    assert len(arguments) <= 160
    assert not [one.name for one in arguments if not one.parameter.help]
    functions = [tree.default_command for tree in found.values() if tree.default_command is not None]
    assert len(functions) == 33
    assert all("json" in inspect.signature(function).parameters for function in functions)


def test_help_fits_on_a_screen_and_is_the_docstring(capsys: pytest.CaptureFixture[str]) -> None:
    assert 24 <= len(said(capsys, "--help").splitlines()) <= 40
    for _, words, place in COMMANDS:
        if ":" in place and " " not in place:
            module, _, name = place.partition(":")
            function = getattr(importlib.import_module(f"antemill.tournament.cli.{module}"), name)
            assert docstring(place) == inspect.getdoc(function), words


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ("tournament run cup.toml --out cup", "antemill start CONFIG --out DIR"),
        ("duel resume duels", "antemill start DIR"),
        ("eval run e.toml", "antemill start CONFIG --out DIR"),
        ("skate list skate", "antemill list DIR"),
        ("eval compare a b", "antemill analyze A B"),
        ("game same kuhn leduc", "antemill game check A B"),
        ("game exploitability kuhn kuhn.parquet", "antemill solve GAME --policy FILE"),
        ("tournament", "antemill start CONFIG --out DIR"),
        ("pool query x", "DuckDB"),
        ("bench", "make bench"),
    ],
)
def test_a_command_of_before_is_answered_with_the_new_line(
    line: str, instead: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert instead in complaint(capsys, *line.split())


def test_an_unknown_command_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Did you mean 'start'?" in complaint(capsys, "strat")
    assert "See `antemill pool --help`." in complaint(capsys, "pool", "biuld")


# ------------------------------------------------------------------------------------------------ help


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys; from antemill.tournament.cli.entry import run\n"
        "for line in ('', '--help', 'pool --help', 'pool build --help', 'run -h'):\n"
        "    print(line, run(line.split()))\n"
        "    if heavy := {'numba', 'numpy', 'pyarrow', 'scipy', 'ray'} & set(sys.modules):\n"
        "        sys.exit(f'{line} imports {heavy}')"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")
    for line in ("", "--help", "pool --help", "pool build --help", "run -h"):
        assert f"{line} 0\n" in found.stdout
    assert found.stdout.count("Usage: antemill") == 5


def test_a_pool_is_made_without_what_talks_to_models() -> None:
    script = (
        "import sys, antemill.tournament.pipeline; sys.exit(str({'httpx2', 'llm', 'scipy.special'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert found.stderr == "set()\n"


# ------------------------------------------------------------------------------------------------ mistakes


@pytest.mark.parametrize(
    "arguments",
    [
        ["fold"],
        ["pool", "burn"],
        ["pool", "build", "DIR"],
        ["pool", "build", "DIR", "--seeds", "10"],
        ["pool", "build", "DIR", "--seeds", "0:10", "--workers", "0"],
        ["pool", "build", "DIR", "--seeds", "0:10", "--workers", "1.5"],
        ["game", "play", "kuhn", "--alice", "random", "--bob", "random", "--matches", "1e3"],
        ["init", "chess"],
        ["init", "duel", "missing/duel.toml"],
        ["pool", "build", "DIR", "--seeds", "0:10", "--executor", "cloud"],
        ["pool", "build", "DIR", "--seeds", "0:10", "--color", "red"],
        ["pool", "score", "DIR"],
        ["pool", "score", "DIR", "--only", "luck"],
        ["pool", "stats", "DIR"],
        ["run", "--seeds", "4:2", "--out", "DIR"],
        ["run", "--seeds", "0:10", "--out", "DIR", "--count", "0"],
        ["game", "show", "chess"],
        ["game", "show", "kuhn", "--tier", "quick"],
        ["game", "show", "missing.json"],
        ["game", "show", "kuhn", "--play-seed=-1"],
        ["game", "show", ".", "--raw"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("as_json", [False, True])
def test_a_mistake_is_one_sentence_and_leaves_nothing_behind(
    arguments: list[str],
    as_json: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    complaint(capsys, *arguments, *(["--json"] if as_json else []))
    assert not list(tmp_path.iterdir())


def test_damaged_files_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "pool", "build", str(tmp_path), "--seeds", "0:4", "--workers", "1")
    files = {folder: next((tmp_path / folder).iterdir()) for folder in ("games", "candidates")}
    for path in files.values():
        path.write_bytes(path.read_bytes()[:1000])
    assert str(files["games"]) in complaint(capsys, "pool", "score", str(tmp_path), "--workers", "1")
    for command in (["build", "--seeds", "0:4", "--workers", "1"], ["stats"]):
        assert str(files["candidates"]) in complaint(capsys, "pool", command[0], str(tmp_path), *command[1:])


def test_a_benchmark_has_the_name_of_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = complaint(capsys, "pool", "select", str(tmp_path), "-o", str(tmp_path / "benchmark.txt"))
    assert "name a .parquet or .json or .csv file" in said


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (KeyboardInterrupt(), 130, "antemill: interrupted.\n"),
        (KeyboardInterrupt(signal.SIGINT), 130, "antemill: interrupted.\n"),
        (KeyboardInterrupt(signal.SIGTERM), 143, "antemill: terminated.\n"),
        (KeyboardInterrupt(signal.SIGHUP), 129, "antemill: terminated.\n"),
        (MemoryError(), 2, "not enough memory"),
        (OSError(errno.EACCES, "Permission denied", "/there"), 2, "cannot use /there: permission denied"),
        (OSError(errno.ENOSPC, "No space left on device"), 2, "no space left"),
        (StorageError("the disk\nis full."), 2, "antemill: the disk is full."),
    ],
)
def test_what_can_happen_to_a_command_is_a_sentence(
    error: BaseException,
    code: int,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def examine_pool(*_: object) -> None:
        raise error

    monkeypatch.setattr(stats, "examine_pool", examine_pool)
    assert words in complaint(capsys, "pool", "stats", "DIR", code=code)


def test_a_command_that_continues_says_so_when_memory_is_short(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("antemill.tournament.cli.pools.without_pandas", full)
    assert complaint(capsys, "pool", "score", "DIR") == (
        "antemill: there is not enough memory; what was finished is kept, the same command continues.\n"
    )


def test_a_mistake_of_ours_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def examine_pool(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(stats, "examine_pool", examine_pool)
    with pytest.raises(ZeroDivisionError):
        run(["pool", "stats", "DIR"])


@pytest.mark.slow
def test_ctrl_c_ends_with_130_and_the_same_command_continues(tmp_path: Path) -> None:
    command = [*ANTEMILL, "pool", "build", str(tmp_path / "pool"), "--seeds", "0:1500", "--workers", "2", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not list(tmp_path.glob("pool/candidates/*.parquet")):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out) == (130, "")
    assert err == "antemill: interrupted; what was finished is kept, the same command continues.\n"
    assert not [name for name in files_of(tmp_path / "pool") if name.endswith(".partial")]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(found.stdout)["candidates"] == 1500


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_a_termination_leaves_nothing_half_written(tmp_path: Path, number: signal.Signals, code: int) -> None:
    slow = {"id": 1, "code": "def mystery(x):\n    while True: pass", "solution": "1"}
    (tmp_path / "puzzles.jsonl").write_text(f"{json.dumps(slow)}\n" * 20)
    command = [*ANTEMILL, "verify", "puzzle", str(tmp_path / "puzzles.jsonl"), "-o", str(tmp_path / "out.jsonl")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not list(tmp_path.glob(".out.jsonl.*")):
            time.sleep(0.01)
        process.send_signal(number)
        _, err = process.communicate()
    assert process.returncode == code
    assert err == f"antemill: {'interrupted' if code == 130 else 'terminated'}.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["puzzles.jsonl"]


@pytest.mark.parametrize(
    ("command", "redirect", "code", "words"),
    [
        ("game show 12@0.9 --json", ">&-", 2, "cannot print to stdout: it is closed."),
        ("--version", "2>&-", 0, ""),
        ("--version", "<&-", 0, ""),
    ],
)
def test_closed_streams_are_no_traceback(command: str, redirect: str, code: int, words: str) -> None:
    found = subprocess.run(
        ["sh", "-c", f'"$@" {redirect}', "sh", *ANTEMILL, *command.split()],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (found.returncode, found.stderr) == (code, f"antemill: {words}\n" if words else "")


@pytest.mark.parametrize(
    "command",
    [
        "game show 12@0.9 --raw",
        "game export kuhn",
        "game rulebook kuhn",
        "game show kuhn",
        "pool stats POOL",
        "pool stats POOL --json",
        "rate RESULTS",
        "rate RESULTS --json",
        "solve kuhn",
    ],
)
def test_a_reader_that_goes_away_ends_every_command_alike(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "results.csv").write_text("a,b,score_a,score_b\nx,y,1,0\n")
    places = {"POOL": str(scored_pool()), "RESULTS": str(tmp_path / "results.csv")}
    with broken_pipe() as pipe, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", pipe)
        assert run([places.get(word, word) for word in shlex.split(command)]) == 141
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("command", ["--help", "--version", "pool build --help", "game show kuhn"])
def test_a_process_ends_in_order_when_its_reader_goes_away(command: str) -> None:
    """Help and versions are printed by a library, which is silent in its process from then on."""
    with broken_pipe() as pipe:
        found = subprocess.run([*ANTEMILL, *command.split()], stdout=pipe, stderr=subprocess.PIPE, check=False)
    assert (found.returncode, found.stderr) == (141, b"")


def broken_pipe() -> TextIO:
    """A pipe to write to, which no process reads."""
    reader, writer = os.pipe()
    os.close(reader)
    return open(writer, "w", encoding="utf-8")


# ------------------------------------------------------------------------------------------------ pools


def test_build_with_workers_prints_one_document(tmp_path: Path) -> None:
    command = [*ANTEMILL, "pool", "build", str(tmp_path / "pool"), "--seeds", "100:140", "--workers", "2", "--json"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    built = json.loads(found.stdout)
    assert found.stderr == ""
    assert {"candidates", "accepted", "rejected", "seconds"} <= set(built)
    assert built["candidates"] == 40 == built["accepted"] + sum(built["rejected"].values())


def test_stats_has_the_keys_of_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    stats = document(capsys, "pool", "stats", str(scored_pool()))
    assert {"accepted_share", "axes", "correlation", "vif"} <= set(stats)
    assert list(stats["axes"]) == list(AXES) == list(stats["vif"]) == list(stats["correlation"])
    for figures in stats["axes"].values():
        assert figures["min"] <= figures["p10"] <= figures["median"] <= figures["p90"] <= figures["max"]
    text = said(capsys, "pool", "stats", str(scored_pool()))
    assert "12,351" in text
    assert "16.2%" in text
    assert "VIF" in text


def test_run_goes_from_seeds_to_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["run", "--seeds", "0:40", "--out", str(tmp_path / "out"), "--workers", "1"]
    done = document(capsys, *arguments)
    assert {"candidates", "accepted", "rejected", "seconds", "selected", "report"} <= set(done)
    assert done["candidates"] == 40
    assert done["accepted"] > 0
    assert done["selected"] == done["accepted"]
    assert Path(done["report"]).read_text().startswith("<!doctype html>")
    before = files_of(tmp_path / "out")
    text = said(capsys, *arguments)
    assert "fewer than the 50 asked for: all are selected" in text
    assert "report.html" in text
    assert done["survivors"] == done["selected"]  # all games are selected
    assert f"would select {done['selected']} of these {done['selected']} games again" in text
    assert files_of(tmp_path / "out") == before


# ------------------------------------------------------------------------------------------------ games


def test_show_describes_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    shown = document(capsys, "game", "show", "kuhn", "--tier", "fast", "--play-seed", "3", "--raw")
    assert shown["gate"]["accepted"]
    assert [phase["kind"] for phase in shown["phases"]] == ["steps", "steps", "fixed betting", "showdown"]
    assert len(shown["decisions"]) == 4
    assert set(shown["axes"]) == set(AXES)
    assert 10 ** shown["axes"]["state_space"] == pytest.approx(12)
    program, played = compile_spec(kuhn()), shown["playout"]
    assert shown["program"] == program.to_text() == said(capsys, "game", "show", "kuhn", "--raw")
    assert played["payoff"]["alice"] == -played["payoff"]["bob"]
    assert {"AB/A", "AB/B", "AB", "?"} == {entry["sees"] for entry in played["log"]}
    text = said(capsys, "game", "show", "kuhn", "--play-seed", "3")
    assert text.endswith(f"A random playout, play seed 3\n\n{random_playout(program, 3)}")


def test_illegal_rules_are_refused_with_the_checkers_sentences(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = kuhn()
    broken = GameSpec(game.name, game.deck, game.chips, game.phases, (*game.sequence, "Encore"), game.variables)
    path = tmp_path / "rules.json"
    path.write_bytes(to_json(broken))
    assert "Encore" in complaint(capsys, "game", "show", str(path))


def test_a_file_of_rules_is_checked_fault_by_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rules.json"
    path.write_bytes(to_json(kuhn()))
    found = document(capsys, "game", "check", str(path))
    assert (found["legal"], found["faults"], found["accepted"], found["broken"]) == (True, [], True, [])
    assert "are legal.\nThe gate accepts it.\n" in said(capsys, "game", "check", str(path))
    path.write_bytes(to_json(resolve("7")))
    assert "The gate rejects game" in said(capsys, "game", "check", str(path))
    path.write_bytes(to_json(replace(kuhn(), variables=("idle",), sequence=(*kuhn().sequence, "Encore"))))
    assert run(["game", "check", str(path)]) == 2
    out, err = capsys.readouterr()
    assert "Encore" in out
    assert "idle" in out
    assert f"{len(out.splitlines())} faults" in err
    assert run(["game", "check", str(path), "--json"]) == 2
    assert len(json.loads(capsys.readouterr().out)["faults"]) == len(out.splitlines())


def test_any_game_is_checked_by_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert document(capsys, "game", "check", "appendix-b")["legal"]
    assert "The rules of Game 9 are legal.\n" in said(capsys, "game", "check", "9")
    path = str(tmp_path / "kuhn.efg")
    said(capsys, "game", "export", "kuhn", "-o", path)
    assert "can be solved: it has 58 nodes, and 6 and 6 information sets.\n" in said(capsys, "game", "check", path)
    with monkeypatch.context() as patched:
        patched.setattr("antemill.solver.trees.outside.OUTSIDE_LIMIT", 57)
        told = complaint(capsys, "game", "check", path)
    assert f"{path} has more than 57 nodes, the most that `game check` reads" in told
    assert "raise the limit" not in told
    assert document(capsys, "solve", path, "--limit", "58", "--iterations", "1")["nodes"] == 58
    Path(path).write_text(
        'EFG 2 R "sums" { "one" "two" }\np "" 1 1 "" { "a" "b" } 0\nt "" 1 "" { 1 1 }\nt "" 2 "" { 2 1 }\n'
    )
    assert run(["game", "check", path, "--json"]) == 2
    found = capsys.readouterr()
    assert json.loads(found.out)["faults"] == [found.err.strip().removeprefix("antemill: ")]
    assert run(["game", "check", "kuhnn"]) == 2
    assert 'did you mean "kuhn"?' in capsys.readouterr().err


def test_two_games_are_one_or_their_forms_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rules.json"
    path.write_bytes(to_json(replace(kuhn(), name="Another", deck=Deck(kuhn().deck.ranks, ("moons",)))))
    assert "are the same game" in said(capsys, "game", "check", "kuhn", str(path))
    assert len(set(document(capsys, "game", "check", "kuhn", str(path))["forms"])) == 1
    antes = Steps("Ante", (Ante("both", 2),))
    dearer = replace(kuhn(), chips=9, phases=tuple(antes if one.name == "Ante" else one for one in kuhn().phases))
    path.write_bytes(to_json(dearer))
    found = document(capsys, "game", "check", "kuhn", str(path))
    assert (found["same"], found["same_as_written"]) == (False, False)
    assert len(set(found["digests"])) == 2
    assert len(set(found["forms"])) == 2
    shown = said(capsys, "game", "check", "kuhn", str(path))
    assert "are not the same game" in shown
    assert "Ante player=both amount=2" in shown
