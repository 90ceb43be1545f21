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
from tournament.skate import analysis, figures
from tournament.skate.analysis import Asked, Game
from tournament.skate.config import SkateConfig
from tournament.skate.kind import BASE, Base, rows_of
from tournament.skate.measured import Measured, measure
from tournament.statistics.figures import heat_map, to_svg
from tournament.statistics.sheets import Cell, Column, Missing, Sheet, to_markdown, to_parquet, write_sheet
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
    return analysis.read_game(tuple(dict.fromkeys(names)), whole.questions, whole.answers), whole


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


def analyze(folder: Path, others: Sequence[Path] = ()) -> tuple[SkateSummary, list[Sheet]]:
    """Write the tables as Parquet, CSV and Markdown, and the figures as SVG, into the run's folder. Returns the tables
    too.

    others: folders of more games, to compare with this one, such as those of other strategies.
    """
    game, rows = load(folder)
    asked, measured = load_asked(folder), load_measured(folder, game)
    skills = {rule: analysis.rate(game, rule) for rule in RULES}
    out, drawn = folder / "tables", folder / "figures"
    out.mkdir(exist_ok=True)
    drawn.mkdir(exist_ok=True)
    sheets = tables(game, skills, asked, measured, cost_sheet(folder, PURPOSES))
    files = [path for sheet in sheets for path in write_sheet(out, sheet)]
    pictures = drawings(game, skills, asked, measured) | (comparison([folder, *others]) if others else {})
    for name, drawing in pictures.items():
        files.append(drawn / f"{name}.svg")
        write_bytes(files[-1], to_svg(*drawing))
    together, scores = folder / "tables.md", folder / "answers.parquet"
    write_text(together, "\n".join(to_markdown(sheet) for sheet in sheets))
    write_bytes(scores, to_parquet(_answers(game)))
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
            for rated in [analysis.rate(game, rule).average()]
        ]
        found[f"games_{rule}"] = figures.games(labels, ratings)
    found["games_progress"] = figures.progress_of(labels, played)
    return found


def _config(folder: Path) -> SkateConfig:
    return msgspec.toml.decode(RunFolder(folder).config.read_bytes(), type=SkateConfig)


def tables(
    game: Game, skills: dict[str, Skills], asked: Sequence[Asked], measured: Measured, costs: Sheet
) -> list[Sheet]:
    """All tables."""
    found = [_ratings(game, skills), _skills(game), _preference(game, False), _preference(game, True)]
    return [*found, _sensitivity(game, asked), costs, _questions(game, measured)]


def drawings(
    game: Game, skills: dict[str, Skills], asked: Sequence[Asked], measured: Measured
) -> dict[str, figures.Drawing]:
    """The figures by the names of their files; those without anything to show are left out."""
    found = {
        f"evolution_{rule}": figures.evolution(game.players, course, f"TrueSkill, {rule}")
        for rule, course in skills.items()
    }
    counts, ratings = analysis.by_weaker_setters(game, "relative")
    found["weaker_setters"] = figures.weaker_setters(game.players, counts, ratings)
    if orders := analysis.joining(game, "relative"):
        found["joining"] = figures.joining(orders)
    if asked:
        found["option_order"] = figures.places(analysis.sensitivity(asked, game.players))
    if measured.vectors is not None and len(game.questions) > 1:
        marks = {f"threshold {measured.threshold:g}": measured.threshold}
        found["distances"] = figures.histogram(
            pairwise(measured.vectors), "Distances of all pairs of questions", f"1 - cosine, {measured.embedder}", marks
        )
    found["progress"] = figures.progress(game)
    found["asking_and_answering"] = figures.asking_and_answering(analysis.skills(game))
    if spreads := analysis.spreads(game):
        values = np.array([spread.variance for spread in spreads])
        found["variance"] = figures.histogram(values, "Variance of the players' scores", "variance, per question")
    for name, filtered in (("self_preference", False), ("self_preference_filtered", True)):
        matrix = analysis.self_preference(game, filtered)
        if np.isfinite(matrix).any():
            title = "Score against the others'" + (", where the setter passes" if filtered else "")
            limit = max(0.05, float(np.nanmax(np.abs(matrix))))
            found[name] = heat_map(game.players, matrix, f"{title} (rows: setters)", limit, "difference of shares")
    return found


def _ratings(game: Game, skills: dict[str, Skills]) -> Sheet:
    columns = [Column("player", "Player", "text")]
    rows: list[list[Cell]] = [[player] for player in game.players]
    for rule, course in skills.items():
        columns += [Column(f"{rule}_mu", f"{rule}: mu"), Column(f"{rule}_sigma", "sigma")]
        columns += [Column(f"{rule}_low", "lowest mu"), Column(f"{rule}_high", "highest mu")]
        average, stable = course.average(), analysis.order_stability(game, rule)
        for i, row in enumerate(rows):
            row += [float(average[i, 0]), float(average[i, 1]), float(stable.low[i]), float(stable.high[i])]
    note = "Average over the last 100 updates; lowest and highest mu over 20 other orders of players and questions."
    return Sheet("ratings", "TrueSkill", columns, rows, note)


