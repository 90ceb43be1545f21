"""The comparison of long texts and lists."""

import pytest

from tests.differing import assert_same


def test_what_is_the_same_passes() -> None:
    assert_same("a\nb\n", "a\nb\n")
    assert_same(["a", 1], ("a", 1))
    assert_same([], [])


@pytest.mark.parametrize(
    ("found", "want", "said"),
    [
        ("a\nb\nc", "a\nx\nc", r"line 2 of 3 differs:\n  after  'a\\n'\n  found  'b\\n'\n  wanted 'x\\n'$"),
        ("a", "a\n", r"line 1 of 1 differs:\n  found  'a'\n  wanted 'a\\n'$"),
        ([1, 2], [1], r"line 2 of 1 differs:\n  after  1\n  found  2\n  wanted nothing: it ends here$"),
        ([], [None], r"line 1 of 1 differs:\n  found  nothing: it ends here\n  wanted None$"),
    ],
)
def test_the_first_difference_is_named(found: str, want: str, said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        assert_same(found, want)


def test_advice_stands_at_the_end() -> None:
    with pytest.raises(AssertionError, match=r"wanted 'b'\nrun: make golden$"):
        assert_same("a", "b", "run: make golden")
