"""Settings for all tests.

Hypothesis runs the same examples in CI every time, and waits for kernels to compile. Slow tests are begun first, so
that the last one does not keep one process busy while the others have nothing to do.
"""

import gc
import importlib
import os
import re
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import seeds
from tests.imports import PACKAGES

# The project's folder is on the path of tests: `import engine` would load a second copy of what `antemill.engine` is.
sys.modules.update(dict.fromkeys(PACKAGES))  # type: ignore[arg-type]

FOLDER = Path(__file__).resolve().parent

# Kernels are compiled at their first call: what Python computes in their place has tests of its own.
os.environ.setdefault("ANTEMILL_COMPILE", "1")

_EXTENDED = re.compile(r"^pytestmark = .*pytest\.mark\.extended", re.MULTILINE)

_patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("local", _patient)
settings.register_profile("ci", _patient, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")

# Begun under nohup or with a shell's `&`: what tests start would inherit that signals are ignored, and some send them.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


# The tests themselves are half a million objects: each full collection of garbage would look at all of them.
gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Where several processes collect all tests: import the modules first, each process from another one on.

    A module's assertions are rewritten where they are not in the cache yet, which takes longer than the rest of its
    collection. So each process rewrites a part of them, and finds those of the others.
    """
    worker = getattr(session.config, "workerinput", None)
    if worker is None or session.config.args_source != pytest.Config.ArgsSource.TESTPATHS:
        return
    files = sorted(path for path in FOLDER.rglob("test_*.py") if not _left_out(path, session.config))
    first = len(files) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    for path in files[first:] + files[:first]:
        name = ".".join(path.relative_to(FOLDER.parent).with_suffix("").parts)
        with suppress(Exception, pytest.skip.Exception):  # collecting the module raises it again, and reports it
            importlib.import_module(name)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the modules that are extended as a whole where extended tests are not run."""
    return _left_out(collection_path, config) or None


def _left_out(path: Path, config: pytest.Config) -> bool:
    """Whether a module is not even imported: it may import what is not installed."""
    if path.suffix != ".py" or "not extended" not in config.getoption("markexpr"):
        return False
    return _EXTENDED.search(path.read_text(encoding="utf-8")) is not None


def pytest_collection_finish() -> None:
    """Collect garbage among what tests make, and seldom."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
    gc.enable()


def pytest_report_header() -> str | None:
    """The seeds of `make test-all`, and how to try them again."""
    shift = seeds.fresh()
    return None if shift is None else f"fresh seeds: {shift} is added to each; again with {seeds.NAME}={shift}"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests first, each part in its own order."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
