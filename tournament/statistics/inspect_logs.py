"""Logs of Inspect as tables of results: those of `inspect eval antemill/cards` and `antemill/duel`.

A row is a sample that was scored. Columns: `game`, `run` (the play seed, or the number of the duel), `alice`, `bob`
(the evaluated model and its opponent), `margin` (what Alice, or the first proposer, is better by). In cards the margin
is the payoff after AIVAT if every sample has it, else the payoff.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from antemill.engine.errors import UsageError

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

TASKS = ("antemill/cards", "antemill/duel")


def read_log(path: Path) -> pa.Table:
    """The results of a log. Raises UsageError for another file, a log of another task, or one without a scored
    sample."""
    try:
        from inspect_ai.log import read_eval_log
    except ModuleNotFoundError as error:
        raise UsageError("logs of Inspect need inspect-ai: install antemill[inspect].") from error
    try:
        log = read_eval_log(str(path))
    except (ValueError, KeyError, OSError, zipfile.BadZipFile) as error:
        raise UsageError(f"{path} is no log of Inspect that can be read: give one of `inspect eval`.") from error
    if log.eval.task not in TASKS:
        raise UsageError(f"{path} is a log of the task {log.eval.task}: give one of {' or '.join(TASKS)}.")
    samples = [sample for sample in log.samples or () if sample.scores and sample.error is None]
    if not samples:
        raise UsageError(f"{path} has no sample that was scored: give a log with results.")
    names = _names(log)
    known = all("aivat" in (sample.scores or {}) for sample in samples)
    return pa.Table.from_pylist([_row(sample, names, "aivat" if known else "chips") for sample in samples])


def _names(log: EvalLog) -> tuple[str, str]:
    """Of the evaluated model, and of its opponent."""
    own, other = log.eval.model, str((log.eval.metadata or {}).get("opponent", "opponent"))
    role: Any = (log.eval.model_roles or {}).get("opponent")
    if role is not None and other == "model":
        other = role.model
    return own, f"{other} (opponent)" if other == own else other


def _row(sample: EvalSample, names: tuple[str, str], figure: str) -> Mapping[str, Any]:
    about, scores = sample.metadata, sample.scores or {}
    if "seat" in about:
        game, run, second, value = about["game"], about["play_seed"], about["seat"] != "Alice", scores[figure].value
    else:
        game, run, second, value = "duel", str(sample.id), bool(about["place"]), scores["margin"].value
    alice, bob = names[::-1] if second else names
    assert isinstance(value, int | float)
    return {
        "game": game,
        "run": f"{run}/{sample.epoch}",
        "alice": alice,
        "bob": bob,
        "margin": -value if second else value,
    }
