"""The page of a folder that holds a pool, or a run of any kind."""

from __future__ import annotations

import os
from pathlib import Path


def page_of(folder: str | os.PathLike[str]) -> tuple[str, str]:
    """The kind of what the folder holds, and its page. Raises StorageError if it holds nothing to report."""
    from antemill.engine.arguments import path as file_path
    from antemill.tournament.kinds import KINDS

    folder = file_path(folder, "folder")
    kind = _reported(folder)
    if kind in KINDS:
        from antemill.tournament.pages.run import report

        return kind, report(KINDS[kind].kind, [folder])
    from antemill.tournament.report.pool import report_of

    return kind, report_of(folder)


def write_site(folder: Path, site: Path) -> str:
    """Write the page of a folder as `index.html` into another, with all items of a run as files beside it.

    Returns the kind of what the folder holds. Raises as `page_of` does, and StorageError if nothing can be written.
    """
    from antemill.engine.storage.files import write_text
    from antemill.tournament.kinds import KINDS
    from antemill.tournament.pages.run import write_site as write_run

    kind = _reported(folder)
    if kind in KINDS:
        write_run(KINDS[kind].kind, folder, site)
    else:
        text = page_of(folder)[1]
        site.mkdir(parents=True, exist_ok=True)
        write_text(site / "index.html", text)
    return kind


def _reported(folder: Path) -> str:
    """The kind of what a folder holds."""
    from antemill.engine.errors import StorageError
    from antemill.tournament.kinds import KINDS

    kind = _kind(folder)
    if kind not in (*KINDS, "pool"):
        raise StorageError(
            f"there is nothing to report in {folder}: name a folder that `run`, `start` or `eval` has made."
        )
    return kind


def _kind(folder: Path) -> str:
    """The kind of what the folder holds; "" if it holds neither a run nor a pool."""
    from antemill.tournament.runs import RunFolder, RunStore

    database, kind = RunFolder(folder).database, ""
    if database.exists():
        with RunStore(database, read_only=True) as store:
            kind = store.meta()["kind"] if store.created else ""
    return "pool" if not kind and (folder / "pool.json").exists() else kind
