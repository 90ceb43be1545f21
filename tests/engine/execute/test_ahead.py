"""Reading ahead: what follows is read while the work goes on, nothing is read twice, failures are not kept."""

from __future__ import annotations

import threading

import pytest

from antemill.engine.execute.ahead import ReadAhead


def test_what_follows_is_read_while_the_caller_works() -> None:
    begun, finish = threading.Event(), threading.Event()

    def read(key: str) -> str:
        if key == "b":
            begun.set()
            assert finish.wait(60)
        return key.upper()

    ahead = ReadAhead(read)
    assert ahead.take("a", "b") == "A"
    assert begun.wait(60)  # no call has asked for it yet
    assert ahead.take("a", "b") == "A"  # and no call waits for it
    finish.set()
    assert ahead.take("b") == "B"


def test_nothing_is_read_twice_while_it_is_needed_and_only_two_are_kept() -> None:
    asked: list[int] = []

    def read(key: int) -> int:
        asked.append(key)
        return key

    ahead = ReadAhead(read)
    for key in (1, 1, 2, 2, 3, 3):
        assert ahead.take(key, key + 1) == key
    assert ahead.take(4) == 4
    assert asked == [1, 2, 3, 4]
    ahead.take(1)
    assert asked == [1, 2, 3, 4, 1]


def test_what_failed_is_tried_again() -> None:
    failures = [OSError("away")]

    def read(key: str) -> str:
        if failures:
            raise failures.pop()
        return key

    ahead = ReadAhead(read)
    with pytest.raises(OSError, match="away"):
        ahead.take("a")
    assert ahead.take("a") == "a"
