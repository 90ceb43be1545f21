"""The fixture of all tests here, and which of them a second Python runs."""

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.engine.execute.sandbox.backends import sandbox

__all__ = ["sandbox"]
SMOKE = "ANTEMILL_WASM_SMOKE"  # set by .ci/run on the newest Python


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With `SMOKE`, one quick case of each file for the backend wasm: its guest brings the same Python everywhere."""
    if not os.environ.get(SMOKE):
        return
    left_out = spared((item.nodeid, _guest(item)) for item in items if item.get_closest_marker("slow") is None)
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
    items[:] = [item for item in items if item.nodeid not in left_out]


def spared(cases: Iterable[tuple[str, bool]]) -> set[str]:
    """The ids of all cases in the guest but the first of each file; cases are an id, and whether it is of the guest."""
    seen, found = set[str](), set[str]()
    for name, guest in cases:
        file = name.partition("::")[0]
        if guest and file in seen:
            found.add(name)
        elif guest:
            seen.add(file)
    return found


def _guest(item: pytest.Item) -> bool:
    """Whether this is a case below this folder that the backend wasm judges."""
    called = getattr(item, "callspec", None)
    return Path(__file__).parent in item.path.parents and called is not None and "wasm" in called.params.values()
