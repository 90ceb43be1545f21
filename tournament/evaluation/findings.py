"""What an evaluation came to: losses, regrets and costs of its players, from the folder of the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from antemill.engine.errors import StorageError, UsageError
from antemill.engine.match import Game
from antemill.llm import Totals
from antemill.solver.evaluation.transcripts import aivat_for
from antemill.tournament import head_to_head as pairs
from antemill.tournament.cards.fallbacks import FallbackRates, fallback_rates
from antemill.tournament.cards.forms import Met, by_form, over_forms
from antemill.tournament.cards.kind import GAMES, read_games, themselves
from antemill.tournament.cards.pinned_games import load_games
from antemill.tournament.cards.play import read_match
from antemill.tournament.cards.slots import Slot, read_slot
from antemill.tournament.evaluation.ask import EVERYWHERE, is_question
from antemill.tournament.evaluation.config import EQUILIBRIUM, EvalConfig
from antemill.tournament.evaluation.gains import Gains, gains
from antemill.tournament.evaluation.items import References
from antemill.tournament.evaluation.kind import EVALUATION
from antemill.tournament.evaluation.known import RunGames
from antemill.tournament.evaluation.losses import GameLoss, SuiteLoss, game_loss, suite_loss
from antemill.tournament.evaluation.references import Reference, read_references
from antemill.tournament.evaluation.regrets import Decided, KindRegret, by_kind, decided
from antemill.tournament.evaluation.weak_plan import is_own, opponents
from antemill.tournament.evaluation.whole import Whole, wholes
from antemill.tournament.runs import Record, RunStore, reading
from antemill.tournament.runs.status import spending


class PlayerFindings(Struct, frozen=True):
    """One player. games: those that it has finished a match of; regrets: all decisions first, then by kind.
    forms: {game: {form: {run: gain}}}, see `forms.by_form`."""

    name: str
    games: list[GameLoss]
    suite: SuiteLoss
    regrets: list[KindRegret]
    decisions: list[Decided]
    fallbacks: FallbackRates
    forms: Mapping[str, Mapping[int, Mapping[int, float]]]


class Findings(Struct, frozen=True):
    """All players, the one that loses least first. total: matches of the plan; seconds: of all finished matches.
    disguises: of the games, by label; seeds: {game: {form: seed}}. finished, planned: matches and questions; complete:
    whether all are finished, and no more follow."""

    folder: Path
    config: EvalConfig
    games: dict[str, Game]
    references: dict[str, Reference]
    players: list[PlayerFindings]
    matches: int
    total: int
    seconds: float
    totals: list[Totals]
    prompts: str
    disguises: dict[str, Game]
    weak: Gains
    seeds: dict[str, dict[int, int]]
    wholes: list[Whole]
    finished: int
    planned: int
    complete: bool


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


def examine(folder: Path) -> Findings:
    """The findings of a run. Raises UsageError if no match is finished, StorageError if there is no run."""
    with reading(EVALUATION, folder) as run:
        config, store = run.config, run.store
        records = store.records()
        done = [record for record in records if record.status == "done"]
        if not done:
            raise UsageError(f"no match in {folder} is finished: there is nothing to report yet.")
        made = _Games(store)
        met: dict[str, dict[str, list[Met]]] = {name: {} for name in config.players}
        decisions: dict[str, list[Decided]] = {name: [] for name in config.players}
        for record in filter(is_own, done):
            slot = read_slot(record.item.data)
            player, seat = (slot.alice, 0) if slot.bob == EQUILIBRIUM else (slot.bob, 1)
            result, made_decisions = _match(made, store, record, slot, player, seat)
            met[player].setdefault(slot.about, []).append(Met(slot.disguise, result))
            decisions[player] += made_decisions
        known = RunGames(config, Path(store.meta()["home"]), made.games, made.references)
        weak, whole = gains(known, done, store.transcript), wholes(known, done, store.transcript)
        planned, complete = store.total(), store.complete()
    rates = {
        one.player: one for one in fallback_rates(done, [*config.players, EQUILIBRIUM, EVERYWHERE, *opponents(config)])
    }
    players = []
    for name, by_game in met.items():
        if by_game:
            losses = [
                _loss(label, by_game[label], made.references[label].deviation)
                for label in made.themselves
                if label in by_game
            ]
            regrets = by_kind(decisions[name])
            forms = {label: by_form(by_game[label]) for label in made.themselves if label in by_game}
            players.append(
                PlayerFindings(name, losses, suite_loss(losses), regrets, decisions[name], rates[name], forms)
            )
    players.sort(key=lambda one: one.suite.chips.mean)
    seconds = sum(record.seconds for record in done)
    prompts = str(done[0].row.get("prompts", ""))
    return Findings(
        folder,
        config,
        {label: made.games[label] for label in made.themselves},
        {label: made.references[label] for label in made.themselves},
        players,
        sum(not is_question(record.item.data) for record in done),
        planned - sum(is_question(record.item.data) for record in records),
        seconds,
        spending(folder),
        prompts,
        {label: game for label, game in made.games.items() if label not in made.themselves},
        weak,
        made.seeds,
        whole,
        len(done),
        planned,
        complete,
    )


def _loss(label: str, met: Sequence[Met], unit: float) -> GameLoss:
    return replace(game_loss(label, over_forms(met), unit), matches=len(met))


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
