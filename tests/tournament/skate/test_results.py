"""SKATE's ratings, analyses and commands (S5, S7, S8, S13)."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path

import httpx2
import numpy as np
import pytest
from msgspec.structs import replace
from pyarrow.csv import read_csv

from antemill.tournament.cli.entry import run as command
from antemill.tournament.embedding import PAPER_THRESHOLD, token_hash
from antemill.tournament.runs import start_run
from antemill.tournament.skate import embedders, results
from antemill.tournament.skate.kind import SkateKind
from antemill.tournament.skate.results import Asked, Game, Question
from antemill.tournament.skate.sampling import Score
from antemill.tournament.statistics.trueskill import Rating, rate_matches
from tests.tournament.skate import skaters
from tests.tournament.skate.skaters import SHAPES, rules, skater

SKILLS = {"low": 0.3, "ace": 0.97, "mid": 0.65}


def question(number: int, setter: str, round_number: int = 1, text: str = "") -> Question:
    return Question(
        number=number,
        round_number=round_number,
        setter=setter,
        text=text or f"print({number})",
        truth=str(number),
        explanation="",
        distance=None,
    )


def small() -> Game:
    """Two players; a scores (1, 1/2, 1/5), b scores (0, 1/2, none) on questions by a, a, b."""
    scores = {
        1: {"a": Score(10, 10), "b": Score(0, 10)},
        2: {"a": Score(5, 10), "b": Score(5, 10)},
        3: {"a": Score(2, 10)},
    }
    questions = [question(1, "a"), question(2, "a", 2), question(3, "b")]
    return Game(players=("a", "b"), questions=questions, scores=scores)


def test_s13_running_means() -> None:
    rounds, own, others = results.cumulative(small(), "a")
    assert rounds == [1, 2]
    assert own.tolist() == [1.0, 0.75]
    assert others.tolist() == [0.0, 0.25]
    rounds, own, others = results.cumulative(small(), "b")
    assert np.isnan(own).all()
    assert others.tolist() == [0.2]


def test_s13_self_preference_with_and_without_the_filter() -> None:
    assert np.array_equal(results.self_preference(small()), [[0.5, -0.5], [np.nan, np.nan]], equal_nan=True)
    filtered = results.self_preference(small(), filtered=True)  # question 1 only: a has exactly 1/2 on the other
    assert np.array_equal(filtered, [[1.0, -1.0], [np.nan, np.nan]], equal_nan=True)


def test_s13_asking_and_answering() -> None:
    a, b = results.skills(small())
    assert (a.questions, a.answering, a.asking) == (2, 0.2, 0.75)
    assert (b.questions, b.answering, b.asking) == (1, 0.25, 0.8)


def test_s13_questions_that_tell_players_apart() -> None:
    first, second = results.spreads(small())
    assert (first.number, first.variance, first.discriminatory) == (1, 0.25, True)
    assert (second.number, second.variance, second.discriminatory) == (2, 0.0, False)


def test_s13_clusters_of_near_questions() -> None:
    texts = [
        SHAPES[0].format(n=3, m=4),
        SHAPES[2].format(n=5, m=1),
        SHAPES[0].format(n=30, m=40),
        SHAPES[5].format(n=2, m=9),
    ]
    vectors = token_hash(texts)
    assert results.clusters(vectors, PAPER_THRESHOLD).tolist() == [1, 2, 1, 3]
    assert results.clusters(vectors, 2.0).tolist() == [1, 1, 1, 1]
    assert results.clusters(vectors[:1], 0.3).tolist() == [1]
    assert results.clusters(vectors[:0], 0.3).tolist() == []


def test_s8_ratings_follow_the_order_of_questions_and_players() -> None:
    game = small()
    course = results.rate(game, "relative")
    assert course.mu.shape == (3, 2)  # the prior and two questions; no players met on the third
    assert course.final[0, 0] > 25 > course.final[1, 0]
    assert results.rate(game, "relative", ["b", "a"]).final[::-1] == pytest.approx(course.final)


def test_s7_one_update_a_round_is_on_mean_shares() -> None:
    """Of the questions of a round that both answered; a base game's rounds are rounds of their own."""
    shares = {1: (10, 0), 2: (2, 10), 3: (6, 6), 4: (10, 0), 5: (0, 10)}
    scores = {n: {"a": Score(a, 10), "b": Score(b, 10)} for n, (a, b) in shares.items()} | {6: {"a": Score(10, 10)}}
    rounds = {1: 1, 2: 1, 3: 1, 4: 2, 5: 1, 6: 2}  # questions 5 and 6 are of another game
    questions = [question(n, "a", rounds[n]) for n in scores]
    game = Game(players=("a", "b"), questions=questions, scores=scores, rating=Rating(update="round"))
    want = rate_matches([(0, 1, 1), (0, 1, 1), (0, 1, -1)], 2)  # 18/30 against 16/30; 1 against 0; 0 against 1
    assert results.rate(game, "relative").mu == pytest.approx(want.mu)
    assert len(results.rate(replace(game, rating=Rating()), "relative").mu) == 1 + 5
    passes = rate_matches([(0, 1, 1), (0, 1, 1), (0, 1, -1)], 2)  # 16/30 does not pass
    assert results.rate(game, "absolute").mu == pytest.approx(passes.mu)


