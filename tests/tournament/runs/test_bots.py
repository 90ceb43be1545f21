"""Scripted players of duels and SKATE: their puzzles hold, their programs print what they say, their grades show."""

import asyncio
import contextlib
import io
import json
from collections import Counter
from typing import Any

from antemill.llm import Message, Request
from antemill.tournament.duel import bots as duelists
from antemill.tournament.duel.prompts import proposer_prompt, solver_prompt
from antemill.tournament.duel.replies import read_attempt, read_puzzle
from antemill.tournament.replies import ReplyError
from antemill.tournament.runs.bots import Grade, PlayerTable, bot_models
from antemill.tournament.skate import bots as skaters
from antemill.tournament.skate.prompts import answer_prompt
from tests.tournament.duel.duelists import TrustingJudge
from tests.tournament.replies_of import said


def ask(script: Any, text: str, purpose: str, sample: object = 0) -> str:
    return str(script(Request(messages=(Message("user", text),), purpose=purpose, sample=str(sample))))


def test_solutions_of_the_list_hold() -> None:
    for puzzle in duelists.PUZZLES:
        space: dict[str, Any] = {}
        exec(puzzle.code, space)
        assert space["mystery"](eval(puzzle.solution)) is True
        master = ask(duelists.DUELISTS[Grade.MASTER.entry], puzzle.code, "tag")
        assert json.loads(master) == {"tags": [*puzzle.tags]}


def test_programs_of_the_list_print_what_they_say() -> None:
    for code, (_, prints) in skaters.PROGRAMS.items():
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(code, {})
        assert out.getvalue() == f"{prints}\n"


def test_bots_of_one_grade_draw_from_their_own_streams() -> None:
    """A player against its like does not tie for that reason: the item and the place in it are part of the draw."""
    code, (_, prints) = next(iter(skaters.PROGRAMS.items()))
    text = answer_prompt(code, [prints, "1", "2", "3"])
    script = skaters.SKATERS[Grade.ADEPT.entry]
    answers = [[ask(script, text, "answer", f"answer/1/{name}/{n}") for n in range(40)] for name in ("ada", "eve")]
    right = [sum(one == "ANSWER: A" for one in some) for some in answers]
    assert answers[0] != answers[1]
    assert all(10 <= count <= 30 for count in right)


async def _duel(proposer: Grade, solver: Grade, rounds: int) -> Counter[str]:
    judge, found = TrustingJudge(), Counter[str]()
    for number in range(rounds):
        reply = ask(duelists.DUELISTS[proposer.entry], proposer_prompt("None."), "propose", number)
        try:
            puzzle = read_puzzle(said(reply))
        except ReplyError:
            found["unreadable"] += 1
            continue
        if (await judge.check(puzzle.code, puzzle.solution)).verdict != "true":
            found["wrong"] += 1
            continue
        attempt = read_attempt(said(ask(duelists.DUELISTS[solver.entry], solver_prompt(puzzle.code), "solve", number)))
        found["solved" if (await judge.check(puzzle.code, attempt)).verdict == "true" else "unsolved"] += 1
    return found


def test_a_higher_grade_solves_more_and_slips_less() -> None:
    against = [asyncio.run(_duel(Grade.MASTER, solver, 50)) for solver in Grade]
    solved = [found["solved"] for found in against]
    assert solved == sorted(solved)
    assert solved[-1] > 2 * solved[0]
    slips = [
        found["wrong"] + found["unreadable"] for found in [asyncio.run(_duel(grade, grade, 60)) for grade in Grade]
    ]
    assert slips[0] > slips[-1]
    assert slips[0] > 0


def test_an_answer_depends_on_the_request_alone() -> None:
    for script, purpose in ((duelists.DUELISTS, "propose"), (skaters.SKATERS, "question")):
        texts = [ask(script[Grade.EXPERT.entry], "Set one.", purpose, sample) for sample in (1, 1, 2, 3, 4)]
        assert texts[0] == texts[1]
        assert len(set(texts)) > 2


def test_bots_need_no_entry_and_cost_nothing() -> None:
    assert PlayerTable(bot="master").entry == "bot:master"
    (entry,) = bot_models(["small", "bot:master"]).values()
    assert entry.prices is not None
    assert (entry.protocol, entry.prices.input, entry.prices.output) == ("scripted", 0.0, 0.0)
