"""What an evaluation came to: losses, regrets and costs of its players, from the folder of the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace

from antemill.engine.errors import StorageError, UsageError
from antemill.engine.machine import layout as at
from antemill.engine.match import Game
from antemill.llm import Totals
from antemill.solver.evaluation.transcripts import aivat_for
from antemill.tournament import head_to_head as pairs
from antemill.tournament.cards.forms import Met, by_form, over_forms
from antemill.tournament.cards.pinned_games import load_games
from antemill.tournament.cards.plan import GAMES, read_games, themselves
from antemill.tournament.cards.play import read_match
from antemill.tournament.cards.rows import Tally, slots_table, tallies, unusable
from antemill.tournament.cards.slots import Slot, read_slot
from antemill.tournament.evaluation.ask import EVERYWHERE, is_question
from antemill.tournament.evaluation.config import EQUILIBRIUM, NAME, EvalConfig
from antemill.tournament.evaluation.items import References
from antemill.tournament.evaluation.known import RunGames
from antemill.tournament.evaluation.losses import GameLoss, SuiteLoss, game_loss, suite_loss
from antemill.tournament.evaluation.references import Reference, read_references
from antemill.tournament.evaluation.regrets import Decided, KindRegret, by_kind, decided
from antemill.tournament.evaluation.whole import Whole, wholes
from antemill.tournament.runs import Record, RunStore
from antemill.tournament.runs.folder import looking
from antemill.tournament.runs.honest import standing
from antemill.tournament.runs.status import spending

_APART = 1_000_000_000  # pairs of one folder, so that those of several have numbers of their own


class PlayerFindings(Struct, frozen=True):
    """One player. games: those that it has finished a match of; regrets: all decisions first, then by kind.
    forms: {game: {form: {run: gain}}}, see `forms.by_form`."""

    name: str
    games: list[GameLoss]
    suite: SuiteLoss
    regrets: list[KindRegret]
    decisions: list[Decided]
    fallbacks: Tally
    forms: Mapping[str, Mapping[int, Mapping[int, float]]]


class Findings(Struct, frozen=True):
    """All players, the one that loses least first. seconds: of all finished matches. disguises: of the games, by label;
    seeds: {game: {form: seed}}. finished, planned: matches and questions; complete: whether all are finished.
    unranked: players that did not play their own moves.
    """

    folders: list[Path]
    config: EvalConfig
    games: dict[str, Game]
    references: dict[str, Reference]
    players: list[PlayerFindings]
    matches: int
    seconds: float
    totals: list[Totals]
    prompts: str
    disguises: dict[str, Game]
    seeds: dict[str, dict[int, int]]
    wholes: list[Whole]
    finished: int
    planned: int
    complete: bool
    unranked: list[str]


class _Games:
    """The games of a run with their equilibria, AIVAT and judges, each made once."""

    def __init__(self, store: RunStore) -> None:
        materials = store.materials()
        self.games = read_games(materials)
        loaded = load_games(materials[GAMES])
        self.themselves = list(themselves(loaded))
        self.seeds: dict[str, dict[int, int]] = {}
        for pinned, _ in loaded.values():
            if (form := pinned.disguise) is not None:
                self.seeds.setdefault(form.of, {})[form.number] = form.seed
        self.references = read_references(materials, self.games)
        self.judges = References(self.references, self.games)
        self.methods = {
            label: aivat_for(game.program, self.references[label].saved.table) for label, game in self.games.items()
        }


def rows(folders: Sequence[Path]) -> pa.Table:
    """The finished matches, one row each, in the order of the plan."""
    found = []
    for folder in folders:
        with looking(NAME, EvalConfig, folder) as (_, store):
            done = store.records(finished_only=True)
        found.append(slots_table([one for one in done if not is_question(one.item.data)]))
    return pa.concat_tables(found)


class _Met(Struct):
    """What was met so far, over all folders: matches and decisions by player, whole policies, games."""

    matches: dict[str, dict[str, list[Met]]] = {}
    decisions: dict[str, list[Decided]] = {}
    wholes: list[Whole] = []
    done: list[Record] = []
    games: dict[str, Game] = {}
    references: dict[str, Reference] = {}
    disguises: dict[str, Game] = {}
    seeds: dict[str, dict[int, int]] = {}


def findings(folders: Sequence[Path], clean: bool = False) -> Findings:
    """The findings of some runs as of one. Raises UsageError if nothing is finished, or if runs call different games
    alike; StorageError if there is no run. clean: without items in which a reply could not be used.
    """
    whole, config = _Met(), None
    for number, folder in enumerate(folders):
        with looking(NAME, EvalConfig, folder) as (own, store):
            config = config or own
            done = [one for one in store.records(finished_only=True) if one.status == "done"]
            done = [one for one in done if not (clean and unusable(one))]
            _meet(whole, own, store, done, number * _APART)
    assert config is not None  # of the first folder
    if not whole.done:
        raise UsageError(f"no match in {folders[0]} is finished: there is nothing to report yet.")
    names = [*whole.matches, EQUILIBRIUM, EVERYWHERE]
    fell = {one.player: one for one in tallies(whole.done, names)}
    players = []
    for name, by_game in whole.matches.items():
        labels = [label for label in whole.games if label in by_game]
        if labels:
            losses = [_loss(label, by_game[label], whole.references[label], whole.games[label]) for label in labels]
            decided_by = whole.decisions[name]
            forms = {label: by_form(by_game[label]) for label in labels}
            players.append(
                PlayerFindings(name, losses, suite_loss(losses), by_kind(decided_by), decided_by, fell[name], forms)
            )
    now = standing(folders)
    return Findings(
        folders=list(folders),
        config=config,
        games=whole.games,
        references=whole.references,
        players=sorted(players, key=lambda one: one.suite.chips.mean),
        matches=sum(not is_question(record.item.data) for record in whole.done),
        seconds=sum(record.seconds for record in whole.done),
        totals=[total for folder in folders for total in spending(folder)],
        prompts=str(whole.done[0].row.get("prompts", "")),
        disguises=whole.disguises,
        seeds=whole.seeds,
        wholes=whole.wholes,
        finished=now.finished,
        planned=now.planned,
        complete=now.complete,
        unranked=list(now.unranked),
    )


def _meet(whole: _Met, config: EvalConfig, store: RunStore, done: Sequence[Record], first: int) -> None:
    """Add a run. first: number of its first pair of matches."""
    made = _Games(store)
    for label in made.themselves:
        if whole.games.setdefault(label, made.games[label]).digest != made.games[label].digest:
            raise UsageError(f"two of these runs call different games {label}: analyze them apart.")
        whole.references.setdefault(label, made.references[label])
    whole.disguises |= {label: game for label, game in made.games.items() if label not in made.themselves}
    whole.seeds |= made.seeds
    for name in config.players:
        whole.matches.setdefault(name, {})
        whole.decisions.setdefault(name, [])
    for record in done:
        if EQUILIBRIUM in (record.item.data["alice"], record.item.data["bob"]):
            slot = read_slot(record.item.data)
            slot = replace(slot, run=slot.run + first)
            player, seat = (slot.alice, 0) if slot.bob == EQUILIBRIUM else (slot.bob, 1)
            result, decisions = _match(made, store, record, slot, player, seat)
            whole.matches[player].setdefault(slot.about, []).append(Met(slot.disguise, result))
            whole.decisions[player] += decisions
    known = RunGames(config, Path(store.meta()["home"]), made.games, made.references)
    whole.wholes += wholes(known, done, store.transcript)
    whole.done += done


def _loss(label: str, met: Sequence[Met], reference: Reference, game: Game) -> GameLoss:
    return replace(game_loss(label, over_forms(met), reference.deviation, stake_of(game)), matches=len(met))


def stake_of(game: Game) -> float:
    """The chips with which a player begins: the most that one can lose in a match."""
    state = game.program.initial_state()
    return float(max(int(state[at.CHIPS + seat]) for seat in (0, 1)))


def _match(
    made: _Games, store: RunStore, record: Record, slot: Slot, player: str, seat: int
) -> tuple[pairs.MatchResult, list[Decided]]:
    """The player's margin with AIVAT's estimate, and its decisions."""
    match, game = read_match(store.transcript(record.item.key)), made.games[slot.game]
    played = match.transcript
    assert played.payoffs is not None
    estimate = pairs.corrected(made.methods[slot.game], game, played, seat)
    margin = float(played.payoffs[seat] - played.payoffs[1 - seat])
    scale = slot.scale
    judged = made.judges.of(game).judge(played)
    if len(judged) != len(played.decisions):
        raise StorageError(f"the record of {record.item.key} is damaged: its match does not come out as recorded.")
    found = decided(player, slot.about, record.item.key, slot.run, seat, played.decisions, match.moves, judged, scale)
    return pairs.MatchResult(slot.run, slot.play_seed, seat, margin / scale, estimate / scale), found
