"""Running a command: an error becomes one sentence and an exit code; only bugs of Antemill show a traceback."""

from __future__ import annotations

import atexit
import errno
import os
import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any

import antemill.engine.storage.lean  # noqa: F401 (before Arrow)
from antemill.engine.errors import AntemillError
from antemill.tournament.cli.gone import replaced
from antemill.tournament.interruption import interrupt
from antemill.tournament.plain import plain

if TYPE_CHECKING:
    from cyclopts import CycloptsError

OK, FAILED, INTERRUPTED, PIPE_CLOSED, TERMINATED = 0, 2, 130, 141, 143
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# commands that keep what they have finished
_CONTINUED = {("run",), ("start",), ("eval",), ("demo",), ("play",), ("pool", "build"), ("pool", "score")}
_KEPT = "; what was finished is kept, the same command continues"


def main() -> None:
    """The console script."""
    numbers = [number for number in _SIGNALS if signal.getsignal(number) != signal.SIG_IGN]  # nohup, a shell's &
    for number in numbers:
        signal.signal(number, interrupt)
    _open_streams()
    warnings.showwarning = partial(_show_warning, warnings.showwarning)
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt as error:  # a second signal, while the first was being handled
        code = _how(error)[1]
    _settle(numbers, code)
    sys.exit(code)


def _show_warning(usual: Callable[..., None], message: Warning | str, kind: type[Warning], *place: Any) -> None:
    """Show our own warnings as sentences, without the line of code that they come from."""
    if kind.__module__.startswith("antemill."):
        print(f"antemill: {message}", file=sys.stderr)
    else:
        usual(message, kind, *place)


def _settle(numbers: Sequence[signal.Signals], code: int) -> None:
    """End the handling of signals: a signal during the exit of the interpreter may end it sooner, but changes
    nothing."""
    for number in numbers:
        signal.signal(number, lambda *_: os._exit(code))
    atexit.register(lambda: [signal.signal(number, signal.SIG_IGN) for number in numbers])


def _open_streams() -> None:
    """Open the standard streams that were closed, so that no other file gets their numbers; printing to a closed stdout
    is an error."""
    system: Any = sys
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            flags = os.O_WRONLY if name == "stderr" else os.O_RDONLY
            os.dup2(null := os.open(os.devnull, flags), number)
            if null != number:
                os.close(null)
            setattr(system, name, os.fdopen(number, mode, closefd=False))


def run(arguments: Sequence[str]) -> int:
    """Run a command line; returns the exit code."""
    if sentence := replaced(arguments):
        return _fail(sentence)
    try:
        from cyclopts import CycloptsError

        from antemill.tournament.cli.app import app
    except KeyboardInterrupt as error:
        return _interrupted(error)
    try:
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
        return _interrupted(error, _KEPT * _continues(arguments))
    except BrokenPipeError:
        _forget_stdout()
        return PIPE_CLOSED
    except SystemExit as error:
        if not isinstance(error.__context__, BrokenPipeError):
            raise
        return PIPE_CLOSED  # rich has replaced it by an exit code of its own, and closed stdout
    except MemoryError:
        return _fail(f"there is not enough memory{_KEPT * _continues(arguments)}.")
    except OSError as error:
        if error.filename is None and error.errno == errno.EBADF:
            _forget_stdout()
            return _fail("cannot print to stdout: it is closed.")
        where = "the system refused" if error.filename is None else f"cannot use {error.filename}"
        return _fail(f"{where}: {(error.strerror or str(error)).lower()}.")


def _continues(arguments: Sequence[str]) -> bool:
    """Whether the command keeps what it has finished and goes on from there."""
    from antemill.tournament.cli.app import app

    return app.parse_commands(list(arguments))[0] in _CONTINUED


def _forget_stdout() -> None:
    """Discard output that cannot be printed; otherwise the interpreter complains at its exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _interrupted(error: KeyboardInterrupt, kept: str = "") -> int:
    how, code = _how(error)
    return _fail(f"{how}{kept}.", code)


def _how(interruption: KeyboardInterrupt) -> tuple[str, int]:
    """What has ended a command, and its exit code: 128 plus the number of the signal, which the exception may carry."""
    number = interruption.args[0] if interruption.args else signal.SIGINT
    if number == signal.SIGINT:
        return "interrupted", INTERRUPTED
    return "terminated", TERMINATED if number == signal.SIGTERM else 128 + int(number)


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
    with suppress(OSError):  # the terminal is gone
        print(f"antemill: {' '.join(plain(sentence).split())}", file=sys.stderr)
    return code
