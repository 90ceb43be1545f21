"""Tournaments and evaluations whose games are played in disguise too: the same cards, no leak, resumed, counted."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

import antemill as am
from antemill.engine import canonical_digest
from antemill.engine.errors import StorageError
from antemill.engine.match import Match, prompt
from antemill.engine.match.game import Game
from antemill.engine.text.labels import SEATS, exchanged
from antemill.llm import Request
from antemill.solver.policies.file import load_policy, write_policy
from antemill.solver.solving import real_measures
from antemill.tournament.cards import TOURNAMENT
from antemill.tournament.cards.equilibrium import Judges
from antemill.tournament.cards.pinned_games import PinnedGame, disguises_in, load_games
from antemill.tournament.cards.plan import GAMES
from antemill.tournament.cards.play import read_match
from antemill.tournament.cards.rows import slots_table
from antemill.tournament.cards.slots import read_slot
from antemill.tournament.cli.entry import run
from antemill.tournament.players.solved import policy_for
from antemill.tournament.runs import RunStore, start_run
from antemill.tournament.runs.browse import opened
from tests.tournament.cards.tournament_runs import BOTS, records_of, run_cup, unplay, write_cup

TABLE = 'games = ["kuhn", "leduc"]\nmatches_per_seat = 3\nseed = 8\ndisguises = 3'
SOLVED = '[players.solved]\npolicy = "kuhn.parquet"\n'


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished tournament of two bots, each game as itself and in three disguises."""
    folder = tmp_path_factory.mktemp("cup")
    run_cup(write_cup(folder, TABLE), folder / "cup")
    return folder / "cup"


def _store(folder: Path) -> RunStore:
    return RunStore(folder / "run.sqlite", read_only=True)


def test_every_match_is_repeated_in_every_disguise_on_the_same_cards(cup: Path) -> None:
    records = records_of(cup)
    assert len(records) == 2 * 2 * 3 * 4
    together: dict[tuple[str, int, str], list[Match]] = {}
    with _store(cup) as store:
        games = load_games(store.materials()[GAMES])
        assert len(games) == 2 * 4
        for record in records:
            slot = read_slot(record.item.data)
            transcript = read_match(store.transcript(record.item.key)).transcript
            assert transcript.digest == games[slot.game][1].digest
            match = Match(games[slot.game][1], slot.play_seed)
            together.setdefault((slot.about, slot.run, slot.alice), []).append(match)
    for matches in together.values():
        assert len(matches) == 4
        assert len({match.piles() for match in matches}) == 1
    digests = {label: canonical_digest(game.spec) for label, (_, game) in games.items() if game.spec is not None}
    assert len(set(digests.values())) == 2


def test_rows_name_the_disguise_and_count_in_the_games_chips(cup: Path) -> None:
    records = records_of(cup)
    rows = slots_table(records).to_pylist()
    assert {row["game"] for row in rows} == {"kuhn", "leduc"}
    assert {row["disguise"] for row in rows} == {None, 1, 2, 3}
    scales = set()
    with _store(cup) as store:
        for record, row in zip(records, rows, strict=True):
            slot = read_slot(record.item.data)
            payoffs = read_match(store.transcript(record.item.key)).transcript.payoffs
            assert payoffs is not None
            assert row["payoff"] * slot.scale == payoffs[0]
            assert row["margin"] * slot.scale == payoffs[0] - payoffs[1]
            scales.add(slot.scale)
            if slot.disguise is not None:
                again = am.disguise(slot.about, row["disguise_seed"], seats=False)
                pinned = load_games(store.materials()[GAMES])[slot.game][1]
                assert again.game == pinned.spec
    assert len(scales) > 2


