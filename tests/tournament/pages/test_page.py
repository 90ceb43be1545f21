"""Tables of pages: what a cell shows, and what its tooltip adds."""

from __future__ import annotations

from antemill.tournament.pages.page import table
from antemill.tournament.statistics.sheets import Sheet, number, text


def test_a_wide_table_has_shorter_figures_with_all_digits_beside_them() -> None:
    figures = [number(f"m{i}", f"m{i}") for i in range(24)]
    columns = [text("model", "model"), *figures, number("tau", "tau", 3)]
    sheet = Sheet("wide", "Wide", columns, [["a", *[1.25] * 24, 0.125]])
    wide, narrow = (table(sheet, frozenset(without)) for without in ((), ("m0", "m1")))
    assert wide.count(' title="+1.25" data-key="1.25">+1.2</td>') == 24
    assert ">+0.125</td>" in wide
    assert narrow.count(">+1.25</td>") == 22
