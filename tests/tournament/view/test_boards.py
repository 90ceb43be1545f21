"""Leaderboards over several runs: what they say is what all results together say."""

from pathlib import Path
from urllib.parse import quote

import pytest

from antemill.engine.errors import UsageError
from antemill.engine.rules.named import kuhn, leduc
from antemill.engine.rules.spec import to_json
from antemill.tournament.cards import TOURNAMENT
from antemill.tournament.duel.kind import KIND as DUELS
from antemill.tournament.duel.kind import DuelKind
from antemill.tournament.runs import start_run
from antemill.tournament.runs.analyze import leaderboard
from antemill.tournament.skate.kind import KIND as GAMES
from antemill.tournament.skate.kind import SkateKind
from antemill.tournament.statistics.sheets import Placed, Sheet
from tests.tournament.cards.tournament_runs import records_of, run_cup, unplay, write_cup
from tests.tournament.duel import duelists
from tests.tournament.duel.duelists import TrustingJudge
from tests.tournament.duel.test_run import write_config as write_duels
from tests.tournament.skate.skaters import rules, skater
from tests.tournament.skate.skaters import write_config as write_skate
from tests.tournament.view.asking import asked

BOT = '[players.{0}]\nbot = "{0}"\n'
SCRIPTS = {"ace": duelists.strong, "dud": duelists.weak, "wrong": duelists.wrong}


def cup(home: Path, name: str, table: str, *bots: str) -> Path:
    home = home / f"of {name}"
    home.mkdir()
    config = write_cup(home, table, "".join(BOT.format(bot) for bot in bots))
    run_cup(config, home / name)
    return home / name


def by_player(board: Sheet, key: str) -> dict[str, object]:
    return dict(zip(map(str, board.column("model")), board.column(key), strict=True))


def test_two_players_strengths_are_half_their_mean_margin_over_all_matches(tmp_path: Path) -> None:
    runs = [
        cup(tmp_path, "one", 'games = ["kuhn"]\nmatches_per_seat = 40\nseed = 1', "l1", "random"),
        cup(tmp_path, "two", 'games = ["leduc"]\nmatches_per_seat = 10\nseed = 2', "l1", "random"),
    ]
    margins = [r.row["margin"] * (1 if r.item.data["alice"] == "l1" else -1) for path in runs for r in records_of(path)]
    board = leaderboard(TOURNAMENT, runs)
    strength = by_player(board, "alpha")
    assert strength["l1"] == pytest.approx(sum(margins) / len(margins) / 2)
    assert strength["random"] == pytest.approx(-sum(margins) / len(margins) / 2)
    assert by_player(board, "slots") == {"l1": 100, "random": 100}


def test_runs_of_a_tournament_stay_clusters_of_their_own(tmp_path: Path) -> None:
    """The same numbers of runs in two folders are different draws: the interval is narrower than with one of them."""
    runs = [
        cup(tmp_path, name, f'games = ["kuhn"]\nmatches_per_seat = 30\nseed = {seed}', "l1", "random")
        for name, seed in (("one", 1), ("two", 2), ("three", 3), ("four", 4))
    ]

    def width(some: list[Path]) -> float:
        board = leaderboard(TOURNAMENT, some)
        low, high = (by_player(board, key)["l1"] for key in ("low_these", "high_these"))
        assert isinstance(low, float)
        assert isinstance(high, float)
        return high - low

    assert width(runs) < 0.75 * width(runs[:1])


def test_without_anything_finished_there_is_no_board(tmp_path: Path) -> None:
    path = cup(tmp_path, "one", 'games = ["kuhn"]\nmatches_per_seat = 2', "l1", "random")
    unplay(path)
    with pytest.raises(UsageError, match=r"no match in .* is finished"):
        leaderboard(TOURNAMENT, [path])


def test_players_meet_across_tournaments_and_games_that_differ_stay_apart(tmp_path: Path) -> None:
    rules = to_json(leduc()).decode()
    runs = []
    for name, bots in (("one", ("l1", "random")), ("two", ("random", "aggressive"))):
        (tmp_path / f"of {name}").mkdir()
        (tmp_path / f"of {name}" / "mine.json").write_text(rules if name == "one" else to_json(kuhn()).decode())
        config = write_cup(
            tmp_path / f"of {name}",
            'games = ["kuhn", "mine.json"]\nmatches_per_seat = 10',
            "".join(BOT.format(bot) for bot in bots),
        )
        run_cup(config, tmp_path / f"of {name}" / name)
        runs.append(tmp_path / f"of {name}" / name)
    assert set(by_player(leaderboard(TOURNAMENT, runs), "alpha")) == {"l1", "random", "aggressive"}
    games = set(TOURNAMENT.rows(runs)["game"].to_pylist())
    assert games == {"kuhn", "mine.json (one)", "mine.json (two)"}


def of_each(board: Sheet, key: str) -> dict[str, object]:
    return dict(zip(map(str, board.column("player")), board.column(key), strict=True))


def test_duels_of_several_runs_are_rated_together(tmp_path: Path) -> None:
    runs = {}
    for name, players in (("one", ("ace", "dud")), ("two", ("dud", "wrong"))):
        home = tmp_path / name
        home.mkdir()
        path = write_duels(home, players=players)
        with start_run(DuelKind(lambda _config: TrustingJudge()), path, home / "run") as session:
            session.run(quiet=True, scripts=SCRIPTS)
        runs[name] = home / "run"
    rated = of_each(leaderboard(DUELS, [*runs.values()]), "duel_rating")
    assert set(rated) == {"ace", "dud", "wrong"}
    assert all(isinstance(cell, float | Placed) for cell in rated.values())
    count = sum(len(records_of(path)) for path in runs.values())
    assert DUELS.rows([*runs.values()]).num_rows == 10 * count


def test_games_of_skate_are_one_long_game_and_each_item_opens(tmp_path: Path) -> None:
    skills = {"ace": 0.97, "mid": 0.6, "low": 0.3}
    runs = {}
    for name, players in (("one", ("ace", "low")), ("two", ("low", "mid", "ace"))):
        home = tmp_path / name
        home.mkdir()
        config = write_skate(home, {player: skills[player] for player in players}, rounds=3)
        with start_run(SkateKind(rules), config, home / "run") as session:
            session.run(quiet=True, scripts={player: skater(player, skills[player]) for player in players})
        runs[name] = home / "run"
        with asked(runs[name]) as server:
            for record in records_of(runs[name]):
                answer = server.json(f"/api/runs/run/items/{quote(record.item.key, safe='')}")
                assert answer["item"] == record.item.key
    folders = [*runs.values()]
    assert leaderboard(GAMES, folders).rows[0][0] == "ace"
    numbers = [set(GAMES.rows([folder])["number"].to_pylist()) for folder in folders]
    assert set(GAMES.rows(folders)["number"].to_pylist()) == numbers[0] | {max(numbers[0]) + n for n in numbers[1]}
    drawn = GAMES.charts(GAMES.findings(folders))
    assert {"games_relative", "games_absolute", "games_progress"} <= drawn.keys()
