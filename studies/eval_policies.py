"""How often do the intervals of `antemill eval` for weak opponents and whole policies hold the truth?
`python -m studies.eval_policies [--runs N] [--write]`, or `[--runs N] --share SHARE --game GAME` for exploitability in
one setting alone, with other answers.

Players of known strength are equilibria that choose uniformly with some probability at each decision. Each meets a weak
opponent many times, with other cards every time, and is asked at every decision many times; the tables have how often
the 95% intervals held the figures that are computed on the trees. With --write they replace what stands between the
markers in docs/eval.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from antemill.engine.builder.resolve import resolve
from antemill.engine.match import Game, Match
from antemill.solver.evaluation.measures import exploitability
from antemill.solver.evaluation.transcripts import profile_on
from antemill.solver.solving import Settings, solve_game
from antemill.tournament import head_to_head as pairs
from antemill.tournament.evaluation.gains import of_pairs
from antemill.tournament.evaluation.weak_game import GameTree, WeakGame
from antemill.tournament.evaluation.whole import Answers, estimates
from antemill.tournament.players import make_bot, play
from antemill.tournament.players.solved import SolvedPlayer
from antemill.tournament.statistics.losses import Loss, above_zero, these
from benches.pages import write
from studies.eval_coverage import noisy

GAMES, OPPONENT = ("kuhn", "starter-1"), "passive"
SHARES, PAIRS, SAMPLES, RUNS = (0.1, 0.3, 1.0), (10, 20), (5, 20), 200
_ALONE = 7  # the seed of one setting alone
PAGE = Path(__file__).parents[1] / "docs" / "eval.md"


class Known:
    """A game with its equilibrium, a weak opponent and a player of known strength."""

    def __init__(self, name: str, share: float) -> None:
        self.game = Game(resolve(name))
        self.where = GameTree(self.game, 100_000)
        saved = solve_game(self.game.program, Settings(target=1e-4, episodes=0)).saved
        self.perfect = profile_on(self.game.program, self.where.tree, saved.table)
        mixed = noisy(saved, share)
        self.policy = profile_on(self.game.program, self.where.tree, mixed.table)
        self.player, self.weak = SolvedPlayer("player", mixed, self.game), WeakGame(OPPONENT, self.where)
        self.opponent = make_bot(OPPONENT, self.game)

    def estimates(self, count: int, seed: int) -> dict[int, list[float]]:
        """The gains of pairs of matches."""
        found: dict[int, list[float]] = {}
        for run, cards in enumerate(pairs.play_seeds(self.game.digest, "player", OPPONENT, count, seed)):
            for seat in (0, 1):
                match = Match(self.game, cards)
                play(match, *((self.player, self.opponent) if seat == 0 else (self.opponent, self.player)))
                found.setdefault(run, []).append(self.weak.estimate(match.transcript(), seat))
        return found

    def asked(self, samples: int, rng: np.random.Generator) -> Loss:
        """The exploitability by so many answers at every decision."""
        answers = Answers(self.where)
        for counts in answers.counts:
            counts += samples
        [drawn] = answers.redrawn(rng, self.policy, 1)
        answers.sums = (samples * drawn[0], samples * drawn[1])
        return above_zero(estimates(answers, self.perfect)[0])


def gain_lines(runs: int) -> Iterator[str]:
    """The table of gains."""
    yield "| Plays at random | Exact share | Matches a game | Interval holds it | Mean width |\n|---|---|---|---|---|\n"
    for share in SHARES:
        known = [Known(name, share) for name in GAMES]
        best = float(np.mean([one.weak.best for one in known]))
        truth = round(float(np.mean([one.weak.gain(one.policy) for one in known])) / best, 9)
        found: dict[int, list[Loss]] = {count: [] for count in PAIRS}
        for seed in range(runs):
            played = [one.estimates(max(PAIRS), seed) for one in known]
            for count in PAIRS:
                parts = [of_pairs({run: row for run, row in rows.items() if run < count}) for rows in played]
                found[count].append(these([(one.mean, one.error, count - 1) for one in parts]))
        for count in PAIRS:
            held, width = _held(found[count], truth * best)
            yield f"| {share:.0%} | {truth + 0.0:.1%} | {2 * count} | {held:.1%} | {width / best:.1%} |\n"


def policy_lines(
    runs: int, shares: Sequence[float] = SHARES, games: Sequence[str] = GAMES, seed: int = 1
) -> Iterator[str]:
    """The table of whole policies."""
    yield "\n| Plays at random | Game | Exploitability | Answers | Mean estimate | Interval holds it | Mean width |\n"
    yield "|---|---|---|---|---|---|---|\n"
    rng = np.random.default_rng(seed)
    for share in shares:
        for name in games:
            known = Known(name, share)
            truth = exploitability(known.where.sides, known.policy)
            for samples in SAMPLES:
                found = [known.asked(samples, rng) for _ in range(runs)]
                held, width = _held(found, truth)
                mean = float(np.mean([one.mean for one in found]))
                yield f"| {share:.0%} | {name} | {truth:.3f} | {samples} | {mean:.3f} | {held:.1%} | {width:.3f} |\n"


def _held(found: Sequence[Loss], truth: float) -> tuple[float, float]:
    """The share of the intervals that hold the truth, and their mean width."""
    bounds = [(one.low, one.high) for one in found if one.low is not None and one.high is not None]
    assert len(bounds) == len(found)
    return float(np.mean([low <= truth <= high for low, high in bounds])), float(np.mean([b - a for a, b in bounds]))


def main(arguments: Sequence[str]) -> None:
    """Print or write the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--share", type=float, help="how often the player chooses uniformly")
    parser.add_argument("--game", default=GAMES[0])
    given = parser.parse_args(arguments)
    if given.share is not None:
        print("".join(policy_lines(given.runs, (given.share,), (given.game,), _ALONE)))
        return
    text = "".join([*gain_lines(given.runs), *policy_lines(given.runs)])
    print(text)
    if given.write:
        write(PAGE, "policies", text)


if __name__ == "__main__":
    main(sys.argv[1:])
