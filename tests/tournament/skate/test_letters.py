"""The letter that a reply means, on several hundred shapes of replies and in random prose (S6)."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antemill.tournament.skate.parse import read_answer
from tests.tournament.skate.skate_replies import LETTERS, shapes, wrapped

ALL = list(shapes())


def letter(reply: str) -> str | None:
    place = read_answer(reply, len(LETTERS)).place
    return None if place is None else LETTERS[place]


def test_there_are_several_hundred_shapes_of_which_many_say_nothing() -> None:
    assert len(ALL) > 2_500
    assert sum(means is None for _, means in ALL) > 250
    for one in LETTERS:
        assert sum(means == one for _, means in ALL) > 500


def test_every_shape_means_what_a_person_reads() -> None:
    wrong = [(reply, means, letter(reply)) for reply, means in ALL if letter(reply) != means]
    assert not wrong


@pytest.mark.parametrize(
    "reply",
    [
        "- A: incorrect\n- B: correct\n- C: incorrect",
        "- **A) 3** — wrong\n- **B) 5** — ✔️ correct\n- **C) 6** — counted twice",
        "B) is my pick\n- C) fails",
        "| Option | Verdict |\n|---|---|\n| A | wrong |\n| B | **correct** |\n| C | wrong |",
        "答えはAではなくBです。",
        "정답은 A가 아니라 B입니다.",
    ],
)
def test_the_next_item_of_a_list_and_what_is_negated_behind_it_are_not_the_answer(reply: str) -> None:
    assert letter(reply) in ("B", None)


def any_word(place: int) -> Callable[[str], str | None]:
    """What reads the first or the last letter that stands alone."""

    def read(reply: str) -> str | None:
        named = re.findall(r"\b([A-D])\b", reply)
        return named[place] if named else None

    return read


@pytest.mark.parametrize("place", [0, -1])
def test_the_first_or_the_last_letter_is_often_another_one(place: int) -> None:
    """The shapes tell a reader from one that takes any letter."""
    read = any_word(place)
    assert sum(read(reply) != means for reply, means in ALL) > 300


def test_a_known_answer_in_random_prose_is_read_or_unread_but_never_another_one() -> None:
    read = [(want, letter(reply), reply) for want, reply in ((w, r) for r, w in map(wrapped, map(Random, range(1500))))]
    assert not [one for one in read if one[1] not in (one[0], None)]
    assert sum(got == want for want, got, _ in read) > 0.98 * len(read)
    for place in (0, -1):
        assert sum(any_word(place)(reply) != want for want, _, reply in read) > 500


@given(
    st.text(alphabet=st.sampled_from("ABCDEIabc answer is:not*()[]{}<>\\\n\r.,?!'\"`#|→⟦✓wait"), max_size=60),
    st.integers(2, 10),
)
@settings(max_examples=300, deadline=None)
def test_anything_is_read_as_an_option_or_not_at_all(reply: str, options: int) -> None:
    place = read_answer(reply, options).place
    assert place is None or 0 <= place < options


@given(st.sampled_from(LETTERS), st.text(alphabet="\r\n\t \u200b\ufeff\u00a0*", max_size=8))
@settings(max_examples=100, deadline=None)
def test_what_can_not_be_seen_around_a_letter_does_not_matter(one: str, space: str) -> None:
    assert letter(f"{space}{one}{space[::-1]}") == one


@pytest.mark.parametrize(
    "piece",
    [
        "the answer is ",
        "A) ",
        "(",
        "answer",
        "⟦",
        "<think>",
        "```\n",
        "\\boxed{",
        "the ",
        " ",
        "\n",
        "- A: ",
        "is the ",
        "_",
        "A is ",
        "wait, ",
        "A -> ",
        "A (5%), ",
        "- A: wrong\n",
        "so*(*(*(*(*(*(",
    ],
)
def test_long_replies_are_read_in_time(piece: str) -> None:
    """A reply is untrusted: none of 20,000 characters may hold up a run."""
    begun = time.process_time()
    read_answer(piece * (20_000 // len(piece)), 4)
    assert time.process_time() - begun < 5.0
