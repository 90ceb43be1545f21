"""SKATE's figures: ratings, scores, skills, the order of options, variances, distances (figures 2 to 9, 11 to 13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from antemill.tournament.charts import plots
from antemill.tournament.charts.axes import DASHES, SERIES
from antemill.tournament.charts.chart import Chart, Panel
from antemill.tournament.charts.plots import Line, Marked
from antemill.tournament.charts.ranks import fitting
from antemill.tournament.embedding import pairwise
from antemill.tournament.skate import results
from antemill.tournament.skate.findings import SkateFindings
from antemill.tournament.skate.options import KINDS, Sensitive
from antemill.tournament.skate.results import Floats, Game, Sensitivity, Skill, cumulative
from antemill.tournament.skate.tables import preference
from antemill.tournament.statistics.figures import heat_map
from antemill.tournament.statistics.trueskill import RULES, Skills

UNIT = "TrueSkill: mu and one sigma"
BESIDE = {  # the table with the numbers of a figure; others stand under "Figures"
    "ratings": "ratings",
    "progress": "skills",
    "asking_and_answering": "skills",
    "self_preference": "self_preference",
    "self_preference_filtered": "self_preference_filtered",
    "option_order": "options",
    "option_tests": "option_tests",
    "variance": "questions",
    "distances": "questions",
}
_POINTS = 240  # most points of a line: more cannot be seen


def charts(of: SkateFindings) -> dict[str, Chart]:
    """The figures by the names of their files; empty figures are left out."""
    game, measured, players = of.game, of.measured, of.best_first
    skills = {rule: Skills(found.mu[:, of.places], found.sigma[:, of.places]) for rule, found in of.skills.items()}
    average = {rule: trajectory.average() for rule, trajectory in skills.items()}
    rated = [dict(zip(players, map(tuple, found.tolist()), strict=True)) for found in average.values()]
    found = {"ratings": games([*average], rated, "Ratings under each rule")} | {
        f"evolution_{rule}": evolution(players, trajectory, f"Ratings as they evolve, {rule}", game.rating.update)
        for rule, trajectory in skills.items()
    }
    counts, mu_sigma = results.by_weaker_setters(game)
    found["weaker_setters"] = weaker_setters(players, counts, mu_sigma[:, of.places])
    if orders := results.joining(game, "relative"):
        found["joining"] = joining(players, orders)
    if of.asked:
        found["option_order"] = places(results.sensitivity(of.asked, players))
    if of.tests:
        found["option_tests"] = option_tests(of.tests_by_player, players)
    if measured.vectors is not None and len(game.questions) > 1:
        marks = {f"threshold {measured.threshold:g}": measured.threshold}
        apart, label = pairwise(measured.vectors), f"1 - cosine, {measured.embedder}"
        found["distances"] = histogram(apart, "Distances of all pairs of questions", label, marks)
    found["progress"] = progress(of.shown)
    if (both := asking_and_answering(results.skills(of.shown))) is not None:
        found["asking_and_answering"] = both
    if spreads := results.spreads(game):
        values = np.array([spread.variance for spread in spreads])
        found["variance"] = histogram(values, "Variance of the players' scores", "variance, per question")
    for filtered in (False, True):
        sheet = preference(of, filtered)
        if any(isinstance(cell, float) for row in sheet.rows for cell in row):
            title = sheet.title.replace("Self-preference", "Score against the others'")
            found[sheet.name] = heat_map(sheet, f"{title} (rows: setters)", "difference of shares")
    return found | _beside_each_other(of.games)


def _beside_each_other(alone: Sequence[tuple[str, Game]]) -> dict[str, Chart]:
    """Figures 2 and 11: several games, each rated alone. alone: with their labels."""
    labels, played = [label for label, _ in alone], [game for _, game in alone]
    found: dict[str, Chart] = {}
    for rule in RULES if alone else ():
        averages = [results.rate(game, rule).average().tolist() for game in played]
        rated = [dict(zip(game.players, map(tuple, one), strict=True)) for game, one in zip(played, averages)]
        found[f"games_{rule}"] = games(labels, rated, f"Ratings in each game, {rule}")
    return found | ({"games_progress": progress_of(labels, played)} if alone else {})


def evolution(players: Sequence[str], skills: Skills, title: str, update: str = "question") -> Chart:
    """Figure 3: mu with a band of one sigma, by update; `update` as of `trueskill.Rating`."""
    shown = np.unique(np.linspace(0, len(skills.mu) - 1, min(_POINTS, len(skills.mu))).astype(np.int64))
    mu, sigma = skills.mu[shown], skills.sigma[shown]
    found = [
        Line(name, shown.tolist(), mu[:, i].tolist(), (mu - sigma)[:, i].tolist(), (mu + sigma)[:, i].tolist())
        for i, name in enumerate(players)
    ]
    across = f"update (one pair on one {update})"
    return fitting(title, lambda width: (plots.lines(found, across, UNIT, width=width),), "Band: one sigma.")


def progress(game: Game) -> Chart:
    """Figure 4: running means of the setter's own score, and of the others', on its questions."""
    means = {player: cumulative(game, player) for player in game.players}
    return _running(
        "Running scores on each setter's questions",
        [
            ("The setter itself", {name: (at, own) for name, (at, own, _) in means.items()}),
            ("The others", {name: (at, rest) for name, (at, _, rest) in means.items()}),
        ],
    )


def progress_of(labels: Sequence[str], played: Sequence[Game]) -> Chart:
    """Figure 11: running means of each player's own score, one panel a game, with one colour for each player."""
    players = list(dict.fromkeys(player for game in played for player in game.players))
    return _running(
        "Running scores of the setters on their own questions",
        [
            (label, {player: (at, own) for player in players for at, own, _ in [cumulative(game, player)]})
            for label, game in zip(labels, played, strict=True)
        ],
    )


