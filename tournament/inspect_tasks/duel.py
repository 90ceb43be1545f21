"""One model in duels of puzzles: `inspect eval antemill/duel -T opponent=expert --model openai/…`.

A sample is a whole duel (`antemill.tournament.duel.play.play_duel`), with the prompts and the judge of our duels:
solutions are executed in the sandbox. Scores:

margin     the model's points less the opponent's
unread     the model's replies that could not be read, by cause
"""

from __future__ import annotations

from typing import Any

import msgspec
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import transcript
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, Scorer, Target, grouped, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from antemill.engine.arguments import one_of, whole
from antemill.engine.execute.sandbox import CheckLimits, make_sandbox
from antemill.tournament.duel.bots import DUELISTS
from antemill.tournament.duel.config import DuelTable
from antemill.tournament.duel.judge import SandboxJudge
from antemill.tournament.duel.play import Player, play_duel
from antemill.tournament.duel.rounds import TURNS
from antemill.tournament.inspect_tasks.asking import Asking
from antemill.tournament.inspect_tasks.cards import MODEL
from antemill.tournament.replies import CAUSES
from antemill.tournament.runs.bots import PREFIX
from antemill.tournament.runs.questions import Asking as Questions

_OWN, _OTHER = "first", "second"  # the names under which the two models are asked


@task
def duel(opponent: str = "adept", duels: int = 4, turns: int = TURNS, paper: bool = False) -> Task:
    """Duels of a model.

    opponent: a bot (novice, adept, expert, master), or "model": the model of the role `opponent`. duels: how many; the
    model proposes first in every other one. turns: of a duel, half of them for each proposer. paper: the prompts and
    the attempts of the paper. Raises UsageError for another opponent or number.
    """
    one_of(opponent, "opponent", (*(name.removeprefix(PREFIX) for name in DUELISTS), MODEL))
    duels = whole(duels, "duels", 1)
    turns = 2 * whole(-(-whole(turns, "turns", 2) // 2), "turns", 1)
    samples = [
        Sample(
            input=f"duel {number + 1} against {opponent}",
            id=number + 1,
            metadata={"place": number % 2, "proposes": ("first", "second")[number % 2], "opponent": opponent},
        )
        for number in range(duels)
    ]
    own = {"judge_rules": False, "first_turn": ""} if paper else {}
    return Task(
        dataset=MemoryDataset(samples, name="duel"),
        solver=play(opponent, turns, own),
        scorer=[margin(), unread()],
        version="1",
        metadata={"opponent": opponent},
    )


@solver
def play(opponent: str, turns: int, own: dict[str, Any]) -> Solver:
    """Plays a sample's duel, and records its figures in the sample's store."""

    async def run(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        table = DuelTable(turns=turns, **own)
        models = {_OWN: get_model()} | ({_OTHER: get_model(role="opponent")} if opponent == MODEL else {})
        other = _OTHER if opponent == MODEL else PREFIX + opponent
        asking = Asking(models, DUELISTS)
        pair = Player(MODEL, _OWN), Player("opponent", other)
        place = state.metadata["place"]
        sandbox = make_sandbox()
        try:
            judge = SandboxJudge(sandbox, CheckLimits(seconds=table.seconds, memory_mb=table.memory))
            asked = Questions(asking, f"duel/{state.sample_id}", bool(own))
            played = await play_duel(pair if not place else pair[::-1], table, asked, judge)
        finally:
            sandbox.close()
        points = played.row["points"]
        for turn in played.row["turns"]:
            transcript().info(msgspec.to_builtins(turn), source="turn")
        state.store.set("margin", points[place] - points[1 - place])
        state.store.set("points", points)
        state.store.set("outcomes", [turn["outcome"] for turn in played.row["turns"]])
        state.store.set("causes", [cause for call, cause in played.replies if cause and asking.asked[call] == _OWN])
        return state

    return run


@scorer(metrics=[mean(), stderr(), grouped(mean(), "proposes", all=False, name_template="proposes {group_name}")])
def margin() -> Scorer:
    """The model's points less the opponent's."""

    async def read(state: TaskState, target: Target) -> Score | None:  # noqa: ARG001
        found = state.store.get("margin")
        also = {name: state.store.get(name) for name in ("points", "outcomes")}
        return None if found is None else Score(value=found, metadata=also)

    return read


@scorer(metrics={"*": [mean(), stderr()]})
def unread() -> Scorer:
    """The questions of a duel to which no reply of the model could be read, by cause."""

    async def read(state: TaskState, target: Target) -> Score | None:  # noqa: ARG001
        causes = state.store.get("causes")
        return None if causes is None else Score(value={cause: causes.count(cause) for cause in CAUSES})

    return read
