"""`antemill play`: a table in the browser."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from antemill.tournament.cli.arguments import AsJson

Games = Annotated[
    list[str] | None,
    Parameter(help="More games to choose from: SEED, SEED@COMPLEXITY or a .json file with rules.", negative=""),
]
Folder = Annotated[Path, Parameter(help="The folder in which hands are kept; an existing one continues.")]
Name = Annotated[str, Parameter(help="Your name in the folder of hands.")]
Pool = Annotated[
    Path | None,
    Parameter(
        help="Games to choose by their axes: a scored pool, a folder of `antemill run`, or a benchmark. [default: "
        "a selection that comes with antemill]"
    ),
]
Policies = Annotated[
    tuple[Path, ...],
    Parameter(name="--policy", negative="", help="A saved policy as an opponent, or a folder of them."),
]
Models = Annotated[
    Path | None, Parameter(help="The list of models to play against. [default: models.toml, if it is there]")
]
Dollars = Annotated[float | None, Parameter(help="The most that all models may cost in this folder, in dollars.")]
Port = Annotated[int, Parameter(help="The port; 0 for any free one.")]
Open = Annotated[bool | None, Parameter(help="Open the page in the browser. [default: if the output is a terminal]")]


def play(
    games: Games = None,
    /,
    *,
    folder: Folder = Path("hands"),
    name: Name = "you",
    pool: Pool = None,
    policy: Policies = (),
    models: Models = None,
    budget: Dollars = None,
    port: Port = 8585,
    open: Open = None,
    json: AsJson = False,
) -> None:
    """`play`."""
    from antemill.engine.errors import UsageError
    from antemill.llm import LLMError, read_models
    from antemill.tournament.cards.config import check_player_name
    from antemill.tournament.cli.output import console, print_json
    from antemill.tournament.play.asking import Asking
    from antemill.tournament.play.games import GameList
    from antemill.tournament.play.kept import Kept
    from antemill.tournament.play.opponents import Opponents
    from antemill.tournament.play.server import play as serve
    from antemill.tournament.view.serve import open_browser

    try:
        check_player_name(name)
    except ValueError as error:
        raise UsageError(f"{error}.") from error
    if budget is not None and not 0 <= budget < float("inf"):
        raise UsageError(f"--budget is {budget:g} dollars: give a number of at least 0.")
    listed = models or (Path("models.toml") if Path("models.toml").exists() else None)
    try:
        entries = {} if listed is None else read_models(listed)
    except LLMError as error:
        raise UsageError(f"{str(error).rstrip('.')}.") from error

    def began(url: str) -> None:
        if json:
            print_json({"url": url, "folder": str(folder)})
        else:
            console().print(f"The table is at {url}", soft_wrap=True)
            console().print(f"Hands are kept in {folder}. Ctrl-C ends it.", soft_wrap=True)
        sys.stdout.flush()
        if open or (open is None and not json and sys.stdout.isatty()):
            open_browser(url)

    with Kept(folder) as kept:

        def asking() -> Asking:
            def begun() -> None:
                if listed is not None:
                    kept.save_models(listed.read_bytes())

            return Asking(entries, kept.folder, begun, budget)

        serve(kept, GameList(pool, games or ()), Opponents(policy, entries), name, asking, port, began)
