"""Sets of duels as runs: in the real sandbox, with their store, their tables, from the command line (T1 to T14)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from antemill.engine.execute.sandbox import LostError, Verdict
from antemill.llm import Request
from antemill.tournament.duel.judge import sandbox_judges
from antemill.tournament.duel.kind import KIND, DuelKind
from antemill.tournament.runs import open_run, start_run
from antemill.tournament.runs.analyze import results
from antemill.tournament.runs.browse import opened
from antemill.tournament.statistics.sheets import Placed, Sheet
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
    with start_run(DuelKind(lambda _config: TrustingJudge()), path, tmp_path / "run") as session:
        session.run(quiet=True, scripts=SCRIPTS)
    return tmp_path / "run"


def test_t6_duels_in_the_real_sandbox(tmp_path: Path) -> None:
    path = write_config(tmp_path, players=("ace", "wrong"), extra='pairs = [["ace", "wrong"]]\nturns = 4')
    with sandbox_judges() as judges, start_run(DuelKind(judges), path, tmp_path / "run") as session:
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
    with sandbox_judges() as judges, start_run(DuelKind(judges), path, tmp_path / "run") as session:
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
    kind = DuelKind(lambda _: Losing())
    with start_run(kind, path, tmp_path / "run") as session, pytest.raises(LostError, match="SIGKILL"):
        session.run(quiet=True, scripts=scripts)
    with open_run(DuelKind(lambda _: TrustingJudge()), tmp_path / "run") as session:
        session.run(quiet=True, scripts=scripts)
        (record,) = session.store.records()
    assert [turn["outcome"] for turn in record.row["turns"]] == ["solved"] * 4


def column(sheet: Sheet, key: str) -> dict[object, object]:
    return dict(zip(sheet.column(sheet.columns[0].key), sheet.column(key), strict=True))


def test_t7_t13_all_tables(finished: Path) -> None:
    made = results(KIND, [finished])
    assert (len(made.found.results.duels), len(made.found.results.turns)) == (6, 60)
    found = {sheet.name: sheet for sheet in made.sheets}
    assert set(found) == {
        *("ratings", "ranks", "roles", "both_roles", "turns_by_number", "difficulty", "resolved", "resolved_once"),
        *("topics", "tags", "quality", "costs", "external", "ratings_clean"),
    }
    duel = column(found["ratings"], "duel_rating")
    assert duel["ace"] == 1000.0
    assert duel["wrong"] == Placed("∞ below dud")
    roles = found["roles"]
    assert column(roles, "penalties") == {"ace": 0, "dud": 0, "wrong": 20, "total": 20}
    assert column(roles, "unreadable") == {"ace": 0, "dud": 0, "wrong": 0, "total": 0}
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
    assert column(found["quality"], "novelty")["wrong"] is None
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
    with start_run(DuelKind(lambda _config: No()), path, tmp_path / "run") as session:
        session.run(quiet=True, scripts=SCRIPTS)
        (record,) = session.store.records()
    assert {turn["outcome"] for turn in record.row["turns"]} == {"penalty"}


def test_a_player_who_says_nothing_takes_no_rank_and_its_penalties_have_their_own_word(tmp_path: Path) -> None:
    """Its proposals are unreadable, which is neither said nor counted as a wrong solution of its own."""
    scripts = {"ace": duelists.strong, "dud": duelists.silent, "wrong": duelists.wrong}
    asked: list[str] = []

    def ace(request: Request) -> str:
        asked.append(request.messages[0].text)
        return duelists.strong(request)

    path = write_config(tmp_path, players=tuple(scripts), extra="turns = 4")
    with start_run(DuelKind(lambda _: TrustingJudge()), path, tmp_path / "run") as session:
        session.run(quiet=True, scripts=scripts | {"ace": ace})
    made = results(KIND, [tmp_path / "run"])
    assert [*made.standing.unranked] == ["dud"]
    assert made.standing.replies["dud"] == (12, 12, 12)  # four turns as the proposer, two against ace's puzzles, twice
    assert "dud (" not in made.headline.sentence
    assert made.headline.players[-1] == "dud"
    found = {sheet.name: sheet for sheet in made.sheets}
    unusable = column(found["ratings"], "unusable")
    assert unusable["ace"] == unusable["wrong"] == 0.0 != unusable["dud"]
    assert "No rank, for more than 10% unusable replies: dud." in found["ratings"].note
    assert column(found["ranks"], "solv_rank")["dud"] is None
    assert column(found["ratings_clean"], "duel_rating").keys() == {"ace", "wrong"}
    assert column(found["roles"], "penalties") == {"ace": 0, "dud": 8, "wrong": 8, "total": 16}
    assert column(found["roles"], "unreadable") == {"ace": 0, "dud": 8, "wrong": 0, "total": 8}
    assert "Outcome: No puzzle could be read" in asked[-1] or any("No puzzle could be read" in one for one in asked)
    assert not any("(no valid puzzle" in one for one in asked)
    with opened(tmp_path / "run") as run:
        assert run.items.columns(run.store.record("duel/ace/dud"))["strip"] == "uFuF"
        lines = [event for event in run.events("duel/ace/dud") if isinstance(event, str)]
    assert "Turn 2: dud proposes, ace solves: unreadable" in lines