def test_s7_passing_is_exact() -> None:
    scores = {1: {"a": Score(11, 20), "b": Score(54, 100)}}
    game = Game(players=("a", "b"), questions=[question(1, "a")], scores=scores)
    won = results.rate(game, "absolute").final[:, 0]
    assert won[0] > 25 > won[1]
    drawn = results.rate(game, "relative").final[:, 0]
    assert drawn == pytest.approx([25.0, 25.0])
    assert game.share(1, "a") == Fraction(11, 20)


def planted(questions: int = 60) -> Game:
    """Three players whose scores are draws from their skills."""
    names = tuple(SKILLS)
    scores = {
        n: {name: Score(sum(skaters.chance(name, n, i) < SKILLS[name] for i in range(40)), 40) for name in names}
        for n in range(1, questions + 1)
    }
    return Game(players=names, questions=[question(n, names[n % 3], n // 3 + 1) for n in scores], scores=scores)


def test_s8_planted_skills_are_ranked() -> None:
    game = planted()
    for rule in ("relative", "absolute"):
        mu = results.rate(game, rule).average()[:, 0]
        assert [game.players[i] for i in np.argsort(-mu)][-1] == "low"
        assert game.players[int(np.argmax(results.rate(game, "relative").average()[:, 0]))] == "ace"
        stable = results.order_stability(game, rule, orders=5)
        assert (stable.low <= stable.high).all()
        assert stable.high[0] < stable.low[1]  # low and ace, in every order


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("skate")
    path = skaters.write_config(folder, SKILLS, rounds=3)
    with start_run(SkateKind(rules), path, folder / "run") as session:
        session.run(quiet=True, scripts={name: skater(name, skill) for name, skill in SKILLS.items()})
    return folder / "run"


@pytest.fixture
def finished(played: Path, tmp_path: Path) -> Path:
    """A copy of the game, to be written to."""
    return Path(shutil.copytree(played, tmp_path / "run"))


def test_skate_analyze_writes_every_table_and_figure(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["analyze", str(finished), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (len(document["players"]), document["finished"], document["complete"]) == (3, 9 + 27, True)
    names = {Path(name).name for name in document["files"]}
    figures = {"evolution_relative", "evolution_absolute", "progress", "asking_and_answering", "variance"}
    figures |= {"self_preference", "self_preference_filtered", "weaker_setters", "option_order", "distances"}
    assert {f"{name}.svg" for name in figures} <= names
    assert {"ratings.csv", "skills.csv", "questions.csv", "answers.parquet", "tables.md"} <= names
    assert all(Path(name).stat().st_size > 0 for name in document["files"])
    questions = read_csv(finished / "tables/questions.csv").to_pylist()
    assert [row["number"] for row in questions] == list(range(1, 10))
    assert {row["setter"] for row in questions} == set(SKILLS)
    first = {name: Path(name).read_bytes() for name in document["files"]}
    assert command(["analyze", str(finished)]) == 0
    assert "Asking and answering" in capsys.readouterr().out
    assert {name: Path(name).read_bytes() for name in first} == first


def test_s7_ratings_of_a_finished_game_may_be_made_otherwise(tmp_path: Path, finished: Path) -> None:
    """[rating] may change in a run that exists: nothing is asked, and tables, page and leaderboard follow."""
    assert command(["analyze", str(finished)]) == 0
    before = read_csv(finished / "tables/ratings.csv").to_pylist()
    path = skaters.write_config(tmp_path, SKILLS, rounds=3)
    path.write_text(path.read_text() + '[rating]\nupdate = "round"\ndraw = 0.5\n')
    with start_run(SkateKind(rules), path, finished) as session:
        session.run(quiet=True, scripts={name: lambda _: pytest.fail("asked") for name in SKILLS})
    assert command(["analyze", str(finished)]) == 0
    after = read_csv(finished / "tables/ratings.csv").to_pylist()
    assert [row["player"] for row in after] == [row["player"] for row in before]
    assert all(new["relative_sigma"] > old["relative_sigma"] for new, old in zip(after, before, strict=True))
    assert "each pair and round, with beta 4.17, tau 0.0833 and draws of 50%" in (finished / "tables.md").read_text()
    assert "one pair on one round" in (finished / "figures/evolution_relative.svg").read_text()


def test_s6_sensitivity_to_order_and_choice_of_options() -> None:
    asked = [Asked(1, "a", (0, 1, 2, 3), True), Asked(1, "a", (1, 0, 2, 4), False), Asked(1, "a", (0, 4, 3, 2), True)]
    first, second = results.sensitivity(asked, ("a", "b"))
    assert first.by_place == [1.0, 0.0, None, None]
    assert first.by_set == pytest.approx(np.std([1 / 2, 2 / 3, 1.0, 1 / 2]))  # shown with 1, 2, 3, 4
    assert (second.by_place, second.by_set) == ([None] * 4, None)


def served(monkeypatch: pytest.MonkeyPatch, working: bool) -> list[list[str]]:
    """A server of embeddings that knows two kinds of programs, those with `def` and all others; what it was asked."""
    asked: list[list[str]] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        texts = json.loads(request.content)["input"]
        asked.append(texts)
        data = [{"index": i, "embedding": [1.0, 0.0] if "def " in t else [0.0, 1.0]} for i, t in enumerate(texts)]
        return httpx2.Response(200 if working else 400, json={"data": data})

    transport = httpx2.MockTransport(answer)
    made = embedders.embedder_of
    monkeypatch.setattr(embedders, "embedder_of", lambda table: made(table, transport))
    return asked


def test_s5_clusters_and_distances_are_those_of_the_runs_embedder(
    finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not those of the default; and a server is asked once, by analyses and pages together."""
    config = finished / "config.toml"
    config.write_text(
        config.read_text() + '[skate.embedder]\nkind = "openai"\nbase_url = "http://127.0.0.1:9/v1"\nthreshold = 0.3\n'
    )
    asked = served(monkeypatch, working=True)
    assert command(["analyze", str(finished), "--json"]) == 0
    assert command(["report", str(finished), "--json"]) == 0
    rows = read_csv(finished / "tables/questions.csv").to_pylist()
    kinds = {("def " in row["text"], row["cluster"]) for row in rows}
    assert len(kinds) == 2
    assert {cluster for _, cluster in kinds} == {1, 2}
    assert sum(map(len, asked)) == len({row["text"] for row in rows})
    assert "text-embedding-3-small, up to a distance of 0.3" in (finished / "tables.md").read_text()
    assert "token hash" not in (finished / "report.html").read_text()


def test_s5_an_embedder_that_can_not_be_had_leaves_clusters_out_and_says_why(
    finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = finished / "config.toml"
    config.write_text(config.read_text() + '[skate.embedder]\nkind = "openai"\n')
    served(monkeypatch, working=False)
    assert command(["analyze", str(finished)]) == 0
    rows = read_csv(finished / "tables/questions.csv").to_pylist()
    assert {row["cluster"] for row in rows} == {None}
    assert "No clusters: the embedder at https://api.openai.com" in (finished / "tables.md").read_text()
    assert not (finished / "vectors.npz").exists()
