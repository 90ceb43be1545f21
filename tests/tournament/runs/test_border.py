"""Every error of the corpus, and mutations of it, into a small run of every kind: it ends, and as the rule says.

No prompt is sent oftener than its attempts, and the money is what the server has counted.
"""

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
from antemill.tournament.cli.entry import run as command
from antemill.tournament.duel.kind import duel_type
from antemill.tournament.runs import RunStoppedError, RunType, read_status, start_run
from antemill.tournament.skate.kind import skate_type
from tests.tournament.cards.tournament_runs import obedient
from tests.tournament.duel.duelists import TrustingJudge, strong
from tests.tournament.runs.hasty import hasty
from tests.tournament.runs.http_server import http_server
from tests.tournament.skate.skaters import rules

CORPUS = [json.loads(line) for line in Path("tests/data/border/errors.jsonl").read_text().splitlines()]
FIRST = {case["want"]: case for case in reversed(CORPUS)}  # one of each meaning
UNKNOWN = {"label": "unknown", "status": 418, "body": '{"error": {"message": "quantum decoherence"}}', "want": "item"}
INSIDE = {"label": "inside", "status": 200, "body": '{"error": {"message": "quantum decoherence"}}', "want": "item"}
QUICK = [*FIRST.values(), UNKNOWN, INSIDE]
LIMITS = "[limits]\nretry_pause = 0.02\npatience = 0.6\nin_flight = 4\n[budget]\ndollars = 1000.0\n"
MODEL = (
    '[m]\nprotocol = "openai-chat"\nbase_url = "{url}"\ntimeout = 20.0\ndeadline = 5.0\n'
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


def play(folder: Path, name: str, case: dict[str, Any], everything: bool) -> int:
    """Run it, with a server on loopback; returns the exit code, after what must hold for any body."""
    server = Server([case], KINDS[name][2], everything)
    with http_server(server) as url:
        return ended(folder, name, MODEL.format(url=url), server, LIMITS)


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
    malformed = any(case["status"] < 400 and case["want"] == "rate" for case in server.cases)  # which may be charged
    assert found.possible == 0.0 or malformed
    if all(case["want"] != "rate" for case in server.cases):  # else asked again, no oftener than the backoff
        assert max(server.sent.values(), default=0) <= 3 * SAME
    assert sum(server.sent.values()) < 250
    if code == 0:
        assert found.done + found.discarded == found.total or found.total is None
    return code


WAYS = {"spent": {3}, "account": {3}, "rate": {3}, "context": {0}, "refusal": {0}, "item": {0, 3}}


@pytest.mark.parametrize(("case", "everything"), [*((case, True) for case in QUICK), (UNKNOWN, False), (INSIDE, False)])
def test_a_tournament_ends_as_the_rule_says(tmp_path: Path, case: dict[str, Any], everything: bool) -> None:
    code = play(tmp_path, "tournament", case, everything)
    assert code in ({3} if everything and case["want"] == "item" else WAYS[case["want"]])


def test_a_run_that_discards_everything_ends_with_3_and_the_servers_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = Server([FIRST["context"]], obedient, everything=True)
    table = KINDS["tournament"][1]
    with http_server(server) as url:
        (tmp_path / "models.toml").write_text(MODEL.format(url=url))
        (tmp_path / "run.toml").write_text(f"{table}{LIMITS}")
        out = str(tmp_path / "run")
        assert command(["start", str(tmp_path / "run.toml"), "--out", out, "--no-check"]) == 3
        assert command(["start", out, "--no-check"]) == 3
        said = capsys.readouterr().err
        assert said.count("nothing was played: every item was discarded") == 2
        assert f"`antemill start {out} --again all`" in said
        assert "input tokens" in said
        assert max(server.sent.values()) == 1
        server.everything, server.cases = False, [{**FIRST["refusal"]}]
        assert command(["start", out, "--no-check", "--again", "all"]) == 0


def test_the_last_prompts_that_meet_500_do_not_stop_a_run_at_each_resume(tmp_path: Path) -> None:
    """All prompts from one on: nothing else is left that could be answered."""
    name, first = "tournament", 6
    server = Server([], KINDS[name][2], everything=False)
    seen: dict[str, int] = {}

    def respond(request: httpx2.Request) -> httpx2.Response:
        text = "\n".join(one["content"] for one in json.loads(request.content)["messages"])
        if seen.setdefault(text, len(seen)) < first:
            return server.respond(request)
        server.sent[text] += 1
        return httpx2.Response(500, text="oops")

    make, table, _reply = KINDS[name]
    (tmp_path / "models.toml").write_text(
        MODEL.format(url="http://provider.example/v1").replace("deadline = 5.0\n", "")
    )
    (tmp_path / "run.toml").write_text(f"{table}[limits]\nin_flight = 4\n")
    codes = []
    for _ in range(3):
        try:
            with start_run(make(), tmp_path / "run.toml", tmp_path / "run") as session, hasty():
                session.run(quiet=True, transport=httpx2.MockTransport(respond))
            codes.append(0)
        except RunStoppedError as error:
            codes.append(getattr(error, "exit_code", 1))
    found = read_status(name, tmp_path / "run")
    assert codes in ([3, 0, 0], [3, 3, 0])
    assert 0 < found.discarded == (found.total or 0) - found.done
    assert max(server.sent.values()) < 100


def test_the_context_that_a_server_lists_names_the_games_that_can_not_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = Server([], obedient, everything=False)

    def answer(path: str, body: Any) -> tuple[int, bytes]:
        listed = json.dumps({"data": [{"id": "m", "max_model_len": 3100}]}).encode()
        return (200, listed) if path.endswith("/models") else server(path, body)

    with http_server(answer) as url:
        (tmp_path / "models.toml").write_text(MODEL.format(url=url))
        (tmp_path / "run.toml").write_text(f"{KINDS['tournament'][1]}{LIMITS}")
        assert command(["models", "check", str(tmp_path / "run.toml"), "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["models"][0]["context"] == 3100
        assert [one["about"] for one in found["too_long"]] == ["leduc"]
        assert command(["models", "check", str(tmp_path / "run.toml")]) == 0
        assert "m cannot play leduc: its rulebook has about" in capsys.readouterr().out
        assert command(["start", str(tmp_path / "run.toml"), "--out", str(tmp_path / "run")]) == 0
        said = capsys.readouterr().err
    assert said.count("warning: m cannot play leduc") == 1
    assert "kuhn" not in said


@pytest.mark.slow
@pytest.mark.parametrize("name", ["duel", "skate"])
@pytest.mark.parametrize("case", QUICK, ids=lambda case: case["label"])
def test_every_kind_of_run_ends_whatever_comes(tmp_path: Path, name: str, case: dict[str, Any]) -> None:
    play(tmp_path, name, case, everything=False)
