"""live.json: the state of the process that works on a run, written every second for `status` in other processes.

The file exists only while a process works on the run. A file that a killed process left behind is ignored, because no
process holds the run's lock.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from antemill.llm import ModelState

NAME = "live.json"


class Live(Struct, frozen=True):
    """The state at one moment.

    time: Unix seconds. waits_for: what the run waits for, in words. stopping: no new call is made. since: the newest
    attempt in the call store when the process began: later attempts are in flight, earlier ones without an answer are
    lost.
    """

    time: float
    models: tuple[ModelState, ...] = ()
    waits_for: str = ""
    stopping: bool = False
    since: int | None = None


def publish(folder: Path, moment: Live) -> None:
    """Write the file completely or not at all. A full disk is ignored."""
    temporary = folder / f".{NAME}"
    with suppress(OSError):
        temporary.write_bytes(msgspec.json.encode(moment))
        os.replace(temporary, folder / NAME)


def withdraw(folder: Path) -> None:
    """Remove the file: no process works on the run."""
    for name in (NAME, f".{NAME}"):
        with suppress(OSError):
            (folder / name).unlink()


def read_live(folder: Path) -> Live | None:
    """The state that was written last; None if there is none, or it cannot be read."""
    try:
        return msgspec.json.decode((folder / NAME).read_bytes(), type=Live)
    except (OSError, msgspec.MsgspecError):
        return None
