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
    outcomes = {"solved": "solved", "unsolved": "not solved", "penalty": "penalty"}
    marks = {"solved": "✓", "unsolved": "✗", "penalty": "!"}
    assert {turn["outcome"] for _, turn, _ in turns(duels)} == {*outcomes}
    for key in dict.fromkeys(key for key, *_ in turns(duels)):
        page.goto("about:blank")  # what is read below is of no other duel
        page.goto(duels.at(key))
        first, second = duels.rows[key]["points"]
        expect(page.locator("#item-title")).to_contain_text(f": {first} to {second}")
        cells = page.locator(".between.here .strip a > span:first-child").all_inner_texts()
        assert cells == [marks[turn["outcome"]] for item, turn, _ in turns(duels) if item == key]
        assert page.locator(".between.here .strip small").last.inner_text() == f"{first}:{second}"
        for item, turn, spoken in turns(duels):
            if item != key:
                continue
            section = page.locator(f"#turn-{turn['number']}")
            expect(section.locator("h3")).to_contain_text(outcomes[turn["outcome"]])
            assert section.locator("pre.code").text_content() == visible(turn["code"])
            if turn["code"]:
                assert {"def", "return", "and"} <= {*section.locator("pre.code .py-keyword").all_text_contents()}
            answers = section.locator(".answer")
            assert answers.count() == (1 if turn["outcome"] == "penalty" else 2)
            assert answers.nth(0).locator("code").text_content() == turn["solution"]
            expect(answers.nth(0).locator(".verdict")).to_contain_text(
                "holds" if turn["sample_verdict"] == "true" else "✗"
            )
            expect(answers.nth(0).locator(".verdict")).to_contain_text("trust")
            if turn["attempt"]:
                assert answers.nth(1).locator("code").text_content() == turn["attempt"]
            assert section.locator(".replies details.fold").count() == len(spoken["proposed"]) + len(spoken["solved"])
            unread = [one["problem"] for one in [*spoken["proposed"], *spoken["solved"]] if one["problem"]]
            assert section.get_by_text("could not be read: ").count() == len(unread)
            assert section.get_by_text("(4, none could be read)").count() == (len(unread) == 4)
    assert page.evaluate("window.hacked") is None


def test_a_link_opens_a_turn_and_a_reply_with_its_prompt(visitor: Visitor, duels: Written) -> None:
    key, turn, spoken = next(one for one in turns(duels) if len(one[2]["solved"]) == TRIES)
    page = visitor.open(duels.at(key, f"{turn['number']}.s1"))
    fold = page.locator(f"#turn-{turn['number']}-s1")
    expect(fold).to_have_attribute("open", "")
    expect(fold).to_be_in_viewport()
    assert fold.get_by_text("Reply", exact=False).count()
    assert fold.locator("pre").last.is_hidden()
    texts = fold.locator("pre").all_text_contents()
    assert visible(spoken["solved"][1]["text"]) in texts
    assert any("mystery" in text and visible(turn["code"]) in text for text in texts)
    page.locator(".between.here .strip a").nth(3).click()
    expect(page).to_have_url(re.compile("/4$"))
    expect(page.locator("#turn-4")).to_be_in_viewport()
    page.go_back()
    assert page.url.endswith(f"/{turn['number']}.s1")


def test_a_question_has_options_answers_and_attempts(visitor: Visitor, game: Written) -> None:
    key, row = next(
        (k, r) for k, r in game.rows.items() if r["what"] == "set" and r["setter"] == "low" and r["accepted"]
    )
    page = visitor.open(game.at(key))
    assert page.locator("pre.code").first.text_content() == row["text"]
    answers = {
        (r["player"]): (r, game.transcripts[k])
        for k, r in game.rows.items()
        if r["what"] == "answer" and r["number"] == row["number"]
    }
    table = page.get_by_role("region", name="Options").locator("tbody tr")
    texts = [row["truth"], *row["distractors"]]
    for place, text in enumerate(texts):
        cells = table.nth(place).locator("th, td").all_text_contents()
        variants = [one for _, transcript in answers.values() for one in transcript]
        shown = [one for one in variants if place in one["order"]]
        picked = [one for one in shown if one["place"] is not None and one["order"][one["place"]] == place]
        assert cells[1:4] == [text, str(len(shown)), str(len(picked))]
    lines = page.get_by_role("region", name="Answers").locator("tbody tr").all_inner_texts()
    for player, (found, _) in answers.items():
        assert any(line.startswith(player) and f"{found['correct']} of {found['asked']}" in line for line in lines)
    attempts = page.locator(".attempt")
    assert attempts.count() == len(row["failures"]) + 1
    expect(attempts.first.locator(".mark")).to_have_text(row["failures"][0]["reason"])
    attempts.first.get_by_text("What was rejected").click()
    expect(attempts.first.locator("pre").first).to_have_text(visible(TRAP))
    assert page.evaluate("window.hacked") is None


def test_the_first_screens_lead_to_the_duels_of_the_best_and_to_the_most_telling_question(
    visitor: Visitor, duels: Written, game: Written
) -> None:
    page = visitor.open(duels.page)
    page.get_by_role("link", name="The duels of").click()
    expect(page.locator("table.items tbody tr")).to_have_count(sum(key.startswith("duel/") for key in duels.rows))
    page = visitor.open(game.page)
    said = page.locator("p.finding").last
    expect(said).to_contain_text(" tells the players apart most: one answers ")
    named = said.inner_text().partition(" tells")[0]
    said.get_by_role("link").click()
    expect(page.locator("#item-title")).to_contain_text(named)
    variance = page.locator(".facts div", has_text="Variance of p").locator("dd").inner_text()
    page.get_by_role("link", name="Questions and answers").first.click()
    page.get_by_role("link", name="Most telling first").click()
    expect(page.locator("table.items tbody tr").first).to_contain_text(variance)


def test_pages_have_no_barriers_and_fit_their_windows(visitor: Visitor, duels: Written, game: Written) -> None:
    places = {
        "duels": duels.page.as_uri() + "#/run/run",
        "duel": duels.at("duel/ace/" + EVIL, "1.p0"),
        "solution": duels.at(next(key for key, row in duels.rows.items() if row["what"] == "solve")),
        "questions": game.page.as_uri() + "#/run/run",
        "question": game.at(next(key for key, row in game.rows.items() if row.get("accepted")), "a0"),
        "answers": game.at(next(key for key, row in game.rows.items() if row["what"] == "answer"), "v0"),
    }
    for number, (name, address) in enumerate(places.items()):
        page = visitor.open(address)
        expect(page.locator("#explorer h2")).to_be_visible()
        visitor.look(page, name)
        visitor.print(page, name)
        page.emulate_media(color_scheme="dark" if number % 2 else "light")
        assert barriers(page) == [], name
        page.close()
