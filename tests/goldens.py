"""Golden values: `python -m tests.goldens` writes them again, `tests/test_goldens.py` compares.

One file a case, one line a value. They hold what a change of the code inside must not move: games, programs and the
gate's verdicts by seed; axes to the bit; estimates from the matches in `given/`; values of games; the tables of a run
of each kind, as far as they are estimates. Intervals are not among them. Everything is asked of the public functions
and read from the files that they write.

A figure that is written in hexadecimal is equal to the bit; others are equal within TOLERANCE.
"""

from __future__ import annotations

import csv
import math
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import permutations
from pathlib import Path

import antemill as am
from antemill.llm import Script
from antemill.tournament.kinds import KINDS
from antemill.tournament.runs import start_run
from antemill.tournament.runs.analyze import analyze
from antemill.tournament.statistics import RatingOptions, rate, read_slots
from tests.tournament.duel import duelists
from tests.tournament.duel.duelists import write_config as write_duels
from tests.tournament.skate.skaters import skater, write_config

FOLDER = Path(__file__).parent / "data" / "golden_values"
GIVEN = FOLDER / "given"
SEEDS = 3_000
DIALLED = 300  # games with a stated complexity
SCORED = 40
TOLERANCE = 1e-9  # relative, and absolute near 0
SOLVED = ("kuhn", "leduc", "appendix-b", *(f"starter-{i}" for i in range(1, 6)), "20@0", "32@0", "107@0", "286@0")
METHODS: Mapping[str, RatingOptions] = {
    "elo": RatingOptions("elo", anchor=("m2", 1000.0)),
    "bradley-terry": RatingOptions("bradley-terry"),
    "margin": RatingOptions("margin"),
    "trueskill": RatingOptions("trueskill"),
}
BOTS = {name: {"bot": name} for name in ("random", "passive", "aggressive", "l1")}
DUELISTS = {
    **{"ace": duelists.strong, "half": duelists.half, "lost": duelists.lost, "slip": duelists.wrong},
    "tagger": duelists.tagger,
}
SKILLS = {"ace": 0.95, "fair": 0.7, "poor": 0.4}
Row = Sequence[object]


def names_of_games() -> Iterator[str]:
    """Every game of `games.txt`: seeds with their own complexity, then others with eleven stated ones in turn."""
    yield from map(str, range(SEEDS))
    yield from (f"{seed}@{seed % 11 / 10}" for seed in range(SEEDS, SEEDS + DIALLED))


def games() -> Iterator[Row]:
    """Digests of the rules and of the program, the gate's verdict, and a digest of its figures to the bit."""
    for name in names_of_games():
        spec = am.game(name)
        program, rules = am.compile_spec(spec), blake2b(am.to_json(spec), digest_size=6).hexdigest()
        found = am.gate(program, int(name.partition("@")[0]))
        figures = " ".join(map(float.hex, (found.moves, found.rare_phases, found.dead_branches)))
        verdict = found.reason or "accepted"
        yield name, rules, program.digest[:12], verdict, blake2b(figures.encode(), digest_size=4).hexdigest()


def accepted() -> list[str]:
    """The games that are scored, as `games.txt` has them."""
    rows = (line.split("\t") for line in (FOLDER / "games.txt").read_text().splitlines())
    return [row[0] for row in rows if row[3] == "accepted"][:SCORED]


def scores(tier: am.Tier) -> Iterator[Row]:
    """The six axes to the bit."""
    for name in accepted():
        found = am.score(name, tier)
        yield name, *(value.hex() for value in found.point())


def solved() -> Iterator[Row]:
    """Values of games, what uniform play can lose, and how far 64 iterations of CFR+ come."""
    for name in SOLVED:
        tree = am.build_tree(name)
        exact = am.solve(tree, "lp", target=0.0)
        yield name, "value", round(exact.value, 6) + 0.0
        some = am.solve(tree, "cfr+", target=0.0, iterations=64)
        yield name, "uniform", some.trace[0].measure
        yield name, "64 iterations", some.value, some.exploitability


