"""`antemill report`: the run or pool in a folder as one self-contained page, or as a folder for a web server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from antemill.tournament.cli.arguments import AsJson, Prior

Folder = Annotated[Path, Parameter(help="What `run`, `tournament`, `duel` or `skate` has made.", show_default=False)]
Output = Annotated[
    str | None,
    Parameter(
        name=["--output", "-o"],
        help="The page, or, with a slash at its end, a folder with the page and all items as files for any web server. "
        "[default: DIR/report.html]",
    ),
]


def report(folder: Folder, *, output: Output = None, prior: Prior = "none", json: AsJson = False) -> None:
    """`report`."""
    from antemill.engine.storage.files import write_text
    from antemill.tournament.cli.output import console, print_json
    from antemill.tournament.report.folder_page import page_of, write_site

    path = Path(output or folder / "report.html")
    if output is not None and (output.endswith("/") or path.is_dir()):
        kind, path = write_site(folder, path, prior), path / "index.html"
    else:
        kind, text = page_of(folder, prior)
        write_text(path, text)
    if json:
        print_json({"kind": kind, "report": str(path), "bytes": path.stat().st_size})
    else:
        console().print(f"{path} is written ({kind}).", soft_wrap=True)
