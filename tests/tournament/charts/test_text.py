"""Widths of texts, and texts that are made to fit."""

import pytest

from antemill.tournament.charts.text import fitted, plain, width_of, wrapped


@pytest.mark.parametrize("room", [10.0, 40.0, 90.0, 400.0])
@pytest.mark.parametrize("text", ["", "i", "WWWWWWWWWWWW", "information sensitivity", "模型模型模型", "a" * 300])
def test_a_fitted_text_fits_and_is_a_beginning_and_an_end(text: str, room: float) -> None:
    found = fitted(text, room)
    assert width_of(found) <= max(room, width_of("W…"))
    begins, _, ends = found.partition("…")
    assert text.startswith(begins)
    assert text.endswith(ends)
    if width_of(text) <= room:
        assert found == text


def test_wrapped_lines_fit_and_lose_no_word() -> None:
    text = "predicted strength (chips a game) where the axis is highest"
    for room in (60.0, 120.0, 1000.0):
        lines = wrapped(text, room)
        assert all(width_of(line) <= room for line in lines)
        if room > 100:
            assert " ".join(lines) == text
    assert wrapped("", 50.0) == []
    assert "…" in wrapped("x" * 80, 50.0)[0]


def test_what_can_not_be_seen_is_shown_as_what_it_is() -> None:
    assert plain("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#x27;"
    assert plain("x\u202egnp.exe\u2066\x1b[31m\x00\ud800\u200b") == (
        "x⟨U+202E⟩gnp.exe⟨U+2066⟩⟨U+001B⟩[31m⟨U+0000⟩⟨U+D800⟩⟨U+200B⟩"
    )
    assert plain("naïve 模型 ∞ é\n\tz") == "naïve 模型 ∞ é\n\tz"
