"""How often do the intervals of `antemill eval` hold the truth?
`python -m studies.eval_coverage [--runs N] [--drawn N] [--write]`.

Players of known strength are equilibria of the starter suite's games that choose uniformly with some probability at
each decision; their exact loss is computed on the trees. Each is scored many times, with other cards every time. The
table has, for each player and number of pairs in a game, how often the 95% interval of the suite's mean held the exact
loss, and the mean width. With --write, the table replaces what stands between the markers in docs/eval.md.

With --drawn nothing is played: losses are drawn with replacement from the bots' scorecard of the standard suite, so
often, and their mean there is the truth. Games are drawn from all games, and pairs of matches from those of each game.
The table has Student's interval beside that of rare events, which `antemill eval` uses; it goes to docs/statistics.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from antemill.engine.builder.resolve import resolve
from antemill.engine.match import Game
from antemill.solver.evaluation.measures import expected_value
from antemill.solver.evaluation.transcripts import Aivat, aivat_for, profile_on
from antemill.solver.policies.policy import Policy
from antemill.solver.policies.solution import SavedPolicy
from antemill.solver.solving import Settings, solve_game
from antemill.solver.trees.build import build_tree
from antemill.tournament import head_to_head as pairs
from antemill.tournament.evaluation.compare import read_card
from antemill.tournament.evaluation.losses import game_loss, suite_loss
from antemill.tournament.evaluation.suites import STARTER, SUITES
from antemill.tournament.players.solved import SolvedPlayer
from antemill.tournament.statistics.losses import Loss, mean_loss, mean_of, skewed
from benches.pages import write

SHARES, PAIRS, RUNS = (0.1, 0.3, 1.0), (5, 10, 20), 200
PAGE = Path(__file__).parents[1] / "docs" / "eval.md"
STATISTICS = PAGE.with_name("statistics.md")
DRAWN, OTHERS, SAME = 400, (8, 37), (5, 10, 20)  # draws; games, or pairs of matches, in each
Interval = Callable[[Sequence[float]], Loss]


class Table:
    """One game with its equilibrium."""

    def __init__(self, name: str) -> None:
        self.game = Game(resolve(name))
        self.saved = solve_game(self.game.program, Settings(target=1e-4, episodes=0)).saved
        self.tree = build_tree(self.game.program)
        self.method: Aivat = aivat_for(self.game.program, self.saved.table)

    def exact_loss(self, player: SavedPolicy) -> float:
        """Chips a match, the mean of both seats."""
        mine, theirs = (profile_on(self.game.program, self.tree, one.table) for one in (player, self.saved))
        as_alice, as_bob = (
            expected_value(self.tree, (mine[0], theirs[1])),
            expected_value(self.tree, (theirs[0], mine[1])),
        )
        return (as_bob - as_alice) / 2

    def play(self, player: SavedPolicy, count: int, seed: int) -> list[pairs.MatchResult]:
        """Pairs of matches of a player against the equilibrium."""
        seats = SolvedPlayer("player", player, self.game), SolvedPlayer("perfect", self.saved, self.game)
        return pairs.play_pairs(
            self.game, *seats, pairs.play_seeds(self.game.digest, "player", "perfect", count, seed), self.method
        )


def noisy(saved: SavedPolicy, share: float) -> SavedPolicy:
    """The policy that plays uniformly with this probability at every decision."""
    table, probability = saved.table, saved.table.probability.copy()
    for low, high in zip(table.start[:-1], table.start[1:], strict=True):
        probability[low:high] = (1 - share) * probability[low:high] + share / (high - low)
    made = Policy(table.abstraction, table.key, table.seat, table.decision, table.start, table.action, probability)
    return replace(saved, table=made)


def coverage(tables: Sequence[Table], share: float, runs: int) -> Iterator[tuple[int, float, float, float]]:
    """(pairs, exact loss, share of the intervals that hold it, mean width) for each number of pairs."""
    players = [noisy(table.saved, share) for table in tables]
    truth = float(np.mean([table.exact_loss(player) for table, player in zip(tables, players, strict=True)]))
    hits: dict[int, list[bool]] = {count: [] for count in PAIRS}
    widths: dict[int, list[float]] = {count: [] for count in PAIRS}
    for seed in range(runs):
        played = [table.play(player, max(PAIRS), seed) for table, player in zip(tables, players, strict=True)]
        for count in PAIRS:
            found = suite_loss([game_loss("", [one for one in rows if one.run < count], 1.0) for rows in played]).chips
            if found.low is None or found.high is None:  # a few pairs without a mistake
                continue
            hits[count].append(found.low <= truth <= found.high)
            widths[count].append(found.high - found.low)
    for count in PAIRS:
        yield count, truth, float(np.mean(hits[count])), float(np.mean(widths[count]))


def lines(tables: Sequence[Table], runs: int) -> Iterator[str]:
    """The table."""
    yield "| Plays at random | Exact loss | Matches a game | Interval holds it | Mean width |\n|---|---|---|---|---|\n"
    for share in SHARES:
        for count, truth, held, width in coverage(tables, share, runs):
            yield f"| {share:.0%} | {truth:.3f} | {2 * count} | {held:.1%} | {width:.3f} |\n"


def drawn_lines(draws: int) -> Iterator[str]:
    """The table of drawn losses: of the bots that lose something, all together."""
    yield "| Of each draw | Student's holds it | mean width | Rare events' holds it | mean width | without interval |\n"
    yield "|---|---|---|---|---|---|\n"
    bots = [one for one in read_card(Path("reference-standard")).players if one.name != "cfr"]
    units = {one.game: one.deviation for one in read_card(Path("reference-standard")).suite.games}
    games = [(np.array([loss.mean for loss in one.by_game.values()]), others) for one in bots]
    same = [
        (np.array([*losses.values()]), lambda drawn, unit=units[game]: mean_loss(drawn, unit))
        for one in bots
        for game, losses in one.pairs.items()
        if one.by_game[game].mean > 0.01 * units[game] > 0
    ]
    for count in OTHERS:
        yield _drawn(f"{count} games", games, count, draws)
    for count in SAME:
        yield _drawn(f"{count} pairs of matches", same, count, draws // 10)


def others(losses: Sequence[float]) -> Loss:
    """As the interval for games like these."""
    return skewed(mean_of(losses), max(losses) / len(losses))


def _drawn(what: str, populations: Sequence[tuple[np.ndarray, Interval]], count: int, draws: int) -> str:
    rng = np.random.default_rng(count)
    held: list[list[bool]] = [[], []]
    widths: list[list[float]] = [[], []]
    for losses, ours in populations:
        truth = float(losses.mean())
        for sample in rng.choice(losses, (draws, count)).tolist():
            for place, found in enumerate((mean_of(sample), ours(sample))):
                if found.low is not None and found.high is not None:
                    held[place].append(found.low <= truth <= found.high)
                    widths[place].append(found.high - found.low)
    student, rare = (f"{np.mean(one):.1%} | {np.mean(two):.3f}" for one, two in zip(held, widths, strict=True))
    return f"| {what} | {student} | {rare} | {1 - len(held[1]) / len(held[0]):.1%} |\n"


def main(arguments: Sequence[str]) -> None:
    """Print or write the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--games", nargs="*", default=SUITES[STARTER])
    parser.add_argument("--drawn", type=int, nargs="?", const=DRAWN, help="draws of losses; nothing is played")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args(arguments)
    if given.drawn is not None:
        text = "".join(drawn_lines(given.drawn))
        print(text)
        if given.write:
            write(STATISTICS, "drawn", text)
        return
    text = "".join(lines([Table(name) for name in given.games], given.runs))
    print(text)
    if given.write:
        write(PAGE, "coverage", text)


if __name__ == "__main__":
    main(sys.argv[1:])
