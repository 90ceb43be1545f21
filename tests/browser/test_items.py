"""Duels and questions in Chromium: every turn, reply and answer, by click, by link, by choice; and nothing is run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from antemill.llm import Request
from antemill.tournament.cli.entry import run as command
from antemill.tournament.duel.kind import DuelKind
from antemill.tournament.replies import TRIES
from antemill.tournament.runs import RunStore, start_run
from antemill.tournament.skate.kind import SkateKind
from tests.browser.visitor import Visitor, barriers
from tests.tournament.duel import duelists
from tests.tournament.duel.duelists import TrustingJudge
from tests.tournament.skate import skaters

EVIL = "<i>evil</i>/\u202e&"
TRAP = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>\u202e\x1b[2J![x](http://x.test/y)"
CODE = f'# {TRAP}\ndef mystery(x):\n    return x == 6 and \'<svg onload=alert(1)>\' != """{TRAP}"""'
TABLE = (
    '[duel]\nturns = 4\nreferences = ["ace"]\nresolve_own = true\ntagger = "ace"\n'
    'pairs = [["ace", {0}], [{0}, "ace"]]\n'
)


def evil(request: Request) -> str:
    """Proposes what would run in a careless page, and solves nothing that can be read."""
    if not duelists.is_proposal(request):
        return f"{TRAP}\n<think>{TRAP}</think>"
    return f"```python\n{CODE}\n```\n{TRAP}\nSOLUTION: 6"


def ace(request: Request) -> str:
    """Solves everything; its proposals fail in every other turn of its own."""
    text = request.messages[-1].text
    if request.purpose == "tag":
        return '["traps", "squares"]' if "x == 6" in text else '["squares"]'
    if duelists.is_proposal(request):
        turns = text.count("## Turn ")
        return duelists.reply(49 + turns, 7) if turns >= 2 else duelists.strong(request)
    return "SOLUTION: 6" if "x == 6" in text else duelists.strong(request)


class Written:
    """A run with its page."""

    def __init__(self, folder: Path) -> None:
        self.page = folder / "report.html"
        with RunStore(folder / "run.sqlite", read_only=True) as store:
            self.rows = {record.item.key: record.row for record in store.records()}
            self.transcripts = {key: store.transcript(key) for key in self.rows}

    def at(self, item: str, place: str = "") -> str:
        """The address of an item, or of a part of it."""
        route = f"#/run/run/item/{quote(item, safe='')}" + (f"/{place}" if place else "")
        return self.page.as_uri() + route


@pytest.fixture(scope="module")
def duels(tmp_path_factory: pytest.TempPathFactory) -> Written:
    folder = tmp_path_factory.mktemp("duels")
    (folder / "models.toml").write_text(
        "".join(f'[{n}]\nprotocol = "scripted"\nmodel = "{n}"\n' for n in ("ace", "evil"))
    )
    name = f'"{EVIL}"'.replace("\u202e", "\\u202e")
    players = f'[players.ace]\nmodel = "ace"\n[players.{name}]\nmodel = "evil"\n'
    (folder / "duels.toml").write_text(TABLE.format(name) + players)
    with start_run(DuelKind(lambda _config: TrustingJudge()), folder / "duels.toml", folder / "run") as session:
        session.run(quiet=True, scripts={"ace": ace, "evil": evil})
    assert command(["report", str(folder / "run")]) == 0
    return Written(folder / "run")


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Written:
    folder = tmp_path_factory.mktemp("skate")
    play = skaters.skater("low", 0.4)

    def low(request: Request) -> str:
        attempt = request.sample.split("/")[-2]
        return TRAP if request.purpose == "question" and attempt == "0" else play(request)

    config = skaters.write_config(folder, {"ace": 0.95, "low": 0.4}, rounds=2)
    with start_run(SkateKind(skaters.rules), config, folder / "run") as session:
        session.run(quiet=True, scripts={"ace": skaters.skater("ace", 0.95), "low": low})
    assert command(["report", str(folder / "run")]) == 0
    return Written(folder / "run")


def visible(text: str) -> str:
    """A text as a page writes it: what would not be seen, or would reorder others, by its number."""
    return re.sub("[\u202e\x1b]", lambda found: f"\u27e8U+{ord(found[0]):04X}\u27e9", text)


def turns(duels: Written) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Every turn with its duel and what was said in it."""
    return [
        (key, turn, spoken)
        for key, row in duels.rows.items()
        if row["what"] == "duel"
        for turn, spoken in zip(row["turns"], duels.transcripts[key], strict=True)
    ]


