"""The commands that every kind of runs has: `run`, `resume`, `status`; `list`, `show`, `export`."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from antemill.tournament.cli import arguments as given
from antemill.tournament.kinds import RunKind


class SharedCommand(Struct, frozen=True):
    """One of these commands, for one kind."""

    name: str
    function: Callable[..., None]
    help: str
    examples: tuple[str, ...]


def shared_commands(kind: RunKind) -> list[SharedCommand]:
    """The functions of these commands, for a kind."""

    def run(
        config: given.Config,
        *,
        out: given.Out = None,
        dry_run: given.DryRun = False,
        check: given.Check = True,
        json: given.AsJson = False,
    ) -> None:
        from antemill.tournament.cli import runs

        with kind.part("kind").run_type() as found:
            runs.run(found, config, out, dry_run, check, json)

    def resume(
        folder: given.RunDir,
        *,
        budget: given.Dollars = None,
        again: given.Again = False,
        check: given.Check = True,
        json: given.AsJson = False,
    ) -> None:
        from antemill.tournament.cli import runs

        with kind.part("kind").run_type() as found:
            runs.resume(found, folder, budget, again, check, json)

    def status(folder: given.RunDir, *, json: given.AsJson = False) -> None:
        from antemill.tournament.cli import runs

        runs.status(kind.name, folder, json)

    def list_items(
        folder: given.RunDir,
        *,
        player: given.Players = (),
        what: given.What = "",
        about: given.About = "",
        outcome: given.Outcome = "",
        cause: given.Cause = "",
        conflict: given.Conflict = False,
        limit: given.Limit = 50,
        json: given.AsJson = False,
    ) -> None:
        from antemill.tournament.cli import browse
        from antemill.tournament.runs.browse import Filter

        wanted = Filter(players=player, what=what, about=about, outcome=outcome, cause=cause, conflict=conflict)
        browse.list_items(kind, folder, wanted, limit, json)

    def show(
        folder: given.RunDir,
        item: given.ItemKey,
        *,
        prompt: given.WithPrompt = False,
        reasoning: given.WithReasoning = False,
        raw: given.WithRaw = False,
        json: given.AsJson = False,
    ) -> None:
        from antemill.tournament.cli import browse

        browse.show_item(kind, folder, item, browse.Detail(prompt, reasoning, raw), json)

    def export(
        folder: given.RunDir,
        *,
        form: given.ExportFormat = "jsonl",
        output: given.ExportFile = None,
        player: given.Players = (),
        what: given.What = "",
        about: given.About = "",
        outcome: given.Outcome = "",
        cause: given.Cause = "",
        json: given.AsJson = False,
    ) -> None:
        from antemill.tournament.cli import browse
        from antemill.tournament.runs.browse import Filter

        wanted = Filter(players=player, what=what, about=about, outcome=outcome, cause=cause)
        browse.export_items(kind, folder, wanted, form, output, json)

    it = kind.example
    begin = (
        f"{kind.begin}: it can be killed at any time, and the same command continues.\n\n"
        "Everything runs in this process: it waits for many models at a time, and bots need little."
    )
    follow = f"Show what is done, what it cost and how long the rest will take; in a terminal, follow {kind.running}."
    listed = f"List {kind.items}: players, outcome, what went wrong, cost."
    shown = f"Print {kind.one}: every event, every question and what the models replied."
    exported = (
        "Write one line of JSON for each decision (messages as sent, reply, reasoning, tokens, dollars and outcome), "
        "or a log for Inspect's viewer."
    )
    go_on = f"Continue {kind.whole} in a folder."
    return [
        SharedCommand("run", run, begin, (f"run {it}.toml --dry-run", f"run {it}.toml --out {it}")),
        SharedCommand("resume", resume, go_on, (f"resume {it}", f"resume {it} --budget 20")),
        SharedCommand("status", status, follow, (f"status {it} --json",)),
        SharedCommand("list", list_items, listed, (f"list {it}", f"list {it} --player {kind.player}")),
        SharedCommand("show", show, shown, (f"show {it} {kind.item}", f"show {it} {kind.item} --prompt --reasoning")),
        SharedCommand(
            "export",
            export,
            exported,
            (
                f"export {it} -o said.jsonl",
                f"export {it} --what {kind.what}",
                f"export {it} --format inspect -o {it}.eval",
            ),
        ),
    ]
