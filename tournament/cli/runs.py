"""What `run`, `resume` and `status` do, for all kinds of runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antemill.engine.errors import UsageError
from antemill.llm import dollar_text
from antemill.tournament.cli.output import console, frame, print_json, print_next, print_table, remark
from antemill.tournament.runs import RunType, Status, open_run, read_status, start_run, wording
from antemill.tournament.runs.estimate import Forecast, Stop, forecast, stop, too_long
from antemill.tournament.runs.folder import ConfigText
from antemill.tournament.runs.session import preview
from antemill.tournament.runs.status import require_played

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

_REFRESH = 1.0  # seconds


def run(
    kind: RunType[Any],
    config: Path | ConfigText,
    out: Path | None,
    dry_run: bool,
    check: bool,
    as_json: bool,
    change: Callable[[bytes], bytes] | None = None,
    remarks: Callable[[Any], Iterable[str]] = lambda _: (),
) -> None:
    """Begin or continue a run; with dry_run only say what it will cost. change: edits the configuration's text.
    remarks: gives sentences about the run (its `Kind`) for stderr. check: first check that every model can be reached.
    """
    if dry_run:
        _estimate(kind, config, as_json, change, remarks)
        return
    if out is None:
        raise UsageError("the run needs a folder: name one with --out DIR.")
    play(kind, config, out, check, change, remarks)
    _finished(kind, out, as_json)


def play(
    kind: RunType[Any],
    config: Path | ConfigText,
    out: Path,
    check: bool,
    change: Callable[[bytes], bytes] | None = None,
    remarks: Callable[[Any], Iterable[str]] = lambda _: (),
) -> None:
    """Begin or continue a run, as `run` does, and print nothing of its result."""
    with start_run(kind, config, out, change) as session:
        for sentence in (*remarks(session.kind), *kind.foretold(session.kind, session.models)):
            remark(sentence)
        session.run(check=check)


def resume(kind: RunType[Any], folder: Path, dollars: float | None, again: bool, check: bool, as_json: bool) -> None:
    """Continue the run in a folder."""
    if dollars is not None and not 0 <= dollars < float("inf"):
        raise UsageError(f"--budget is {dollars} dollars: give a number of at least 0.")
    with open_run(kind, folder, dollars, again) as session:
        session.run(check=check)
    _finished(kind, folder, as_json)


def status(name: str, folder: Path, as_json: bool) -> None:
    """The status of a run of that kind; on a terminal a table that follows the run until it ends."""
    found = read_status(name, folder)
    if as_json:
        print_json(found)
    elif sys.stdout.isatty() and found.running:
        _follow(name, folder)
    else:
        console().print(_shown(folder, found))


def _finished(kind: RunType[Any], folder: Path, as_json: bool) -> None:
    """Show the run. Raises RunStalledError if all of it was discarded."""
    found = read_status(kind.name, folder)
    if as_json:
        print_json(found)
    else:
        console().print(_shown(folder, found))
    require_played(kind.name, folder, found)
    if not as_json:
        print_next("antemill", kind.name, "analyze", folder)


def _follow(name: str, folder: Path) -> None:
    from rich.live import Live

    with Live(console=console(), auto_refresh=False) as live:
        while True:
            found = read_status(name, folder)
            live.update(_shown(folder, found), refresh=True)
            if not found.running:
                return
            time.sleep(_REFRESH)


def _shown(folder: Path, found: Status) -> Group:
    """The tables of the run and of its models, with notes about their costs."""
    from rich.console import Group
    from rich.text import Text

    tables = [_table(folder, found), *([_models_table(found)] if found.models else [])]
    return Group(*tables, *map(Text, _notes(found)))


def _notes(found: Status) -> list[str]:
    notes = [
        f"{model.name}: {wording.possible(model.possible, model.possible_attempts)}"
        for model in found.models
        if model.possible_attempts
    ]
    assumed = sum(model.assumed for model in found.models)
    return [*notes, *([f"* {wording.assumed(found.assumed_cost, assumed)}"] if assumed else [])]


def _models_table(found: Status) -> Table:
    from rich.text import Text

    table = frame("")
    for name in ("model", "answers", "cost", *(["now", "last minute"] if found.running else []), "failed attempts"):
        table.add_column(name, justify="right" if name in ("answers", "cost") else "left", overflow="fold")
    for model in found.models:
        now = [wording.doing(model), wording.rates(model)] if found.running else []
        failed = wording.failures(model.errors, model.last_error)
        cost = f"{dollar_text(model.cost)}{'*' if model.assumed else ''}"
        table.add_row(model.name, f"{model.answered:,}", cost, *now, Text(failed))
    return table


def _table(folder: Path, found: Status) -> Table:
    from rich.text import Text

    table = frame(Text(str(folder)), headed=False)
    table.add_column()
    table.add_column(justify="right")
    size = wording.RunSize(found.about, found.total is not None)
    table.add_row("done", wording.progress(found.done, found.done + found.discarded, size))
    table.add_row("discarded", f"{found.discarded:,}")
    table.add_row("time-outs", f"{found.timeouts:,}")
    table.add_row("fallbacks", f"{found.fallbacks:,}")
    for sentence in found.warnings:
        table.add_row(Text("warning", style="bold red"), Text(sentence, style="bold red"))
    table.add_row("cost", dollar_text(found.cost))
    if text := wording.possible(found.possible, found.possible_attempts):
        table.add_row(*text.split(": ", 1))
    if found.under_way:
        table.add_row("in flight, at most", dollar_text(found.under_way))
    table.add_row("rate", "–" if found.rate is None else f"{60 * found.rate:,.1f} a minute")
    table.add_row("time left", "–" if found.seconds_left is None else _duration(found.seconds_left))
    table.add_row(
        "a process works on it", ("yes, but it stops" if found.stopping else "yes") if found.running else "no"
    )
    if found.waits_for:
        table.add_row("it waits for", Text(found.waits_for))
    return table


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


def _estimate(
    kind: RunType[Any],
    config: Path | ConfigText,
    as_json: bool,
    change: Callable[[bytes], bytes] | None,
    remarks: Callable[[Any], Iterable[str]],
) -> None:
    found = preview(kind, config, change)
    for sentence in (*remarks(found.kind), *kind.foretold(found.kind, found.models)):
        remark(sentence)
    expected = found.kind.estimate()
    rows, parts, dollars = forecast(expected, found.models), found.kind.parts(), found.budget.dollars
    unfit = too_long(expected, found.models)
    stops = None if dollars is None else stop(rows, dollars)
    if as_json:
        sums = {"dollars": sum(row.dollars for row in rows), "worst": sum(row.worst for row in rows)}
        items = {"items": sum(parts.values()), "parts": parts, "exact": found.kind.total is not None}
        precision = None if found.promise is None else found.promise.figures
        more = {"uncounted": found.uncounted, "precision": precision, "too_long": unfit}
        print_json(items | {"models": rows} | sums | {"budget": stops} | more)
        return
    about = "" if found.kind.total is not None else "About "
    listed = ", ".join(f"{count:,} {name}" for name, count in parts.items())
    console().print(f"{about}{listed}. No model was called and nothing was written.")
    if rows:
        _print_forecast(rows)
    if rows and stops is not None:
        console().print(budget_sentence(stops, next(iter(parts)) if len(parts) == 1 else "items"), soft_wrap=True)
    if found.promise is not None:
        console().print(found.promise.sentence, soft_wrap=True)
    for one in unfit:
        console().print(one.sentence, soft_wrap=True)
    if found.uncounted:
        console().print(found.uncounted, soft_wrap=True)


def budget_sentence(found: Stop, items: str) -> str:
    """How far the budget reaches."""
    budget = f"The budget of {dollar_text(found.dollars, 2)}"
    sure = "however long matches and replies are, unless attempts break off" if found.bounded else "with long replies"
    if found.dollars >= found.safe:
        return f"{budget} {'is' if found.bounded else 'should be'} enough, {sure}."
    if found.share >= 1:
        would = "would" if found.bounded else "should"
        return f"{budget} should do for all {items}; {_whole(found.safe)} {would}, {sure}."
    if not found.share:
        return f"{budget} stops the run before its first call; raise it to {_whole(found.needed)} for all {items}."
    share = f"{100 * found.share:.2g}" if found.share < 0.095 else f"{100 * found.share:.0f}"
    return f"{budget} stops the run after about {share}% of the {items}; raise it to {_whole(found.needed)} for all."


def _whole(dollars: float) -> str:
    """Dollars, without cents if they are 0."""
    return f"${dollars:,.0f}" if dollars >= 10 else f"${dollars:,.2g}" if dollars < 0.1 else f"${dollars:,.2f}"


def _print_forecast(rows: list[Forecast]) -> None:
    most = _MOST[all(row.bounded for row in rows)]
    header = ("model", "calls", "at most", "tokens read", "tokens written", "guess", most)
    table = [
        (
            row.model,
            f"{row.calls:,}",
            f"{row.most:,}",
            f"{row.input_tokens:,}",
            f"{row.output_tokens:,}",
            *_dollars(row),
        )
        for row in rows
    ]
    print_table("Expected cost", header, table)
    for row in rows:
        console().print(f"  {row.model}: {row.prices}", soft_wrap=True)
    bounded = all(row.bounded for row in rows)
    console().print(
        f"Together {dollar_text(sum(row.dollars for row in rows), 2)}, {_MOST[bounded]} "
        f"{dollar_text(sum(row.worst for row in rows), 2)}: "
        f"{_WHY[bounded]} Attempts that break off can be charged beside that; a [budget] bounds them too.",
        soft_wrap=True,
    )


_MOST = {True: "at most", False: "with long replies"}
_WHY = {
    True: "with every call that can be needed, every prompt as long as it can get, and replies as long as they may be.",
    False: "with every call that can be needed, and the longest replies allowed. Prompts that quote models have "
    "no longest length; they are assumed to be as long as usual.",
}


def _dollars(row: Forecast) -> tuple[str, str]:
    return (dollar_text(row.dollars, 2), dollar_text(row.worst, 2)) if row.priced else ("no prices", "no prices")
