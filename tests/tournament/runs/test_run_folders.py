"""What a run leaves in the file system, and what it says about folders and configurations that are something else."""

from __future__ import annotations

import errno
import os
import resource
import signal
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from antemill.engine.errors import StorageError, UsageError
from antemill.llm import AuthenticationError, Request, SpendLimitError
from antemill.llm.mistakes import line_of
from antemill.llm.models import read_models
from antemill.tournament.cards import TOURNAMENT
from antemill.tournament.cards.config import CardConfig
from antemill.tournament.cli.entry import run as command
from antemill.tournament.cli.runs import budget_sentence
from antemill.tournament.duel.config import DuelConfig
from antemill.tournament.runs import RunStoppedError, RunStore, open_run, read_status, start_run
from antemill.tournament.runs.config import RunConfig, digest, parse_config
from antemill.tournament.runs.estimate import Forecast, forecast, stop
from antemill.tournament.runs.folder import existing_folder
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


@pytest.mark.parametrize("room", [0, 8192, 40_000], ids=str)
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


def test_what_stops_a_run_says_what_to_do(home: Path) -> None:
    def refused(_request: Request) -> str:
        raise AuthenticationError("HTTP 401: no such key", status=401)

    with pytest.raises(RunStoppedError, match="no such key: correct its key; what was finished is kept"):
        run_toy(write_toy(home), home / "run", {"echo": refused})


def test_an_item_that_is_not_there_is_answered_with_one_that_is(home: Path) -> None:
    run_toy(write_toy(home), home / "run", {"echo": echo})
    with RunStore(home / "run" / "run.sqlite", read_only=True) as store:
        key = store.records()[0].item.key
        with pytest.raises(UsageError, match=rf'did you mean "{key}"'):
            store.record(f"{key}x")
        with pytest.raises(UsageError, match=rf"such as '{key}'\."):
            store.record("????")


def test_what_was_asked_is_kept(home: Path) -> None:
    def refused(_request: Request) -> str:
        raise SpendLimitError("not like this")

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
            raise SpendLimitError("enough")
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


# ------------------------------------------------------------------------------------------------ wrong folders


def test_folders_say_what_they_are(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "pool").mkdir()
    (home / "pool" / "pool.json").touch()
    run_toy(write_toy(home), home / "runs" / "first", {"echo": echo})
    for path, what in (
        (home / "none", "which does not exist"),
        (home / "models.toml", "which is a file"),
        (home / "pool", "which is a pool of games"),
        (home / "runs", f"but there is one in {home / 'runs' / 'first'}"),
    ):
        with pytest.raises(StorageError, match=what):
            existing_folder(path)
    assert command(["tournament", "analyze", str(home / "runs")]) == 2
    said = capsys.readouterr().err
    assert "there is one in" not in said  # it is a run of another kind
    assert "name a folder that `antemill tournament run` has made" in said
    (home / "runs" / "damaged").mkdir()
    (home / "runs" / "damaged" / "run.sqlite").write_text("damaged")
    with pytest.raises(StorageError, match=f"but there is one in {home / 'runs' / 'first'}"):
        existing_folder(home / "runs", "toy")
    for arguments in (["duel", "analyze"], ["skate", "analyze"], ["tournament", "analyze"], ["duel", "status"]):
        assert command([*arguments, str(home / "runs" / "first")]) == 2
        assert "is a run of `antemill toy`, not of `antemill" in capsys.readouterr().err


# ------------------------------------------------------------------------------------------------ configurations

CUP = '[tournament]\ngames = ["kuhn"]\n[players.a]\nbot = "random"\n[players."b c"]\nbot = "l1"\n'
ONE = '[players.a]\nmodel = "m"\n'


