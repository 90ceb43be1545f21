"""Output prediction (S2 to S4, S10, S11): what does this program print? The sandbox knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from antemill.engine.execute.sandbox import CheckLimits, OutputCheck, Sandbox
from antemill.tournament.skate import prompts
from antemill.tournament.skate.prompts import Brief
from antemill.tournament.skate.replies import QUESTION_SCHEMA, distractors_reader, distractors_schema, read_question
from antemill.tournament.skate.tasks.task import Ask, Draft, InvalidQuestionError

DISTRACTORS = 9
_WHY = {"timeout": "it takes too long", "error": "it fails", "refused": "it is refused"}
LONGEST = 2_000  # our reading: characters of an output; more is no question of prediction


class Ran(Struct, frozen=True):
    """What a program did. problem: why it is not deterministic or did not end well, "" if it did. backend, python: who
    says so, with version and build.
    """

    stdout: str
    problem: str
    backend: str = ""
    python: str = ""


class Programs(Protocol):
    """Runs programs that may be hostile, each five times under conditions that differ."""

    async def run(self, code: str) -> Ran:
        """What a program prints when it is run."""
        ...


class SandboxPrograms:
    """Programs of setters, run in a sandbox (S3)."""

    def __init__(self, sandbox: Sandbox, limits: CheckLimits) -> None:
        self._sandbox = sandbox
        self._limits = limits

    async def run(self, code: str) -> Ran:
        """The program's output. Raises LostError, which stops the run, if the machine prevented a verdict."""
        found = await self._sandbox.check(OutputCheck(code, None, self._limits))
        why = f"{_WHY[found.verdict]}{f' ({found.detail})' if found.detail else ''}" if found.verdict != "true" else ""
        return Ran("" if why else found.stdout or "", why, found.backend, found.python)


class OutputPrediction:
    """The task of the paper: what does a program print?"""

    name = "output-prediction"

    def __init__(self, programs: Programs) -> None:
        self._programs = programs
        self.judged = {"backend": "", "python": ""}

    async def make(self, ask: Ask, brief: Brief) -> Draft:
        """The setter's program, asked for with the prompt of appendix F."""
        return Draft(*await ask(brief.prompt(), "question", read_question, QUESTION_SCHEMA))

    async def validate(self, draft: Draft) -> str:
        """What the program prints, less one line break at the end (S3)."""
        ran = await self._programs.run(draft.text)
        self.judged = {"backend": ran.backend, "python": ran.python}
        if ran.problem:
            raise InvalidQuestionError(f"not verifiable: {ran.problem}", draft.text)
        truth = ran.stdout.removesuffix("\n")
        if problem := _unfit(truth):
            raise InvalidQuestionError(f"not verifiable: {problem}", draft.text)
        return truth

    async def options(self, ask: Ask, draft: Draft, truth: str) -> list[str]:
        """Nine wrong answers of the setter's."""
        prompt = prompts.distractor_prompt(draft.text, truth, DISTRACTORS)
        return await ask(prompt, "distractors", distractors_reader(truth, DISTRACTORS), distractors_schema(DISTRACTORS))

    def prompt(self, text: str, options: Sequence[str]) -> str:
        """The program and its options."""
        return prompts.answer_prompt(text, options)


def _unfit(truth: str) -> str:
    if not truth.strip():
        return "the program prints nothing"
    if truth.strip() in ("True", "False"):
        return "the program prints a boolean"
    if len(truth) > LONGEST:
        return f"the program prints more than {LONGEST} characters"
    return ""
