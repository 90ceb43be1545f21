"""What `list`, `show` and `export` print."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path

import msgspec

from antemill.engine.errors import UsageError
from antemill.engine.execute.progress import progress_bar
from antemill.engine.storage.files import atomic_write
from antemill.llm import Call, conversation, dollar_text
from antemill.tournament.cli.output import print_json, print_table, say
from antemill.tournament.plain import plain
from antemill.tournament.runs.browse import Filter, OpenRun, opened
from antemill.tournament.runs.inspect_log import Log, write_log
from antemill.tournament.runs.items import Decision, Entry, Event, Row

_SHORT = 200  # characters of a reply in a line
_UNFINISHED = ("planned", "discarded")  # outcomes of items without a result
_NO_CALL = "No model was asked here: bots and scripts get no prompt, so there is nothing more to show."


class Detail(msgspec.Struct, frozen=True):
    """What is shown of each decision beside the reply. prompt: also the reasoning that the model discloses."""

    prompt: bool
    raw: bool

    def __bool__(self) -> bool:
        return self.prompt or self.raw


def list_items(folder: Path, wanted: Filter, limit: int, as_json: bool) -> None:
    """Print a table of the wanted items, in the order of the plan."""
    if limit < 0:
        raise UsageError(f"--limit is {limit}: give a number of at least 0.")
    with opened(folder) as run:
        found = run.entries(wanted)
        if as_json:
            print_json({"items": [*found]})
            return
        shown = list(islice(found, limit or None))
        if shown:
            header = ("item", "what", "players", "about", "outcome", "score", "went wrong", "cost")
            print_table("", header, map(_cells, shown), texts=(0, 1, 2, 3, 4, 6))
            sys.stdout.flush()  # the rest is counted, which takes a while where there are many
        done = [one.outcome not in _UNFINISHED or bool(one.figures) for one in (*shown, *found)]
    sentence = f"{len(done):,} item{'' if len(done) == 1 else 's'}"
    sentence += f" ({sum(done):,} finished)" if sum(done) < len(done) else ""
    more = f", {len(shown):,} of them shown: --limit 0 for all" if len(shown) < len(done) else ""
    say(f"{sentence}{more}.")


def show_item(folder: Path, item: str, detail: Detail, as_json: bool) -> None:
    """Print one finished item."""
    with opened(folder) as run:
        events = run.events(item)
        numbers = [one.call for one in events if isinstance(one, Decision) and one.call is not None]
        if as_json:
            document = run.store.transcript(item) or run.store.record(item).row
            if detail:
                calls = [{"call": row} | _parts(run.calls.call(row), detail) for row in numbers]
                document = {"item": item, "transcript": document, "calls": calls}
            print_json(document)
            return
        for event in events:
            _print_event(run, event, detail)
        if detail and not numbers:
            print(_NO_CALL)


def _parts(call: Call, detail: Detail) -> Row:
    """The wanted parts of a model's call."""
    said, parts = conversation(call), dict[str, object]()
    if detail.prompt:
        parts["messages"] = [{"role": one.role, "content": one.text} for one in said.messages]
        parts["reasoning"] = said.reasoning
    if detail.raw:
        parts["reply"] = call.reply
    return parts


def _print_event(run: OpenRun, event: Event, detail: Detail) -> None:
    if not isinstance(event, Decision):
        print(plain(event))
        return
    if event.call is not None and detail:
        call = run.calls.call(event.call)
        said = conversation(call)
        for message in said.messages if detail.prompt else ():
            _print_block(message.role, message.text)
        if detail.prompt:
            _print_block("reasoning", said.reasoning or "(none was sent)")
        if detail.raw:
            _print_block(f"reply of {call.served or call.remote}", call.reply)
    text = (event.text or "").strip()
    if "\n" in text or len(text) > _SHORT:
        _print_block("said", text)
    elif event.text is not None:
        print(f"      said: {plain(text)}")
    for note in event.notes:
        print(f"      {plain(note)}")


def _print_block(title: str, text: str) -> None:
    print(f"      --- {plain(title)}")
    for line in text.splitlines():
        print(f"      | {plain(line)}")


def export_items(folder: Path, output: Path | None, as_json: bool) -> None:
    """Export all decisions. The end of the file's name says whether as lines of JSON or as a log for Inspect.

    Without a file the lines go to stdout; with as_json they become part of the document.
    """
    with opened(folder) as run:
        if output is None:
            _export_here(run, as_json)
            return
        if output.suffix in (".eval", ".json"):
            whole = "planned" not in run.store.statuses().values()
            log, total = Log(run.kind.name, folder.resolve().name, whole), run.store.number()
            with progress_bar("items", total, quiet=as_json) as report:
                items, lines = write_log(run, Filter(), log, output, lambda done: report(done, total))
        else:
            lines, items = _export_lines(run, output, as_json)
    if as_json:
        print_json({"output": str(output), "items": items, "decisions": lines})
    else:
        say(f"{lines:,} decisions of {items:,} items written to {output}.")


def _export_here(run: OpenRun, as_json: bool) -> None:
    if as_json:
        rows = list(run.exported(Filter()))
        items = len({row["item"] for row in rows})
        print_json({"output": None, "items": items, "decisions": len(rows), "rows": rows})
        return
    for row in run.exported(Filter()):
        sys.stdout.write(_line(row).decode())


def _export_lines(run: OpenRun, output: Path, quiet: bool) -> tuple[int, int]:
    """Write one line of JSON for each decision; returns the numbers of decisions and items."""
    total, lines, items = run.store.number(), 0, set[str]()
    with atomic_write(output) as file, progress_bar("items", total, quiet=quiet) as report:
        for row in run.exported(Filter()):
            file.write(_line(row))
            lines += 1
            items.add(row["item"])
            report(len(items), total)
    return lines, len(items)


def _line(row: object) -> bytes:
    return msgspec.json.encode(row) + b"\n"


def _cells(entry: Entry) -> tuple[str, ...]:
    wrong = ", ".join(f"{cause} {count}" for cause, count in entry.causes.items())
    cost = dollar_text(entry.cost) if entry.cost else "–"
    return entry.item, entry.what, ", ".join(entry.players), entry.about, entry.outcome, entry.score, wrong, cost
