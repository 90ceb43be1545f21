"""Pools that several pages build: the first page builds one in an empty folder, the others find it built.

A page's command is carried out all the same, as when a reader enters it a second time: it sees that all is there.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest

from antemill.tournament.pool.layout import complete_pool
from antemill.tournament.pool.ranges import parse_seeds

_PARTS = ("candidates", "games", "scores")
_OTHERS = {"--executor", "--caps", "--tier", "--accept"}  # with one of these options a pool is not shared
Key = tuple[str, str]  # seeds and complexity, as a command has them


class DocPools:
    """The pools of one page, and those that earlier pages have left in a folder."""

    def __init__(self, kept: Path) -> None:
        self._kept = kept
        self._built: dict[Path, Key] = {}

    def begin(self, words: Sequence[str]) -> None:
        """Before a command: if it builds a pool in a new folder, lay one there that an earlier page has built."""
        options = dict(pairwise(words))
        folder = Path(options.get("--out", ".") if words[0] == "run" else [*words, ".", "."][2])
        builds = words[0] == "run" or [*words[:2]] == ["pool", "build"]
        if not builds or "--seeds" not in options or _OTHERS & {*words} or folder.exists():
            return
        key = options["--seeds"], options.get("--complexity", "")
        self._built[folder.absolute()] = key
        if self._place(key).exists():
            shutil.copytree(self._place(key), folder)

    def end(self) -> None:
        """After a page: leave the pools that it has built to the next ones."""
        for folder, key in self._built.items():
            if not self._place(key).exists() and complete_pool(folder).settings.seeds == parse_seeds(key[0]):
                self._keep(folder, self._place(key))

    def _place(self, key: Key) -> Path:
        return self._kept / "@".join(key)

    def _keep(self, folder: Path, place: Path) -> None:
        self._kept.mkdir(exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=self._kept))
        shutil.copy(folder / "pool.json", made)
        for part in _PARTS:
            if (folder / part).exists():
                shutil.copytree(folder / part, made / part)
        with suppress(OSError):  # another page was first
            made.rename(place)


def doc_pools(factory: pytest.TempPathFactory) -> DocPools:
    """For a page; all processes of these tests share what pages leave."""
    base = factory.getbasetemp()
    return DocPools((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "pools")
