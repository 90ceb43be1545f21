"""`antemill report`: one self-contained page of the run or pool in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from antemill.tournament.cli.arguments import AsJson, Prior

Folder = Annotated[Path, Parameter(help="What `run`, `tournament`, `duel` or `skate` has made.", show_default=False)]
Output = Annotated[Path | None, Parameter(name=["--output", "-o"], help="The page. [default: DIR/report.html]")]


def report(folder: Folder, *, output: Output = None, prior: Prior = "none", json: AsJson = False) -> None:
    """`report`."""
    from antemill.engine.storage.files import write_text
    from antemill.tournament.cli.output import console, print_json
    from antemill.tournament.report.folder_page import page_of

    path = output or folder / "report.html"
    kind, text = page_of(folder, prior)
    write_text(path, text)
    if json:
        print_json({"kind": kind, "report": str(path), "bytes": len(text.encode())})
    else:
        console().print(f"{path} is written ({kind}).", soft_wrap=True)
