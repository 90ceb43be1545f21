"""The visitor notices what can go wrong in a page, and lets a good one pass."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.visitor import SCHEMES, WIDTHS, Visitor, chromium
from tests.tournament.runs.http_server import http_server

GOOD = '<!doctype html><html lang="en"><meta charset="utf-8"><title>good</title><p>a page</p>'
POLICY = """<meta http-equiv="Content-Security-Policy" content="default-src 'none'">"""


def written(folder: Path, text: str) -> Path:
    path = folder / "page.html"
    path.write_text(text, encoding="utf-8")
    return path


def told(visitor: Visitor, page: Page, words: str) -> bool:
    """Whether there is such a complaint, or one comes in a while."""
    for _ in range(100):
        if words in "\n".join(visitor.complaints):
            return True
        page.wait_for_timeout(100)
    return False


def test_a_good_page_passes_and_is_seen_at_all_widths(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.open(written(tmp_path, GOOD))
    assert page.title() == "good"
    visitor.pictures = tmp_path / "pictures"
    visitor.look(page, "good")
    visitor.print(page, "good")
    drawn = {f"good-{width}-{scheme}.png" for width in WIDTHS for scheme in SCHEMES} | {"good-print.png", "good.pdf"}
    assert {path.name for path in visitor.pictures.iterdir() if path.stat().st_size} == drawn


def test_what_goes_wrong_in_a_file_is_told(visitor: Visitor, tmp_path: Path) -> None:
    for text, words in (
        ("<script>throw new Error('broken')</script>", "uncaught: broken"),
        ("<script>Promise.reject(new Error('later'))</script>", "uncaught: later"),
        ("<script>console.error('told')</script>", "console error: told"),
        ("<script>alert(1)</script>", "dialog: 1"),
        ('<img alt="" src="http://127.0.0.1:9/x.png">', "asked for http://127.0.0.1:9/x.png"),
        ('<img alt="" src="other.png">', "other.png"),
        (f"{POLICY}<script>1</script>", "Content Security Policy"),
    ):
        page = visitor.open(written(tmp_path, GOOD + text))
        assert told(visitor, page, words), text
        page.close()
        visitor.complaints.clear()


def test_an_answer_that_is_an_error_is_told(visitor: Visitor) -> None:
    with http_server(lambda path, _body: (200, GOOD.encode()) if path == "" else (404, b"nothing")) as url:
        page = visitor.open(url)
        page.evaluate("() => fetch('/v1/gone')")
        assert told(visitor, page, "/gone was answered with 404")
        visitor.complaints.clear()


def test_a_page_that_is_too_wide_is_told(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.open(written(tmp_path, f'{GOOD}<div style="width: 600px">wide</div>'))
    visitor.look(page, "wide")
    assert len(visitor.complaints) == len(SCHEMES)
    assert all(one.endswith("pixels wider than a window of 400") for one in visitor.complaints)
    visitor.complaints.clear()


def test_the_tests_find_a_browser_where_there_is_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert chromium() is None
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert chromium() == str(program)


@pytest.mark.slow
@pytest.mark.parametrize(("ci", "code", "words"), [("", 0, "1 skipped"), ("true", 1, "1 error")])
def test_without_a_browser_tests_are_skipped_and_ci_fails(tmp_path: Path, ci: str, code: int, words: str) -> None:
    one = f"{Path(__file__)}::{test_a_good_page_passes_and_is_seen_at_all_widths.__name__}"
    command = [sys.executable, "-m", "pytest", "-n0", "-p", "no:cacheprovider", one]
    environment = {**os.environ, "PATH": str(tmp_path), "CI": ci}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout
    assert words in done.stdout
    assert "there is no browser" in done.stdout
