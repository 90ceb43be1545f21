"""The tree of commands with their help. The modules that do the work are imported when a command runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter, Token, convert

Folder = Annotated[Path, Parameter(help="The pool's folder.", show_default=False)]
Seeds = Annotated[str, Parameter(help="Candidate seeds A:B, the numbers A to B-1.")]
Workers = Annotated[
    int | None, Parameter(help="Worker processes, by default one per processor; never changes a result.")
]
ExecutorName = Annotated[str, Parameter(help="local (this machine) or ray (a cluster, the extra antemill[ray]).")]
AsJson = Annotated[bool, Parameter(negative="", help="Print one JSON document and nothing else.")]
Game = Annotated[str, Parameter(help="SEED or SEED@COMPLEXITY, a .json file with rules, or kuhn, leduc, appendix-b.")]
Tier = Annotated[str, Parameter(help="fast or precise: how much is simulated.")]

HELP = """Procedurally generated betting card games: build them, score them, rank players on them.

Start with `antemill run --seeds 0:400 --out out`: it draws 400 candidate games, keeps those that pass the gate, scores
them on all axes, selects a benchmark and writes `out/report.html`. Interrupt it whenever you like: the same command
continues.
"""


def _exactly(kind: Any, tokens: Sequence[Token]) -> Any:
    """An argument's value. A whole number is written as one: 1.5 is refused, where cyclopts would round it."""
    if kind is int and not re.fullmatch(r"[+-]?[0-9]+", tokens[0].value):
        raise ValueError(f'"{tokens[0].value}" is no whole number')
    return convert(kind, tokens)


def _examples(*commands: str) -> str:
    return "\n".join(["Examples:", "", "```", *commands, "```"])


app = App(
    name="antemill",
    help=HELP,
    version=lambda: version("antemill"),
    help_format="markdown",
    suppress_keyboard_interrupt=False,
    exit_on_error=False,
    print_error=False,
    result_action="return_value",
    default_parameter=Parameter(converter=_exactly),
)
pool = App(name="pool", help="Pools of candidate games: build, score, select from, look at.")
game = App(name="game", help="One game: its rules, its program, a playout.")
app.command(pool)
app.command(game)
tournament = App(name="tournament", help="Card tournaments of models, bots, solved policies and scripts.")
app.command(tournament)
duel = App(name="duel", help="The Token Games: models challenge each other with programming puzzles.")
app.command(duel)
skate = App(name="skate", help="SKATE: models set output-prediction questions for each other.")
app.command(skate)
models = App(name="models", help="The list of models, models.toml: can they be reached?")
app.command(models)
verify = App(name="verify", help="Judge puzzles and programs of any origin in the sandbox.")
app.command(verify)


@app.command(
    help_epilogue=_examples(
        "antemill run",
        "antemill run --seeds 0:400 --out small",
    )
)
def run(
    *,
    seeds: Seeds = "0:12351",
    out: Annotated[Path, Parameter(name=["--out", "-o"], help="The folder for everything.")] = Path("out"),
    count: Annotated[int, Parameter(help="Games to select for the benchmark.")] = 50,
    workers: Workers = None,
    executor: ExecutorName = "local",
    json: AsJson = False,
) -> None:
    """Run the whole pipeline: candidates, gate, fast axes, selection, precise axes, report.

    Every stage continues where an earlier run of the same command was stopped.
    """
    from tournament.cli import pools

    pools.run(out, seeds, count, workers, executor, json)


@pool.command(
    help_epilogue=_examples(
        "antemill pool build pool --seeds 0:12351",
        "antemill pool build easy --seeds 0:1000 --complexity 0:0.3",
    )
)
def build(
    folder: Folder,
    *,
    seeds: Seeds,
    complexity: Annotated[
        str | None, Parameter(help="C for all games, or LO:HI to scale the seeds' own complexities to (0 to 1).")
    ] = None,
    workers: Workers = None,
    executor: ExecutorName = "local",
    json: AsJson = False,
) -> None:
    """Draw candidate games from seeds and gate them by random play.

    A finished pool can be extended: name a range that contains the old one.
    """
    from tournament.cli import pools

    pools.build(folder, seeds, complexity, workers, executor, json)


