"""`antemill bench`: how fast everything is here, and beside other systems."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from cyclopts import Parameter

from tournament.cli.arguments import AsJson
from tournament.cli.output import console, print_json, print_table

if TYPE_CHECKING:
    from tournament.bench.measure import Missing, Table
    from tournament.bench.peers.compare import Comparison, Task


def bench(
    *,
    only: Annotated[str | None, Parameter(help="Groups or single measurements, separated by commas.")] = None,
    compare: Annotated[bool, Parameter(negative="", help="Beside other systems, too, as far as installed.")] = False,
    quick: Annotated[
        bool, Parameter(negative="", help="Tiny work, once: shows that everything runs; the figures mean nothing.")
    ] = False,
    list_: Annotated[bool, Parameter(name="--list", negative="", help="Only name the measurements.")] = False,
    json: AsJson = False,
) -> None:
    """`bench`."""
    from engine.execute import progress_bar
    from tournament.bench.measure import table_of, take
    from tournament.bench.peers.compare import TASKS, steps
    from tournament.bench.peers.compare import compare as compare_with
    from tournament.bench.table import chosen, here

    measurements, names = chosen(only, [task.name for task in TASKS] if compare else ())
    tasks = [task for task in TASKS if task.name in names]
    if list_:
        _list([(one.name, one.group, one.what, one.unit) for one in measurements], json)
        return
    begun, machine = time.monotonic(), here()
    found = []
    with progress_bar("measurements", len(measurements)) as bar:
        for number, one in enumerate(take(measurements, quick), 1):
            found.append(one)
            bar(number, None)
    table, comparison, number = table_of(found), None, 0
    if tasks:
        with progress_bar("comparison", steps(tasks)) as bar:

            def done() -> None:
                nonlocal number
                number += 1
                bar(number, None)

            comparison = compare_with(tasks, quick, done)
    document = _document(machine, table, comparison, quick, time.monotonic() - begun)
    if json:
        print_json(document)
        return
    _print(document, table, tasks, comparison)


def _document(
    machine: dict[str, Any], table: Table, comparison: Comparison | None, quick: bool, seconds: float
) -> dict[str, Any]:
    from tournament.cli.machine import versions

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
        f"{machine['load']}. {about}, the rules {machine['rules']}.",
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
        _compare(tasks, comparison)


def _compare(tasks: Sequence[Task], comparison: Comparison) -> None:
    from tournament.bench.peers.compare import factor

    for task in tasks:
        rows = [
            (
                one.system,
                one.version,
                *map(figure, (one.value, one.low, one.high)),
                f"{factor(task, comparison.results, one):.2f}",
            )
            for one in comparison.results
            if one.task == task.name
        ]
        where = "on one processor" if comparison.pinned else "not held to one processor, which this system can not"
        heads = ("system", "version", "median", "lowest", "highest", "ours is better by")
        print_table(f"{task.what}, {task.unit} by processor time, {where}", heads, rows, texts=2)
    _print_missing(comparison.missing)


def _print_missing(missing: Sequence[Missing]) -> None:
    for one in missing:
        console().print(f"- {one.name}: {one.reason}", soft_wrap=True)


def figure(value: float) -> str:
    """Three or more significant digits; millions as such."""
    if value >= 1e6:
        return f"{value / 1e6:.2f} million"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
