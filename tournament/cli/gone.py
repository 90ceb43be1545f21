"""What stands in the place of commands of earlier versions."""

from __future__ import annotations

from collections.abc import Sequence

from antemill.tournament.kinds import KINDS

_OF_RUNS = {
    "run": "antemill start CONFIG --out DIR",
    "resume": "antemill start DIR",
    **{name: f"antemill {name} DIR" for name in ("status", "list", "show", "export", "analyze")},
}
_GONE = {
    **{f"{kind} {name}": line for kind in KINDS for name, line in _OF_RUNS.items()},
    "eval compare": "antemill analyze A B",
    "eval schema": "msgspec.json.schema(antemill.tournament.evaluation.scorecard.Scorecard)",
    "skate calibrate": "antemill analyze DIR",
    "game playout": "antemill game show GAME",
    "game disassemble": "antemill game show GAME --raw",
    "game same": "antemill game check A B",
    "game exploitability": "antemill solve GAME --policy FILE",
    "pool query": "DuckDB, Polars or pandas on the pool's Parquet files",
    "bench": "`make bench` in a checkout",
    "completion": "antemill --install-completion",
}


def replaced(arguments: Sequence[str]) -> str:
    """What is to be used instead of a command that existed before, as a sentence; "" for any other command line."""
    for length in (2, 1):
        words = " ".join(arguments[:length])
        if words in _GONE:
            return f"`antemill {words}` is gone: use {_quoted(_GONE[words])}."
    kinds = [kind for kind in KINDS if kind != "eval"]
    if arguments and arguments[0] in kinds:
        return f"`antemill {arguments[0]}` is gone: use `antemill start CONFIG --out DIR`, then `antemill status DIR`."
    return ""


def _quoted(line: str) -> str:
    return f"`{line}`" if line.startswith("antemill ") else line
