"""How much longer `auto` takes than the best algorithm for each game.

    python -m studies.auto_choice [--generated N] [--dense N] [--outside N] [--save FILE] [--write]

The games are generated ones, those with dense payoff matrices, and those of OpenSpiel. Works are measured and computed
by `benches.solver_algorithms`, in iterations of CFR+; all iterations count as those. A work above that of ten thousand
iterations is none. Games above three times the best row are printed, with the row that is best. With --write the table
of docs/solver.md is replaced.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from antemill.engine.execute import progress_bar
from antemill.engine.machine.program import Program
from antemill.solver.algorithms.table import AUTO
from antemill.solver.game import ExtensiveForm
from antemill.solver.trees.build import build_tree
from antemill.solver.trees.sequence_form import sides
from antemill.tournament.adapters.openspiel_games import openspiel_tree
from benches.pages import write
from benches.solver_algorithms import FAMILY, TARGETS, Measured, Works, dense, generated, measure, works

WORST = 3.0  # times the work of the best row
PAGE = Path(__file__).parents[1] / "docs" / "solver.md"
_SEEDS = range(10**6)  # from which generated games come
_SHIPS = "ship_values=[1],num_shots=2,allow_repeated_shots=False"
OUTSIDE = (
    *("kuhn_poker", "leduc_poker", "leduc_poker(suit_isomorphism=true)", "misere(game=leduc_poker())"),
    *(f"liars_dice(dice_sides={sides})" for sides in (2, 3, 4, 5)),
    "misere(game=liars_dice(dice_sides=4))",
    *("goofspiel(num_cards=3)", "goofspiel(num_cards=3,imp_info=True)", "goofspiel(num_cards=4,imp_info=True)"),
    *(f"goofspiel(num_cards={cards},imp_info=True,points_order=descending)" for cards in (4, 5)),
    *(f"oshi_zumo(coins={coins},size=1,horizon=6)" for coins in (3, 4)),
    *("matrix_mp", "matrix_rps", "matrix_rpsw", "dark_hex(board_size=2)", "hex(board_size=2)"),
    *(f"blotto(coins={coins},fields=3)" for coins in (5, 10, 15, 20)),
    *(f"blotto(coins={coins},fields=4)" for coins in (5, 8)),
    f"battleship(board_width=2,board_height=2,ship_sizes=[1],{_SHIPS})",
    f"battleship(board_width=2,board_height=2,ship_sizes=[2],{_SHIPS})",
    f"battleship(board_width=3,board_height=2,ship_sizes=[2],{_SHIPS})",
)


def outside() -> Iterator[tuple[str, ExtensiveForm]]:
    """Games of OpenSpiel with 7 to 61,000 nodes."""
    for name in OUTSIDE:
        yield name, openspiel_tree(name)


Named = Iterator[tuple[str, Program | ExtensiveForm]]
GROUPS: dict[str, tuple[int, str, Callable[[], Named]]] = {  # number of games, what they are, and where they are from
    "generated": (300, "generated", lambda: generated(_SEEDS)),
    "dense": (100, "dense (matrices, and one street with up to 80 cards)", dense),
    "outside": (len(OUTSIDE), "of OpenSpiel's", outside),
}


def measured(group: str, count: int) -> Iterator[Measured]:
    """The figures of the first games of a group."""
    for name, game in islice(GROUPS[group][2](), count):
        tree = build_tree(game) if isinstance(game, Program) else game
        yield measure(name, sides(tree), tree.nodes)


def regrets(games: list[Measured]) -> tuple[Works, dict[str, Works]]:
    """How many times the work of the best row `auto` takes, and the work of every row; 1 where no row gets there."""
    found = works(games, dict.fromkeys(FAMILY, 1.0))
    best = np.min([work for name, work in found.items() if name != AUTO], axis=0)
    ratio = np.ones_like(best)
    np.divide(found[AUTO], best, out=ratio, where=np.isfinite(best))
    return ratio, found


def row(group: str, games: list[Measured]) -> str:
    """A row of the table."""
    ratio = regrets(games)[0]
    above = " / ".join(str(count) for count in (ratio > WORST).sum(0))
    most, mean = (" / ".join(f"{figure:.1f}" for figure in figures) for figures in (ratio.max(0), ratio.mean(0)))
    return f"| {len(games)} {GROUPS[group][1]} | {above} | {most} | {mean} |"


def misses(games: list[Measured]) -> Iterator[str]:
    """The games above three times the best row, with the row that is best."""
    ratio, found = regrets(games)
    names = [name for name in found if name != AUTO]
    for i, j in np.argwhere(ratio > WORST):
        best = min(names, key=lambda name: found[name][i, j])
        works = ", ".join(f"{name} {found[name][i, j]:.0f}" for name in dict.fromkeys((AUTO, best, *names)))
        game = games[i]
        size = f"{game.sequences:,} sequences, {game.payoffs:,} payoffs"
        yield f"{game.name} to {TARGETS[j]:g}: {ratio[i, j]:.1f} times {best}; {size}; {works}"


HEAD = "| games | more than three times the best row, to 1e-3 / 1e-4 / 1e-5 | at most | mean |\n|---|---|---|---|"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for group, (count, words, _) in GROUPS.items():
        parser.add_argument(f"--{group}", type=int, default=count, help=f"how many games that are {words}")
    parser.add_argument("--save", type=Path, help="a file for every game's figures, as JSON")
    parser.add_argument("--write", action="store_true", help="replace the table of docs/solver.md")
    given = parser.parse_args()
    found: dict[str, list[Measured]] = {}
    for group in GROUPS:
        count, games = getattr(given, group), list[Measured]()
        with progress_bar(f"{group} games", max(1, count), False) as bar:
            for game in measured(group, count):
                games.append(game)
                bar(len(games), None)
        found |= {group: games} if games else {}
    if given.save is not None:
        given.save.write_text(json.dumps({group: [game._asdict() for game in games] for group, games in found.items()}))
    text = "\n".join((HEAD, *(row(group, games) for group, games in found.items())))
    print(text, *(line for games in found.values() for line in misses(games)), sep="\n")
    if given.write:
        write(PAGE, "auto", text)


if __name__ == "__main__":
    main()
