"""The state of a run in words: for the live lines, `status` and interruptions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from antemill.llm import ModelState, dollar_text


def served(names: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """A sentence for each model whose answers came under more than one name, provider or fingerprint."""
    return {
        f"{model} (served)": f"{model} was not one model throughout: its answers came from {', then '.join(those)}."
        for model, those in names.items()
        if len(those) > 1
    }


def duration(seconds: float) -> str:
    """A duration in a short form: "8 s", "95 s", "12 minutes", "3.5 hours"."""
    if seconds < 120:
        return f"{math.ceil(seconds)} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"


class RunSize(NamedTuple):
    """The number of a run's items. about: as far as known; sure: whether it is final, else more may follow."""

    about: int
    sure: bool


def extent(total: int | None, planned: int, expected: int) -> RunSize:
    """The size of a run with `total` items, or, if that is unknown, from the planned and the expected numbers."""
    return RunSize(max(total or expected, planned), total is not None)


def progress(done: int, ended: int, size: RunSize) -> str:
    """A run's progress: "7 of 12 (58.3%)", "2 of about 14", "14 so far, more may follow". ended: including discarded.

    A percentage is given only if the number of items is final.
    """
    if size.sure:
        return f"{done:,} of {size.about:,}" + (f" ({100 * done / size.about:.1f}%)" if size.about else "")
    return f"{done:,} of about {size.about:,}" if ended < size.about else f"{done:,} so far, more may follow"


def doing(state: ModelState) -> str:
    """The state of a model's calls: "8 in flight (the oldest for 12 s), 3 queued, 1 to try again in 5 s"."""
    parts = []
    if state.in_flight:
        parts.append(f"{state.in_flight} in flight (the oldest for {duration(state.oldest or 0)})")
    if state.queued:
        parts.append(f"{state.queued} queued")
    if state.retrying:
        parts.append(f"{state.retrying} to try again")
    if state.retry_in is not None:
        parts.append(f"retry in {duration(state.retry_in)}")
    return ", ".join(parts) or "idle"


def possible(dollars: float, attempts: int) -> str:
    """Money that a budget counts without an answer: "possibly charged, no answer: $4.97 in 53 attempts"."""
    if not attempts:
        return ""
    shown = dollar_text(dollars, 2 if dollars >= 1 else 4)
    return f"possibly charged, no answer: {shown} in {attempts:,} {'attempt' if attempts == 1 else 'attempts'}"


def assumed(dollars: float, answers: int) -> str:
    """The charge for answers without usable counts; "" if there are none."""
    if not answers:
        return ""
    what = "answer" if answers == 1 else "answers"
    return f"{answers:,} {what} without usable counts, charged the most that they can have cost: {dollar_text(dollars)}"


def failures(errors: dict[str, int], last: str) -> str:
    """Errors by kind, and the last message: "5 rate limited, 1 server; last: HTTP 503: overloaded"."""
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in errors.items())
    return f"{kinds}; last: {last}" if kinds and last else kinds


def waits(states: Sequence[ModelState], items: int) -> str:
    """The wait of a run, in words. items: in progress."""
    sent = [state for state in states if state.in_flight]
    if sent:
        oldest = max(state.oldest or 0.0 for state in sent)
        return f"{_answers(sent)}, the oldest for {duration(oldest)}"
    trying = [state for state in states if state.retry_in is not None]
    if trying:
        parts = [f"{state.name} in {duration(state.retry_in or 0)} ({state.last_error})" for state in trying]
        return f"another attempt: {', '.join(parts)}"
    queued = [state.name for state in states if state.queued]
    if queued:
        return f"its turn within the limits of {', '.join(queued)}"
    return f"{items:,} {'item' if items == 1 else 'items'} in progress; no model is called" if items else ""


def interrupted(states: Sequence[ModelState]) -> str:
    """The wait of an interrupted run, and its longest duration; "" if it waits for nothing."""
    sent = [state for state in states if state.in_flight]
    if not sent:
        return ""
    single = sum(state.in_flight for state in sent) == 1
    longest = duration(max(state.time_out_in or 0.0 for state in states))
    return (
        f"interrupted: waiting for {_answers(sent)}, {'which is' if single else 'which are'} paid for, {longest} at "
        f"most; another interruption drops {'it' if single else 'them'}."
    )


def _answers(sent: Sequence[ModelState]) -> str:
    number = sum(state.in_flight for state in sent)
    by = ", ".join(f"{state.name} {state.in_flight}" for state in sent)
    return f"{number:,} {'answer' if number == 1 else 'answers'} ({by})"
