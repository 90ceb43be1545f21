"""What the parts of a report share."""

from __future__ import annotations

from antemill.tournament.runs.once import one_report, shared


def test_a_report_makes_each_thing_once_and_keeps_none_of_them() -> None:
    def made(name: str) -> list[int]:
        return shared(name, list[int])

    with one_report():
        first, other = made("a"), made("b")
        assert made("a") is first is not other
    assert made("a") is not first
    with one_report():
        assert made("a") is not first
    assert made("a") is not made("a")
