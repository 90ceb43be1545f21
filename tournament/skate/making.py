"""A game's rules from its configuration: the task with its sandbox, the embedder, Algorithm 1's parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from inspect import signature

from antemill.engine.errors import AntemillError, UsageError
from antemill.engine.execute.sandbox import CheckLimits, OutputCheck, Sandbox, make_sandbox
from antemill.tournament.skate.config import GAMES, SkateConfig, SkateTable
from antemill.tournament.skate.embedders import embedder_of
from antemill.tournament.skate.play import Rules
from antemill.tournament.skate.tasks import Task
from antemill.tournament.skate.tasks.games import SolvedGame
from antemill.tournament.skate.tasks.output import OutputPrediction, Programs, Ran

PARTS = ("name", "judged", "make", "validate", "options", "prompt")  # of a task
_WHY = {
    "timeout": "it takes too long",
    "error": "it fails",
    "refused": "it is refused",
}


class SandboxPrograms:
    """Programs of setters, run in a sandbox: five times, under conditions that differ (S3)."""

    def __init__(self, sandbox: Sandbox, limits: CheckLimits) -> None:
        self._sandbox = sandbox
        self._limits = limits

    async def run(self, code: str) -> Ran:
        """The program's output. Raises LostError, which stops the run, if the machine prevented a verdict."""
        found = await self._sandbox.check(OutputCheck(code, None, self._limits))
        why = f"{_WHY[found.verdict]}{f' ({found.detail})' if found.detail else ''}" if found.verdict != "true" else ""
        return Ran("" if why else found.stdout or "", why, found.backend, found.python)


@contextmanager
def game_rules() -> Iterator[Callable[..., Rules]]:
    """Makes rules for configurations, with a user's task if there is one; their sandboxes are closed at the end.

    Making them raises ExecutionError if this machine can not be protected.
    """
    with ExitStack() as stack:

        def rules(config: SkateConfig, factory: Callable[..., Task] | None = None) -> Rules:
            table = config.skate
            return Rules(
                task=_task(table, stack, factory),
                embedder=embedder_of(table),
                strategy=table.strategy,
                attempts=table.attempts,
                sampling=table.sampling,
                temperature=None if table.temperature == "model" else table.temperature,
                seed=table.seed,
            )

        yield rules


def _task(table: SkateTable, stack: ExitStack, factory: Callable[..., Task] | None) -> Task:
    if factory is not None:
        return made_task(factory, lambda: _programs(table, stack))
    return SolvedGame() if table.task == GAMES else OutputPrediction(_programs(table, stack))


def _programs(table: SkateTable, stack: ExitStack) -> SandboxPrograms:
    sandbox = make_sandbox()
    stack.callback(sandbox.close)
    return SandboxPrograms(sandbox, CheckLimits(seconds=table.seconds, memory_mb=table.memory))


def made_task(factory: Callable[..., Task], programs: Callable[[], Programs]) -> Task:
    """A user's task. A factory with an argument is given the sandbox's programs. Raises UsageError if it fails, or if
    what it makes is no task.
    """
    try:
        task = factory(programs()) if signature(factory).parameters else factory()
    except (AntemillError, KeyboardInterrupt):
        raise
    except Exception as error:
        raise UsageError(f"the task could not be made ({type(error).__name__}: {error}): correct it.") from error
    if lacking := [part for part in PARTS if not hasattr(task, part)]:
        raise UsageError(f"the task {type(task).__name__} has no {', '.join(lacking)}: add it (docs/skate.md).")
    return task
