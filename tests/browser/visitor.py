"""A visitor who looks at pages in Chromium; everything that goes wrong in a page is recorded.

    page = visitor.open(path)                  # a file, or an address of a server on this machine
    page.get_by_role("link", name="Matches").click()
    visitor.look(page, "matches")              # at three widths, light and dark: six pictures if they are wanted
    visitor.print(page, "matches")             # as on paper: a PDF and a picture if they are wanted

A page may request only from where it came from; a file may request nothing.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Request, Response, expect, sync_playwright

WIDTHS, HEIGHT = (1300, 800, 400), 900  # pixels
SCHEMES = ("light", "dark")
PAPER = 1032  # pixels across what is printed of an A4 page on its side
_PATIENCE = 30_000  # milliseconds
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")
LEGIBLE = 10.0  # pixels
# The smallest letters of drawings as they are shown, in pixels.
SMALLEST = """() => Math.min(...[...document.querySelectorAll("svg text")].map((text) => {
  const matrix = text.getScreenCTM();
  return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(matrix.a, matrix.b);
}))"""
# What reaches beyond the paper, or has more in it than it shows.
_CUT_OFF = """() => [...document.querySelectorAll("main *")]
  .filter((one) => one.checkVisibility() && getComputedStyle(one).display !== "inline")
  .filter((one) => !one.closest(".unseen, svg *"))
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 || (getComputedStyle(one).overflowX !== "visible"
    && !one.matches("svg") && (one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1)))
  .map((one) => one.outerHTML.slice(0, 120))"""
_OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


def chromium() -> str | None:
    """The browser's program; None if there is none."""
    return next((found for name in _NAMES if (found := shutil.which(name))), None)


def barriers(page: Page) -> list[str]:
    """What axe-core calls serious or critical, because it keeps some visitors out, with the first place of each."""
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found if one["impact"] in ("serious", "critical")]


def becomes(page: Page, expression: str) -> Any:
    """The expression's value, once it is neither false nor empty.

    Playwright's own waiting evaluates a text in the page, which the content security policy forbids at its second look.
    """
    deadline = time.monotonic() + _PATIENCE / 1000
    while not (found := page.evaluate(expression)):
        assert time.monotonic() < deadline, f"it does not come about: {expression}"
        page.wait_for_timeout(20)
    return found


class Visitor:
    """See the module.

    complaints: what went wrong in any of the pages; a test that expects some takes them away. pictures: the folder that
    pictures are written to; None: nothing is drawn.
    """

    def __init__(self, start: Callable[[], Browser], pictures: Path | None) -> None:
        self.complaints: list[str] = []
        self.pictures = pictures
        self._start = start

    def open(self, where: str | Path, width: int = WIDTHS[0], scheme: str = "light", script: str = "") -> Page:
        """A page in a window of its own, loaded. script: run in it before its own ones."""
        url = where.resolve().as_uri() if isinstance(where, Path) else where
        context = self._start().new_context(
            viewport={"width": width, "height": HEIGHT},
            color_scheme="dark" if scheme == "dark" else "light",
            reduced_motion="reduce",
        )
        context.set_default_timeout(_PATIENCE)
        page = context.new_page()
        if script:
            page.add_init_script(script)
        self._watch(page, url)
        page.goto(url)
        return page

    def look(self, page: Page, name: str, whole: bool = False) -> None:
        """The page must not scroll sideways at any width, light or dark.

        whole: pictures have all of it, and not only what is in the window.
        """
        before = page.viewport_size
        for scheme in SCHEMES:
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": HEIGHT})
                self._draw(page, f"{name}-{width}-{scheme}", whole)
                if (beyond := page.evaluate(_OVERFLOW)) > 0:
                    self.complaints.append(f"{name} is {beyond} pixels wider than a window of {width}")
        page.emulate_media(color_scheme="light")
        if before is not None:
            page.set_viewport_size(before)

    def print(self, page: Page, name: str) -> None:
        """The page as it is printed, as wide as the paper; nothing may be cut off."""
        before = page.viewport_size
        page.emulate_media(media="print")
        page.set_viewport_size({"width": PAPER, "height": HEIGHT})
        self._draw(page, f"{name}-print", whole=True)
        if self.pictures is not None:
            page.pdf(path=self.pictures / f"{name}.pdf", prefer_css_page_size=True)
        self.complaints += [f"{name}, printed, cuts off {one}" for one in page.evaluate(_CUT_OFF)[:5]]
        page.emulate_media(media="screen")
        if before is not None:
            page.set_viewport_size(before)

    def _draw(self, page: Page, name: str, whole: bool) -> None:
        if self.pictures is not None:
            self.pictures.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=self.pictures / f"{name}.png", full_page=whole)

    def _watch(self, page: Page, url: str) -> None:
        home = _origin(url)

        def said(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning", "assert"):
                self.complaints.append(f"console {message.type}: {message.text}")

        def asked(request: Request) -> None:
            own = request.url == url.partition("#")[0] if home.startswith("file:") else _origin(request.url) == home
            if not own and urlsplit(request.url).scheme not in ("data", "blob", "about"):
                self.complaints.append(f"asked for {request.url}")

        def failed(request: Request) -> None:
            if request.failure != "net::ERR_ABORTED":  # left by the page itself
                self.complaints.append(f"{request.url} failed: {request.failure}")

        def answered(response: Response) -> None:
            if response.status >= 400:
                self.complaints.append(f"{response.url} was answered with {response.status}")

        def interrupted(dialog: Dialog) -> None:
            self.complaints.append(f"dialog: {dialog.message}")
            dialog.dismiss()

        page.on("console", said)
        page.on("pageerror", lambda error: self.complaints.append(f"uncaught: {error}"))
        page.on("request", asked)
        page.on("requestfailed", failed)
        page.on("response", answered)
        page.on("dialog", interrupted)


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


@contextmanager
def visiting(program: str, pictures: Path | None) -> Iterator[Visitor]:
    """A visitor with a browser of their own, which starts with the first page.

    From then on the thread counts as one with a running event loop: runs have to be made before, or in another process.
    """
    with ExitStack() as stack:

        @cache
        def start() -> Browser:
            playwright = stack.enter_context(sync_playwright())
            expect.set_options(timeout=_PATIENCE)
            browser = playwright.chromium.launch(executable_path=program, args=_ARGUMENTS)
            stack.callback(browser.close)
            return browser

        yield Visitor(start, pictures)
