"""The command `antemill eval`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from antemill.tournament.cli.arguments import AsJson, Check, Dollars, DryRun, Out

_MODELS = Path("models.toml")


def score(
    *players: str,
    suite: str = "starter",
    matches: int = 10,
    policy: int = 0,
    budget: Dollars = None,
    out: Out = None,
    dry_run: DryRun = False,
    check: Check = True,
    json: AsJson = False,
) -> None:
    """Score players alone: what each loses to perfect play.

    Each plays against the equilibrium of each game of a suite in both seats: chips lost a match, without luck, with
    intervals. The configuration is written to DIR/config.toml; `antemill init eval` writes one with all its keys
    (disguises, seeds, answers as mixes), which `antemill start` runs. It can be killed at any time, and the
    same line continues. In JSON: players [{name, loss {mean, low, high}, units, regret, gain, exploitability}], suite,
    finished, planned, complete, seconds, cost; exploitability is null without --policy.

        antemill eval bot:random bot:l1 --out score
        antemill eval sonnet --suite standard --budget 5 --out sonnet

    Args:
        players: Each a model of models.toml, or bot:NAME, policy:cfr (the equilibrium itself),
            policy:FOLDER, or script:FILE:NAME.
        suite: starter, standard, small, a .parquet file of selected games, or a text file with one GAME a
            line.
        matches: Matches of each player in each seat of each game.
        policy: In games of at most 60 decisions: ask this often at each, for the whole policy.
    """
    from antemill.tournament.cli import runs
    from antemill.tournament.cli.output import print_analysis
    from antemill.tournament.evaluation.compare import read_card
    from antemill.tournament.evaluation.kind import EVALUATION
    from antemill.tournament.evaluation.scorecard import NAME, summary
    from antemill.tournament.runs.analyze import analyze

    runs.require_budget(budget)
    tables: dict[str, Any] = {
        "eval": {**_games(suite), "matches_per_seat": matches},
        **({"policy": {"samples": policy}} if policy else {}),
    }
    text = _config(players, tables, budget)
    if dry_run:
        runs.estimate(EVALUATION, text, None, json)
        return
    out = runs.required(out)
    runs.play(EVALUATION, text, out, check)
    found, sheets = analyze(EVALUATION, [out], out)
    more = [] if found.complete else [f"`antemill start {out}` plays the rest."]
    lines = [*found.warnings, *more, f"written to {out / NAME}; its page: antemill report {out} -o report.html"]
    print_analysis(summary(read_card(out)), sheets, EVALUATION.tables.printed, lines, json)


def _config(players: tuple[str, ...], tables: dict[str, Any], budget: float | None) -> Any:
    """The configuration that the arguments stand for; names of files are relative to the working directory."""
    from antemill.engine.errors import UsageError
    from antemill.tournament.runs.config import GIVEN
    from antemill.tournament.runs.folder import ConfigText
    from antemill.tournament.toml import to_toml

    if not players:
        raise UsageError("name a player: a model of models.toml, or a bot as in bot:random.")
    _require_models(players)
    named = dict(map(_player, players))
    if len(named) < len(players):
        raise UsageError("two players have the same name: name each player once.")
    content = {"models": str(_MODELS), **tables, "players": named, "budget": {"dollars": budget}}
    return ConfigText(to_toml(content).encode(), GIVEN, Path())


def _games(suite: str) -> dict[str, Any]:
    """The keys of [eval] that the option stands for."""
    from antemill.tournament.evaluation.suites import SUITES, listed

    if suite in SUITES:
        return {"suite": suite}
    if suite.endswith(".parquet"):
        return {"benchmark": suite}
    return {"games": listed(Path(suite))} if Path(suite).is_file() else {"suite": suite}


def _require_models(players: tuple[str, ...]) -> None:
    """Raise UsageError, with the right word, for a bot's name among models where there is no list of models."""
    from antemill.engine.errors import UsageError
    from antemill.tournament.players.registry import BOTS, CFR

    for name in players:
        if not _MODELS.is_file() and name in (*BOTS, CFR):
            raise UsageError(
                f"there is no {_MODELS} with a model '{name}'; write {'bot' if name in BOTS else 'policy'}:{name}."
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
