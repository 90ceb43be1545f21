"""Every example of every page of the documentation runs as it is printed, and every link leads somewhere.

Models that cost money are answered by a script here, at the address and in the protocol that the page names.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest

from antemill.llm import Message, Request, read_models
from antemill.tournament import demo
from antemill.tournament.cards.config import AblationTable
from antemill.tournament.cli.app import app
from antemill.tournament.cli.entry import run
from antemill.tournament.runs.config import Limits
from tests.doc_pages import FILES, PAGES, ROOT, Block, blocks, broken_links, called
from tests.doc_pools import DocPools, doc_pools
from tests.llm.dialects import DIALECTS
from tests.llm.events import Say
from tests.llm.instant import first_legal
from tests.tournament.duel.duelists import strong, tagger
from tests.tournament.skate.skaters import skater

KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY", "XAI_API_KEY")
_PATHS = {"/messages": "anthropic", "/responses": "openai-responses", "/chat/completions": "openai-chat"}
TABLES: dict[str, Any] = {"limits": Limits, "ablation": AblationTable}
QUICK = {"ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "features.md", "performance.md", "differences.md"}


# ---------------------------------------------------------------------------------------- a provider


def _texts(body: dict[str, Any]) -> list[str]:
    """All texts of a request, of any protocol."""
    found: list[str] = []

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            for key in ("content", "text", "system", "parts", "input", "messages", "contents"):
                if key in value:
                    walk(value[key])
        elif isinstance(value, list):
            for one in value:
                walk(one)
        elif isinstance(value, str):
            found.append(value)

    heads = ("instructions", "system", "systemInstruction", "input", "messages", "contents")
    walk([body[key] for key in heads if key in body])
    return found


def _reply(texts: list[str], model: str) -> str:
    """What a fair model would say."""
    text = texts[-1]
    request = Request(messages=(Message("user", text),), sample=model)
    if "You are the proposer" in text or "such that mystery(x) is True" in text:
        return strong(request)
    if "You label programming puzzles" in text:
        return tagger(request)
    purposes = {"Generate one novel": "question", "Here is a Python program": "distractors", "What does this": "answer"}
    for start, purpose in purposes.items():
        if text.startswith(start):
            return skater(model, 0.8)(Request(messages=request.messages, sample=model, purpose=purpose))
    return first_legal(text) if "Legal actions" in text else "yes"


def answer(request: httpx2.Request) -> httpx2.Response:
    """One response in the protocol of the request's path."""
    path = request.url.path
    if request.method == "GET":
        listed = [table.get("model", name) for name, table in tomllib.loads(Path("models.toml").read_text()).items()]
        return httpx2.Response(200, json={"data": [{"id": name} for name in listed]})
    body = json.loads(request.content)
    if path.endswith("/embeddings"):
        vectors = [{"index": i, "embedding": [1.0, float(i)]} for i, _ in enumerate(body["input"])]
        return httpx2.Response(200, json={"data": vectors})
    protocol = next((name for end, name in _PATHS.items() if path.endswith(end)), "gemini")
    texts = _texts(body)
    say = Say(text=_reply(texts, str(body.get("model", path))), read=sum(map(len, texts)) // 4)
    return httpx2.Response(200, json=DIALECTS[protocol].good(say))


@pytest.fixture(autouse=True)
def provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """All providers of the world, without a network; servers on this machine are asked as ever."""
    real = httpx2.AsyncHTTPTransport.handle_async_request

    async def handle(self: httpx2.AsyncHTTPTransport, request: httpx2.Request) -> httpx2.Response:
        if request.url.host in ("127.0.0.1", "localhost"):
            return await real(self, request)
        await request.aread()
        return answer(request)

    monkeypatch.setattr(httpx2.AsyncHTTPTransport, "handle_async_request", handle)
    monkeypatch.setenv("RAY_ADDRESS", "local")  # not the cluster of another test
    for name in KEYS:
        monkeypatch.setenv(name, "a-made-up-key")


# ---------------------------------------------------------------------------------------- running a page


class Script:
    """A page in the course of being carried out, in the working folder."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, pools: DocPools) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch
        self.pools = pools
        self._names: dict[str, Any] = {"__name__": "page"}
        self._printed = ""
        self.beside: list[subprocess.Popen[str]] = []

    def carry_out(self, block: Block) -> None:
        """One block, as it is printed."""
        if "not run" in block.notes:
            return
        if "printed" in block.notes:
            printed = {" ".join(line.split()) for line in self._printed.splitlines()}
            lines = [" ".join(line.split()) for line in block.text.splitlines() if line.strip()]
            assert lines
            assert [line for line in lines if line not in printed] == [], f"{block.page}:{block.line}: {self._printed}"
        elif "file" in block.notes:
            assert block.language in FILES
            path = Path(block.notes["file"])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.language == "toml":
            tables = tomllib.loads(block.text)
            if all("protocol" in table for table in tables.values()):
                Path("part.toml").write_text(block.text, encoding="utf-8")
                assert [*read_models(Path("part.toml"))] == [*tables]
            else:
                assert [msgspec.convert(table, TABLES[name]) for name, table in tables.items()]
        elif block.language == "python":
            exec(compile(block.text, f"{block.page}:{block.line}", "exec"), self._names)
            self._printed = self._capsys.readouterr().out
        elif block.language == "sh":
            self._printed = ""
            for number, words in enumerate(block.commands):
                self._command(words, block, aside="beside" in block.notes and number == 0)

    def _command(self, words: list[str], block: Block, aside: bool) -> None:
        where = f"{block.page}:{block.line}: {' '.join(words)}"
        if aside:
            self._start(words, block.notes["beside"])
            return
        while "=" in words[0]:
            words = words[1:]
        if words[0] == "make":  # a target that there is; the frame of the tests runs it
            subprocess.run(["make", "--dry-run", *words[1:]], cwd=ROOT, check=True, capture_output=True)
            return
        if words[0] == "mkdir":
            Path(words[1]).mkdir(exist_ok=True)
            return
        if words[0].startswith(".venv/bin/"):
            words = [words[0].removeprefix(".venv/bin/"), *words[1:]]
        assert words[0] == "antemill", f"{where}: say what it is, or that it is not run"
        target = None
        if ">" in words:
            place = words.index(">")
            words, target = words[:place], Path(words[place + 1])
        self.pools.begin(words[1:])
        self._monkeypatch.setattr(sys, "stdin", io.StringIO("1\n" * 200))
        code = run(words[1:])
        out, err = self._capsys.readouterr()
        assert code == 0, f"{where} ended with {code}: {err}"
        self._printed += out
        if target is not None:
            target.write_text(out, encoding="utf-8")

    def _start(self, words: list[str], ready: str) -> None:
        ours = {".venv/bin/python": [sys.executable], "antemill": [sys.executable, "-m", "antemill.tournament.cli"]}
        where = Path.cwd() if words[0] == "antemill" else ROOT
        words = [*ours.get(words[0], words[:1]), *words[1:]]
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=where)
        self.beside.append(process)
        assert process.stdout is not None
        for line in process.stdout:
            if ready in line:
                return
        raise AssertionError(f"{' '.join(words)} never printed {ready}")


@pytest.fixture
def script(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Script]:
    """In an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    one = Script(capsys, monkeypatch, doc_pools(tmp_path_factory))
    yield one
    for process in one.beside:
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        process.wait()


def _pages() -> list[Any]:
    return [pytest.param(path, id=path.name, marks=() if path.name in QUICK else pytest.mark.slow) for path in PAGES]


@pytest.mark.parametrize("path", _pages())
def test_every_example_runs_as_printed(path: Path, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    """The demonstration has all of its runs on README.md alone; others read no more than its tournament."""
    if path.name != "README.md":
        monkeypatch.setattr(demo, "_KINDS", {"tournament": demo._KINDS["tournament"]})
    files = [block for block in blocks(path) if "file" in block.notes]
    for block in reversed(files):  # what a page shows further down may be used above
        script.carry_out(block)
    for block in blocks(path):
        script.carry_out(block)
    script.pools.end()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_and_commands_of_a_page_exist(path: Path) -> None:
    assert broken_links(path) == []
    for name, second in called(path):
        assert name in app, name
        if group := [one for one in app[name] if not one.startswith("-")]:
            assert second in ("", *group), f"{name} {second}"


def test_every_group_of_commands_is_in_an_example() -> None:
    shell = [
        block for path in PAGES for block in blocks(path) if block.language == "sh" and "not run" not in block.notes
    ]
    printed = {words[1] for block in shell for words in block.commands if words[0] == "antemill"}
    # What waits for a browser, and what compiles for a minute in the build of a container, have tests of their own.
    assert {name for name in app if not name.startswith("-")} - printed == {"play", "warm"}


def test_the_runner_sees_what_fails(tmp_path: Path, script: Script) -> None:
    page = tmp_path / "page.md"
    page.write_text("```sh\nantemill game show chess\n```\n")
    with pytest.raises(AssertionError, match=r"page.md:1: antemill game show chess ended with 2"):
        script.carry_out(blocks(page)[0])
    shown = "```python\nprint('a  1')\n```\n<!-- printed: above -->\n```text\na 1\n```\n"
    page.write_text(shown)
    for block in blocks(page):
        script.carry_out(block)
    page.write_text(shown.replace("\na 1", "\na 2"))
    code, told = blocks(page)
    script.carry_out(code)
    with pytest.raises(AssertionError, match="a  1"):
        script.carry_out(told)
    page.write_text("[a](other.md) [b](#here) [c](#there) [d](https://example.org)\n\n# Here\n\n`antemill gone` it\n")
    assert broken_links(page) == ["other.md", "#there"]
    assert called(page) == {("gone", "")}
    page.write_text("```sh\nrm -rf everything\n```\n")
    with pytest.raises(AssertionError, match="not run"):
        script.carry_out(blocks(page)[0])
