"""The commands of runs of all kinds: `start`, `status`, `list`, `show` and `export`."""

from __future__ import annotations

import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from antemill.engine.errors import UsageError
from antemill.llm import dollar_text
from antemill.tournament.cli.arguments import AsJson, Check, Dollars, DryRun, Out, RunDir
from antemill.tournament.cli.output import (
    console,
    percent,
    print_json,
    print_next,
    print_table,
    remark,
    say,
    table_text,
)
from antemill.tournament.running import kind_of_config
from antemill.tournament.runs import Kind, Status, open_run, read_status, start_run, wording
from antemill.tournament.runs.browse import Filter, kind_of
from antemill.tournament.runs.estimate import Forecast, Stop, forecast, stop, too_long
from antemill.tournament.runs.folder import ConfigText, read_config_text
from antemill.tournament.runs.session import preview
from antemill.tournament.runs.status import require_played

_REFRESH = 1.0  # seconds


def start(
    config: Path,
    *,
    out: Out = None,
    budget: Dollars = None,
    again: str | None = None,
    dry_run: DryRun = False,
    check: Check = True,
    json: AsJson = False,
) -> None:
    """Play a tournament, duels, SKATE or an evaluation, or continue it.

    The configuration's table says which: [tournament], [duel], [skate] or [eval]; `antemill init` writes one. It can be
    killed at any time: the same line continues, and so does `start` with the folder alone. Everything runs in this
    process: it waits for many models at a time, and bots need little.

        antemill start cup.toml --dry-run
        antemill start cup.toml --out cup
        antemill start cup --budget 20

    Args:
        config: The configuration, a TOML file; or the folder of a run, which continues.
        again: Play discarded items again: all of them, or the one with this name.
    """
    require_budget(budget)
    if config.is_dir():
        if out is not None or dry_run:
            raise UsageError(f"{config} is a folder, whose run continues there: leave out --out and --dry-run.")
        found = kind_of(config)
        with found.kind.opened() as kind, open_run(kind, config, budget, again) as session:
            session.run(check=check)
        _finished(found.name, config, json)
        return
    given = read_config_text(config)
    found = kind_of_config(given)
    with found.kind.opened() as kind:
        if dry_run:
            estimate(kind, given, budget, json)
            return
        out = required(out)
        play(kind, given, out, check, budget, again)
    _finished(found.name, out, json)


def require_budget(dollars: float | None) -> None:
    """Raise UsageError for a budget that is none."""
    if dollars is not None and not 0 <= dollars < float("inf"):
        raise UsageError(f"--budget is {dollars:g} dollars: give a number of at least 0.")


def required(out: Path | None) -> Path:
    """The folder of a run. Raises UsageError if none is named."""
    if out is None:
        raise UsageError("the run needs a folder: name one with --out DIR.")
    return out


def play(
    kind: Kind[Any, Any],
    given: ConfigText,
    out: Path,
    check: bool,
    budget: float | None = None,
    again: str | None = None,
) -> None:
    """Begin or continue a run, and print nothing of its result."""
    with start_run(kind, given, out, budget, again) as session:
        for sentence in kind.foretold(session.kind, session.models):
            remark(sentence)
        session.run(check=check)


def status(run: RunDir, *, json: AsJson = False) -> None:
    """What is done, what it cost, how long the rest will take.

    In a terminal it follows a run that is being worked on.

        antemill status cup --json
    """
    name = kind_of(run).name
    found = read_status(name, run)
    if json:
        print_json(found)
    elif sys.stdout.isatty() and found.running:
        _follow(name, run)
    else:
        say(_shown(run, found))


def list_items(
    run: RunDir,
    *,
    player: tuple[str, ...] = (),
    what: str = "",
    about: str = "",
    cause: str = "",
    limit: int = 50,
    json: AsJson = False,
) -> None:
    """Matches, duels, questions: players, outcome, what went wrong, cost.

    antemill list cup
    antemill list cup --player rnd

    Args:
        player: A player who took part. Given several times: all of them took part.
        what: The sort of item, as in the column.
        about: The game, puzzle or question, as in the column.
        cause: Something that went wrong in it, as in the column.
        limit: How many lines; 0 for all.
    """
    from antemill.tournament.cli import items

    wanted = Filter(players=player, what=what, about=about, cause=cause)
    items.list_items(run, wanted, limit, json)


def show(
    run: RunDir,
    item: str,
    *,
    prompt: bool = False,
    raw: bool = False,
    json: AsJson = False,
) -> None:
    """One match, duel or question: every event, every reply.

    antemill show cup kuhn:0:rnd:l1
    antemill show duels duel/expert/novice --prompt

    Args:
        item: The item, as named by `list` and by the column `item` of tables.
        prompt: With every message as it was sent, and the reasoning that models disclose.
        raw: With the replies as the servers sent them.
    """
    from antemill.tournament.cli import items

    items.show_item(run, item, items.Detail(prompt, raw), json)


