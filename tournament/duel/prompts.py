"""The two prompts of TTG appendix E (T3), word for word; the judge's rules, which are ours; numbers that go with them.

The rules follow the paper's text, and can be left out (`judge_rules = false`). They name what can cost a player a point
although its idea was right: without them a refusal would be a trap.

The paper's typography stands for plain characters: its opening quotation mark for the backtick, its apostrophe for the
straight one, and the solver's example has the quotation marks that its source escapes.
"""

from __future__ import annotations

PAPER = 1  # the paper's text alone
VERSION = 6  # with the judge's rules, before the reminder of the last line

PROPOSER = """\
Let's play a game.
# Rules
We take turns.
One player, the proposer, gives the other a code puzzle with a Python function
called `mystery` that takes a value x (either string or number)
and returns a boolean.
The other player, the solver, have to find a value x for
which the function returns True.
The proposer's job is to make the puzzle as hard as they can,
i.e. it should be very difficult to find out which
values the function returns True for.
To prove that the puzzle is solvable, the proposer must give a sample solution.
If the sample solution turns out to be wrong, the proposer is penalized.
# Instructions
You are the proposer. I am the solver.
Respond with a Python code block first, then explain your puzzle.
Everything outside the code block is private -- I cannot see it.
The last line of your response should contain only: `SOLUTION: x` where x is the
value of a sample solution for your puzzle.
Ensure that `mystery(x)` is valid Python code given your x.
For example, it is very important to use quotes if you believe `x` is a string.
Please make sure that your sample solution works -- you will be penalized if not.
Do not give multiple code blocks or puzzles.
# History
Here are the puzzles from past turns of the game.
You should NOT repeat them,
but you can learn from them to ensure your puzzle is difficult enough.
{past}
# Reminder
Please ensure your response ends with this line: `SOLUTION: x`
where x is the value of a sample solution for your puzzle."""

SOLVER = """\
Here's a Python function that takes a value x and returns a boolean.
Please give me a value for x such that mystery(x) is True.
The last line of your response should be: `SOLUTION: x`
where x is the value. Ensure that `mystery(x)` is valid Python
code given your x.
For example, if you believe `x` is a string, use quotes.
Example: `SOLUTION: "Hello, world!"`
```python
{puzzle}
```"""


# What docs/sandbox.md says at length.
RULES = """\
# Rules of the judge
`x` is one Python expression on one line, which may use names of the puzzle's code; its value is plain data (numbers,
strings, bytes, tuples, lists, dictionaries, sets, True, False, None), no function, object or generator. `mystery(x)`
runs in a process that has not seen the expression, and counts as `bool` of what it returns. An error counts as False,
and so do more than {seconds} seconds or {memory} MB of memory. There are Python's standard library, and a clock and
random numbers that are the same each time, but no network or other process."""


def rules(seconds: float, memory: int) -> str:
    """The judge's rules, with its limits in seconds and MB."""
    return RULES.replace("{seconds}", f"{seconds:g}").replace("{memory}", str(memory))


def proposer_prompt(past: str, rules: str = "") -> str:
    """What the proposer is sent; `past` as `antemill.tournament.duel.history` writes it, `rules` as above."""
    prompt = PROPOSER.replace("{past}", past)
    return prompt if not rules else f"{rules}\n# Reminder".join(prompt.rsplit("# Reminder", 1))


def solver_prompt(puzzle: str, rules: str = "") -> str:
    """What the solver is sent: the puzzle and nothing of the duel (section 4.4), and the judge's `rules`."""
    prompt = SOLVER.replace("{puzzle}", puzzle)
    return f"{rules}\n\n{prompt}" if rules else prompt
