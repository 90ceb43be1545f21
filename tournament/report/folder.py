"""The page of whatever is in a folder: a pool, a tournament, duels, or a game of SKATE."""

from __future__ import annotations

from pathlib import Path


def page_of(folder: Path) -> tuple[str, str]:
    """What the folder holds, and its page. Raises StorageError if it holds nothing to report."""
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
