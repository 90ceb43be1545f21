"""Finished tournaments made large: their matches again and again, each with replies of its own."""

from __future__ import annotations

import json
import random
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

_ITEM = "data, models, status, row, transcript, cost, fallbacks, timeouts, attempts, seconds"
_LETTERS = "etaoinshrdlcumwfgypbvk"


def multiply(folder: Path, count: int, variants: int = 0) -> None:
    """Let a finished tournament have so many matches: its own, again and again in further runs.

    variants: of each recorded call, with other reasoning as long as its own; every match takes one of them at each
    decision, so that no compression finds more alike than in what models write. 0: all have the same calls.
    """
    rng = random.Random(0)
    calls = _varied(folder / "calls.sqlite", variants, rng) if variants else {}
    with closing(sqlite3.connect(folder / "run.sqlite")) as database, database:
        rows = database.execute(f"SELECT key, {_ITEM} FROM items ORDER BY position").fetchall()
        matches = [json.loads(zlib.decompress(row[5])) for row in rows]
        marks = ", ".join("?" * (2 + len(_ITEM.split(", "))))
        for position in range(len(rows), count):
            key, data, *rest = rows[position % len(rows)]
            match = matches[position % len(rows)]
            if calls:
                moves = [move | _choice(calls, move["call"], rng) for move in match["moves"]]
                rest[3] = zlib.compress(json.dumps(match | {"moves": moves}).encode(), 1)
            slot = json.loads(data) | {"run": 1_000 + position}
            row = (position, f"{key}:{position}", json.dumps(slot), *rest)
            database.execute(f"INSERT INTO items (position, key, {_ITEM}) VALUES ({marks})", row)
        database.execute("UPDATE meta SET value = ? WHERE name = 'total'", (str(count),))


def _choice(calls: dict[int, list[int]], call: int | None, rng: random.Random) -> dict[str, int]:
    return {} if call is None else {"call": rng.choice(calls[call])}


def _varied(path: Path, variants: int, rng: random.Random) -> dict[int, list[int]]:
    """Store the variants; their rows by the call that they vary."""
    found: dict[int, list[int]] = {}
    words = ["".join(rng.choices(_LETTERS, range(len(_LETTERS), 0, -1), k=rng.randint(1, 11))) for _ in range(4_000)]
    with closing(sqlite3.connect(path)) as database, database:
        names = [one[1] for one in database.execute("PRAGMA table_info(calls)") if one[1] != "id"]
        columns, marks = ", ".join(names), ", ".join("?" * len(names))
        for row, *values in database.execute(f"SELECT id, {columns} FROM calls WHERE status = 'ok'").fetchall():
            made = found.setdefault(row, [])
            for number in range(variants):
                call = dict(zip(names, values, strict=True)) | {"key": f"{row}:{number}"}
                call["reply"] = json.dumps(_rethought(json.loads(call["reply"]), words, rng))
                done = database.execute(f"INSERT INTO calls ({columns}) VALUES ({marks})", list(call.values()))
                assert done.lastrowid is not None
                made.append(done.lastrowid)
    return found


def _rethought(reply: dict[str, Any], words: list[str], rng: random.Random) -> dict[str, Any]:
    """A chat completion with other reasoning of the same length."""
    message = reply["choices"][0]["message"]
    length = len(message["reasoning_content"])
    message["reasoning_content"] = " ".join(_text(length + 1, words, rng))[:length]
    return reply


def _text(length: int, words: list[str], rng: random.Random) -> Iterator[str]:
    """Words, rare ones rarely, as in a language."""
    while length > 0:
        word = words[min(len(words) - 1, int(rng.paretovariate(0.4)) - 1)]
        length -= len(word) + 1
        yield word
