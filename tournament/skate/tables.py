"""SKATE's tables: ratings, asking and answering, self-preference, the order of options, costs, questions."""

from __future__ import annotations

from collections import Counter

import numpy as np

from antemill.tournament.skate import niches, results
from antemill.tournament.skate.findings import CHANCE, STATISTICS, SkateFindings
from antemill.tournament.skate.options import KINDS
from antemill.tournament.statistics.sheets import Cell, Column, Missing, Sheet
from antemill.tournament.statistics.trueskill import LAST_UPDATES

QUESTIONS = "questions"
statistic = STATISTICS


@statistic("ratings", "TrueSkill under each rule", group="Players", printed=True)
def _ratings(a: SkateFindings) -> Sheet:
    """The players, the best by the first rule first."""
    game, skills = a.game, a.skills
    columns = [Column("player", "Player", "text")]
    rows: list[list[Cell]] = [[player] for player in game.players]
    for rule, trajectory in skills.items():
        columns += [Column(f"{rule}_mu", "mu", group=rule), Column(f"{rule}_sigma", "sigma", group=rule)]
        columns += [Column(f"{rule}_{key}", f"{key}est mu", group=rule) for key in ("low", "high")]
        average, stable = trajectory.average(), results.order_stability(game, rule)
        for i, row in enumerate(rows):
            row += [float(average[i, 0]), float(average[i, 1]), float(stable.low[i]), float(stable.high[i])]
    columns += [Column("correct", "correct", "share", group="Of its answers"), Column("chance", "by chance", "share")]
    columns += [Column("unread", "unread", "share", group="Of its answers")]
    for row in rows:
        correct, unread, asked = a.replies.get(str(row[0]), (0, 0, 0))
        row += [correct / asked, CHANCE, unread / asked] if asked else [None, CHANCE, None]
    note = (
        f"{game.rating} Average over the last {LAST_UPDATES} updates; lowest and highest mu over 20 other orders of "
        "players and questions, with the same mean of all players. An answer that could not be read counts as wrong."
    )
    return Sheet("ratings", "TrueSkill", columns, [rows[i] for i in a.places], note)


@statistic("skills", "asking and answering", group="Players", printed=True)
def _skills(a: SkateFindings) -> Sheet:
    game = a.shown
    columns = [Column("player", "Player", "text"), Column("questions", "Questions", "count")]
    columns += [Column("answering", "Answering", digits=3), Column("asking", "Asking", digits=3)]
    columns += [Column("own", "Own score on own", digits=3), Column("others", "Others on own", digits=3)]
    rows: list[list[Cell]] = []
    for skill in results.skills(game):
        _, own, others = results.cumulative(game, skill.player)
        row: list[Cell] = [skill.player, skill.questions, _cell(skill.answering), _cell(skill.asking)]
        rows.append(row + [_cell(float(line[-1]) if len(line) else None) for line in (own, others)])
    return Sheet(
        "skills", "Asking and answering", columns, rows, "Shares of correct answers; asking is 1 minus the others'."
    )


@statistic(
    "niches", "questions that only their setter answers, and niches", "section 4.2", group="Players", printed=True
)
def _niches(a: SkateFindings) -> Sheet:
    columns = [Column("setter", "Setter", "text"), Column("questions", "Questions", "count")]
    columns += [Column("discriminatory", "Only it passes", "count"), Column("niches", "Niches", "count")]
    columns += [Column("discriminatory_niches", "Niches in which only it passes", "count")]
    no = Missing(a.measured.problem)
    rows: list[list[Cell]] = [
        [
            *(one.setter, one.questions, one.discriminatory),
            *(no if count is None else count for count in (one.niches, one.discriminatory_niches)),
        ]
        for one in niches.niches(a.shown, a.clusters)
    ]
    note = (
        "Niches: different clusters of questions. The best play is a question of a new niche each round that only its "
        "setter answers."
    )
    return Sheet("niches", "Discriminatory questions", columns, rows, note)


@statistic("self_preference", "scores on each setter's questions", group="Players", printed=True)
def _preference(a: SkateFindings) -> Sheet:
    return preference(a, filtered=False)


@statistic("self_preference_filtered", "the same where the setter passes", group="Players", printed=True)
def _preference_filtered(a: SkateFindings) -> Sheet:
    return preference(a, filtered=True)


def preference(a: SkateFindings, filtered: bool) -> Sheet:
    """Mean scores on each setter's questions minus the others'. filtered: only questions that the setter passes."""
    matrix = results.self_preference(a.game, filtered)[np.ix_(a.places, a.places)]
    sizes = np.abs(matrix[np.isfinite(matrix)])
    heat = max(0.05, float(sizes.max(initial=0.0)))
    columns = [Column("setter", "Setter", "text")]
    columns += [Column(name, name, digits=3, signed=True, heat=heat) for name in a.best_first]
    rows: list[list[Cell]] = [
        [name, *(_cell(float(cell)) for cell in row)] for name, row in zip(a.best_first, matrix, strict=True)
    ]
    best = {(i, 1 + int(np.nanargmax(row))) for i, row in enumerate(matrix) if np.isfinite(row).any()}
    suffix, title = ("_filtered", ", where the setter passes") if filtered else ("", "")
    note = "Mean score of a player on a setter's questions, minus the others'."
    return Sheet(f"self_preference{suffix}", f"Self-preference{title}", columns, rows, note, frozenset(best))


