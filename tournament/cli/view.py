"""`antemill view`: runs as a page on this machine, live."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from antemill.tournament.cli.arguments import AsJson

Folders = Annotated[
    list[Path],
    Parameter(
        help="The folders of finished or running runs; several are shown side by side.", negative="", show_default=False
    ),
]
Host = Annotated[str, Parameter(help="The address to listen at. By default only this machine can reach the page.")]
Port = Annotated[int, Parameter(help="The port; 0 for any free one.")]
Open = Annotated[bool | None, Parameter(help="Open the page in the browser. [default: if the output is a terminal]")]


def view(
    folder: Folders, /, *, host: Host = "127.0.0.1", port: Port = 8484, open: Open = None, json: AsJson = False
) -> None:
    """`view`."""
    from antemill.tournament.cli.output import console, print_json
    from antemill.tournament.view.guard import is_loopback
    from antemill.tournament.view.serve import open_browser
    from antemill.tournament.view.serve import view as serve

    def began(url: str, runs: list[dict[str, Any]]) -> None:
        if not is_loopback(host):
            print(
                f"antemill: anyone who can reach {host} can read these runs, with every prompt and reply: there is "
                "no password and no encryption.",
                file=sys.stderr,
            )
        for run in runs:
            if run["problem"]:
                print(f"antemill: {run['problem']}", file=sys.stderr)
        if json:
            print_json({"url": url, "runs": runs})
        else:
            read = [run for run in runs if not run["problem"]]
            names = ", ".join(f"{run['title']} ({run['stands']})" for run in read)
            console().print(f"{names}: {url}" if names else url, soft_wrap=True)
            console().print("Ctrl-C ends it.", soft_wrap=True)
        sys.stdout.flush()
        if open or (open is None and not json and sys.stdout.isatty()):
            open_browser(url)

    serve(folder, host, port, began)
