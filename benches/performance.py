"""Measure everything and write docs/performance.md: `python -m benches.performance --write docs/performance.md`.

The text between a marker's begin and end is replaced; the text around it stays. The table of all measurements is
written into `measurements.md` beside the page. It takes some ten minutes; let nothing else run on the machine.
`--figures FILE` takes the figures from a document of `antemill bench --json`. `--comparison FILE...` writes the tables
beside other systems from documents of `antemill bench --compare --json`, one for each environment: the solvers' into
`solver.md` beside the page, the others into the page. Without it these tables stay as they are.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from antemill.axes.table import AXES
from antemill.engine.machine.rollout import empty_log, streams
from antemill.tournament.bench.machine import play
from antemill.tournament.bench.measure import Figure, Work, once
from antemill.tournament.bench.measurements import MEASUREMENTS
from antemill.tournament.bench.peers.compare import TASKS, Result, Task, shown_factor
from antemill.tournament.bench.sample_games import named
from benches.pages import figures, shown, where, write
from benches.straight_line import straight_line_kuhn

ALL = "measurements.md"
SOLVERS = "compare-solvers"
EPISODES, REPEATS = 100_000, 15
TARGETS: tuple[tuple[str, str, str], ...] = (  # what, target, key of `reached`
    ("Kuhn, logged decisions/s", "45 million", "kuhn"),
    ("median accepted game, 2,000 episodes at a time, logged decisions/s", "40 million", "accepted"),
    ("the same, 32,768 episodes at a time", "40 million", "many"),
    ("straight-line Kuhn over the machine", "3", "straight"),
    ("drawing and compiling a candidate, ms", ".30", "candidate"),
    ("gate, 2,000 episodes, ms", ".25", "gate"),
    ("fast tier, accepted games/s", "500", "fast"),
    ("precise tier, accepted games/s", "180", "precise"),
    ("`antemill run` over 12,351 seeds, two workers, warm, s", "11", "run"),
    ("matches by bots/s, from the slowest to the fastest game and pair", "at least 8,500 to 38,000", "matches"),
    ("full prompts/s, from the slowest to the fastest game", "at least 2,100", "prompts"),
    ("building a tree, ns/node, from the fastest to the slowest", "half of 238 to 277", "tree"),
)


def straight_line_ratio(quick: bool) -> tuple[float, float, float]:
    """How many times faster straight-line Kuhn is than the machine: median, lowest, highest, measured in turn."""
    episodes = 1_000 if quick else EPISODES
    buffers = empty_log(3 * episodes, episodes)
    straight, machine = Work(lambda: straight_line_kuhn(episodes, streams(1), buffers)), play(named("kuhn"), episodes)
    for work in (straight, machine):
        once(work)
    ratios = [
        once(machine, time.process_time) / once(straight, time.process_time) for _ in range(3 if quick else REPEATS)
    ]
    return statistics.median(ratios), min(ratios), max(ratios)


def reached(found: Mapping[str, Figure], ratio: tuple[float, float, float]) -> dict[str, str]:
    """The last column of the targets."""

    def span(prefix: str) -> str:
        values = [figure.value for name, figure in found.items() if name.startswith(prefix)]
        return f"{shown(min(values))} to {shown(max(values))}"

    single = {
        "kuhn": "play-kuhn",
        "accepted": "play-accepted",
        "many": "play-accepted-many",
        "gate": "gate-accepted",
        "fast": "fast-tier",
        "precise": "precise-tier",
        "run": "run",
    }
    return {
        **{key: shown(found[name].value) for key, name in single.items()},
        "straight": f"{ratio[0]:.1f} ({ratio[1]:.1f} to {ratio[2]:.1f})",
        "candidate": shown(found["draw"].value + found["compile"].value),
        "matches": span("matches-"),
        "prompts": span("prompts-"),
        "tree": span("tree-"),
    }


def targets(values: Mapping[str, str]) -> str:
    """The table of targets."""
    rows = [f"| {what} | {target} | {values[key]} |" for what, target, key in TARGETS]
    return "\n".join(["| Figure | target | measured |", "|---|---|---|", *rows])


def whole_table(found: Mapping[str, Figure], path: Path | None) -> str:
    """Every measurement with its spread. path: the document that has them, if they were not made here."""
    rows = ["| Name | What | Unit | Median | Lowest | Highest |", "|---|---|---|---|---|---|"]
    for one in MEASUREMENTS:
        if (figure := found.get(one.name)) is not None:
            cells = " | ".join(map(shown, (figure.value, figure.low, figure.high)))
            rows.append(f"| `{figure.name}` | {figure.what} | {figure.unit} | {cells} |")
    return "\n".join(rows) + f"\n\nMeasured on {where(path)}."


def shares(found: Mapping[str, Figure]) -> str:
    """The parts of a candidate's time and of a score's."""
    parts = {name: found[name].value for name in ("draw", "compile", "gate")}
    total = sum(parts.values())
    lines = [
        f"A candidate takes {total:.2f} ms: "
        + ", ".join(f"{value:.2f} to {name} ({value / total:.0%})" for name, value in parts.items())
        + ".",
        "",
        "| Of an accepted game's scores, ms | fast | precise |",
        "|---|---|---|",
    ]
    columns = {}
    for tier in ("fast", "precise"):
        axes = {axis.label: found[f"{tier}-{name.replace('_', '-')}"].value for name, axis in AXES.items()}
        whole = 1e3 / found[f"{tier}-tier"].value
        columns[tier] = {**axes, "random play and the rest": max(0.0, whole - sum(axes.values())), "all": whole}
    lines += [f"| {what} | {columns['fast'][what]:.2f} | {columns['precise'][what]:.2f} |" for what in columns["fast"]]
    return "\n".join(lines)


def comparison(documents: Sequence[Any], tasks: Sequence[Task] = TASKS) -> str:
    """The tables beside other systems. A system that several documents have is taken from the first."""
    taken = {one["task"] for document in documents for one in document["comparison"]["results"]}
    lines: list[str] = []
    for task in tasks:
        if task.name not in taken:
            continue
        lines += [f"**{task.what[0].upper()}{task.what[1:]}** ({task.unit})", ""]
        lines += ["| System | Version | Median | Lowest | Highest | Ours is better by |", "|---|---|---|---|---|---|"]
        seen: set[str] = set()
        for document in documents:
            results = msgspec.convert(document["comparison"]["results"], list[Result])
            for one in results:
                if one.task == task.name and one.system not in seen:
                    seen.add(one.system)
                    cells = " | ".join(map(shown, (one.value, one.low, one.high)))
                    lines.append(f"| {one.system} | {one.version} | {cells} | {shown_factor(task, results, one)} |")
        lines.append("")
    machine = documents[0]["machine"]
    python = ", ".join(sorted({document["versions"]["python"] for document in documents}))
    return "\n".join(lines) + f"\nMeasured on {machine['processor']}, {machine['system']}, Python {python}."


def write_comparison(page: Path, documents: Sequence[Any], tasks: Sequence[Task]) -> None:
    """Write the tables of these tasks into a page, if the documents have any of them."""
    names = {task.name for task in tasks}
    if any(one["task"] in names for document in documents for one in document["comparison"]["results"]):
        write(page, "comparison", comparison(documents, tasks))


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", type=Path, required=True, help="the page")
    parser.add_argument("--figures", type=Path, help="a document of `antemill bench --json`, instead of measuring")
    parser.add_argument("--comparison", type=Path, nargs="+", default=[], help="of `antemill bench --compare --json`")
    parser.add_argument("--quick", action="store_true", help="a tiny ratio: shows that it runs")
    parser.add_argument("--only-comparison", action="store_true", help="replace only the comparison")
    given = parser.parse_args()
    if given.comparison:
        documents = [msgspec.json.decode(path.read_bytes()) for path in given.comparison]
        write_comparison(given.write, documents, [task for task in TASKS if task.name != SOLVERS])
        write_comparison(
            given.write.with_name("solver.md"), documents, [task for task in TASKS if task.name == SOLVERS]
        )
    if not given.only_comparison:
        found = figures(given.figures, [one.name for one in MEASUREMENTS if not one.name.startswith("wasm")])
        ratio = straight_line_ratio(given.quick)
        write(given.write, "targets", targets(reached(found, ratio)))
        write(given.write, "shares", shares(found))
        write(given.write.with_name(ALL), "table", whole_table(found, given.figures))


if __name__ == "__main__":
    main()