@pool.command(
    help_epilogue=_examples(
        "antemill pool score pool --tier fast",
        "antemill pool score pool --tier precise --only risk,brittleness",
    )
)
def score(
    folder: Folder,
    *,
    tier: Tier = "fast",
    only: Annotated[str | None, Parameter(help="Axes to score, separated by commas; all if not given.")] = None,
    workers: Workers = None,
    executor: ExecutorName = "local",
    json: AsJson = False,
) -> None:
    """Score the accepted games on all axes, from their stored programs."""
    from tournament.cli import pools

    pools.score(folder, tier, only, workers, executor, json)


@pool.command(
    help_epilogue=_examples(
        "antemill pool select pool --count 50 -o bench.parquet",
    )
)
def select(
    folder: Folder,
    *,
    count: Annotated[int, Parameter(help="How many games.")] = 50,
    output: Annotated[Path, Parameter(name=["--output", "-o"], help="The benchmark file.")],
    json: AsJson = False,
) -> None:
    """Select the games that cover the axes best (farthest-point sampling on the fast scores)."""
    from tournament.cli import pools

    pools.select(folder, count, output, json)


@pool.command(
    help_epilogue=_examples(
        "antemill pool stats pool --json",
    )
)
def stats(folder: Folder, *, tier: Tier = "fast", json: AsJson = False) -> None:
    """Show what the pool is like beside the paper's figures: acceptance, axes, correlations, VIF.

    A rejected candidate counts under every rule of the gate that it breaks (in JSON: broken), and "as the first" under
    the first one (rejected), so that these numbers add up.
    """
    from tournament.cli import pools

    pools.stats(folder, tier, json)


@game.command(
    help_epilogue=_examples(
        "antemill game show 7",
        "antemill game show 7@0.4 --scores fast",
        "antemill game show my-rules.json",
    )
)
def show(
    name: Game,
    *,
    scores: Annotated[str | None, Parameter(help="Also score the axes: fast or precise.")] = None,
    json: AsJson = False,
) -> None:
    """Show a game's cards, phases and decisions, and what the gate says about it."""
    from tournament.cli import games

    games.show(name, scores, json)


@game.command(
    help_epilogue=_examples(
        "antemill game playout appendix-b --play-seed 3",
    )
)
def playout(
    name: Game,
    *,
    play_seed: Annotated[int, Parameter(help="The seed of the cards and of the players' choices.")] = 0,
    json: AsJson = False,
) -> None:
    """Play a game once at random, and print every event with who saw it."""
    from tournament.cli import games

    games.playout(name, play_seed, json)


@game.command(
    help_epilogue=_examples(
        "antemill game disassemble kuhn",
    )
)
def disassemble(name: Game, *, json: AsJson = False) -> None:
    """Print a game's program: names, decisions, one line an instruction."""
    from tournament.cli import games

    games.disassemble(name, json)


game.command(
    "tournament.cli.play_commands:play",
    help="Play a game at the terminal, by default against L1 (the best response to random play), or let bots play it.",
    help_epilogue=_examples(
        "antemill game play kuhn",
        "antemill game play appendix-b --alice l1 --bob human --play-seed 3",
        "antemill game play kuhn --bob cfr --matches 10",
        "antemill game play 7@0.4 --alice random --bob aggressive --matches 1000 --json",
    ),
)
game.command(
    "tournament.cli.play_commands:rulebook",
    help="Print a game's rulebook: what a person or a language model needs to know to play it.",
    help_epilogue=_examples(
        "antemill game rulebook appendix-b",
        "antemill game rulebook 7 > rules.md",
    ),
)
game.command(
    "tournament.cli.compare_command:compare",
    help="Let a player play against a solved policy, or those of a benchmark, with the same cards in both seats.",
    help_epilogue=_examples(
        "antemill game compare kuhn --player l1 --against kuhn.parquet --aivat",
        "antemill game compare out/benchmark.parquet --player l1 --against policies",
    ),
)
game.command(
    "tournament.cli.export:export",
    help="Write a game for other programs: its whole tree as .efg (Gambit, OpenSpiel), or its rules as JSON.",
    help_epilogue=_examples(
        "antemill game export kuhn --format efg -o kuhn.efg",
        "antemill game export 7 --format json",
    ),
)
app.command(
    "tournament.cli.solve_command:solve",
    help="Solve a game, or every game of a benchmark: a policy near an equilibrium, with its value and exploitability.",
    help_epilogue=_examples(
        "antemill solve kuhn -o kuhn.parquet",
        "antemill solve 7@0.1 --target 1e-4 --seconds 60 -o policy.parquet",
        "antemill solve 7 --abstraction default -o policy.parquet --json",
        "antemill solve out/benchmark.parquet -o out/policies --seconds 60",
    ),
)