def test_a_solved_policy_plays_and_is_judged_as_in_the_game_itself(tmp_path: Path) -> None:
    """The equilibrium makes no move, in any form, that its equilibrium would not make."""
    assert run(["solve", "kuhn", "-o", str(tmp_path / "kuhn.parquet"), "--target", "1e-4"]) == 0
    out, table = tmp_path / "cup", 'games = ["kuhn"]\nmatches_per_seat = 5\ndisguises = 3'
    run_cup(write_cup(tmp_path, table, SOLVED + BOTS), out)
    assert run(["analyze", str(out)]) == 0
    lines = (out / "tables.md").read_text().splitlines()
    cells = next(line for line in lines if line.startswith("| rnd | solved | kuhn |")).split("|")
    assert (cells[4].strip(), float(cells[9]) < 1) == ("40", True)  # matches, and the variance ratio by AIVAT
    with _store(out) as store:
        games, hidden = load_games(store.materials()[GAMES]), disguises_in(store.materials()[GAMES])
        known = Judges([tmp_path], {games[label][1].digest: one for label, one in hidden.items()})
        seen: set[str] = set()
        for record in store.records():
            slot = read_slot(record.item.data)
            played = read_match(store.transcript(record.item.key)).transcript
            judge = known.of(games[slot.game][1])
            assert judge is not None
            for decision, judged in zip(played.decisions, judge.judge(played), strict=True):
                if (slot.alice, slot.bob)[decision.seat] == "solved":
                    assert not judged.off
                    assert judged.cost == pytest.approx(0, abs=1e-3 * slot.scale)
                    seen.add(slot.game)
    assert seen == set(games)


def test_the_policy_of_a_disguise_is_read_or_solved(tmp_path: Path) -> None:
    assert run(["solve", "starter-1", "-o", str(tmp_path / "s.parquet"), "--target", "1e-3"]) == 0
    for seed in range(4):
        found = am.disguise("starter-1", seed)
        game = Game(found.game)
        saved = policy_for(tmp_path, game, found)
        measured = real_measures(game.program, am.build_tree(found.game), saved.table)
        assert saved.solution.digest == game.digest
        assert (saved.solution.value, saved.solution.exploitability) == pytest.approx(measured, abs=1e-9)
        assert saved.solution.exploitability is not None
        assert saved.solution.exploitability <= 1e-3 * found.scale
    write_policy(tmp_path / "d.parquet", saved)
    assert policy_for(tmp_path, game, found).solution == load_policy(tmp_path / "d.parquet").solution


