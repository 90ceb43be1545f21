"""The evaluation as a kind of runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import msgspec

from antemill.llm import Model, dollar_text
from antemill.tournament.cards.pinned_games import disguises_in, load_games
from antemill.tournament.cards.plan import GAMES
from antemill.tournament.evaluation import materials as made_of
from antemill.tournament.evaluation.config import NAME, EvalConfig
from antemill.tournament.evaluation.plan import Evaluation
from antemill.tournament.evaluation.references import has_references, read_references
from antemill.tournament.runs import Kind
from antemill.tournament.runs.estimate import forecast

if TYPE_CHECKING:
    import pyarrow as pa

    from antemill.tournament.charts.chart import Chart
    from antemill.tournament.evaluation.findings import Findings
    from antemill.tournament.runs.items import Calls, Items
    from antemill.tournament.runs.kind import Behind, Headline
    from antemill.tournament.runs.store import RunStore
    from antemill.tournament.statistics.statistic import Statistics


class EvalKind(Kind[EvalConfig, "Findings"]):
    """Evaluations."""

    name, config, title = NAME, EvalConfig, "Evaluation against perfect play"
    listed, shown = "all matches and questions", "a finished match or question"
    purposes: ClassVar[Mapping[str, str]] = {"move": "moves"}
    rows_file = "slots.parquet"
    beside: ClassVar[Mapping[str, str]] = {"losses": "losses"}
    terms = (
        (
            "These games",
            "How far the figure would move if the same games were played again with other cards and other replies "
            "(95%, over pairs of matches with the same cards). Losses and regrets allow for mistakes that were not "
            "seen.",
        ),
        (
            "Games like these",
            "How far it would move if other games were drawn as these were (95%, over games). It allows for games that "
            "cost more than all of these.",
        ),
    )

    def materials(self, config: EvalConfig, home: Path) -> dict[str, bytes]:
        """The games and their equilibria."""
        return made_of.materials(config, home)

    def outline(self, config: EvalConfig, home: Path) -> dict[str, bytes]:
        """The games, without their equilibria."""
        return made_of.outline(config, home)

    def make(self, config: EvalConfig, home: Path, materials: Mapping[str, bytes]) -> Evaluation:
        """An evaluation with these games."""
        games = load_games(materials[GAMES])
        own = {label: game for label, (_, game) in games.items()}
        references = read_references(materials, own) if has_references(materials) else {}
        return Evaluation(config, home, games, references, disguises_in(materials[GAMES]))

    def foretold(self, made: Evaluation, models: Mapping[str, Model]) -> Sequence[str]:
        """What the questions of each model cost."""
        expected = made.questions()
        count = len({one.about for one in expected})
        games = f"{count} game{'s' if count > 1 else ''}"
        return [
            f"{one.model} is asked at every decision of {games}, which takes {one.calls:,} calls"
            f"{f' and costs about {dollar_text(one.dollars)}' if one.priced else ''}."
            for one in forecast(expected, models)
        ]

    def items(self, store: RunStore, calls: Calls, path: Path) -> Items:
        """The matches and questions of an evaluation."""
        from antemill.tournament.evaluation.items import EvalItems

        return EvalItems(store, calls, path)

    @cached_property
    def tables(self) -> Statistics[Findings]:  # type: ignore[override]
        """Losses, policies, decisions, disguises."""
        from antemill.tournament.evaluation.tables import STATISTICS

        return STATISTICS

    def findings(self, folders: Sequence[Path], clean: bool = False) -> Findings:
        """Losses, regrets and policies."""
        from antemill.tournament.evaluation.findings import findings

        return findings(folders, clean)

    def charts(self, found: Findings) -> Mapping[str, Chart]:
        """The losses."""
        from antemill.tournament.evaluation.headline import charts

        return charts(found)

    def headline(self, found: Findings) -> Headline:
        """Who loses least."""
        from antemill.tournament.evaluation.headline import headline

        return headline(found)

    def cells(self, found: Findings) -> Mapping[str, Behind]:  # noqa: ARG002
        """The matches and decisions behind losses."""
        from antemill.tournament.evaluation.headline import CELLS

        return CELLS

    def games(self, found: Findings) -> Sequence[str]:
        """The games that were played."""
        return list(found.games)

    def rows(self, folders: Sequence[Path]) -> pa.Table:
        """The finished matches."""
        from antemill.tournament.evaluation.findings import rows

        return rows(folders)

    def documents(self, found: Findings) -> Iterator[tuple[str, bytes]]:
        """The scorecard of one run."""
        from antemill.tournament.evaluation.scorecard import NAME, scorecard

        if len(found.folders) == 1:
            yield NAME, msgspec.json.format(msgspec.json.encode(scorecard(found)), indent=2) + b"\n"


KIND = EVALUATION = EvalKind()
