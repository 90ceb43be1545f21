"""The engine signature (see tests/engine/machine/signature.py)."""

from tests.engine.machine.signature import signature

SIGNATURE = "93d1719c67a661c6"


def test_the_engine_behaves_as_before() -> None:
    assert signature() == SIGNATURE, "the engine behaves differently; if that is meant, say so in the commit"
