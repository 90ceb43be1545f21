"""`antemill demo`: all kinds of runs with scripted players. `antemill init`: annotated configurations."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from antemill.tournament.cli.arguments import AsJson
from antemill.tournament.cli.output import print_json, print_next, say
from antemill.tournament.demo import run_demo
from antemill.tournament.kinds import KINDS
from antemill.tournament.templates import write_rules, write_templates

if TYPE_CHECKING:
    KindName = str
else:
    KindName = Literal[(*KINDS, "game")]


def demo(
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"], help="The folder for everything.")] = Path("demo"),
    json: AsJson = False,
) -> None:
    """A run and a page of each kind, without a model.

    It needs no model and no key, and takes about a minute. The page of each is named as soon as it is written; the
    first two need no kernels, which are compiled meanwhile. The configurations are left beside the runs, to be changed
    and started again.
    """
    start, shown = time.perf_counter(), []
    for one in run_demo(out, quiet=json):
        shown.append(one)
        if not json:
            seconds = time.perf_counter() - start
            say(f"{one.what}: {one.page} is written ({seconds:.1f} s).")
    seconds = time.perf_counter() - start
    if json:
        runs = {one.what: {"folder": str(one.folder), "report": str(one.page)} for one in shown}
        print_json({"runs": runs, "seconds": seconds})
        return
    say("Open the pages in a browser.")
    print_next("antemill", "analyze", shown[-1].folder)


def init(
    kind: KindName,
    file: Path | None = None,
    *,
    json: AsJson = False,
) -> None:
    """An annotated configuration, and a list of models beside it.

    It has every key with its default and what it means, and runs as it is, with scripted players; replace them by your
    models. For a game: the rules of a small one as JSON, to be changed and checked.

        antemill init tournament
        antemill init duel duels.toml

    Args:
        kind: What the configuration is for.
        file: The file to write.
    """
    file = file or Path("game.json" if kind == "game" else f"{kind}.toml")
    written = write_rules(file) if kind == "game" else write_templates(kind, file)
    if json:
        print_json({"written": list(map(str, written))})
        return
    for path in written:
        say(f"{path} is written.")
    if kind == "game":
        print_next("antemill", "game", "check", file)
    else:
        print_next("antemill", "start", file, "--out", file.with_suffix(""))
