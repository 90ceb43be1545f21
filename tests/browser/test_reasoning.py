"""What models of all providers let see of their thinking: over HTTP into a tournament, in terminal and page."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

import pytest
from playwright.sync_api import expect

from antemill.tournament.cards.play import SIDES
from antemill.tournament.cli.entry import run as command
from antemill.tournament.runs import Record
from tests.browser.replies import REPLIES, SECRET, SILENT
from tests.browser.visitor import Visitor
from tests.tournament.cards.tournament_runs import records_of
from tests.tournament.runs.http_server import http_server

MENU = re.compile(r'- Legal actions: ("(?:[^"\\]|\\.)*")')


def thought_of(name: str, number: int) -> str:
    """What a player thinks before its answer: of two lines, and of what would do harm in a careless page."""
    return f"{name} ponders for the {number}th time: <b onclick=alert(1)>bluff?</b>\nThen [it] is sure: 0 < {number} &."


def prompt_of(body: dict[str, Any]) -> str:
    """The newest text of a request in any of the protocols."""
    turn = next(body[key] for key in ("messages", "input", "contents") if key in body)[-1]
    content = turn.get("content") or turn.get("parts")
    return content if isinstance(content, str) else str(content[-1]["text"])


class Cup(NamedTuple):
    """A finished tournament with its page. thoughts: by player, in the order of its requests."""

    folder: Path
    thoughts: dict[str, list[str]]


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Cup:
    home = tmp_path_factory.mktemp("providers")
    thoughts: dict[str, list[str]] = {name: [] for name in REPLIES}
    one_by_one = threading.Lock()

    def answer(path: str, body: Any) -> tuple[int, bytes]:
        name = body["model"] if "model" in body else unquote(path.split("/")[-1].partition(":")[0])
        found = MENU.search(prompt_of(body))
        if found is None:  # asked whether it can be reached
            return 200, json.dumps(REPLIES[name][1]("ready", "A question?\nYes.")).encode()
        with one_by_one:
            thoughts[name].append(thought := thought_of(name, len(thoughts[name]) + 1))
        text = f'{{"action": {found[1]}}}'
        return 200, json.dumps(REPLIES[name][1](text, thought)).encode()

    with http_server(answer) as url:
        entry = '["{0}"]\nprotocol = "{1}"\nmodel = "{0}"\nbase_url = "{2}"\nprices = {{ input = 1, output = 1 }}\n'
        models = (entry.format(name, protocol, url) for name, (protocol, _) in REPLIES.items())
        (home / "models.toml").write_text("".join(models))
        players = "".join(f'[players.{name}]\nmodel = "{name}"\n' for name in REPLIES)
        table = '[tournament]\ngames = ["leduc"]\nmatches_per_seat = 1\n[limits]\nin_flight = 8\n'
        (home / "cup.toml").write_text(f'{table}{players}[players.rnd]\nbot = "random"\n')
        assert command(["tournament", "run", str(home / "cup.toml"), "--out", str(home / "cup")]) == 0
    assert command(["report", str(home / "cup")]) == 0
    return Cup(home / "cup", thoughts)


def of_player(cup: Cup, name: str) -> tuple[Record, int]:
    """A match of a player against the bot, and the player's seat."""
    for record in records_of(cup.folder):
        data = record.item.data
        if {data["alice"], data["bob"]} == {name, "rnd"}:
            return record, 0 if data["alice"] == name else 1
    raise AssertionError(name)


@pytest.mark.parametrize("name", REPLIES)
def test_reasoning_is_shown_in_the_terminal(cup: Cup, capsys: pytest.CaptureFixture[str], name: str) -> None:
    record, seat = of_player(cup, name)
    capsys.readouterr()
    assert command(["tournament", "show", str(cup.folder), record.item.key, "--reasoning"]) == 0
    said = capsys.readouterr().out
    found = [text for text in cup.thoughts[name] if "".join(f"      | {line}\n" for line in text.splitlines()) in said]
    assert len(found) == (0 if name in SILENT else record.row[f"moves_{SIDES[seat]}"])
    assert SECRET not in said
    assert record.fallbacks == 0


def test_reasoning_is_shown_in_the_page(cup: Cup, visitor: Visitor) -> None:
    for name in REPLIES:
        record, seat = of_player(cup, name)
        place = f"#/run/cup/item/{quote(record.item.key, safe='')}"
        page = visitor.open((cup.folder / "report.html").as_uri() + place)
        page.wait_for_selector(".replay")
        links = page.locator(".log li.choice a", has_text=("Alice", "Bob")[seat])
        expect(links.first).to_be_visible()
        for link in links.all():
            link.click()
            expect(page.locator(".panel h3")).to_contain_text(f"({name})")
            fold = page.locator(".call details", has=page.locator("summary", has_text=re.compile("^Reasoning ")))
            if name in SILENT:
                expect(fold).to_have_count(0)
                continue
            expect(fold).to_have_count(1)
            text = fold.locator("pre").text_content()
            assert text in cup.thoughts[name]
            assert SECRET not in page.locator(".panel").inner_text()
        assert page.locator("b[onclick]").count() == 0
        if name == "anthropic":
            visitor.look(page, "reasoning", whole=True)
        page.close()
