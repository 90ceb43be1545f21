"""Runs and reports answer all arguments with a result or with one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from antemill.engine.errors import AntemillError, UsageError
from antemill.tournament.report import page_of, pool_report
from antemill.tournament.runs import RunFolder, RunStore, open_run, read_config, read_status, reading, start_run
from tests.odd import PLAIN, one_sentence, refusals
from tests.tournament.runs.run_kinds import TOY, ToyConfig, write_models, write_toy


@pytest.fixture
def cup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of a caller, with a configuration and a run that has begun."""
    monkeypatch.chdir(tmp_path)
    write_models(tmp_path, "echo")
    with start_run(TOY, write_toy(tmp_path), tmp_path / "cup") as session:
        session.run(quiet=True, scripts={"echo": lambda _request: "yes"})
    return tmp_path


def _entered(function: Callable[..., Any]) -> Callable[..., str]:
    def begun(**given: Any) -> str:
        with function(**given) as found:
            return repr(found)

    return begun


@pytest.mark.parametrize(
    ("function", "good"),
    [
        (_entered(start_run), {"kind": TOY, "config": "toy.toml", "out": "cup"}),
        (_entered(open_run), {"kind": TOY, "out": "cup", "dollars": 1.0, "again": "all"}),
        (_entered(reading), {"kind": TOY, "path": "cup"}),
        (read_status, {"name": "toy", "path": "cup"}),
        (read_config, {"path": "toy.toml", "shape": ToyConfig}),
        (RunFolder, {"path": "cup"}),
        (_entered(RunStore), {"path": "cup/run.sqlite", "read_only": True}),
    ],
)
@pytest.mark.usefixtures("cup")
def test_odd_arguments(function: Callable[..., Any], good: dict[str, Any]) -> None:
    assert list(refusals(function, good, (*PLAIN, TOY, ToyConfig()))) == []


@pytest.mark.usefixtures("cup")
def test_odd_arguments_of_reports() -> None:
    for odd in PLAIN:
        with pytest.raises(UsageError, match=r"^the argument `pool` must be a PoolReport, and is .*\.$"):
            pool_report(odd, None)
    for odd in PLAIN:
        try:
            page_of(odd)
        except AntemillError as error:
            said = str(error).replace(odd, "...") if isinstance(odd, str) and odd else str(error)
            assert one_sentence(said)
