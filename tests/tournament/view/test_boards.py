"""Leaderboards over several runs: what they say is what all results together say."""

from pathlib import Path
from urllib.parse import quote

import pytest

from antemill.tournament.cards.pooled import pooled as pooled_cups
from antemill.tournament.duel.kind import duel_type
from antemill.tournament.duel.pooled import pooled as pooled_duels
from antemill.tournament.runs import start_run
from antemill.tournament.skate.kind import skate_type
from antemill.tournament.skate.pooled import pooled as pooled_skate
from antemill.tournament.statistics.board import Board
from antemill.tournament.statistics.sheets import Missing, Placed
from tests.tournament.cards.tournament_runs import records_of, run_cup, unplay, write_cup
from tests.tournament.duel import duelists
from tests.tournament.duel.duelists import TrustingJudge
from tests.tournament.duel.test_run import write_config as write_duels
from tests.tournament.skate.skaters import rules, skater
from tests.tournament.skate.skaters import write_config as write_skate
from tests.tournament.view.asking import asked

BOT = '[players.{0}]\nbot = "{0}"\n'
SCRIPTS = {"ace": duelists.strong, "dud": duelists.weak, "wrong": duelists.wrong}
RANKS = ("rank", "rank_high", "best")


def cup(home: Path, name: str, table: str, *bots: str) -> Path:
    home = home / f"of {name}"
    home.mkdir()
    config = write_cup(home, table, "".join(BOT.format(bot) for bot in bots))
    run_cup(config, home / name)
    return home / name


def by_player(board: Board | None, key: str) -> dict[str, object]:
    assert board is not None
    return dict(zip(map(str, board.sheet.column("player")), board.sheet.column(key), strict=True))


def test_two_players_strengths_are_half_their_mean_margin_over_all_matches(tmp_path: Path) -> None:
    runs = {
        "one": cup(tmp_path, "one", 'games = ["kuhn"]\nmatches_per_seat = 40\nseed = 1', "l1", "random"),
        "two": cup(tmp_path, "two", 'games = ["leduc"]\nmatches_per_seat = 10\nseed = 2', "l1", "random"),
    }
    margins = {}
    for name, path in runs.items():
        margins[name] = [r.row["margin"] * (1 if r.item.data["alice"] == "l1" else -1) for r in records_of(path)]
    together = [margin for one in margins.values() for margin in one]
    board = pooled_cups(runs)
    strength = by_player(board, "strength")
    assert strength["l1"] == pytest.approx(sum(together) / len(together) / 2)
    assert strength["random"] == pytest.approx(-sum(together) / len(together) / 2)
    assert by_player(board, "matches") == {"l1": 100, "random": 100}
    for i, name in enumerate(runs):
        alone = by_player(board, f"alone_{i}")
        assert alone["l1"] == pytest.approx(sum(margins[name]) / len(margins[name]) / 2)
    assert board is not None
    assert [column.heading for column in board.sheet.columns][-2:] == ["one", "two"]
    single = pooled_cups({"one": runs["one"]})
    assert single is not None
    assert [column.key for column in single.sheet.columns] == ["player", "strength", "low", "high", *RANKS, "matches"]


def test_runs_of_a_tournament_stay_clusters_of_their_own(tmp_path: Path) -> None:
    """The same numbers of runs in two folders are different draws: the interval is narrower than with one of them."""
    runs = {
        name: cup(tmp_path, name, f'games = ["kuhn"]\nmatches_per_seat = 30\nseed = {seed}', "l1", "random")
        for name, seed in (("one", 1), ("two", 2), ("three", 3), ("four", 4))
    }

    def width(names: tuple[str, ...]) -> float:
        board = pooled_cups({name: runs[name] for name in names})
        low, high = (by_player(board, key)["l1"] for key in ("low", "high"))
        assert isinstance(low, float)
        assert isinstance(high, float)
        return high - low

    assert width(("one", "two", "three", "four")) < 0.75 * width(("one",))


def test_without_anything_finished_there_is_no_board(tmp_path: Path) -> None:
    path = cup(tmp_path, "one", 'games = ["kuhn"]\nmatches_per_seat = 2', "l1", "random")
    unplay(path)
    assert pooled_cups({"one": path}) is None


def test_players_meet_across_tournaments(tmp_path: Path) -> None:
    runs = {
        "one": cup(tmp_path, "one", 'games = ["kuhn"]\nmatches_per_seat = 10', "l1", "random"),
        "two": cup(tmp_path, "two", 'games = ["kuhn"]\nmatches_per_seat = 10', "random", "aggressive"),
    }
    board = pooled_cups(runs)
    assert set(by_player(board, "strength")) == {"l1", "random", "aggressive"}
    assert isinstance(by_player(board, "alone_0")["aggressive"], Missing)


def test_duels_of_several_runs_are_rated_together(tmp_path: Path) -> None:
    runs = {}
    for name, players in (("one", ("ace", "dud")), ("two", ("dud", "wrong"))):
        home = tmp_path / name
        home.mkdir()
        path = write_duels(home, players=players)
        with start_run(duel_type(lambda _config: TrustingJudge()), path, home / "run") as session:
            session.run(quiet=True, scripts=SCRIPTS)
        runs[name] = home / "run"
    board = pooled_duels(runs)
    assert board is not None
    rated = by_player(board, "duel_rating")
    assert set(rated) == {"ace", "dud", "wrong"}
    assert all(isinstance(cell, float | Placed) for cell in rated.values())
    assert isinstance(by_player(board, "alone_0")["wrong"], Missing)
    assert isinstance(by_player(board, "alone_1")["ace"], Missing)
    count = sum(len(records_of(path)) for path in runs.values())
    assert f"All {count} duels" in board.sheet.note


def test_games_of_skate_are_one_long_game_and_each_item_opens(tmp_path: Path) -> None:
    skills = {"ace": 0.97, "mid": 0.6, "low": 0.3}
    runs = {}
    for name, players in (("one", ("ace", "low")), ("two", ("low", "mid", "ace"))):
        home = tmp_path / name
        home.mkdir()
        config = write_skate(home, {player: skills[player] for player in players}, rounds=3)
        with start_run(skate_type(rules), config, home / "run") as session:
            session.run(quiet=True, scripts={player: skater(player, skills[player]) for player in players})
        runs[name] = home / "run"
        with asked(runs[name]) as server:
            for record in records_of(runs[name]):
                answer = server.json(f"/api/runs/run/items/{quote(record.item.key, safe='')}")
                assert answer["item"] == record.item.key
    board = pooled_skate(runs)
    assert board is not None
    assert board.sheet.rows[0][0] == "ace"
    assert isinstance(by_player(board, "alone_0")["mid"], Missing)
    alone = pooled_skate({"one": runs["one"]})
    assert by_player(alone, "relative_mu")["ace"] == pytest.approx(by_player(board, "alone_0")["ace"])
    assert by_player(board, "relative_mu")["ace"] != by_player(board, "alone_0")["ace"]