@statistic("options", "sensitivity to the order of options and to distractors", group="Players")
def _sensitivity(a: SkateFindings) -> Sheet:
    found = results.sensitivity(a.asked, a.best_first)
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


@statistic("option_tests", "fixed sets and orders of options, each asked ten times", "figure 8", group="Players")
def _option_tests(a: SkateFindings) -> Sheet | None:
    if not a.tests:
        return None
    columns = [Column("player", "Player", "text"), Column("kind", "Varied", "text")]
    columns += [Column("questions", "Questions", "count"), Column("spread", "Spread", digits=3)]
    columns += [Column("indifferent", "Indifferent", digits=3), Column("limit", "95% limit", digits=3)]
    columns += [Column("p", "p", digits=3)]
    rows: list[list[Cell]] = [
        [one.player, KINDS[one.kind], len(one.numbers), one.spread, one.indifferent, one.limit, one.p]
        for one in a.tests_by_player
    ]
    note = (
        "Spread: standard deviation of a question's shares correct over its sets, or orders, mean over questions. "
        "Indifferent, limit: its mean and 95% quantile for simulated players who are right with the same probability "
        "whatever the options; p: the share of these with at least that spread."
    )
    return Sheet("option_tests", "Fixed options", columns, rows, note)


@statistic(QUESTIONS, "every question with its scores and its cluster", group="Play")
def _questions(a: SkateFindings) -> Sheet:
    game, measured = a.game, a.measured
    spread = {one.number: one for one in results.spreads(game)}
    cluster: list[Cell] = [Missing(measured.problem)] * len(game.questions)
    note = f"No clusters: {measured.problem}"
    if (found := a.clusters) is not None:
        cluster = [*found]
        note = f"Clusters by {measured.embedder}, up to a distance of {measured.threshold:g}."
    columns = [
        Column("number", "Question", "count"),
        Column("round", "Round", "count"),
        Column("setter", "Setter", "text"),
    ]
    columns += [Column("cluster", "Cluster", "count"), Column("distance", "Distance", digits=3)]
    columns += [Column("variance", "Variance", digits=4), Column("discriminatory", "Only its setter passes", "flag")]
    columns += [Column(name, name) for name in a.best_first]
    columns += [Column("text", "Text", "text"), Column("truth", "Truth", "text")]
    rows: list[list[Cell]] = []
    for question, group in zip(game.questions, cluster, strict=True):
        one = spread.get(question.number)
        row: list[Cell] = [question.number, question.round_number, question.setter, group]
        row += [question.distance, one.variance if one else None, one.discriminatory if one else None]
        shares = [game.share(question.number, player) for player in a.best_first]
        row += [None if share is None else float(share) for share in shares]
        rows.append([*row, question.text, question.truth])
    return Sheet(QUESTIONS, "Questions", columns, rows, f"{note} Variance over the players' scores.")


@statistic("clusters", "clusters of questions with examples", "figure 10", group="Play")
def _clusters(a: SkateFindings) -> Sheet:
    columns = [Column("questions", "Questions", "count"), Column("setters", "Setters", "text")]
    columns += [Column("numbers", "Numbers", "text"), Column("first", "Example", "text")]
    columns += [Column("second", "Another", "text")]
    rows: list[list[Cell]] = [
        [
            len(some),
            ", ".join(dict.fromkeys(one.setter for one in some)),
            ", ".join(str(one.number) for one in some),
            *(one.text for one in some[:2]),
        ]
        for some in niches.largest(a.game, [*range(len(a.game.questions))] if a.clusters is None else a.clusters)
    ]
    return Sheet("clusters", "Clusters", columns, rows, a.measured.problem or "Clusters of two questions or more.")


@statistic("failures", "failed attempts of setters by reason", "section 4.1", group="Play")
def _failures(a: SkateFindings) -> Sheet:
    attempts = Counter[str]()
    for row in a.slots:
        attempts[row["setter"]] += len(row["failures"]) + row["accepted"]
    columns = [Column("setter", "Setter", "text"), Column("rule", "Rule", "text"), Column("why", "Why", "text")]
    columns += [Column("failed", "Attempts", "count"), Column("share", "Of its attempts", "share")]
    found = niches.failed_attempts(a.slots)
    rows: list[list[Cell]] = [
        [*key, count, count / attempts[key[0]]]
        for key, count in sorted(found.items(), key=lambda item: (item[0][0], -item[1], item[0]))
    ]
    return Sheet("failures", "Failed attempts", columns, rows, "Attempts that made no question.")


def _cell(value: float | None) -> Cell:
    return Missing("no score to take it from") if value is None or value != value else value
