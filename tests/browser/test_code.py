"""Python in colours: every character is there, words have the colour of what they are, and long texts take no time."""

from __future__ import annotations

import io
import keyword
import textwrap
import tokenize
from pathlib import Path

import pytest
from playwright.sync_api import Page

from antemill.tournament.pages.page import page as page_of
from tests.browser.visitor import Visitor

COLOURED = "(text) => antemill.python(text).map((one) => one.nodeType ? [one.className, one.textContent] : ['', one])"
TEXTS = (
    "",
    'def f(x):\n    return x == \'it\\\'s\' and x != """a\n\'b\' # no comment\n"""  # one\n',
    "x = f'{y!r:>{w}}' + rb'\\x00' + R\"\\\" + B''\n",
    "@functools.cache\ndef g(): return 0x_ff + 1_000.5e-3j + .5 + 0b101 + 0o17 + 5.\n",
    "a @ b\nprint(x@y)\n",
    'unclosed = \'to the end of its line\nnext = """to the end of all\nlines',
    "größe = λ = 变量 = 1\nclass_ = in_ = definite = printf('x')\n",
    "'''a''' '''b''' 'c' ''\n#'not a string\n",
    "</script><b>&amp;</b>",
)


@pytest.fixture(name="page")
def _page(visitor: Visitor, tmp_path: Path) -> Page:
    (tmp_path / "page.html").write_text(page_of("t", "l", ()))
    return visitor.open(tmp_path / "page.html")


def coloured(page: Page, text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = [tuple(one) for one in page.evaluate(COLOURED, text)]
    return found


def test_nothing_is_left_out(page: Page) -> None:
    sources = [*TEXTS, Path(__file__).read_text(), Path(tokenize.__file__).read_text()[:50_000]]
    for text in sources:
        assert "".join(piece for _, piece in coloured(page, text)) == text


def test_words_have_the_colours_that_python_itself_gives_them(page: Page) -> None:
    """Against Python's own tokens, on modules of the standard library."""
    for module in (keyword, tokenize, io, textwrap):
        text = Path(str(module.__file__)).read_text()[:55_000]
        text = text[: text.rindex("\n\n") + 1]
        found = {"py-string": [], "py-comment": [], "py-keyword": []}  # type: dict[str, list[str]]
        for name, piece in coloured(page, text):
            if name in found:
                found[name].append(piece)
        want = {name: list[str]() for name in found}
        for token in tokens(text):
            if token.type == tokenize.STRING:
                want["py-string"].append(token.string)
            elif token.type == tokenize.COMMENT:
                want["py-comment"].append(token.string)
            elif token.type == tokenize.NAME and keyword.iskeyword(token.string):
                want["py-keyword"].append(token.string)
        soft = {"match", "case", "lambda"} - {*keyword.kwlist}
        found["py-keyword"] = [word for word in found["py-keyword"] if word not in soft]
        assert found == want, module.__name__


def tokens(text: str) -> list[tokenize.TokenInfo]:
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            found.append(token)
    except (tokenize.TokenError, IndentationError):  # a module that was cut off
        pass
    return found
