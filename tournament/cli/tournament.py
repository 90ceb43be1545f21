"""The commands of `antemill tournament`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tournament.cli.arguments import AsJson, Check, Config, DryRun, ItemKey, Out, RunDir
from tournament.plain import plain

if TYPE_CHECKING:
    from tournament.cards.seats import Move

_SHOWN = 300  # characters of a reply

Axes = Annotated[Path | None, Parameter(help="Axes of the games: a benchmark or a table; else those of the benchmark.")]
Bootstrap = Annotated[int, Parameter(help="Bootstrap replicates, 2 or more.")]
Schedule = Annotated[
    Literal["round-robin", "rotating", "adaptive"] | None, Parameter(help="Another schedule than the configuration's.")
]


def run(
    config: Config,
    *,
    out: Out = None,
    schedule: Schedule = None,
    dry_run: DryRun = False,
    check: Check = True,
    json: AsJson = False,
) -> None:
    """`tournament run`."""
    from tournament.cards import TOURNAMENT
    from tournament.cards.config import with_schedule
    from tournament.cli import runs

    change = None if schedule is None else partial(with_schedule, schedule=schedule)
    runs.run(TOURNAMENT, config, out, dry_run, check, json, change)


def analyze(folder: RunDir, *, axes: Axes = None, bootstrap: Bootstrap = 2000, json: AsJson = False) -> None:
    """`tournament analyze`."""
    from tournament.cards.analyze import analyze as write_analysis
    from tournament.cli.output import print_analysis
    from tournament.costs import uncertain
    from tournament.runs.status import spending
    from tournament.statistics.contents import STATISTICS
    from tournament.statistics.statistic import printed_names

    found, sheets = write_analysis(folder, axes, bootstrap)
    told = [f"{found.matches:,} matches written to {found.slots}"]
    if found.summary is not None:
        tables, figures = len(found.summary.tables), len(found.summary.figures)
        told.append(f"{tables} tables and {figures} figures: {folder / 'tables.md'}")
    print_analysis(found, sheets, {"rates", *printed_names(STATISTICS)}, [*uncertain(spending(folder)), *told], json)


def show(folder: RunDir, item: ItemKey, *, json: AsJson = False) -> None:
    """`tournament show`."""
    from engine.errors import UsageError
    from tournament.cards import TOURNAMENT, read_games
    from tournament.cards.play import read_match
    from tournament.cli.output import print_json
    from tournament.cli.play import transcript_lines
    from tournament.runs import reading

    with reading(TOURNAMENT, folder) as run:
        transcript = run.store.transcript(item)
        pinned = read_games(run.store.materials())[run.store.record(item).item.data["game"]]
    if transcript is None:
        raise UsageError(f"the match '{item}' is not finished: wait for it.")
    if json:
        print_json(transcript)
        return
    match = read_match(transcript)
    print(f"{item}: Alice is {match.transcript.seats[0]}, Bob is {match.transcript.seats[1]}\n")
    moves = iter(match.moves)
    for line in transcript_lines(pinned, match.transcript):
        print(line)
        if line.startswith("?"):
            _print_reply(next(moves))
    assert match.transcript.payoffs is not None
    print("payoff: Alice {:+d}, Bob {:+d}".format(*match.transcript.payoffs))


def _print_reply(move: Move) -> None:
    """What a model said, and why it was not played."""
    if move.text is not None:
        print(f"      said: {plain(' '.join(move.text.split())[:_SHOWN])}")
    if move.cause is not None:
        print(f"      fallback: {move.cause}; a random legal action was played")
