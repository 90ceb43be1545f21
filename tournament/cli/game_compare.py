"""`antemill game compare`: a player against solved policies on paired play seeds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from antemill.engine.builder.resolve import resolve
from antemill.engine.errors import ExecutionError, StorageError, UsageError
from antemill.engine.execute import Job, Outcome, Setup, default_workers, progress_bar, run
from antemill.engine.machine.program import Program
from antemill.engine.match import Game
from antemill.engine.storage.store import programs
from antemill.solver.policies.file import list_policies, load_policy
from antemill.solver.policies.solution import SavedPolicy
from antemill.solver.trees.outside import OUTSIDE_LIMIT
from antemill.tournament.adapters import outside_games as outside
from antemill.tournament.cli.arguments import GAMES, OUTSIDE_GAMES, AsJson
from antemill.tournament.cli.output import number, print_json, print_table
from antemill.tournament.head_to_head import (
    Comparison,
    Edge,
    average,
    compare_game,
)
from antemill.tournament.players.registry import NAMES
from antemill.tournament.pool.select import read_benchmark

_GAME = f"{GAMES}; {OUTSIDE_GAMES}; or a benchmark (.parquet), whose solved games are all played."
_PLAYER = (
    "random, passive, aggressive, l1, mixed, cfr, best (response to the policy), best:NAME (to that bot), or a "
    "policy's file, or a folder of policies."
)


def compare(
    game: Annotated[str, Parameter(help=_GAME)],
    *,
    player: Annotated[str, Parameter(help=_PLAYER)],
    against: Path,
    seeds: int = 50,
    aivat: bool = False,
    json: AsJson = False,
) -> None:
    """A player against a solved policy, both seats on the same cards.

    Or against those of a benchmark. In a game from outside nothing is played: the margin is computed exactly on the
    tree, for the players random and l1 and for policies in JSON.

        antemill game compare kuhn --player l1 --against kuhn.parquet --aivat
        antemill game compare out/benchmark.parquet --player l1 --against policies
        antemill game compare kuhn.efg --player random --against kuhn.json

    Args:
        against: The solved policy, or a folder of policies (`antemill solve`).
        seeds: Play seeds per game; each is played with both seat assignments.
        aivat: Also estimate the margins without luck (AIVAT).
    """
    if outside.is_outside(game):
        if aivat:
            raise UsageError("the margin in a game from outside is computed exactly on its tree: leave out --aivat.")
        _compare_outside(game, player, against, json)
        return
    games, skipped = _games(game, against)
    if not games:
        raise StorageError(f"{against} has no policy for any game in {game}: solve them into this folder first.")
    cells = _outcomes(games, (player, against, seeds, aivat), quiet=json)
    document = _document(player, against, seeds, cells, skipped)
    if json:
        print_json(document)
    else:
        _print(document)


def _compare_outside(name: str, player: str, against: Path, json: bool) -> None:
    tree = outside.outside_tree(name, OUTSIDE_LIMIT)
    known = None if player in outside.TREE_BOTS else Path(player)
    if known is not None and not known.exists():
        raise UsageError(
            f"there is no player '{player}' for a game from outside: name {' or '.join(outside.TREE_BOTS)}, or the "
            "JSON document of a policy."
        )
    theirs = outside.read_named_policy(against, tree, name)
    mine = (
        outside.NamedPolicy(outside.tree_bot(player, tree), (0, 0))
        if known is None
        else outside.read_named_policy(known, tree, name)
    )
    found = outside.exact_margin(tree, mine.profile, theirs.profile)
    missing = {"player": sum(mine.missing), "policy": sum(theirs.missing)}
    if json:
        figures = found._asdict() | {"missing_sets": missing}
        print_json({"game": tree.game, "player": player, "against": str(against)} | figures)
        return
    lines = [
        ("margin, mean of both seats", f"{found.margin:+.6g} (exact, on the tree)"),
        ("the first player's payoff, if that is the player", f"{found.as_first:.6g}"),
        ("the first player's payoff, if that is the policy", f"{found.as_second:.6g}"),
    ]
    told = ((f"information sets without a row of the {who}", number) for who, number in missing.items())
    lines += [(what, f"{number:,}, played uniformly") for what, number in told if number]
    print_table(f"{tree.game}: {player} against {against}", ("", ""), lines, texts=2)


def _games(name: str, against: Path) -> tuple[list[Game], list[str]]:
    """The games to play, and the names of those for which there is no policy."""
    if not name.endswith(".parquet"):
        return [Game(resolve(name))], []
    if not against.is_dir():
        raise UsageError(f"a benchmark needs a folder of policies, and {against} is not a folder: name one.")
    solved = {solution.digest for _, solution in list_policies(against)}
    found = [Game(program) for program in programs(read_benchmark(Path(name)), name)]
    return (
        [game for game in found if game.digest in solved],
        [game.names.game for game in found if game.digest not in solved],
    )


def _outcomes(games: list[Game], arguments: tuple[str, Path, int, bool], quiet: bool) -> list[Comparison]:
    """The outcome of every game, in order. One game is played in this process; several may be played in others."""
    player, against, count, aivat = arguments

    def jobs() -> Iterator[Job[Comparison]]:
        for game in games:
            saved, known = load_policy(against, game.program), _known(player, game.program)
            yield Job(game.names.game, 0, compare_game, (game.program, player, known, saved, count, aivat))

    if len(games) == 1:
        with progress_bar("playing", 2 * count, quiet) as bar:
            done = iter(range(1, 2 * count + 1))
            play = partial(compare_game, after=lambda _match: bar(next(done), None))
            return [play(job.seed, *job.args) for job in jobs()]
    executor = "serial" if default_workers() == 1 else "processes"
    with (
        progress_bar("games", len(games), quiet) as bar,
        closing(run(jobs(), executor, on_progress=bar, setup=Setup((compare_game.__module__,)))) as outcomes,
    ):
        return [_value(outcome) for outcome in outcomes]


def _value(outcome: Outcome[Comparison]) -> Comparison:
    if outcome.ok:
        return outcome.unwrap()
    error = ExecutionError(f"{outcome.key} could not be played: {outcome.error}")
    error.add_note(outcome.trace)
    raise error


def _known(name: str, program: Program) -> SavedPolicy | None:
    """The player's policy if the name is that of a file or a folder, and not a bot's."""
    return load_policy(name, program) if name not in NAMES and Path(name).exists() else None


def _document(player: str, against: Path, seeds: int, cells: list[Comparison], skipped: list[str]) -> dict[str, Any]:
    whole = _figures(average(cell.raw for cell in cells))
    if estimated := [cell.estimated for cell in cells if cell.estimated is not None]:
        whole["aivat"] = _figures(average(estimated))
    games = []
    for cell in cells:
        found = {"game": cell.solution.game, "digest": cell.solution.digest, **_figures(cell.raw)}
        found |= {"value": cell.solution.value, "exploitability": cell.solution.exploitability}
        if cell.estimated is not None:
            found["aivat"] = _figures(cell.estimated) | {"variance_ratio": cell.ratio, "method": cell.method}
        games.append(found | {"pairs": cell.pairs})
    names = {"player": player, "against": str(against), "seeds": seeds}
    return {**names, "games": games, "unsolved": skipped, "average": whole}


def _figures(each: Edge) -> dict[str, Any]:
    return {"margin": each.mean, "error": each.error, "groups": each.pairs, "matches": each.matches}


def _print(document: dict[str, Any]) -> None:
    games = document["games"]
    rows = [*games, *([{"game": "average", "exploitability": None} | document["average"]] if len(games) > 1 else [])]
    header = ["game", "margin", "with AIVAT", "pairs", "matches", "exploitability"]
    print_table(
        f"{document['player']} against {document['against']}, margin in chips",
        header,
        [
            (
                *(row["game"], _plus_minus(row), _plus_minus(row.get("aivat")), f"{row['groups']:,}"),
                *(f"{row['matches']:,}", number(row["exploitability"])),
            )
            for row in rows
        ],
    )
    if document["unsolved"]:
        print(f"Not played, because there is no policy: {', '.join(document['unsolved'])}.")


def _plus_minus(each: dict[str, Any] | None) -> str:
    return "–" if each is None else f"{each['margin']:+.3f} ± {number(each['error'])}"
