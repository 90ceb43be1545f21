"""Replies of models that repeat themselves until their limit: reading one must not hold up all the others."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from antemill.tournament.duel.parse import _blocks, parse_attempt, parse_puzzle
from antemill.tournament.duel.tagging import parse_tags
from antemill.tournament.skate.parse import parse_answer, parse_distractors, parse_question

LENGTH = 1 << 16  # about what 16,000 tokens are
SECONDS = 3.0  # of this process; quadratic readers take more than four, the others less than one
REPEATED = (
    *("`", "```python\n", "~", "~~~\n", "SOLUTION: ", "SOLUTION: 1\n", "```py x", "[", '"', "*", "_", "a\n", "\n", " "),
    *("The answer is ", "(A) ", "<think>", "\\boxed{", '{"a":', "not '", "| ", "> ", "- ", "$ "),
)
READERS: tuple[Callable[[str], object], ...] = (
    *(parse_puzzle, parse_attempt, parse_tags, parse_question),
    lambda reply: parse_distractors(reply, "", 9),
    lambda reply: parse_answer(reply, 4),
)


@pytest.mark.parametrize("part", REPEATED)
def test_a_reply_that_repeats_itself_is_read_at_once(part: str) -> None:
    reply = (part * LENGTH)[:LENGTH]
    for reader in READERS:
        began = time.process_time()
        with suppress(ValueError):  # nothing that can be read
            reader(reply)
        assert time.process_time() - began < SECONDS


def test_blocks_are_those_of_one_pattern() -> None:
    want = re.compile(r"^[ \t]*(`{3,})[ \t]*([\w+-]*)[^\n`]*\n(.*?)^[ \t]*\1[`~]*[ \t]*$", re.MULTILINE | re.DOTALL)
    rng, found = random.Random(1), 0
    parts = ("`", "```", "````", "x", "\n", "\n", "\n", " ", "~", "```python\n", "\n```\n", "\n````\n")
    for _ in range(20_000):
        reply = "".join(rng.choice(parts) for _ in range(rng.randint(1, 16)))
        got = [tuple(block) for block in _blocks(reply)]
        assert got == [(block[2], block[3], block.start(), block.end()) for block in want.finditer(reply)], reply
        found += len(got)
    assert found > 2_000
