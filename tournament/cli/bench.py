"""`antemill bench`: how fast everything is here, and beside other systems."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from cyclopts import Parameter

from antemill.engine.errors import UsageError
from antemill.tournament.cli.arguments import AsJson, DryRunLocal
from antemill.tournament.cli.output import console, print_json, print_table

if TYPE_CHECKING:
    from antemill.tournament.bench.measure import Figure, Measurement, Missing, Table
    from antemill.tournament.bench.peers.compare import Comparison, Task


def bench(
    *,
    only: Annotated[str | None, Parameter(help="Groups or single measurements, separated by commas.")] = None,
    compare: Annotated[bool, Parameter(negative="", help="Also measure the other systems that are installed.")] = False,
    growth: Annotated[
        bool, Parameter(negative="", help="Measure how time grows with the input instead, over three decades.")
    ] = False,
    quick: Annotated[
        bool, Parameter(negative="", help="Do tiny work, once, to show that everything runs; the figures mean nothing.")
    ] = False,
    list_: Annotated[bool, Parameter(name="--list", negative="", help="Only name the measurements.")] = False,
    dry_run: DryRunLocal = False,
    json: AsJson = False,
) -> None:
    """`bench`."""
    if growth:
        _growth(only, compare, quick, list_, dry_run, json)
        return
    from antemill.tournament.bench.measure import table_of
    from antemill.tournament.bench.measurements import COMPARE, chosen, here
    from antemill.tournament.bench.peers.compare import TASKS, Comparison

    measurements, names = chosen(only, [task.name for task in TASKS], compare)
    tasks = [task for task in TASKS if task.name in names]
    if list_:
        own = [(one.name, one.group, one.what, one.unit) for one in measurements]
        _list([*own, *((task.name, COMPARE, task.what, task.unit) for task in tasks)], json)
        return
    if dry_run:
        _plan(measurements, tasks, quick, json)
        return
    begun, machine = time.monotonic(), here()
    found: list[Figure | Missing] = []
    comparison = Comparison() if tasks else None
    interruption = None
    try:
        _measure(measurements, quick, found)
        if comparison is not None:
            _measure_beside(tasks, quick, comparison)
    except KeyboardInterrupt as error:
        if not found and (comparison is None or not comparison.results):
            raise
        interruption = error
    table = table_of(found)
    document = _document(machine, table, comparison, quick, time.monotonic() - begun)
    if json:
        print_json(document | {"interrupted": interruption is not None})
    else:
        _print(document, table, tasks, comparison)
    if interruption is not None:
        raise interruption


def _plan(measurements: Sequence[Measurement], tasks: Sequence[Task], quick: bool, as_json: bool) -> None:
    """What would be measured. How long it takes is unknown before a machine has done it once."""
    from antemill.tournament.cli.plan import print_plan
    from antemill.tournament.pool.plans import Plan, Step

    repeats = sum(1 if quick else one.repeats for one in measurements)
    steps = [Step("measurements", len(measurements), len(measurements), None)]
    if tasks:
        steps.append(Step("comparisons with other systems", len(tasks), len(tasks), None))
    note = (
        f"The measurements are repeated {repeats:,} times in all, each after a first time that compiles and is not "
        "counted. How long that takes is not known beforehand: minutes, alone on this machine. An interruption leaves "
        "what was measured until then."
    )
    print_plan(Plan(steps, 1, {}, note), as_json)


def _growth(only: str | None, compare: bool, quick: bool, list_: bool, dry_run: bool, json: bool) -> None:
    """`bench --growth`."""
    from antemill.engine.execute import progress_bar
    from antemill.tournament.bench.growth import chosen_growth, grow
    from antemill.tournament.bench.measurements import here
    from antemill.tournament.cli.entry import run

    if compare:
        raise UsageError("--growth measures nothing beside other systems: leave out --compare.")
    chosen = chosen_growth(only)
    if list_ or dry_run:
        _list([(one.name, "growth", one.what, "s") for one in chosen], json)
        return
    found = []
    with progress_bar("growth", len(chosen)) as bar:
        for one in chosen:
            found.append(grow(one, run, quick))
            bar(len(found), None)
    if json:
        print_json({"machine": here(), "quick": quick, "growth": msgspec.to_builtins(found)})
        return
    rows = [
        (one.name, one.what, f"{one.sizes[-1]:,}", *_seconds(one.seconds), f"{one.exponent:.2f}", one.verdict())
        for one in found
    ]
    heads = ("name", "what", "largest", "s at 1/1000", "1/100", "1/10", "1", "exponent", "")
    print_table("Quick: these figures mean nothing" if quick else "Growth", heads, rows, texts=2)


def _seconds(seconds: Sequence[float]) -> list[str]:
    """For four sizes; those of a quick measurement are the two smallest."""
    return [*(f"{one:.3g}" for one in seconds), *[""] * (4 - len(seconds))]


def _measure(measurements: Sequence[Measurement], quick: bool, found: list[Figure | Missing]) -> None:
    """Take the measurements one by one and add each result to `found`."""
    from antemill.engine.execute import progress_bar
    from antemill.tournament.bench.measure import take

    with progress_bar("measurements", len(measurements)) as bar:
        for one in take(measurements, quick):
            found.append(one)
            bar(len(found), None)


def _measure_beside(tasks: Sequence[Task], quick: bool, comparison: Comparison) -> None:
    from antemill.engine.execute import progress_bar
    from antemill.tournament.bench.peers.compare import compare, steps

    number = 0
    with progress_bar("comparison", steps(tasks)) as bar:

        def done() -> None:
            nonlocal number
            number += 1
            bar(number, None)

        compare(tasks, quick, done, comparison)


def _document(
    machine: dict[str, Any], table: Table, comparison: Comparison | None, quick: bool, seconds: float
) -> dict[str, Any]:
    from antemill.tournament.cli.doctor import versions

    document = {"machine": machine, "versions": versions(), "quick": quick, "seconds": round(seconds, 1)}
    document |= msgspec.to_builtins(table)
    return document if comparison is None else document | {"comparison": msgspec.to_builtins(comparison)}


def _list(rows: Sequence[tuple[str, str, str, str]], json: bool) -> None:
    if json:
        print_json({"measurements": [dict(zip(("name", "group", "what", "unit"), row, strict=True)) for row in rows]})
        return
    print_table("", ("name", "group", "what", "unit"), rows, texts=4)


def _print(document: dict[str, Any], table: Table, tasks: Sequence[Task], comparison: Comparison | None) -> None:
    machine, versions = document["machine"], document["versions"]
    about = ", ".join(f"{name} {versions[name]}" for name in ("antemill", "python", "numba", "numpy"))
    console().print(
        f"{machine['processor']}, {machine['cores']} processors, {machine['system']} ({machine['architecture']}); load "
        f"{machine['load']}. {about}.",
        soft_wrap=True,
    )
    if table.results:
        rows = [
            (one.name, one.what, one.unit, *map(figure, (one.value, one.low, one.high)), one.repeats)
            for one in table.results
        ]
        heads = ("name", "what", "unit", "median", "lowest", "highest", "repeats")
        print_table("Quick: these figures mean nothing" if document["quick"] else "Speed", heads, rows, texts=3)
    _print_missing(table.missing)
    if comparison is not None:
        _print_comparison(tasks, comparison, document["quick"])


def _print_comparison(tasks: Sequence[Task], comparison: Comparison, quick: bool) -> None:
    from antemill.tournament.bench.peers.compare import shown_factor

    for task in tasks:
        rows = [
            (
                one.system,
                one.version,
                *map(figure, (one.value, one.low, one.high)),
                shown_factor(task, comparison.results, one),
            )
            for one in comparison.results
            if one.task == task.name
        ]
        if not rows:  # all are missing, or an interruption came first
            continue
        what = f"Quick, tiny work instead of {task.what}: these figures mean nothing" if quick else task.what
        where = (
            "on one processor"
            if comparison.pinned
            else "not limited to one processor, because this system does not support that"
        )
        heads = ("system", "version", "median", "lowest", "highest", "ours is better by")
        print_table(f"{what}; {task.unit} by processor time, {where}", heads, rows, texts=2)
    _print_missing(comparison.missing)


def _print_missing(missing: Sequence[Missing]) -> None:
    for one in missing:
        console().print(f"- {one.name}: {one.reason}", soft_wrap=True)


def figure(value: float) -> str:
    """At least three significant digits; large figures in millions."""
    if value >= 1e6:
        return f"{value / 1e6:.2f} million"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
