"""Duels and SKATE, killed at random moments and resumed, end as if nothing had happened (D9)."""

from __future__ import annotations

import asyncio
import json
import math
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from antemill.llm import Request, Script
from antemill.tournament.duel.kind import DuelKind
from antemill.tournament.evaluation.kind import EVALUATION
from antemill.tournament.runs import Kind, RunStore, start_run
from antemill.tournament.skate.kind import SkateKind
from tests.tournament.cards import tournament_runs as cups
from tests.tournament.cards.tournament_runs import number_of, records_of
from tests.tournament.duel import duelists
from tests.tournament.duel.duelists import TrustingJudge
from tests.tournament.runs.killing import hold, kill_after, lines, started, stored, written
from tests.tournament.skate import skaters
from tests.tournament.skate.skaters import skater

KILLS = 20
SKILLS = {"ace": 0.9, "low": 0.4}
DUELISTS = {"ace": duelists.strong, "dud": duelists.weak, "wrong": duelists.wrong, "tagger": duelists.tagger}


def write_duels(folder: Path) -> Path:
    (folder / "models.toml").write_text("".join(f'[{n}]\nprotocol = "scripted"\nmodel = "{n}"\n' for n in DUELISTS))
    path = folder / "run.toml"
    pairs = json.dumps([["ace", "dud"], ["dud", "wrong"], ["wrong", "ace"], ["ace", "wrong"]])
    players = "".join(f'[players.{name}]\nmodel = "{name}"\n' for name in DUELISTS)
    duel = f'[duel]\npairs = {pairs}\nreferences = ["ace"]\ntagger = "tagger"\n'
    path.write_text(f"[limits]\nfallbacks = 0\n{duel}{players}")
    return path


def write_skate(folder: Path) -> Path:
    return skaters.write_config(folder, SKILLS, rounds=3)


def write_eval(folder: Path) -> Path:
    (folder / "models.toml").write_text("".join(cups.MODELS.format(name=name, seconds=60.0) for name in ("one", "two")))
    path = folder / "run.toml"
    players = "".join(f'[players.{name}]\nmodel = "{name}"\n' for name in ("one", "two"))
    path.write_text(f'[eval]\ngames = ["kuhn"]\nmatches_per_seat = 6\n[policy]\nsamples = 2\n{players}')
    return path


def duel_kind() -> Kind[Any, Any]:
    return DuelKind(lambda _config: TrustingJudge())


def skate_kind() -> Kind[Any, Any]:
    return SkateKind(skaters.rules)


GAMES: dict[str, tuple[Callable[[Path], Path], Callable[[], Kind[Any, Any]], dict[str, Any]]] = {
    "duel": (write_duels, duel_kind, DUELISTS),
    "eval": (write_eval, lambda: EVALUATION, dict.fromkeys(("one", "two"), cups.thoughtful)),
    "skate": (write_skate, skate_kind, {name: skater(name, skill) for name, skill in SKILLS.items()}),
}


def run_logged(game: str, config: Path, out: Path, log: Path, seconds: float) -> None:
    """Work on a run, with a line in a file for every call before it is answered, and a delay; calls may be held."""
    _, kind, scripts = GAMES[game]

    def slowed(script: Callable[[Request], str]) -> Script:
        async def model(request: Request) -> str:
            await written(log, request)
            await asyncio.sleep(seconds * (number_of(request.sample) % 100) / 50)
            return script(request)

        return model

    with start_run(kind(), config, out) as session:
        session.run(quiet=True, scripts={name: slowed(script) for name, script in scripts.items()})
    os._exit(0)


def content(out: Path) -> list[Any]:
    """Everything of a run but its clocks and the rows of its calls."""
    store = RunStore(out / "run.sqlite", read_only=True)
    try:
        of_items = [(r.item.key, r.status, r.row, without_calls(store.transcript(r.item.key))) for r in store.records()]
        return [*of_items, store.replies()]
    finally:
        store.close()


def without_calls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_calls(part) for name, part in value.items() if name not in ("call", "seconds")}
    return [without_calls(part) for part in value] if isinstance(value, list) else value


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_killed_games_end_as_if_nothing_had_happened(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTEMILL_TEST_WARM", "1")
    write, kind, scripts = GAMES[game]
    config = write(tmp_path)
    with start_run(kind(), config, tmp_path / "whole") as session:
        session.run(quiet=True, scripts=scripts)
    whole = content(tmp_path / "whole")
    total = len(stored(tmp_path / "whole"))
    assert total > 60
    out, log, rng = tmp_path / "killed", tmp_path / "log", random.Random(3)
    for kill, moment in enumerate([0, *sorted(rng.sample(range(total), KILLS - 1))]):
        paid, before = stored(out), len(lines(log))
        hold(log, before + total - len(paid))  # the last one there is, so that it does not end
        process = started(run_logged, game, config, out, log, 0.004)
        assert kill_after(process, log, max(moment, before + bool(kill)), rng.uniform(0, 0.02)), f"{kill}: it ended"
        assert not paid & set(lines(log)[before:])
    paid, before = stored(out), len(lines(log))
    hold(log, math.inf)
    process = started(run_logged, game, config, out, log, 0.0)
    process.join(300)
    assert process.exitcode == 0
    assert not paid & set(lines(log)[before:])
    assert content(out) == whole
    assert all(record.status == "done" for record in records_of(out))
    assert stored(out) == stored(tmp_path / "whole")
