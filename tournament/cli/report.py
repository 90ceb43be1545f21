"""`antemill report`: one self-contained page of whatever is in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tournament.cli.app import AsJson

Folder = Annotated[Path, Parameter(help="What `run`, `tournament`, `duel` or `skate` has made.", show_default=False)]
Output = Annotated[Path | None, Parameter(name=["--output", "-o"], help="The page. [default: DIR/report.html]")]


def report(folder: Folder, *, output: Output = None, json: AsJson = False) -> None:
    """`report`."""
    from engine.files import write_text
    from tournament.cli.output import console, print_json

    path = output or folder / "report.html"
    kind, text = _page(folder)
    write_text(path, text)
    if json:
        print_json({"kind": kind, "report": str(path), "bytes": len(text.encode())})
    else:
        console().print(f"{path} is written ({kind}).", soft_wrap=True)


def _page(folder: Path) -> tuple[str, str]:
    """What the folder holds, and its page."""
    from engine.errors import StorageError
    from tournament.runs import RunFolder, RunStore

    database = RunFolder(folder).database
    if database.exists():
        store = RunStore(database, read_only=True)
        try:
            kind = store.meta()["kind"] if store.created else ""
        finally:
            store.close()
        if kind == "duel":
            from tournament.report.duels import duel_report

            return kind, duel_report(folder)
        if kind == "skate":
            from tournament.report.skates import skate_report

            return kind, skate_report(folder)
        if kind == "tournament":
            from tournament.report.cards import card_report

            return kind, card_report(folder)
    if (folder / "pool.json").exists():
        from tournament.pipeline import report_of

        return "pool", report_of(folder)
    raise StorageError(
        f"there is nothing to report in {folder}: name a folder that `run`, `tournament`, `duel` or `skate` has made."
    )
