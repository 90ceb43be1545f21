"""Replies of models that repeat themselves until their limit: reading one must not hold up all the others."""

from __future__ import annotations

import gc
import random
import re
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from antemill.tournament.duel.parse import parse_attempt, parse_puzzle
from antemill.tournament.duel.tagging import parse_tags
from antemill.tournament.reading import fences, read
from antemill.tournament.reading.source import protected
from antemill.tournament.skate.parse import parse_distractors, parse_question, read_answer

LENGTH = 1 << 14  # characters
GROWTH = 9.0  # for four times the length: readers in one pass take about 4 times as long, quadratic ones 11 to 16 times
TRIES = 5  # other programs may disturb a measurement
REPEATED = (
    *("`", "```python\n", "~", "~~~\n", "SOLUTION: ", "SOLUTION: 1\n", "```py x", "[", '"', "*", "_", "a\n", "\n", " "),
    *("The answer is ", "(A) ", "<think>", "\\boxed{", '{"a":', "not '", "| ", "> ", "- ", "$ "),
    *("<a></a>", "<!--", "<|end|>x", "<|channel|>a", "(/think)", "[a]", "</a>x", '["<a>",', "'\u200b", "x='<a>'\n"),
)
READERS: tuple[Callable[[str], object], ...] = (
    *(parse_puzzle, parse_attempt, parse_tags, parse_question),
    lambda reply: parse_distractors(reply, "", 9),
    lambda reply: read_answer(reply, 4).place,
    lambda reply: read(reply, truncated=True, holds=lambda rest: "SOLUTION" in rest),
)


@pytest.mark.parametrize("part", REPEATED)
def test_a_reply_that_repeats_itself_is_read_at_once(part: str) -> None:
    assert [number for number, reader in enumerate(READERS) if not is_read_at_once(reader, part)] == []


def test_a_reader_that_looks_at_all_of_the_rest_at_each_place_is_noticed() -> None:
    assert not is_read_at_once(lambda reply: re.findall("(?<=,)[a,]+;", reply), ",aaaaaaaaaaaaaaa")


def is_read_at_once(reader: Callable[[str], object], part: str) -> bool:
    """Whether the reader's time grows like the length of the reply, in one of some tries."""
    whole = (part * LENGTH)[:LENGTH]
    return any(spent(reader, whole) < GROWTH * spent(reader, whole[: LENGTH // 4]) for _ in range(TRIES))


def spent(reader: Callable[[str], object], reply: str) -> float:
    """Seconds of this thread, without collections of garbage, which look at all objects of the process."""
    protected.cache_clear()
    gc.disable()
    began = time.thread_time()
    try:
        with suppress(ValueError):  # nothing that can be read
            reader(reply)
        return time.thread_time() - began
    finally:
        gc.enable()


def common_mark(text: str) -> list[tuple[str, str, bool]]:
    """The blocks of code between fences, line by line as the specification (0.31, section 4.5) says it."""
    found: list[tuple[str, str, bool]] = []
    inside: list[str] | None = None
    mark, least, indent, info = "", 0, 0, ""
    for line in text.split("\n"):
        bare = line.lstrip(" ")
        run = re.match(r"`{3,}|~{3,}", bare) if len(line) - len(bare) < 4 else None
        if inside is None:
            if run and not (run[0][0] == "`" and "`" in bare[run.end() :]):
                inside, mark, least, indent = [], run[0][0], run.end(), len(line) - len(bare)
                info = bare[run.end() :].strip(" ")
        elif run and run[0][0] == mark and run.end() >= least and not bare[run.end() :].strip(" "):
            found.append((info, "\n".join(inside), True))
            inside = None
        else:
            inside.append(line[min(indent, len(line) - len(bare)) :])
    return [*found, *([] if inside is None else [(info, "\n".join(inside), False)])]


def test_blocks_are_those_of_common_mark() -> None:
    """Where no program goes on behind a fence: that of a string is looked at in `test_reading`."""
    rng, found = random.Random(1), 0
    parts = (
        "`",
        "```",
        "````",
        "(",
        "\n",
        "\n",
        "\n",
        " ",
        "~",
        "~~~",
        "\n```text\n",
        "\n```\n",
        "\n````\n",
        "\n  ```\n(",
    )
    for _ in range(20_000):
        text = "".join(rng.choice(parts) for _ in range(rng.randint(1, 16)))
        got = [(block.info, block.code.rstrip("\n"), block.closed) for block in fences(text)]
        want = [(info, code.rstrip("\n"), closed) for info, code, closed in common_mark(text)]
        assert got == want, text
        found += len(got)
    assert found > 2_000
