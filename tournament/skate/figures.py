"""SKATE's figures as SVG: ratings, running scores, skills, variances, distances (figures 3, 4, 9, 12 and 13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tournament.skate.results import Floats, Game, Sensitivity, Skill, cumulative
from tournament.statistics.figures import INK, MUTED, PALETTE, Drawing, chart
from tournament.statistics.trueskill import Skills

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DASHES = ("-", "--", "-.", ":")


def legend_beside(axes: Axes) -> None:
    """The legend to the right of a plot."""
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))


def evolution(players: Sequence[str], skills: Skills, title: str) -> Drawing:
    """Figure 3: mu with a band of one sigma, by update."""

    def fill(axes: Axes) -> None:
        updates = np.arange(len(skills.mu))
        for i, player in enumerate(players):
            mu, sigma = skills.mu[:, i], skills.sigma[:, i]
            axes.plot(updates, mu, label=player, lw=1.6, **_line(i))
            axes.fill_between(updates, mu - sigma, mu + sigma, color=_line(i)["color"], alpha=0.15, lw=0)
        legend_beside(axes)

    return chart((8.0, 4.2), fill, title, "update (one pair on one question)", "TrueSkill: mu and one sigma", "y")


def progress(game: Game) -> Drawing:
    """Figure 4: running means of the setter's own score, and of the others', on its questions."""
    means = {player: cumulative(game, player) for player in game.players}
    return _running(
        [
            ("On each setter's questions: itself", {name: (at, own) for name, (at, own, _) in means.items()}),
            ("On each setter's questions: the others", {name: (at, rest) for name, (at, _, rest) in means.items()}),
        ]
    )


def progress_of(labels: Sequence[str], played: Sequence[Game]) -> Drawing:
    """Figure 11: running means of each player's own score, one panel a game."""
    return _running(
        [
            (label, {player: (at, own) for player in game.players for at, own, _ in [cumulative(game, player)]})
            for label, game in zip(labels, played, strict=True)
        ]
    )


def _running(panels: Sequence[tuple[str, Mapping[str, tuple[Sequence[int], Floats]]]]) -> Drawing:
    """Running means by round, a panel below the other: its title, and each player's rounds and means."""

    def draw(figure: Figure) -> None:
        plots = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (title, lines) in zip(plots, panels, strict=True):
            for i, (player, (rounds, means)) in enumerate(lines.items()):
                axes.plot(rounds, means, label=player, lw=1.6, **_line(i))
            axes.set_ylim(0.0, 1.02)
            axes.set_ylabel("running mean")
            axes.set_title(title, fontsize=11, loc="left", color=INK)
            axes.grid(axis="y")
            legend_beside(axes)
        plots[-1].set_xlabel("round")
        figure.tight_layout()

    return (8.0, 2.4 * len(panels) + 1.6), draw


