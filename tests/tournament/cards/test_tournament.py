"""The card tournament: pairing, schedules, seats, fallbacks, tables (GENSTRAT section 5; N1, N2, N3, N14)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest
from pyarrow.csv import read_csv

from antemill.axes import AXES
from antemill.engine.builder.generate import builder_hash, generate
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import AntemillError, UsageError
from antemill.engine.machine.events import Event
from antemill.engine.match import EventRecord, Game, replay
from antemill.engine.match import prompt as prompts
from antemill.engine.rules.named import kuhn, leduc
from antemill.engine.rules.spec import to_json
from antemill.engine.storage.store import table as store_table
from antemill.engine.storage.store import write as write_store
from antemill.engine.text.rulebook import rulebook
from antemill.llm import Answer, CallStore, ItemError, Request
from antemill.tournament.cards import TOURNAMENT, CardTournament
from antemill.tournament.cards import seats as seat_module
from antemill.tournament.cards.config import CardConfig
from antemill.tournament.cards.findings import findings
from antemill.tournament.cards.fixed import rotating_pairs
from antemill.tournament.cards.pinned_games import load_games, pin_games
from antemill.tournament.cards.play import MatchRecord, read_match
from antemill.tournament.cards.rows import slots_table, tallies
from antemill.tournament.cards.schedule import make_schedule
from antemill.tournament.cards.seats import PlayerError
from antemill.tournament.cards.slots import Slot, read_slot
from antemill.tournament.cli.entry import run as command
from antemill.tournament.players import make_bot
from antemill.tournament.pool.schemas import BENCHMARK
from antemill.tournament.replies import CAUSES
from antemill.tournament.runs import Item, Record, RunStoppedError, read_config, reading, start_run
from antemill.tournament.runs.config import parse_config
from tests.tournament.analysed import analyze, overview_of
from tests.tournament.cards import tournament_runs

MODEL = '[players.m]\nmodel = "m"\n[players.rnd]\nbot = "random"\n'


def cards(text: str) -> CardConfig:
    return parse_config(text.encode(), CardConfig, "cup.toml")


def slots_of(config: CardConfig, seeds: dict[str, int]) -> list[Slot]:
    return list(make_schedule(config, seeds).next_slots(()))


def bots(*names: str) -> str:
    return "".join(f'[players.{name}]\nbot = "random"\n' for name in names)


def matches_of(out: Path) -> list[tuple[Slot, MatchRecord]]:
    with reading(TOURNAMENT, out) as run:
        keys = [record.item for record in run.store.records()]
        return [(read_slot(item.data), read_match(run.store.transcript(item.key))) for item in keys]


# ------------------------------------------------------------------------------------------------ pairing


def test_each_pair_plays_in_both_seats_with_the_same_seeds() -> None:
    """N1: matches_per_seat in each seat; the two of a run share their play seed, and nothing else does."""
    config = cards(f"[tournament]\ngames = ['x', 'y']\nmatches_per_seat = 20\n{bots('a', 'b', 'c')}")
    slots = slots_of(config, {"x": 1, "y": 2})
    seats = Counter((slot.game, slot.alice, slot.bob) for slot in slots)
    assert set(seats.values()) == {20}
    assert len(seats) == 2 * 6
    seeds: dict[tuple[Any, ...], set[int]] = {}
    for slot in slots:
        seeds.setdefault((slot.game, slot.run, *sorted((slot.alice, slot.bob))), set()).add(slot.play_seed)
    assert all(len(found) == 1 for found in seeds.values())
    assert len(set.union(*seeds.values())) == len(seeds) == 2 * 20 * 3
    assert len({slot.key for slot in slots}) == len(slots)


def test_play_seeds_depend_on_game_run_matchup_and_the_tournaments_seed_alone() -> None:
    text = "[tournament]\ngames = ['x']\nmatches_per_seat = 3\nseed = {}\n{}"
    first = {(s.run, s.alice, s.bob): s.play_seed for s in slots_of(cards(text.format(1, bots("a", "b"))), {"x": 7})}
    more = {
        (s.run, s.alice, s.bob): s.play_seed for s in slots_of(cards(text.format(1, bots("c", "b", "a"))), {"x": 7})
    }
    other = {(s.run, s.alice, s.bob): s.play_seed for s in slots_of(cards(text.format(2, bots("a", "b"))), {"x": 7})}
    assert first == {key: more[key] for key in first}
    assert not set(first.values()) & set(other.values())


def test_the_rule_of_the_same_cards_for_all_pairs() -> None:
    config = cards(f"[tournament]\ngames = ['x']\nmatches_per_seat = 4\nplay_seed = 'game'\n{bots('a', 'b', 'c')}")
    slots = slots_of(config, {"x": 7})
    assert len({(slot.run, slot.play_seed) for slot in slots}) == 4


def test_the_same_cards_are_dealt_under_both_seatings(tmp_path: Path) -> None:
    tournament_runs.run_cup(
        tournament_runs.write_cup(tmp_path, 'games = ["leduc"]\nmatches_per_seat = 3\nseed = 1'), tmp_path / "run"
    )
    found = matches_of(tmp_path / "run")
    for (first, a), (second, b) in zip(found[::2], found[1::2], strict=True):
        assert (first.alice, first.bob, first.run) == (second.bob, second.alice, second.run)
        dealt = [
            [e.row for e in match.transcript.entries if isinstance(e, EventRecord) and e.row[0] == Event.DEAL]
            for match in (a, b)
        ]
        assert dealt[0] == dealt[1] != []


@pytest.mark.parametrize(("players", "opponents"), [(2, 2), (5, 2), (9, 4)])
def test_the_rotating_schedule(players: int, opponents: int) -> None:
    """N2: so many opponents at least for each player in every game, in one connected piece, all pairs equally often."""
    names = [f"p{i}" for i in range(players)]
    games = [str(i) for i in range(50)]
    found = rotating_pairs(names, games, opponents, seed=3)
    assert found == rotating_pairs(names, games, opponents, seed=3)
    for pairs in found.values():
        met = Counter(name for pair in pairs for name in pair)
        wanted = min(opponents, players - 1)
        assert all(met[name] >= wanted for name in names)
        assert len(pairs) <= (players * wanted + 1) // 2 + opponents
        assert reached(names, pairs) == set(names)
    uses = Counter(pair for pairs in found.values() for pair in pairs)
    assert set(uses) == set(combinations(names, 2))
    assert max(uses.values()) <= 2 * min(uses.values())


def reached(names: Sequence[str], pairs: Sequence[tuple[str, str]]) -> set[str]:
    """Who hangs together with the first player."""
    found = {names[0]}
    for _ in names:
        found |= {name for pair in pairs if found & set(pair) for name in pair}
    return found


def test_siblings_play_the_same_cards_against_the_same_anchor() -> None:
    """N14."""
    ablation = '[ablation]\npairs = [["lo", "hi"]]\nanchors = ["x", "hi", "y"]\nmatches_per_seat = 5'
    text = f"[tournament]\ngames = ['g']\nschedule = 'none'\n{bots('lo', 'hi', 'x', 'y')}{ablation}"
    slots = slots_of(cards(text), {"g": 7})
    assert len(slots) == 2 * 2 * 5 * 2  # anchors (a sibling is none), seats, runs, siblings
    seeds: dict[str, dict[tuple[Any, ...], int]] = {"lo": {}, "hi": {}}
    for slot in slots:
        sibling, anchor = sorted((slot.alice, slot.bob), key=lambda name: name not in seeds)
        seeds[sibling][anchor, slot.run, slot.alice == sibling] = slot.play_seed
        assert slot.ablation == f"lo hi {anchor}"
    assert seeds["lo"] == seeds["hi"]
    assert len(set(seeds["lo"].values())) == 10
    with_main = slots_of(cards(text.replace("'none'", "'round-robin'\nmatches_per_seat = 5")), {"g": 7})
    assert len({slot.key for slot in with_main}) == len(with_main) == 6 * 10 + 40


def test_the_adaptive_schedule_covers_first_and_then_plays_where_it_matters(tmp_path: Path) -> None:
    table = 'games = ["kuhn", "leduc"]\nmatches_per_seat = 4\nschedule = "adaptive"\nbatch = 5\nseed = 2'
    config = tournament_runs.write_cup(tmp_path, table, bots("a", "b", "c", "d"))
    records = tournament_runs.run_cup(config, tmp_path / "run")
    assert len(records) == 2 * 4 * 2 * 4  # as many as rotating
    slots = [read_slot(record.item.data) for record in records]
    opponents: dict[tuple[str, str], set[str]] = {}
    for slot in slots:
        opponents.setdefault((slot.game, slot.alice), set()).add(slot.bob)
    assert len(opponents) == 8
    assert min(map(len, opponents.values())) >= 2
    runs = Counter((slot.game, *sorted((slot.alice, slot.bob))) for slot in slots)
    assert {count % 2 for count in runs.values()} == {0}
    for key, count in runs.items():
        numbers = sorted(slot.run for slot in slots if (slot.game, *sorted((slot.alice, slot.bob))) == key)
        assert numbers == sorted([*range(count // 2)] * 2)
    again = tournament_runs.run_cup(
        tournament_runs.write_cup(tmp_path, table, bots("a", "b", "c", "d"), "[limits]\nin_flight = 1"),
        tmp_path / "again",
    )
    assert tournament_runs.table_of(tmp_path / "again").equals(tournament_runs.table_of(tmp_path / "run"))
    assert [record.item for record in again] == [record.item for record in records]


def test_players_that_are_the_same_bot_do_not_tie_by_the_draws_they_share(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(f"[tournament]\ngames = ['leduc']\nmatches_per_seat = 20\n{bots(*'abcd')}")
    with start_run(TOURNAMENT, tmp_path / "cup.toml", tmp_path / "cup") as session:
        session.run(quiet=True)
        rows = slots_table(session.store.records()).to_pylist()
    margins: dict[tuple[Any, ...], int] = {}
    for row in rows:
        pair = (row["run"], *sorted((row["alice"], row["bob"])))
        margins[pair] = margins.get(pair, 0) + row["margin"] * (1 if row["alice"] < row["bob"] else -1)
    assert sum(margin != 0 for margin in margins.values()) > len(margins) / 2


# ------------------------------------------------------------------------------------------------ configuration


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tournament]\ngames = ['kuhn']", "players"),
        ("[tournament]\n" + bots("a", "b"), "games or benchmark"),
        ("[tournament]\ngames = ['kuhn']\n" + bots("a"), "two"),
        ("[tournament]\ngames = ['kuhn']\n" + bots("a", '"b:c"'), "colon"),
        ("[tournament]\ngames = ['kuhn']\n[players.a]\nbot = 'l1'\nmodel = 'm'\n" + bots("b"), "exactly one of"),
        ("[tournament]\ngames = ['kuhn']\n[players.a]\nbot = 'l9'\n" + bots("b"), "no bot 'l9'"),
        ("[tournament]\ngames = ['kuhn']\n[players.a]\nscript = 'mine'\n" + bots("b"), "module:factory"),
        ("[tournament]\ngames = ['kuhn']\nschedule = 'none'\n" + bots("a", "b"), "ablation"),
        ("[tournament]\ngames = ['x']\n" + bots("a", "b") + "[ablation]\npairs=[['a', 'z']]\nanchors=['b']", "'z'"),
    ],
)
def test_wrong_configurations_are_refused_with_a_sentence(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        cards(text)


def test_games_by_name_seed_file_and_benchmark(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_bytes(to_json(kuhn()))
    config = cards(f"[tournament]\ngames = ['leduc', '7', '7@0.4', 'mine.json']\n{bots('a', 'b')}")
    found = load_games(pin_games(config.tournament, tmp_path))
    assert list(found) == ["leduc", "7", "7@0.4", "mine.json"]
    assert [pinned.seed for pinned, _ in found.values()][1:3] == [7, 7]
    assert found["mine.json"][1].digest == Game(kuhn()).digest
    assert 0 < found["leduc"][0].seed < 1 << 63
    write_benchmark(tmp_path / "bench.parquet", (5, 9))
    config = cards(f"[tournament]\nbenchmark = 'bench.parquet'\n{bots('a', 'b')}")
    found = load_games(pin_games(config.tournament, tmp_path))
    assert [(label, pinned.seed) for label, (pinned, _) in found.items()] == [("5", 5), ("9", 9)]
    assert found["9"][1].digest == compile_spec(generate(9)).digest


def write_benchmark(path: Path, seeds: Sequence[int]) -> None:
    """A benchmark file with invented scores."""
    rows = [
        {"rank": rank, "seed": seed, "complexity": 0.5, "builder": builder_hash(), "accepted": True, "reason": ""}
        | {"spec": to_json(generate(seed))}
        | {f"fast_{axis}": float(seed) for axis in AXES}
        for rank, seed in enumerate(seeds, 1)
    ]
    write_store(path, BENCHMARK, store_table(BENCHMARK, rows), builder_hash())


# ------------------------------------------------------------------------------------------------ seats


def test_a_model_is_sent_the_rulebook_and_one_message_per_decision(tmp_path: Path) -> None:
    """N3."""
    asked: list[Request] = []

    def model(request: Request) -> str:
        asked.append(request)
        return tournament_runs.obedient(request)

    tournament_runs.run_cup(
        tournament_runs.write_cup(tmp_path, 'games = ["kuhn"]\nmatches_per_seat = 2', MODEL),
        tmp_path / "run",
        {"m": model},
    )
    assert {request.messages[0].text for request in asked} == {prompts.system(kuhn())}
    assert all([message.role for message in request.messages] == ["system", "user"] for request in asked)
    assert "Maximize the expected number of chips" in asked[0].messages[0].text
    assert len({request.sample for request in asked}) == len(asked)
    assert all(request.schema is not None for request in asked)
    first = asked[0]
    assert first.schema is not None
    assert first.schema["properties"]["action"]["enum"] == tournament_runs.options_of(first)
    assert (
        sum(
            record.row["moves_alice"] + record.row["moves_bob"]
            for record in tournament_runs.records_of(tmp_path / "run")
        )
        > 0
    )
    with CallStore(tmp_path / "run" / "calls.sqlite") as calls:
        assert len(list(calls.calls())) == len(asked)


def test_listing_the_legal_moves_is_a_setting_on_record(tmp_path: Path) -> None:
    asked: list[Request] = []

    def model(request: Request) -> str:
        asked.append(request)
        return '{"action": "check"}'

    table = 'games = ["kuhn"]\nmatches_per_seat = 1\nlist_moves = false'
    tournament_runs.run_cup(tournament_runs.write_cup(tmp_path, table, MODEL), tmp_path / "run", {"m": model})
    assert not any("Legal actions" in request.messages[-1].text for request in asked)
    assert all(request.schema is not None and "enum" not in str(request.schema) for request in asked)
    assert all(not match.list_moves for _, match in matches_of(tmp_path / "run"))


def test_a_run_by_the_papers_protocol_sends_the_papers_prompts_and_records_it(tmp_path: Path) -> None:
    asked: list[Request] = []

    def model(request: Request) -> str:
        asked.append(request)
        return tournament_runs.obedient(request)

    config = tournament_runs.write_cup(tmp_path, 'games = ["kuhn"]', MODEL)
    config.write_text("paper = true\n" + config.read_text())
    tournament_runs.run_cup(config, tmp_path / "run", {"m": model})
    assert {request.messages[0].text for request in asked} == {rulebook(kuhn())}
    assert "Maximize your expected chips" in rulebook(kuhn())
    assert not any("\n- Deck:" in one.messages[1].text or "\n- Board:" in one.messages[1].text for one in asked)
    assert {match.prompts for _, match in matches_of(tmp_path / "run")} == {f"{prompts.VERSION}.paper"}
    records = tournament_runs.records_of(tmp_path / "run")
    assert [record.row["prompts"] for record in records] == [f"{prompts.VERSION}.paper"] * 40
    assert "Card tournament, as in the paper" in overview_of(tmp_path / "run").lead


def test_fallbacks_are_recorded_with_their_causes_and_rates(tmp_path: Path) -> None:
    """Appendix F, recounted here from the transcripts."""
    config = tournament_runs.write_cup(tmp_path, 'games = ["kuhn", "leduc"]\nmatches_per_seat = 10', MODEL)
    records = tournament_runs.run_cup(config, tmp_path / "run", {"m": tournament_runs.thoughtful})
    model, random = tallies(records, ("m", "rnd"))
    hits, moves, causes, slots = 0, 0, Counter[str](), 0
    for slot, match in matches_of(tmp_path / "run"):
        seat = (slot.alice, slot.bob).index("m")
        own = [m for m in match.moves if m.seat == seat]
        found = [d for d in match.transcript.decisions if d.seat == seat and d.substitution is not None]
        assert len(found) == sum(move.cause is not None for move in own)
        assert all(move.text is not None for move in own)
        hits, moves, slots = hits + bool(found), moves + len(own), slots + 1
        causes.update(move.cause for move in own if move.cause is not None)
    assert (model.slots, model.moves, model.fallbacks) == (slots, moves, causes.total())
    assert model.hit == hits
    assert model.causes == {cause: causes[cause] for cause in CAUSES}
    assert min(causes[cause] for cause in ("illegal", "unparsable", "empty")) > 0
    assert (random.fallbacks, random.hit, random.cost) == (0, 0, 0.0)
    assert model.cost == pytest.approx(sum(record.cost for record in records))
    assert model.cost > 0


def test_a_truncated_reply_is_told_apart_from_an_unparsable_one(tmp_path: Path) -> None:
    config = tournament_runs.write_cup(tmp_path, 'games = ["kuhn"]\nmatches_per_seat = 1', MODEL)
    records = tournament_runs.run_cup(
        config, tmp_path / "run", {"m": lambda _request: Answer("Let me think", "length")}
    )
    (rate, _) = tallies(records, ("m", "rnd"))
    assert rate.causes["truncated"] == rate.moves > 0


def test_a_refusal_is_a_reply_with_a_cause_of_its_own(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 5}
    asked: list[str] = []

    def respond(request: httpx2.Request) -> httpx2.Response:
        asked.append(request.content.decode())
        choice = {"message": {"content": '{"action": "check"}', "refusal": None}, "finish_reason": "stop"}
        if len(asked) % 4:
            choice["finish_reason"] = "content_filter"
        return httpx2.Response(200, json={"choices": [choice], "usage": usage})

    config = tournament_runs.write_cup(
        tmp_path, 'games = ["kuhn"]\nmatches_per_seat = 10', MODEL, "[budget]\ndollars = 5.0"
    )
    (tmp_path / "models.toml").write_text(
        '[m]\nprotocol = "openai-chat"\nbase_url = "http://provider.example/v1"\nconcurrency = 1\n'
        "prices = { input = 1.0, output = 10.0 }\n"
    )
    with start_run(TOURNAMENT, config, tmp_path / "run") as session:
        session.run(quiet=True, transport=httpx2.MockTransport(respond))
    records = tournament_runs.records_of(tmp_path / "run")
    assert {record.status for record in records} == {"done"}
    rate, _ = tallies(records, ("m", "rnd"))
    assert rate.causes["refusal"] > len(asked) / 5
    assert rate.causes["truncated"] == 0
    assert rate.fallbacks == sum(rate.causes.values())
    table = slots_table(records)
    assert sum(sum(table[f"refusal_{side}"].to_pylist()) for side in ("alice", "bob")) == rate.causes["refusal"]
    before = len(asked)
    with CallStore(tmp_path / "run" / "calls.sqlite") as calls:
        assert (calls.totals()["m"].calls, calls.failed_attempts(), calls.sent_attempts()) == (before, [], [])
        assert calls.spent() == pytest.approx(sum(record.cost for record in records))
    with start_run(TOURNAMENT, config, tmp_path / "run") as session:
        session.run(quiet=True, transport=httpx2.MockTransport(respond))
    assert len(asked) == before


def test_transcripts_replay_to_the_same_match(tmp_path: Path) -> None:
    config = tournament_runs.write_cup(tmp_path, 'games = ["leduc"]\nmatches_per_seat = 5', MODEL)
    rows = [
        record.row for record in tournament_runs.run_cup(config, tmp_path / "run", {"m": tournament_runs.thoughtful})
    ]
    for row, (slot, match) in zip(rows, matches_of(tmp_path / "run"), strict=True):
        again = replay(match.transcript, leduc())
        assert again.result.payoffs[0] == row["payoff"]
        assert row["margin"] == 2 * row["payoff"]
        assert again.names == (slot.alice, slot.bob)


def test_people_s_scripts_take_part(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(tournament_runs.MINE)
    (tmp_path / "slow_player.py").write_text(
        tournament_runs.MINE.replace("def choose", "async def choose").replace("class Mine", "class Slow")
    )
    players = '[players.a]\nscript = "mine.py:Mine"\n[players.b]\nscript = "slow_player:Slow"\n'
    records = tournament_runs.run_cup(
        tournament_runs.write_cup(tmp_path, 'games = ["kuhn"]\nmatches_per_seat = 1', players), tmp_path / "run"
    )
    assert [record.row["fallbacks_alice"] for record in records] == [0, 0]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "    raise ValueError('a bug')",
            r"'mine' failed \(ValueError: a bug\): .* begin the run again; .* no run is kept\.$",
        ),
        ("    return 'jump'", None),
        ("    return None", None),
    ],
)
def test_a_script_that_fails_stops_the_run_and_one_that_cheats_is_played_for(
    tmp_path: Path, body: str, message: str | None
) -> None:
    (tmp_path / "mine.py").write_text(
        tournament_runs.MINE[: tournament_runs.MINE.index("        return")] + "    " + body + "\n"
    )
    players = '[players.mine]\nscript = "mine.py:Mine"\n[players.rnd]\nbot = "random"\n'
    config = tournament_runs.write_cup(tmp_path, 'games = ["kuhn"]\nmatches_per_seat = 2', players)
    if message is not None:
        with pytest.raises(PlayerError, match=message):
            tournament_runs.run_cup(config, tmp_path / "run")
        assert not (tmp_path / "run").exists()
        return
    (rate, _) = tallies(tournament_runs.run_cup(config, tmp_path / "run"), ("mine", "rnd"))
    assert rate.causes["illegal"] == rate.moves > 0


def test_solved_policies_play(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    players = '[players.solver]\npolicy = "policies/"\n[players.rnd]\nbot = "random"\n'
    config = tournament_runs.write_cup(tmp_path, 'games = ["kuhn"]\nmatches_per_seat = 20', players)
    (tmp_path / "policies").mkdir()
    assert command(["solve", "kuhn", "-o", str(tmp_path / "policies" / "kuhn.parquet"), "--json"]) == 0
    capsys.readouterr()
    records = tournament_runs.run_cup(config, tmp_path / "run")
    assert [record.status for record in records] == ["done"] * 40
    assert len({record.row["margin"] for record in records}) > 1
    found, _ = analyze(tmp_path / "run")
    assert found.finished == 40
    (row,) = read_csv(tmp_path / "run/tables/without_luck.csv").to_pylist()
    assert (row["player"], row["policy"], row["game"], row["matches"]) == ("rnd", "solver", "kuhn", 40)
    mine = [r.row["margin"] * (1 if r.item.data["alice"] == "rnd" else -1) for r in records]
    assert row["margin"] == pytest.approx(sum(mine) / 40)
    assert row["estimate_error"] < row["error"]
    assert row["ratio"] == pytest.approx((row["estimate_error"] / row["error"]) ** 2)
    other = tournament_runs.write_cup(tmp_path, 'games = ["leduc"]\nmatches_per_seat = 1', players)
    with pytest.raises(AntemillError, match="no policy for Leduc"):
        tournament_runs.run_cup(other, tmp_path / "leduc")
    (tmp_path / "policies" / "kuhn.parquet").unlink()
    _, sheets = analyze(tmp_path / "run")
    (row,) = read_csv(tmp_path / "run/tables/without_luck.csv").to_pylist()
    assert row["estimate"] is None
    assert any("no policy for Kuhn" in sheet.note for sheet in sheets if sheet.name == "without_luck")
    (tmp_path / "policies").rmdir()
    with pytest.raises(UsageError, match=r"\[players\.solver\] names .*policies, which does not exist"):
        tournament_runs.run_cup(config, tmp_path / "other")


def test_a_bad_key_or_model_stops_before_anything_is_lost(tmp_path: Path) -> None:
    def refused(_request: Request) -> str:
        raise ItemError("no such model")

    config = tournament_runs.write_cup(tmp_path, 'games = ["kuhn"]\nmatches_per_seat = 3', MODEL)
    with pytest.raises(RunStoppedError, match=r"no such model.*kept"):
        tournament_runs.run_cup(config, tmp_path / "run", {"m": refused})
    assert all(record.status == "planned" for record in tournament_runs.records_of(tmp_path / "run"))
    assert all(
        record.status == "done"
        for record in tournament_runs.run_cup(config, tmp_path / "run", {"m": tournament_runs.obedient})
    )


# ------------------------------------------------------------------------------------------------ tables


def test_slots_have_the_columns_of_the_contract(tmp_path: Path) -> None:
    records = tournament_runs.run_cup(
        tournament_runs.write_cup(tmp_path, 'games = ["kuhn"]\nmatches_per_seat = 2', MODEL),
        tmp_path / "a",
        {"m": tournament_runs.thoughtful},
    )
    table = slots_table(records)
    contract = ["game", "play_seed", "run", "alice", "bob", "margin", "moves_alice", "moves_bob", "fallbacks_alice"]
    assert set(contract) < set(table.column_names)
    assert table.num_rows == 4
    rows = table.to_pylist()
    assert [row["play_seed"] for row in rows[::2]] == [row["play_seed"] for row in rows[1::2]]
    assert [(row["alice"], row["bob"]) for row in rows[:2]] == [("m", "rnd"), ("rnd", "m")]
    assert all(row["fallbacks_alice"] == sum(row[f"{cause}_alice"] for cause in CAUSES) for row in rows)


def test_the_table_does_not_depend_on_how_many_matches_are_in_flight(tmp_path: Path) -> None:
    table = 'games = ["kuhn", "leduc"]\nmatches_per_seat = 3'
    tables = []
    for i, limits in enumerate(("[limits]\nin_flight = 1", "[limits]\nin_flight = 50")):
        tournament_runs.run_cup(
            tournament_runs.write_cup(tmp_path, table, MODEL, limits),
            tmp_path / str(i),
            {"m": tournament_runs.thoughtful},
        )
        tables.append(tournament_runs.table_of(tmp_path / str(i)))
    assert tables[0].equals(tables[1])


def test_the_estimate_counts_the_decisions_of_the_models(tmp_path: Path) -> None:
    config = tournament_runs.write_cup(tmp_path, 'games = ["kuhn"]\nmatches_per_seat = 30', MODEL)
    with start_run(TOURNAMENT, config, tmp_path / "run") as session:
        kind = session.kind
        assert isinstance(kind, CardTournament)
        expected, other = kind.estimate()  # one of each seat
        session.run(quiet=True, scripts={"m": tournament_runs.obedient})
    with CallStore(tmp_path / "run" / "calls.sqlite") as calls:
        real = len(list(calls.calls()))
    assert expected.prefix == len(prompts.system(kuhn()))
    assert real / 2 < expected.calls + other.calls < real * 2
    assert read_config(config, CardConfig).asked == ("m",)


def test_a_discarded_match_is_in_no_table() -> None:
    slot = Slot("kuhn", 0, "a", "b", 5)
    record = Record(0, Item(slot.key, slot.data()), "discarded", timeouts=3)
    assert slots_table([record]).num_rows == 0
    assert tallies([record], ("a", "b"))[0].slots == 0


def test_the_analysis_uses_the_axes_of_the_benchmark(tmp_path: Path) -> None:
    """Pinned with the run: the file may be gone."""
    write_benchmark(tmp_path / "bench.parquet", (5, 9))
    config = tournament_runs.write_cup(
        tmp_path, 'benchmark = "bench.parquet"\nmatches_per_seat = 2', bots("a", "b", "c")
    )
    records = tournament_runs.run_cup(config, tmp_path / "run")
    (tmp_path / "bench.parquet").unlink()
    found, _ = analyze(tmp_path / "run")
    assert found.finished == len(records) == 24
    assert {*found.players} == {"a", "b", "c"}
    axes = findings([tmp_path / "run"]).analysis.e.axes.values
    assert axes.shape[0] == 2
    assert np.isfinite(axes[:, :6]).all()


def test_solved_policies_are_references_and_siblings_families(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """N13, N14."""
    monkeypatch.setattr(seat_module, "solved_player", lambda _folder, game, _disguise: make_bot("passive", game))
    (tmp_path / "policies").mkdir()
    players = bots("lo", "hi", "x") + '[players.solver]\npolicy = "policies"\n'
    ablation = '[ablation]\npairs = [["lo", "hi"]]\nanchors = ["x"]\nmatches_per_seat = 3'
    table = 'games = ["kuhn", "leduc"]\nmatches_per_seat = 2'
    tournament_runs.run_cup(tournament_runs.write_cup(tmp_path, table, players, ablation), tmp_path / "run")
    found, _ = analyze(tmp_path / "run")
    assert {*found.players} == {"lo", "hi", "x"}
    ablated = read_csv(tmp_path / "run" / "tables" / "table2_ablation.csv").to_pylist()
    assert "lo to hi" in str(ablated)
