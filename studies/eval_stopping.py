"""What does stopping at a precision cost? `python -m studies.eval_stopping [--pairs N] [--runs N] [--write]`.

Players of known strength (see `studies.eval_coverage`) play pairs of matches against the equilibria of the starter
suite. Runs of `antemill eval --precision` are drawn from these pairs with replacement, each of which stops by the rule
of `antemill.tournament.evaluation.stopping`. The table has how often the interval of a stopped run holds the mean of
the pairs that it was drawn from, how far the mean loss of the runs is from it, and the matches that they took; beside
it the matches that the same interval would take without AIVAT. With --write it replaces what is between the markers in
docs/statistics.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from antemill.tournament import head_to_head as pairs
from antemill.tournament.evaluation.config import EvalTable
from antemill.tournament.evaluation.losses import GameLoss, suite_loss
from antemill.tournament.evaluation.stopping import next_count
from antemill.tournament.evaluation.suites import STARTER, SUITES
from antemill.tournament.statistics.losses import interval
from benches.pages import write
from studies.eval_coverage import SHARES, Table, noisy

PAGE = Path(__file__).parents[1] / "docs" / "statistics.md"
PAIRS, RUNS, FIRST = 600, 400, 10
PRECISIONS = (0.2, 0.1, 0.05)
Floats = npt.NDArray[np.float64]


def losses_of(table: Table, share: float, count: int) -> tuple[Floats, Floats]:
    """float64[pairs] twice: the losses of pairs of matches, by AIVAT and as they were played."""
    played = table.play(noisy(table.saved, share), count, 0)
    found = (pairs.pairs_of(played, figure) for figure in (pairs.estimate_of, pairs.margin_of))
    better, raw = (np.array([-pair.mean / 2 for pair in each]) for each in found)
    return better, raw


def stopped(population: Sequence[Floats], table: EvalTable, stream: np.random.Generator) -> tuple[GameLoss, ...]:
    """The games of one run that stops by the rule."""
    drawn = [stream.choice(losses, table.most_per_seat) for losses in population]
    count = table.matches_per_seat
    while True:
        games = tuple(_game(losses[:count]) for losses in drawn)
        wanted = next_count(count, suite_loss(games).chips, table)
        if wanted == count:
            return games
        count = wanted


def _game(losses: Floats) -> GameLoss:
    many = len(losses)
    error = float(losses.std(ddof=1)) / many**0.5
    loss = interval(float(losses.mean()), error, many - 1)
    return GameLoss("", 2 * many, many, loss, 0.0, None, 1.0, dict(enumerate(losses.tolist())))


def lines(games: Sequence[str], count: int, runs: int, precisions: Sequence[float]) -> Iterator[str]:
    """The table."""
    yield "| plays at random | mean loss | precision | interval holds it | bias | matches | without AIVAT |"
    yield "|---|---|---|---|---|---|---|"
    tables = [Table(name) for name in games]
    for share in SHARES:
        both = [losses_of(table, share, count) for table in tables]
        better, raw = [one for one, _ in both], [one for _, one in both]
        truth = float(np.mean([losses.mean() for losses in better]))
        more = sum(map(np.var, raw)) / sum(map(np.var, better))
        for precision in precisions:
            asked = EvalTable(precision=precision, matches_per_seat=FIRST, most_per_seat=400)
            yield _line(share, truth, more, asked, [
                stopped(better, asked, np.random.default_rng([run, round(100 * share)])) for run in range(runs)
            ])  # fmt: skip


def _line(share: float, truth: float, more: float, asked: EvalTable, found: Sequence[Sequence[GameLoss]]) -> str:
    chips = [suite_loss(games).chips for games in found]
    held = np.mean([(one.low or 0.0) <= truth <= (one.high or 0.0) for one in chips])
    bias = np.mean([one.mean for one in chips]) - truth
    matches = np.mean([sum(game.matches for game in games) for games in found])
    return (
        f"| {share:.0%} | {truth:.3f} | ±{asked.precision:g} | {held:.1%} | {bias:+.4f} | {matches:,.0f} "
        f"| {more * matches:,.0f} |"
    )


def main(arguments: Sequence[str]) -> None:
    """Print or write the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--games", nargs="*", default=SUITES[STARTER])
    parser.add_argument("--precisions", nargs="*", type=float, default=PRECISIONS)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args(arguments)
    text = "\n".join(lines(given.games, given.pairs, given.runs, given.precisions))
    print(text)
    if given.write:
        write(PAGE, "stopping", text)


if __name__ == "__main__":
    main(sys.argv[1:])