def _line(player: int) -> dict[str, Any]:
    """What tells a player's line from the others'."""
    return {"color": PALETTE[player % len(PALETTE)], "ls": DASHES[player // len(PALETTE) % len(DASHES)]}


def asking_and_answering(skills: Sequence[Skill]) -> Drawing:
    """Figure 13: asking against answering skill; the diagonal is where they are equal."""
    shown = [(s.player, s.answering, s.asking) for s in skills if s.answering is not None and s.asking is not None]

    def fill(axes: Axes) -> None:
        axes.plot([0, 1], [0, 1], color=MUTED, ls="--", lw=1.0)
        for i, (player, answering, asking) in enumerate(shown):
            axes.scatter([answering], [asking], color=PALETTE[i % len(PALETTE)], s=45, zorder=3)
            axes.annotate(player, (answering, asking), xytext=(6, 4), textcoords="offset points", color=INK)
        axes.set_xlim(0.0, 1.0)
        axes.set_ylim(0.0, 1.0)

    return chart(
        (5.4, 5.2),
        fill,
        "",
        "answering: mean score on others' questions",
        "asking: 1 - others' mean score on the own ones",
        "both",
    )


def histogram(values: Floats, title: str, label: str, marks: Mapping[str, float] | None = None) -> Drawing:
    """Figures 9 and 12: how often values occur, with named vertical marks."""

    def fill(axes: Axes) -> None:
        axes.hist(values, bins=min(50, max(10, int(len(values) ** 0.5))), color=PALETTE[0], alpha=0.85)
        for i, (name, value) in enumerate((marks or {}).items()):
            axes.axvline(value, color=PALETTE[1 + i % (len(PALETTE) - 1)], ls=DASHES[1 + i % 3], lw=1.5, label=name)
        if marks:
            axes.legend(frameon=False)

    return chart((6.4, 3.8), fill, title, label, "count", "")


def weaker_setters(players: Sequence[str], counts: Sequence[int], ratings: Floats) -> Drawing:
    """Figure 6: everybody's rating from the questions of the weakest setters only. ratings: [steps, players, 2]."""

    def fill(axes: Axes) -> None:
        for i, player in enumerate(players):
            colour = PALETTE[i % len(PALETTE)]
            axes.errorbar(counts, ratings[:, i, 0], ratings[:, i, 1], color=colour, marker="o", capsize=3, label=player)
        axes.set_xticks(counts)
        legend_beside(axes)

    return chart(
        (7.4, 4.2),
        fill,
        "What weaker setters say",
        "how many of the weakest players set the questions",
        "TrueSkill: mu and one sigma",
        "y",
    )


def joining(orders: Sequence[tuple[Sequence[str], Sequence[Mapping[str, tuple[float, float]]]]]) -> Drawing:
    """Figure 7: mu and sigma of each player as the two strongest join, in either order."""
    players = list(orders[0][1][-1])

    def fill(axes: Axes) -> None:
        for (joins, steps), dash in zip(orders, DASHES, strict=False):
            axes.plot([], [], color=MUTED, ls=dash, label=f"{joins[0]} joins first")
            for i, player in enumerate(players):
                path = np.array([step[player] for step in steps if player in step])
                axes.plot(path[:, 0], path[:, 1], color=PALETTE[i % len(PALETTE)], ls=dash, marker="o", ms=4)
        for player, (mu, sigma) in orders[0][1][-1].items():
            axes.annotate(player, (mu, sigma), xytext=(6, 4), textcoords="offset points", color=INK)
        axes.legend(frameon=False)

    return chart((6.4, 4.6), fill, "Two players join, in either order", "mu", "sigma", "both")


def places(found: Sequence[Sensitivity]) -> Drawing:
    """Figure 8 (b): the share of correct answers by the place at which the truth was shown."""
    count = max(len(one.by_place) for one in found)

    def fill(axes: Axes) -> None:
        width = 0.8 / len(found)
        for i, one in enumerate(found):
            shares = [np.nan if share is None else share for share in one.by_place]
            at = np.arange(count) + (i - (len(found) - 1) / 2) * width
            axes.bar(at, shares, width, color=PALETTE[i % len(PALETTE)], label=one.player)
        axes.set_xticks(range(count), list("ABCDEFGHIJ"[:count]))
        axes.set_ylim(0.0, 1.02)
        legend_beside(axes)

    return chart((7.0, 3.8), fill, "Does the order of the options matter?", "place of the truth", "share correct", "")


def games(labels: Sequence[str], ratings: Sequence[Mapping[str, tuple[float, float]]]) -> Drawing:
    """Figure 2: ratings of the same players in several games, such as those of different strategies."""
    players = list(dict.fromkeys(player for game in ratings for player in game))

    def fill(axes: Axes) -> None:
        for i, player in enumerate(players):
            at = np.array([k for k, game in enumerate(ratings) if player in game], np.float64)
            pairs = np.array([game[player] for game in ratings if player in game])
            offset = (i - (len(players) - 1) / 2) * 0.08
            colour = PALETTE[i % len(PALETTE)]
            axes.errorbar(
                at + offset, pairs[:, 0], pairs[:, 1], color=colour, ls="", marker="o", capsize=3, label=player
            )
        axes.set_xticks(range(len(labels)), [label.replace(" (", "\n(") for label in labels])
        legend_beside(axes)

    return chart((max(6.0, 1.9 * len(labels) + 2.5), 4.4), fill, "", "", "TrueSkill: mu and one sigma", "y")
