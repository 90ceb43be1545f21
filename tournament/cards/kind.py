"""The card tournament as a kind of runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from antemill.llm import Model
from antemill.tournament.cards.config import CardConfig
from antemill.tournament.cards.pinned_games import disguises_in, load_games, pin_games, rejections
from antemill.tournament.cards.plan import BENCHMARK, GAMES, NAME, CardTournament
from antemill.tournament.cards.seats import check_players
from antemill.tournament.runs import Kind

if TYPE_CHECKING:
    import pyarrow as pa

    from antemill.tournament.cards.findings import CardFindings
    from antemill.tournament.charts.chart import Chart
    from antemill.tournament.runs.items import Calls, Items
    from antemill.tournament.runs.kind import Behind, Headline
    from antemill.tournament.runs.store import RunStore
    from antemill.tournament.statistics.statistic import Statistics


class CardKind(Kind[CardConfig, "CardFindings"]):
    """Card tournaments."""

    name, config, title = NAME, CardConfig, "Card tournament"
    listed, shown = "all matches", "a finished match"
    purposes: ClassVar[Mapping[str, str]] = {"move": "moves"}
    rows_file = "slots.parquet"
    terms = (
        (
            "These games, games like these",
            "The interval of these games says how far a figure would move if the same games were played again; that of "
            "games like these says how far it would move if other games were drawn as these were.",
        ),
        ("Margin", "A player's chips less the opponent's at the end of a match: twice the chips won."),
        (
            "p and q",
            "p is how often noise alone would give at least as much; q is the share of false discoveries among all "
            "results with a q as small.",
        ),
    )

    def materials(self, config: CardConfig, home: Path) -> dict[str, bytes]:
        """The games, as they are pinned with the run, and the benchmark that they are from."""
        check_players(config.players, home)
        table = config.tournament
        found = {GAMES: pin_games(table, home)}
        if table.benchmark is not None:
            found[BENCHMARK] = (home / table.benchmark).read_bytes()  # for its axes
        return found

    def make(self, config: CardConfig, home: Path, materials: Mapping[str, bytes]) -> CardTournament:
        """A tournament of these games."""
        return CardTournament(config, home, load_games(materials[GAMES]), disguises_in(materials[GAMES]))

    def foretold(self, made: CardTournament, models: Mapping[str, Model]) -> Sequence[str]:  # noqa: ARG002
        """A sentence for each game that the gate rejects."""
        return [*rejections(made.games)]

    def items(self, store: RunStore, calls: Calls, path: Path) -> Items:
        """The matches of a tournament."""
        from antemill.tournament.cards.items import MatchItems

        return MatchItems(store, calls, path)

    @cached_property
    def tables(self) -> Statistics[CardFindings]:  # type: ignore[override]
        """Those of matches, and those of a run's records."""
        from antemill.tournament.cards.tables import STATISTICS

        return STATISTICS

    @property
    def beside(self) -> Mapping[str, str]:  # type: ignore[override]
        """The table of each figure."""
        from antemill.tournament.statistics.figures import BESIDE

        return BESIDE

    def findings(self, folders: Sequence[Path], clean: bool = False) -> CardFindings:
        """All estimates."""
        from antemill.tournament.cards.findings import findings

        return findings(folders, clean)

    def charts(self, found: CardFindings) -> Mapping[str, Chart]:
        """The figures of the paper."""
        return found.figures[0]

    def left_out(self, found: CardFindings) -> Mapping[str, str]:
        """The figures that the matches do not determine."""
        return found.figures[1]

    def headline(self, found: CardFindings) -> Headline:
        """Who has the highest strength."""
        from antemill.tournament.cards.headline import headline

        return headline(found)

    def cells(self, found: CardFindings) -> Mapping[str, Behind]:  # noqa: ARG002
        """The matches behind counts of fallbacks and of moves off the solver."""
        from antemill.tournament.cards.evidence import CELLS

        return CELLS

    def games(self, found: CardFindings) -> Sequence[str]:
        """The games that were played."""
        return found.analysis.e.games

    def rows(self, folders: Sequence[Path]) -> pa.Table:
        """The finished matches."""
        from antemill.tournament.cards.findings import read_part, rows_of

        return rows_of([read_part(folder) for folder in folders])

    def documents(self, found: CardFindings) -> Iterator[tuple[str, bytes]]:
        """The benchmark that the games are from."""
        if (benchmark := found.parts[0].benchmark) is not None:
            yield BENCHMARK, benchmark


KIND = TOURNAMENT = CardKind()
