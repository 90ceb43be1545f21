"""The folder of hands, and the games on offer."""

import asyncio
from pathlib import Path

import pytest

from antemill.engine.errors import StorageError
from antemill.tournament.cards.config import CardConfig, PlayerTable
from antemill.tournament.cli.entry import run
from antemill.tournament.play.kept import Kept, config_text
from antemill.tournament.runs.config import parse_config
from tests.tournament.analysed import analyze
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
    found, sheets = analyze(folder)
    assert found.finished == 8
    tables = {sheet.name: sheet for sheet in sheets}
    names = {str(cell) for sheet in tables.values() for row in sheet.rows for cell in row}
    assert {"ada", "random", "passive"} <= names
    assert any("leaderboard" in name for name in tables)
    assert run(["list", str(folder)]) == 0
    assert run(["report", str(folder)]) == 0


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


def test_resume_does_not_play_for_a_person(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "hands"

    async def begin() -> None:
        async with house_in(folder) as house:
            await house.sit("kuhn", "passive", "alice")
            await until(house, "yours")

    asyncio.run(begin())
    assert run(["start", str(folder)]) == 2
    assert "continue this hand with `antemill play`" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["ada", 'a "b" \\ c', "ünï", "[x]"])
def test_names_survive_the_configuration(name: str) -> None:
    players = {name: PlayerTable(person=True), "l1": PlayerTable(bot="l1")}
    config = parse_config(config_text(['a"b', "7@0.4"], players, 3).encode(), CardConfig, "text")
    assert dict(config.players) == players
    assert config.tournament.games == ('a"b', "7@0.4")
