"""A person at the table, in a real browser: by clicking and by keys, to the end, and what is kept of it."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.seated import LONG, kept, play_hand, reviewed, sit_down, table, won_by
from tests.browser.visitor import HEIGHT, LEGIBLE, SCHEMES, SMALLEST, WIDTHS, Visitor, barriers, becomes
from tests.tournament.view.viewing import viewing

REVIEWED = """([labels, more]) => {
  const options = labels.map((label) => ({label, probability: 1 / labels.length, gives_away: 0}));
  const decisions = [{phase: "Side bet", chosen: "pass", cost: 0, note: "", options}, ...more];
  return antemill.review({opponent: {title: "l1"}, hand: {result: {payoff: 1, hidden: [], said: []}},
    review: {note: "", luckless: 0, without: "cards", decisions}}, "").textContent;
}"""


WATCHED = """() => { window.late = 0; new MutationObserver(() => {
  if (document.querySelector('.review') && document.querySelectorAll('.log li').length < 4) window.late += 1;
}).observe(document.querySelector('main'), {childList: true, subtree: true}); }"""


def check_legible(page: Page) -> None:
    """The letters of drawings, at every width."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": HEIGHT})
        assert page.evaluate(SMALLEST) >= LEGIBLE, width
    page.set_viewport_size({"width": WIDTHS[0], "height": HEIGHT})


def test_a_hand_by_clicking_is_the_match_that_is_kept(visitor: Visitor, tmp_path: Path) -> None:
    folder = tmp_path / "hands"
    with table(folder) as url:
        page = visitor.open(url)
        page.wait_for_selector(".lobby .dot-game")
        visitor.look(page, "play-lobby", whole=True)
        check_legible(page)
        sit_down(page, "leduc", "l1")
        visitor.look(page, "play-hand", whole=True)
        expect(page.locator('.option[data-choice="bet"]')).to_contain_text("2 chips")  # what it puts in
        expect(page.locator(".choice", has_text="check").locator(".leads")).to_have_text("No chips move.")
        expect(page.locator(".phase-rules")).to_contain_text("pays a bet of 2 chips")
        page.keyboard.press("r")
        headings = "[...document.querySelectorAll('dialog h4, dialog h5')]"
        there = "one.textContent.endsWith('First round') && one.getBoundingClientRect().top - below"
        below = "below = document.querySelector('.rules-head').getBoundingClientRect().bottom"
        becomes(page, f"() => {{ const {below}; return {headings}.some((one) => {there} >= 0 && {there} < 60); }}")
        page.keyboard.press("Escape")
        chosen, words = play_hand(page)
        expect(page.locator(".menu-box .sum")).to_have_text(
            re.compile(r"You began with 13 chips, put \d+ into the pot and took \d+ from it: you end with \d+\.")
        )
        reviewed(page)
        visitor.look(page, "play-over", whole=True)
        check_legible(page)
        won = page.locator(".score .facts").inner_text()
        assert "you chose pass the only choice" in page.evaluate(REVIEWED, [["pass"], []])
        both = page.evaluate(REVIEWED, [["take", "pass"], []])
        assert "you chose pass as good as any" in both
        assert "handYou gave nothing away." in both
        unknown: dict[str, object] = {
            "phase": "Round",
            "chosen": "bet",
            "cost": None,
            "note": "It is never reached.",
            "options": [],
        }
        assert "Where it is known what choices cost, you gave nothing away." in page.evaluate(
            REVIEWED, [["take", "pass"], [unknown]]
        )
        page.emulate_media(reduced_motion="no-preference")
        page.evaluate(WATCHED)
        page.click("#next")
        becomes(page, "() => document.querySelectorAll('.log li').length > 3 && !document.querySelector('#next')")
        assert page.evaluate("window.late === 0")  # the review of the last hand goes when the next one begins
        page.close()  # before the server goes, whom it asks for news
    (record,) = kept(folder)
    match = record.transcript
    assert [made.choice for made in match.decisions if made.seat == 0] == chosen
    payoff = won_by("you", record)
    verb = "win" if payoff > 0 else "lose"
    chips = f"{abs(payoff)} chip{'' if abs(payoff) == 1 else 's'}"
    assert words == (f"You {verb} {chips}." if payoff else "A draw: neither player wins.")
    assert f"{payoff:+d}".replace("-", "\N{MINUS SIGN}").replace("+0", "0") in won


def test_keys_a_reload_and_two_tabs(visitor: Visitor, tmp_path: Path) -> None:
    folder = tmp_path / "hands"
    with table(folder) as url:
        page = visitor.open(url)
        sit_down(page, "leduc", "passive")
        page.keyboard.press("2")
        becomes(page, "() => document.querySelector('.log').innerText.includes('Second round')")
        page.wait_for_selector(".option:enabled")
        log = page.locator(".log").inner_text()
        page.reload()
        page.wait_for_selector(".option:enabled")
        assert page.locator(".log").inner_text() == log
        other = visitor.open(url)
        other.wait_for_selector(".option:enabled")
        page.locator(".option:enabled").first.click()
        becomes(other, "() => document.querySelectorAll('.log .is-yours').length === 2")
        becomes(page, "() => document.querySelectorAll('.log .is-yours').length === 2")
        play_hand(page)
        page.keyboard.press("r")
        page.wait_for_selector("dialog[open] .rulebook")
        page.keyboard.press("Escape")
        page.locator("body").press("Enter")
        page.wait_for_selector(".option:enabled")
        other.wait_for_selector(".option:enabled")
        page.close()
        other.close()
    assert len(kept(folder)) == 1


def open_to_all(page: Page, *schemes: str) -> None:
    for scheme in schemes:
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        assert barriers(page) == [], scheme


def test_the_table_is_open_to_all_and_its_hands_are_a_run_to_look_at(visitor: Visitor, tmp_path: Path) -> None:
    folder = tmp_path / "hands"
    with table(folder) as url:
        page = visitor.open(url)
        page.wait_for_selector(".lobby .dot-game")
        open_to_all(page, "light")
        sit_down(page, "kuhn", "l1")
        open_to_all(page, *SCHEMES)
        play_hand(page)
        reviewed(page)
        open_to_all(page, "dark")
        page.close()
    (record,) = kept(folder)
    with viewing(folder) as (_, told):
        page = visitor.open(told["url"])
        page.get_by_role("link", name="hands", exact=True).click()
        page.locator(".list-body tbody th a").first.click()
        expect(page.locator("#item-title")).to_contain_text("in kuhn")
        assert len(record.transcript.decisions) == page.locator(".log a").count()


def test_an_open_page_finds_its_table_after_a_restart(visitor: Visitor, tmp_path: Path) -> None:
    """The hand goes on, and the page says that the table cannot be reached only while that is so."""
    folder = tmp_path / "hands"
    with table(folder) as url:
        page = visitor.open(url)
        sit_down(page, "leduc", "passive")
        page.locator(".option:enabled").first.click()
        page.wait_for_selector(".option:enabled")
        before = page.locator(".felt .hand").all_inner_texts()
    expect(page.locator("#said")).to_contain_text("cannot be reached", timeout=LONG)
    with table(folder, port=int(url.split(":")[2].split("/")[0])) as again:
        assert again == url
        expect(page.locator("#said")).not_to_contain_text("cannot be reached", timeout=LONG)
        page.wait_for_selector(".option:enabled", timeout=LONG)
        assert page.locator(".felt .hand").all_inner_texts() == before
        play_hand(page)
        page.close()
    visitor.complaints[:] = [one for one in visitor.complaints if "net::ERR_" not in one]
    assert len(kept(folder)) == 1
