"""`antemill doctor DIR`: whether the folder of a run is undamaged."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from antemill.engine.errors import StorageError
from antemill.llm import dollar_text
from antemill.tournament.cli.output import console, print_json
from antemill.tournament.kinds import KINDS
from antemill.tournament.runs.health import Health, Kinds, examine

_SHOWN = 20  # problems


def check_run(folder: Path, as_json: bool) -> None:
    """Print what was found. Raises StorageError if something is damaged."""
    kinds = _kinds()
    found = examine(folder, kinds)
    if as_json:
        print_json(found)
    else:
        _print(found)
    if found.problems and found.running:
        raise StorageError(
            f"{folder} seems damaged ({found.problems[0]}), but a process is working on it: stop that process, then "
            "check again."
        )
    elif found.problems:
        raise StorageError(
            f"{folder} is damaged ({found.problems[0]}): put a copy of the folder back, or begin again elsewhere."
        )


def _kinds() -> Kinds:
    """The type of the configuration of each kind of runs."""
    with ExitStack() as stack:
        return {name: stack.enter_context(kind.part("kind").run_type()).config for name, kind in KINDS.items()}


def _print(found: Health) -> None:
    print_ = console().print
    for problem in found.problems[:_SHOWN]:
        print_(f"- {problem}", soft_wrap=True, markup=False)
    if len(found.problems) > _SHOWN:
        print_(f"- and {len(found.problems) - _SHOWN:,} more")
    print_(f"Whole: {found.items:,} finished items and {found.calls:,} calls for {dollar_text(found.dollars)}.")
    if found.damaged_items or found.damaged_calls:
        print_(f"Damaged: {found.damaged_items:,} items and {found.damaged_calls:,} calls.")
    if found.planned_anew:
        print_("The saved items are planned and played again, from the recorded calls.")
    if found.lost_dollars:
        print_(
            f"What is saved counts {dollar_text(found.lost_dollars)} of lost calls as spent, so a budget includes them."
        )
    if not found.problems:
        print_("All is well so far: a process is working on it." if found.running else "All is well.")
