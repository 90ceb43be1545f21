"""`antemill analyze`: the tables of a run or of a file of matches, and several runs side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from antemill.engine.errors import AntemillError, UsageError
from antemill.tournament.cli.arguments import AsJson
from antemill.tournament.cli.output import print_analysis, print_json, print_sheet, say
from antemill.tournament.kinds import KINDS, RunKind

if TYPE_CHECKING:
    from antemill.tournament.statistics.sheets import Sheet

_EVAL = KINDS["eval"]


def analyze(
    *runs: str,
    out: Annotated[
        Path | None,
        Parameter(
            name=["--out", "-o"],
            help="The folder of the tables. [default: the run's; for a file of matches `analysis`; for several runs "
            "none]",
        ),
    ] = None,
    paper: bool = False,
    json: AsJson = False,
) -> None:
    """All tables and figures of a run; or compare several runs.

    A run's tables are written into its folder: slots.parquet with one row a match (of duels turns.parquet, of SKATE
    answers.parquet), tables.md, and each table and figure as a file; of an evaluation scorecard.json, too. Several runs
    are analysed as one. Two evaluations, or two players of one, are compared
    pair by pair on the same cards: how much more the first loses than the second.

        antemill analyze cup
        antemill analyze log.eval --out analysis
        antemill analyze monday tuesday
        antemill analyze score:random reference:l1

    Args:
        runs: A run's folder, or a file of matches: .parquet, .csv, or a log of Inspect; several runs of one
            kind are compared. DIR:PLAYER is one player of an evaluation, `reference:NAME` a bot whose
            scorecard ships with Antemill (on the standard suite `reference-standard:NAME`).
        paper: Of a file of matches: also the paper's further tables and figures.
    """
    if not runs:
        raise UsageError("name the folder of a run: `antemill analyze DIR`.")
    if twice := [run for n, run in enumerate(runs) if Path(run).resolve() in {Path(one).resolve() for one in runs[:n]}]:
        raise UsageError(f"{twice[0]} is named twice, and its results would count twice.")
    if paper and not (len(runs) == 1 and Path(runs[0]).is_file()):
        raise UsageError("--paper is for a file of matches, as cup/slots.parquet; a run says `paper = true` itself.")
    if len(runs) > 1:
        _compare(runs, out, json)
    elif Path(runs[0]).is_file():
        _of_matches(Path(runs[0]), Path("analysis") if out is None else out, paper, json)
    else:
        _of_run(Path(runs[0]), out, json)


def _of_run(folder: Path, out: Path | None, json: bool) -> None:
    from antemill.tournament.runs.browse import kind_of
    from antemill.tournament.runs.costs import uncertain
    from antemill.tournament.runs.status import spending

    if out is not None:
        raise UsageError("the tables of a run are written into its folder: leave out --out.")
    kind = kind_of(folder)
    lines = [*uncertain(spending(folder)), f"Tables and figures: {folder / 'tables.md'}"]
    _print([folder], folder, kind, lines, json)


def _print(folders: list[Path], out: Path, kind: RunKind, lines: list[str], json: bool) -> None:
    """Analyse some runs of a kind as one, and print the tables that are printed."""
    from antemill.tournament.runs.analyze import analyze as written

    summary, sheets = written(kind.kind, folders, out)
    more = [] if summary.complete else [f"`antemill start {folder}` plays the rest." for folder in folders]
    names = {sheet.name for sheet in sheets if sheet.name.removesuffix("_clean") in kind.kind.tables.printed}
    print_analysis(summary, sheets, names, [summary.headline, *summary.warnings, *more, *lines], json)


def _of_matches(file: Path, out: Path, paper: bool, json: bool) -> None:
    from antemill.tournament.statistics.contents import STATISTICS
    from antemill.tournament.statistics.outputs import results, write
    from antemill.tournament.statistics.result_files import read_rows

    found = results(read_rows(file), paper=paper)
    summary = write(found, out)
    lines = [f"{len(summary.tables)} tables and {len(summary.figures)} figures: {out / 'tables.md'}"]
    print_analysis(summary, found.sheets, STATISTICS.printed, lines, json)


def _compare(runs: tuple[str, ...], out: Path | None, json: bool) -> None:
    from antemill.tournament.runs.analyze import leaderboard
    from antemill.tournament.runs.browse import kind_of
    from antemill.tournament.runs.honest import standing
    from antemill.tournament.statistics.sheets import to_arrow

    if _is_eval(runs[0]) or _is_eval(runs[1]):
        _compare_players(runs, json)
        return
    kinds = {run: kind_of(Path(run)).name for run in runs}
    if len(set(kinds.values())) > 1:
        told = " and ".join(f"{run} is a run of {kind}" for run, kind in kinds.items())
        raise UsageError(f"{told}: compare runs of one kind.")
    kind, folders = KINDS[kinds[runs[0]]], [Path(run) for run in runs]
    if out is not None:
        _print(folders, out, kind, [f"Tables and figures: {out / 'tables.md'}"], json)
        return
    sheet, now = leaderboard(kind.kind, folders), standing(folders)
    if json:
        document = {"kind": kind.name, "runs": list(runs), "leaderboard": to_arrow(sheet).to_pylist()}
        print_json(document | {"warnings": now.sentences})
        return
    print_sheet(sheet)
    say(*now.sentences)


def _is_eval(side: str) -> bool:
    """Whether a side of a comparison is an evaluation, one of its players, or a scorecard."""
    from antemill.tournament.runs.browse import kind_of

    path = Path(side)
    if not path.exists():
        return ":" in side or side.startswith("reference")
    try:
        return path.is_file() or kind_of(path).name == _EVAL.name
    except AntemillError:
        return (path / "scorecard.json").is_file()


def _compare_players(sides: tuple[str, ...], json: bool) -> None:
    from antemill.tournament.evaluation.compare import compare, sentences, sheet_of

    if len(sides) > 2:
        raise UsageError("players of evaluations are compared in pairs: name two, as in score:random score:l1.")
    found = compare(*sides)
    if json:
        print_json(found)
        return
    sheet: Sheet = sheet_of(found)
    print_sheet(sheet)
    for sentence in sentences(found):
        say(sentence)