def _skills(game: Game) -> Sheet:
    columns = [Column("player", "Player", "text"), Column("questions", "Questions", "count")]
    columns += [Column("answering", "Answering", digits=3), Column("asking", "Asking", digits=3)]
    columns += [Column("own", "Own score on own", digits=3), Column("others", "Others on own", digits=3)]
    rows: list[list[Cell]] = []
    for skill in analysis.skills(game):
        _, own, others = analysis.cumulative(game, skill.player)
        row: list[Cell] = [skill.player, skill.questions, _cell(skill.answering), _cell(skill.asking)]
        rows.append(row + [_cell(float(line[-1]) if len(line) else None) for line in (own, others)])
    return Sheet(
        "skills", "Asking and answering", columns, rows, "Shares of correct answers; asking is 1 minus the others'."
    )


def _preference(game: Game, filtered: bool) -> Sheet:
    columns = [
        Column("setter", "Setter", "text"),
        *(Column(name, name, digits=3, signed=True) for name in game.players),
    ]
    matrix = analysis.self_preference(game, filtered)
    rows: list[list[Cell]] = [
        [name, *(_cell(float(cell)) for cell in row)] for name, row in zip(game.players, matrix, strict=True)
    ]
    best = {(i, 1 + int(np.nanargmax(row))) for i, row in enumerate(matrix) if np.isfinite(row).any()}
    suffix, title = ("_filtered", ", where the setter passes") if filtered else ("", "")
    note = "Mean score of a player on a setter's questions, minus the others'."
    return Sheet(f"self_preference{suffix}", f"Self-preference{title}", columns, rows, note, frozenset(best))


def _sensitivity(game: Game, asked: Sequence[Asked]) -> Sheet:
    found = analysis.sensitivity(asked, game.players)
    places = max((len(one.by_place) for one in found), default=4)
    columns = [Column("player", "Player", "text")]
    columns += [Column(f"place_{i + 1}", f"truth at {'ABCDEFGHIJ'[i]}", digits=3) for i in range(places)]
    columns += [Column("by_set", "by distractor", digits=3)]
    rows: list[list[Cell]] = [[one.player, *map(_cell, one.by_place), _cell(one.by_set)] for one in found]
    note = (
        "Share correct by the place of the truth; and how much a question's share varies with the distractor that is "
        "shown (standard deviation, mean over questions; sampling noise included)."
    )
    return Sheet("options", "Sensitivity to the options", columns, rows, note)


def _questions(game: Game, measured: Measured) -> Sheet:
    spread = {one.number: one for one in analysis.spreads(game)}
    cluster: list[Cell] = [Missing(measured.problem)] * len(game.questions)
    note = f"No clusters: {measured.problem}"
    if measured.vectors is not None:
        cluster = [int(group) for group in analysis.clusters(measured.vectors, measured.threshold)]
        note = f"Clusters by {measured.embedder}, up to a distance of {measured.threshold:g}."
    columns = [
        Column("number", "Question", "count"),
        Column("round", "Round", "count"),
        Column("setter", "Setter", "text"),
    ]
    columns += [Column("cluster", "Cluster", "count"), Column("distance", "Distance", digits=3)]
    columns += [Column("variance", "Variance", digits=4), Column("discriminatory", "Discriminatory", "flag")]
    columns += [Column(name, name) for name in game.players]
    columns += [Column("text", "Text", "text"), Column("truth", "Truth", "text")]
    rows: list[list[Cell]] = []
    for question, group in zip(game.questions, cluster, strict=True):
        one = spread.get(question.number)
        row: list[Cell] = [question.number, question.round_number, question.setter, group]
        row += [question.distance, one.variance if one else None, one.discriminatory if one else None]
        shares = [game.share(question.number, player) for player in game.players]
        row += [None if share is None else float(share) for share in shares]
        rows.append([*row, question.text, question.truth])
    return Sheet("questions", "Questions", columns, rows, f"{note} Variance over the players' scores.")


def _answers(game: Game) -> Sheet:
    columns = [Column("number", "Question", "count"), Column("player", "Player", "text")]
    columns += [Column("correct", "Correct", "count"), Column("asked", "Asked", "count")]
    rows: list[list[Cell]] = [
        [number, player, score.correct, score.asked]
        for number, scores in sorted(game.scores.items())
        for player, score in sorted(scores.items())
    ]
    return Sheet("answers", "Answers", columns, rows)


def _cell(value: float | None) -> Cell:
    return Missing("no score to take it from") if value is None or value != value else value
