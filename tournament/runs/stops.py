"""The reasons for which a run stops, as sentences."""

from __future__ import annotations

from antemill import llm
from antemill.engine.errors import AntemillError

KEPT = "what was finished is kept: `antemill start DIR` continues."


class RunStoppedError(AntemillError):
    """The run has stopped before its end. Finished items are kept."""


class RunStalledError(RunStoppedError):
    """The run cannot go on at present. Its own exit code lets a script wait and resume."""

    exit_code = 3


class BudgetStopError(RunStalledError):
    """The budget does not cover the next call. afresh: the sentence for a run of which nothing is kept."""

    def __init__(self, facts: str) -> None:
        resume = "raise the budget with `antemill start DIR --budget DOLLARS`"
        super().__init__(f"{facts}; {resume}; what was finished is kept.")
        self.afresh = f"{facts}; no call was made, so no run is kept: begin it again with a larger budget."


class InterruptedRunError(Exception):
    """A signal asks the run to stop. number: of the signal."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def stalled(what: str) -> RunStalledError:
    """The run cannot go on at present, for this reason."""
    return RunStalledError(f"{what}; {KEPT}")


def reason_for(error: BaseException) -> BaseException:
    """The reason for the stop, as one sentence. Other exceptions are errors of this program and stay as they are."""
    if isinstance(error, llm.BudgetExceededError):
        return BudgetStopError(error.facts)
    if isinstance(error, llm.CallError):
        return stalled(f"{sentence_of(error)}: {llm.advice_on(error)}")
    return RunStoppedError(f"{sentence_of(error)}; {KEPT}") if isinstance(error, llm.LLMError) else error


def sentence_of(error: Exception) -> str:
    """The error's text, to be continued."""
    return str(error).rstrip(".")
