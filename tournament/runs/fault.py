"""Decides by the results of other prompts whether a doubtful failure is the item's fault or the model's.

An unexplained refusal of a request (a 4xx, or a failed status inside a success) concerns either one prompt or all
prompts of the model. The item waits as a suspect until that is known:

    another prompt of the model is answered       the suspects are at fault: they are discarded
    several prompts in a row fail, none succeeds  no new item of the model begins; after a pause single items from the
                                                  far end of the plan are tried, then the run stops, and suspects stay
                                                  planned: the model is at fault
    no other prompt is left to ask                if the model has ever answered, the suspects are at fault if they are
                                                  few, or if they have stopped the run before; else one is asked again
                                                  after the pause, and then the run stops

A prompt that has failed in that way is not sent again within a session, not even for another item.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Collection

import msgspec
from msgspec import Struct, field

from antemill.llm import CallError, Request, SpendLimitError
from antemill.tournament.runs.kind import Record

SEVERAL = 3  # different prompts in a row
PROBES = 3  # items that are tried after the pause before the run stops


class Suspicion(Struct):
    """The suspects and failed prompts of one model."""

    suspects: list[tuple[Record, CallError]] = []
    prompts: set[str] = field(default_factory=set)  # those that failed after the last answer
    cleared: bool = False  # whether another prompt was answered after the last failure
    paused_until: float | None = None  # until then no item begins, afterwards only probes do
    probes: int = 0


class Faults:
    """The suspicions of one session. answered: models that have answered in an earlier session."""

    def __init__(self, answered: Collection[str] = ()) -> None:
        self._answered = set(answered)
        self._known: dict[tuple[str, str], CallError] = {}
        self._models: dict[str, Suspicion] = {}
        self._guilty: list[tuple[Record, CallError]] = []

    def known(self, model: str, request: Request) -> CallError | None:
        """The error with which a prompt has failed before, or None."""
        found = self._known.get((model, prompt_of(request)))
        return None if found is None else copy.copy(found)

    def failed(self, model: str, request: Request, error: CallError) -> None:
        """A prompt has failed, through its own fault or the model's."""
        prompt = prompt_of(request)
        self._known[model, prompt] = error
        one = self._of(model)
        one.prompts.add(prompt)
        one.cleared = False

    def answered(self, model: str) -> bool:
        """A prompt was answered. Returns whether that shows suspects to be at fault."""
        self._answered.add(model)
        if (one := self._models.get(model)) is None:
            return False
        one.prompts.clear()
        one.cleared, one.paused_until, one.probes = True, None, 0
        found, one.suspects = one.suspects, []
        self._guilty += found
        return bool(found)

    def suspect(self, model: str, record: Record, error: CallError) -> None:
        """An item has ended with such a failure."""
        one = self._of(model)
        (self._guilty if one.cleared else one.suspects).append((record, error))

    def guilty(self) -> list[tuple[Record, CallError]]:
        """Take the items that are at fault themselves."""
        found, self._guilty = self._guilty, []
        return found

    def pausing(self, now: float, pause: float) -> dict[str, Suspicion]:
        """The models for which no new item may begin, by name. Several failed prompts of a model begin a pause."""
        for one in self._models.values():
            if one.paused_until is None and one.suspects and len(one.prompts) >= SEVERAL:
                one.paused_until = now + pause
        return {name: one for name, one in self._models.items() if one.suspects and one.paused_until is not None}

    def last(self, model: str, now: float, pause: float) -> list[tuple[Record, CallError]]:
        """Take the suspects that are at fault, as no other prompt is left. If that is uncertain, the model pauses."""
        one = self._of(model)
        before = all(record.attempts for record, _ in one.suspects)
        spent = any(isinstance(error, SpendLimitError) for _, error in one.suspects)  # then other prompts have to tell
        if not spent and model in self._answered and (len(one.prompts) < SEVERAL or before):
            found, one.suspects = one.suspects, []
            one.prompts.clear()
            return found
        if one.paused_until is None:
            one.paused_until = now + pause
        return []

    def again(self, model: str) -> Record | None:
        """Take a suspect to ask again, as the only probe that is left."""
        one = self._of(model)
        if not one.suspects:
            return None
        record, _error = one.suspects.pop(0)
        self._known = {key: known for key, known in self._known.items() if key[0] != model}
        one.probes = PROBES  # the same prompt is asked only once more
        return record

    def suspected(self) -> list[str]:
        """Models with suspects."""
        return [name for name, one in self._models.items() if one.suspects]

    def _of(self, model: str) -> Suspicion:
        return self._models.setdefault(model, Suspicion())


def prompt_of(request: Request) -> str:
    """The identity of a prompt: a hash of all that is sent of a request, without the number of its sample."""
    sent = (request.messages, request.schema, request.wide_schema, request.temperature, request.max_output)
    return hashlib.sha256(msgspec.json.encode(sent)).hexdigest()
