"""The duel's prompts, replies and points: what is sent, what is read, what it is worth (T1 to T5, T14)."""

from __future__ import annotations

import re
from typing import Any

from antemill.tournament.duel import prompts
from antemill.tournament.duel.history import FIRST_TURN, past
from antemill.tournament.duel.rounds import Outcome, points

CODE = "def mystery(x):\n    return x == 3"

# Appendix E as the paper's text has it, with its typographic quotation marks and its lines.
PAPER_PROPOSER = (
    "Let’s play a game.|# Rules|We take turns.|One player, the proposer, gives the other a code puzzle with a Python "
    "function|called ‘mystery‘ that takes a value x (either string or number)|and returns a boolean.|The other player, "
    "the solver, have to find a value x for|which the function returns True.|The proposer’s job is to make the puzzle "
    "as hard as they can,|i.e. it should be very difficult to find out which|values the function returns True for.|To "
    "prove that the puzzle is solvable, the proposer must give a sample solution.|If the sample solution turns out to "
    "be wrong, the proposer is penalized.|# Instructions|You are the proposer. I am the solver.|Respond with a Python "
    "code block first, then explain your puzzle.|Everything outside the code block is private -- I cannot see it.|The "
    "last line of your response should contain only: ‘SOLUTION: x‘ where x is the|value of a sample solution for your "
    "puzzle.|Ensure that ‘mystery(x)‘ is valid Python code given your x.|For example, it is very important to use "
    "quotes if you believe ‘x‘ is a string.|Please make sure that your sample solution works -- you will be penalized "
    "if not.|Do not give multiple code blocks or puzzles.|# History|Here are the puzzles from past turns of the game.|"
    "You should NOT repeat them,|but you can learn from them to ensure your puzzle is difficult enough.|{past}|# "
    "Reminder|Please ensure your response ends with this line: ‘SOLUTION: x‘|where x is the value of a sample solution "
    "for your puzzle."
)
PAPER_SOLVER = (
    "Here’s a Python function that takes a value x and returns a boolean.|Please give me a value for x such that "
    "mystery(x) is True.|The last line of your response should be: ‘SOLUTION: x‘|where x is the value. Ensure that "
    "‘mystery(x)‘ is valid Python|code given your x.|For example, if you believe ‘x‘ is a string, use quotes.|Example: "
    '‘SOLUTION: \\"Hello, world!\\"‘|‘‘‘python|{puzzle}|‘‘‘'
)


def plain(text: str) -> str:
    return text.replace("|", "\n").replace("‘", "`").replace("’", "'").replace('\\"', '"')


def test_t3_prompts_are_those_of_the_paper() -> None:
    assert plain(PAPER_PROPOSER) == prompts.PROPOSER
    assert plain(PAPER_SOLVER) == prompts.SOLVER


def test_t3_prompts_take_braces_and_placeholders_as_they_are() -> None:
    code = "def mystery(x):\n    return {past: '{puzzle}'}[x]"
    assert prompts.solver_prompt(code).count(code) == 1
    assert prompts.proposer_prompt("{puzzle} {}").count("{puzzle} {}") == 1
    assert prompts.solver_prompt(code) == prompts.SOLVER.replace("{puzzle}", code)


def test_the_judges_rules_stand_before_the_papers_reminder_which_is_last() -> None:
    rules = prompts.rules(2.5, 64)
    assert "2.5 seconds or 64 MB" in rules
    assert "{" not in rules
    assert prompts.solver_prompt("past", rules) == f"{rules}\n\n{prompts.solver_prompt('past')}"
    before, after = prompts.proposer_prompt("past").split("# Reminder")
    assert prompts.proposer_prompt("past", rules) == f"{before}{rules}\n# Reminder{after}"


def test_the_rules_of_the_judge_are_short() -> None:
    assert len(prompts.RULES.splitlines()) <= 7


def turn(number: int, outcome: Outcome, **changes: str) -> dict[str, Any]:
    """A turn of a and b, in which a proposes first."""
    fields = {"code": f"puzzle {number}", "solution": f"solution {number}", "explanation": f"why {number}"}
    fields |= {"attempt": f"attempt {number}"} | changes
    return {"number": number, "proposer": "ba"[number % 2], "outcome": outcome, **fields}


def test_t2_points() -> None:
    outcomes = [Outcome.UNSOLVED, Outcome.PENALTY, Outcome.PENALTY, Outcome.SOLVED, Outcome.UNSOLVED]
    assert points([turn(n, outcome) for n, outcome in enumerate(outcomes, 1)], "a") == (3, 1)
    assert points([], "a") == (0, 0)


def test_t4_t14_the_history_shows_each_player_its_own_side() -> None:
    assert past([], "a") == FIRST_TURN == "None, this is the first turn."
    assert past([], "a", first="") == ""
    turns = [turn(1, Outcome.SOLVED), turn(2, Outcome.UNSOLVED), turn(3, Outcome.PENALTY, attempt="")]
    first, second = past(turns, "a"), past(turns, "b")
    for number, mine, theirs in ((1, first, second), (2, second, first), (3, first, second)):
        for text in ("puzzle", "solution", "why"):
            assert f"{text} {number}" in mine
        assert f"puzzle {number}" in theirs
        assert f"solution {number}" not in theirs
        assert f"why {number}" not in theirs
    for one, other in ((first, second), (second, first)):
        assert "Your attempt: attempt" in one
        assert "The attempt of your opponent: attempt" in one
        assert re.findall("opponent: attempt (.)", one) == re.findall("Your attempt: attempt (.)", other)
    assert "attempt" not in past(turns, "a", attempts=False).lower()
    assert [first.count(text) for text in ("Outcome: Solved", "Not solved", "Sample solution wrong")] == [1, 1, 1]
    empty = turn(4, Outcome.PENALTY, code="", solution="", explanation="", attempt="")
    assert past([empty], "a") == "## Turn 4: the puzzle of your opponent\nOutcome: No puzzle could be read"
