"""`antemill models`: the list of models, and whether they can be reached."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tournament.cli.app import AsJson

if TYPE_CHECKING:
    from llm import Reach

ModelFile = Annotated[Path, Parameter(help="The list of models.")]
Only = Annotated[str | None, Parameter(help="Models to check, separated by commas; all if not given.")]


def check(file: ModelFile = Path("models.toml"), *, only: Only = None, json: AsJson = False) -> None:
    """`models check`."""
    from engine.errors import UsageError
    from llm import CallStore, LLMError, check_models, read_models
    from tournament.cli.output import print_json, print_table

    try:
        models = read_models(file)
    except LLMError as error:
        raise UsageError(str(error)) from error
    if not models:
        raise UsageError(f"{file} names no model: add a table such as [gpt] (docs/models.md lists its keys).")
    names = list(models) if only is None else [name.strip() for name in only.split(",")]
    if missing := [name for name in names if name not in models]:
        raise UsageError(f"{file} has no model '{missing[0]}': it has {', '.join(models) or 'none'}.")
    with CallStore(":memory:") as store:
        found = asyncio.run(check_models([models[name] for name in names], store))
    if json:
        print_json({"models": found})
    else:
        rows = [(one.name, "yes" if one.reachable else "no", one.reason, f"{one.seconds:.1f}") for one in found]
        print_table("", ("model", "reachable", "why", "seconds"), rows, texts=3)
    _require_all(found)


def _require_all(found: Sequence[Reach]) -> None:
    """Raise UsageError unless all can be reached."""
    from engine.errors import UsageError

    if unreachable := [one for one in found if not one.reachable]:
        names = ", ".join(one.name for one in unreachable)
        advice = "; ".join(f"{one.name}: {one.advice}" for one in unreachable)
        raise UsageError(f"{len(unreachable)} of {len(found)} models can not be used ({names}); {advice}.")
