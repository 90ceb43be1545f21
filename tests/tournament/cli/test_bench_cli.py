"""`antemill bench` as users call it, on tiny work; what it says when other systems are not there."""

from __future__ import annotations

import importlib.util
import json
import math
import signal
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import antemill.tournament.bench.measure as measuring
from antemill.engine.machine.lanes import Lanes
from antemill.engine.machine.policy import UNIFORM
from antemill.engine.machine.rollout import streams
from antemill.tournament.bench import measure
from antemill.tournament.bench.growth import GROWTH, LINEAR
from antemill.tournament.bench.measurements import MEASUREMENTS, chosen
from antemill.tournament.bench.peers import vector_play
from antemill.tournament.bench.peers.compare import TASKS, Comparison, Contestant, Result, Task, compare, factor
from antemill.tournament.bench.peers.peers import OURS, PEERS, Peer
from antemill.tournament.bench.sample_games import named
from antemill.tournament.cli.entry import run
from antemill.tournament.interruption import Interruption
from tests.tournament.cli.test_cli import complaint, document, said

ROOT = Path(__file__).parents[3]
GROUPS = {"vector", "machine", "axes", "pools", "storage", "solver", "sandbox", "ratings", "matches"}


def test_the_document_has_the_keys_of_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "bench", "--quick", "--only", "play-kuhn,draw")
    assert [one["name"] for one in found["results"]] == ["play-kuhn", "draw"]
    for one in found["results"]:
        assert one["low"] <= one["value"] <= one["high"]
        assert one["value"] > 0
    assert [one["unit"] for one in found["results"]] == ["decisions/s", "ms"]
    assert found["missing"] == []
    assert found["quick"]
    assert {"numba", "python", "antemill"} <= set(found["versions"])
    assert found["machine"]["processor"]
    assert found["machine"]["cores"] >= 1


def test_the_table_says_that_quick_figures_mean_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "bench", "--quick", "--only", "compile")
    assert "mean nothing" in out
    assert "compiling a candidate" in out


def test_growth_is_measured_over_decades(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "bench", "--growth", "--quick", "--only", "check,efg,list,view")["growth"]
    assert [(one["name"], one["sizes"]) for one in found] == [
        ("check", [10, 100]),
        ("efg", [1_000, 10_000]),
        ("list", [400, 4_000]),
        ("view", [400, 4_000]),
    ]
    for one in found:
        assert all(seconds > 0 for seconds in one["seconds"])
        assert one["exponent"] == pytest.approx(math.log10(one["seconds"][1] / one["seconds"][0]))
        assert one["linear"] == (one["exponent"] <= LINEAR)


