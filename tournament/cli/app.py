"""The tree of commands with their help. What a command does, and its parameters, are in its own module, which is
imported when the command runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter, Token, convert

from antemill.tournament.cli.kinds import shared_commands
from antemill.tournament.kinds import KINDS, RunKind

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
GROUPS = {
    "pool": "Pools of candidate games: build, score, select from, split, query, look at.",
    "game": "One game: its rules, its program, a playout.",
    **{kind.name: kind.help for kind in KINDS.values()},
    "models": "The list of models, models.toml: can they be reached?",
    "verify": "Judge puzzles and programs of any origin in the sandbox.",
}


groups = {name: app.command(App(name=name, help=text)) for name, text in GROUPS.items()}


def _command(words: str, function: str | Callable[..., None], text: str, *examples: str) -> None:
    """A command by its words, and the function that it calls: itself, or where it is below
    `antemill.tournament.cli`."""
    group, _, name = words.rpartition(" ")
    where: Any = groups[group] if group else app
    called = f"antemill.tournament.cli.{function}" if isinstance(function, str) else function
    where.command(called, name=name, help=text, help_epilogue=_examples(*examples))


def _commands_of_runs(kind: RunKind) -> None:
    """Those that all kinds have, and its own."""

    def add(name: str, function: str | Callable[..., None], text: str, lines: Sequence[str]) -> None:
        _command(f"{kind.name} {name}", function, text, *(f"antemill {kind.name} {line}" for line in lines))

    own = {one.name for one in kind.commands}
    for shared in shared_commands(kind):
        function = f"{kind.name}:{shared.name}" if shared.name in own else shared.function
        add(shared.name, function, shared.help, shared.examples)
    for one in kind.commands:
        if one.help:
            add(one.name, f"{kind.name}:{one.name}", one.help, one.examples)


_command(
    "run",
    "pools:run",
    "Run the whole pipeline: candidates, gate, fast axes, selection, precise axes, report.\n\n"
    "Every stage continues where an earlier run of the same command was stopped.",
    "antemill run",
    "antemill run --seeds 0:400 --out small",
)
_command(
    "pool build",
    "pools:build",
    "Draw candidate games from seeds and gate them by random play.\n\n"
    "A finished pool can be extended: name a range that contains the old one.",
    "antemill pool build pool --seeds 0:12351",
    "antemill pool build pool --seeds 0:20000 --accept 2000",
    "antemill pool build easy --seeds 0:1000 --complexity 0:0.3",
)
_command(
    "pool score",
    "pools:score",
    "Score the accepted games on all axes, from their stored programs.",
    "antemill pool score pool --tier fast",
    "antemill pool score pool --tier precise --only risk,brittleness",
)
_command(
    "pool select",
    "pools:select",
    "Select the games that cover the axes best (farthest-point sampling on the fast scores).",
    "antemill pool select pool --count 50 -o bench.parquet",
)
_command(
    "pool split",
    "pools:split",
    "Write a pool's accepted games into train.parquet, test.parquet and holdout.parquet.\n\n"
    "The canonical digest decides: the same game, whatever its cards and phases are called, is on the same side of "
    "every pool of every size, as long as the shares stay. Games of a benchmark are always held out.",
    "antemill pool split pool --benchmark bench.parquet -o split",
    "antemill pool split pool --train 0.7 --test 0.2 --holdout 0.1 -o split",
)
_command(
    "pool verify",
    "pools:verify",
    "Read every file of a pool: what is damaged or missing, and the command that repairs it.\n\n"
    "Exit code 0 if all is well, else 2. Nothing is changed. In JSON: problems [{file, problem, damaged}], and repair, "
    "which is null where nothing is wrong or this version can not.",
    "antemill pool verify pool",
    "antemill pool verify pool --json",
)
_command(
    "pool stats",
    "pools:stats",
    "Show what the pool is like beside the paper's figures: acceptance, constructs, axes, correlations, VIF.\n\n"
    "The pool is compared with what the paper says of its pool; the benchmark that `antemill run` has written beside "
    "it with what it says of its fifty games, both at the precise tier. In JSON, constructs are shares of candidates, "
    "of the accepted games and of the benchmark; by_complexity has for each tenth of the dial its share of the "
    "candidates, how many of these were accepted, and the shares of the accepted with betting and with a loop.\n\n"
    'A rejected candidate counts under every rule of the gate that it breaks (in JSON: broken), and "as '
    'the first" under the first one (rejected), so that these numbers add up.',
    "antemill pool stats pool --json",
)
_command(
    "pool query",
    "query:query",
    "Ask pools in SQL (DuckDB, the extra antemill[duckdb]); nothing is changed, and nothing but the pools is read.\n\n"
    "The tables are pools, candidates, accepted and scores; all have a column pool, so that several pools can be asked "
    "at once. `docs/queries.md` has their columns; so has `DESCRIBE scores`.",
    'antemill pool query "DESCRIBE scores" pool',
    'antemill pool query "SELECT max(risk) FROM scores" pool --json',
    'antemill pool query "FROM scores" pool other -o scores.parquet',
)
_command(
    "game show",
    "games:show",
    "Show a game's cards, phases and decisions, and what the gate says about it.",
    "antemill game show starter-3",
    "antemill game show 7@0.1 --scores fast",
    "antemill game show my-rules.json",
)
_command(
    "game playout",
    "games:playout",
    "Play a game once at random, and print every event with who saw it.",
    "antemill game playout appendix-b --play-seed 3",
)
_command(
    "game disassemble",
    "games:disassemble",
    "Print a game's program: names, decisions, one line an instruction.",
    "antemill game disassemble kuhn",
)
_command(
    "game play",
    "game_play:play",
    "Play a game at the terminal, by default against L1 (the best response to random play), or let bots play it.",
    "antemill game play kuhn",
    "antemill game play appendix-b --alice l1 --bob human --play-seed 3",
    "antemill game play kuhn --bob cfr --matches 10",
    "antemill game play starter-2 --alice random --bob aggressive --matches 1000 --json",
)
_command(
    "game rulebook",
    "game_play:rulebook",
    "Print a game's rulebook: what a person or a language model needs to know to play it.",
    "antemill game rulebook appendix-b",
    "antemill game rulebook starter-4 > rules.md",
)
_command(
    "game compare",
    "head_to_head:compare",
    "Let a player play against a solved policy, or those of a benchmark, with the same cards in both seats.",
    "antemill game compare kuhn --player l1 --against kuhn.parquet --aivat",
    "antemill game compare out/benchmark.parquet --player l1 --against policies",
)
_command(
    "game exploitability",
    "exploitability:exploitability",
    "Work out the exact exploitability of a saved policy by best responses, without a tree in memory.\n\n"
    "For policies of abstractions and of sampling, in games of up to some 10^10 nodes; a processor visits about 10^10 "
    "an hour. For a larger game there is an estimate of its size instead. Interrupt it whenever you like: the same "
    "command continues, from a file beside the policy. The figures are written into the policy's file.",
    "antemill game exploitability 55 policy.parquet",
    "antemill game exploitability 55 out/policies --limit 10000000000",
)
_command(
    "game export",
    "export:export",
    "Write a game for other programs: its whole tree as .efg (Gambit, OpenSpiel), or its rules as JSON.",
    "antemill game export kuhn --format efg -o kuhn.efg",
    "antemill game export starter-1 --format json",
)
_command(
    "solve",
    "solve:solve",
    "Solve a game, or every game of a benchmark: a policy near an equilibrium, with its value and exploitability.",
    "antemill solve kuhn -o kuhn.parquet",
    "antemill solve 7@0.1 --target 1e-4 --seconds 60 -o policy.parquet",
    "antemill solve 55 --abstraction default -o policy.parquet --json",
    "antemill solve game.efg -o policy.json",
    "antemill solve openspiel:leduc_poker",
    "antemill solve out/benchmark.parquet -o out/policies --seconds 60",
)
_command(
    "models check",
    "models:check",
    "Ask every model's server, and whatever else a run asks, whether it can be used.",
    "antemill models check",
    "antemill models check models.toml --only sonnet,gpt --json",
    "antemill models check skate.toml",
)
for _kind in KINDS.values():
    _commands_of_runs(_kind)
_command(
    "verify puzzle",
    "verify:puzzle",
    "Judge rows {id, code, solution}: does mystery() of the code accept the value of the expression solution?",
    "antemill verify puzzle puzzles.jsonl -o verdicts.jsonl",
    "antemill verify puzzle puzzles.jsonl --sandbox wasm --json",
)
_command(
    "verify output",
    "verify:output",
    "Judge rows {id, code}, with the stdout that is expected if known: what do the programs print, every time?",
    "antemill verify output programs.jsonl -o verdicts.jsonl",
)
_command(
    "rate",
    "rate:rate",
    "Rate players from any table of results: Elo, Bradley-Terry, additive margins or TrueSkill.",
    "antemill rate results.csv",
    "antemill rate results.csv --method bradley-terry --prior draw",
    "antemill rate results.parquet --method margin --bootstrap 2000 --json",
)
_command(
    "report",
    "report:report",
    "Write one self-contained page of a pool, a tournament, duels or a game of SKATE.",
    "antemill report out",
    "antemill report duels --prior draw -o duels.html",
)
_command(
    "view",
    "view:view",
    "Show runs as a page in the browser, finished ones and those that are being played.\n\n"
    "Every match, duel and question with its prompts, replies and reasoning; lists that are narrowed down and sorted; "
    "several runs side by side, with a leaderboard over them. The page follows as items are finished, also when a run "
    "is stopped and resumed meanwhile. Nothing is changed, and nobody but this machine reaches the page unless --host "
    "says otherwise. Ctrl-C ends it. For a file to send there is `antemill report`.",
    "antemill view cup",
    "antemill view cup duels skate",
    "antemill view cup --port 0 --no-open",
)
_command(
    "play",
    "play_in_browser:play",
    "Play in the browser, against bots, solved policies or models.\n\n"
    "Choose a game by name, by seed or by its place among the axes, read its rulebook, and take either seat. After "
    "each hand the solver says what it would have done and what your choices gave away; the running score stands "
    "beside the same score without its luck. Hands are kept in a folder that `tournament analyze`, `view` and `report` "
    "read like any other tournament, with you as one of its players. Nobody but this machine reaches the page. Ctrl-C "
    "ends it; a hand that was begun goes on the next time.",
    "antemill play",
    "antemill play --folder evening --name ada",
    "antemill play my-rules.json --pool out --policy out/policies",
    "antemill play --models models.toml --budget 2",
)
_command(
    "doctor",
    "machine:doctor",
    "Say what this machine can do: processors, kernel cache, versions, optional extras; or check a run's folder.",
    "antemill doctor --json",
    "antemill doctor cup",
    "antemill doctor cup --save cup-saved",
)
_command(
    "bench",
    "bench:bench",
    "Measure how fast everything is on this machine: median and spread of several repeats. Takes minutes; let nothing "
    "else run.\n\n"
    "With --compare also other systems that are installed, each at its best, in turn with ours on one processor; "
    "whichever is missing is named with the command that installs it. In JSON: results [{name, what, unit, value, low, "
    "high}], low and high being the smallest and the largest repeat; comparison {results, missing}. An interruption "
    "leaves what was measured until then.\n\n"
    "In a checkout of the project, `python -m benches.performance --figures FILE --write docs/performance.md` writes "
    "the documentation's tables from that JSON.",
    "antemill bench",
    "antemill bench --only machine,gate,fast-tier --json",
    "antemill bench --compare --only compare-kuhn",
    "antemill bench --list",
)
_command(
    "demo",
    "demo:demo",
    "Run a card tournament, duels and a game of SKATE with scripted players, and write their pages.\n\n"
    "No model, no key, about a minute. The configurations are left beside the runs, to be changed and run "
    "again.",
    "antemill demo",
    "antemill demo --out shown",
)
_command(
    "init",
    "demo:init",
    "Write an annotated configuration, and a list of models beside it: every key with its default and what it "
    "means.\n\nIt runs as it is, with scripted players; put your models in their place.",
    "antemill init tournament",
    "antemill init duel duels.toml",
)


@app.command(
    help_epilogue=_examples('eval "$(antemill completion bash)"', 'antemill completion zsh > "${fpath[1]}/_antemill"')
)
def completion(shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(help="The shell.")]) -> None:
    """Print the script by which a shell completes commands and options when Tab is pressed."""
    print(app.generate_completion(shell=shell))
