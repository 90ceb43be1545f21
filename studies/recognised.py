"""Who is said to recognise a famous game? `python -m studies.recognised [--runs N] [--games NAME...] [--write]`.

Each player meets the equilibrium in a game as itself and in five disguises on the same cards, as `antemill eval` with
`disguises = 5` lets it. Its choices are drawn apart in each form. One plays by structure: an equilibrium that chooses
uniformly at three decisions in ten, in every form. One knows the game by its name: the equilibrium in the game
itself, and uniform choices in disguise; a third knows it half as well. The table has how often each is found, by
number of pairs of matches. With --write, it replaces what stands between the markers in docs/eval.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

import numpy as np

from antemill.engine.builder.resolve import resolve
from antemill.engine.match import Game
from antemill.solver.evaluation.disguises import in_disguise
from antemill.solver.evaluation.transcripts import aivat_for
from antemill.solver.policies.solution import SavedPolicy
from antemill.solver.solving import Settings, solve_game
from antemill.tournament import head_to_head as pairs
from antemill.tournament.cards.disguises import several
from antemill.tournament.players import Choice, Observation
from antemill.tournament.players.solved import SolvedPlayer
from antemill.tournament.statistics.disguises import advantage
from antemill.tournament.statistics.intervals import Floats
from benches.pages import write
from studies.eval_coverage import PAGE, noisy

GAMES, DISGUISES, PAIRS, RUNS, EXCHANGES = ("kuhn", "leduc", "appendix-b"), 5, (5, 10, 20), 200, 999
# What a player's choices are drawn uniformly with, in the game itself and in disguise.
PLAYERS = {"plays by structure": (0.3, 0.3), "knows the name": (0.0, 1.0), "half knows it": (0.0, 0.5)}


class Drawing:
    """A policy's player with random numbers of its own, so that it does not choose alike in all forms."""

    def __init__(self, player: SolvedPlayer, rng: np.random.Generator) -> None:
        self.name, self._player, self._rng = "player", player, rng

    def choose(self, observation: Observation) -> Choice:
        """A draw from the policy."""
        odds = self._player.probabilities(observation)
        return observation.menu.choice(int(self._rng.choice(len(odds), p=odds / odds.sum())))


class Form:
    """A game, or one of its disguises, with its equilibrium."""

    def __init__(self, game: Game, saved: SavedPolicy, scale: int) -> None:
        self._game, self._saved, self._scale = game, saved, scale
        self._method = aivat_for(game.program, saved.table)
        self._rng = np.random.default_rng([scale, *game.digest.encode()])
        self._perfect = SolvedPlayer("perfect", saved, game)

    def gains(self, share: float, seeds: Sequence[int]) -> Floats:
        """float64[pairs]: chips a match of the game itself."""
        player = Drawing(SolvedPlayer("player", noisy(self._saved, share), self._game), self._rng)
        met = pairs.play_pairs(self._game, player, self._perfect, seeds, self._method)
        means = [pair.mean for pair in pairs.pairs_of(met, pairs.estimate_of)]
        return np.array(means) / 2 / self._scale


def forms_of(name: str) -> Iterator[Form]:
    """The game, and its disguises."""
    spec = resolve(name)
    game = Game(spec)
    saved = solve_game(game.program, Settings(target=1e-4, episodes=0)).saved
    yield Form(game, saved, 1)
    for form, made in several(name, spec, DISGUISES, 1):
        yield Form(Game(made.game), in_disguise(saved, made), form.scale)


def lines(games: Sequence[str], runs: int) -> Iterator[str]:
    """The table."""
    yield "| Game | Player | 10 matches | 20 matches | 40 matches |\n|---|---|---|---|---|\n"
    for name in games:
        forms = list(forms_of(name))
        for player, (itself, disguised) in PLAYERS.items():
            found: dict[int, list[bool]] = {count: [] for count in PAIRS}
            for run in range(runs):
                seeds = pairs.play_seeds(resolve_digest(name), player, "perfect", max(PAIRS), run)
                shares = (itself, *[disguised] * DISGUISES)
                gains = np.array([form.gains(share, seeds) for form, share in zip(forms, shares, strict=True)]).T
                for count in PAIRS:
                    found[count].append(advantage([gains[:count]], EXCHANGES).p < 0.05)
            yield f"| {name} | {player} | " + " | ".join(f"{np.mean(one):.1%}" for one in found.values()) + " |\n"


def resolve_digest(name: str) -> str:
    """The digest of a game's program."""
    return Game(resolve(name)).digest


def main(arguments: Sequence[str]) -> None:
    """Print or write the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--games", nargs="*", default=GAMES)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args(arguments)
    text = ""
    for line in lines(given.games, given.runs):
        print(line, end="", flush=True)
        text += line
    if given.write:
        write(PAGE, "recognised", text)


if __name__ == "__main__":
    main(sys.argv[1:])
