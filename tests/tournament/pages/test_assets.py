"""The script of pages: what its files share has one name each, and stands where it is used."""

import re
from collections import Counter
from importlib.resources import files

from antemill.tournament.pages.assets import SCRIPTS

DEFINED = re.compile(r"^antemill\.(\w+) = ", re.MULTILINE)
USED = re.compile(r"antemill\.(\w+)\b")


def test_nothing_that_files_share_is_defined_twice_or_nowhere() -> None:
    texts = [files("antemill.tournament.pages").joinpath(name).read_text("utf-8") for name in SCRIPTS]
    defined = Counter(name for text in texts for name in DEFINED.findall(text))
    assert [name for name, times in defined.items() if times > 1] == []
    assert {name for text in texts for name in USED.findall(text)} <= {*defined}
    assert "chips" in defined
