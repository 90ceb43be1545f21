"""The display of a run: a bar with items, dollars, fallbacks, time-outs and time left, and a line for each model.

It is written to stderr, or as one line below the cell of a notebook.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from antemill.engine.execute.progress import is_watched, terminal_bar
from antemill.llm import ModelState, dollar_text
from antemill.tournament.runs.records import Record
from antemill.tournament.runs.store import Counts
from antemill.tournament.runs.wording import RunSize, doing, failures, possible, progress

if TYPE_CHECKING:
    from rich.console import Group
    from rich.progress import Progress

_FRAMES = 4  # a second


class Display(Protocol):
    """The display of a run."""

    def report(self, record: Record | None, size: RunSize, /) -> None:
        """An item was finished or discarded (None: more were planned)."""

    def show(self, models: Sequence[ModelState], waits_for: str, /) -> None:
        """Show the state of the models and of the waits."""

    def say(self, text: str, /, *, alarm: bool = False) -> None:
        """Show a sentence that stays. alarm: in red, where there are colours."""


class Silent:
    """For a stderr that is not a terminal: only sentences."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet

    def report(self, record: Record | None, size: RunSize, /) -> None:
        """Show nothing."""

    def show(self, models: Sequence[ModelState], waits_for: str, /) -> None:
        """Show nothing."""

    def say(self, text: str, /, *, alarm: bool = False) -> None:  # noqa: ARG002
        """Print a line to stderr."""
        if not self._quiet:
            print(f"antemill: {text}", file=sys.stderr, flush=True)


class Terminal:
    """A bar, a line for each model, and a line about the current wait."""

    def __init__(self, bar: Progress, name: str, counts: Counts, spent: tuple[float, float], size: RunSize) -> None:
        self._bar = bar
        self._before = self._spent = spent
        self._sums = [counts.done + counts.discarded, counts.fallbacks, counts.timeouts]
        self._task = bar.add_task(name, total=size.about or None, completed=self._sums[0], far="", what=self._text())
        self._lines: list[str] = []
        self._move(size)

    def report(self, record: Record | None, size: RunSize, /) -> None:
        """Move the bar."""
        if record is not None:
            for i, value in enumerate((1, record.fallbacks, record.timeouts)):
                self._sums[i] += value
        self._move(size)

    def show(self, models: Sequence[ModelState], waits_for: str, /) -> None:
        """Change the dollars and the lines."""
        cost, possible = self._before
        self._spent = cost + sum(state.cost for state in models), possible + sum(state.possible for state in models)
        self._bar.update(self._task, what=self._text())
        self._lines = [_line(state) for state in models]
        if waits_for:
            self._lines.append(f"waits for {waits_for}")

    def say(self, text: str, /, *, alarm: bool = False) -> None:
        """Print a line above the bar."""
        style = "bold red" if alarm else None
        self._bar.console.print(f"antemill: {text}", style=style, soft_wrap=True, highlight=False, markup=False)

    def _move(self, size: RunSize) -> None:
        """When the items reach an estimated total, the bar has no total: more items may follow."""
        ended = self._sums[0]
        total = size.about if size.sure or ended < size.about else None
        far = f"{ended}/{size.about}" if size.sure else progress(ended, ended, size)
        self._bar.tasks[0].total = total  # `update` cannot take a total away
        self._bar.update(self._task, completed=ended, far=far, what=self._text())

    def _text(self) -> str:
        cost, possible = self._spent
        charged = f" + {dollar_text(possible, 2)} possibly charged" if possible > 0 else ""
        return f"{dollar_text(cost, 2)}{charged}  {self._sums[1]} fallbacks  {self._sums[2]} time-outs"

    def __rich__(self) -> Group:
        from rich.console import Group
        from rich.text import Text

        lines = (Text(line, no_wrap=True, overflow="ellipsis") for line in self._lines)
        return Group(self._bar.get_renderable(), *lines)


class Notebook(Terminal):
    """One line below a notebook's cell: rich's own display needs ipywidgets, which may be missing."""

    def show(self, models: Sequence[ModelState], waits_for: str, /) -> None:
        """Write the line in place of the one before."""
        super().show(models, waits_for)
        print(f"\r{self._bar.tasks[0].fields['far']}  {self._text()}", end="", file=sys.stderr, flush=True)

    def say(self, text: str, /, *, alarm: bool = False) -> None:  # noqa: ARG002
        """Print a line, which stays."""
        print(f"\nantemill: {text}", file=sys.stderr, flush=True)


def is_notebook() -> bool:
    """Whether this process is a notebook's kernel."""
    python = sys.modules.get("IPython")
    return python is not None and hasattr(python.get_ipython(), "kernel")


@contextmanager
def run_display(
    name: str, counts: Counts, spent: tuple[float, float], size: RunSize, quiet: bool = False
) -> Iterator[Display]:
    """The bar and its lines in a notebook or a terminal, only sentences elsewhere, nothing if quiet.

    counts, spent: of earlier sessions; spent has the dollars for answers, and those possibly charged without one.
    """
    in_notebook = not quiet and is_notebook()
    if not in_notebook and not is_watched(quiet):
        yield Silent(quiet)
        return
    from rich.live import Live
    from rich.progress import TextColumn

    done, fields = TextColumn("{task.fields[far]}", style="progress.download"), TextColumn("{task.fields[what]}")
    bar = terminal_bar(done, fields)
    if in_notebook:
        yield Notebook(bar, name, counts, spent, size)
        return
    terminal = Terminal(bar, name, counts, spent, size)
    with Live(terminal, console=bar.console, refresh_per_second=_FRAMES, transient=True):
        yield terminal


@contextmanager
def waiting(text: str, quiet: bool = False) -> Iterator[None]:
    """Show on a terminal what the program waits for."""
    if not is_watched(quiet):
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(text):
        yield


def _line(state: ModelState) -> str:
    parts = [doing(state), dollar_text(state.cost, 2)]
    parts += [possible(state.possible, state.possible_attempts), failures(state.errors, state.last_error)]
    return f"{state.name}: {' · '.join(filter(None, parts))}"
