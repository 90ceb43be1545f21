"""The page of whatever is in a folder: a pool, a tournament, duels, or a game of SKATE."""

from __future__ import annotations

from pathlib import Path


def page_of(folder: Path, prior: str = "none") -> tuple[str, str]:
    """What the folder holds, and its page. prior: of the ratings of duels, one of `bradley_terry.PRIORS`.

    Raises StorageError if it holds nothing to report, UsageError for a prior where nothing is rated with one.
    """
    from engine.errors import StorageError, UsageError

    kind = _kind(folder)
    if kind not in ("duel", "skate", "tournament", "pool"):
        raise StorageError(
            f"there is nothing to report in {folder}: name a folder that `run`, `tournament`, `duel` or `skate` has "
            "made."
        )
    if kind == "duel":
        from tournament.report.duels import duel_report

        return kind, duel_report(folder, prior=prior)
    if prior != "none":
        raise UsageError(f"{folder} holds no duels: leave --prior out.")
    if kind == "skate":
        from tournament.report.skates import skate_report

        return kind, skate_report(folder)
    if kind == "tournament":
        from tournament.report.cards import card_report

        return kind, card_report(folder)
    from tournament.report.run import report_of

    return kind, report_of(folder)


def _kind(folder: Path) -> str:
    """What the folder holds; "" if nothing is known of it."""
    from tournament.runs import RunFolder, RunStore

    database, kind = RunFolder(folder).database, ""
    if database.exists():
        store = RunStore(database, read_only=True)
        try:
            kind = store.meta()["kind"] if store.created else ""
        finally:
            store.close()
    return "pool" if not kind and (folder / "pool.json").exists() else kind
