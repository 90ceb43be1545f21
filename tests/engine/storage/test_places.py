"""Folders in stores: what a busy, a breaking or a refusing store leaves, and the sentences about it."""

from __future__ import annotations

import errno
import os
import pickle
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from antemill.engine.errors import StorageError, UsageError
from antemill.engine.storage.places import PAUSES, Place, place
from tests.engine.storage.stores import BreakingStore, BusyStore


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that are made, in place of making them."""
    made: list[float] = []
    monkeypatch.setattr(time, "sleep", made.append)
    return made


@pytest.fixture(params=["a folder", "a store"])
def somewhere(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "a folder":
        return place(tmp_path / "new")
    BusyStore.reset(lambda _number: False)
    return place("fsspec+busy://bucket/new")


def test_files_come_back_and_go(somewhere: Place) -> None:
    assert (somewhere.names(), somewhere.folders(), somewhere.exists("a/x")) == ([], [], False)
    somewhere.write("a/x", b"one")
    somewhere.write("a/x", b"two")
    somewhere.write("a/b/y", b"three")
    there = pickle.loads(pickle.dumps(somewhere))
    assert (there.read("a/x"), there.find("a/x"), there.find("a/z")) == (b"two", b"two", None)
    assert (there.names("a"), there.folders("a"), there.folders()) == (["x"], ["b"], ["a"])
    assert there.exists("a/x")
    there.remove("a/x")
    there.remove("a/x")
    assert there.names("a") == []
    with pytest.raises(StorageError, match=r"^there is no file .*a/x\.$"):
        there.read("a/x")


def test_a_busy_store_is_asked_again_after_longer_and_longer_pauses(pauses: list[float]) -> None:
    store = place("fsspec+busy://bucket/pool")
    BusyStore.reset(lambda number: number in (1, 2, 3))
    store.write("x", b"one")
    assert (store.read("x"), pauses) == (b"one", list(PAUSES[:3]))


@pytest.mark.parametrize(
    "call", [lambda store: store.write("x", b"one"), lambda store: store.read("there")], ids=["write", "read"]
)
def test_a_store_that_stays_busy_is_a_sentence(pauses: list[float], call: Callable[[Place], object]) -> None:
    store = place("fsspec+busy://bucket/pool")
    BusyStore.reset(lambda _number: False)
    store.write("there", b"one")
    BusyStore.reset_busy(lambda _number: True)
    with pytest.raises(
        StorageError, match=r"^cannot (write|read) fsspec\+busy://bucket/pool/\w+: .*503\); .* continue\.$"
    ):
        call(store)
    assert pauses == list(PAUSES)
    BusyStore.reset_busy(lambda _number: False)
    assert store.names() == ["there"]


def test_what_was_half_sent_is_never_seen(pauses: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    store = place("fsspec+breaking://bucket/pool")
    store.write("x", b"one")
    monkeypatch.setattr(BreakingStore, "broken", True)
    for name in ("x", "y"):
        with pytest.raises(StorageError, match="connection reset by peer; what was finished is kept"):
            store.write(name, b"something longer")
    assert (store.names(), store.read("x"), len(pauses)) == (["x"], b"one", 2 * len(PAUSES))


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError("AWS Error ACCESS_DENIED during PutObject operation"), "ACCESS_DENIED"),
        (PermissionError(errno.EACCES, os.strerror(errno.EACCES)), "permission denied"),
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "no space left in fsspec"),
    ],
)
def test_what_no_pause_mends_is_not_asked_again(pauses: list[float], error: OSError, words: str) -> None:
    def refuse(_number: int) -> bool:
        raise error

    BusyStore.reset(refuse)
    with pytest.raises(StorageError, match=words):
        place("fsspec+busy://bucket/pool").write("x", b"one")
    assert (pauses, BusyStore.requests) == ([], 1)


def test_stores_of_no_known_kind_are_refused() -> None:
    with pytest.raises(UsageError, match=r"'carrier://pigeon/x' cannot be used .*: name a folder, or a store"):
        place("carrier://pigeon/x")