def planted() -> Iterator[Row]:
    """Point estimates of the matches in `given/`, with axes."""
    with tempfile.TemporaryDirectory() as home:
        am.analyze(GIVEN / "slots.csv", GIVEN / "axes.csv", home, bootstrap=2, paper=True)
        out = Path(home)
        yield from table(out, "table1_leaderboard", "model", "alpha", "slots")
        yield from table(out, "differences", "model", "against", "difference")
        yield from table(out, "table3_without_last", "model", "alpha")
        yield from table(out, "table4_tertiles", "model", "alpha_")
        yield from table(out, "table5_pairwise", "")
        yield from table(out, "table7_slopes", "")
        yield from table(out, "table8_mean_margins", "")
        yield from table(out, "table9_game_strengths", "")
        yield from table(out, "jaggedness", "model", "J", "alpha")
        yield from table(out, "bradley_terry", "model", "strength")
        yield from table(out, "composite_weights", "")
        yield from table(out, "vif", "")


def ratings() -> Iterator[Row]:
    """The same matches rated by each method, best first."""
    matches = read_slots(GIVEN / "slots.csv")
    for method, options in METHODS.items():
        for one in rate(matches, options):
            yield method, one.player, one.rating, one.games, one.status


def tournament() -> Iterator[Row]:
    """Four bots: margins as they were played, and the tables of strengths."""
    table_of_run = {"games": ["kuhn", "leduc", "starter-2"], "matches_per_seat": 6, "seed": 1}
    with tempfile.TemporaryDirectory() as home:
        out = Path(home) / "cup"
        run = am.run({"tournament": table_of_run, "players": BOTS}, out, progress=False)
        for row in run.slots().to_pylist():
            yield "match", *(row[key] for key in ("game", "play_seed", "alice", "bob", "margin"))
        am.analyze(run.slots(), out=out, bootstrap=2, paper=True)
        yield from table(out, "table1_leaderboard", "model", "alpha", "slots")
        yield from table(out, "table5_pairwise", "")
        yield from table(out, "bradley_terry", "model", "strength")


def duel() -> Iterator[Row]:
    """Four scripted players, of whom one can not solve, one not propose and one only every other puzzle."""
    tables = {
        "ratings": ("player", "duel_rating", "round_rating", "solver_rating", "proposer_rating"),
        "both_roles": ("models", "rho"),
        "difficulty": ("model", "puzzles", "first", "last", "change"),
        "roles": ("player", "solved", "failed", "spared", "proposed_", "penalties", "_rate", "_share", "too_easy"),
        "turns_by_number": ("turn", "solved", "unsolved", "penalties", "penalty_rate", "resolved_"),
    }
    whole = ("ranks", "resolved", "resolved_once", "topics", "tags", "quality")
    with tempfile.TemporaryDirectory() as home:
        settings = {"pairs": [*permutations(list(DUELISTS)[:4], 2)], "references": ["ace", "half"], "tagger": "tagger"}
        config, out = write_duels(Path(home), [*DUELISTS], resolve_own=True, **settings), Path(home) / "duels"
        play("duel", config, out, DUELISTS)
        for name, keys in (tables | dict.fromkeys(whole, ("",))).items():
            yield from table(out, name, *keys)


def skate() -> Iterator[Row]:
    """Three planted players, whose answers are right by a draw of their own."""
    with tempfile.TemporaryDirectory() as home:
        config, out = write_config(Path(home), SKILLS, rounds=3), Path(home) / "skate"
        play("skate", config, out, {name: skater(name, skill) for name, skill in SKILLS.items()})
        yield from table(out, "ratings", "player", "_mu", "_sigma")
        yield from table(out, "skills", "player", "questions", "answering", "asking", "own", "others")
        for name in ("niches", "self_preference", "self_preference_filtered", "options"):
            yield from table(out, name, "")
        yield from table(out, "questions", "number", "setter", "cluster", "distance", "variance", *SKILLS)


def play(kind: str, config: Path, out: Path, scripts: Mapping[str, Script]) -> None:
    """Play a run of scripted players, and write its tables."""
    with KINDS[kind].kind.opened() as opened, start_run(opened, config, out) as session:
        session.run(quiet=True, scripts=scripts)
    analyze(KINDS[kind].kind, [out], out)


