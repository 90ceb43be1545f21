"""The commands that make pages: `report`, `view` and `play`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from antemill.tournament.cli.arguments import AsJson, Dollars
from antemill.tournament.cli.output import print_json, say


def report(
    run: Path,
    *,
    output: Annotated[
        str | None,
        Parameter(
            name=["--output", "-o"],
            help="The page, or, with a slash at its end, a folder with the page and all items as files for any web "
            "server. [default: DIR/report.html]",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """One self-contained page of a run or of a pool.

    antemill report out
    antemill report cup -o site/

    Args:
        run: What `run`, `pool build`, `start` or `eval` has made.
    """
    from antemill.engine.storage.files import write_text
    from antemill.tournament.report.folder_page import page_of, write_site

    path = Path(output or run / "report.html")
    if output is not None and (output.endswith("/") or path.is_dir()):
        kind, path = write_site(run, path), path / "index.html"
    else:
        kind, text = page_of(run)
        write_text(path, text)
    if json:
        print_json({"kind": kind, "report": str(path), "bytes": path.stat().st_size})
    else:
        say(f"{path} is written ({kind}).")


_Port = Annotated[int, Parameter(help="The port; 0 for any free one.")]


def view(
    run: list[Path],
    /,
    *,
    host: str = "127.0.0.1",
    port: _Port = 8484,
    json: AsJson = False,
) -> None:
    """Finished and running runs as a live page in the browser.

    Every match, duel and question with its prompts, replies and reasoning; lists that are narrowed down and sorted;
    several runs side by side, with a leaderboard over them. The page is updated as items are finished, even if a run is
    stopped and continued. Nothing is changed. In a terminal the browser is opened. Ctrl-C ends it. `antemill report`
    makes a file that can be sent.

        antemill view cup
        antemill view cup duels skate

    Args:
        run: The folders of finished or running runs; several are shown side by side.
        host: The address to listen at. By default only this machine can reach the page.
    """
    from antemill.tournament.view.guard import is_loopback
    from antemill.tournament.view.serve import view as serve

    def began(url: str, runs: list[dict[str, Any]]) -> None:
        if not is_loopback(host):
            print(
                f"antemill: anyone who can reach {host} can read these runs, with every prompt and reply: there is "
                "no password and no encryption.",
                file=sys.stderr,
            )
        for one in runs:
            if one["problem"]:
                print(f"antemill: {one['problem']}", file=sys.stderr)
        names = ", ".join(f"{one['title']} ({one['stands']})" for one in runs if not one["problem"])
        _began(url, [f"{names}: {url}" if names else url, "Ctrl-C ends it."], {"url": url, "runs": runs}, json)

    serve(run, host, port, began)


def play(
    games: list[str] | None = None,
    /,
    *,
    folder: Path = Path("hands"),
    name: str = "you",
    policy: tuple[Path, ...] = (),
    budget: Dollars = None,
    port: _Port = 8585,
    json: AsJson = False,
) -> None:
    """A table in the browser: against bots, policies, models.

    Choose a game by name, by seed or by its place among the axes, read its rulebook, and take either seat. After each
    hand the solver shows what it would have done and what your choices gave away. Beside your score stands an estimate
    of it without luck. Hands are kept in a folder that `analyze`, `view` and `report` read like any tournament, with
    you as one of its players. The models of models.toml can be opponents. Only this machine can reach the page. Ctrl-C
    ends it; an unfinished hand continues the next time.

        antemill play
        antemill play --folder evening --name ada
        antemill play my-rules.json --policy out/policies

    Args:
        games: More games to choose from: SEED, SEED@COMPLEXITY or a .json file with rules.
        folder: The folder in which hands are kept; an existing one continues.
        name: Your name in the folder of hands.
        policy: A saved policy as an opponent, or a folder of them.
    """
    from antemill.engine.errors import UsageError
    from antemill.llm import LLMError, read_models
    from antemill.tournament.cards.config import check_player_name
    from antemill.tournament.cli.runs import require_budget
    from antemill.tournament.play.asking import Asking
    from antemill.tournament.play.games import GameList
    from antemill.tournament.play.kept import Kept
    from antemill.tournament.play.opponents import Opponents
    from antemill.tournament.play.server import play as serve

    try:
        check_player_name(name)
    except ValueError as error:
        raise UsageError(f"{error}.") from error
    require_budget(budget)
    listed = Path("models.toml")
    try:
        entries = read_models(listed) if listed.exists() else {}
    except LLMError as error:
        raise UsageError(f"{str(error).rstrip('.')}.") from error

    def began(url: str) -> None:
        lines = [f"The table is at {url}", f"Hands are kept in {folder}. Ctrl-C ends it."]
        _began(url, lines, {"url": url, "folder": str(folder)}, json)

    with Kept(folder) as kept:

        def asking() -> Asking:
            def begun() -> None:
                if listed.exists():
                    kept.save_models(listed.read_bytes())

            return Asking(entries, kept.folder, begun, budget)

        serve(kept, GameList(games or ()), Opponents(policy, entries), name, asking, port, began)


def _began(url: str, lines: list[str], document: dict[str, Any], json: bool) -> None:
    """Say where a page is, and open it where a person sits at a terminal."""
    from antemill.tournament.view.serve import open_browser

    if json:
        print_json(document)
    for line in () if json else lines:
        say(line)
    sys.stdout.flush()
    if not json and sys.stdout.isatty():
        open_browser(url)
