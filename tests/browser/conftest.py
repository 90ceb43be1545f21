"""Pages in a real browser: Debian's chromium, driven by Playwright.

Without a browser these tests are skipped; in CI (`CI` is set) that is an error. `ANTEMILL_SCREENSHOTS` names the folder
that pictures are written to; without it there are none.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.visitor import Visitor, chromium, visiting


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test that opens a browser is slow."""
    for item in items:
        if "visitor" in getattr(item, "fixturenames", ()):
            item.add_marker("slow")


@pytest.fixture
def visitor() -> Iterator[Visitor]:
    """A browser of its own for each test, which fails if anything went wrong in a page."""
    program = chromium()
    if program is None:
        missing = "there is no browser: install Debian's package chromium"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    pictures = os.environ.get("ANTEMILL_SCREENSHOTS")
    with visiting(program, Path(pictures) if pictures else None) as found:
        yield found
        assert found.complaints == []
