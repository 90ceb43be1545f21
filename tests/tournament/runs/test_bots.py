"""Scripted players of duels and SKATE: their puzzles hold, their programs print what they say, their grades show."""

import asyncio
import contextlib
import io
import json
from collections import Counter
from typing import Any

import pytest

from antemill.engine.seeding import Stream
from antemill.llm import Message, Request
from antemill.tournament.duel import bots as duelists
from antemill.tournament.duel.parse import FormatError, parse_attempt, parse_puzzle
from antemill.tournament.duel.prompts import proposer_prompt, solver_prompt
from antemill.tournament.runs.bots import Grade, PlayerTable, bot_models
from antemill.tournament.skate import bots as skaters
from antemill.tournament.skate.prompts import answer_prompt, distractor_prompt
from tests.tournament.duel.duelists import TrustingJudge


def ask(script: Any, text: str, purpose: str, sample: object = 0) -> str:
    return str(script(Request(messages=(Message("user", text),), purpose=purpose, sample=str(sample))))


@pytest.mark.parametrize("family", duelists.FAMILIES, ids=lambda family: family.tags[-1])
def test_a_familys_solutions_hold(family: duelists.Family) -> None:
    for seed in range(40):
        values = family.draw(Stream(seed))
        code = family.shape.write(values)
        space: dict[str, Any] = {}
        exec(code, space)
        known = duelists._family(solver_prompt(code))
        assert known is not None
        assert known[0] is family
        assert space["mystery"](eval(family.solve(known[1]))) is True


@pytest.mark.parametrize("family", skaters.FAMILIES, ids=lambda family: family.about)
def test_a_familys_programs_print_what_it_says(family: skaters.Family) -> None:
    for a in range(6, 15):
        for b in range(2, 6):
            code, out = family.shape.write({"a": a, "b": b}), io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(code, {})
            known, prints = skaters._known(answer_prompt(code, ["1", "2"]))
            assert known is family
            assert prints + "\n" == out.getvalue()


def test_distractors_are_nine_wrong_texts() -> None:
    for truth in ("7", "abc", "[1, 2, 3]", "-", "9\n8", "0"):
        found = json.loads(
            ask(skaters.SKATERS[Grade.MASTER.entry], distractor_prompt("print()", truth, 9), "distractors")
        )
        assert len(set(found)) == 9
        assert truth not in found


async def _duel(proposer: Grade, solver: Grade, rounds: int) -> Counter[str]:
    judge, found = TrustingJudge(), Counter[str]()
    for number in range(rounds):
        reply = ask(duelists.DUELISTS[proposer.entry], proposer_prompt("None."), "propose", number)
        try:
            puzzle = parse_puzzle(reply)
        except FormatError:
            found["unreadable"] += 1
            continue
        if (await judge.check(puzzle.code, puzzle.solution)).verdict != "true":
            found["wrong"] += 1
            continue
        attempt = parse_attempt(ask(duelists.DUELISTS[solver.entry], solver_prompt(puzzle.code), "solve", number))
        found["solved" if (await judge.check(puzzle.code, attempt)).verdict == "true" else "unsolved"] += 1
    return found


def test_a_higher_grade_solves_more_and_slips_less() -> None:
    against = [asyncio.run(_duel(Grade.MASTER, solver, 120)) for solver in Grade]
    solved = [found["solved"] for found in against]
    assert solved == sorted(solved)
    assert solved[-1] > 2 * solved[0]
    slips = [
        found["wrong"] + found["unreadable"] for found in [asyncio.run(_duel(grade, grade, 150)) for grade in Grade]
    ]
    assert slips[0] > slips[-1]
    assert slips[0] > 0


def test_an_answer_depends_on_the_request_alone() -> None:
    for script, purpose in ((duelists.DUELISTS, "propose"), (skaters.SKATERS, "question")):
        texts = [ask(script[Grade.EXPERT.entry], "Set one.", purpose, sample) for sample in (1, 1, 2, 3, 4)]
        assert texts[0] == texts[1]
        assert len(set(texts)) > 2


@pytest.mark.parametrize("table", [{}, {"model": "a", "bot": "expert"}, {"model": "bot:expert"}])
def test_a_player_is_one_thing(table: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"a player is|begins with"):
        PlayerTable(**table)


def test_bots_need_no_entry_and_cost_nothing() -> None:
    assert PlayerTable(bot="master").entry == "bot:master"
    (entry,) = bot_models(["small", "bot:master"]).values()
    assert entry.prices is not None
    assert (entry.protocol, entry.prices.input, entry.prices.output) == ("scripted", 0.0, 0.0)


def test_a_strangers_puzzle_is_only_guessed_at() -> None:
    reply = ask(duelists.DUELISTS[Grade.MASTER.entry], solver_prompt("def mystery(x): return x == x * x + 1"), "solve")
    assert parse_attempt(reply).isdigit()