def _running(title: str, panels: Sequence[tuple[str, Mapping[str, tuple[Sequence[int], Floats]]]]) -> Chart:
    """Running means by round, one panel below the other. Each panel has a title, and each player's rounds and means."""
    drawn = [
        (head, [Line(player, list(rounds), means.tolist()) for player, (rounds, means) in found.items()])
        for head, found in panels
    ]
    return fitting(
        title,
        lambda width: tuple(
            plots.lines(lines, "round", "running mean", (0.0, 1.02), head=head, width=width, ratio=0.42)
            for head, lines in drawn
        ),
        "Shares of correct answers, each the mean over all rounds so far.",
    )


def asking_and_answering(skills: Sequence[Skill]) -> Chart | None:
    """Figure 13: asking against answering skill; on the diagonal they are equal. None if no player has both."""
    shown = [
        Marked(s.answering, s.asking, s.player, f"s{i % SERIES}", i // SERIES % DASHES)
        for i, s in enumerate(skills)
        if np.isfinite(s.answering) and np.isfinite(s.asking)
    ]
    if not shown:
        return None
    across = "answering: mean score on others' questions"
    up = "asking: 1 \N{MINUS SIGN} others' score on own questions"
    return fitting(
        "Asking and answering",
        lambda width: (plots.plane(shown, across, up, unit=True, width=min(width, 520.0)),),
        "Above the diagonal: better at asking than at answering.",
    )


def histogram(values: Floats, title: str, label: str, marks: Mapping[str, float] | None = None) -> Chart:
    """Figures 9 and 12: a histogram with named vertical marks."""
    cuts = list((marks or {}).items())
    most = min(50, max(10, int(len(values) ** 0.5)))
    return fitting(
        title,
        lambda width: (
            plots.histogram(values.tolist(), label, (), cuts, min(width, 560.0), 320.0, most, "pool", "count", True),
        ),
    )


def weaker_setters(players: Sequence[str], counts: Sequence[int], rated: Floats) -> Chart:
    """Figure 6: all ratings from the questions of the weakest setters only. rated: [steps, players, 2]."""
    mu, sigma = rated[:, :, 0], rated[:, :, 1]
    found = [
        Line(name, list(counts), mu[:, i].tolist(), (mu - sigma)[:, i].tolist(), (mu + sigma)[:, i].tolist())
        for i, name in enumerate(players)
    ]
    across = "how many of the weakest players set the questions"
    return fitting(
        "What weaker setters say",
        lambda width: (plots.lines(found, across, UNIT, whiskers=True, width=width),),
        "Whiskers: one sigma.",
    )


def joining(
    players: Sequence[str], orders: Sequence[tuple[Sequence[str], Sequence[Mapping[str, tuple[float, float]]]]]
) -> Chart:
    """Figure 7: mu and sigma of each player as the two strongest join, in either order."""
    paths, points = [], []
    for dash, (_, steps) in enumerate(orders):
        for i, player in enumerate(players):
            path = [step[player] for step in steps if player in step]
            paths.append((f"s{i % SERIES} d{dash}", path))
            last = dash == 0
            for k, (mu, sigma) in enumerate(path):
                name = player if last and k == len(path) - 1 else ""
                told = f"{player}: mu {mu:.2f}, sigma {sigma:.2f}"
                points.append(Marked(mu, sigma, name, f"s{i % SERIES}", i // SERIES % DASHES, told))
    said = [f"{'dashed' if dash else 'solid'}: {joins[0]} joins first" for dash, (joins, _) in enumerate(orders)]
    return fitting(
        "Two players join, in either order",
        lambda width: (plots.plane(points, "mu", "sigma", paths=paths, width=width),),
        f"{'; '.join(said).capitalize()}.",
    )


def places(found: Sequence[Sensitivity]) -> Chart:
    """Figure 8: the share of correct answers by the place of the truth, and its variation with the distractors."""
    count = max(len(one.by_place) for one in found)
    letters = [f"truth at {letter}" for letter in "ABCDEFGHIJ"[:count]]
    shares = {one.player: [np.nan if share is None else share for share in one.by_place] for one in found}
    by_set = {one.player: [np.nan if one.by_set is None else one.by_set] for one in found}

    def drawn(width: float) -> tuple[Panel, ...]:
        return (
            plots.groups(letters, shares, "share correct", span=(0.0, 1.02), width=width),
            plots.groups(["by distractor"], by_set, "standard deviation", width=width),
        )

    note = "First by the place of the truth, then how much a question's share varies with the distractor shown."
    return fitting("Does the order of the options matter, or their choice?", drawn, note)


def option_tests(found: Sequence[Sensitive], players: Sequence[str]) -> Chart:
    """Figure 8: for each question the lowest, mean and highest share correct over fixed sets, and over fixed orders; of
    the player itself, and of indifferent ones, who have the player's colour and another mark. players: as shown
    elsewhere.
    """
    panels: list[tuple[str, list[Line]]] = []
    for kind, head in KINDS.items():
        drawn: list[Line] = []
        for one in found:
            if one.kind == kind:
                at, mean = list(range(1, len(one.numbers) + 1)), np.nanmean(one.shares, axis=1).tolist()
                lowest, highest = np.nanmin(one.shares, axis=1), np.nanmax(one.shares, axis=1)
                mine = players.index(one.player)
                drawn.append(Line(one.player, at, mean, lowest.tolist(), highest.tolist(), mine))
                beside = [x + 0.25 for x in at]
                bounds = one.low.tolist(), one.high.tolist()
                drawn.append(Line(f"{one.player}, indifferent", beside, mean, *bounds, mine + 2 * SERIES))
        panels.append((head.capitalize(), drawn))
    note = "Whiskers: lowest and highest share over the groups. An indifferent player's: their means, simulated."
    return fitting(
        "How much do the options matter?",
        lambda width: tuple(
            plots.lines(lines, "question", "share correct", (0.0, 1.02), whiskers=True, head=head, width=width)
            for head, lines in panels
        ),
        note,
    )


def games(labels: Sequence[str], rated: Sequence[Mapping[str, tuple[float, float]]], title: str) -> Chart:
    """Figure 2: ratings of the same players in several games, such as those of different strategies."""
    players = list(dict.fromkeys(player for game in rated for player in game))
    gap = (float("nan"), float("nan"))
    mu = {player: [game.get(player, gap)[0] for game in rated] for player in players}
    sigma = {player: [game.get(player, gap)[1] for game in rated] for player in players}
    return fitting(
        title, lambda width: (plots.groups(labels, mu, UNIT, sigma=sigma, width=width),), "Whiskers: one sigma."
    )
