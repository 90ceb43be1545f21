"""The tree of commands with their help. What a command does, and its parameters, are in its own module, which is
imported when the command runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib import import_module
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
    """The value of an argument. Where a whole number is wanted, 1.5 is refused; cyclopts alone would round it."""
    if kind is int and not re.fullmatch(r"[+-]?[0-9]+", tokens[0].value):
        raise ValueError(f'"{tokens[0].value}" is not a whole number')
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
    "models": "The list of models, models.toml, and whether they can be reached.",
    "verify": "Judge puzzles and programs of any origin in the sandbox.",
}


groups = {name: app.command(App(name=name, help=text)) for name, text in GROUPS.items()}


def _command(words: str, function: str | Callable[..., None], text: str, *examples: str) -> None:
    """Register a command. function: the function itself, or its place below `antemill.tournament.cli`."""
    group, _, name = words.rpartition(" ")
    where: Any = groups[group] if group else app
    called = f"antemill.tournament.cli.{function}" if isinstance(function, str) else function
    where.command(called, name=name, help=text, help_epilogue=_examples(*examples))


def _commands_of_runs(kind: RunKind) -> None:
    """Register the commands that all kinds of runs have, and those of this kind."""

    def add(name: str, function: str | Callable[..., None], text: str, lines: Sequence[str]) -> None:
        _command(f"{kind.name} {name}", function, text, *(f"antemill {kind.name} {line}" for line in lines))

    own = {one.name for one in kind.commands}
    for shared in shared_commands(kind):
        function = f"{kind.name}:{shared.name}" if shared.name in own else shared.function
        add(shared.name, function, shared.help, shared.examples)
    for one in kind.commands:
        if one.help:
            add(one.name, f"{kind.name}:{one.name}", one.help, one.examples)
    if kind.direct is not None:
        function = getattr(import_module(f"antemill.tournament.cli.{kind.name}"), kind.direct.name)
        examples = _examples(*(f"antemill {kind.name} {line}" for line in kind.direct.examples))
        group = groups[kind.name]
        group.default(function)
        group.help, group.help_epilogue = f"{kind.help}\n\n{kind.direct.help}", examples


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
    "A game's canonical digest decides its side, so the same game under other names of cards and phases is on the "
    "same side in every pool, as long as the shares are the same. Games of a benchmark are always held out.",
    "antemill pool split pool --benchmark bench.parquet -o split",
    "antemill pool split pool --train 0.7 --test 0.2 --holdout 0.1 -o split",
)
_command(
    "pool verify",
    "pools:verify",
    "Read every file of a pool; say what is damaged or missing, and which command repairs it.\n\n"
    "The exit code is 0 if the pool is whole, else 2. Nothing is changed. In JSON: problems [{file, problem, "
    "damaged}], and repair, which is null if nothing is wrong or if this version cannot repair it.",
    "antemill pool verify pool",
    "antemill pool verify pool --json",
)
_command(
    "pool stats",
    "pools:stats",
    "Describe the pool beside the paper's figures: acceptance, constructs, axes, correlations, VIF.\n\n"
    "The pool is compared with the paper's pool. A benchmark that `antemill run` has written beside the pool is "
    "compared with the paper's fifty games, at the precise tier. In JSON, constructs are shares of candidates, "
    "of the accepted games and of the benchmark; by_complexity has, for each tenth of the complexity range, its "
    "share of the candidates, the share of these that was accepted, and the shares of the accepted games with "
    "betting and with a betting loop.\n\n"
    'A rejected candidate counts under every rule of the gate that it breaks (in JSON: broken). "As the first" counts '
    "it only for the first of them (in JSON: rejected), so those numbers add up.",
    "antemill pool stats pool --json",
)
_command(
    "pool query",
    "query:query",
    "Query pools in SQL with DuckDB (the extra antemill[duckdb]). Nothing is changed, and only the pools are read.\n\n"
    "The tables are pools, candidates, accepted and scores. Each has a column pool, so one query can cover "
    "several pools. `docs/queries.md` lists the columns, as does `DESCRIBE scores`.",
    'antemill pool query "DESCRIBE scores" pool',
    'antemill pool query "SELECT max(risk) FROM scores" pool --json',
    'antemill pool query "FROM scores" pool other -o scores.parquet',
)
_command(
    "game show",
    "game:show",
    "Show a game's cards, phases and decisions, and whether the gate accepts it.",
    "antemill game show starter-3",
    "antemill game show 7@0.1 --scores fast",
    "antemill game show my-rules.json",
)
_command(
    "game check",
    "game_checks:check",
    "Check a game: every fault of its rules as a sentence, and whether the gate accepts it.\n\n"
    "The exit code is 2 if the rules are not legal. A game that the gate rejects can be played, but no benchmark has "
    "it. A game from outside is legal if it can be solved. In JSON: legal, faults [sentences], accepted (null if not "
    "legal, or from outside), broken [rules of the gate].",
    "antemill game check my-rules.json",
    "antemill game check 9",
    "antemill game check kuhn.efg",
)
_command(
    "game same",
    "game_checks:same",
    "Say whether two games are the same under other names, or where they differ first.\n\n"
    "Two games are the same if their canonical forms are: names, the order of listing, unreachable phases, the scale "
    "of chips and the seats do not count. A difference is named in the words of these forms: players A and B, who may "
    "be either seat, and amounts in units that divide all of a game's amounts. Games whose forms differ can be one "
    "game in ways that only a search of the whole tree shows. In JSON the forms' own texts are there, too.",
    "antemill game same kuhn leduc",
    "antemill game same my-rules.json 9",
)
_command(
    "game disguise",
    "disguise:disguise",
    "Write the same game in disguise: other names, ranks and chips, another order, seats exchanged.\n\n"
    "The disguise has the canonical digest of the game, so `antemill game same` calls them one game. A seed draws "
    "the theme, the ranks, the order and whether the seats are exchanged; what the digest would count as another "
    "game (chips where players choose amounts, seats where positions are assigned) stays as it is. In JSON: digest, "
    "changed, kept, scale (of chips), exchanged, turned (seats in words only), names {old: new}, words {word: "
    "the one of prompts}, rules.",
    "antemill game disguise kuhn --seed 3 -o disguise.json",
    "antemill game same kuhn disguise.json",
    "antemill game rulebook disguise.json",
)
_command(
    "game playout",
    "game:playout",
    "Play a game once at random, and print every event with who saw it.",
    "antemill game playout appendix-b --play-seed 3",
)
_command(
    "game disassemble",
    "game:disassemble",
    "Print a game's program: names, decisions, and one line for each instruction.",
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
    "rulebook:rulebook",
    "Print a game's rulebook: what a person or a language model needs to know to play it.\n\n"
    "With --prompt: the two messages that a model gets before its first decision, as it gets them, without asking a "
    "model. In JSON: messages [{role, content}], as servers take them, seat and play_seed.",
    "antemill game rulebook appendix-b",
    "antemill game rulebook kuhn --prompt --seat bob",
    "antemill game rulebook kuhn --prompt --answer mix",
    "antemill game rulebook starter-4 > rules.md",
)
_command(
    "game compare",
    "head_to_head:compare",
    "Compare a player with a solved policy, or with those of a benchmark: each deal is played from both seats.\n\n"
    "In a game from outside nothing is played: the margin is computed exactly on the tree, for the players random and "
    "l1 and for policies in JSON.",
    "antemill game compare kuhn --player l1 --against kuhn.parquet --aivat",
    "antemill game compare out/benchmark.parquet --player l1 --against policies",
    "antemill game compare kuhn.efg --player random --against kuhn.json",
)
_command(
    "game exploitability",
    "exploitability:exploitability",
    "Compute the exact exploitability of a saved policy by best responses, without a tree in memory.\n\n"
    "It is for policies that were found by sampling or with an abstraction, in games of up to some 10^10 nodes; "
    "one processor visits about 10^10 nodes an hour. A larger game is refused with an estimate of its size. "
    "Interrupt the command at any time: the same command continues, from a file beside the policy. The figures "
    "are written into the policy's file. In a game from outside the policy is a JSON document, and the tree is built.",
    "antemill game exploitability 55 policy.parquet",
    "antemill game exploitability 55 out/policies --limit 10000000000",
    "antemill game exploitability openspiel:kuhn_poker policy.json",
)
_command(
    "game export",
    "export:export",
    "Write a game as a file for other programs: its whole tree as .efg (Gambit, OpenSpiel), or its rules as JSON.",
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
    "Check that every model can be used, and every other server that a run needs.",
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
    "Run programs {id, code}, optionally with the expected stdout: what do they print, and is it the same every time?",
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
    "Write one self-contained page of a pool, a tournament, duels, a game of SKATE or an evaluation.",
    "antemill report out",
    "antemill report duels --prior draw -o duels.html",
    "antemill report cup -o site/",
)
_command(
    "view",
    "view:view",
    "Show finished and running runs as a page in the browser.\n\n"
    "Every match, duel and question with its prompts, replies and reasoning; lists that are narrowed down and sorted; "
    "several runs side by side, with a leaderboard over them. The page is updated as items are finished, even if "
    "a run is stopped and resumed. Nothing is changed. Only this machine can reach the page unless --host says "
    "otherwise. Ctrl-C ends it. `antemill report` makes a file that can be sent.",
    "antemill view cup",
    "antemill view cup duels skate",
    "antemill view cup --port 0 --no-open",
)
_command(
    "play",
    "play_in_browser:play",
    "Play in the browser, against bots, solved policies or models.\n\n"
    "Choose a game by name, by seed or by its place among the axes, read its rulebook, and take either seat. "
    "After each hand the solver shows what it would have done and what your choices gave away. Beside your score "
    "stands an estimate of it without luck. Hands are kept in a folder that `tournament analyze`, `view` and "
    "`report` "
    "read like any other tournament, with you as one of its players. Only this machine can reach the page. Ctrl-C "
    "ends it; an unfinished hand continues the next time.",
    "antemill play",
    "antemill play --folder evening --name ada",
    "antemill play my-rules.json --pool out --policy out/policies",
    "antemill play --models models.toml --budget 2",
)
_command(
    "doctor",
    "doctor:doctor",
    "Show what this machine has: processors, kernel cache, versions, optional extras; or check the folder of a run.",
    "antemill doctor --json",
    "antemill doctor cup",
    "antemill doctor cup --save cup-saved",
)
_command(
    "warm",
    "warm:warm",
    "Compile all kernels beforehand, for the image of a container or the nodes of a cluster.\n\n"
    "It takes two processors about a minute, and a second with a warm cache. ANTEMILL_CACHE names the folder of the "
    "cache. Machine code is for one kind of processor: build the image on the kind that will run "
    "it. In JSON: folder, kernels, compiled, seconds.",
    "antemill warm",
    "antemill warm --json",
)
_command(
    "demo",
    "demo:demo",
    "Run a game of SKATE, duels, a card tournament and an evaluation with scripted players, and write their pages.\n\n"
    "It needs no model and no key, and takes about a minute. The page of each is named as soon as it is written; the "
    "first two need no kernels, which are compiled meanwhile. The configurations are left beside the runs, to be "
    "changed and run again.",
    "antemill demo",
    "antemill demo --out shown",
)
_command(
    "init",
    "demo:init",
    "Write an annotated configuration, and a list of models beside it: every key with its default and what it "
    "means.\n\nIt runs as it is, with scripted players; replace them by your models.",
    "antemill init tournament",
    "antemill init duel duels.toml",
)


@app.command(
    help_epilogue=_examples('eval "$(antemill completion bash)"', 'antemill completion zsh > "${fpath[1]}/_antemill"')
)
def completion(shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(help="The shell.")]) -> None:
    """Print the script by which a shell completes commands and options when Tab is pressed."""
    print(app.generate_completion(shell=shell))
