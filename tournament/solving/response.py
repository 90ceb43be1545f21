"""The exact exploitability of saved policies by best responses without a tree, with a progress bar, resumable, and
saved in the policy's file.

Finished parts of a response are kept in a file beside the policy's, which is removed when the response is complete.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from antemill.engine.execute import default_workers
from antemill.engine.execute.progress import is_watched, terminal_bar
from antemill.engine.machine.program import Program
from antemill.solver.evaluation.tally import OnProgress, Streamed
from antemill.solver.policies.file import read_policy, write_policy
from antemill.solver.policies.solution import Solution
from antemill.solver.solving import respond

_PARTS = ".parts"  # after the name of the policy's file


def respond_to_file(
    path: Path, program: Program, limit: float, workers: int | None = None, quiet: bool = False
) -> Solution:
    """Compute the exact exploitability of the policy at `path`, and write it into that file.

    limit: nodes, by an estimate. workers: threads, by default one per processor. A stopped run continues. Raises
    UsageError if there are more nodes, StorageError.
    """
    saved, parts = read_policy(path, program), path.with_name(path.name + _PARTS)
    with response_bar(program.names.game, quiet) as on_progress:
        found = respond(program, saved, limit, workers or default_workers(), parts, on_progress)
    write_policy(path, found)
    parts.unlink(missing_ok=True)
    return found.solution


@contextmanager
def response_bar(title: str, quiet: bool = False) -> Iterator[OnProgress | None]:
    """A bar of the nodes of a response with the estimated time left, on stderr if that is a terminal."""
    if not is_watched(quiet):
        yield None
        return
    from rich.progress import TextColumn

    with terminal_bar(TextColumn("{task.percentage:>3.0f}% of about {task.fields[size]} nodes"), transient=True) as bar:
        task, earlier = bar.add_task(f"{title}: best responses", total=1.0, size="?"), 0

        def on_progress(now: Streamed) -> None:
            nonlocal earlier
            share = now.nodes / max(now.total, 1.0)  # of a fixed total: rich forgets the speed when that changes
            if now.earlier != earlier:  # the work of an earlier run does not count for the speed of this one
                earlier = now.earlier
                bar.reset(task, completed=share)  # type: ignore[arg-type]  # rich takes parts
            bar.update(task, completed=share, size=f"{now.total:.2g}")

        yield on_progress
