"""`antemill analyze`: every figure of the paper from any game, finished or not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace

from antemill.engine.errors import UsageError
from antemill.engine.storage.files import write_bytes
from antemill.tournament.charts.chart import Chart, to_svg
from antemill.tournament.costs import cost_sheet
from antemill.tournament.embedding import pairwise
from antemill.tournament.runs import RunFolder, RunStore, read_config
from antemill.tournament.skate import figures, results
from antemill.tournament.skate.config import SkateConfig, uncounted
from antemill.tournament.skate.embedders import measure
from antemill.tournament.skate.kind import Base, whole_game
from antemill.tournament.skate.options import Sensitive, sensitive
from antemill.tournament.skate.results import Asked, Game
from antemill.tournament.skate.tables import STATISTICS, SkateFindings, answers, best_first, preference
from antemill.tournament.statistics.figures import heat_map
from antemill.tournament.statistics.replies import Counts
from antemill.tournament.statistics.sheets import Sheet, to_arrow, to_parquet, write_tables
from antemill.tournament.statistics.trueskill import RULES

PURPOSES = {
    "set": "questions",
    "answer": "answers",
    "option": "options",
}  # stages, named by the first part of a call's sample


class SkateSummary(Struct, frozen=True):
    """The analysed results, and the files that were written."""

    players: int
    questions: int
    answers: int
    files: list[str]


def load(folder: Path) -> tuple[Game, Base]:
    """The game in a run's folder, with the rows of its base game. Raises UsageError if no question is answered."""
    game, whole = _read(folder)
    if not whole.answers:
        raise UsageError(f"no question in {folder} is answered yet: there is nothing to analyse.")
    return game, whole


def rows(folder: Path) -> pa.Table:
    """All answers to the questions of a run, one row each: the content of answers.parquet."""
    return to_arrow(answers(_read(folder)[0]))


def _read(folder: Path) -> tuple[Game, Base]:
    with RunStore(RunFolder(folder).database, read_only=True) as store:
        whole = whole_game(store)
    config = _config(folder)
    names = tuple(dict.fromkeys([*config.players, *(str(row["player"]) for row in whole.answers)]))
    return results.read_game(names, whole.questions, whole.answers, config.rating), whole


def examine(folder: Path) -> tuple[SkateFindings, Base]:
    """The data for the tables and figures of a run's folder, and the game's rows. Raises UsageError as `load`."""
    (game, rows), config = load(folder), _config(folder)
    skills = {rule: results.rate(game, rule) for rule in RULES}
    measured = measure(folder, config.skate, [question.text for question in game.questions])
    costs = cost_sheet(folder, PURPOSES, uncounted(config))
    return SkateFindings(game, skills, _asked(folder), measured, costs, *_slots_and_tests(folder)), rows


def _slots_and_tests(folder: Path) -> tuple[list[dict[str, Any]], list[Sensitive], dict[str, Counts]]:
    """The rows of all slots of the run itself, what its tests of options came to, and each player's replies."""
    with RunStore(RunFolder(folder).database, read_only=True) as store:
        rows = [one.row for one in store.records(finished_only=True) if one.status == "done"]
    replies: dict[str, Counts] = {}
    for row in rows:
        name, asked = (row["setter"], row["replies"]) if row["what"] == "set" else (row["player"], row["asked"])
        had = replies.get(name, (0, 0, 0))
        replies[name] = (had[0] + asked, had[1] + row["second"], had[2] + row["unread"])
    tests = sensitive([row for row in rows if row["what"] == "option"])
    return [row for row in rows if row["what"] == "set"], tests, replies


def _asked(folder: Path) -> list[Asked]:
    """Every answered variant of the run itself, without its base game."""
    with RunStore(RunFolder(folder).database, read_only=True) as store:
        answers = [r for r in store.records(finished_only=True) if r.row.get("what") == "answer"]
        return [
            Asked(record.row["number"], record.row["player"], tuple(one["order"]), one["correct"])
            for record in answers
            for one in store.transcript(record.item.key)
        ]


