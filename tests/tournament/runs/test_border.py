"""Every kind of error into a small run of every kind: it ends as its class says, and the money is what the server has
counted."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest

from antemill.llm import Message, Request
from antemill.tournament.cards import TOURNAMENT
from antemill.tournament.duel.kind import DuelKind
from antemill.tournament.runs import Kind, RunStoppedError, read_status, start_run
from antemill.tournament.skate.kind import SkateKind
from tests.tournament.cards.tournament_runs import obedient
from tests.tournament.duel.duelists import TrustingJudge, strong
from tests.tournament.runs.hasty import hasty
from tests.tournament.skate.skaters import rules

CASES: list[dict[str, Any]] = [
    *({"status": status, "body": '{"error": {"message": "no"}}'} for status in (400, 402, 403, 418, 429, 503)),
    *({"status": 200, "body": f'{{"error": {{"code": {status}, "message": "no"}}}}'} for status in (400, 402, 503)),
    {"status": 200, "body": "<html>"},
]
STOP, AGAIN = {401, 402, 407}, {408, 409, 425, 429}
LIMITS = "[limits]\npatience = 0.6\nin_flight = 4\n[budget]\ndollars = 1000.0\n"
MODEL = (
    '[m]\nprotocol = "openai-chat"\nbase_url = "{url}"\ntimeout = 20.0\ndeadline = 5.0\n'
    "prices = {{ input = 100.0, output = 100.0 }}\nmax_output = 1000\n"
)
Reply = Callable[[Request], str]
KINDS: dict[str, tuple[Callable[[], Kind[Any, Any]], str, Reply]] = {
    "tournament": (
        lambda: TOURNAMENT,
        '[tournament]\ngames = ["kuhn", "leduc"]\nmatches_per_seat = 2\n'
        '[players.m]\nmodel = "m"\n[players.r]\nbot = "random"\n',
        obedient,
    ),
    "duel": (
        lambda: DuelKind(lambda _config: TrustingJudge()),
        '[duel]\nturns = 2\npairs = [["m", "n"]]\n[players.m]\nmodel = "m"\n[players.n]\nmodel = "m"\n',
        strong,
    ),
    "skate": (
        lambda: SkateKind(rules),
        '[skate]\nrounds = 1\n[players.m]\nmodel = "m"\n[players.n]\nmodel = "m"\n',
        lambda _request: "A",
    ),
}


class Server:
    """Answers all prompts, or a third of them, with errors in turn. It counts what it charges and what it was sent."""

    def __init__(self, cases: Sequence[dict[str, Any]], reply: Reply, everything: bool) -> None:
        self.cases, self.reply, self.everything = cases, reply, everything
        self.sent: Counter[str] = Counter()
        self.failed: dict[str, dict[str, Any]] = {}  # what each prompt meets, every time
        self.tokens = 0

    def __call__(self, _path: str, body: Any) -> tuple[int, bytes]:
        messages = tuple(Message(one["role"], one["content"]) for one in body["messages"])
        text = "\n".join(message.text for message in messages)
        self.sent[text] += 1
        if self.cases and (self.everything or random.Random(text).random() < 0.3):
            case = self.failed.setdefault(text, self.cases[len(self.failed) % len(self.cases)])
            return case["status"], case["body"].encode()
        said = self.reply(Request(messages=messages))
        read, written = len(text.encode()) // 4, len(said)
        self.tokens += read + written
        usage = {"prompt_tokens": read, "completion_tokens": written}
        return 200, json.dumps(
            {"choices": [{"message": {"content": said}, "finish_reason": "stop"}], "usage": usage}
        ).encode()

    def respond(self, request: httpx2.Request) -> httpx2.Response:
        """Without a network."""
        status, content = self("", json.loads(request.content))
        return httpx2.Response(status, content=content)


def ended(
    folder: Path,
    name: str,
    model: str,
    server: Server,
    limits: str,
    transport: httpx2.AsyncBaseTransport | None = None,
) -> int:
    """Run it with an entry of the list of models; returns the exit code, after what must hold for any body."""
    make, table, _reply = KINDS[name]
    code = 0
    (folder / "models.toml").write_text(model)
    (folder / "run.toml").write_text(f"{table}{limits}")
    try:
        with start_run(make(), folder / "run.toml", folder / "run") as session:
            session.run(quiet=True, transport=transport)
    except RunStoppedError as error:
        code = getattr(error, "exit_code", 1)
    found = read_status(name, folder / "run")
    assert code in (0, 3)
    assert found.cost == pytest.approx(server.tokens * 100.0 / 1e6)
    malformed = any(case["body"] == "<html>" for case in server.cases)  # which may be charged
    assert found.possible == 0.0 or malformed
    assert sum(server.sent.values()) < 250
    if code == 0:
        assert found.done + found.discarded == found.total or found.total is None
    return code


def meant(case: dict[str, Any]) -> int:
    """The status that counts."""
    return int(json.loads(case["body"])["error"]["code"]) if "code" in case["body"] else int(case["status"])


@pytest.mark.parametrize("everything", [True, False])
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['status']} {case['body'][:25]}")
def test_every_kind_of_run_ends_as_the_class_of_the_status_says(
    tmp_path: Path, case: dict[str, Any], everything: bool, name: str
) -> None:
    server, status = Server([case], KINDS[name][2], everything), meant(case)
    with hasty():
        transport = httpx2.MockTransport(server.respond)
        code = ended(tmp_path, name, MODEL.format(url="http://provider.example/v1"), server, LIMITS, transport)
    if everything or (status in STOP and server.failed):
        assert code == 3
    elif status not in STOP | AGAIN and 400 <= status < 500:
        assert code == (0 if server.tokens else 3)
