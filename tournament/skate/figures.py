"""SKATE's figures as SVG: ratings, running scores, skills, variances, distances (figures 3, 4, 9, 12 and 13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tournament.skate.analysis import Floats, Game, Skill, cumulative
from tournament.statistics.figures import INK, MUTED, PALETTE, Draw
from tournament.statistics.trueskill import Skills

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DASHES = ("-", "--", "-.", ":")
Drawing = tuple[tuple[float, float], Draw]


def evolution(players: Sequence[str], skills: Skills, title: str) -> Drawing:
    """Figure 3: mu with a band of one sigma, by update."""

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        updates = np.arange(len(skills.mu))
        for i, player in enumerate(players):
            colour, mu, sigma = PALETTE[i % len(PALETTE)], skills.mu[:, i], skills.sigma[:, i]
            axes.plot(updates, mu, color=colour, ls=DASHES[i // len(PALETTE) % len(DASHES)], lw=1.6, label=player)
            axes.fill_between(updates, mu - sigma, mu + sigma, color=colour, alpha=0.15, lw=0)
        axes.set_xlabel("update (one pair on one question)")
        axes.set_ylabel("TrueSkill: mu and one sigma")
        axes.set_title(title, fontsize=12, loc="left", color=INK)
        axes.grid(axis="y")
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
        figure.tight_layout()

    return (8.0, 4.2), draw


def progress(game: Game) -> Drawing:
    """Figure 4: running means of the setter's own score, and of the others', on its questions."""

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, 1, sharex=True)
        for i, player in enumerate(game.players):
            rounds, own, others = cumulative(game, player)
            for axes, line in zip(panels, (own, others), strict=True):
                colour, dash = PALETTE[i % len(PALETTE)], DASHES[i // len(PALETTE) % len(DASHES)]
                axes.plot(rounds, line, color=colour, ls=dash, lw=1.6, label=player)
        for axes, title in zip(panels, ("the setter's own score", "the others' score"), strict=True):
            axes.set_ylim(0.0, 1.02)
            axes.set_ylabel("running mean")
            axes.set_title(f"On each setter's questions: {title}", fontsize=11, loc="left", color=INK)
            axes.grid(axis="y")
        panels[1].set_xlabel("round")
        panels[0].legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
        figure.tight_layout()

    return (8.0, 6.4), draw


def asking_and_answering(skills: Sequence[Skill]) -> Drawing:
    """Figure 13: asking against answering skill; the diagonal is where they are equal."""
    shown = [(s.player, s.answering, s.asking) for s in skills if s.answering is not None and s.asking is not None]

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        axes.plot([0, 1], [0, 1], color=MUTED, ls="--", lw=1.0)
        for i, (player, answering, asking) in enumerate(shown):
            axes.scatter([answering], [asking], color=PALETTE[i % len(PALETTE)], s=45, zorder=3)
            axes.annotate(player, (answering, asking), xytext=(6, 4), textcoords="offset points", color=INK)
        axes.set_xlim(0.0, 1.0)
        axes.set_ylim(0.0, 1.0)
        axes.set_xlabel("answering: mean score on others' questions")
        axes.set_ylabel("asking: 1 - others' mean score on the own ones")
        axes.grid()
        figure.tight_layout()

    return (5.4, 5.2), draw


def histogram(values: Floats, title: str, label: str, marks: Mapping[str, float] | None = None) -> Drawing:
    """Figures 9 and 12: how often values occur, with named vertical marks."""

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        axes.hist(values, bins=min(50, max(10, int(len(values) ** 0.5))), color=PALETTE[0], alpha=0.85)
        for i, (name, value) in enumerate((marks or {}).items()):
            axes.axvline(value, color=PALETTE[1 + i % (len(PALETTE) - 1)], ls=DASHES[1 + i % 3], lw=1.5, label=name)
        axes.set_xlabel(label)
        axes.set_ylabel("count")
        axes.set_title(title, fontsize=12, loc="left", color=INK)
        if marks:
            axes.legend(frameon=False)
        figure.tight_layout()

    return (6.4, 3.8), draw
