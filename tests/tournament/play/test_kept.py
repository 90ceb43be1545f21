"""The folder of hands, and the games on offer."""

import asyncio
from pathlib import Path

import pytest

from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import StorageError, UsageError
from antemill.tournament.cards.analyze import examine_run
from antemill.tournament.cards.config import CardConfig, PlayerTable
from antemill.tournament.cli.entry import run
from antemill.tournament.play.games import GameList
from antemill.tournament.play.kept import Kept, config_text
from antemill.tournament.runs.config import parse_config
from tests.tournament.play.house_of import finish_hand, house_in, until


def play(folder: Path, hands: int, opponent: str = "random") -> None:
    async def evening() -> None:
        async with house_in(folder) as house:
            await house.sit("kuhn", opponent, "turns")
            for i in range(hands):
                state = await finish_hand(house)
                if i + 1 < hands:
                    await house.deal(state["table"]["hand"]["turn"])

    asyncio.run(evening())


@pytest.mark.slow
def test_analyze_reads_hands_with_people_as_players(tmp_path: Path) -> None:
    folder = tmp_path / "hands"
    play(folder, 4)
    play(folder, 4, "passive")
    found = examine_run(folder, bootstrap=20)
    assert len(found.done) == 8
    assert found.results is not None
    tables = {sheet.name: sheet for sheet in found.results.sheets}
    names = {str(cell) for sheet in tables.values() for row in sheet.rows for cell in row}
    assert {"ada", "random", "passive"} <= names
    assert any("bradley" in name for name in tables)
    assert run(["tournament", "list", str(folder)]) == 0
    assert run(["report", str(folder)]) == 0


def test_a_run_of_another_kind_is_no_folder_of_hands(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="has other files in it"):
        Kept(tmp_path).__enter__()
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_the_address_is_the_same_in_every_session_and_no_other_user_can_read_it(tmp_path: Path) -> None:
    """So an open page finds its table after a restart. The state is newer than that of the first session."""

    def session(folder: Path) -> tuple[str, int]:
        async def sat_down() -> tuple[str, int]:
            async with house_in(folder) as house:
                if house.stage == "lobby":
                    await house.sit("kuhn", "random", "turns")
                await until(house, "yours", "over")
                return house._kept.secret, house.version

        return asyncio.run(sat_down())

    (secret, version), (again, later), (other, _) = (session(tmp_path / name) for name in ("hands", "hands", "others"))
    file = tmp_path / "hands" / ".secret"
    assert secret == again == file.read_text() != other
    assert later > version
    assert file.stat().st_mode & 0o077 == 0
    file.write_text("../../etc")
    assert len(session(tmp_path / "hands")[0]) > 20 < len(file.read_text())


def test_one_process_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "hands"
    play(folder, 1)
    with Kept(folder), pytest.raises(StorageError, match="another process"), Kept(folder):
        pass


def test_a_configuration_that_was_not_written_before_the_end_is_put_right(tmp_path: Path) -> None:
    folder = tmp_path / "hands"
    play(folder, 1)
    whole = (folder / "config.toml").read_bytes()
    (folder / "config.toml").write_bytes(whole.replace(b"kuhn", b"leduc"))
    with Kept(folder) as kept:
        assert len(kept.records()) == 1
    assert (folder / "config.toml").read_bytes() == whole


def test_resume_does_not_play_for_a_person(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "hands"

    async def begin() -> None:
        async with house_in(folder) as house:
            await house.sit("kuhn", "passive", "alice")
            await until(house, "yours")

    asyncio.run(begin())
    assert run(["tournament", "resume", str(folder)]) == 2
    assert "continue this hand with `antemill play`" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["ada", 'a "b" \\ c', "ünï", "[x]"])
def test_names_survive_the_configuration(name: str) -> None:
    players = {name: PlayerTable(person=True), "l1": PlayerTable(bot="l1")}
    config = parse_config(config_text(['a"b', "7@0.4"], players, 3).encode(), CardConfig, "text")
    assert dict(config.players) == players
    assert config.tournament.games == ('a"b', "7@0.4")


def test_people_play_in_no_ordinary_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = '[tournament]\ngames = ["kuhn"]\n[players.ada]\nperson = true\n[players.rnd]\nbot = "random"\n'
    (tmp_path / "cup.toml").write_text(text)
    assert run(["tournament", "run", str(tmp_path / "cup.toml"), "--out", str(tmp_path / "cup")]) == 2
    assert "let people play with `antemill play`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--name", "a:b"], "a player cannot be called 'a:b'"),
        (["--name", "l1"], "an opponent is called l1"),
        (["--policy", "nowhere"], "there is no policy nowhere"),
        (["--pool", "nowhere"], "nowhere"),
        (["--models", "nowhere.toml"], "cannot be read"),
        (["--budget", "-1"], "--budget is -1"),
        (["--port", "70000"], "there is no port 70000"),
        (["nosuchgame"], "there is no game 'nosuchgame'"),
    ],
)
def test_bad_arguments_get_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    folder = tmp_path / "hands"
    port = [] if "--port" in arguments else ["--port", "0"]
    assert run(["play", *arguments, "--folder", str(folder), *port]) == 2
    assert words in capsys.readouterr().err
    assert not folder.exists()


def test_the_selection_is_of_this_builder() -> None:
    games = GameList()
    assert len(games.placed) > 30
    for one in games.placed:
        pinned, spec = games.find(one.game)
        assert compile_spec(spec).digest == one.digest == pinned.digest, "run python -m benches.play_selection --write"