tournament.command(
    "tournament.cli.tournament:run",
    help="Run a tournament, or go on with it: kill it whenever you like, the same command continues.",
    help_epilogue=_examples(
        "antemill tournament run cup.toml --dry-run",
        "antemill tournament run cup.toml --out cup",
    ),
)
tournament.command(
    "tournament.cli.tournament:resume",
    help="Go on with the tournament in a folder.",
    help_epilogue=_examples(
        "antemill tournament resume cup",
        "antemill tournament resume cup --budget 20",
    ),
)
tournament.command(
    "tournament.cli.tournament:status",
    help="Show what is done, what it cost and how long the rest will take; on a terminal it follows a running one.",
    help_epilogue=_examples(
        "antemill tournament status cup --json",
    ),
)
tournament.command(
    "tournament.cli.tournament:analyze",
    help="Write slots.parquet, one row a match, and all tables and figures; show leaderboard and fallbacks.",
    help_epilogue=_examples(
        "antemill tournament analyze cup",
    ),
)
tournament.command(
    "tournament.cli.tournament:show",
    help="Print a finished match: every event, every decision, what the models said.",
    help_epilogue=_examples(
        "antemill tournament show cup kuhn:0:rnd:l1",
    ),
)


models.command(
    "tournament.cli.models:check",
    help="Ask every model's server, and whatever else a run asks, whether it can be used.",
    help_epilogue=_examples(
        "antemill models check",
        "antemill models check models.toml --only sonnet,gpt --json",
        "antemill models check skate.toml",
    ),
)


duel.command(
    "tournament.cli.duel:run",
    help="Run duels, or go on with them: kill it whenever you like, the same command continues.",
    help_epilogue=_examples(
        "antemill duel run duels.toml --dry-run",
        "antemill duel run duels.toml --out duels",
    ),
)
duel.command(
    "tournament.cli.duel:resume",
    help="Go on with the duels in a folder.",
    help_epilogue=_examples(
        "antemill duel resume duels --budget 20",
    ),
)
duel.command(
    "tournament.cli.duel:status",
    help="Show what is done, what it cost and how long the rest will take; on a terminal it follows running duels.",
    help_epilogue=_examples(
        "antemill duel status duels --json",
    ),
)
duel.command(
    "tournament.cli.duel:analyze",
    help="Write turns.parquet and the paper's tables: ratings, roles, turns, topics, quality, cost.",
    help_epilogue=_examples(
        "antemill duel analyze duels",
        "antemill duel analyze duels --scores benchmarks.csv --json",
    ),
)


