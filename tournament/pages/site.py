"""The items of a run as files beside its page, all of them, for a web server or a bucket that only gives out files.

    index.html              the page
    data/pack-index.js      what the run is, and how many files of rows there are
    data/pack-rows-N.js     rows of the list, with the file that each item is in
    data/pack-N.js          details of items; pack-texts-N.js: long texts that they share

The names and their contents are those of `antemill.tournament.pages.pack`, so the page reads both in one way. A file
has JSON in its second line. The page reads that line from a server; opened from a disk, where a browser lets no page
read files, it runs the file as a script, which hands the JSON over.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import msgspec

from antemill.engine.errors import StorageError
from antemill.engine.storage.files import sweep, write_bytes
from antemill.tournament.pages.pack import Writer, as_table
from antemill.tournament.runs.browse import OpenRun

DATA = "data"  # the folder of the items, beside the page
ROWS = 5_000  # of a list in a file
_OWN = re.compile(r"pack-(index|(rows-|texts-)?\d+)\.js")
_ABSENT = "This item was not finished when the pages were written."


def write_items(run: OpenRun, site: Path) -> None:
    """Write the list of a run and all finished items into the site's `data`. Raises StorageError.

    Files of an earlier export that are not part of this one are removed at the end, so a server never lacks a file that
    a page still names.
    """
    folder = site / DATA
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot make the folder {folder}: {(error.strerror or str(error)).lower()}.") from error
    before = {path.name for path in folder.glob("pack-*.js") if _OWN.fullmatch(path.name)}
    written: set[str] = set()

    def take(name: str, text: str) -> None:
        write_bytes(folder / f"{name}.js", f'antemill.given("{name}",\n{text}\n)'.encode())
        written.add(f"{name}.js")

    records = {record.item.key: record for record in run.store.records()}
    rows = [run.row(record) for record in records.values()]
    writer = Writer(math.inf, lambda _, data: data.decode(), take)
    for row in rows:
        if row["status"] == "done":
            writer.add(row["item"], row | run.detail(records[row["item"]]))
    where = writer.close()
    for row in rows:
        if row["status"] == "done":
            row["kept"] = row["item"] in where
    pages = math.ceil(len(rows) / ROWS)
    fields = list(dict.fromkeys(name for row in rows for name in row))
    for page in range(pages):
        some = rows[page * ROWS : (page + 1) * ROWS]
        part = [{name: row.get(name) for name in fields} for row in some]
        places = [where.get(row["item"]) for row in some]
        take(f"pack-rows-{page}", msgspec.json.encode({"table": as_table(part), "where": places}).decode())
    index = {
        "runs": [
            {
                "about": run.about({name for row in rows for name in row["players"]}),
                "note": "",
                "absent": _ABSENT,
                "pages": pages,
            }
        ]
    }
    take("pack-index", msgspec.json.encode(index).decode())
    for name in before - written:
        (folder / name).unlink(missing_ok=True)
    sweep(folder)
