"""Running a command: errors become one sentence and an exit code; tracebacks are for our own mistakes only."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.errors import AntemillError, UsageError

OK, FAILED, INTERRUPTED, PIPE_CLOSED = 0, 2, 130, 141


def main() -> None:
    """The console script."""
    sys.exit(run(sys.argv[1:]))


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
        return _fail(
            f"{str(error).rstrip('.')}; see `antemill {' '.join(error.command_chain or ())}".rstrip() + " --help`."
        )
    except AntemillError as error:
        if os.environ.get("ANTEMILL_TRACE") == "1":
            raise
        return _fail(str(error), getattr(error, "exit_code", FAILED))
    except KeyboardInterrupt:
        return _fail("interrupted; what was finished is kept, the same command continues.", INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter complains at its exit
        return PIPE_CLOSED
    except MemoryError:
        return _fail("there is not enough memory; what was finished is kept, try fewer workers.")
    except OSError as error:
        where = "the system refused" if error.filename is None else f"can not use {error.filename}"
        return _fail(f"{where}: {(error.strerror or str(error)).lower()}.")


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
