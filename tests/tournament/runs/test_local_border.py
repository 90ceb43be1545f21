"""Errors of a real server, llama.cpp's, in small runs: they end as the rule says, and prompts are not sent again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from antemill.llm import CallStore
from antemill.tournament.runs import read_status
from tests.local_model import local_model
from tests.tournament.runs.test_border import KINDS, LIMITS, MODEL, Server, ended

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server with a window that no rulebook fits into."""
    with local_model(context=256) as found:
        yield found


@pytest.mark.parametrize(
    ("more", "code", "says"),
    [
        ("", 3, "exceeds the available context size"),
        ('extra_body = { temperature = "hot" }\n', 3, "temperature"),
        ('extra_body = { grammar = "root ::= (" }\n', 3, "grammar"),
        ("extra_body = { messages_of_the_day = 1, stop = 7 }\n", 3, "exceeds the available context size"),
    ],
)
def test_what_the_server_says_of_all_prompts_ends_a_run(
    url: str, tmp_path: Path, more: str, code: int, says: str
) -> None:
    server = Server([], KINDS["tournament"][2], everything=False)  # which is not asked: it has charged nothing
    model = MODEL.format(url=url).replace("deadline = 5.0", "deadline = 60.0") + more
    assert ended(tmp_path, "tournament", model, server, LIMITS.replace("0.6", "20.0")) == code
    status = read_status("tournament", tmp_path / "run")
    assert says in status.models[0].last_error
    assert status.discarded == 0
    with CallStore(tmp_path / "run" / "calls.sqlite", read_only=True) as calls:
        sent = Counter(attempt.key for attempt in calls.failed_attempts())
    assert max(sent.values()) == 1
