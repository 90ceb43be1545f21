"""A question of an evaluation in a real browser: what the player saw, and the mix that it stated."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from antemill.llm import Model
from antemill.tournament.evaluation.kind import EVALUATION
from antemill.tournament.evaluation.report import report
from antemill.tournament.runs import start_run
from tests.browser.visitor import Visitor
from tests.local_model import as_toml
from tests.tournament.cards.tournament_runs import unplay
from tests.tournament.evaluation.test_mixing import perfect


def test_a_question_shows_the_stated_mix_and_its_draw(visitor: Visitor, tmp_path: Path) -> None:
    (tmp_path / "models.toml").write_text(as_toml(Model(name="p", protocol="scripted", model="p")))
    config = tmp_path / "eval.toml"
    config.write_text(
        '[eval]\ngames = ["kuhn"]\nmatches_per_seat = 1\n[policy]\n[players.p]\nmodel = "p"\nanswer = "mix"\n'
    )
    with start_run(EVALUATION, config, tmp_path / "run") as session:
        session.run(quiet=True, scripts={"p": perfect})
    page = tmp_path / "page.html"
    page.write_text(report(tmp_path / "run"))
    found = visitor.open(page)
    expect(found.locator("#overview")).to_contain_text("12")
    found.get_by_role("link", name="Matches and questions 14").click()
    expect(found.locator("#list-title")).to_have_text("Matches and questions")
    found.goto("about:blank")
    found.goto(f"{page.as_uri()}#/run/run/item/kuhn%3A5%3Ap%3Aeverywhere")
    found.wait_for_selector(".replay")
    expect(found.locator("#explorer")).to_contain_text("A question: the match goes no further.")
    expect(found.locator("#explorer")).not_to_contain_text("undefined")
    found.get_by_role("link", name="Alice decides").last.click()
    expect(found.locator(".decision")).to_contain_text("from the stated mix: call 100%")
    unplay(tmp_path / "run", 5)
    page.write_text(report(tmp_path / "run"))
    found = visitor.open(page)
    expect(found.locator("#overview")).to_contain_text("After 5 of 14 matches and questions.")
    expect(found.get_by_role("link", name="Matches and questions 5 of 14")).to_be_visible()
