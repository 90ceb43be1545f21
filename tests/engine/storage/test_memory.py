"""How much memory there is, and blocks that are taken by one process after the other."""

from __future__ import annotations

import multiprocessing
import time
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from antemill.engine.storage import memory
from antemill.engine.storage.memory import in_turn


def hold(name: str, begun: Event, end: Event) -> None:
    with in_turn(name, 1):
        begun.set()
        end.wait(60)


def test_a_process_waits_for_another_and_not_for_other_work() -> None:
    context = multiprocessing.get_context("spawn")
    begun, end = (context.Event(), context.Event()), (context.Event(), context.Event())
    name = f"test-{time.time_ns()}"
    works = (name, name, f"{name}-other")
    first = context.Process(target=hold, args=(works[0], begun[0], end[0]))
    second = context.Process(target=hold, args=(works[1], begun[1], end[1]))
    first.start()
    assert begun[0].wait(60)
    second.start()
    assert not begun[1].wait(1.0)
    with in_turn(works[2], 1):
        pass
    first.kill()  # a process that dies lets go what it holds
    assert begun[1].wait(60)
    end[1].set()
    for process in (first, second):
        process.join(60)


def test_a_containers_memory_is_what_it_may_take(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    machine = memory.physical_memory()
    for text, most in (("max\n", machine), ("4096\n", 4096), (f"{1 << 62}\n", machine)):
        limit = tmp_path / "memory.max"
        limit.write_text(text)
        monkeypatch.setattr(memory, "_LIMITS_OF_CONTAINERS", (str(tmp_path / "none"), str(limit)))
        assert memory.physical_memory() == most


def test_what_a_container_uses_is_not_free(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    limit, used = tmp_path / "memory.max", tmp_path / "memory.current"
    limit.write_text("50000000\n")
    monkeypatch.setattr(memory, "_LIMITS_OF_CONTAINERS", (str(tmp_path / "none"), str(limit)))
    monkeypatch.setattr(memory, "_USED_BY_CONTAINERS", (str(tmp_path / "none"), str(used)))
    for text, free in (("20000000\n", 30_000_000), ("60000000\n", 0)):
        used.write_text(text)
        assert memory.free_memory() == free
