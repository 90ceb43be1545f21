"""`tests.seeds`: one seed of each ten, and all of them with fresh ones."""

import pytest

from tests.seeds import NAME, seeds, size


def test_one_of_each_ten_with_every_last_digit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(NAME, raising=False)
    assert list(seeds(200, 320)) == [200, 211, 222, 233, 244, 255, 266, 277, 288, 299, 300, 311]
    assert list(seeds(2, 12)) == [2]
    assert size(3, 9) == 3
    assert list(seeds(0, 12)) == [0, 11]


def test_all_of_them_and_fresh_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "1000")
    assert list(seeds(2, 12)) == list(range(1002, 1012))
    assert size(3, 9) == 9
