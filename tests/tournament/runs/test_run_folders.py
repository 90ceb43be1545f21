"""What a run leaves in the file system, and what it says about folders and configurations that are something else."""

from __future__ import annotations

import errno
import os
import resource
import signal
import sqlite3
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import pytest

from antemill.engine.errors import StorageError, UsageError
from antemill.llm import Request, StopError
from antemill.tournament.cards import TOURNAMENT
from antemill.tournament.cards.config import CardConfig
from antemill.tournament.cli.entry import run as command
from antemill.tournament.duel.config import DuelConfig
from antemill.tournament.runs import RunStoppedError, RunStore, open_run, read_status, start_run
from antemill.tournament.runs.config import parse_config
from antemill.tournament.runs.estimate import forecast, stop
from antemill.tournament.runs.session import preview
from antemill.tournament.skate.config import SkateConfig
from tests.tournament.cards.tournament_runs import number_of, options_of, run_cup, write_cup
from tests.tournament.runs.run_kinds import TOY, run_toy, table_of, write_models, write_toy


def echo(request: Request) -> str:
    return f"{request.sample}:{len(request.messages[0].text)}"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_models(tmp_path, "echo")
    return tmp_path


# ------------------------------------------------------------------------------------------------ nothing is left


def test_a_start_that_fails_before_anything_is_asked_leaves_nothing(home: Path) -> None:
    with pytest.raises(RunStoppedError, match="no script"):
        run_toy(write_toy(home), home / "deep" / "er" / "run", {})
    assert sorted(path.name for path in home.iterdir()) == ["models.toml", "toy.toml"]
    (home / "run").mkdir()
    (home / "run" / ".mine").touch()
    with (
        pytest.raises(KeyboardInterrupt, match=str(int(signal.SIGTERM))),
        start_run(TOY, write_toy(home), home / "run"),
    ):
        signal.raise_signal(signal.SIGTERM)
    assert [path.name for path in (home / "run").iterdir()] == [".mine"]


def test_a_full_disk_leaves_no_folder(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    config = write_toy(home)
    monkeypatch.setattr(os, "write", full)  # the lock's
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="no space left on the disk of"):
        run_toy(config, home / "run", {"echo": echo})
    assert not (home / "run").exists()


@pytest.mark.parametrize("room", [8192, 40_000], ids=str)
def test_a_limit_on_files_leaves_no_folder_with_half_a_database(home: Path, room: int) -> None:
    """As with `ulimit -f`: the database can be begun, but not the file beside it that readers share."""
    config = write_toy(home)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        with pytest.raises((StorageError, OSError)):
            run_toy(config, home / "run", {"echo": echo})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not (home / "run").exists()


def test_what_was_asked_is_kept(home: Path) -> None:
    def refused(_request: Request) -> str:
        raise StopError("not like this")

    with pytest.raises(RunStoppedError, match="not like this"):
        run_toy(write_toy(home), home / "run", {"echo": refused})
    assert (home / "run" / "calls.sqlite").exists()


def test_a_folder_in_use_or_of_another_program_is_left_alone(home: Path) -> None:
    with start_run(TOY, write_toy(home), home / "run"):
        before = sorted(path.name for path in (home / "run").iterdir())
        with pytest.raises(StorageError, match="is working on the run"):
            run_toy(write_toy(home), home / "run", {"echo": echo})
        assert sorted(path.name for path in (home / "run").iterdir()) == before
    (home / "other").mkdir()
    (home / "other" / "thesis.tex").touch()
    with pytest.raises(UsageError, match="has other files"):
        run_toy(write_toy(home), home / "other", {"echo": echo})
    assert [path.name for path in (home / "other").iterdir()] == ["thesis.tex"]


def test_while_nothing_is_played_another_configuration_and_other_models_are_taken(home: Path) -> None:
    with start_run(TOY, write_toy(home, "questions = 9"), home / "run"):
        pass
    write_models(home, "echo", concurrency=3)
    run_toy(write_toy(home, "questions = 2"), home / "run", {"echo": echo})
    assert len(table_of(home / "run")) == 2
    assert (home / "run" / "models.toml").read_bytes() == (home / "models.toml").read_bytes()
    with pytest.raises(StorageError, match="another configuration"):
        run_toy(write_toy(home, "questions = 3"), home / "run", {"echo": echo})


def test_answers_that_were_paid_are_used_by_the_changed_configuration(home: Path) -> None:
    asked: list[str] = []

    def model(request: Request) -> str:
        asked.append(request.sample)
        if len(asked) == 4:
            raise StopError("enough")
        return echo(request)

    limits = "[limits]\nin_flight = 1\n"
    with pytest.raises(RunStoppedError, match="enough"):
        run_toy(write_toy(home, "questions = 1\ncalls = 9", limits), home / "run", {"echo": model})
    run_toy(write_toy(home, "questions = 1\ncalls = 5", limits), home / "run", {"echo": model})
    assert asked == ["0.0/0", "0.0/1", "0.0/2", "0.0/3", "0.0/3", "0.0/4"]


def test_a_refused_configuration_closes_the_database(home: Path) -> None:
    """A connection that is not closed is an error of its own since Python 3.13."""
    run_toy(write_toy(home), home / "run", {"echo": echo})
    made: list[RunStore] = []
    init = RunStore.__init__

    def counted(self: RunStore, path: Path, read_only: bool = False) -> None:
        init(self, path, read_only)
        made.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunStore, "__init__", counted)
        with pytest.raises(StorageError):
            run_toy(write_toy(home, "questions = 5"), home / "run", {"echo": echo})
        with pytest.raises(StorageError), open_run(TOY, home / "run"):
            raise StorageError("in the middle.")
    assert made
    for store in made:
        with pytest.raises(StorageError, match="closed"):
            store.counts()


