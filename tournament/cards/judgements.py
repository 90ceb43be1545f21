"""The judged decisions of a run's matches. Each match is judged once for all parts of a report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from antemill.engine.errors import AntemillError
from antemill.engine.match import Game
from antemill.engine.storage.files import read_bytes
from antemill.tournament.cards.config import CardConfig
from antemill.tournament.cards.equilibrium import Judge, Judged, Judges, judges
from antemill.tournament.cards.pinned_games import disguises_in
from antemill.tournament.cards.plan import GAMES
from antemill.tournament.cards.play import MatchRecord, read_match
from antemill.tournament.runs import RunStore
from antemill.tournament.runs.config import parse_config
from antemill.tournament.runs.folder import CONFIG
from antemill.tournament.runs.once import shared

_KEPT = 50_000  # matches whose decisions are kept: some 20 MB


class Judgements:
    """The decisions of matches by the equilibria of their games. judges: these equilibria."""

    def __init__(self, judges: Judges) -> None:
        self.judges = judges
        self._kept: dict[str, list[Judged]] = {}  # by matches' keys

    def of(self, store: RunStore, key: str, judge: Judge, match: MatchRecord | None = None) -> list[Judged]:
        """What `Judge.judge` says of a finished match. match: the record, if it is read already."""
        if (known := self._kept.get(key)) is not None:
            return known
        found = judge.judge((match or read_match(store.transcript(key))).transcript)
        if len(self._kept) < _KEPT:
            self._kept[key] = found
        return found


def judgements_of(store: RunStore, path: Path, games: Mapping[str, Game]) -> Judgements:
    """Those of a tournament. path: of its folder. In one report they are the same for all who ask."""
    return shared(("judgements", path.resolve()), lambda: Judgements(_judges(store, path, games)))


def _judges(store: RunStore, path: Path, games: Mapping[str, Game]) -> Judges:
    """The equilibria of a tournament's games."""
    try:
        config = parse_config(read_bytes(path / CONFIG), CardConfig, str(path / CONFIG))
    except AntemillError:  # matches can be looked at without it
        config = None
    disguises = {games[label].digest: one for label, one in disguises_in(store.materials()[GAMES]).items()}
    return judges(path, Path(store.meta()["home"]), config, disguises)