def test_every_growth_has_four_sizes_each_ten_times_the_one_before(capsys: pytest.CaptureFixture[str]) -> None:
    for one in GROWTH:
        assert [size // one.sizes[0] for size in one.sizes] == [1, 10, 100, 1000]
    named = document(capsys, "bench", "--growth", "--list")["measurements"]
    assert [one["name"] for one in named] == [one.name for one in GROWTH]
    assert "name some of rate, efg" in complaint(capsys, "bench", "--growth", "--only", "speed")


def test_the_list_names_every_group(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "bench", "--list")["measurements"]
    assert {one["group"] for one in found} == GROUPS
    assert [one["name"] for one in found] == [one.name for one in MEASUREMENTS]
    assert len({one["name"] for one in found}) == len(found)


def test_a_group_is_all_of_its_measurements() -> None:
    measurements, further = chosen("axes , draw")
    assert {one.group for one in measurements} == {"axes", "machine"}
    assert [one.name for one in measurements if one.group == "machine"] == ["draw"]
    assert len([one for one in measurements if one.group == "axes"]) == 14  # six axes and the whole, at two tiers
    assert further == set()


def test_an_unknown_name_gets_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    said = complaint(capsys, "bench", "--only", "play-khun")
    assert "no measurement 'play-khun'" in said
    assert "Did you mean 'play-kuhn'?" in said
    assert "--list" in said
    assert "names no measurement" in complaint(capsys, "bench", "--only", " , ")


@pytest.mark.parametrize("only", ["compare-kuhn", "draw,compare-kuhn"])
def test_comparisons_are_asked_for_with_their_option(capsys: pytest.CaptureFixture[str], only: str) -> None:
    said = complaint(capsys, "bench", "--only", only)
    assert "compare-kuhn" in said
    assert "add --compare" in said
    assert "Did you mean" not in said
    said = complaint(capsys, "bench", "--quick", "--compare", "--only", "select")
    assert "nothing to compare" in said
    assert all(task.name in said for task in TASKS)


def test_comparisons_are_listed_as_they_would_be_made(capsys: pytest.CaptureFixture[str]) -> None:
    def names(*arguments: str) -> list[str]:
        return [one["name"] for one in document(capsys, "bench", "--list", *arguments)["measurements"]]

    every = [task.name for task in TASKS]
    assert names("--compare") == [one.name for one in MEASUREMENTS] + every
    assert names("--compare", "--only", "compare-kuhn") == ["compare-kuhn"]
    assert names("--compare", "--only", "draw,compare") == ["draw", *every]
    assert not set(names()) & set(every)
    assert "random play of Kuhn poker" in said(capsys, "bench", "--compare", "--list", "--only", "compare-kuhn")


@pytest.mark.slow
def test_an_interruption_keeps_what_was_measured(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = measuring.measure

    def measured(one: measure.Measurement, quick: bool = False) -> measure.Figure:
        if one.name == "gate":
            raise Interruption(signal.SIGINT)
        return real(one, quick)

    monkeypatch.setattr("antemill.tournament.bench.measure.measure", measured)
    assert run(["bench", "--quick", "--json", "--only", "draw,compile,gate,select"]) == 130
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert [one["name"] for one in found["results"]] == ["draw", "compile"]
    assert found["interrupted"]
    assert err.endswith("antemill: interrupted.\n")
    assert run(["bench", "--quick", "--only", "draw,gate"]) == 130
    assert "drawing a candidate" in capsys.readouterr().out
    assert run(["bench", "--quick", "--json", "--only", "gate"]) == 130
    assert capsys.readouterr().out == ""  # nothing was measured


def test_a_figure_is_the_median_of_the_repeats_with_their_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    seconds = iter([9.0, 0.5, 0.25, 1.0])  # the first is warm-up
    monkeypatch.setattr("antemill.tournament.bench.measure.once", lambda work: (work.call(), next(seconds))[1])
    work = measure.Work(lambda: calls.append("call"), 10)
    rate = measure.Measurement("a", "g", "what", "things/s", lambda _: [work], repeats=3)
    found = measure.measure(rate)
    assert (found.low, found.value, found.high, found.repeats) == (10.0, 20.0, 40.0, 3)
    assert len(calls) == 4
    seconds = iter([9.0, 0.5])
    each = measure.measure(measure.Measurement("a", "g", "what", "ms", lambda _: [work]), quick=True)
    assert (each.value, each.repeats) == (50.0, 1)


def test_the_value_of_a_repeat_is_the_median_over_its_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antemill.tournament.bench.measure.once", lambda work: work.call())
    pieces = [measure.Work(lambda s=s: s, 2) for s in (1.0, 4.0, 2.0)]  # type: ignore[misc]
    assert measure.measure(measure.Measurement("a", "g", "what", "things/s", lambda _: pieces)).value == 1.0
    assert measure.measure(measure.Measurement("a", "g", "what", "ns/node", lambda _: pieces)).value == 1e9


def test_what_a_machine_can_not_do_is_named_with_its_reason() -> None:
    def never(_: measure.Setting) -> Any:
        raise measure.UnavailableError("it has no wings.")

    table = measure.table_of(list(measure.take([measure.Measurement("fly", "g", "flying", "ms", never)])))
    assert table.results == []
    assert [(one.name, one.reason) for one in table.missing] == [("fly", "it has no wings.")]


# ------------------------------------------------------------------------------------------ other systems


def without_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    modules = {module for peer in PEERS for module in peer.modules}
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name in modules else real(name, *rest))


@pytest.mark.slow
def test_a_missing_system_is_listed_with_its_pip_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    without_peers(monkeypatch)
    found = document(capsys, "bench", "--quick", "--compare", "--only", "compare-kuhn,compare-leduc")
    assert found["results"] == []
    comparison = found["comparison"]
    assert {one["task"] for one in comparison["results"]} == {"compare-kuhn", "compare-leduc"}
    assert all(one["system"].startswith("Antemill") and one["version"] for one in comparison["results"])
    reasons = {one["name"]: one["reason"] for one in comparison["missing"]}
    assert set(reasons) == {"pgx", "OpenSpiel", "rlcard"}
    assert reasons["pgx"] == "not installed: pip install pgx==2.6.0 jax==0.7.2."
    out = said(capsys, "bench", "--quick", "--compare", "--only", "compare-kuhn")
    assert "- pgx: not installed: pip install pgx==2.6.0 jax==0.7.2." in out
    assert "ours is better by" in out
    assert "these figures mean nothing" in out


@pytest.mark.slow
def test_vectorised_environments_beside_openspiel_s(capsys: pytest.CaptureFixture[str]) -> None:
    names = "compare-vector-kuhn,compare-vector-leduc"
    comparison = document(capsys, "bench", "--quick", "--compare", "--only", names)["comparison"]
    shown = [f"{what}{how}" for what in ("the present", "the present and all events") for how in ("", ", not copied")]
    there = [f"Antemill, batch {batch}, {what}" for batch in ("1,000", "10,000") for what in shown]
    if importlib.util.find_spec("pyspiel"):  # Intel Macs have no wheel
        there += [f"Antemill, as OpenSpiel's SyncVectorEnv, batch {batch}" for batch in ("100", "1,000")]
        there += [f"OpenSpiel, SyncVectorEnv{over}, batch 100" for over in ("", " over our states")]
    found = [(one["task"], one["system"]) for one in comparison["results"] if not one["system"].startswith("pgx")]
    assert found == [(task, system) for task in names.split(",") for system in there]
    assert all(one["value"] > 0 for one in comparison["results"])


@pytest.mark.parametrize("game", ["kuhn", "leduc"])
def test_decisions_on_our_environment_are_those_that_its_lanes_made(game: str) -> None:
    (work,) = vector_play.ours(1_000, True, True, game, measure.Setting(True, ExitStack()))
    lanes = Lanes(named(game), 10, alice=UNIFORM, bob=UNIFORM)
    lanes.reset(streams(1))  # in the 4 steps of quick work every lane plays its first episode's first decisions
    assert work.amount == np.minimum(lanes.made, 4).sum() + _second_episodes(lanes.made)


def _second_episodes(made: np.ndarray) -> int:
    """Decisions after the first episode: it takes a step to begin the next one."""
    return int(np.maximum(0, 4 - made - 1).sum())


def test_a_peer_that_fails_does_not_end_the_comparison() -> None:
    def broken(_: measure.Setting) -> Any:
        raise RuntimeError("no such kernel")

    task = Task(
        "t",
        "what",
        "s",
        (Contestant(OURS, "", lambda _: [measure.Work(int)]), Contestant(Peer("x", "pip", "", ()), "", broken)),
    )
    found = Comparison()
    compare([task], True, lambda: None, found)
    assert [one.system for one in found.results] == ["Antemill"]
    assert "RuntimeError: no such kernel" in found.missing[0].reason


@pytest.mark.slow
def test_an_interrupted_comparison_keeps_its_finished_repeats() -> None:
    calls = iter(range(100))

    def play() -> None:
        if next(calls) == 3:  # one is warm-up, two are repeats
            raise Interruption(signal.SIGTERM)

    peer = Contestant(Peer("x", "pip", "", ()), "", lambda _: [measure.Work(int)])
    found = Comparison()
    with pytest.raises(Interruption):
        compare(
            [Task("t", "what", "s", (peer, Contestant(OURS, "", lambda _: [measure.Work(play)])))],
            False,
            lambda: None,
            found,
        )
    assert [(one.system, one.repeats) for one in found.results] == [("x", 3), ("Antemill", 2)]


def test_how_many_times_better_ours_is() -> None:
    def result(system: str, value: float) -> Result:
        return Result("t", system, "1", "", value, value, value, 1)

    def contestant(peer: Peer, how: str, like: str | None = "") -> Contestant:
        return Contestant(peer, how, lambda _: [], like)

    pgx = Peer("pgx", "pip", "", ())
    results = [result("Antemill, a", 20.0), result("Antemill, b", 10.0), result("pgx", 5.0)]
    same = (contestant(OURS, "a"), contestant(OURS, "b"), contestant(pgx, ""))
    assert factor(Task("t", "", "decisions/s", same), results, results[2]) == 4.0
    assert factor(Task("t", "", "s", same), results, results[2]) == 0.5
    assert factor(Task("t", "", "s", same), results[2:], results[2]) is None  # nothing of ours was measured
    # Only what does the same work is compared; a row without a counterpart of ours has no ratio.
    apart = Task(
        "t", "", "decisions/s", (contestant(OURS, "a", None), contestant(OURS, "b", "x"), contestant(pgx, "", "x"))
    )
    assert [factor(apart, results, one) for one in results] == [None, 1.0, 2.0]
    alone = Task("t", "", "decisions/s", (contestant(OURS, "a"), contestant(OURS, "b"), contestant(pgx, "", "x")))
    assert factor(alone, results, results[2]) is None


@pytest.mark.parametrize("task", [task for task in TASKS if task.name.startswith("compare-vector-")])
def test_environments_of_the_same_batch_are_compared(task: Task) -> None:
    """Every one of others has one of ours beside it that hands out arrays, or lists, of the same number of lanes."""
    for contestant in task.contestants:
        own = [one for one in task.contestants if one.peer is OURS and one.like == contestant.like]
        if contestant.peer is not OURS:
            assert contestant.like is not None
            assert len(own) == 1
            batch = contestant.how.rpartition("batch ")[2]
            assert f"batch {batch}" in own[0].how
            assert "not copied" not in own[0].how


def test_the_list_of_peers_is_the_one_that_pip_reads() -> None:
    lines = (ROOT / "requirements-peers.in").read_text(encoding="utf-8").splitlines()
    listed = {line.partition("#")[0].strip() for line in lines} - {""}
    together = {requirement for peer in PEERS if not peer.apart for requirement in peer.requirements}
    assert listed == together
    apart = [peer for peer in PEERS if peer.apart]
    assert [peer.name for peer in apart] == ["noregret"]
    assert any(peer.requirements[0] in line for peer in apart for line in lines if line.startswith("#"))


def test_every_peer_has_a_task() -> None:
    assert {contestant.peer.name for task in TASKS for contestant in task.contestants} == {
        OURS.name,
        *(peer.name for peer in PEERS),
    }
