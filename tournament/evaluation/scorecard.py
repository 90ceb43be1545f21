"""The results of an evaluation in one document: `scorecard.json`, with all that is needed to repeat it.

`msgspec.json.schema(Scorecard)` is its JSON Schema.
"""

from __future__ import annotations

import hashlib
import math
from typing import Any

import msgspec
from msgspec import Struct

from antemill.engine.builder.generate import builder_hash
from antemill.engine.match import prompt
from antemill.engine.rules.same import canonical_digest
from antemill.llm import read_models
from antemill.tournament.cards.config import PlayerTable
from antemill.tournament.evaluation.findings import Findings, PlayerFindings
from antemill.tournament.evaluation.suites import suite_digest
from antemill.tournament.evaluation.whole import Whole
from antemill.tournament.evaluation.whole_tables import mean_exploitability
from antemill.tournament.runs import RunFolder
from antemill.tournament.statistics.losses import Loss
from antemill.version import __version__

SCHEMA = 3  # of the document: changes when a key changes its meaning or goes
NAME = "scorecard.json"
_SECRET = ("key", "headers", "name")  # parts of a model's entry that a scorecard leaves out


class GameCard(Struct, frozen=True):
    """A game and its equilibrium. canonical: its canonical digest; program: of the compiled rules. Chips a match."""

    game: str
    canonical: str
    program: str
    algorithm: str
    exploitability: float | None
    value: float | None
    deviation: float


class SuiteCard(Struct, frozen=True):
    """What was played. digest: of the games' canonical digests. cards: of the games, the seed and the number of pairs:
    players with the same met the same cards."""

    name: str
    digest: str
    cards: str
    builder: str
    games: list[GameCard]


class Protocol(Struct, frozen=True):
    """How it was played. prompts: version and digest of the system prompts. disguises: of each game; undisguised:
    whether it was played as itself too."""

    matches_per_seat: int
    seed: int
    list_moves: bool
    prompts: str
    prompts_digest: str
    disguises: int = 0
    undisguised: bool = True


class PolicyCard(Struct, frozen=True):
    """A player's whole policy of small games, chips a match. mean: exploitability over the games; by_game, observed:
    that of each game, and without the correction for few answers; loss: to the equilibrium. questions: how many.
    value: what Alice wins if the policy plays both seats; responses: what a best response wins from it as Alice, and as
    Bob."""

    mean: Loss
    by_game: dict[str, Loss]
    observed: dict[str, float]
    loss: dict[str, Loss]
    questions: int
    value: dict[str, float] = {}
    responses: dict[str, tuple[float, float]] = {}


class PlayerCard(Struct, frozen=True):
    """A player's results. loss: chips a match, in these games and for games like these; units: in deviations; regret:
    chips a decision, null without one that is known; by_game: chips a match; by_kind: of decisions. pairs: {game:
    {pair: loss}}, for comparisons on the same cards. No true loss, regret or exploitability is below zero: their
    intervals are those of rare events, or cut at zero. A loss whose mean is at most zero by luck has Student's interval
    (docs/eval.md).

    exploitability: of its whole policy in small games; null where it was not asked for it. model: the entry of
    models.toml that played. unranked: whether too few of its moves were its own for a place among others.
    """

    name: str
    player: dict[str, Any]
    model: dict[str, Any] | None
    matches: int
    loss: Loss
    loss_like: Loss
    units: Loss
    units_like: Loss
    regret: Loss | None
    by_game: dict[str, Loss]
    by_kind: dict[str, Loss]
    pairs: dict[str, dict[str, float]]
    fallbacks: int
    moves: int
    cost: float
    exploitability: PolicyCard | None = None
    unranked: bool = False


class Scorecard(Struct, frozen=True):
    """The whole document. finished, planned: matches and questions of the run; complete: whether all are finished, and
    no more follow. seconds: of all finished matches; cost: dollars of all calls."""

    schema: int
    antemill: str
    finished: int
    planned: int
    complete: bool
    suite: SuiteCard
    protocol: Protocol
    players: list[PlayerCard]
    seconds: float
    cost: float


def scorecard(found: Findings) -> Scorecard:
    """The document of a run's findings."""
    cost = sum(total.cost for total in found.totals)
    players = [_player(found, one) for one in found.players]
    return Scorecard(
        schema=SCHEMA,
        antemill=__version__,
        finished=found.finished,
        planned=found.planned,
        complete=found.complete,
        suite=_suite(found),
        protocol=_protocol(found),
        players=players,
        seconds=found.seconds,
        cost=cost,
    )