def evaluation() -> Iterator[Row]:
    """Three bots and the equilibrium itself on two small games."""
    players = {name: BOTS[name] for name in ("random", "passive", "l1")} | {"perfect": {"policy": "cfr"}}
    table_of_run = {"games": ["kuhn", "starter-1"], "matches_per_seat": 10, "seed": 1}
    with tempfile.TemporaryDirectory() as home:
        out = Path(home) / "score"
        am.run({"eval": table_of_run, "players": players}, out, progress=False).tables()
        yield from table(out, "losses", "player", "matches", "loss", "units", "regret", "fallbacks")
        yield from table(out, "losses_by_game", "player", "game", "matches", "loss", "units", "raw")
        yield from table(out, "references", "")


def table(folder: Path, name: str, *keys: str) -> Iterator[Row]:
    """Rows of a table that an analysis wrote, each behind the table's name.

    keys: columns by their names; "_mu" stands for all that end so, "alpha_" for all that begin so, "" for all. A column
    whose name is not found raises KeyError. A cell of words is the sign of infinity that it begins with.
    """
    with (folder / "tables" / f"{name}.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    places = [place for key in keys for place in _places(head, key)]
    yield name, *(head[place] for place in places)
    for row in rows:
        yield name, *(_wordless(row[place]) for place in places)


def _wordless(cell: str) -> str:
    return cell.split(" ")[0] if cell.startswith("∞") else cell


def _places(head: Sequence[str], key: str) -> list[int]:
    if key in head:
        return [head.index(key)]
    open_end = key.startswith("_") or key.endswith("_") or not key
    found = [i for i, name in enumerate(head) if open_end and (name.endswith(key) or name.startswith(key))]
    if not found:
        raise KeyError(f"the table has no column {key!r}, but {', '.join(head)}")
    return found


CASES: Mapping[str, Callable[[], Iterable[Row]]] = {
    "games": games,
    "scores_fast": lambda: scores(am.FAST),
    "scores_precise": lambda: scores(am.PRECISE),
    "solved": solved,
    "planted": planted,
    "ratings": ratings,
    "run_tournament": tournament,
    "run_duel": duel,
    "run_skate": skate,
    "run_eval": evaluation,
}


def lines(case: str) -> list[str]:
    """The lines of a case's file, from the code as it is."""
    return ["\t".join(map(_cell, row)) for row in CASES[case]()]


def recorded(case: str) -> list[str]:
    """The lines of a case's file."""
    return (FOLDER / f"{case}.txt").read_text(encoding="utf-8").splitlines()


def settled(found: Sequence[str], want: Sequence[str]) -> list[str]:
    """The lines that were found; a figure that is equal to the recorded one within TOLERANCE is written as that."""
    pairs = [_settled(one, other) for one, other in zip(found, want)]
    return [*pairs, *found[len(pairs) :]]


def _settled(found: str, want: str) -> str:
    ours, theirs = found.split("\t"), want.split("\t")
    if len(ours) != len(theirs):
        return found
    return "\t".join(b if _close(a, b) else a for a, b in zip(ours, theirs))


def _close(a: str, b: str) -> bool:
    """Whether both are decimal figures, and equal within TOLERANCE."""
    try:
        return "0x" not in a + b and math.isclose(float(a), float(b), rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    except ValueError:
        return False


def _cell(value: object) -> str:
    return repr(value) if isinstance(value, float) else str(value)


def main(names: Sequence[str]) -> None:
    """Write the files of these cases, by default of all, and remove those that no case belongs to."""
    for case in names or CASES:
        path, found = FOLDER / f"{case}.txt", lines(case)
        if path.exists():
            found = settled(found, recorded(case))
        path.write_text("".join(f"{line}\n" for line in found), encoding="utf-8")
        print(f"{path}: {len(found)} lines")
    for stale in {path.stem for path in FOLDER.glob("*.txt")} - set(CASES):
        (FOLDER / f"{stale}.txt").unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
