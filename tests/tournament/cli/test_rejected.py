"""Commands say in one sentence on stderr that the gate rejects a game, and go on."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from antemill.engine.builder.resolve import resolve
from antemill.engine.rules.spec import to_json
from antemill.tournament.cli.entry import run

SENTENCE = "antemill: the gate rejects game {} (rare phases: "
END = "it can be played, but no benchmark has it.\n"
BOTS = ("--alice", "random", "--bob", "passive", "--matches", "2")


def heard(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    """What a command that succeeds says on stdout and stderr."""
    assert run(arguments) == 0
    out, err = capsys.readouterr()
    return out, err


def cup(folder: Path, *games: str) -> str:
    config = folder / "cup.toml"
    players = '[players.a]\nbot = "random"\n[players.b]\nbot = "passive"\n'
    config.write_text(f"[tournament]\ngames = {json.dumps(games)}\nmatches_per_seat = 1\n{players}")
    return str(config)


@pytest.mark.parametrize(
    ("command", "games"),
    [
        (("game", "show", "GAME"), ("7", "7@0.4", "starter-2", "kuhn")),
        (("game", "play", "GAME", *BOTS), ("7", "kuhn")),
        (("solve", "GAME", "--iterations", "1"), ("7", "kuhn")),
    ],
)
def test_a_command_says_that_the_gate_rejects_its_game(
    command: tuple[str, ...], games: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    for game in games:
        out, err = heard(capsys, *(word.replace("GAME", game) for word in command))
        assert out
        if game.startswith("7"):
            assert err.startswith(SENTENCE.format(game))
            assert err.endswith(END)
            assert err.count("\n") == 1
        else:
            assert err == ""


def test_a_document_stands_alone_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    for command in (("game", "play", "7", *BOTS), ("solve", "7", "--iterations", "1")):
        out, err = heard(capsys, *command, "--json")
        assert isinstance(json.loads(out), dict)
        assert err.startswith(SENTENCE.format(7))
    out, err = heard(capsys, "game", "show", "7", "--json")
    assert json.loads(out)["gate"]["broken"] == ["rare phases", "dead branches"]
    assert err == ""


def test_a_person_is_told_before_the_first_hand(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    _, err = heard(capsys, "game", "play", "7")
    assert err.startswith(SENTENCE.format(7))


def test_a_file_of_rules_is_judged_as_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for game, said in (("7", 1), ("starter-1", 0)):
        path = tmp_path / f"{game}.json"
        path.write_bytes(to_json(resolve(game)))
        _, err = heard(capsys, "game", "show", str(path))
        assert err.count(SENTENCE.format(path)) == said
        assert bool(err) == bool(said)


def test_a_configuration_names_each_game_that_is_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = cup(tmp_path, "kuhn", "7", "starter-1", "8@0.4")
    out, err = heard(capsys, "tournament", "run", config, "--dry-run")
    assert "8 matches" in out
    assert [line.partition(" (")[0] for line in err.splitlines()] == [
        f"antemill: the gate rejects game {game}" for game in ("7", "8@0.4")
    ]
    _, err = heard(capsys, "tournament", "run", config, "--dry-run", "--json")
    assert err.count("the gate rejects") == 2
    _, err = heard(capsys, "tournament", "run", config, "--out", str(tmp_path / "cup"))
    assert err.count("the gate rejects") == 2
    _, err = heard(capsys, "tournament", "run", cup(tmp_path, "starter-1", "starter-5"), "--dry-run")
    assert err == ""