MISTAKES: list[tuple[type[Any], str, str]] = [
    (
        CardConfig,
        CUP.replace("games", "match_per_seat = 3\ngames"),
        'line 2: unknown key "match_per_seat" in [tournament]; did you mean "matches_per_seat"?',
    ),
    (CardConfig, CUP.replace("games", "zzz = 3\ngames"), "known are games, benchmark, matches_per_seat, "),
    (
        CardConfig,
        CUP.replace("games", 'schedule = "rond-robin"\ngames'),
        "is not one of 'adaptive', 'none', 'open', 'rotating', 'round-robin'; did you mean \"round-robin\"?",
    ),
    (
        CardConfig,
        CUP.replace("games", 'matches_per_seat = "x"\ngames'),
        'line 2: "matches_per_seat" in [tournament] is wrong: expected a whole number, got a text.',
    ),
    (CardConfig, CUP.replace('"kuhn"', '"kuhn", 7'), 'line 2: entry 2 of "games" in [tournament] is wrong'),
    (CardConfig, CUP.replace('bot = "l1"', 'bott = "l1"'), 'line 6: unknown key "bott" in [players.b c]; did you mean'),
    (CardConfig, CUP.replace('"l1"', '"pasive"'), "line 5: [players.b c] has no bot 'pasive': use random, passive, "),
    (CardConfig, CUP.replace('"l1"', '"pasive"'), 'did you mean "passive"?'),
    (CardConfig, CUP + "[player.c]\nbot = 1\n", 'line 7: unknown key "player"; did you mean "players"?'),
    (CardConfig, CUP + "[budget]\ndolars = 3\n", 'line 8: unknown key "dolars" in [budget]; did you mean "dollars"?'),
    (DuelConfig, ONE + "[duel]\nturns = 3\n", 'line 4: "turns" in [duel] is wrong'),
    (DuelConfig, "[players.a]\n", 'line 1: "a" in [players] is wrong: a player is a `model`'),
    (SkateConfig, ONE + '[skate.embedder]\nkind = "mini"\n', 'did you mean "minilm"?'),
    (CardConfig, ONE + "[duel]\nturns = 2\n", "line 3: [duel] is for `antemill duel run`: use that command"),
    (DuelConfig, CUP, "line 1: [tournament] is for `antemill tournament run`"),
    (DuelConfig, ONE + "[duel]\nseconds = inf\n", 'line 4: "seconds" is no finite number'),
    (SkateConfig, ONE + "[skate]\ntemperature = nan\n", 'line 4: "temperature" is no finite number'),
    (CardConfig, CUP + "[budget]\ndollars = nan\n", 'line 8: "dollars" is no finite number'),
    (SkateConfig, ONE + '[skate]\nstrategy = "ful"\n', "'full'; did you mean \"full\"?"),
]


