"""Running a command: errors become one sentence and an exit code; tracebacks are for our own mistakes only."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from engine.errors import AntemillError, UsageError

if TYPE_CHECKING:
    from cyclopts import CycloptsError

OK, FAILED, INTERRUPTED, PIPE_CLOSED, TERMINATED = 0, 2, 130, 141, 143


class _Terminated(KeyboardInterrupt):
    """SIGTERM: like Ctrl-C, so that whatever tidies up after one tidies up after the other."""


def main() -> None:
    """The console script."""
    signal.signal(signal.SIGTERM, _terminate)
    sys.exit(run(sys.argv[1:]))


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise _Terminated


def run(arguments: Sequence[str]) -> int:
    """Run a command line; returns the exit code."""
    from cyclopts import CycloptsError

    from tournament.cli.app import app

    try:
        require_own_packages(Path(__file__).resolve().parents[2])
        app(list(arguments))
        sys.stdout.flush()
        return OK
    except CycloptsError as error:
        return _fail(_wrong_line(error))
    except AntemillError as error:
        if os.environ.get("ANTEMILL_TRACE") == "1":
            raise
        return _fail(str(error), getattr(error, "exit_code", FAILED))
    except KeyboardInterrupt as error:
        how = ("terminated", TERMINATED) if isinstance(error, _Terminated) else ("interrupted", INTERRUPTED)
        return _fail(f"{how[0]}; what was finished is kept, the same command continues.", how[1])
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter complains at its exit
        return PIPE_CLOSED
    except MemoryError:
        return _fail("there is not enough memory; what was finished is kept, try fewer workers.")
    except OSError as error:
        where = "the system refused" if error.filename is None else f"can not use {error.filename}"
        return _fail(f"{where}: {(error.strerror or str(error)).lower()}.")


def _wrong_line(error: CycloptsError) -> str:
    """What is wrong with a command line, and where its help is."""
    from cyclopts import UnknownCommandError

    text = str(error)
    if isinstance(error, UnknownCommandError) and error.unused_tokens and error.app is not None:
        text = _unknown_command(error.unused_tokens[0], [name for name in error.app if not name.startswith("-")])
    help_of = " ".join(["antemill", *(error.command_chain or ()), "--help"])
    return f"{text}{'' if text.endswith(('.', '?')) else '.'} See `{help_of}`."


def _unknown_command(token: str, names: list[str]) -> str:
    near = get_close_matches(token, names, 1)
    guess = f" Did you mean '{near[0]}'?" if near else ""
    return f"there is no command '{token}'.{guess} The commands are {', '.join(sorted(names))}."


def _fail(sentence: str, code: int = FAILED) -> int:
    print(f"antemill: {' '.join(sentence.split())}", file=sys.stderr)
    return code


def require_own_packages(home: Path) -> None:
    """Raise UsageError unless the package `llm` is the one beside this package in `home`, and not another project's."""
    found = importlib.util.find_spec("llm")
    theirs = next(home.glob("llm-*.dist-info"), None)
    ours = found is not None and found.origin is not None and Path(found.origin).resolve().parent == home / "llm"
    if not ours or theirs is not None:
        where = theirs or (found.origin if found is not None else "nowhere")
        raise UsageError(
            f"the package 'llm' is another project's ({where}): install antemill into an environment of its own."
        )
