"""The commands of `antemill skate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from antemill.tournament.cli.arguments import AsJson, RunDir

EmbedderName = Annotated[
    Literal["token-hash", "minilm", "openai"] | None,
    Parameter(help="The embedder. [default: that of the game; for a file token-hash]"),
]
BaseUrl = Annotated[str, Parameter(help="For the embedder `openai`: a server that offers /v1/embeddings.")]
Model = Annotated[str, Parameter(help="For the embedder `openai`: its model.")]
KeyEnv = Annotated[str | None, Parameter(help="For the embedder `openai`: the environment variable with its key.")]
Figure = Annotated[
    Path | None, Parameter(name=["--figure", "-o"], help="Write a figure of the distribution to this SVG file.")
]
Beside = Annotated[
    tuple[Path, ...],
    Parameter(
        negative="",
        show_default=False,
        help="Folders of other games to compare with, such as those of other strategies.",
    ),
]
Source = Annotated[Path, Parameter(help='A game\'s folder, or a file of JSON lines with the field "code".')]


def analyze(folder: RunDir, *, beside: Beside = (), json: AsJson = False) -> None:
    """`skate analyze`."""
    from antemill.tournament.cli.output import print_analysis
    from antemill.tournament.runs.folder import existing_folder
    from antemill.tournament.skate import analyze as analyses
    from antemill.tournament.skate.tables import STATISTICS

    for path in (folder, *beside):
        existing_folder(path, "skate")
    summary, sheets = analyses.analyze(folder, beside)
    shown = STATISTICS.printed
    print_analysis(summary, sheets, shown, [f"{len(summary.files)} files written below {folder}"], json)


def calibrate(
    source: Source,
    *,
    embedder: EmbedderName = None,
    base_url: BaseUrl = "https://api.openai.com/v1",
    model: Model = "text-embedding-3-small",
    key_env: KeyEnv = None,
    figure: Figure = None,
    json: AsJson = False,
) -> None:
    """`skate calibrate`."""
    from antemill.tournament.cli.output import console, print_json, print_table
    from antemill.tournament.skate.calibrate import calibrate as measure
    from antemill.tournament.skate.config import EmbedderTable

    table = EmbedderTable(embedder, None, base_url, model, key_env) if embedder else None
    found = measure(source, table, figure)
    if json:
        print_json(found)
        return
    rows = [(f"{percent:g}%", f"{distance:.3f}") for percent, distance in found.percentiles.items()]
    print_table(f"Distances of {found.pairs:,} pairs, {found.embedder}", ("percentile", "distance"), rows)
    console().print(f"Proposed threshold: {found.proposed:.3f} (now {found.current:.3f}).")