@pytest.mark.parametrize(("shape", "text", "said"), MISTAKES)
def test_mistakes_name_the_line_and_what_was_meant(shape: type[Any], text: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_config(text.encode(), shape, "x.toml")
    assert str(error.value).startswith("x.toml, line ")
    assert said in str(error.value)


TWO = ONE + '[players.b]\nbot = "adept"\n'


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        ("tournament", CUP.replace("kuhn", "kuhm"), "line 2: there is no game 'kuhm'"),
        ("tournament", CUP.replace("kuhn", "kuhm"), 'did you mean "kuhn"?'),
        ("tournament", CUP.replace("kuhn", "none.json"), "line 2: there is no file"),
        ("tournament", CUP.replace('"kuhn"', '"kuhn", "kuhn"'), "line 2: the game kuhn is named twice"),
        ("tournament", CUP.replace('bot = "l1"', 'model = "ech"'), "line 6:"),
        ("tournament", CUP.replace('bot = "l1"', 'model = "ech"'), "has no model 'ech'"),
        ("duel", TWO, "line 2:"),
        ("duel", TWO + '[duel]\npairs = [["a", "c"]]\n', "line 6: `pairs` names c, who is no player: use a, b."),
        ("duel", TWO + '[duel]\nreferences = ["c"]\n', "line 6: `references` names c"),
        ("duel", TWO + '[duel]\ntagger = "c"\n', "line 6: `tagger` names c"),
        ("skate", TWO + '[skate]\nsetters = ["c"]\n', "line 6: `setters` names c"),
        ("skate", TWO, "has no model 'm': it has echo."),
    ],
)
def test_names_of_nothing_are_said_with_their_line(
    home: Path, kind: str, text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    config = home / "x.toml"
    config.write_text(text)
    assert command([kind, "run", str(config), "--out", str(home / "run")]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"antemill: {config}, line ")
    assert said in error
    assert not (home / "run").exists()


def test_mistakes_in_the_list_of_models(tmp_path: Path) -> None:
    def said(text: str) -> str:
        (tmp_path / "models.toml").write_text(text)
        with pytest.raises(Exception, match="models") as error:
            read_models(tmp_path / "models.toml")
        return str(error.value)

    text = '[a]\nprotocol = "scripted"\n["a.b"]\nprotocol = "openai-chat"\n'
    assert 'line 5: [a.b] has the unknown key "base_ulr"; did you mean "base_url"?' in said(text + 'base_ulr = "x"\n')
    assert "line 5: [a.b] has concurrency = -1" in said(text + "concurrency = -1\n")
    assert 'did you mean "scripted"?' in said(text.replace("scripted", "script"))


def test_lines_of_keys() -> None:
    text = 'a.b = 1\n\n[x] # y\n  "k l" = { c = 1 }\n[[x.z]]\nq=1\n'
    found = [
        line_of(text, path) for path in (("a", "b"), ("x", "k l", "c"), ("x", "z", "q"), ("x", "w"), ("n",), ("a",))
    ]
    assert found == [1, 4, 6, 3, None, 1]


# ------------------------------------------------------------------------------------------------ money


def test_a_model_without_prices_is_refused_under_a_budget(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also one without a key: only its entry says that it is free."""
    config = write_cup(
        home, players='[players.m]\nmodel = "m"\n[players.r]\nbot = "random"\n', rest="[budget]\ndollars = 1"
    )
    (home / "models.toml").write_text('[m]\nprotocol = "openai-chat"\nbase_url = "http://127.0.0.1:9/v1"\n')
    for more in ([], ["--dry-run"], ["--no-check"]):
        assert command(["tournament", "run", str(config), "--out", str(home / "cup"), *more]) == 2
        assert "has no prices, so a budget of $1 cannot bound what it costs" in capsys.readouterr().err
    assert not (home / "cup").exists()


@pytest.mark.parametrize(
    ("dollars", "said"),
    [
        (0.001, "stops the run before its first call; raise it to $10 for all questions."),
        (0.35, "stops the run after about 3% of the questions; raise it to $10 for all."),
        (20, "is enough, however long matches and replies are, unless attempts break off."),
    ],
)
def test_where_a_budget_stops(dollars: float, said: str) -> None:
    row = Forecast("m", 1, 1, 1, 1, dollars=9.9, worst=15.0, bounded=True, priced=True, reserved=0.05, largest=0.05)
    assert budget_sentence(stop([row], dollars), "questions").endswith(said)


def test_what_is_only_a_guess_is_not_called_enough() -> None:
    row = Forecast("m", 1, 1, 1, 1, dollars=9.9, worst=15.0, bounded=False, priced=True, reserved=0.05, largest=0.05)
    assert budget_sentence(stop([row], 20), "duels").endswith("should be enough, with long replies.")
    assert "$16 should, with long replies" in budget_sentence(stop([row], 12), "duels")


def at_random(request: Request) -> str:
    options = options_of(request)
    return f'{{"action": "{options[number_of(request.sample) % len(options)]}"}}'


@pytest.mark.parametrize("share", [0.2, 0.7])
def test_a_budget_stops_where_the_dry_run_says(home: Path, share: float) -> None:
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


class Seat(Struct, frozen=True):
    bot: str


class Chair(Struct, frozen=True):
    bot: str
    person: bool | None = None


class Before(RunConfig, frozen=True):
    players: dict[str, Seat]
    seed: int | None = None


class After(RunConfig, frozen=True):
    players: dict[str, Chair]
    seed: int | None = None
    pace: float | None = None


def test_a_run_from_before_there_was_a_key_is_the_same_run() -> None:
    before = digest(Before(players={"ada": Seat("l1")}), {})
    assert digest(After(players={"ada": Chair("l1")}), {}) == before
    assert digest(After(players={"ada": Chair("l1", person=False)}), {}) != before
    assert digest(After(players={"ada": Chair("l1")}, pace=0.0), {}) != before
    assert digest(Before(players={"ada": Seat("l1")}, seed=0), {}) != before
