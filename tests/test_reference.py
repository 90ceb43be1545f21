"""The build of the reference is strict: what is planted in a package fails it. `make docs` builds the real one."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs import reference

_PACKAGE = '''"""A package. `antemill.engine.generate` makes a game."""
from typing import NamedTuple

__all__ = ["Pair", "deal", "LIMIT"]

LIMIT = 3  # cards

class Pair(NamedTuple):
    """Two numbers. low, high: the ends."""

    low: int
    high: int  # at most LIMIT

    def swapped(self) -> "Pair":
        """The other way round."""
        return Pair(self.high, self.low)

def deal(cards: int) -> Pair:
    """Deal.

    cards: how many. Raises ValueError if there are too few.

    first   what comes
            before all
    second  what comes then
    """
    return Pair(cards, LIMIT)
'''


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> tuple[list[str], str]:
    """What a build of the package says, and its page. The parameter: what stands in place of what."""
    name = f"planted_{abs(hash(request.node.name))}"
    old, new = request.param
    assert old in _PACKAGE
    (tmp_path / f"{name}.py").write_text(_PACKAGE.replace(old, new))
    monkeypatch.syspath_prepend(str(tmp_path))
    wrong = reference.build(tmp_path / "pages", (name,))
    return [line.replace(name, "planted") for line in wrong], (tmp_path / "pages" / f"{name}.html").read_text()


@pytest.mark.parametrize("planted", [("", "")], indirect=True)
def test_a_documented_package_passes_and_is_shown(planted: tuple[list[str], str]) -> None:
    wrong, page = planted
    assert wrong == []
    assert "<strong>cards</strong>: how many." in page
    assert "<strong>first</strong>: what comes" in page
    assert "at most LIMIT" in page
    assert "swapped" in page


@pytest.mark.parametrize(
    ("planted", "sentence"),
    [
        (("antemill.engine.generate", "antemill.engine.genrate"), "planted refers to `antemill.engine.genrate`"),
        (("The other way round.", "As `antemill.nowhere.x`."), "planted.Pair.swapped refers to `antemill.nowhere.x`"),
        (('        """The other way round."""\n', ""), "planted.Pair.swapped is public and has no docstring"),
        (("  # cards", ""), "planted.LIMIT is public and has no docstring"),
        (('"""Two numbers. low, high: the ends."""', ""), "planted.Pair is public and has no docstring"),
        (('"""A package. `antemill.engine.generate` makes a game."""', ""), "planted has no docstring"),
    ],
    indirect=["planted"],
    ids=str,
)
def test_what_is_missing_or_refers_to_nothing_fails_it(planted: tuple[list[str], str], sentence: str) -> None:
    wrong, _ = planted
    assert len(wrong) == 1
    assert wrong[0].startswith(sentence)
