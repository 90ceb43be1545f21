"""The engine signature (see tests/signature.py)."""

from tests.signature import signature

SIGNATURE = "0000000000000000"


def test_the_engine_behaves_as_before() -> None:
    assert signature() == SIGNATURE, "the engine behaves differently; if that is meant, say so in the commit"