def export(
    run: RunDir,
    *,
    output: Annotated[
        Path | None,
        Parameter(
            name=["--output", "-o"],
            help="The file: .eval or .json for a log for Inspect, one sample for each item (the extra "
            "antemill[inspect]); any other for one line of JSON for each decision. [default: lines to stdout]",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """One line of JSON for each decision, or a log for Inspect.

    A line has the messages as sent, reply, reasoning, tokens, dollars and outcome.

        antemill export cup -o said.jsonl
        antemill export cup -o cup.eval
    """
    from antemill.tournament.cli import items

    items.export_items(run, output, json)


def _finished(name: str, folder: Path, as_json: bool) -> None:
    """Show the run. Raises RunStalledError if all of it was discarded."""
    found = read_status(name, folder)
    if as_json:
        print_json(found)
    else:
        say(_shown(folder, found))
    require_played(folder, found)
    if not as_json:
        print_next("antemill", "analyze", folder)


def _follow(name: str, folder: Path) -> None:
    from rich.live import Live
    from rich.text import Text

    with Live(console=console(), auto_refresh=False) as live:
        while True:
            found = read_status(name, folder)
            live.update(Text(_shown(folder, found)), refresh=True)
            if not found.running:
                return
            time.sleep(_REFRESH)


def _shown(folder: Path, found: Status) -> str:
    """The tables of the run and of its models, with notes about their costs."""
    size = wording.RunSize(found.about, found.total is not None)
    works = ("yes, but it stops" if found.stopping else "yes") if found.running else "no"
    rows = [
        ("done", wording.progress(found.done, found.done + found.discarded, size)),
        *((name, f"{getattr(found, name):,}") for name in ("discarded", "timeouts", "fallbacks")),
        *(("WARNING", sentence) for sentence in found.warnings),
        ("cost", dollar_text(found.cost)),
        *([("in flight, at most", dollar_text(found.under_way))] if found.under_way else []),
        ("rate", "–" if found.rate is None else f"{60 * found.rate:,.1f} a minute"),
        ("time left", "–" if found.seconds_left is None else str(timedelta(seconds=round(found.seconds_left)))),
        ("a process works on it", works),
        *([("it waits for", found.waits_for)] if found.waits_for else []),
    ]
    parts = [table_text(str(folder), ("", ""), rows, texts=2)]
    if found.models:
        header = ["model", "answers", "cost", *(["now"] if found.running else []), "failed attempts"]
        models = [
            (
                *(one.name, f"{one.answered:,}", f"{dollar_text(one.cost)}{'*' if one.assumed else ''}"),
                *([wording.doing(one)] if found.running else []),
                wording.failures(one.errors, one.last_error),
            )
            for one in found.models
        ]
        parts.append(table_text("", header, models, {0, *range(3, len(header))}))
    if asked := {name: one for name, one in found.replies.items() if one.second or one.unusable}:
        shares = [
            (name, f"{one.asked:,}", percent(one.second / one.asked), percent(one.unusable / one.asked))
            for name, one in asked.items()
        ]
        parts.append(table_text("", ("player", "questions", "second tries", "unusable"), shares))
    notes = [f"{one.name}: {wording.possible(one.possible, one.possible_attempts)}" for one in found.models]
    assumed = sum(one.assumed for one in found.models)
    parts += [note for note, one in zip(notes, found.models, strict=True) if one.possible_attempts]
    return "\n".join([*parts, *([f"* {wording.assumed(found.assumed_cost, assumed)}"] if assumed else [])])


# ------------------------------------------------------------------------------------------------ costs beforehand


def estimate(kind: Kind[Any, Any], given: ConfigText, budget: float | None, as_json: bool) -> None:
    """Say what a run will cost; no model is called."""
    found = preview(kind, given)
    for sentence in kind.foretold(found.kind, found.models):
        remark(sentence)
    expected = found.kind.estimate()
    rows, parts = forecast(expected, found.models), found.kind.parts()
    dollars = found.budget.dollars if budget is None else budget
    unfit = too_long(expected, found.models)
    stops = None if dollars is None else stop(rows, dollars)
    if as_json:
        sums = {name: sum(getattr(row, name) for row in rows) for name in ("dollars", "low", "high")}
        items = {"items": sum(parts.values()), "parts": parts, "exact": found.kind.total is not None}
        more = {"uncounted": found.uncounted, "too_long": unfit}
        print_json(items | {"models": rows} | sums | {"budget": stops} | more)
        return
    about = "" if found.kind.total is not None else "About "
    listed = ", ".join(f"{count:,} {name}" for name, count in parts.items())
    say(f"{about}{listed}. No model was called and nothing was written.")
    if rows:
        _print_forecast(rows)
    if rows and stops is not None:
        say(budget_sentence(stops, next(iter(parts)) if len(parts) == 1 else "items"))
    say(*(one.sentence for one in unfit))
    say(*([found.uncounted] if found.uncounted else []))


def budget_sentence(found: Stop, items: str) -> str:
    """How far the budget reaches."""
    budget, needed = (dollar_text(one, 2) for one in (found.dollars, found.needed))
    if found.share >= 1:
        return f"The budget of {budget} should do for all {items}."
    if not found.share:
        return f"The budget of {budget} stops the run before its first call; raise it to {needed} for all {items}."
    share = f"{100 * found.share:.2g}"
    return f"The budget of {budget} stops the run after about {share}% of the {items}; raise it to {needed} for all."


def _print_forecast(rows: list[Forecast]) -> None:
    header = ("model", "calls", "tokens read", "tokens written", "expected", "from", "to")
    table = [
        (
            *(row.model, f"{row.calls:,}", f"{row.input_tokens:,}", f"{row.output_tokens:,}"),
            *((dollar_text(one, 2) if row.priced else "no prices") for one in (row.dollars, row.low, row.high)),
        )
        for row in rows
    ]
    print_table("Expected cost", header, table)
    say(*(f"  {row.model}: {row.prices}" for row in rows))
    sums = (dollar_text(sum(getattr(row, name) for row in rows), 2) for name in ("dollars", "low", "high"))
    say(
        "Together {}, from {} to {}: two standard deviations of calls, and replies half or twice as long. "
        "What bounds it is a [budget].".format(*sums)
    )