def analyze(folder: Path) -> tuple[SkateSummary, list[Sheet]]:
    """Write the tables as Parquet, CSV, Markdown and LaTeX, and the figures as SVG, into the run's folder.

    The result has the tables too.
    """
    found, rows = examine(folder)
    game, drawn = found.game, folder / "figures"
    drawn.mkdir(exist_ok=True)
    sheets = STATISTICS.tables(found)
    files = write_tables(folder, sheets)
    for name, chart in charts_of(found).items():
        files.append(drawn / f"{name}.svg")
        write_bytes(files[-1], to_svg(chart))
    files.append(folder / "answers.parquet")
    write_bytes(files[-1], to_parquet(answers(game)))
    return SkateSummary(len(game.players), len(game.questions), len(rows.answers), list(map(str, files))), sheets


def comparison(games: Sequence[tuple[str, Path, Game]]) -> dict[str, Chart]:
    """Figures 2 and 11: several games beside each other, each with its strategy and its name.

    games: the name, the folder and the result of `load`.
    """
    rated = [{rule: results.rate(game, rule) for rule in RULES} for _, _, game in games]
    shown = [replace(game, players=best_first(game, skills)) for (_, _, game), skills in zip(games, rated, strict=True)]
    labels = [f"{_config(folder).skate.strategy} ({name})" for name, folder, _ in games]
    found: dict[str, Chart] = {}
    for rule in RULES:
        ratings = []
        for (_, _, game), skills, best in zip(games, rated, shown, strict=True):
            average = dict(zip(game.players, skills[rule].average().tolist(), strict=True))
            ratings.append({player: (average[player][0], average[player][1]) for player in best.players})
        found[f"games_{rule}"] = figures.games(labels, ratings, f"Ratings in each game, {rule}")
    found["games_progress"] = figures.progress_of(labels, shown)
    return found


def _config(folder: Path) -> SkateConfig:
    return read_config(RunFolder(folder).config, SkateConfig)


def charts_of(of: SkateFindings) -> dict[str, Chart]:
    """The figures by the names of their files; empty figures are left out."""
    game, measured, players = of.game, of.measured, of.best_first
    skills = {rule: figures.in_order(trajectory, of.places) for rule, trajectory in of.skills.items()}
    found = {"ratings": figures.ratings(players, skills)} | {
        f"evolution_{rule}": figures.evolution(
            players, trajectory, f"Ratings as they evolve, {rule}", game.rating.update
        )
        for rule, trajectory in skills.items()
    }
    counts, ratings = results.by_weaker_setters(game)
    found["weaker_setters"] = figures.weaker_setters(players, counts, ratings[:, of.places])
    if orders := results.joining(game, "relative"):
        found["joining"] = figures.joining(players, orders)
    if of.asked:
        found["option_order"] = figures.places(results.sensitivity(of.asked, players))
    if of.tests:
        found["option_tests"] = figures.option_tests(of.tests_by_player, players)
    if measured.vectors is not None and len(game.questions) > 1:
        marks = {f"threshold {measured.threshold:g}": measured.threshold}
        found["distances"] = figures.histogram(
            pairwise(measured.vectors), "Distances of all pairs of questions", f"1 - cosine, {measured.embedder}", marks
        )
    found["progress"] = figures.progress(of.shown)
    if (both := figures.asking_and_answering(results.skills(of.shown))) is not None:
        found["asking_and_answering"] = both
    if spreads := results.spreads(game):
        values = np.array([spread.variance for spread in spreads])
        found["variance"] = figures.histogram(values, "Variance of the players' scores", "variance, per question")
    for sheet in (preference(of, filtered) for filtered in (False, True)):
        if any(isinstance(cell, float) for row in sheet.rows for cell in row):
            title = sheet.title.replace("Self-preference", "Score against the others'")
            found[sheet.name] = heat_map(sheet, f"{title} (rows: setters)", "difference of shares")
    return found
