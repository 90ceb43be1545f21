"""Data that a page carries: JSON, compressed, in elements that no browser runs.

    pack-index   what runs there are, all rows of their lists, and in which chunk an item is
    pack-N       a chunk: the details of some items, unpacked when one of them is opened, or texts

A long text of a system message is the same for many items (the rulebook of a game), so it is stored once, and
{"$text": "CHUNK/PLACE"} refers to it.
"""

from __future__ import annotations

import base64
import gzip
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    from antemill.tournament.runs.browse import OpenRun
    from antemill.tournament.runs.items import Row

SIZE = 20_000_000  # bytes of a page at most: mail servers and browsers refuse larger ones
_FRAME = 200_000  # bytes of it for the style, the script and the frame
_CHUNK = 400_000  # bytes of JSON in a chunk of items
_QUICK = 6  # the level of compression that says how large something becomes at most
_LINK = 10  # bytes of an item's place in the index, packed: more than it takes
_FULL = 0.01  # of the available bytes: with less left, no item is tried
_REFUSED = 20  # items in a row that do not fit, after which no others are tried
_SHARED = 1_000  # characters of a text that is kept once
_TEXTS = 8  # texts in a chunk
_REPLACED = 100  # texts at most that are looked for in an item once it is encoded, which is faster
_ROLE, _REFERENCE = b'"role":"system"', b'{"$text":'
_SYSTEM = _ROLE + b',"text":'
_NESTED = (dict, list, tuple)
Place: TypeAlias = tuple[str, int]  # the element's id, and the number in its list


class Pack(Struct, frozen=True):
    """Data packed for a page. elements: HTML. note: what is left out, "" if nothing is."""

    elements: str
    note: str
    kept: int
    total: int


def packed(run: OpenRun, beside: str = "") -> Pack:
    """A run's items, packed so that a page stays within `SIZE` bytes together with what stands beside them (HTML).

    All items are in the list, and their details as long as they fit. If not all fit, the most interesting ones are
    kept, and an even share of the others. An item that is too large by itself is left out.
    """
    return fitted(run, SIZE - _FRAME - len(beside.encode()))


def fitted(run: OpenRun, size: int) -> Pack:
    """`packed`, within so many bytes of elements."""
    records = {record.item.key: record for record in run.store.records()}
    rows = [run.row(record) for record in records.values()]
    about = run.about(players={name for row in rows for name in row["players"]})
    elements: list[str] = []
    table = as_table(rows)
    index: Any = [table, about, _notes(run, 0, len(rows))]
    left = size - len(_wrapped("pack-index", gzip.compress(msgspec.json.encode(index), _QUICK)))
    writer = Writer(left, _as_element, lambda _, found: elements.append(found))
    finished = [row for row in rows if row["status"] == "done"]
    chosen = list(_by_interest(finished))
    for row, detail in zip(chosen, run.details([records[row["item"]] for row in chosen]), strict=True):
        if writer.full:
            break
        writer.add(row["item"], row | detail)
    where = writer.close()
    table["fields"].append("kept")
    for row, values in zip(rows, table["values"], strict=True):
        values.append(row["item"] in where if row["status"] == "done" else None)
    note, absent = _notes(run, len(where), len(finished))
    index = {
        "runs": [
            {
                "about": about,
                "note": note,
                "absent": absent,
                "table": table,
                "where": [where.get(row["item"]) for row in rows],
            }
        ]
    }
    return Pack(element("pack-index", index) + "".join(elements), note, len(where), len(finished))


def _notes(run: OpenRun, kept: int, finished: int) -> tuple[str, str]:
    """The note of the list about items that were left out, and the text shown in place of one."""
    if kept == finished:
        return "", f"This item was not finished when the page was written: see `antemill view {run.path.name}`."
    note = (
        f"So that this page is small enough to send, it has {kept:,} of {finished:,} finished ones in full: the "
        "most telling ones, and others from all over the list. The list has "
        f"all; `antemill view {run.path.name}` shows every one."
    )
    return note, f"This one is not in the page in full: `antemill view {run.path.name}` shows all."


def _by_interest(rows: Sequence[Row]) -> Iterator[Row]:
    """Three of the most interesting, then one of the others, and so on; the others evenly over the list."""
    marked = sorted((row for row in rows if row.get("interest", 0) > 0), key=lambda row: -row["interest"])
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
    """All rows, ordered by the reversed bits of their place, so that the first N lie evenly over the list for any N."""
    width = max(1, (len(rows) - 1).bit_length())
    order = sorted(range(len(rows)), key=lambda i: int(f"{i:0{width}b}"[::-1], 2))
    return [rows[i] for i in order]


