"""A person at the table against a model over HTTP, and games that are chosen by their place among the axes."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from antemill.engine.match import Game, Match
from antemill.engine.rules.named import leduc
from antemill.engine.text.rulebook import rulebook
from antemill.tournament.cards.kind import TOURNAMENT
from antemill.tournament.cards.replay import table_names
from antemill.tournament.runs import reading
from tests.browser.seated import kept, next_hand, play_hand, reviewed, table, won_by
from tests.browser.visitor import Visitor
from tests.tournament.runs.http_server import completion, http_server

ENTRY = (
    '[echo]\nprotocol = "openai-chat"\nmodel = "echo-1"\nbase_url = "{0}"\nprices = {{ input = 1000, output = 1000 }}\n'
)
GARBAGE = "<script>alert(1)</script> I would rather \u202enot say."


class Server:
    """A model behind a server: it fails, says twice what cannot be read, and then plays the last option."""

    def __init__(self) -> None:
        self.prompts: list[list[dict[str, str]]] = []  # of the answered requests
        self.said: list[str] = []
        self.failures = 1

    def answer(self, _path: str, body: Any) -> tuple[int, bytes]:
        if self.failures:
            self.failures -= 1
            return 401, json.dumps({"error": {"message": "no entry", "type": "authentication_error"}}).encode()
        self.prompts.append(body["messages"])
        menu = re.search(r"^- Legal actions: (.*)$", body["messages"][1]["content"], re.MULTILINE)
        assert menu is not None
        self.said.append(f'{{"action": {menu[1].rpartition(", ")[2]}}}' if len(self.said) > 1 else GARBAGE)
        return completion(self.said[-1])


def test_a_hand_against_a_model_is_the_match_that_is_kept(visitor: Visitor, tmp_path: Path) -> None:
    folder, server = tmp_path / "hands", Server()
    with http_server(server.answer) as address:
        (tmp_path / "models.toml").write_text(ENTRY.format(address))
        with table(folder, home=tmp_path) as url:
            page = visitor.open(url)
            sit_down_with_model(page)
            expect(page.get_by_role("alert")).to_contain_text("no entry")
            visitor.look(page, "play-halted")
            page.get_by_role("button", name="Ask again").click()
            chosen, said = [], []
            for hand in range(2):
                if hand:
                    next_hand(page)
                chosen.append(play_hand(page)[0])
                reviewed(page)
                replies = page.locator(".review details", has_text="What echo replied")
                replies.locator("> summary").click()
                said += replies.locator("pre").all_text_contents()
                if not hand:
                    visitor.look(page, "play-model", whole=True)
            won = page.locator(".score .facts > div").nth(1).locator("dd").inner_text()
            page.close()
    check_kept(folder, server, chosen)
    assert said == [GARBAGE.replace("\u202e", "\u27e8U+202E\u27e9"), *server.said[2:]]
    chips = sum(won_by("you", one) for one in kept(folder))
    assert int(won.replace("\N{MINUS SIGN}", "-")) == chips


def sit_down_with_model(page: Page) -> None:
    """As Bob first, so that the model is asked before the person chooses."""
    page.check('input[name="game"][value="leduc"]')
    page.check('input[name="opponent"][value="echo"]')
    page.check('input[name="rule"][value="bob"]')
    page.get_by_role("button", name="Sit down").click()
    page.get_by_role("button", name="Ask again").wait_for(timeout=180_000)


def check_kept(folder: Path, server: Server, chosen: list[list[str]]) -> None:
    """Choices, replies, causes, cards and prompts of the kept hands are those of the page and of the server."""
    records = kept(folder)
    assert [one.transcript.seats for one in records] == [("echo", "you")] * 2
    mine = [[made.choice for made in one.transcript.decisions if made.seat == 1] for one in records]
    assert mine == chosen
    theirs = [
        (made.choice, move)
        for one in records
        for made, move in zip(one.transcript.decisions, one.moves, strict=True)
        if made.seat == 0
    ]
    assert [move.text for _, move in theirs] == server.said[1:]  # the first question is asked twice
    assert theirs[0][1].cause is not None
    for choice, move in theirs[1:]:
        assert (move.cause, json.loads(move.text or "")["action"]) == (None, choice)
    own = iter([prompt for prompt in server.prompts if len(prompt) == 2])
    for one in records:
        match = Match(Game(leduc()), one.transcript.play_seed)
        (card,) = match.piles().hands[1]
        hidden = table_names(match.game)["deck"][card]["label"]
        for _ in [made for made in one.transcript.decisions if made.seat == 0]:
            system, turn = next(own)
            assert rulebook(leduc()) in system["content"]
            assert hidden not in turn["content"]
    assert next(own, None) is None
    with closing(sqlite3.connect(folder / "calls.sqlite")) as calls:
        assert calls.execute("SELECT count(*) FROM calls WHERE status = 'ok'").fetchone() == (len(server.said),)
    with reading(TOURNAMENT, folder) as run:
        costs = [record.cost for record in run.store.records()]
    assert sum(costs) > 0.0