def unfinished(of: str, finished: int, planned: int) -> str:
    """The sentence about a run, or its card, that is not complete. of: its name."""
    return f"{of} is not finished: its figures are of {finished:,} of {planned:,} matches and questions."


def summary(card: Scorecard) -> dict[str, Any]:
    """The short document of `antemill eval --json`: chips a match against the equilibrium; positive is a loss."""
    players = [
        {
            "name": one.name,
            "loss": {"mean": one.loss.mean, "low": one.loss.low, "high": one.loss.high},
            "units": {"mean": one.units.mean, "low": one.units.low, "high": one.units.high},
            "regret": None if one.regret is None else one.regret.mean,
            "gain": None,
            "unranked": one.unranked,
            "exploitability": one.exploitability,
            "matches": one.matches,
        }
        for one in card.players
    ]
    suite = {"name": card.suite.name, "digest": card.suite.digest}
    played = {"finished": card.finished, "planned": card.planned, "complete": card.complete}
    return {"players": players, "suite": suite, **played, "seconds": card.seconds, "cost": card.cost}


def _suite(found: Findings) -> SuiteCard:
    table, cards = found.config.eval, []
    for label, game in found.games.items():
        assert game.spec is not None
        solution, deviation = found.references[label].saved.solution, found.references[label].deviation
        facts = solution.algorithm, solution.exploitability, solution.value
        cards.append(GameCard(label, canonical_digest(game.spec), game.digest, *facts, deviation))
    dealt: list[Any] = [sorted((card.game, card.program) for card in cards), table.seed]
    if found.disguises:
        dealt.append([table.undisguised, sorted((label, game.digest) for label, game in found.disguises.items())])
    name = table.suite or ("games" if table.games else "benchmark" if table.benchmark is not None else "starter")
    digest = suite_digest(card.canonical for card in cards)
    return SuiteCard(name, digest, _digest(msgspec.json.encode(dealt)), builder_hash(), cards)


def _protocol(found: Findings) -> Protocol:
    table, paper = found.config.eval, found.config.paper is True
    shown = [*(found.games.values() if table.undisguised else ()), *found.disguises.values()]
    told = [(game.spec, game.turned, game.words) for game in shown if game.spec is not None]
    texts = "\0".join(prompt.system(spec, paper, turned=turned, words=words) for spec, turned, words in told)
    prompts = found.prompts, _digest(texts.encode())
    forms = table.disguises, table.undisguised
    return Protocol(table.matches_per_seat, table.seed, table.list_moves, *prompts, *forms)


def _player(found: Findings, one: PlayerFindings) -> PlayerCard:
    table = found.config.players[one.name]
    return PlayerCard(
        name=one.name,
        player={key: value for key, value in msgspec.to_builtins(table).items() if value is not None},
        model=_model(found, table),
        matches=sum(game.matches for game in one.games),
        loss=one.suite.chips,
        loss_like=one.suite.chips_like,
        units=one.suite.units,
        units_like=one.suite.units_like,
        regret=_measured(one.regrets[0].regret),
        by_game={game.game: game.loss for game in one.games},
        by_kind={kind.kind: kind.regret for kind in one.regrets if _measured(kind.regret) is not None},
        pairs={game.game: {str(run): loss for run, loss in game.by_pair.items()} for game in one.games},
        fallbacks=one.fallbacks.fallbacks,
        moves=one.fallbacks.moves,
        cost=one.fallbacks.cost,
        exploitability=_policies([each for each in found.wholes if each.player == one.name]),
        unranked=one.name in found.unranked,
    )


def _policies(found: list[Whole]) -> PolicyCard | None:
    mean = mean_exploitability(found)
    if mean is None:
        return None
    return PolicyCard(
        mean=mean,
        by_game={one.game: one.exploitability for one in found},
        observed={one.game: one.observed for one in found},
        loss={one.game: one.loss for one in found},
        questions=sum(one.questions for one in found),
        value={one.game: one.value for one in found},
        responses={one.game: one.responses for one in found},
    )


def _measured(loss: Loss) -> Loss | None:
    return None if math.isnan(loss.mean) else loss


def _model(found: Findings, table: PlayerTable) -> dict[str, Any] | None:
    """The entry of models.toml without what belongs to this machine's account."""
    if table.model is None:
        return None
    entry = msgspec.to_builtins(read_models(RunFolder(found.folders[0]).models)[table.model])
    return {
        key: value for key, value in entry.items() if value is not None and not any(word in key for word in _SECRET)
    }


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
