"""Runs for scripts and notebooks: `run` does what `antemill start` does.

    result = run("cup.toml", out="cup")          # in a script: it is over when the call returns
    result = await run("cup.toml", out="cup")    # where an event loop is running, as in a notebook
    result.leaderboard()

Nothing but the table of kinds is imported before a run begins.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Coroutine, Generator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from antemill.engine import arguments
from antemill.engine.arguments import truth, wrong_type
from antemill.engine.errors import UsageError
from antemill.tournament.kinds import KINDS, RunKind

if TYPE_CHECKING:
    import pyarrow as pa

    from antemill.tournament.runs import Status
    from antemill.tournament.runs.folder import ConfigText
    from antemill.tournament.runs.stops import InterruptedRunError
    from antemill.tournament.statistics.sheets import Sheet

PathLike: TypeAlias = str | os.PathLike[str]
_PAUSE = 0.05  # seconds
_LONGEST = 1.0  # seconds that the owner of an event loop takes to obey a signal


def run(
    config: PathLike | Mapping[str, Any], out: PathLike | None = None, *, progress: bool = True, check: bool = True
) -> Run:
    """Play a tournament, duels, a game of SKATE or an evaluation, or continue the run in the folder `out`.

    config: a TOML file as `antemill init` writes it, or its content as a dict. Its table says which kind of run it is:
    one of [tournament], [duel], [skate] and [eval]. The names of files in it (models, games, policies) are relative to
    the file's folder, in a dict to the working directory.
    out: the folder of the run, made if it is not there. A run that is in it continues if it has the same configuration;
    only [budget], [limits] and [rating] may differ.
    progress: whether to show a bar, on a terminal or below the cell of a notebook, and sentences on stderr.
    check: whether to check first that every model can be used.

    Where no event loop runs, the run is over when the call returns. Where one is running (a notebook, IPython's
    `%autoawait`, any `async def`), nothing happens before the result is awaited: `result = await run(...)`. That works
    with a finished run too.

    Ctrl-C, SIGTERM and SIGHUP stop the run after the replies that are paid for; a second one drops them. What was
    finished is kept, and the same call goes on. Raises UsageError if an argument or the configuration is wrong,
    StorageError if `out` holds something else, and RunStoppedError if the run cannot go on (the budget, a model that
    does not answer). Interrupted, it raises KeyboardInterrupt; awaited, it is cancelled (asyncio.CancelledError), which
    `asyncio.run` makes a KeyboardInterrupt of.
    """
    given = _given(config)
    kind = kind_of_config(given)
    if out is None:
        wrong_type("out", out, "the folder of the run", f'name one, as in run("cup.toml", out="{kind.example}")')
    result = Run(kind, arguments.path(out, "out"))
    progress, check = truth(progress, "progress"), truth(check, "check")
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        _play(kind, given, result.folder, not progress, check)
    else:
        result._work = _work(kind, given, result.folder, not progress, check)
    return result


class Run:
    """A run and its results. `run` makes it. folder: where everything is kept; kind: "tournament", "duel", "skate" or
    "eval". Everything is read from the folder on demand, so it works during the run, too.
    """

    def __init__(self, kind: RunKind, folder: Path) -> None:
        self.folder = folder
        self.kind = kind.name
        self._kind = kind
        self._work: Coroutine[Any, Any, None] | None = None

    def __await__(self) -> Generator[Any, Any, Run]:
        if self._work is not None:
            yield from self._work.__await__()
            self._work = None
        return self

    def __repr__(self) -> str:
        if self._work is not None:
            return f"<Run of a {self.kind} in {self.folder}: an event loop is running, so `await` it>"
        found = self.status()
        parts = [f"{found.done:,} of {found.about:,} done"]
        parts += [f"{found.discarded:,} discarded"] if found.discarded else []
        marks = [one.rstrip(".") for one in found.warnings]
        return f"<Run of a {self.kind} in {self.folder}: {'; '.join([', '.join(parts), *marks])}>"

    def status(self) -> Status:
        """Progress, cost in dollars, and the state of each model. Raises StorageError if nothing has begun."""
        from antemill.tournament.runs import read_status

        return read_status(self.kind, self.folder)

    def slots(self) -> pa.Table:
        """What was played, as an Arrow table with one row each, in the order of the plan.

        Of a tournament or an evaluation the finished matches (the columns of slots.parquet: game, players, the margin
        in chips, ...), of duels the turns (turns.parquet), of SKATE the players' answers to the questions
        (answers.parquet). It has no rows while nothing is finished. Raises StorageError if nothing has begun.
        """
        self.status()
        found: pa.Table = self._kind.kind.rows([self.folder])
        return found

    def leaderboard(self) -> Sheet:
        """The ranking, best player first: a table that notebooks show, with `rows`, `columns` and `column(key)`.

        Of a tournament strengths in chips a game with 95% intervals, of duels Bradley-Terry ratings, of SKATE TrueSkill
        under both of its rules, of an evaluation chips a match lost to perfect play. Raises UsageError if nothing is
        finished, StorageError if nothing has begun.
        """
        self.status()
        from antemill.tournament.runs.analyze import leaderboard

        return leaderboard(self._kind.kind, [self.folder])

    def tables(self) -> dict[str, Sheet]:
        """All tables of the run by name, such as `tables()["leaderboard"]` of a tournament, or "losses" of an
        evaluation.

        They are made and written into the folder as by `antemill analyze`, which also writes scorecard.json of an
        evaluation. Raises UsageError if nothing is finished, StorageError if nothing has begun.
        """
        from antemill.tournament.runs.analyze import analyze

        self.status()
        sheets = analyze(self._kind.kind, [self.folder], self.folder)[1]
        return {sheet.name: sheet for sheet in sheets}


def _play(kind: RunKind, given: ConfigText, out: Path, quiet: bool, check: bool) -> None:
    """The run, where no event loop is running."""
    from antemill.tournament.runs import start_run

    with kind.kind.opened() as found, start_run(found, given, out) as session:
        session.run(quiet, check=check)
    _require_played(kind, out)


async def _work(kind: RunKind, given: ConfigText, out: Path, quiet: bool, check: bool) -> None:
    """The run, in the event loop that is running."""
    from antemill.tournament.runs import start_run
    from antemill.tournament.runs.stops import InterruptedRunError

    try:
        with kind.kind.opened() as found, start_run(found, given, out) as session:
            await session.run_here(quiet, check=check)
    except InterruptedRunError as error:
        await _pass_on(error)
    _require_played(kind, out)


async def _pass_on(interruption: InterruptedRunError) -> NoReturn:
    """All is closed: pass the signal on to the owner of the loop, or to another run in the loop, which does the same.

    Most owners cancel what they wait for; this task ends as a cancelled one if the owner does not.
    """
    from antemill.tournament.runs.interrupts import is_handled

    signal.raise_signal(interruption.number)
    with suppress(asyncio.CancelledError):
        while is_handled(interruption.number):
            await asyncio.sleep(_PAUSE)
        await asyncio.sleep(_LONGEST)
    raise asyncio.CancelledError("interrupted; what was finished is kept, the same call continues.") from interruption


def _require_played(kind: RunKind, out: Path) -> None:
    from antemill.tournament.runs.status import read_status, require_played

    require_played(out, read_status(kind.name, out))


def _given(config: PathLike | Mapping[str, Any]) -> ConfigText:
    from antemill.tournament.runs.config import GIVEN
    from antemill.tournament.runs.folder import ConfigText, read_config_text
    from antemill.tournament.toml import to_toml

    if isinstance(config, Mapping):
        return ConfigText(to_toml(config).encode(), GIVEN, Path())
    if not isinstance(config, str | os.PathLike):
        wrong_type("config", config, "the path of a TOML file or a dict of its content")
    return read_config_text(arguments.path(config, "config"))


def kind_of_config(given: ConfigText) -> RunKind:
    """The kind of run that a configuration is of, by its table. Raises UsageError if it is of none."""
    from antemill.tournament.runs.config import kind_in, read_toml

    content = read_toml(given.text, given.source)
    if (name := kind_in(content)) is None:
        has = ", ".join(f"[{key}]" for key in content) or "nothing"
        tables = ", ".join(f"[{kind}]" for kind in KINDS)
        raise UsageError(
            f"{given.source} is of no kind of run: it has {has} and none of {tables}; "
            f"`antemill init {next(iter(KINDS))}` writes one to begin with."
        )
    return KINDS[name]
