"""What `list`, `show` and `export` print."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path

import msgspec

from antemill.engine.errors import UsageError
from antemill.engine.execute.progress import progress_bar
from antemill.engine.storage.files import atomic_write
from antemill.llm import Call, conversation, dollar_text
from antemill.tournament.cli.output import console, print_json, print_table
from antemill.tournament.plain import plain
from antemill.tournament.runs.browse import Filter, OpenRun, opened
from antemill.tournament.runs.inspect_log import Log, write_log
from antemill.tournament.runs.items import Decision, Entry, Passage, Row

_SHORT = 200  # characters of a reply in a line
_UNFINISHED = ("planned", "discarded")  # outcomes of items without a result
_NO_CALL = "No model was asked here: bots and scripts get no prompt, so there is nothing more to show."


class Detail(msgspec.Struct, frozen=True):
    """What is shown of each decision beside the reply."""

    prompt: bool  # and the reasoning that the model discloses
    raw: bool


_REPLY = Detail(False, False)  # nothing beside it


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
        if not shown:
            console().print(_nothing(run), soft_wrap=True)
            return
        header = ("item", "what", "players", "about", "outcome", "score", "went wrong", "cost")
        print_table("", header, map(_cells, shown), texts=(0, 1, 2, 3, 4, 6))
        sys.stdout.flush()  # the rest is counted, which takes a while where there are many
        total, done = _counted(run, wanted, chain(shown, found))
    sentence = f"{total:,} item{'' if total == 1 else 's'}" + (f" ({done:,} finished)" if done < total else "")
    if len(shown) < total:
        sentence += f", {len(shown):,} of them shown: --limit 0 for all, --player, --what, --about or --cause"
    console().print(f"{sentence}.", soft_wrap=True)


def _counted(run: OpenRun, wanted: Filter, found: Iterable[Entry]) -> tuple[int, int]:
    """The numbers of wanted items, and of finished ones among them."""
    if (total := _number(run, wanted)) is not None:
        return total, run.store.counts().done
    done = [one.outcome not in _UNFINISHED or bool(one.figures) for one in found]
    return len(done), sum(done)


def _nothing(run: OpenRun) -> str:
    """A sentence for an empty list."""
    statuses = run.store.statuses()
    unfinished = sum(status == "planned" for status in statuses.values())
    if not statuses:
        return "Nothing is planned yet."
    said = "No item fits all options"
    return said + (f"; {unfinished:,} of {len(statuses):,} items are not finished." if unfinished else ".")


def show_item(folder: Path, item: str, detail: Detail, as_json: bool) -> None:
    """Print one finished item."""
    with opened(folder) as run:
        passages = run.passages(item)
        if as_json:
            document = run.store.transcript(item) or run.store.record(item).row
            if detail != _REPLY:
                document = {"item": item, "transcript": document, "calls": _calls(run, passages, detail)}
            print_json(document)
            return
        for passage in passages:
            if isinstance(passage, Decision):
                _print_decision(run, passage, detail)
            else:
                print(plain(passage))
        if detail != _REPLY and not _numbers(passages):
            print(_NO_CALL)


def _numbers(passages: Iterable[Passage]) -> list[int]:
    """The rows of the models' calls, in the order of the decisions."""
    return [one.call for one in passages if isinstance(one, Decision) and one.call is not None]


def _calls(run: OpenRun, passages: Iterable[Passage], detail: Detail) -> list[Row]:
    """The models' calls, with the parts that are wanted."""
    return [{"call": row} | _parts(run.calls.call(row), detail) for row in _numbers(passages)]


def _parts(call: Call, detail: Detail) -> Row:
    said, parts = conversation(call), dict[str, object]()
    if detail.prompt:
        parts["messages"] = [{"role": one.role, "content": one.text} for one in said.messages]
        parts["reasoning"] = said.reasoning
    if detail.raw:
        parts["reply"] = call.reply
    return parts


def export_items(folder: Path, output: Path | None, as_json: bool) -> None:
    """Export all decisions. The end of the file's name says whether as lines of JSON or as a log for Inspect.

    Without a file the lines go to stdout; with as_json they become part of the document.
    """
    with opened(folder) as run:
        if output is not None and output.suffix in (".eval", ".json"):
            log = Log(run.kind.name, folder.resolve().name, _whole(run))
            lines, items = _export_log(run, log, output, as_json)
        elif output is None and as_json:
            rows = list(run.exported(Filter()))
            items = len({row["item"] for row in rows})
            print_json({"output": None, "items": items, "decisions": len(rows), "rows": rows})
            return
        elif output is None:
            for row in run.exported(Filter()):
                sys.stdout.write(_line(row).decode())
            return
        else:
            lines, items = _export_lines(run, output, as_json)
    if as_json:
        print_json({"output": str(output), "items": items, "decisions": lines})
    else:
        console().print(f"{lines:,} decisions of {items:,} items written to {output}.", soft_wrap=True)


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


def _export_log(run: OpenRun, log: Log, output: Path, quiet: bool) -> tuple[int, int]:
    """Write a log for Inspect; returns the numbers of calls and items."""
    total = run.store.number()
    with progress_bar("items", total, quiet=quiet) as report:
        items, calls = write_log(run, Filter(), log, output, lambda done: report(done, total))
    return calls, items


def _number(run: OpenRun, wanted: Filter) -> int | None:
    """Of the items that are wanted; None if they would have to be read to count them."""
    return run.store.number() if wanted == Filter() else None


def _whole(run: OpenRun) -> bool:
    return "planned" not in run.store.statuses().values()


def _line(row: object) -> bytes:
    return msgspec.json.encode(row) + b"\n"


def _cells(entry: Entry) -> tuple[str, ...]:
    wrong = ", ".join(f"{cause} {count}" for cause, count in entry.causes.items())
    cost = dollar_text(entry.cost) if entry.cost else "–"
    return entry.item, entry.what, ", ".join(entry.players), entry.about, entry.outcome, entry.score, wrong, cost


def _print_decision(run: OpenRun, decision: Decision, detail: Detail) -> None:
    if decision.call is not None and (detail.prompt or detail.raw):
        call = run.calls.call(decision.call)
        said = conversation(call)
        for message in said.messages if detail.prompt else ():
            _print_block(message.role, message.text)
        if detail.prompt:
            _print_block("reasoning", said.reasoning or "(none was sent)")
        if detail.raw:
            _print_block(f"reply of {call.served or call.remote}", call.reply)
    if decision.text is not None:
        _print_said(decision.text.strip())
    for note in decision.notes:
        print(f"      {plain(note)}")


def _print_said(text: str) -> None:
    """A reply: in its line if it is short, else as it was written."""
    if "\n" in text or len(text) > _SHORT:
        _print_block("said", text)
    else:
        print(f"      said: {plain(text)}")


def _print_block(title: str, text: str) -> None:
    print(f"      --- {plain(title)}")
    for line in text.splitlines():
        print(f"      | {plain(line)}")
