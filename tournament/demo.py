"""A run of every kind with scripted players, and their pages, without a model.

Each is an ordinary run in a folder beside its configuration. It can be analysed and resumed, and its configuration can
be copied.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct

from antemill.engine.errors import AntemillError, StorageError
from antemill.engine.execute import Job, beside
from antemill.engine.storage.files import write_text
from antemill.tournament.kinds import KINDS, RunKind
from antemill.tournament.report.folder_page import page_of
from antemill.tournament.runs import Kind, start_run
from antemill.tournament.runs.analyze import analyze
from antemill.tournament.templates import read


class Shown(Struct, frozen=True):
    """One run of the demonstration. what: its kind; folder: of the run; page: its report."""

    what: str
    folder: Path
    page: Path


def run_demo(out: Path, quiet: bool = False) -> Iterator[Shown]:
    """Run all of them below a folder, or continue them; each is yielded when its page is written. The first ones need
    no kernels, which another process compiles meanwhile.

    Raises StorageError or UsageError, which says how to continue if something is finished. Otherwise an exception
    leaves nothing behind.
    """
    with _cleared_unless_begun(out), beside(Job("kernels", 0, compile_kernels)):
        out.mkdir(parents=True, exist_ok=True)
        for what in _KINDS:
            yield _run(what, out, quiet)


def compile_kernels(_seed: int) -> None:
    """The job of a process beside this one: compile the kernels that play and score card games, if the cache lacks
    them."""
    from antemill.tournament.pool.warm import warm_kernels

    warm_kernels()


@contextmanager
def _cleared_unless_begun(out: Path) -> Iterator[None]:
    """After an exception, remove the configurations that have no run, and the folder if it is new and empty."""
    new = [folder for folder in (out, *out.parents) if not folder.exists()]
    ours = [out / f"{what}.toml" for what in _KINDS if not (out / f"{what}.toml").exists()]
    begun = [config.with_suffix("") for config in ours if not config.with_suffix("").exists()]
    try:
        yield
    except BaseException as error:
        for config in ours:
            if not config.with_suffix("").exists():
                config.unlink(missing_ok=True)
        for folder in new:
            with suppress(OSError):  # it is not empty, or it was never made
                folder.rmdir()
        if isinstance(error, AntemillError) and any(folder.exists() for folder in begun):
            again = shlex.join(["antemill", "demo", "--out", str(out)])
            error.args = (f"{str(error).rstrip('.')}; what was finished is kept: `{again}` goes on.",)
        raise


def _run(what: str, out: Path, quiet: bool) -> Shown:
    text, made = _KINDS[what]
    config, folder = out / f"{what}.toml", out / what
    if not config.exists():
        write_text(config, text)
    of = made()
    with of.opened() as kind, start_run(kind, config, folder) as session:
        session.run(quiet)
    analyze(of, [folder], folder)
    found, page = page_of(folder)
    if found != what:
        raise StorageError(f"{folder} holds a run of another kind: name another folder with --out.")
    write_text(folder / "report.html", page)
    return Shown(what, folder, folder / "report.html")


def demo_text(kind: RunKind) -> str:
    """The configuration of a kind's demonstration, with the players of four grades unless it names others."""
    text = kind.text("demo.toml")
    return text if "[players." in text else text + read("grades")


def _made(kind: RunKind) -> Kind[Any, Any]:
    found: Kind[Any, Any] = kind.kind
    return found


_KINDS = {
    kind.name: (demo_text(kind), partial(_made, kind)) for kind in sorted(KINDS.values(), key=lambda one: one.demo)
}
