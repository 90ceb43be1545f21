"""SKATE's tables: ratings, asking and answering, self-preference, the order of options, questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from antemill.tournament.skate import niches, results
from antemill.tournament.skate.findings import CHANCE, STATISTICS, SkateFindings
from antemill.tournament.skate.options import KINDS
from antemill.tournament.statistics.sheets import Cell, Column, Sheet, count, estimate, number, text
from antemill.tournament.statistics.trueskill import LAST_UPDATES

statistic = STATISTICS


def _share(key: str, heading: str) -> Column:
    return number(key, heading, 3, signed=False)


@statistic("ratings", "TrueSkill under each rule", group="Players", printed=True)
def _ratings(a: SkateFindings) -> Sheet:
    """The players, the best by the first rule first."""
    game, columns = a.game, [text("player", "Player")]
    rows: list[list[Cell]] = [[player] for player in game.players]
    for rule, trajectory in a.skills.items():
        keys = {"mu": "mu", "sigma": "sigma", "low": "lowest mu", "high": "highest mu"}
        columns += [Column(f"{rule}_{key}", heading, group=rule) for key, heading in keys.items()]
        average, stable = trajectory.average(), results.order_stability(game, rule)
        for i, row in enumerate(rows):
            row += [*map(float, average[i]), float(stable.low[i]), float(stable.high[i])]
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
    columns = [text("player", "Player"), count("questions", "Questions"), _share("answering", "Answering")]
    columns += [_share("asking", "Asking"), _share("own", "Own score on own"), _share("others", "Others on own")]
    rows: list[list[Cell]] = []
    for skill in results.skills(a.shown):
        _, *lines = results.cumulative(a.shown, skill.player)
        last = [float(line[-1]) if len(line) else np.nan for line in lines]
        rows.append([skill.player, skill.questions, *map(estimate, (skill.answering, skill.asking, *last))])
    note = "Shares of correct answers; asking is 1 minus the others'."
    return Sheet("skills", "Asking and answering", columns, rows, note)


@statistic("niches", "questions only their setter answers, and niches", "section 4.2", group="Players", printed=True)
def _niches(a: SkateFindings) -> Sheet:
    columns = [text("setter", "Setter"), count("questions", "Questions"), count("discriminatory", "Only it passes")]
    columns += [count("niches", "Niches"), count("discriminatory_niches", "Niches in which only it passes")]
    rows: list[list[Cell]] = [
        [one.setter, one.questions, one.discriminatory, one.niches, one.discriminatory_niches]
        for one in niches.niches(a.shown, a.clusters)
    ]
    note = (
        "Niches: different clusters of questions. The best play is a question of a new niche each round that only its "
        f"setter answers. {a.measured.problem}"
    )
    return Sheet("niches", "Discriminatory questions", columns, rows, note.strip())


@statistic("self_preference", "scores on each setter's questions", group="Players", printed=True)
def _preference(a: SkateFindings) -> Sheet:
    return preference(a, filtered=False)


@statistic("self_preference_filtered", "the same where the setter passes", group="Players", printed=True)
def _preference_filtered(a: SkateFindings) -> Sheet:
    return preference(a, filtered=True)


def preference(a: SkateFindings, filtered: bool) -> Sheet:
    """Mean scores on each setter's questions minus the others'. filtered: only questions that the setter passes."""
    matrix = results.self_preference(a.game, filtered)[np.ix_(a.places, a.places)]
    heat = max(0.05, float(np.abs(matrix[np.isfinite(matrix)]).max(initial=0.0)))
    columns = [text("setter", "Setter")]
    columns += [Column(name, name, digits=3, signed=True, heat=heat) for name in a.best_first]
    rows: list[list[Cell]] = [[name, *map(estimate, row)] for name, row in zip(a.best_first, matrix, strict=True)]
    best = {(i, 1 + int(np.nanargmax(row))) for i, row in enumerate(matrix) if np.isfinite(row).any()}
    suffix, title = ("_filtered", ", where the setter passes") if filtered else ("", "")
    note = "Mean score of a player on a setter's questions, minus the others'."
    return Sheet(f"self_preference{suffix}", f"Self-preference{title}", columns, rows, note, frozenset(best))


@statistic("options", "sensitivity to the order of options and to distractors", group="Players")
def _sensitivity(a: SkateFindings) -> Sheet:
    found = results.sensitivity(a.asked, a.best_first)
    places = max((len(one.by_place) for one in found), default=4)
    columns = [text("player", "Player")]
    columns += [_share(f"place_{i + 1}", f"truth at {'ABCDEFGHIJ'[i]}") for i in range(places)]
    columns += [_share("by_set", "by distractor")]
    note = (
        "Share correct by the place of the truth; and how much a question's share varies with the distractor that is "
        "shown (standard deviation, mean over questions; sampling noise included)."
    )
    rows: list[list[Cell]] = [[one.player, *one.by_place, one.by_set] for one in found]
    return Sheet("options", "Sensitivity to the options", columns, rows, note)


@statistic("option_tests", "fixed sets and orders of options, each asked ten times", "figure 8", group="Players")
def _option_tests(a: SkateFindings) -> Sheet | None:
    if not a.tests:
        return None
    columns = [text("player", "Player"), text("kind", "Varied"), count("questions", "Questions")]
    columns += [_share("spread", "Spread"), _share("indifferent", "Indifferent"), _share("limit", "95% limit")]
    columns += [_share("p", "p")]
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


@statistic("questions", "every question with its scores and its cluster", group="Play")
def _questions(a: SkateFindings) -> Sheet:
    game, measured = a.game, a.measured
    spread = {one.number: one for one in results.spreads(game)}
    note = f"No clusters: {measured.problem}"
    if a.clusters is not None:
        note = f"Clusters by {measured.embedder}, up to a distance of {measured.threshold:g}."
    columns = [count("number", "Question"), count("round", "Round"), text("setter", "Setter")]
    columns += [count("cluster", "Cluster"), _share("distance", "Distance"), number("variance", "Variance", 4, False)]
    columns += [Column("discriminatory", "Only its setter passes", "flag")]
    columns += [*(Column(name, name) for name in a.best_first), text("text", "Text"), text("truth", "Truth")]
    rows: list[list[Cell]] = []
    clusters: Sequence[Cell] = a.clusters or [None] * len(game.questions)
    for question, cluster in zip(game.questions, clusters, strict=True):
        one = spread.get(question.number)
        row: list[Cell] = [question.number, question.round_number, question.setter, cluster, question.distance]
        row += [one.variance, one.discriminatory] if one else [None, None]
        shares = [game.share(question.number, player) for player in a.best_first]
        row += [None if share is None else float(share) for share in shares]
        rows.append([*row, question.text, question.truth])
    return Sheet("questions", "Questions", columns, rows, f"{note} Variance over the players' scores.")


@statistic("clusters", "clusters of questions with examples", "figure 10", group="Play")
def _clusters(a: SkateFindings) -> Sheet:
    columns = [count("questions", "Questions"), text("setters", "Setters"), text("numbers", "Numbers")]
    columns += [text("first", "Example"), text("second", "Another")]
    rows: list[list[Cell]] = []
    for some in niches.largest(a.game, [*range(len(a.game.questions))] if a.clusters is None else a.clusters):
        names = ", ".join(dict.fromkeys(one.setter for one in some)), ", ".join(str(one.number) for one in some)
        rows.append([len(some), *names, *(one.text for one in some[:2])])
    return Sheet("clusters", "Clusters", columns, rows, a.measured.problem or "Clusters of two questions or more.")


@statistic("failures", "failed attempts of setters by reason", "section 4.1", group="Play")
def _failures(a: SkateFindings) -> Sheet:
    attempts = Counter[str]()
    for row in a.slots:
        attempts[row["setter"]] += len(row["failures"]) + row["accepted"]
    columns = [text("setter", "Setter"), text("rule", "Rule"), text("why", "Why"), count("failed", "Attempts")]
    columns += [Column("share", "Of its attempts", "share")]
    found = sorted(niches.failed_attempts(a.slots).items(), key=lambda item: (item[0][0], -item[1], item[0]))
    rows: list[list[Cell]] = [[*key, times, times / attempts[key[0]]] for key, times in found]
    return Sheet("failures", "Failed attempts", columns, rows, "Attempts that made no question.")
