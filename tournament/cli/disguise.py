"""`antemill game disguise`: the same game under other names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from antemill.engine.public.games import disguise as disguised
from antemill.engine.rules.spec import to_json
from antemill.engine.storage.files import atomic_path
from antemill.engine.text.vocabulary import WORDS
from antemill.tournament.cli.arguments import AsJson, Game
from antemill.tournament.cli.output import console, print_json


def disguise(
    name: Game,
    *,
    seed: Annotated[int, Parameter(help="The seed of what is drawn: theme, ranks, order, seats.")] = 0,
    theme: Annotated[str | None, Parameter(help="harbour, orchard, observatory or bare; by default drawn.")] = None,
    seats: Annotated[
        bool,
        Parameter(
            negative="--keep-seats",
            help="Exchange seats in the rules, too; with --keep-seats in words only, so cards stay, as in runs.",
        ),
    ] = True,
    output: Annotated[
        Path | None, Parameter(name=["--output", "-o"], help="The file of its rules; stdout if not given.")
    ] = None,
    json: AsJson = False,
) -> None:
    """`game disguise`."""
    found = disguised(name, seed, theme, seats)
    rules = msgspec.json.format(to_json(found.game), indent=2).decode()
    if output is not None:
        with atomic_path(output) as path:
            path.write_text(rules + "\n", encoding="utf-8")
    if json:
        document = {"game": found.original.name, "disguise": found.game.name, "theme": found.theme, "seed": found.seed}
        document |= {"digest": found.digest, "changed": found.changed, "kept": found.kept, "scale": found.scale}
        document |= {"exchanged": found.exchanged, "turned": found.turned, "names": msgspec.to_builtins(found.names)}
        document["words"] = dict(zip(WORDS, found.words, strict=True))
        print_json(document | {"output": None if output is None else str(output), "rules": msgspec.json.decode(rules)})
        return
    if output is None:
        print(rules)
        return
    kept = f" Unchanged: {', '.join(found.kept)}." if found.kept else ""
    console().print(
        f"{found.original.name} in disguise written to {output} ({found.digest}). Changed: "
        f"{', '.join(found.changed)}.{kept}",
        soft_wrap=True,
        markup=False,
    )
