"""Duels as they are played: turns, points, who is told what, what is asked again (T1 to T5, T10, T11, T14)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import pytest

from antemill.engine.errors import UsageError
from antemill.engine.execute.sandbox import CheckLimits, make_sandbox
from antemill.engine.execute.sandbox.values import REFUSED
from antemill.llm import Request
from antemill.tournament.duel import history, prompts
from antemill.tournament.duel.config import DuelConfig, DuelTable
from antemill.tournament.duel.judge import SandboxJudge, puzzle_name
from antemill.tournament.duel.kind import DuelRun, all_puzzles, valid_puzzles
from antemill.tournament.duel.tagging import read_tags, tag_prompt
from antemill.tournament.replies import ReplyError
from antemill.tournament.runs import Item, Played, Record
from antemill.tournament.runs.bots import PlayerTable
from tests.tournament.duel import duelists
from tests.tournament.duel.duelists import TrustingJudge
from tests.tournament.replies_of import said
from tests.tournament.scripted import Script, Scripted


def config(*names: str, **fields: object) -> DuelConfig:
    players = {name: PlayerTable(model=name) for name in names}
    return DuelConfig(players=players, duel=DuelTable(**fields))  # type: ignore[arg-type]


def play(scripts: Mapping[str, Script], **fields: object) -> tuple[Played, Scripted, TrustingJudge]:
    """The first duel of the players in this order."""
    judge, table = TrustingJudge(), Scripted(scripts)
    run = DuelRun(config(*scripts, **fields), lambda _config: judge)
    return asyncio.run(run.play(run.next_items(())[0], table)), table, judge


def outcomes(played: Played) -> list[str]:
    return [turn["outcome"] for turn in played.row["turns"]]


def test_t2_the_stronger_solver_wins() -> None:
    played, table, _ = play({"a": duelists.strong, "b": duelists.weak})
    assert outcomes(played) == ["unsolved", "solved"] * 5
    assert played.row["points"] == [5, 0]
    assert played.row["prompts"] == f"{prompts.VERSION}.{history.VERSION}"
    assert [turn["proposer"] for turn in played.row["turns"]] == ["a", "b"] * 5
    assert [turn["solver"] for turn in played.row["turns"]] == ["b", "a"] * 5
    assert played.fallbacks == 5  # b's attempts
    assert sum(model == "b" for model, _ in table.asked) == 5 * 2 + 5


def test_t2_a_wrong_sample_is_a_penalty_and_the_solver_is_never_asked() -> None:
    played, table, judge = play({"a": duelists.wrong, "b": duelists.strong})
    assert outcomes(played) == ["penalty", "solved"] * 5
    assert played.row["points"] == [0, 5]
    assert sum(model == "b" for model, _ in table.asked) == 5  # its own proposals
    first = played.row["turns"][0]
    assert (first["sample_verdict"], first["attempt_verdict"]) == ("false", "")
    assert len(judge.checks) == 5 + 5 * 2


def test_t5_a_reply_that_cannot_be_read_is_asked_for_once_more_and_recorded() -> None:
    replies = iter(["nothing", duelists.reply(49, 7)])

    def slow(request: Request) -> str:
        return next(replies) if duelists.is_proposal(request) else "SOLUTION: 3"

    played, table, _ = play({"a": slow, "b": duelists.silent}, turns=2)
    first, second = played.row["turns"]
    assert first["outcome"] == "unsolved"
    assert (first["proposer_tries"], first["solver_tries"]) == (2, 2)
    assert (first["proposer_unread"], first["solver_unread"]) == ("", "unparsable")
    assert (second["outcome"], second["proposer_unread"], second["puzzle"]) == ("penalty", "unparsable", "")
    assert played.row["points"] == [2, 0]
    assert played.fallbacks == 2
    heard = played.transcript[0]["proposed"]
    assert [one.problem for one in heard] == ["Your reply has no Python code blocks instead of one.", ""]
    assert table.asked[1][1].messages[-1].text == heard[0].problem


def test_t3_players_are_told_the_judges_rules_unless_they_are_left_off() -> None:
    for told in (True, False):
        played, table, _ = play({"a": duelists.strong, "b": duelists.strong}, turns=2, judge_rules=told, seconds=3.5)
        texts = [request.messages[-1].text for _, request in table.asked]
        assert len(texts) == 4
        assert all((prompts.rules(3.5, 256) in text) == told for text in texts)
        assert played.row["prompts"].split(".")[0] == str(prompts.VERSION if told else prompts.PAPER)


def test_a_refusal_costs_a_point_and_its_reason_is_on_record() -> None:
    """A refused sample is a penalty, a refused attempt is not solved; what is not refused costs nothing."""
    puzzle, honest = "def mystery(x):\n    return x != 3", "[9]"
    refused = "lambda n: n * n"

    def proposes(solution: str, attempt: str) -> Callable[[Request], str]:
        reply = f"```python\n{puzzle}\n```\nWhy.\nSOLUTION: {solution}"
        return lambda request: reply if duelists.is_proposal(request) else f"SOLUTION: {attempt}"

    with make_sandbox(workers=1) as sandbox:
        scripts = {"a": proposes(honest, honest), "b": proposes(refused, refused)}
        run = DuelRun(config(*scripts, turns=4), lambda _: SandboxJudge(sandbox, CheckLimits()))
        first = asyncio.run(run.play(run.next_items(())[0], Scripted(scripts))).row
    assert [turn["outcome"] for turn in first["turns"]] == ["unsolved", "penalty"] * 2
    assert first["points"] == [4, 0]
    reason = f"{REFUSED} an object of the type function"
    assert (first["turns"][0]["attempt_verdict"], first["turns"][0]["attempt_detail"]) == ("refused", reason)
    assert (first["turns"][1]["sample_verdict"], first["turns"][1]["sample_detail"]) == ("refused", reason)


def test_t4_t14_nobody_is_shown_what_is_private() -> None:
    def secretive(request: Request) -> str:
        if not duelists.is_proposal(request):
            return duelists.solver(request)
        number = 10 + request.messages[-1].text.count("## Turn ")
        return duelists.reply(number * number, f"{number} + 0 * 31337", "My secret plan.")

    _, table, _ = play({"a": secretive, "b": duelists.strong})
    for model, request in table.asked:
        text = request.messages[-1].text
        assert len(request.messages) == 1
        if model == "b" or not duelists.is_proposal(request):
            assert "secret plan" not in text
            assert "31337" not in text
    later = [request.messages[-1].text for model, request in table.asked if model == "a"][2]
    assert "secret plan" in later
    assert "31337" in later


def test_t4_a_solver_sees_the_puzzle_only() -> None:
    _, table, _ = play({"a": duelists.strong, "b": duelists.strong})
    solving = [request for _, request in table.asked if not duelists.is_proposal(request)]
    assert len(solving) == 10
    assert all("Turn" not in request.messages[-1].text for request in solving)


def test_t1_t9_pairs() -> None:
    assert config("a", "b", "c").pairs() == [("a", "b"), ("a", "c"), ("b", "a"), ("b", "c"), ("c", "a"), ("c", "b")]
    assert config("a", "b", pairs=(("b", "a"),)).pairs() == [("b", "a")]
    assert config("a", "b", "c").pairs(["a", "b"]) == [("a", "c"), ("b", "c"), ("c", "a"), ("c", "b")]
    with pytest.raises(UsageError, match="every player is in the base"):
        config("a", "b").pairs(["a", "b", "z"])
    for wrong, message in (
        (config("a"), "two players"),
        (config("a", "b", pairs=(("a", "z"),)), "names z, who is no player"),
        (config("a", "b", pairs=(("a", "a"),)), "cannot duel with itself"),
        (config("a", "b", pairs=(("a", "b"), ("a", "b"))), "is there twice"),
        (config("a", "b", pairs=()), "no duel to play"),
        (config("a", "b", references=("z",)), "`references` names z"),
        (config("a", "b", tagger="z"), "`tagger` names z"),
    ):
        with pytest.raises(UsageError, match=message):
            wrong.pairs()


def finish(run: DuelRun, table: Scripted) -> list[Record]:
    """Play a whole run."""
    records: list[Record] = []
    while items := run.next_items(records):
        for item in items:
            played = asyncio.run(run.play(item, table))
            records.append(Record(len(records), item, "done", played.row, fallbacks=played.fallbacks))
    return records


def test_t10_t11_valid_puzzles_are_solved_again_and_tagged_once() -> None:
    def unsolvable(request: Request) -> str:
        found = duelists.proposals(lambda n: duelists.reply(n * n + 1, n))
        return found(request) if duelists.is_proposal(request) else duelists.solver(request)

    scripts = {"a": duelists.strong, "b": duelists.weak, "c": unsolvable, "t": duelists.tagger}
    settings = config(
        *scripts, pairs=(("a", "b"), ("b", "c")), turns=4, references=("a", "c"), resolve_own=True, tagger="t"
    )
    run = DuelRun(settings, lambda _config: TrustingJudge())
    records = finish(run, Scripted(scripts))
    assert run.total is None
    what = [record.item.data["what"] for record in records]
    puzzles = valid_puzzles(records)
    proposed = all_puzzles(records)
    assert len({puzzle.code for puzzle in puzzles}) == len(puzzles) > 1
    assert {puzzle.code for puzzle in puzzles} < {puzzle.code for puzzle in proposed}  # c's are not valid
    assert what.count("duel") == 2
    assert what.count("tag") == len(proposed)
    own = [puzzle for puzzle in puzzles if "b" in puzzle.proposers]  # a proposed some of them as well
    assert what.count("solve") == 2 * len(puzzles) + len(own)  # b is no reference
    assert len({record.item.key for record in records}) == len(records)
    for record in records:
        if record.item.data["what"] == "tag":
            assert record.row["tags"] == ["number-theory", "squares"]
        elif record.item.data["what"] == "solve":
            assert record.row["solved"] == (record.row["player"] != "b")
    assert {record.row["puzzle"] for record in records if "puzzle" in record.row} == {
        puzzle_name(puzzle.code) for puzzle in proposed
    }


def test_a_run_without_afterplay_ends_with_the_duels() -> None:
    run = DuelRun(config("a", "b"), lambda _config: TrustingJudge())
    records = finish(run, Scripted({"a": duelists.strong, "b": duelists.strong}))
    assert run.total == len(records) == 2
    assert run.models == ("a", "b")
    assert {one.model: one.calls for one in run.estimate()} == {"a": 20, "b": 20}


def test_items_name_the_models_that_they_ask() -> None:
    players = {"a": PlayerTable(model="m"), "b": PlayerTable(model="m")}
    run = DuelRun(DuelConfig(players=players), lambda _config: TrustingJudge())
    assert run.next_items(())[0] == Item("duel/a/b", {"what": "duel", "first": "a", "second": "b"}, ("m",))


def test_t11_tags() -> None:
    assert read_tags(said('{"tags": ["Number Theory", "number-theory", 3, "Gauß"]}')) == [
        "number-theory",
        "gauss",
    ]
    for text in ('{"tags": "x"}', '{"tags": [3]}', "number-theory"):
        with pytest.raises(ReplyError):
            read_tags(said(text))
    assert tag_prompt("{explanation}", "").count("{explanation}") == 1
