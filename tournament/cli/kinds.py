"""The commands that every kind of runs has: `run`, `resume`, `status`."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from tournament.cli.arguments import Again, AsJson, Check, Config, Dollars, DryRun, Out, RunDir
from tournament.kinds import RunKind


class SharedCommand(Struct, frozen=True):
    """One of them, for one kind."""

    name: str
    function: Callable[..., None]
    help: str
    examples: tuple[str, ...]


def shared_commands(kind: RunKind) -> list[SharedCommand]:
    """What they do for a kind."""

    def run(
        config: Config, *, out: Out = None, dry_run: DryRun = False, check: Check = True, json: AsJson = False
    ) -> None:
        from tournament.cli import runs

        with kind.part("kind").run_type() as found:
            runs.run(found, config, out, dry_run, check, json)

    def resume(
        folder: RunDir, *, budget: Dollars = None, again: Again = False, check: Check = True, json: AsJson = False
    ) -> None:
        from tournament.cli import runs

        with kind.part("kind").run_type() as found:
            runs.resume(found, folder, budget, again, check, json)

    def status(folder: RunDir, *, json: AsJson = False) -> None:
        from tournament.cli import runs

        runs.status(kind.name, folder, json)

    it = kind.example
    begin = f"{kind.begin}: kill it whenever you like, the same command continues."
    show = f"Show what is done, what it cost and how long the rest will take; on a terminal it follows {kind.running}."
    go_on = f"Go on with {kind.whole} in a folder."
    return [
        SharedCommand("run", run, begin, (f"run {it}.toml --dry-run", f"run {it}.toml --out {it}")),
        SharedCommand("resume", resume, go_on, (f"resume {it}", f"resume {it} --budget 20")),
        SharedCommand("status", status, show, (f"status {it} --json",)),
    ]
