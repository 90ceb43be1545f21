"""How much memory there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from antemill.engine.storage import memory


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
