"""The embedders behind their protocol, and programs in the real sandbox (S3, S5)."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, cast

import httpx2
import numpy as np
import pytest

from antemill.engine.execute.sandbox import Check, CheckLimits, LostError, Sandbox, Verdict
from antemill.tournament.cli.entry import run as command
from antemill.tournament.embedding import Embedder, Vectors, distances
from antemill.tournament.runs.bots import PlayerTable
from antemill.tournament.skate.config import EmbedderTable, SkateConfig, SkateTable
from antemill.tournament.skate.embedders import embedder_of
from antemill.tournament.skate.kind import game_rules
from antemill.tournament.skate.tasks import Draft, InvalidQuestionError
from antemill.tournament.skate.tasks.output import OutputPrediction, SandboxPrograms
from tests.tournament.skate.skaters import SHAPES

TEXTS = [SHAPES[2].format(n=5, m=1), SHAPES[2].format(n=6, m=1), SHAPES[1].format(n=4, m=2)]


def embed(embedder: Embedder, *texts: str) -> Vectors:
    return asyncio.run(embedder.embed(texts))


def of(kind: str) -> Embedder:
    return embedder_of(SkateTable(embedder=EmbedderTable(kind)))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["token-hash", pytest.param("minilm", marks=pytest.mark.extended)])
def test_s5_local_embedders(kind: str) -> None:
    embedder = of(kind)
    found = embed(embedder, *TEXTS)
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0)
    near, far = distances(found[0], found[1:])
    assert near < embedder.threshold < far
    assert np.allclose(embed(embedder, TEXTS[1]), found[1:2], atol=1e-6)
    assert len(embed(embedder)) == 0


@pytest.mark.extended
def test_s5_minilm_reads_word_pieces_as_it_was_trained() -> None:
    found = embed(of("minilm"), "a man is playing a guitar", "someone plays the guitar", "quarterly tax returns")
    assert found.shape == (3, 384)
    assert distances(found[0], found[1:]).tolist() == pytest.approx([0.35, 0.97], abs=0.2)


def test_s5_card_games_are_equal_or_not() -> None:
    embedder = embedder_of(SkateTable(task="solved-game"))
    found = embed(embedder, "a", "b", "a")
    assert distances(found[0], found[1:]).tolist() == [1.0, 0.0]
    assert 0.0 < embedder.threshold < 1.0


def server(
    handle: Callable[[httpx2.Request, int], httpx2.Response],
) -> tuple[httpx2.MockTransport, list[httpx2.Request]]:
    asked: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        return handle(request, len(asked))

    return httpx2.MockTransport(answer), asked


def vectors(request: httpx2.Request, _number: int) -> httpx2.Response:
    """A vector by length and by number of words; in the reverse order, which is allowed."""
    texts = json.loads(request.content)["input"]
    data = [{"index": i, "embedding": [len(text), len(text.split()), 1.0]} for i, text in enumerate(texts)]
    return httpx2.Response(200, json={"data": data[::-1]})


def test_s5_an_openai_compatible_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret")
    transport, asked = server(vectors)
    table = EmbedderTable("openai", None, "http://127.0.0.1:9/v1/", "some-model", "MY_KEY")
    embedder = embedder_of(SkateTable(embedder=table), transport)
    found = embed(embedder, "one two", "three", "one two")
    assert (embedder.name, embedder.threshold) == ("some-model", 0.336)
    assert np.allclose(found[0], np.array([7, 2, 1]) / np.sqrt(54))
    assert np.array_equal(found[0], found[2])
    embed(embedder, "three", "four")
    assert [json.loads(request.content)["input"] for request in asked] == [["one two", "three"], ["four"]]
    assert str(asked[0].url) == "http://127.0.0.1:9/v1/embeddings"
    assert asked[0].headers["authorization"] == "Bearer secret"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('base_url = "http://me:hunter22@127.0.0.1:9/v1"', 'line 4: the embedder "base_url" is wrong'),
        ('base_url = "127.0.0.1:9/v1"', 'line 4: the embedder "base_url" is wrong'),
        ('key_env = "sk-abcdefgh12345678"', 'line 4: the embedder "key_env" is wrong'),
    ],
)
def test_an_embedder_has_no_key_in_its_configuration(
    tmp_path: Path, line: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "skate.toml"
    players = '[players.a]\nbot = "expert"\n[players.b]\nbot = "novice"\n'
    config.write_text(f'[skate]\n[skate.embedder]\nkind = "openai"\n{line}\n{players}')
    assert command(["start", str(config), "--out", str(tmp_path / "run"), "--no-check"]) == 2
    found = capsys.readouterr().err
    assert re.search(said, found)
    assert "hunter22" not in found
    assert "sk-" not in found
    assert not (tmp_path / "run").exists()


def test_s3_programs_in_the_real_sandbox() -> None:
    config = SkateConfig(players={"a": PlayerTable(model="a")}, skate=SkateTable(seconds=2.0))
    with game_rules() as make:
        rules = make(config, Path(), {})
        assert (rules.task.name, rules.embedder.name, rules.embedder.threshold) == (
            "output-prediction",
            "token-hash-1",
            0.336,
        )

        def validate(code: str) -> str:
            return asyncio.run(rules.task.validate(Draft(code)))

        assert validate("print(sum(range(10)))") == "45"
        assert validate("print('a\\n')") == "a\n"
        for code, reason in (
            ("raise ValueError(3)", "it fails"),
            ("raise SystemExit(3)", "prints nothing"),
            ("print({'a', 'b', 'c', 'd', 'e'})", "two runs print different lines"),
            ("import time\nprint(time.time())", "it is refused"),
            ("while True: pass", "it takes too long"),
            ("open('/etc/passwd').read()", "not verifiable"),
            ("pass", "prints nothing"),
        ):
            with pytest.raises(InvalidQuestionError, match=reason):
                validate(code)


def test_a_programs_backend_and_python_are_known_and_a_loss_is_no_refusal() -> None:
    """The setter is not told that the program failed: the run ends."""

    class Losing:
        backend = "native"
        verdicts: ClassVar = [Verdict("true", "", 0.1, "native", "1", python="3.99")]

        async def check(self, _check: Check) -> Verdict:
            if not self.verdicts:
                raise LostError("a check could not be judged, 2 times: its process was stopped.")
            return self.verdicts.pop()

    task = OutputPrediction(SandboxPrograms(cast(Sandbox, Losing()), CheckLimits()))
    assert asyncio.run(task.validate(Draft("print(1)"))) == "1"
    assert task.judged == {"backend": "native", "python": "3.99"}
    with pytest.raises(LostError, match="stopped"):
        asyncio.run(task.validate(Draft("print(1)")))
