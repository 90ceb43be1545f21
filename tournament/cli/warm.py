"""`antemill warm`: everything is compiled before it is needed, for an image of a container or for the nodes of a
cluster."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from antemill.engine.errors import AntemillError
from antemill.engine.execute import Job, beside, progress_bar
from antemill.engine.execute.progress import Progress
from antemill.engine.kernel_cache import cache_dir, kept_kernels
from antemill.engine.kernel_plain import compiled_at_once
from antemill.solver.algorithms.table import ALGORITHMS
from antemill.tournament.cli.arguments import AsJson
from antemill.tournament.cli.output import print_json, say
from antemill.tournament.cli.warm_calls import CALLS
from antemill.tournament.pool.warm import warm_kernels

# Commands that run all kernels, on games as small as possible. {} is a folder for files, which the commands of a group
# read that follow.
_GROUPS: Final = (
    ("game show leduc",),
    ("game show kuhn --tier fast",),
    ("game show kuhn --tier exact", "game show starter-5 --tier exact"),
    ("game export kuhn -o {}/kuhn.efg", "solve {}/kuhn.efg"),
    ("solve kuhn -o {}/kuhn.parquet", "game compare kuhn --player l1 --against {}/kuhn.parquet --aivat"),
    *((f"solve kuhn --iterations 20 --algorithm {name}",) for name in ALGORITHMS),
    *((f"solve starter-1 --abstraction {name} --iterations 20",) for name in ("default", "fine")),
    (
        "solve kuhn --abstraction default --algorithm mccfr --iterations 20 -o {}/sampled.parquet",
        "solve kuhn --policy {}/sampled.parquet",
        "game compare kuhn --player mixed --against {}/sampled.parquet --aivat",
    ),
    *(
        (
            f"solve {game} --abstraction {name} --iterations 1 -o {{}}/{name}.parquet",
            f"game play {game} --alice {{}}/{name}.parquet --bob random --matches 20",
        )
        for name, game in (("default", "starter-5"), ("fine", "kuhn"))
    ),
    ("game play kuhn --alice cfr --bob best --matches 2",),
    ("game play kuhn --alice aggressive --bob random --matches 2",),
)


class WarmError(AntemillError):
    """Something could not be compiled; the text says what."""


def warm(*, json: AsJson = False) -> None:
    """Compile all kernels beforehand.

    For the image of a container, or the nodes of a cluster. It takes two processors about a minute, and a second with a
    warm cache. ANTEMILL_CACHE names the folder of the
    cache. Machine code is for one kind of processor: build the image on the kind that will run it. In JSON: folder,
    kernels, compiled, seconds.
    """
    begun, before = time.monotonic(), kept_kernels()
    with progress_bar("compiling", len(_works())) as bar, beside(Job("the other end", 0, compile_backwards)):
        _compile(_works(), bar)
    kernels, seconds = kept_kernels(), time.monotonic() - begun
    if json:
        figures = {"kernels": kernels, "compiled": kernels - before, "seconds": round(seconds, 1)}
        print_json({"folder": str(cache_dir()), **figures})
        return
    say(f"{kernels:,} kernels in {cache_dir()}, {kernels - before:,} of them new ({seconds:.0f} s).")


def compile_backwards(_seed: int) -> None:
    """The job of the process beside this one: compile the same from the other end, so that both meet in the middle."""
    _compile(_works()[::-1])


def _works() -> Sequence[Callable[[Path], object]]:
    return [lambda _: warm_kernels(), *(partial(_commands, group) for group in _GROUPS), *CALLS]


def _compile(works: Sequence[Callable[[Path], object]], progress: Progress = lambda *_: None) -> None:
    with compiled_at_once(), _folder() as folder:
        for number, work in enumerate(works, 1):
            work(folder)
            progress(number, None)


@contextmanager
def _folder() -> Iterator[Path]:
    """A folder for the files of the commands; what they print is discarded."""
    with TemporaryDirectory(prefix="antemill-warm-") as folder, open(os.devnull, "w") as null, redirect_stdout(null):
        yield Path(folder)


def _commands(group: Sequence[str], folder: Path) -> None:
    from antemill.tournament.cli.entry import run

    for command in group:
        if code := run(command.format(folder).split()):
            raise WarmError(f"`antemill {command}` ended with {code}.")
