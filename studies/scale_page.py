"""What `studies.scale` has measured, as a table, a log and a plot."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import msgspec
from matplotlib.figure import Figure
from msgspec import Struct

from antemill.tournament.pool.spans import SHARD, grain
from studies.watch import Watched

PICTURE = "scale.svg"
BILLION = 1_000_000_000
CORE_HOUR = 0.04  # dollars, a usual price


class Step(Struct, frozen=True):
    """One command on one pool."""

    pool: str
    name: str
    command: str
    watched: Watched

    @property
    def peak(self) -> float:
        """MB of all processes together, at most; what they share counts once."""
        return max(sample.own_mb for sample in self.watched.samples)

    @property
    def largest(self) -> float:
        """MB of the largest process, at most."""
        return max(sample.largest_mb for sample in self.watched.samples)


class Outcome(Struct):
    """What was measured, by pool. seeds: of each. sizes: bytes by folder. page: bytes of the report.

    same: whether the large pool says of the small one's seeds what that one does.
    """

    seeds: dict[str, int]
    steps: list[Step] = msgspec.field(default_factory=list)
    sizes: dict[str, dict[str, int]] = msgspec.field(default_factory=dict)
    files: dict[str, int] = msgspec.field(default_factory=dict)
    accepted: dict[str, int] = msgspec.field(default_factory=dict)
    page: dict[str, int] = msgspec.field(default_factory=dict)
    same: bool = False

    def of(self, pool: str, name: str) -> list[Step]:
        """The commands of a name, with those that were killed."""
        return [step for step in self.steps if (step.pool, step.name) == (pool, name)]

    def seconds(self, pool: str, name: str) -> float:
        """Of all these commands together."""
        return sum(step.watched.seconds for step in self.of(pool, name))

    def peak(self, pool: str, name: str) -> float:
        """MB of all processes of the largest of these commands."""
        return max(step.peak for step in self.of(pool, name))

    def largest(self, pool: str, name: str) -> float:
        """MB of the largest process of these commands."""
        return max(step.largest for step in self.of(pool, name))


def table(outcome: Outcome) -> str:
    """The figures as Markdown, a column a pool."""
    pools = list(outcome.seeds)
    rows = [["seeds", *(f"{outcome.seeds[pool]:,}" for pool in pools)]]
    rows += [["accepted", *(f"{outcome.accepted[pool]:,}" for pool in pools)]]
    for what, name, counts in (
        ("drawn and gated", "build", outcome.seeds),
        ("scored, fast tier", "score", outcome.accepted),
        ("rescored with one axis changed", "rescore", outcome.accepted),
    ):
        rows += [[f"{what}, s", *(f"{outcome.seconds(pool, name):,.1f}" for pool in pools)]]
        rows += [["... games a second", *(f"{counts[pool] / outcome.seconds(pool, name):,.0f}" for pool in pools)]]
        rows += [["... memory of all processes, MB", *(f"{outcome.peak(pool, name):,.0f}" for pool in pools)]]
        rows += [["... of the largest process, MB", *(f"{outcome.largest(pool, name):,.0f}" for pool in pools)]]
    for what, name in (
        ("200 games selected", "select"),
        ("statistics", "stats"),
        ("page", "page"),
        ("query: candidates by reason", "query 1"),
        ("query: axes by complexity, a join", "query 2"),
        ("query: text of all rules", "query 3"),
    ):
        cells = (f"{outcome.seconds(pool, name):,.1f} s, {outcome.peak(pool, name):,.0f} MB" for pool in pools)
        rows += [[what, *cells]]
    rows += [["size of the page, MB", *(f"{outcome.page[pool] / 1e6:.2f}" for pool in pools)]]
    rows += [["files", *(f"{outcome.files[pool]:,}" for pool in pools)]]
    for folder, what, counts in (
        ("candidates", "bytes a candidate", outcome.seeds),
        ("games", "bytes an accepted game: rules and program", outcome.accepted),
        ("scores", "bytes an accepted game: scores", outcome.accepted),
    ):
        rows += [[what, *(f"{outcome.sizes[pool][folder] / counts[pool]:,.1f}" for pool in pools)]]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    kills = sum(step.watched.killed for step in outcome.steps)
    same = "the same" if outcome.same else "SOMETHING ELSE"
    return "\n".join(
        [
            *(lines[0], "|---" * (len(pools) + 1) + "|", *lines[1:], ""),
            f"The large pool's processes were killed {kills} times, and the same commands went on; of the seeds that "
            f"both pools have, its tables say {same}.",
        ]
    )


def billion(outcome: Outcome, workers: int) -> str:
    """What a billion candidates take, in proportion to the large pool, as Markdown."""
    seeds, accepted = outcome.seeds["large"], outcome.accepted["large"]
    sizes = outcome.sizes["large"]
    rows = [["", "a candidate", "an accepted game", f"{BILLION:,} candidates"]]
    total = 0.0
    for what, name in (("drawn and gated", "build"), ("scored, fast tier", "score")):
        seconds = outcome.seconds("large", name) * workers
        total += seconds
        each = [f"{seconds / seeds * 1e3:.2f} ms", f"{seconds / accepted * 1e3:.2f} ms"]
        rows += [[f"{what}, of one core", *each, f"{seconds / seeds * BILLION / 3600:,.0f} hours"]]
    dollars = total / 3600 * CORE_HOUR
    each = [f"{dollars / seeds * 1e6:.2f} millionths of a dollar", f"{dollars / accepted * 1e6:.2f}"]
    rows += [
        [f"both, at {CORE_HOUR * 100:.0f} cents a core and hour", *each, f"{dollars / seeds * BILLION:,.0f} dollars"]
    ]
    for what, folder in (("candidates", "candidates"), ("games", "games"), ("scores", "scores")):
        size = sizes[folder]
        each = [f"{size / seeds:,.1f} bytes", f"{size / accepted:,.0f} bytes"]
        rows += [[f"files of {what}", *each, f"{size / seeds * BILLION / 1e9:,.0f} GB"]]
    shards, parts = -(-BILLION // SHARD), -(-BILLION // grain(BILLION))
    rows += [["shards, of three files", "", "", f"{shards:,}"], ["parts on the way", "", "", f"{parts:,}"]]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]])


def draw(path: Path, outcome: Outcome) -> None:
    """Memory over time, of building, scoring and rescoring, as SVG; crosses are kills."""
    names = ("build", "score", "rescore")
    with mpl.rc_context({"svg.hashsalt": "antemill", "font.size": 9}):
        figure = Figure(figsize=(8, 5), layout="constrained")
        panels = figure.subplots(len(outcome.seeds), len(names), squeeze=False, sharey=True)
        for row, (pool, seeds) in zip(panels, outcome.seeds.items(), strict=True):
            for panel, name in zip(row, names, strict=True):
                _memory(panel, outcome.of(pool, name))
                panel.set(title=f"{name}, {seeds:,} seeds", xlabel="minutes")
            row[0].set(ylabel="MB")
        panels[0][0].set_ylim(bottom=0)  # of all panels, now that all lines are there
        panels[0][0].legend(frameon=False)
        figure.savefig(path, format="svg", metadata={"Date": None})


def _memory(panel: mpl.axes.Axes, steps: list[Step]) -> None:
    begun = 0.0
    for number, step in enumerate(steps):
        samples = step.watched.samples
        thinned = samples[:: max(len(samples) // 300, 1)]
        minutes = [(begun + sample.seconds) / 60 for sample in thinned]
        for field, colour in (("own_mb", "tab:blue"), ("largest_mb", "tab:orange")):
            label = {"own_mb": "all processes", "largest_mb": "the largest one"}[field] if number == 0 else None
            panel.plot(minutes, [getattr(sample, field) for sample in thinned], color=colour, label=label)
        begun += step.watched.seconds
        if step.watched.killed:
            panel.plot([begun / 60], [samples[-1].own_mb], "x", color="tab:red")
    panel.spines[["top", "right"]].set_visible(False)
