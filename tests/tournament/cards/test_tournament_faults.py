"""A tournament that is killed at random moments, and one that a real model plays."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from antemill.llm import CallStore
from antemill.tournament.cards import TOURNAMENT
from antemill.tournament.cards.play import read_match
from antemill.tournament.cards.rows import tallies
from antemill.tournament.runs import reading
from tests.local_model import as_toml, local_entry, local_model
from tests.tournament.cards import tournament_runs as cups
from tests.tournament.runs.killing import hold, kill_after, lines, started, stored

KILLS = 20


@pytest.mark.slow
def test_a_tournament_killed_at_twenty_random_moments_ends_as_if_nothing_had_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D9: no match lost, none twice, no call paid twice for a stored reply."""
    monkeypatch.setenv("ANTEMILL_TEST_WARM", "1")
    config = cups.write_long_cup(tmp_path)
    cups.run_cup(config, tmp_path / "whole", {"one": cups.thoughtful, "two": cups.thoughtful})
    whole = cups.table_of(tmp_path / "whole")
    assert whole.num_rows == 2 * 6 * 16
    out, log, rng = tmp_path / "killed", tmp_path / "log", random.Random(5)
    with CallStore(tmp_path / "whole" / "calls.sqlite") as calls:
        total = len(list(calls.calls()))
    assert total > 200
    moments = sorted(rng.sample(range(total), KILLS - 1))
    for kill, moment in enumerate([0, *moments]):
        paid, before = stored(out), len(lines(log))
        hold(log, before + total - len(paid))  # the last one there is, so that it does not end
        process = started(cups.run_logged, config, out, log, 0.003)
        assert kill_after(process, log, max(moment, before + bool(kill)), rng.uniform(0, 0.02)), f"{kill}: it ended"
        assert not paid & set(lines(log)[before:])
    paid, before = stored(out), len(lines(log))
    assert 0 < len(cups.records_of(out)) == whole.num_rows
    hold(log, math.inf)
    process = started(cups.run_logged, config, out, log, 0.0)
    process.join(300)
    assert process.exitcode == 0
    assert not paid & set(lines(log)[before:])
    assert cups.table_of(out).equals(whole)
    assert stored(out) == stored(tmp_path / "whole")
    with reading(TOURNAMENT, out) as killed, reading(TOURNAMENT, tmp_path / "whole") as undisturbed:
        for record in killed.store.records():
            matches = [read_match(run.store.transcript(record.item.key)) for run in (killed, undisturbed)]
            assert matches[0].transcript == matches[1].transcript
            assert [move.text for move in matches[0].moves] == [move.text for move in matches[1].moves]


@pytest.mark.extended
def test_a_real_model_plays_a_tournament(tmp_path: Path) -> None:
    """SmolLM2 on this machine against bots: under a schema every reply is legal, without one fallbacks are recorded."""
    players = '[players.rnd]\nbot = "random"\n[players.tame]\nmodel = "tame"\n[players.free]\nmodel = "free"\n'
    config = cups.write_cup(tmp_path, 'games = ["kuhn"]\nmatches_per_seat = 1', players, "[limits]\nin_flight = 3")
    with local_model() as url:
        entries = [
            local_entry("tame", url, max_output=200),
            local_entry("free", url, structured=False, temperature=0.0),
        ]
        (tmp_path / "models.toml").write_text("".join(map(as_toml, entries)))
        records = cups.run_cup(config, tmp_path / "run")
    assert [record.status for record in records] == ["done"] * 6
    rates = {rate.player: rate for rate in tallies(records, ("rnd", "tame", "free"))}
    assert (rates["tame"].slots, rates["tame"].fallbacks) == (4, 0)
    assert rates["free"].fallbacks > 0
    assert sum(rates["free"].causes.values()) == rates["free"].fallbacks
    with reading(TOURNAMENT, tmp_path / "run") as run:
        matches = [read_match(run.store.transcript(record.item.key)) for record in records]
    moves = [move for match in matches for move in match.moves if move.text is not None]
    assert all(move.gateway == url.removeprefix("http://").removesuffix("/v1") for move in moves)
    assert any(move.cause is not None and move.text for move in moves)
