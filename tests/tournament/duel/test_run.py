"""Sets of duels as runs: in the real sandbox, with their store, their tables, from the command line (T1 to T14)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from antemill.engine.execute.sandbox import LostError, Verdict
from antemill.tournament.duel import analyze
from antemill.tournament.duel.judge import sandbox_judges
from antemill.tournament.duel.kind import duel_type
from antemill.tournament.runs import open_run, start_run
from antemill.tournament.statistics.sheets import Missing, Placed, Sheet
from tests.tournament.duel import duelists
from tests.tournament.duel.duelists import TrustingJudge

SCRIPTS = {"ace": duelists.strong, "dud": duelists.weak, "wrong": duelists.wrong, "tagger": duelists.tagger}


def write_config(folder: Path, *, players: tuple[str, ...] = ("ace", "dud", "wrong"), extra: str = "") -> Path:
    models = "".join(f'[{name}]\nprotocol = "scripted"\nmodel = "{name}"\n' for name in SCRIPTS)
    (folder / "models.toml").write_text(models)
    path = folder / "duels.toml"
    listed = "".join(f'[players.{name}]\nmodel = "{name}"\n' for name in players)
    path.write_text(f"[limits]\nfallbacks = 0\n[duel]\n{extra}\n{listed}")
    return path


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    """A finished set of duels with everything that can be asked for, judged by trust."""
    pairs = [[a, b] for a in ("ace", "dud", "wrong") for b in ("ace", "dud", "wrong") if a != b]
    extra = f'pairs = {json.dumps(pairs)}\nreferences = ["ace"]\nresolve_own = true\ntagger = "tagger"\n'
    path = write_config(tmp_path, players=tuple(SCRIPTS), extra=extra)
    with start_run(duel_type(lambda _config: TrustingJudge()), path, tmp_path / "run") as session:
        session.run(quiet=True, scripts=SCRIPTS)
    return tmp_path / "run"


def test_t6_duels_in_the_real_sandbox(tmp_path: Path) -> None:
    path = write_config(tmp_path, players=("ace", "wrong"), extra='pairs = [["ace", "wrong"]]\nturns = 4')
    with sandbox_judges() as judges, start_run(duel_type(judges), path, tmp_path / "run") as session:
        session.run(quiet=True, scripts=SCRIPTS)
        (record,) = session.store.records()
        transcript = session.store.transcript(record.item.key)
    outcomes = [(turn["outcome"], turn["sample_verdict"]) for turn in record.row["turns"]]
    assert outcomes == [("solved", "true"), ("penalty", "false")] * 2
    assert record.row["points"] == [2, 0]
    assert {turn["sample_backend"] for turn in record.row["turns"]} <= {"native"}
    assert all(turn["sample_python"].startswith("3.") for turn in record.row["turns"])
    assert all("seconds" not in key for turn in record.row["turns"] for key in turn)
    assert transcript[0]["sample"]["seconds"] > 0.0


def test_t14_hostile_duelists_gain_nothing(tmp_path: Path) -> None:
    """A proposer whose puzzle ends the process, and a solver whose expression says yes to everything."""

    def bomb(_request: object) -> str:
        return "```python\nimport os\ndef mystery(x):\n    os._exit(0)\n```\nSOLUTION: 1"

    def cheat(request: object) -> str:
        if duelists.is_proposal(request):  # type: ignore[arg-type]
            return duelists.reply(49, 7)
        methods = "{'__mul__': lambda s, o: 49, '__gt__': lambda s, o: True, '__eq__': lambda s, o: True}"
        return f"SOLUTION: type('Yes', (), {methods})()"

    path = write_config(tmp_path, players=("ace", "dud"), extra='pairs = [["ace", "dud"]]\nturns = 4')
    with sandbox_judges() as judges, start_run(duel_type(judges), path, tmp_path / "run") as session:
        session.run(quiet=True, scripts={"ace": bomb, "dud": cheat})
        (record,) = session.store.records()
    assert [turn["outcome"] for turn in record.row["turns"]] == ["penalty", "unsolved"] * 2
    assert [turn["sample_verdict"] for turn in record.row["turns"]] == ["error", "true"] * 2


def test_a_lost_machine_stops_the_run_without_a_penalty(tmp_path: Path) -> None:
    """What is finished is kept, and the rest is played when the run is resumed."""

    class Losing(TrustingJudge):
        async def check(self, puzzle: str, solution: str) -> Verdict:
            if len(self.checks) == 5:
                raise LostError("a check could not be judged, 2 times: it was killed by SIGKILL.")
            return await super().check(puzzle, solution)

    path = write_config(tmp_path, players=("ace", "dud"), extra='pairs = [["ace", "dud"]]\nturns = 4')
    scripts = {"ace": duelists.strong, "dud": duelists.strong}
    kind = duel_type(lambda _: Losing())
    with start_run(kind, path, tmp_path / "run") as session, pytest.raises(LostError, match="SIGKILL"):
        session.run(quiet=True, scripts=scripts)
    with open_run(duel_type(lambda _: TrustingJudge()), tmp_path / "run") as session:
        session.run(quiet=True, scripts=scripts)
        (record,) = session.store.records()
    assert [turn["outcome"] for turn in record.row["turns"]] == ["solved"] * 4


def column(sheet: Sheet, key: str) -> dict[object, object]:
    return dict(zip(sheet.column(sheet.columns[0].key), sheet.column(key), strict=True))


def test_t7_t13_all_tables(finished: Path) -> None:
    results = analyze.load(finished)
    assert (len(results.duels), len(results.turns)) == (6, 60)
    found = {sheet.name: sheet for sheet in analyze.sheets(finished, results, replicates=50)}
    assert set(found) == {
        *("ratings", "ranks", "roles", "both_roles", "turns_by_number", "difficulty", "resolved", "resolved_once"),
        *("topics", "tags", "quality", "costs", "external"),
    }
    duel = column(found["ratings"], "duel_rating")
    assert duel["ace"] == 1000.0
    assert duel["wrong"] == Placed("∞ below dud")
    roles = found["roles"]
    assert column(roles, "penalties") == {"ace": 0, "dud": 0, "wrong": 20, "total": 20}
    assert column(roles, "solver_rate")["ace"] == 1.0
    assert column(roles, "solver_rate")["dud"] == 0.0
    assert column(roles, "self_rate")["ace"] == 1.0
    assert column(roles, "self_rate")["dud"] == 0.0
    ended = [found["turns_by_number"].column(name) for name in ("solved", "unsolved", "penalties")]
    assert sum(count for counts in ended for count in counts if isinstance(count, int)) == 60
    assert column(found["resolved"], "ace_rate")["total"] == 1.0
    assert column(found["topics"], "top")["ace"] == "number-theory"
    assert column(found["tags"], "share") == {"number-theory": 1.0, "squares": 1.0}
    assert column(found["tags"], "puzzles") == {"number-theory": 60, "squares": 60}
    assert column(found["tags"], "proposers") == {"number-theory": 3, "squares": 3}
    assert "2 tags, 2.00 a puzzle; 0 of them (0%) in 5 puzzles at most." in found["tags"].note
    assert column(found["resolved"], "ace_of") == {"ace": 20, "dud": 20, "total": 40}
    once = column(found["resolved_once"], "ace_of")
    assert once["total"] == 10  # the same ten squares in each duel
    assert column(found["quality"], "valid_share") == {"ace": 1.0, "dud": 1.0, "wrong": 0.0}
    assert column(found["quality"], "unsolved_share")["ace"] == 0.0
    assert isinstance(column(found["quality"], "novelty")["wrong"], Missing)
    calls = {(row[0], row[1]): row[6] for row in found["costs"].rows}
    assert {purpose for purpose, _ in calls} == {"duel", "re-solve", "tags", "all"}
    assert calls["duel", "wrong"] == 20 + 20  # it proposes and solves in four duels
    assert calls["tags", "tagger"] == calls["tags", "total"] == 10  # every code once
    assert calls["all", "total"] == sum(
        count
        for (purpose, name), count in calls.items()
        if name != "total" and purpose != "all" and isinstance(count, int)
    )
    assert [one.key for one in found["resolved"].columns] == [
        *("proposer", "ace_solved", "ace_of", "ace_rate", "total_solved", "total_of", "total_rate"),
    ]
    assert not [one.key for one in found["turns_by_number"].columns if "dud" in one.key]


def test_only_the_judge_decides(tmp_path: Path) -> None:
    class No:
        async def check(self, _puzzle: str, _solution: str) -> Verdict:
            return Verdict("refused", "no", 0.0, "test")

    path = write_config(tmp_path, players=("ace", "dud"), extra='pairs = [["ace", "dud"]]')
    with start_run(duel_type(lambda _config: No()), path, tmp_path / "run") as session:
        session.run(quiet=True, scripts=SCRIPTS)
        (record,) = session.store.records()
    assert {turn["outcome"] for turn in record.row["turns"]} == {"penalty"}