# ------------------------------------------------------------------------------------------------ configurations

CUP = '[tournament]\ngames = ["kuhn"]\n[players.a]\nbot = "random"\n[players."b c"]\nbot = "l1"\n'
ONE = '[players.a]\nmodel = "m"\n'


MISTAKES: list[tuple[type[Any], str, str]] = [
    (CardConfig, CUP.replace("games", "match_per_seat = 3\ngames"), "matches_per_seat"),
    (CardConfig, CUP.replace("games", 'matches_per_seat = "x"\ngames'), "matches_per_seat"),
    (CardConfig, CUP.replace('"l1"', '"pasive"'), "passive"),
    (CardConfig, ONE + "[duel]\nturns = 2\n", "[duel]"),
    (CardConfig, CUP + "[budget]\ndollars = nan\n", "dollars"),
    (DuelConfig, ONE + "[duel]\nseconds = inf\n", "seconds"),
    (SkateConfig, ONE + '[skate]\nstrategy = "ful"\n', "full"),
]


@pytest.mark.parametrize(("shape", "text", "said"), MISTAKES)
def test_mistakes_name_the_line_and_what_was_meant(shape: type[Any], text: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_config(text.encode(), shape, "x.toml")
    assert str(error.value).startswith("x.toml")
    assert said in str(error.value)


@pytest.mark.parametrize("other", ["an\u0430", "an\u200ba", "\uff41na"])
def test_two_names_that_look_alike_are_refused_and_names_are_compared_after_nfc(other: str) -> None:
    text = f'[tournament]\ngames = ["kuhn"]\n[players."ana"]\nbot = "l1"\n[players."{other}"]\nbot = "l1"\n'
    with pytest.raises(UsageError, match=r"line 5: the players 'ana' and .* look alike"):
        parse_config(text.encode(), CardConfig, "x.toml")
    text = text.replace(other, "cafe\u0301")
    assert "caf\u00e9" in parse_config(text.encode(), CardConfig, "x.toml").players


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("pay", "\u0440ay", True),  # Cyrillic er, whose name is not that of p
        ("GPT-\u0391", "GPT-A", True),
        ("alice", "\u0431\u043e\u0440\u0438\u0441", False),  # a name in one script is nobody's disguise
        ("pay", "Pay", False),
        ("pay-1", "pay-2", False),
    ],
)
def test_a_name_that_mixes_scripts_is_a_disguise_of_one_that_differs_in_them_alone(
    one: str, other: str, alike: bool
) -> None:
    text = f'[tournament]\ngames = ["kuhn"]\n[players."{one}"]\nbot = "l1"\n[players."{other}"]\nbot = "l1"\n'
    with pytest.raises(UsageError, match="look alike") if alike else nullcontext():
        parse_config(text.encode(), CardConfig, "x.toml")


# ------------------------------------------------------------------------------------------------ money


def test_a_model_without_prices_is_refused_under_a_budget(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also one without a key: only its entry says that it is free."""
    config = write_cup(
        home, players='[players.m]\nmodel = "m"\n[players.r]\nbot = "random"\n', rest="[budget]\ndollars = 1"
    )
    (home / "models.toml").write_text('[m]\nprotocol = "openai-chat"\nbase_url = "http://127.0.0.1:9/v1"\n')
    for more in ([], ["--dry-run"], ["--no-check"]):
        assert command(["start", str(config), "--out", str(home / "cup"), *more]) == 2
        assert "has no prices, so a budget of $1 cannot bound what it costs" in capsys.readouterr().err
    assert not (home / "cup").exists()


def at_random(request: Request) -> str:
    options = options_of(request)
    return f'{{"action": "{options[number_of(request.sample) % len(options)]}"}}'


def test_a_budget_stops_where_the_dry_run_says(home: Path) -> None:
    share = 0.4
    table, players = (
        'games = ["kuhn"]\nmatches_per_seat = 60',
        '[players.m]\nmodel = "m"\n[players.r]\nbot = "random"\n',
    )
    found = preview(TOURNAMENT, write_cup(home, table, players))
    (row,) = forecast(found.kind.estimate(), found.models)
    dollars = share * row.dollars + row.reserved
    assert stop([row], dollars).share == pytest.approx(share)
    config = write_cup(home, table, players, f"[limits]\nin_flight = 1\n[budget]\ndollars = {dollars}")
    with pytest.raises(RunStoppedError, match="budget"):
        run_cup(config, home / "run", {"m": at_random})
    status = read_status("tournament", home / "run")
    assert status.total == sum(found.kind.parts().values()) == 120
    assert abs(status.done / status.total - share) < 0.1


def test_a_run_of_before_is_refused_in_one_sentence(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = home / "cup"
    run_cup(write_cup(home), path, {})
    with closing(sqlite3.connect(path / "run.sqlite")) as database, database:
        database.execute("UPDATE meta SET value = '1' WHERE name = 'version'")
    for command_line in (["status"], ["list"], ["analyze"], ["report"], ["export"], ["start"], ["doctor"]):
        assert command([*command_line, str(path)]) == 2, command_line
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        if command_line != ["doctor"]:
            assert "has version 1, this antemill reads version 2: use the antemill that made it." in said
