"""The two prompts of TTG appendix E (T3), word for word; the judge's rules, which are ours; numbers that go with them.

The rules follow the paper's text, and can be left out (`judge_rules = false`). They name what can cost a player a point
although its idea was right: without them a refusal would be a trap.

The paper's typography stands for plain characters: its opening quotation mark for the backtick, its apostrophe for the
straight one, and the solver's example has the quotation marks that its source escapes.
"""

from __future__ import annotations

PAPER = 1  # the paper's text alone
VERSION = 3  # with the judge's rules

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
`mystery(x)` is executed. It counts as True if what it returns is true, by `bool`, and is no object with a `__bool__` or
`__len__` of its own. Errors count as False, and so does more than {seconds} seconds or {memory} MB of memory. There is
Python's standard library, and no network, file, process, thread or clock that runs. What is printed does not matter.
`x` is one Python expression on one line. It may use the names of the puzzle's code.
If its value is plain data (numbers, strings, bytes, tuples, lists, dictionaries, sets), any expression will do.
If it is not, it is made either of the puzzle's own functions, classes and objects, as in `[Point(1, 2), Color.RED]`, or
with code of your own, as in `lambda n: n + 1`: both in one count as False, so write such a function anew in the lambda.
Of the puzzle's names code of your own sees those of plain data: copies, as they are when the puzzle's code has run.
Made of the puzzle's own, the expression counts as False if it uses operators, comparisons or built-in functions on its
objects (its own functions and methods may do that), takes from its iterators, or reads an attribute that begins with an
underscore. With code of your own, or objects of the library, it counts as False if it
- has `__import__` of anything but base64, binascii, bisect, cmath, collections, datetime, decimal, fractions,
functools, hashlib, heapq, itertools, math, operator, re, statistics, string, struct, textwrap, unicodedata, zlib;
- uses `getattr`, `setattr`, `vars`, `globals`, `eval`, `exec`, `open`, `input` or `print`, or an attribute that begins
with an underscore (but for operators, as in `(5).__add__`);
- assigns to an attribute or an item, as in `[0 for a.b in [1]]`;
- makes a class, by `type(name, bases, names)`, that defines operators (`__eq__`, `__len__`) or what data has (`count`);
- has the puzzle compare keys of `cmp_to_key`, or read items of a `defaultdict` that a function of your own makes;
- names `StopIteration` or `ChainMap`, or uses the methods `send` and `__next__`."""


def rules(seconds: float, memory: int) -> str:
    """The judge's rules, with its limits in seconds and MB."""
    return RULES.replace("{seconds}", f"{seconds:g}").replace("{memory}", str(memory))


def proposer_prompt(past: str, rules: str = "") -> str:
    """What the proposer is sent; `past` as `antemill.tournament.duel.history` writes it, `rules` as above."""
    return _behind(PROPOSER.replace("{past}", past), rules)


def solver_prompt(puzzle: str, rules: str = "") -> str:
    """What the solver is sent: the puzzle and nothing of the duel (section 4.4), and the judge's `rules`."""
    return _behind(SOLVER.replace("{puzzle}", puzzle), rules)


def _behind(prompt: str, rules: str) -> str:
    return f"{prompt}\n{rules}" if rules else prompt
