"""A game's rules from its configuration: the task with its sandbox, the embedder, Algorithm 1's parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from antemill.engine.execute.sandbox import CheckLimits, OutputCheck, Sandbox, make_sandbox
from antemill.tournament.skate.config import SkateConfig, SkateTable
from antemill.tournament.skate.embedders import run_embedder
from antemill.tournament.skate.play import Rules
from antemill.tournament.skate.tasks import Task
from antemill.tournament.skate.tasks.output import OutputPrediction, Ran
from antemill.tournament.skate.tasks.value import ExpectedValue

_WHY = {
    "false": "its output differs from run to run",
    "timeout": "it takes too long",
    "error": "it fails",
    "refused": "it is not allowed",
}


class SandboxPrograms:
    """Programs of setters, run in a sandbox: twice, with different hash seeds (S3)."""

    def __init__(self, sandbox: Sandbox, limits: CheckLimits) -> None:
        self._sandbox = sandbox
        self._limits = limits

    async def run(self, code: str) -> Ran:
        """The program's output. Raises LostError, which stops the run, if the machine prevented a verdict."""
        found = await self._sandbox.check(OutputCheck(code, None, self._limits))
        why = f"{_WHY[found.verdict]}{f' ({found.detail})' if found.detail else ''}" if found.verdict != "true" else ""
        return Ran("" if why else found.stdout or "", why, found.backend, found.python)


@contextmanager
def game_rules() -> Iterator[Callable[[SkateConfig], Rules]]:
    """Makes rules for configurations, and closes their sandboxes at the end.

    Making them raises ExecutionError if this machine has no backend that protects it.
    """
    with ExitStack() as stack:

        def rules(config: SkateConfig) -> Rules:
            table = config.skate
            embedder, threshold = run_embedder(table)
            stack.callback(embedder.close)
            return Rules(
                task=_task(table, stack),
                embedder=embedder,
                threshold=threshold,
                strategy=table.strategy,
                attempts=table.attempts,
                sampling=table.sampling,
                temperature=None if table.temperature == "model" else table.temperature,
                seed=table.seed,
            )

        yield rules


def _task(table: SkateTable, stack: ExitStack) -> Task:
    if table.task == ExpectedValue.name:
        return ExpectedValue()
    sandbox = make_sandbox(table.sandbox)
    stack.callback(sandbox.close)
    limits = CheckLimits(seconds=table.seconds, memory_mb=table.memory)
    return OutputPrediction(SandboxPrograms(sandbox, limits))
