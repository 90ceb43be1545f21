"""The commands of `antemill eval`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from antemill.tournament.cli.arguments import AsJson, Check, DryRun, Out, RunDir

Players = Annotated[
    str,
    Parameter(
        help="Each a model of models.toml, or bot:NAME, policy:cfr (the equilibrium itself), policy:FOLDER, or "
        "script:FILE:NAME.",
        show_default=False,
    ),
]
Side = Annotated[
    str,
    Parameter(
        help="A run's folder or a scorecard; FOLDER:PLAYER names one of several players. `reference` has the bots on "
        "the starter suite, `reference-standard` on the standard one."
    ),
]

# What the keys of the configuration are called at the command line, and how errors name a key.
_OPTIONS = {
    **dict.fromkeys(("suite", "games", "benchmark"), "--suite"),
    **{"matches_per_seat": "--matches", "most_per_seat": "--most", "precision": "--precision", "seed": "--seed"},
    **{"disguises": "--disguises", "weak": "--weak", "opponents": "--weak", "rounds": "--rounds"},
    **{"samples": "--policy", "models": "--models", "dollars": "--budget"},
}
_KEY = re.compile(r'(?:entry \d+ of )?"(?P<key>\w+)"(?: in \[\w+\])?|\[(?P<table>weak)\]')


def score(
    *players: Players,
    suite: Annotated[
        str,
        Parameter(
            help="starter, standard, small, a .parquet file of selected games, or a text file with one GAME a line."
        ),
    ] = "starter",
    matches: Annotated[int, Parameter(help="Matches of each player in each seat of each game.")] = 10,
    precision: Annotated[
        float | None,
        Parameter(help="Play until each player's loss is known to within this many chips (95%)."),
    ] = None,
    most: Annotated[
        int | None,
        Parameter(help="With --precision: the most matches in each seat of each game. [default: 200]"),
    ] = None,
    seed: Annotated[int, Parameter(help="The seed of the cards; players with the same seed have the same cards.")] = 0,
    disguises: Annotated[int, Parameter(help="In how many disguises each game is also played (docs/eval.md).")] = 0,
    weak: Annotated[
        tuple[str, ...],
        Parameter(
            help="Bots that can be beaten: measure how much of a best response's gain each player wins from them.",
            negative="",
            show_default=False,
        ),
    ] = (),
    rounds: Annotated[int, Parameter(help="With --weak: matches in a row, with records of the earlier ones.")] = 0,
    policy: Annotated[
        int,
        Parameter(help="In games of at most 60 decisions: ask this often at each, for the whole policy."),
    ] = 0,
    answer: Annotated[
        Literal["action", "mix", "both"],
        Parameter(help="How models answer: one action, a probability for each action, or both, as two players."),
    ] = "action",
    models: Annotated[Path, Parameter(help="The file of models.")] = Path("models.toml"),
    budget: Annotated[float | None, Parameter(help="The most that the run may cost, in dollars.")] = None,
    out: Out = None,
    dry_run: DryRun = False,
    check: Check = True,
    json: AsJson = False,
) -> None:
    """`eval`."""
    from antemill.engine.errors import UsageError
    from antemill.tournament.cli import runs
    from antemill.tournament.cli.output import print_json
    from antemill.tournament.evaluation.analyze import analyze as write_analysis
    from antemill.tournament.evaluation.kind import EVALUATION
    from antemill.tournament.evaluation.scorecard import NAME, summary

    table = {**_games(suite), "matches_per_seat": matches, "seed": seed, "disguises": disguises or None}
    if precision is None and most is not None:
        raise UsageError("--most is the limit of --precision: give both, or leave --most out.")
    table |= {"precision": precision, "most_per_seat": most}
    tables: dict[str, Any] = {"eval": table}
    if rounds and not weak:
        raise UsageError("--rounds are played against weak opponents: name one, as in --weak passive.")
    if weak:
        tables["weak"] = {
            "opponents": [bot.removeprefix("bot:") for bot in weak],
            "rounds": rounds,
            "matches_per_seat": matches,
        }
    if policy:
        tables["policy"] = {"samples": policy}
    text = _config(players, tables, answer, models, budget)
    with _named_by_options():
        if dry_run:
            runs.run(EVALUATION, text, out, dry_run, check, json)
            return
        if out is None:
            raise UsageError("the run needs a folder: name one with --out DIR.")
        runs.play(EVALUATION, text, out, check)
    card, sheets = write_analysis(out)
    if json:
        print_json(summary(card))
        return
    _print(card, sheets, out, [f"written to {out / NAME}; its page: antemill report {out} -o report.html"], False)


def analyze(folder: RunDir, *, json: AsJson = False) -> None:
    """`eval analyze`."""
    from antemill.tournament.evaluation.analyze import analyze as write_analysis
    from antemill.tournament.evaluation.scorecard import NAME

    card, sheets = write_analysis(folder)
    _print(card, sheets, folder, [f"written to {folder / NAME}"], json)


def schema(
    *,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"], help="The file; stdout if not given.")] = None,
) -> None:
    """`eval schema`."""
    from antemill.engine.storage.files import write_text
    from antemill.tournament.evaluation.scorecard import shipped_schema

    if output is None:
        print(shipped_schema(), end="")
    else:
        write_text(output, shipped_schema())


def compare(first: Side, second: Side, *, json: AsJson = False) -> None:
    """`eval compare`."""
    from antemill.tournament.cli.output import console, print_json, print_sheet
    from antemill.tournament.evaluation.compare import compare as compared
    from antemill.tournament.evaluation.compare import sentences, sheet_of

    found = compared(first, second)
    if json:
        print_json(found)
        return
    print_sheet(sheet_of(found))
    for sentence in sentences(found):
        console().print(sentence, soft_wrap=True)


def _print(card: Any, sheets: Any, folder: Path, lines: list[str], json: bool) -> None:
    from antemill.tournament.cli.output import print_analysis
    from antemill.tournament.evaluation.scorecard import unfinished
    from antemill.tournament.evaluation.tables import STATISTICS

    if not card.complete:
        more = f"{unfinished(str(folder), card.finished, card.planned)} `antemill eval resume {folder}` plays the rest."
        lines = [more, *lines]
    print_analysis(card, sheets, STATISTICS.printed, lines, json)


def _config(players: tuple[str, ...], tables: dict[str, Any], answer: str, models: Path, budget: float | None) -> Any:
    """The configuration that the arguments stand for; names of files are relative to the working directory."""
    from antemill.engine.errors import UsageError
    from antemill.tournament.runs.config import GIVEN
    from antemill.tournament.runs.folder import ConfigText
    from antemill.tournament.toml import to_toml

    if not players:
        raise UsageError("name a player: a model of models.toml, or a bot as in bot:random.")
    _require_models(players, models)
    named = dict(map(_player, players))
    if len(named) < len(players):
        raise UsageError("two players have the same name: name each player once.")
    if answer != "action" and not any("model" in player for player in named.values()):
        raise UsageError("--answer says how models answer, and no player is a model: name one, or leave --answer out.")
    content: dict[str, Any] = {
        "models": str(models),
        **tables,
        "players": _answering(named, answer),
        "budget": {"dollars": budget},
    }
    return ConfigText(to_toml(content).encode(), GIVEN, Path())


@contextmanager
def _named_by_options() -> Iterator[None]:
    """Within it, errors about the configuration name the options that it stands for."""
    from antemill.engine.errors import UsageError
    from antemill.tournament.runs.config import GIVEN

    try:
        yield
    except UsageError as error:
        before, _, text = str(error).partition(f"{GIVEN}: ")
        if before or not text:
            raise
        raise UsageError(_KEY.sub(_option, text)) from error


def _option(found: re.Match[str]) -> str:
    return _OPTIONS.get(found["key"] or found["table"], found[0])


def _answering(players: dict[str, dict[str, str]], answer: str) -> dict[str, dict[str, str]]:
    """The players with their way to answer; a model with both is two players."""
    found = {}
    for name, player in players.items():
        if answer != "mix" or "model" not in player:
            found[name] = player
        if answer != "action" and "model" in player:
            found[f"{name}-mix" if answer == "both" else name] = player | {"answer": "mix"}
    return found


def _games(suite: str) -> dict[str, Any]:
    """The keys of [eval] that the option stands for."""
    from antemill.tournament.evaluation.suites import SUITES, listed

    if suite in SUITES:
        return {"suite": suite}
    if suite.endswith(".parquet"):
        return {"benchmark": suite}
    return {"games": listed(Path(suite))} if Path(suite).is_file() else {"suite": suite}


def _require_models(players: tuple[str, ...], models: Path) -> None:
    """Raise UsageError, with the right word, for a bot's name among models where there is no list of models."""
    from antemill.engine.errors import UsageError
    from antemill.tournament.players.registry import BOTS, CFR

    for name in players:
        if not models.is_file() and name in (*BOTS, CFR):
            raise UsageError(
                f"there is no {models} with a model '{name}'; write {'bot' if name in BOTS else 'policy'}:{name}."
            )


def _player(name: str) -> tuple[str, dict[str, str]]:
    from antemill.engine.errors import UsageError

    sort, mark, what = name.partition(":")
    if mark and (sort not in ("bot", "policy", "script") or not what):
        raise UsageError(
            f"'{name}' names no player: write the name of a model, bot:NAME, policy:cfr, policy:FOLDER, or "
            "script:FILE:NAME."
        )
    if mark:
        return (what if sort != "script" else what.rpartition(":")[2]), {sort: what}
    return name, {"model": name}