skate.command(
    "tournament.cli.skate:run",
    help="Play a game of SKATE, or go on with it: kill it whenever you like, the same command continues.",
    help_epilogue=_examples(
        "antemill skate run skate.toml --dry-run",
        "antemill skate run skate.toml --out skate",
    ),
)
skate.command(
    "tournament.cli.skate:resume",
    help="Go on with the game in a folder.",
    help_epilogue=_examples(
        "antemill skate resume skate --budget 20",
    ),
)
skate.command(
    "tournament.cli.skate:status",
    help="Show what is done, what it cost and how long the rest will take; on a terminal it follows a running game.",
    help_epilogue=_examples(
        "antemill skate status skate --json",
    ),
)
skate.command(
    "tournament.cli.skate:analyze",
    help="Write the paper's tables and figures: ratings and their evolution, self-preference, asking and answering.",
    help_epilogue=_examples(
        "antemill skate analyze skate",
    ),
)
skate.command(
    "tournament.cli.skate:calibrate",
    help="Measure how far questions are apart with an embedder, and propose the threshold for its configuration.",
    help_epilogue=_examples(
        "antemill skate calibrate skate",
        "antemill skate calibrate programs.jsonl --figure distances.svg",
    ),
)


verify.command(
    "tournament.cli.verify:puzzle",
    help="Judge rows {id, code, solution}: does mystery() of the code accept the value of the expression solution?",
    help_epilogue=_examples(
        "antemill verify puzzle puzzles.jsonl -o verdicts.jsonl",
        "antemill verify puzzle puzzles.jsonl --sandbox wasm --json",
    ),
)
verify.command(
    "tournament.cli.verify:output",
    help="Judge rows {id, code}, with the stdout that is expected if known: what do the programs print, every time?",
    help_epilogue=_examples(
        "antemill verify output programs.jsonl -o verdicts.jsonl",
    ),
)


app.command(
    "tournament.cli.rate:rate",
    help="Rate players from any table of results: Elo, Bradley-Terry, additive margins or TrueSkill.",
    help_epilogue=_examples(
        "antemill rate results.csv",
        "antemill rate results.csv --method bradley-terry --prior draw",
        "antemill rate results.parquet --method margin --bootstrap 2000 --json",
    ),
)
app.command(
    "tournament.cli.report:report",
    help="Write one self-contained page of a pool, a tournament, duels or a game of SKATE.",
    help_epilogue=_examples(
        "antemill report out",
        "antemill report duels --prior draw -o duels.html",
    ),
)


@app.command(
    help_epilogue=_examples(
        "antemill doctor --json",
        "antemill doctor cup",
        "antemill doctor cup --save cup-saved",
    )
)
def doctor(
    folder: Annotated[Path | None, Parameter(help="A run's folder, to be checked instead of the machine.")] = None,
    *,
    save: Annotated[Path | None, Parameter(help="A new folder for what is whole of a damaged run.")] = None,
    json: AsJson = False,
) -> None:
    """Say what this machine can do: processors, kernel cache, versions, optional extras; or check a run's folder."""
    from tournament.cli import machine

    machine.doctor(folder, save, json)


@app.command(
    help_epilogue=_examples(
        "antemill demo",
        "antemill demo --out shown",
    )
)
def demo(
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"], help="The folder for everything.")] = Path("demo"),
    json: AsJson = False,
) -> None:
    """Run a card tournament, duels and a game of SKATE with scripted players, and write their pages.

    No model, no key, about a minute. The configurations are left beside the runs, to be changed and run again.
    """
    from tournament.cli import demo as demos

    demos.demo(out, json)


@app.command(
    help_epilogue=_examples(
        "antemill init tournament",
        "antemill init duel duels.toml",
    )
)
def init(
    kind: Annotated[Literal["tournament", "duel", "skate"], Parameter(help="What the configuration is for.")],
    file: Annotated[Path | None, Parameter(help="The file to write.")] = None,
    *,
    json: AsJson = False,
) -> None:
    """Write an annotated configuration, and a list of models beside it: every key with its default and what it means.

    It runs as it is, with scripted players; put your models in their place.
    """
    from tournament.cli import demo as demos

    demos.init(kind, file or Path(f"{kind}.toml"), json)


@app.command(
    help_epilogue=_examples(
        'eval "$(antemill completion bash)"',
        'antemill completion zsh > "${fpath[1]}/_antemill"',
    )
)
def completion(shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(help="The shell.")]) -> None:
    """Print the script by which a shell completes commands and options when Tab is pressed."""
    print(app.generate_completion(shell=shell))
