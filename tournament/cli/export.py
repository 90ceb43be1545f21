"""`antemill game export`: a game for other programs."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated, Any, TextIO

import msgspec
from cyclopts import Parameter

from antemill.engine.builder.resolve import resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import UsageError
from antemill.engine.rules.spec import GameSpec, to_json
from antemill.engine.storage.files import atomic_path
from antemill.engine.text.efg import NODE_LIMIT, write_efg
from antemill.tournament.cli.arguments import AsJson, Game
from antemill.tournament.cli.output import console, print_json

FORMATS = ("efg", "json")


def export(
    name: Game,
    *,
    form: Annotated[str, Parameter(name="--format", help="efg (the whole tree) or json (the rules).")],
    output: Annotated[Path | None, Parameter(name=["--output", "-o"], help="The file; stdout if not given.")] = None,
    limit: Annotated[int, Parameter(help="The largest tree to write, in nodes.")] = NODE_LIMIT,
    json: AsJson = False,
) -> None:
    """`game export`. Without a file the text goes to stdout; with --json it becomes part of the document."""
    if form not in FORMATS:
        raise UsageError(f"there is no format '{form}': use {' or '.join(FORMATS)}.")
    spec = resolve(name)
    if output is None and not json:
        _write(spec, form, limit, sys.stdout)
        return
    document: dict[str, Any] = {"game": spec.name, "format": form, "output": None if output is None else str(output)}
    if output is None:
        text = io.StringIO()
        document |= _write(spec, form, limit, text) | {"text": text.getvalue()}
    else:
        with atomic_path(output) as path, open(path, "w", encoding="utf-8") as file:
            document |= _write(spec, form, limit, file)
    if json:
        print_json(document)
        return
    size = f", {document['nodes']:,} nodes" if "nodes" in document else ""
    console().print(f"{spec.name} written to {output}{size}", soft_wrap=True)


def _write(spec: GameSpec, form: str, limit: int, out: TextIO) -> dict[str, Any]:
    """Write the game; returns what the JSON document says of it."""
    if form == "json":
        out.write(msgspec.json.format(to_json(spec), indent=2).decode() + "\n")
        return {}
    written = write_efg(compile_spec(spec), out, limit)
    sets = dict(zip(("alice", "bob"), written.information_sets, strict=True))
    return written._asdict() | {"information_sets": sets}