def test_prompts_say_nothing_of_the_game_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Everything that a model is sent in disguises: no name, digest, seed, nor that there is a disguise."""
    sent: dict[str, str] = {}
    asked: dict[str, Request] = {}

    def hears(request: Request) -> str:
        said = "\n".join(message.text for message in request.messages) + str(request.schema)
        sent[str(request.sample)] = said.lower()
        asked[str(request.sample)] = request
        return '{"action": "nothing"}'

    players = '[players.m]\nmodel = "m"\n' + BOTS.partition("[players.l1]")[0]
    config = write_cup(tmp_path, TABLE + "\nundisguised = false", players, "[limits]\nfallbacks = 0")
    records = run_cup(config, tmp_path / "cup", {"m": hears})
    with _store(tmp_path / "cup") as store:
        hidden, pinned = disguises_in(store.materials()[GAMES]), load_games(store.materials()[GAMES])
    slots = {record.item.key: read_slot(record.item.data) for record in records}
    assert all(slot.disguise is not None for slot in slots.values())
    assert len(sent) >= len(records)
    for sample, text in sent.items():
        slot = slots[sample.rpartition(":")[0]]
        assert slot.disguise is not None
        game, found = pinned[slot.game][0], hidden[slot.game]
        secrets = ["kuhn", "leduc", "disguise", "~", found.digest, game.digest, pinned[slot.about][0].digest]
        secrets += [str(slot.play_seed), str(slot.disguise.seed), found.original.name.lower()]
        secrets += [old.lower() for old in found.names.phases if old.lower() not in _WORDS]
        assert [one for one in secrets if one in text] == []
        assert found.game.name.lower() in text
    turned = set()
    for sample, request in asked.items():
        slot = slots[sample.rpartition(":")[0]]
        assert slot.disguise is not None
        spec, changed, words = hidden[slot.game].game, slot.disguise.turned, slot.disguise.words
        assert (exchanged(request.system) if changed else request.system) == prompt.system(spec, words=words)
        me = SEATS[(slot.bob == "m") ^ changed]
        question = [one.text for one in request.messages if one.role == "user" and " is not among: " not in one.text][
            -1
        ]
        assert question.startswith(f"You are {me}. Your opponent is {exchanged(me)}.\n")
        assert f"{me}'s stack" not in question
        turned.add((changed, slot.alice == "m"))
    assert len(turned) == 4
    key = next(key for key, slot in slots.items() if slot.disguise is not None and slot.disguise.turned)
    assert run(["show", str(tmp_path / "cup"), key]) == 0
    shown = capsys.readouterr().out
    assert "Prompts call Alice Bob, and Bob Alice." in shown
    form = slots[key].disguise
    assert form is not None
    legend = f"Prompts say: {form.words[0]} for bet, {form.words[1]} for check,"
    assert legend in shown
    assert f"{form.words[12]} for pot" in shown
    with opened(tmp_path / "cup") as browsed:
        assert browsed.item(key)["told"].startswith(f"Prompts call Alice Bob, and Bob Alice. {legend}")


def test_replies_are_read_in_the_words_of_the_disguise_alone(tmp_path: Path) -> None:
    """The engine's own words are no legal actions there: a random one is played, and the cause is recorded."""

    def hears(request: Request) -> str:
        assert request.schema is not None
        return json.dumps({"action": request.schema["properties"]["action"]["enum"][0].upper()})

    def knows(request: Request) -> str:
        assert request.schema is not None
        return json.dumps({"action": "check" if request.schema["properties"]["action"]["enum"][0] == "bet" else "bet"})

    players = "".join(f'[players.{name}]\nmodel = "{name}"\n' for name in ("hears", "knows"))
    table = 'games = ["kuhn"]\nmatches_per_seat = 2\nseed = 8\ndisguises = 2\nundisguised = false'
    config = write_cup(tmp_path, table, players, "[limits]\nfallbacks = 0")
    records = run_cup(config, tmp_path / "cup", {"hears": hears, "knows": knows})
    with _store(tmp_path / "cup") as store:
        matches = [read_match(store.transcript(record.item.key)) for record in records]
    causes: dict[str, set[str | None]] = {"hears": set(), "knows": set()}
    for match in matches:
        for decision, move in zip(match.transcript.decisions, match.moves, strict=True):
            who = match.transcript.seats[move.seat]
            causes[who].add(move.cause)
            assert set(decision.options) <= {"bet", "check", "fold", "call"}  # of the record, in the engine's words
            if who == "hears":
                assert decision.choice == decision.options[0]
    assert causes == {"hears": {None}, "knows": {"illegal"}}


_WORDS = {"deal", "ante"}  # in parts of other words; what is unmistakable, `test_disguise` looks for


def test_the_plan_counts_disguises_and_a_run_goes_on_where_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, out = write_cup(tmp_path, TABLE), tmp_path / "cup"
    assert run(["start", str(config), "--dry-run", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["parts"] == {"matches": 12, "matches in disguise": 36}
    assert told["items"] == 48
    whole = slots_table(run_cup(config, out))
    unplay(out, keep=13)
    with start_run(TOURNAMENT, config, out) as session:
        session.run(quiet=True)
    assert slots_table(records_of(out)).equals(whole)


def test_a_disguise_that_is_not_the_one_that_was_recorded_is_refused(cup: Path) -> None:
    with _store(cup) as store:
        pinned = msgspec.json.decode(store.materials()[GAMES], type=list[PinnedGame])
    other = {game.label: game for game in pinned}
    swapped = msgspec.structs.replace(other["kuhn~1"], spec=other["kuhn~2"].spec)
    changed = [swapped if game.label == "kuhn~1" else game for game in pinned]
    with pytest.raises(StorageError, match="makes another disguise kuhn~1 than the one that began the run"):
        disguises_in(msgspec.json.encode(changed))
