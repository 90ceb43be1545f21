"""Replies as no provider should send them: good bodies of each protocol, changed at random."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from tests.llm.dialects import DIALECTS
from tests.llm.events import Say, Status

_ODD = (
    *(
        "NaN",
        "Infinity",
        "-Infinity",
        "1e999",
        "-1e999",
        "1" * 40,
        "-" + "9" * 5000,
        "1e-999",
        "-0",
        "0.1",
        "-1",
        "2e15",
    ),
    *(
        "null",
        "true",
        "false",
        '""',
        '"\\ud800"',
        '"\\u0000"',
        '"\\ufeff"',
        '"NaN"',
        '"12"',
        "[]",
        "{}",
        "[[]]",
        "[null]",
    ),
    *(
        '{"a": NaN}',
        '{"error": {}}',
        '"error"',
        "[" * 50 + "]" * 50,
        "[" * 3000 + "]" * 3000,
        '{"a":' * 200 + "1" + "}" * 200,
    ),
    *(
        '"' + "x" * 3000 + '"',
        '{"text": 1, "type": "text"}',
        '{"type": [], "content": {"text": "x"}}',
        "1.0",
        "9007199254740993",
    ),
)
_MARK = "@@ODD@@"
_HEADS = ("\ufeff", "\ufeff\ufeff", " \n", "data: ", ")]}'\n", "<html>", "\x00")


def good_bodies(protocol: str) -> list[dict[str, Any]]:
    """What the provider does say."""
    dialect = DIALECTS[protocol]
    says = [Say(finish=finish) for finish in ("stop", "length", "refusal", "other")]
    return [
        *map(dialect.good, [*says, Say(bare=True)]),
        dialect.error(Status(500)),
        dialect.error(Status(429, "spend")),
    ]


def mutants(protocol: str, seed: int, count: int) -> Iterator[bytes]:
    """Bodies, the same for the same seed."""
    rng, bodies = random.Random(f"{protocol} {seed}"), good_bodies(protocol)
    for _ in range(count):
        body = json.loads(json.dumps(rng.choice(bodies)))
        changes = rng.randint(0, 3)
        for _ in range(changes):
            _mark(rng, body)
        text = json.dumps(body)
        for _ in range(changes):
            text = text.replace(f'"{_MARK}"', rng.choice(_ODD), 1)
        if rng.random() < 0.1:
            text = rng.choice(_HEADS) + text
        yield _damaged(rng, text.encode("utf-8", "surrogatepass"))


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every container with every key or index."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    return [(value, key) for key in keys] + [place for key in keys for place in _places(value[key])]


def _mark(rng: random.Random, body: Any) -> None:
    """Take something away, name it twice, or put something odd in its place."""
    places = _places(body)
    if not places:
        return
    where, key = rng.choice(places)
    way = rng.random()
    if way < 0.15:
        del where[key]
    elif way < 0.3 and isinstance(where, dict):
        where[rng.choice(("error", "usage", "choices", "content", "output", "candidates", "status", "model"))] = _MARK
    elif way < 0.4:
        other, there = rng.choice(places)
        where[key] = json.loads(json.dumps(other[there])) if not isinstance(other, list) or there < len(other) else None
    else:
        where[key] = _MARK


def _damaged(rng: random.Random, data: bytes) -> bytes:
    """Sometimes cut off, or with other bytes in it, or in another encoding."""
    way = rng.random()
    if way < 0.08:
        return data[: rng.randrange(len(data) + 1)]
    if way < 0.16:
        place = rng.randrange(len(data) + 1)
        return data[:place] + rng.randbytes(rng.randint(1, 4)) + data[place + rng.randint(0, 4) :]
    if way < 0.18:
        return data.decode("utf-8", "replace").encode(
            rng.choice(("utf-16", "utf-16-le", "utf-32", "latin-1")), "replace"
        )
    if way < 0.2:
        place = rng.randrange(max(1, len(data) - 40))
        return data[:place] + data[place : place + 40] * 2 + data[place + 40 :]
    return data
