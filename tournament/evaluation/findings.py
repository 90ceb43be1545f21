"""What an evaluation came to: losses, regrets and costs of its players, from the folder of the run."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from antemill.engine.errors import StorageError, UsageError
from antemill.engine.match import Game
from antemill.llm import Totals
from antemill.solver.evaluation.transcripts import aivat_for
from antemill.tournament import head_to_head as pairs
from antemill.tournament.cards.fallbacks import FallbackRates, fallback_rates
from antemill.tournament.cards.kind import read_games
from antemill.tournament.cards.play import read_match
from antemill.tournament.cards.slots import Slot, read_slot
from antemill.tournament.evaluation.config import EQUILIBRIUM, EvalConfig
from antemill.tournament.evaluation.items import References
from antemill.tournament.evaluation.kind import EVALUATION
from antemill.tournament.evaluation.losses import GameLoss, SuiteLoss, game_loss, suite_loss
from antemill.tournament.evaluation.references import Reference, read_references
from antemill.tournament.evaluation.regrets import Decided, KindRegret, by_kind, decided
from antemill.tournament.runs import Record, RunStore, reading
from antemill.tournament.runs.status import spending


class PlayerFindings(Struct, frozen=True):
    """One player. games: those that it has finished a match of; regrets: all decisions first, then by kind."""

    name: str
    games: list[GameLoss]
    suite: SuiteLoss
    regrets: list[KindRegret]
    decisions: list[Decided]
    fallbacks: FallbackRates


class Findings(Struct, frozen=True):
    """All players, the one that loses least first. total: matches of the plan; seconds: of all finished matches."""

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


class _Games:
    """The games of a run with their equilibria, AIVAT and judges, each made once."""

    def __init__(self, store: RunStore) -> None:
        materials = store.materials()
        self.games = read_games(materials)
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
        met: dict[str, dict[str, list[pairs.MatchResult]]] = {name: {} for name in config.players}
        decisions: dict[str, list[Decided]] = {name: [] for name in config.players}
        for record in done:
            slot = read_slot(record.item.data)
            player, seat = (slot.alice, 0) if slot.bob == EQUILIBRIUM else (slot.bob, 1)
            result, made_decisions = _match(made, store, record, slot, player, seat)
            met[player].setdefault(slot.game, []).append(result)
            decisions[player] += made_decisions
    rates = {one.player: one for one in fallback_rates(done, [*config.players, EQUILIBRIUM])}
    players = []
    for name, by_game in met.items():
        if by_game:
            losses = [
                game_loss(label, by_game[label], made.references[label].deviation)
                for label in made.games
                if label in by_game
            ]
            regrets = by_kind(decisions[name])
            players.append(PlayerFindings(name, losses, suite_loss(losses), regrets, decisions[name], rates[name]))
    players.sort(key=lambda one: one.suite.chips.mean)
    seconds = sum(record.seconds for record in done)
    prompts = str(done[0].row.get("prompts", ""))
    return Findings(
        folder,
        config,
        made.games,
        made.references,
        players,
        len(done),
        len(records),
        seconds,
        spending(folder),
        prompts,
    )


def _match(
    made: _Games, store: RunStore, record: Record, slot: Slot, player: str, seat: int
) -> tuple[pairs.MatchResult, list[Decided]]:
    """The player's margin with AIVAT's estimate, and its decisions."""
    match, game = read_match(store.transcript(record.item.key)), made.games[slot.game]
    played = match.transcript
    assert played.payoffs is not None
    estimate = pairs.corrected(made.methods[slot.game], game, played, seat)
    margin = float(played.payoffs[seat] - played.payoffs[1 - seat])
    judged = made.judges.of(game).judge(played)
    if len(judged) != len(played.decisions):
        raise StorageError(f"the record of {record.item.key} is damaged: its match does not come out as recorded.")
    found = decided(player, slot.game, record.item.key, slot.run, seat, played.decisions, match.moves, judged)
    return pairs.MatchResult(slot.run, slot.play_seed, seat, margin, estimate), found
