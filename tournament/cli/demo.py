"""`antemill demo`: all kinds of runs with scripted players. `antemill init`: annotated configurations."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from antemill.tournament.cli.arguments import AsJson, KindName
from antemill.tournament.cli.output import console, print_json, print_next
from antemill.tournament.demo import run_demo
from antemill.tournament.templates import write_templates


def demo(
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"], help="The folder for everything.")] = Path("demo"),
    json: AsJson = False,
) -> None:
    """`demo`."""
    start, shown = time.perf_counter(), []
    for one in run_demo(out, quiet=json):
        shown.append(one)
        if not json:
            seconds = time.perf_counter() - start
            console().print(f"{one.what}: {one.page} is written ({seconds:.1f} s).", soft_wrap=True)
    seconds = time.perf_counter() - start
    if json:
        runs = {one.what: {"folder": str(one.folder), "report": str(one.page)} for one in shown}
        print_json({"runs": runs, "seconds": seconds})
        return
    console().print("Open the pages in a browser.")
    print_next("antemill", shown[-1].what, "analyze", shown[-1].folder)


def init(
    kind: Annotated[KindName, Parameter(help="What the configuration is for.")],
    file: Annotated[Path | None, Parameter(help="The file to write.")] = None,
    *,
    json: AsJson = False,
) -> None:
    """`init`."""
    file = file or Path(f"{kind}.toml")
    written = write_templates(kind, file)
    if json:
        print_json({"written": list(map(str, written))})
        return
    for path in written:
        console().print(f"{path} is written.", soft_wrap=True)
    print_next("antemill", kind, "run", file, "--out", file.with_suffix(""))
