"""Data that a page carries: JSON, compressed, in elements that no browser runs.

    pack-index   what runs there are, all rows of their lists, and in which chunk an item is
    pack-N       a chunk: the details of some items, unpacked when one of them is opened, or texts

A long text of a system message is the same for many items (the rulebook of a game), so it is kept once: in its place
stands {"$text": "CHUNK/PLACE"}.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    from tournament.runs.explore import Exploration, Row

SIZE = 20_000_000  # bytes of a page at most: beyond it, mail and browsers make trouble
_SPACE = 0.85  # of it for the data
_CHUNK = 400_000  # bytes of JSON in a chunk of items
_SHARED = 1_000  # characters of a text that is kept once
_TEXTS = 8  # texts in a chunk
_NESTED = (dict, list, tuple)
Place: TypeAlias = tuple[str, int]  # the element's id, and the number in its list


class Pack(Struct, frozen=True):
    """Data packed for a page. elements: HTML. note: what is left out, "" if nothing is."""

    elements: str
    note: str
    kept: int
    total: int


def packed(run: Exploration, size: int = SIZE) -> Pack:
    """A run's items, packed: all of them in the list, and their details as long as they fit into `size` bytes.

    If not all fit, the most interesting ones are kept, and of the others an even share.
    """
    records = {record.item.key: record for record in run.store.records()}
    rows = [run.row(record) for record in records.values()]
    writer = _Writer(int(_SPACE * size))
    writer.room -= 4 * len(_compressed(_table(rows))) // 3
    finished = [row for row in rows if row["status"] == "done"]
    where: dict[str, Place] = {}
    for row in _by_interest(finished, run.explorer.interest):
        if writer.room <= 0:
            break
        record = records[row["item"]]
        detail = row | run.explorer.detail(record, run.store.transcript(record.item.key))
        where[row["item"]] = writer.add(detail)
    writer.close()
    for row in finished:
        row["kept"] = row["item"] in where
    note, absent = _notes(run, len(where), len(finished))
    index = {
        "runs": [
            {
                "about": run.about(),
                "note": note,
                "absent": absent,
                "table": _table(rows),
                "where": [where.get(row["item"]) for row in rows],
            }
        ]
    }
    return Pack(element("pack-index", index) + "".join(writer.elements), note, len(where), len(finished))


def _notes(run: Exploration, kept: int, finished: int) -> tuple[str, str]:
    """What the list says about items that were left out, and what stands in place of one."""
    if kept == finished:
        return "", f"This item was not finished when the page was written: see `antemill view {run.path.name}`."
    note = (
        f"So that this page stays small enough to be sent, it has {kept:,} of {finished:,} finished ones in full: "
        "first the most telling ones, then a share of the others, evenly over the list. The list has "
        f"all; `antemill view {run.path.name}` shows every one."
    )
    return note, f"This one is not in the page in full: `antemill view {run.path.name}` shows all."


def _by_interest(rows: Sequence[Row], interest: Any) -> Iterator[Row]:
    """In turn one of the most interesting, three to one, and one of the others, evenly over the list."""
    marked = sorted((row for row in rows if interest(row) > 0), key=lambda row: -interest(row))
    names = {row["item"] for row in marked}
    rest = [row for row in rows if row["item"] not in names]
    return _dealt(marked, _spread(rest))


def _dealt(first: Sequence[Row], second: Sequence[Row]) -> Iterator[Row]:
    place, other = 0, 0
    while place < len(first) or other < len(second):
        yield from first[place : place + 3]
        yield from second[other : other + 1]
        place, other = place + 3, other + 1


def _spread(rows: Sequence[Row]) -> list[Row]:
    """All rows, in an order of which every beginning lies evenly over the list: by the reversed bits of their place."""
    width = max(1, (len(rows) - 1).bit_length())
    order = sorted(range(len(rows)), key=lambda i: int(f"{i:0{width}b}"[::-1], 2))
    return [rows[i] for i in order]


class _Writer:
    """Chunks of a page. room: bytes that are left; below 0 it is full."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.elements: list[str] = []
        self._items: list[bytes] = []
        self._held = 0
        self._number = 0
        self._known: dict[str, Place] = {}
        self._texts: list[str] = []

    def add(self, detail: Row) -> Place:
        data = msgspec.json.encode(self._shortened(detail))
        place = self._name, len(self._items)
        self._items.append(data)
        self._held += len(data)
        if self._held >= _CHUNK:
            self._write_items()
        return place

    def close(self) -> None:
        if self._items:
            self._write_items()
        self._write_texts()

    def _write_items(self) -> None:
        self._write(self._name, b"[" + b",".join(self._items) + b"]")
        self._items, self._held = [], 0
        self._number += 1

    @property
    def _name(self) -> str:
        return f"pack-{self._number}"

    def _write_texts(self) -> None:
        for first in range(0, len(self._texts), _TEXTS):
            self._write(f"pack-texts-{first // _TEXTS}", msgspec.json.encode(self._texts[first : first + _TEXTS]))

    def _write(self, name: str, data: bytes) -> None:
        element = _wrapped(name, _compressed_bytes(data))
        self.elements.append(element)
        self.room -= len(element)

    def _shortened(self, value: Any) -> Any:
        """The value with long texts of system messages replaced by where they are."""
        if isinstance(value, list | tuple):
            return [self._shortened(one) if isinstance(one, _NESTED) else one for one in value]
        found = {name: self._shortened(one) if isinstance(one, _NESTED) else one for name, one in value.items()}
        if found.get("role") == "system" and len(text := value.get("text", "")) >= _SHARED:
            found["text"] = {"$text": "/".join(map(str, self._shared(text)))}
        return found

    def _shared(self, text: str) -> Place:
        if text not in self._known:
            number = len(self._texts)
            self._texts.append(text)
            self.room -= len(text) // 2  # more than it will take, packed
            self._known[text] = f"pack-texts-{number // _TEXTS}", number % _TEXTS
        return self._known[text]


def _table(rows: Iterable[Row]) -> dict[str, Any]:
    """Rows without the names of their columns."""
    found = list(rows)
    fields = list(dict.fromkeys(name for row in found for name in row))
    return {"fields": fields, "values": [[row.get(name) for name in fields] for row in found]}


def element(name: str, value: Any) -> str:
    """Data as an element of a page, compressed: the script's `antemill.unpack(name)` has it."""
    return _wrapped(name, _compressed(value))


def _wrapped(name: str, data: bytes) -> str:
    return f'<script type="application/octet-stream" id="{name}">{base64.b64encode(data).decode()}</script>\n'


def _compressed(value: Any) -> bytes:
    return _compressed_bytes(msgspec.json.encode(value))


def _compressed_bytes(data: bytes) -> bytes:
    return gzip.compress(data, 9, mtime=0)
