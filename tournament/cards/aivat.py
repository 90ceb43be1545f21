"""AIVAT for a tournament's matches against solved policies: the same margins with less variance (N13).

AIVAT takes out of each margin what chance, and the policy's own random choices, have given or taken; the estimates stay
unbiased. A model that is paid for needs fewer matches, and the table says how many fewer. The policies are read from
where the configuration names them, and must be those that played.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from antemill.engine.disguise.disguise import Disguise
from antemill.engine.errors import AntemillError
from antemill.engine.match import Game
from antemill.solver.evaluation.transcripts import Aivat, aivat_for
from antemill.tournament import head_to_head as pairs
from antemill.tournament.cards.config import CardConfig
from antemill.tournament.cards.findings import Part
from antemill.tournament.cards.forms import Met, over_forms
from antemill.tournament.cards.pinned_games import disguises_in
from antemill.tournament.cards.plan import GAMES, NAME, read_games
from antemill.tournament.cards.play import read_match
from antemill.tournament.cards.slots import Slot, read_slot
from antemill.tournament.players.solved import policy_for
from antemill.tournament.runs import RunStore
from antemill.tournament.runs.folder import looking
from antemill.tournament.statistics.sheets import Cell, Column, Missing, Sheet

WITHOUT_LUCK = "without_luck"  # the name of the table
_COLUMNS = (
    *(Column("player", "Player", "text"), Column("policy", "Policy", "text"), Column("game", "Game", "text")),
    *(Column("matches", "Matches", "count"), Column("margin", "Margin", signed=True), Column("error", "SE")),
    *(
        Column("estimate", "Without luck", signed=True),
        Column("estimate_error", "SE"),
        Column("ratio", "Variance ratio"),
    ),
)


def aivat_sheet(parts: Sequence[Part]) -> Sheet | None:
    """A row for each player, solved policy and game that met; None if no policy takes part.

    Margins are the player's chips minus the policy's, with standard errors over pairs of matches with the same cards. A
    policy that cannot be read, or is not the one that played, is named below the table.
    """
    rows = [row for part in parts for row in _rows(part)]
    why = dict.fromkeys(cell.reason.rstrip(".") for row in rows for cell in row if isinstance(cell, Missing))
    note = "Chips minus chips; the variance ratio is the share of the matches that gives the same precision."
    if why:
        note += f" Without a figure: {'; '.join(why)}."
    return Sheet(WITHOUT_LUCK, "Against solved policies, without the luck", _COLUMNS, rows, note) if rows else None


def _rows(part: Part) -> list[list[Cell]]:
    policies = {name: part.home / p.policy for name, p in part.config.players.items() if p.policy is not None}
    met: dict[tuple[str, str, str], list[tuple[Slot, str]]] = {}
    for record in part.done:
        slot = read_slot(record.item.data)
        for player, policy in ((slot.alice, slot.bob), (slot.bob, slot.alice)):
            if policy in policies and player not in policies:
                met.setdefault((player, policy, slot.about), []).append((slot, record.item.key))
    if not met:
        return []
    with looking(NAME, CardConfig, part.folder) as (_, store):
        materials = store.materials()
        known = _Methods(read_games(materials), disguises_in(materials[GAMES]))
        return [[*key, *_figures(key[0], policies[key[1]], known, found, store)] for key, found in met.items()]


class _Methods:
    """AIVAT by the policies of a run in its games, as `policy_for` finds them."""

    def __init__(self, games: Mapping[str, Game], disguises: Mapping[str, Disguise]) -> None:
        self.games, self._disguises = games, disguises
        self._made: dict[tuple[Path, str], Aivat] = {}

    def of(self, policy: Path, label: str) -> Aivat:
        """Raises AntemillError for a policy that cannot be used."""
        if (policy, label) not in self._made:
            game = self.games[label]
            saved = policy_for(policy, game, self._disguises.get(label))
            self._made[policy, label] = aivat_for(game.program, saved.table)
        return self._made[policy, label]


def _figures(
    player: str, policy: Path, known: _Methods, found: Iterable[tuple[Slot, str]], store: RunStore
) -> list[Cell]:
    """Matches, margin, error, estimate, error, variance ratio."""
    met: list[Met] = []
    problem = ""
    for slot, key in found:
        seat = 0 if slot.alice == player else 1
        record = read_match(store.transcript(key)).transcript
        assert record.payoffs is not None
        estimate = None
        if not problem:
            try:
                method = known.of(policy, slot.game)
                estimate = pairs.corrected(method, known.games[slot.game], record, seat) / slot.scale
            except AntemillError as error:
                problem = str(error)
        margin = (record.payoffs[seat] - record.payoffs[1 - seat]) / slot.scale
        met.append(Met(slot.disguise, pairs.MatchResult(slot.run, slot.play_seed, seat, margin, estimate)))
    slots = over_forms(met)
    raw = pairs.edge(slots)
    cells: list[Cell] = [len(met), raw.mean, _known(raw.error, "one pair of matches only")]
    if problem:
        return [*cells, *[Missing(problem)] * 3]
    better = pairs.edge(slots, pairs.estimate_of)
    spread = _known(better.error, "one pair of matches only")
    return [*cells, better.mean, spread, _known(pairs.variance_ratio(raw, better), "no variance to compare with")]


def _known(value: float | None, reason: str) -> Cell:
    return Missing(reason) if value is None else value
