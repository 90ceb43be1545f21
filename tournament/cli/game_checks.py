"""`game check` and `game same`: whether rules are a game, and whether two games are one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from antemill.engine.builder.resolve import is_path, read_rules, resolve
from antemill.engine.compiler.compile import compile_spec
from antemill.engine.errors import SpecError, UsageError
from antemill.engine.machine.gate import gate
from antemill.engine.rules.canonical.difference import first_difference
from antemill.engine.rules.canonical.digests import canonical_digest, rules_digest
from antemill.engine.rules.check import check as faults_of
from antemill.engine.text.verdict import NO_SEED, rejection
from antemill.solver.trees.outside import OUTSIDE_LIMIT, TooManyNodesError
from antemill.tournament.adapters.outside_games import is_outside, outside_tree
from antemill.tournament.cli.arguments import GAMES, OUTSIDE_GAMES, AsJson
from antemill.tournament.cli.output import console, print_json


def check(
    name: Annotated[str, Parameter(help=f"{GAMES}; or {OUTSIDE_GAMES}.")],
    *,
    json: AsJson = False,
) -> None:
    """`game check`. Prints what is wrong; then raises SpecError if the rules are not legal."""
    if is_outside(name):
        _check_outside(name, json)
        return
    spec = read_rules(Path(name)) if is_path(name) else resolve(name)
    faults = faults_of(spec)
    verdict = None if faults else gate(compile_spec(spec), NO_SEED)
    if json:
        accepted = None if verdict is None else verdict.accepted
        found = {"game": spec.name, "legal": not faults, "faults": faults, "accepted": accepted}
        print_json(found | {"broken": [] if verdict is None else verdict.broken})
    for fault in () if json else faults:
        console().print(fault, soft_wrap=True, markup=False)
    if faults:
        count = "one fault" if len(faults) == 1 else f"{len(faults)} faults"
        raise SpecError(f"the rules in {name} have {count}: correct them, and check again.")
    if verdict is None or json:
        return
    reason = rejection(spec.name, verdict)
    told = f"T{reason[1:]}" if reason else "The gate accepts it."
    console().print(f"The rules of {spec.name} are legal.\n{told}", soft_wrap=True, markup=False)


def _check_outside(name: str, json: bool) -> None:
    """Raises SpecError with the reason if the game cannot be solved, UsageError if it is too large to be checked."""
    try:
        tree = outside_tree(name, OUTSIDE_LIMIT)
    except SpecError as error:
        if json:
            print_json({"game": name, "legal": False, "faults": [str(error)], "accepted": None, "broken": []})
        raise
    except TooManyNodesError as error:
        raise UsageError(
            f"{name} has more than {OUTSIDE_LIMIT:,} nodes, the most that `game check` reads: `antemill solve` reads "
            "larger games with its --limit, and says what is wrong with them."
        ) from error
    sets = [mine.size for mine in tree.sets]
    if json:
        found = {"game": tree.game, "legal": True, "faults": [], "accepted": None, "broken": []}
        print_json(found | {"nodes": tree.nodes, "information_sets": sets})
        return
    console().print(
        f"{tree.game} can be solved: it has {tree.nodes:,} nodes, and {sets[0]:,} and {sets[1]:,} information sets.",
        soft_wrap=True,
        markup=False,
    )


_GAME = Parameter(help=f"{GAMES}.")


def same(first: Annotated[str, _GAME], second: Annotated[str, _GAME], *, json: AsJson = False) -> None:
    """`game same`."""
    specs = resolve(first), resolve(second)
    found = first_difference(*specs)
    digests = [canonical_digest(spec) for spec in specs]
    written = rules_digest(specs[0]) == rules_digest(specs[1])
    if json:
        difference = None if found is None else found._asdict() | {"in_words": found.in_words}
        print_json({"same": found is None, "same_as_written": written, "digests": digests, "difference": difference})
        return
    if found is None:
        how = "The rules differ in names at most." if written else "The rules are written in two ways."
        told = f"{first} and {second} are the same game ({digests[0]}). {how}"
    else:
        mine, theirs = found.in_words
        told = (
            f"{first} and {second} are not the same game. They differ first in {found.where}.\n"
            f"{first}: {mine}\n{second}: {theirs}"
        )
    console().print(told, soft_wrap=True, markup=False)