class Writer:
    """Chunks of items, and of the texts that they share, which take `capacity` bytes at most.

    form: a chunk's name and JSON as the page has them; take: where they go.
    """

    def __init__(self, capacity: float, form: Callable[[str, bytes], str], take: Callable[[str, str], None]) -> None:
        self._form, self._take = form, take
        self._capacity = capacity
        self._enough = _FULL * capacity
        self._refused = 0
        self._items: list[tuple[str, bytes]] = []
        self._held = 0
        self._number = 0
        self._where: dict[str, Place] = {}
        self._known: dict[str, dict[str, str]] = {}
        self._texts: list[str] = []
        self._written: list[tuple[bytes, bytes]] = []  # most system messages as they are encoded, and their places

    @property
    def full(self) -> bool:
        """Whether adding more items is pointless."""
        return math.isfinite(self._capacity) and (self._capacity <= self._enough or self._refused >= _REFUSED)

    def add(self, name: str, detail: Row) -> None:
        """Take an item. It is kept if its chunk fits when that is full."""
        data = msgspec.json.encode(detail)
        for text, place in self._written:
            data = data.replace(text, place)
        if data.count(_ROLE) != data.count(_SYSTEM + _REFERENCE):
            data = msgspec.json.encode(self._shortened(detail))
        self._items.append((name, data))
        self._held += len(data)
        if self._held >= _CHUNK:
            self._write_items(self._items)
            self._items, self._held = [], 0

    def close(self) -> dict[str, Place]:
        """Write what is left; the places of the items that were kept."""
        self._write_items(self._items)
        for first in range(0, len(self._texts), _TEXTS):
            data = msgspec.json.encode(self._texts[first : first + _TEXTS])
            name = f"pack-texts-{first // _TEXTS}"
            self._take(name, self._form(name, data))
        return self._where

    def _write_items(self, items: Sequence[tuple[str, bytes]]) -> None:
        """Write items as a chunk. One that does not fit is halved; a single item that does not fit is left out."""
        if not items or self.full:
            return
        name = f"pack-{self._number}"
        found = self._form(name, b"[" + b",".join(data for _, data in items) + b"]")
        if len(found) + _LINK * len(items) <= self._capacity:
            self._capacity -= len(found) + _LINK * len(items)
            self._refused = 0
            self._number += 1
            self._take(name, found)
            self._where.update((item, (name, i)) for i, (item, _) in enumerate(items))
        elif len(items) == 1:
            self._refused += 1
        else:
            half = len(items) // 2
            self._write_items(items[:half])
            self._write_items(items[half:])

    def _shortened(self, value: Any) -> Any:
        """The value with long texts of system messages replaced by where they are."""
        if isinstance(value, list | tuple):
            return [self._shortened(one) if isinstance(one, _NESTED) else one for one in value]
        found = {name: self._shortened(one) if isinstance(one, _NESTED) else one for name, one in value.items()}
        if found.get("role") == "system" and len(text := value.get("text", "")) >= _SHARED:
            found["text"] = self._shared(text)
        return found

    def _shared(self, text: str) -> dict[str, str]:
        if text not in self._known:
            number = len(self._texts)
            self._texts.append(text)
            if math.isfinite(self._capacity):
                self._capacity -= len(element(f"pack-texts-{number}", [text]))  # more than it takes among others
            self._known[text] = {"$text": f"pack-texts-{number // _TEXTS}/{number % _TEXTS}"}
            if number < _REPLACED:
                written, place = (_SYSTEM + msgspec.json.encode(one) for one in (text, self._known[text]))
                self._written.append((written, place))
        return self._known[text]


def as_table(rows: Iterable[Row]) -> dict[str, Any]:
    """Rows without the names of their columns."""
    found = list(rows)
    fields = list(dict.fromkeys(name for row in found for name in row))
    return {"fields": fields, "values": [[row.get(name) for name in fields] for row in found]}


def element(name: str, value: Any) -> str:
    """Data as an element of a page, compressed: the script's `antemill.unpack(name)` has it."""
    return _wrapped(name, _compressed(value))


def _as_element(name: str, data: bytes) -> str:
    return _wrapped(name, _compressed_bytes(data))


def _wrapped(name: str, data: bytes) -> str:
    return f'<script type="application/octet-stream" id="{name}">{base64.b64encode(data).decode()}</script>\n'


def _compressed(value: Any) -> bytes:
    return _compressed_bytes(msgspec.json.encode(value))


def _compressed_bytes(data: bytes) -> bytes:
    return gzip.compress(data, 9, mtime=0)
