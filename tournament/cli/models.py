"""`antemill models`: the list of models, and whether they can be reached."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from antemill.tournament.cli.arguments import AsJson

if TYPE_CHECKING:
    from antemill.llm import Model, Reach
    from antemill.tournament.runs import Plan

ModelFile = Annotated[
    Path, Parameter(help="The list of models, or a run's configuration, whose models and other servers are checked.")
]


Ask = Annotated[
    bool,
    Parameter(
        negative="",
        help="Send each model one real question, which costs money. It has all options of the model's entry; for "
        "a configuration it is as long as the longest prompt.",
    ),
]


def check(file: ModelFile = Path("models.toml"), *, ask: Ask = False, json: AsJson = False) -> None:
    """Whether every model and server that a run needs can be used.

    antemill models check
    antemill models check models.toml --only sonnet,gpt --json
    antemill models check skate.toml
    """
    from antemill.llm import CallStore, ask_models
    from antemill.tournament.cli.output import print_json, print_table, say
    from antemill.tournament.runs.estimate import questions, too_long
    from antemill.tournament.runs.interrupts import run_async

    with ExitStack() as stack, CallStore(":memory:") as store:
        models, kind = _subjects(file, stack)
        subjects = [*models.values()]
        expected = () if kind is None else kind.estimate()
        if ask:
            found = run_async(ask_models(subjects, questions(subjects, expected), store))
        else:
            found = run_async(_checked(subjects, kind))
    unfit = too_long(expected, models)
    if json:
        print_json({"models": found, "too_long": unfit})
    else:
        rows = [(one.name, "yes" if one.reachable else "no", one.reason, f"{one.seconds:.1f}") for one in found]
        print_table("", ("model", "reachable", "why", "seconds"), rows, texts=3) if rows else say("No model is asked.")
        for one in unfit:
            say(one.sentence)
    _require_all(found)


def _subjects(file: Path, stack: ExitStack) -> tuple[dict[str, Model], Plan | None]:
    """The entries of a list of models; or those of a configuration, and its run."""
    from antemill.engine.errors import UsageError
    from antemill.llm import LLMError, read_models
    from antemill.tournament.kinds import KINDS
    from antemill.tournament.runs.config import configured_kind
    from antemill.tournament.runs.session import preview

    if (name := configured_kind(file)) is not None:
        found = preview(stack.enter_context(KINDS[name].kind.opened()), file)
        return found.models, found.kind
    try:
        models = read_models(file)
    except LLMError as error:
        raise UsageError(str(error)) from error
    if not models:
        raise UsageError(f"{file} names no model: add a table such as [gpt] (docs/runs.md lists its keys).")
    return models, None


async def _checked(models: Sequence[Model], kind: Plan | None) -> list[Reach]:
    from antemill.llm import list_models

    return [*await list_models(models), *(await kind.check() if kind is not None else ())]


def _require_all(found: Sequence[Reach]) -> None:
    """Raise UsageError unless all can be reached."""
    from antemill.engine.errors import UsageError
    from antemill.llm import advice_text

    if unreachable := [one for one in found if not one.reachable]:
        names = ", ".join(one.name for one in unreachable)
        sentence = f"{len(unreachable)} of {len(found)} cannot be used ({names}); {advice_text(unreachable)}."
        raise UsageError(sentence)
