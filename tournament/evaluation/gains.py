"""Use of weak opponents: the share of what a best response wins that a player has won.

The opponent's policy is known, so AIVAT takes the luck of the cards and of the opponent's choices out of every match,
and the best response is computed on the tree. A gain is chips a match, the mean of both seats: two equal players gain
nothing. The share of several games is the sum of the gains over the sum of what best responses gain. Where the player's
own policy is known, too, its gain is also computed exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from antemill.engine.match import Transcript
from antemill.tournament.cards.play import read_match
from antemill.tournament.cards.slots import read_slot
from antemill.tournament.evaluation.known import RunGames
from antemill.tournament.evaluation.weak import Opponent, opponent_in
from antemill.tournament.head_to_head import standard_error
from antemill.tournament.runs import Record
from antemill.tournament.statistics.losses import Loss, interval, these

Pairs = dict[int, list[float]]  # the estimates of each pair of matches


class GameGain(Struct, frozen=True):
    """A player against an opponent in one game, chips a match. best: of a best response; perfect: of the equilibrium;
    exact: of the player, None if its policy is not known."""

    game: str
    matches: int
    gain: Loss
    best: float
    perfect: float
    exact: float | None


class Gain(Struct, frozen=True):
    """A player against an opponent in a condition, over all games. share: of the best response's gain."""

    player: str
    bot: str
    condition: str
    games: list[GameGain]
    gain: Loss
    share: Loss
    best: float
    perfect: float
    exact: float | None


class RoundGain(Struct, frozen=True):
    """A player in one round of the repeated condition, from 1, over all games and sequences."""

    player: str
    bot: str
    round: int
    matches: int
    gain: Loss
    share: Loss


class Gains(Struct, frozen=True):
    """All of them; empty lists of a run without weak opponents."""

    gains: list[Gain]
    rounds: list[RoundGain]


def gains(made: RunGames, records: Iterable[Record], transcript: Callable[[str], object]) -> Gains:
    """The gains of all finished matches against weak opponents. transcript: of an item by its key."""
    met: dict[tuple[str, Opponent], dict[str, Pairs]] = {}
    for record in records:
        slot = read_slot(record.item.data) if "alice" in record.item.data else None
        found = None if slot is None else opponent_in(slot)
        if slot is None or found is None or record.status != "done":
            continue
        opponent, seat = found
        played: Transcript = read_match(transcript(record.item.key)).transcript
        estimate = made.of(opponent.bot, slot.game).estimate(played, seat)
        by_game = met.setdefault(((slot.alice, slot.bob)[seat], opponent), {})
        by_game.setdefault(slot.game, {}).setdefault(slot.run, []).append(estimate)
    whole = [_gain(made, player, opponent, by_game) for (player, opponent), by_game in met.items()]
    rounds = [one for (player, opponent), by_game in met.items() for one in _rounds(made, player, opponent, by_game)]
    return Gains(whole, rounds)


def _gain(made: RunGames, player: str, opponent: Opponent, by_game: Mapping[str, Pairs]) -> Gain:
    games = [_game_gain(made, player, opponent, label, found) for label, found in by_game.items()]
    exact = [one.exact for one in games]
    best = _mean([one.best for one in games])
    gain = these([(one.gain.mean, one.gain.error, max(1, len(by_game[one.game]) - 1)) for one in games])
    return Gain(
        player=player,
        bot=opponent.bot,
        condition=opponent.condition,
        games=games,
        gain=gain,
        share=_scaled(gain, best),
        best=best,
        perfect=_mean([one.perfect for one in games]),
        exact=None if None in exact else _mean([one for one in exact if one is not None]),
    )


def _game_gain(made: RunGames, player: str, opponent: Opponent, label: str, found: Pairs) -> GameGain:
    weak, known = made.of(opponent.bot, label), made.player(player, label)
    return GameGain(
        game=label,
        matches=sum(map(len, found.values())),
        gain=of_pairs(found),
        best=weak.best,
        perfect=weak.gain(made.perfect(label)),
        exact=None if known is None else weak.gain(known),
    )


def _rounds(made: RunGames, player: str, opponent: Opponent, by_game: Mapping[str, Pairs]) -> list[RoundGain]:
    """The gain in each round; none for another condition."""
    table = made.config.weak
    if opponent.condition != "rounds" or table is None:
        return []
    found = []
    for number in range(table.rounds):
        here = {
            label: {run: values for run, values in pairs.items() if run % table.rounds == number}
            for label, pairs in by_game.items()
        }
        here = {label: pairs for label, pairs in here.items() if pairs}
        if here:
            parts = [(label, of_pairs(pairs), len(pairs)) for label, pairs in here.items()]
            gain = these([(one.mean, one.error, max(1, count - 1)) for _, one, count in parts])
            best = _mean([made.of(opponent.bot, label).best for label in here])
            matches = sum(len(values) for pairs in here.values() for values in pairs.values())
            found.append(RoundGain(player, opponent.bot, number + 1, matches, gain, _scaled(gain, best)))
    return found


def of_pairs(found: Pairs) -> Loss:
    """The mean over pairs of matches with the same cards, with its interval."""
    means = [_mean(values) for values in found.values()]
    return interval(_mean(means), standard_error(means), len(means) - 1)


def _scaled(gain: Loss, best: float) -> Loss:
    """A gain in shares of the best one; nan where nothing can be gained."""
    if best <= 0:
        return Loss(math.nan, None, None, None)
    error, low, high = (None if one is None else one / best for one in (gain.error, gain.low, gain.high))
    return Loss(gain.mean / best, error, low, high)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