def test_every_turn_of_every_duel_is_as_it_was_played(visitor: Visitor, duels: Written) -> None:
    page = visitor.open(duels.at("duel/ace/" + EVIL))
    marks = {"solved": "✓", "unsolved": "✗", "penalty": "!"}
    assert {turn["outcome"] for _, turn, _ in turns(duels)} == {*marks}
    for key in dict.fromkeys(key for key, *_ in turns(duels)):
        page.goto("about:blank")  # what is read below is of no other duel
        page.goto(duels.at(key))
        mine = [(turn, spoken) for item, turn, spoken in turns(duels) if item == key]
        first, second = duels.rows[key]["points"]
        expect(page.locator("#item-title")).to_contain_text(f": {first} to {second}")
        cells = page.locator(".pair-of .strip a > span:first-child").all_inner_texts()
        assert cells == [marks[turn["outcome"]] for turn, _ in mine]
        assert page.locator(".pair-of .strip small").last.inner_text() == f"{first}:{second}"
        heads = page.locator("#explorer h3").all_inner_texts()
        assert [head.split(":")[0] for head in heads] == [f"Turn {turn['number']}" for turn, _ in mine]
        assert all(head.endswith(turn["outcome"]) for head, (turn, _) in zip(heads, mine, strict=True))
        assert page.locator("#explorer pre.code").all_text_contents() == [visible(turn["code"]) for turn, _ in mine]
        assert {"def", "return", "and"} <= {*page.locator("pre.code .py-keyword").all_text_contents()}
        replies = [one for _, spoken in mine for one in [*spoken["proposed"], *spoken["solved"]]]
        assert page.locator("#explorer details.fold").count() == len(replies)
        unread = page.locator("details.fold > summary", has_text="could not be read: ")
        assert unread.count() == sum(bool(one["problem"]) for one in replies)
        said = " ".join(page.locator("#explorer pre.lines").all_inner_texts())
        for turn, _ in mine:
            assert f"its own solution: {turn['solution']} -> {turn['sample_verdict']}" in said
    assert page.evaluate("window.hacked") is None


def test_a_link_opens_a_turn_and_a_reply_with_its_prompt(visitor: Visitor, duels: Written) -> None:
    key, turn, spoken = next(one for one in turns(duels) if len(one[2]["solved"]) == TRIES)
    page = visitor.open(duels.at(key, str(turn["number"])))
    expect(page.locator(f"#event-{turn['number']}")).to_be_in_viewport()
    fold = page.locator("details.fold", has_text="could not be read").nth(1)
    fold.locator("summary").first.click()
    texts = fold.locator("pre").all_text_contents()
    assert visible(spoken["solved"][1]["text"]) in texts
    assert any("mystery" in text and visible(turn["code"]) in text for text in texts)
    fold.get_by_role("link", name="Link to this").click()
    place = page.url.rpartition("/")[2]
    reply = visitor.open(duels.at(key, place)).locator(f"#event-{place}")
    expect(reply).to_have_attribute("open", "")
    expect(reply).to_be_in_viewport()
    page.locator(".pair-of .strip a").nth(3).click()
    expect(page).to_have_url(re.compile("/4$"))
    expect(page.locator("#event-4")).to_be_in_viewport()
    page.go_back()
    assert page.url.endswith(f"/{place}")


def test_a_question_has_its_options_and_attempts_and_answers_their_variants(visitor: Visitor, game: Written) -> None:
    key, row = next(
        (k, r) for k, r in game.rows.items() if r["what"] == "set" and r["setter"] == "low" and r["accepted"]
    )
    page = visitor.open(game.at(key))
    page.locator("pre.code").first.wait_for()  # the item is unpacked after the page has loaded
    assert page.locator("pre.code").all_text_contents() == [visible(TRAP), row["text"]]
    said = " ".join(page.locator("#explorer pre.lines").all_inner_texts())
    assert all(option in said for option in (row["truth"], *row["distractors"]))
    heads = page.locator("#explorer h3").all_inner_texts()
    assert heads == ["Attempt 1, question", "Attempt 2, question", "Attempt 2, distractors"]
    assert f"Attempt 1 was rejected: {row['failures'][0]['reason']}" in said
    assert page.evaluate("window.hacked") is None
    key, row = next((k, r) for k, r in game.rows.items() if r["what"] == "answer")
    page = visitor.open(game.at(key, "3"))
    expect(page.locator("#event-3")).to_be_in_viewport()
    assert page.locator("#explorer h3").all_inner_texts() == [f"Variant {n}" for n in range(1, row["asked"] + 1)]
    assert page.get_by_text(": correct").count() == row["correct"]


def test_pages_have_no_barriers_and_fit_their_windows(visitor: Visitor, duels: Written, game: Written) -> None:
    places = {
        "duels": duels.page.as_uri() + "#/run/run",
        "duel": duels.at("duel/ace/" + EVIL, "2"),
        "solution": duels.at(next(key for key, row in duels.rows.items() if row["what"] == "solve")),
        "questions": game.page.as_uri() + "#/run/run",
        "question": game.at(next(key for key, row in game.rows.items() if row.get("accepted")), "1"),
        "answers": game.at(next(key for key, row in game.rows.items() if row["what"] == "answer"), "1"),
    }
    for number, (name, address) in enumerate(places.items()):
        page = visitor.open(address)
        expect(page.locator("#explorer h2")).to_be_visible()
        visitor.look(page, name)
        visitor.print(page, name)
        page.emulate_media(color_scheme="dark" if number % 2 else "light")
        assert barriers(page) == [], name
        page.close()
