"""Every error of the corpus, and mutations of it, into a small run of every kind: it ends, and as the rule says.

No prompt is sent oftener than its attempts, and the money is what the server has counted.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from antemill.llm import Message, Request
from antemill.llm.protocols.failures import verdict
from antemill.tournament.cards import TOURNAMENT
from antemill.tournament.duel.kind import duel_type
from antemill.tournament.runs import RunStoppedError, RunType, read_status, start_run
from antemill.tournament.skate.kind import skate_type
from tests.seeds import seeds
from tests.tournament.cards.tournament_runs import obedient
from tests.tournament.duel.duelists import TrustingJudge, strong
from tests.tournament.runs.http_server import http_server
from tests.tournament.skate.skaters import rules

CORPUS = [json.loads(line) for line in Path("tests/data/border/errors.jsonl").read_text().splitlines()]
FIRST = {case["want"]: case for case in reversed(CORPUS)}  # one of each meaning
UNKNOWN = {"label": "unknown", "status": 418, "body": '{"error": {"message": "quantum decoherence"}}', "want": "item"}
INSIDE = {"label": "inside", "status": 200, "body": '{"error": {"message": "quantum decoherence"}}', "want": "item"}
QUICK = [*FIRST.values(), UNKNOWN, INSIDE]
LIMITS = "[limits]\nretry_pause = 0.02\npatience = 0.6\nin_flight = 4\n[budget]\ndollars = 1000.0\n"
MODEL = (
    '[m]\nprotocol = "openai-chat"\nbase_url = "{url}"\ntimeout = 20.0\ndeadline = 0.4\n'
    "prices = {{ input = 100.0, output = 100.0 }}\nmax_output = 1000\n"
)
Reply = Callable[[Request], str]
KINDS: dict[str, tuple[Callable[[], RunType[Any]], str, Reply]] = {
    "tournament": (
        lambda: TOURNAMENT,
        '[tournament]\ngames = ["kuhn", "leduc"]\nmatches_per_seat = 2\n'
        '[players.m]\nmodel = "m"\n[players.r]\nbot = "random"\n',
        obedient,
    ),
    "duel": (
        lambda: duel_type(lambda _config: TrustingJudge()),
        '[duel]\nturns = 2\npairs = [["m", "n"]]\n[players.m]\nmodel = "m"\n[players.n]\nmodel = "m"\n',
        strong,
    ),
    "skate": (
        lambda: skate_type(rules),
        '[skate]\nrounds = 1\n[players.m]\nmodel = "m"\n[players.n]\nmodel = "m"\n',
        lambda _request: "A",
    ),
}


SAME = 8  # times that a run asks the same prompt for another sample: matches that begin alike, second tries at a form


class Server:
    """Answers with an error: to all prompts, or to a third of them; it counts what it charges and what it was sent."""

    def __init__(self, case: dict[str, Any], reply: Reply, everything: bool) -> None:
        self.case, self.reply, self.everything = case, reply, everything
        self.sent: Counter[str] = Counter()
        self.tokens = 0

    def __call__(self, _path: str, body: Any) -> tuple[int, bytes]:
        messages = tuple(Message(one["role"], one["content"]) for one in body["messages"])
        text = "\n".join(message.text for message in messages)
        self.sent[text] += 1
        if self.everything or random.Random(text).random() < 0.3:
            return self.case["status"], self.case["body"].encode()
        said = self.reply(Request(messages=messages))
        read, written = len(text.encode()) // 4, len(said)
        self.tokens += read + written
        usage = {"prompt_tokens": read, "completion_tokens": written}
        return 200, json.dumps(
            {"choices": [{"message": {"content": said}, "finish_reason": "stop"}], "usage": usage}
        ).encode()


def play(folder: Path, name: str, case: dict[str, Any], everything: bool) -> int:
    """Run it; returns the exit code, after what must hold for any body."""
    make, table, reply = KINDS[name]
    server = Server(case, reply, everything)
    code = 0
    with http_server(server) as url:
        (folder / "models.toml").write_text(MODEL.format(url=url))
        (folder / "run.toml").write_text(f"{table}{LIMITS}")
        try:
            with start_run(make(), folder / "run.toml", folder / "run") as session:
                session.run(quiet=True)
        except RunStoppedError as error:
            code = getattr(error, "exit_code", 1)
    found = read_status(name, folder / "run")
    assert code in (0, 3)
    assert found.cost == pytest.approx(server.tokens * 100.0 / 1e6)
    assert found.possible == 0.0
    if case["want"] != "rate":  # which is asked again as long as `patience` says, and no oftener than the backoff
        assert max(server.sent.values()) <= 3 * SAME
    assert sum(server.sent.values()) < 250
    if code == 0:
        assert found.done + found.discarded == found.total or found.total is None
    return code


WAYS = {"spent": {3}, "account": {3}, "rate": {3}, "context": {0}, "refusal": {0}, "item": {0, 3}}


@pytest.mark.parametrize("everything", [True, False])
@pytest.mark.parametrize("case", QUICK, ids=lambda case: case["label"])
def test_a_tournament_ends_as_the_rule_says(tmp_path: Path, case: dict[str, Any], everything: bool) -> None:
    code = play(tmp_path, "tournament", case, everything)
    assert code in ({3} if everything and case["want"] == "item" else WAYS[case["want"]])


@pytest.mark.slow
@pytest.mark.parametrize("everything", [True, False])
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("case", [*CORPUS, UNKNOWN, INSIDE], ids=lambda case: case["label"])
def test_every_kind_of_run_ends_whatever_comes(
    tmp_path: Path, name: str, case: dict[str, Any], everything: bool
) -> None:
    play(tmp_path, name, case, everything)


def mutated(case: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Another body of the same kind: other names and statuses, words that are missing, bytes that are odd."""
    words = case["body"].split(" ")
    way = rng.randrange(5)
    if way == 0:
        words.pop(rng.randrange(len(words)))
    elif way == 1:
        words[rng.randrange(len(words))] = rng.choice(("quantum", "null", "{", "\u2028", "\ufffd", ""))
    elif way == 2:
        words = [" ".join(words)[: rng.randrange(len(case["body"]))]]
    elif way == 3:
        rng.shuffle(words)
    status = case["status"] if rng.random() < 0.6 else rng.choice((400, 403, 404, 409, 418, 422, 429, 451, 500, 503))
    return {**case, "status": status, "body": " ".join(words), "want": "rate"}


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: case["label"])
def test_a_hundred_mutations_of_each_are_read(case: dict[str, Any]) -> None:
    rng = random.Random(case["label"])
    for _ in range(100):
        other = mutated(case, rng)
        found = verdict(other["status"], other["body"], {}, 0.0)
        assert not getattr(found, "billed", False)


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("seed", seeds(0, 30))
def test_a_run_ends_with_any_mutation(tmp_path: Path, name: str, seed: int) -> None:
    rng = random.Random(seed)
    play(tmp_path, name, mutated(rng.choice(CORPUS), rng), rng.random() < 0.5)
