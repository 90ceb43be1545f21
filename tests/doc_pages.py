"""The examples of the documentation, and how to run them as they are printed.

A page is a script: its fenced blocks are carried out from top to bottom in one empty folder. What a block is, its
language says; what cannot be seen from the block stands in a comment before it, which no reader of the page sees:

    ```sh                        each line is a command of ours, and has to end with 0; of make, there is such a target
    ```python                    is executed; a page's blocks share their names
    ```toml, ```json, ```csv     after <!-- file: NAME -->: the content of that file, for the blocks that follow
    ```toml without that comment     is a part of a configuration or of a list of models
    any other language           is not run, and no line of it begins like a command
    <!-- from PAGE: NAME -->     the file NAME is there, with the content that PAGE shows
    <!-- not run: REASON -->     the next block is not run
    <!-- printed: BY WHAT -->    the next block's lines are among those that the block before it printed, spaces aside
    <!-- beside: NAME -->        the next block's first command stays running beside those that follow
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
FILES = ("toml", "json", "jsonl", "csv", "python")
_NOTE = re.compile(r"<!-- (file|not run|beside|printed|from \S+): (.+?) -->")
_CALLED = re.compile(r"(?:^|`)antemill ([a-z]+)(?: ([a-z]+))?", re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s]+)\)")


class Block(NamedTuple):
    """One fenced block. notes: what the comment before it says."""

    page: str
    line: int
    language: str
    text: str
    notes: dict[str, str]

    @property
    def commands(self) -> list[list[str]]:
        """The words of each command of a block of shell."""
        lines = self.text.replace("\\\n", " ").splitlines()
        return [words for line in lines if (words := shlex.split(line, comments=True))]


def blocks(path: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found: list[Block] = []
    notes: dict[str, str] = {}
    lines = iter(enumerate(path.read_text(encoding="utf-8").splitlines(), 1))
    for number, line in lines:
        if match := _NOTE.fullmatch(line.strip()):
            if match[1].startswith("from "):
                found.append(_shown(path.parent / match[1].removeprefix("from "), match[2]))
            else:
                notes[match[1]] = match[2]
        elif line.startswith("```"):
            text = "\n".join(_until_fence(lines, path, number))
            found.append(Block(path.name, number, line[3:].strip(), text + "\n", notes))
            notes = {}
        elif line.strip():
            notes = {}
    return found


def _shown(path: Path, name: str) -> Block:
    return next(block for block in blocks(path) if block.notes.get("file") == name)


def _until_fence(lines: Iterator[tuple[int, str]], path: Path, start: int) -> Iterator[str]:
    for _, line in lines:
        if line.startswith("```"):
            return
        yield line
    raise ValueError(f"{path.name}:{start}: the block has no end")


def called(path: Path) -> set[tuple[str, str]]:
    """The first two words of each command that a page names, in a block or in its text."""
    return {(match[1], match[2] or "") for match in _CALLED.finditer(path.read_text(encoding="utf-8"))}


def broken_links(path: Path) -> list[str]:
    """The links of a page to files or headings that do not exist."""
    found = []
    for link in _LINK.findall(path.read_text(encoding="utf-8")):
        place, _, heading = link.partition("#")
        target = path.parent / place if place else path
        if "://" not in link and (not target.exists() or (heading and heading not in _headings(target))):
            found.append(link)
    return found


def _headings(path: Path) -> set[str]:
    """How links name the headings of a page."""
    lines = [line.lstrip("# ") for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}
