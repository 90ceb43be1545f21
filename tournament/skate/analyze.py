"""`skate analyze`: every figure of the paper from any game, finished or not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct

from engine.errors import UsageError
from engine.storage.files import write_bytes, write_text
from tournament.costs import cost_sheet
from tournament.embedding import pairwise
from tournament.runs import RunFolder, RunStore
from tournament.skate import figures, results
from tournament.skate.config import SkateConfig, uncounted
from tournament.skate.kind import BASE, Base, rows_of
from tournament.skate.measured import Measured, measure
from tournament.skate.results import Asked, Game
from tournament.skate.tables import STATISTICS, SkateFindings, answers
from tournament.statistics.figures import heat_map, to_svg
from tournament.statistics.sheets import Sheet, to_markdown, to_parquet, write_sheet
from tournament.statistics.statistic import tables_of
from tournament.statistics.trueskill import RULES, Skills

PURPOSES = {"set": "questions", "answer": "answers"}  # by the first part of a call's sample


class SkateSummary(Struct, frozen=True):
    """What was analysed, and the files that were written."""

    players: int
    questions: int
    answers: int
    files: list[str]


def load(folder: Path) -> tuple[Game, Base]:
    """The game in a run's folder, with what it took over. Raises UsageError if nobody has answered anything yet."""
    store = RunStore(RunFolder(folder).database, read_only=True)
    try:
        materials, new = store.materials(), rows_of(store.records())
    finally:
        store.close()
    old = msgspec.json.decode(materials[BASE], type=Base) if BASE in materials else Base([], [])
    whole = Base(old.questions + new.questions, old.answers + new.answers)
    if not whole.answers:
        raise UsageError(f"nobody in {folder} has answered a question yet: there is nothing to analyse.")
    names = [*_config(folder).players, *(str(row["player"]) for row in whole.answers)]
    return results.read_game(tuple(dict.fromkeys(names)), whole.questions, whole.answers), whole


def load_asked(folder: Path) -> list[Asked]:
    """Every variant that was answered in the run itself."""
    store = RunStore(RunFolder(folder).database, read_only=True)
    try:
        answers = [r for r in store.records(finished_only=True) if r.row.get("what") == "answer"]
        return [
            Asked(record.row["number"], record.row["player"], tuple(one["order"]), one["correct"])
            for record in answers
            for one in store.transcript(record.item.key)
        ]
    finally:
        store.close()


def load_measured(folder: Path, game: Game) -> Measured:
    """How far the questions are apart, by the embedder of the run."""
    return measure(folder, _config(folder).skate, [question.text for question in game.questions])


def costs(folder: Path) -> Sheet:
    """What the run has cost, with what is not counted."""
    return cost_sheet(folder, PURPOSES, uncounted(_config(folder)))


def analyze(folder: Path, others: Sequence[Path] = ()) -> tuple[SkateSummary, list[Sheet]]:
    """Write the tables as Parquet, CSV and Markdown, and the figures as SVG, into the run's folder. Returns the tables
    too.

    others: folders of more games, to compare with this one, such as those of other strategies.
    """
    game, rows = load(folder)
    asked, measured = load_asked(folder), load_measured(folder, game)
    skills = {rule: results.rate(game, rule) for rule in RULES}
    out, drawn = folder / "tables", folder / "figures"
    out.mkdir(exist_ok=True)
    drawn.mkdir(exist_ok=True)
    sheets = list(tables_of(STATISTICS, SkateFindings(game, skills, asked, measured, costs(folder))))
    files = [path for sheet in sheets for path in write_sheet(out, sheet)]
    pictures = drawings(game, skills, asked, measured) | (comparison([folder, *others]) if others else {})
    for name, drawing in pictures.items():
        files.append(drawn / f"{name}.svg")
        write_bytes(files[-1], to_svg(*drawing))
    together, scores = folder / "tables.md", folder / "answers.parquet"
    write_text(together, "\n".join(to_markdown(sheet) for sheet in sheets))
    write_bytes(scores, to_parquet(answers(game)))
    written = [str(path) for path in (*files, together, scores)]
    return SkateSummary(len(game.players), len(game.questions), len(rows.answers), written), sheets


def comparison(folders: Sequence[Path]) -> dict[str, figures.Drawing]:
    """Figures 2 and 11: several games beside each other, each under its strategy and the name of its folder."""
    played = [load(folder)[0] for folder in folders]
    labels = [f"{_config(folder).skate.strategy} ({folder.resolve().name})" for folder in folders]
    found: dict[str, figures.Drawing] = {}
    for rule in RULES:
        ratings = [
            {player: (float(mu), float(sigma)) for player, (mu, sigma) in zip(game.players, rated, strict=True)}
            for game in played
            for rated in [results.rate(game, rule).average()]
        ]
        found[f"games_{rule}"] = figures.games(labels, ratings)
    found["games_progress"] = figures.progress_of(labels, played)
    return found


def _config(folder: Path) -> SkateConfig:
    return msgspec.toml.decode(RunFolder(folder).config.read_bytes(), type=SkateConfig)


def drawings(
    game: Game, skills: dict[str, Skills], asked: Sequence[Asked], measured: Measured
) -> dict[str, figures.Drawing]:
    """The figures by the names of their files; those without anything to show are left out."""
    found = {
        f"evolution_{rule}": figures.evolution(game.players, trajectory, f"TrueSkill, {rule}")
        for rule, trajectory in skills.items()
    }
    counts, ratings = results.by_weaker_setters(game, "relative")
    found["weaker_setters"] = figures.weaker_setters(game.players, counts, ratings)
    if orders := results.joining(game, "relative"):
        found["joining"] = figures.joining(orders)
    if asked:
        found["option_order"] = figures.places(results.sensitivity(asked, game.players))
    if measured.vectors is not None and len(game.questions) > 1:
        marks = {f"threshold {measured.threshold:g}": measured.threshold}
        found["distances"] = figures.histogram(
            pairwise(measured.vectors), "Distances of all pairs of questions", f"1 - cosine, {measured.embedder}", marks
        )
    found["progress"] = figures.progress(game)
    found["asking_and_answering"] = figures.asking_and_answering(results.skills(game))
    if spreads := results.spreads(game):
        values = np.array([spread.variance for spread in spreads])
        found["variance"] = figures.histogram(values, "Variance of the players' scores", "variance, per question")
    for name, filtered in (("self_preference", False), ("self_preference_filtered", True)):
        matrix = results.self_preference(game, filtered)
        if np.isfinite(matrix).any():
            title = "Score against the others'" + (", where the setter passes" if filtered else "")
            limit = max(0.05, float(np.nanmax(np.abs(matrix))))
            found[name] = heat_map(game.players, matrix, f"{title} (rows: setters)", limit, "difference of shares")
    return found
