"""Write the README's numbers: `python -m benches.readme` measures and replaces what is between the markers.

Nothing else should run on the machine. It takes a few minutes: a full run of the pipeline, and the engine's benchmarks.
"""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
ANTEMILL = str(Path(sys.executable).parent / "antemill")
ROWS = (  # benchmark, figure, how it reads
    ("bench_rollout[kuhn]", "decisions_per_second", "random play of Kuhn poker, logged decisions a second, one core"),
    ("bench_rollout[leduc]", "decisions_per_second", "of a Leduc game"),
    ("bench_rollout[appendix-b]", "decisions_per_second", "of the paper's sample game"),
    ("bench_rollout_pool", "decisions_per_second", "of accepted games, the median"),
    ("bench_generate_and_compile", "milliseconds_per_candidate", "drawing and compiling a candidate, milliseconds"),
    ("bench_gate", "milliseconds_per_game", "gating one, 2,000 episodes, milliseconds"),
    ("bench_score[fast]", "milliseconds_per_game", "scoring one at the fast tier, milliseconds"),
    ("bench_score[precise]", "milliseconds_per_game", "scoring one at the precise tier, milliseconds"),
    (
        "bench_cfr_plus_iteration[seed-147-1]",
        "nanoseconds_per_node",
        "a CFR+ iteration of both players, ns a node",
    ),
    ("bench_leduc_to_1e_4[dcfr]", "milliseconds", "Leduc to an exploitability of 1e-4 (DCFR), milliseconds"),
    ("bench_leduc_by_linear_program", "milliseconds", "Leduc exactly (linear program), milliseconds"),
    ("bench_checks[native-puzzles]", "checks_per_second", "puzzles judged a second, native sandbox, two cores"),
    ("bench_checks[wasm-puzzles]", "checks_per_second", "the same, WebAssembly"),
    (
        "bench_decisions[appendix-b]",
        "decisions_per_second",
        "decisions a second over HTTP, 64 matches in flight",
    ),
    ("bench_leaderboard", "milliseconds", "leaderboard of 37,000 matches with 2,000 resamples, milliseconds"),
)
FILES = ("engine", "axes", "solver", "sandbox", "tournament", "statistics")


def benchmarks() -> dict[str, dict[str, Any]]:
    """The figures of the benchmarks that are asked for, by name."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "bench.json"
        names = " or ".join(name.partition("[")[0] for name, _, _ in ROWS)
        files = [f"benches/bench_{name}.py" for name in FILES]
        command = [sys.executable, "-m", "pytest", "-q", "-k", names, *files, f"--benchmark-json={out}"]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        found = json.loads(out.read_text())["benchmarks"]
    return {bench["name"]: {"milliseconds": bench["stats"]["median"] * 1e3} | bench["extra_info"] for bench in found}


def timed_run() -> tuple[float, str]:
    """Seconds of `antemill run` with warm kernels, and its summary table."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [ANTEMILL, "run", "--seeds", "0:200", "--out", f"{folder}/warm"], check=True, capture_output=True
        )
        start = time.perf_counter()
        done = subprocess.run([ANTEMILL, "run", "--out", f"{folder}/out"], check=True, capture_output=True, text=True)
        seconds = time.perf_counter() - start
    return seconds, done.stdout.partition("Correlations")[0].strip()


def speed_table(figures: dict[str, dict[str, Any]], run_seconds: float) -> str:
    """The speed table as Markdown."""
    rows = ["| What | Here |", "|---|---|"]
    for name, figure, text in ROWS:
        value = figures[name][figure]
        rows.append(f"| {text} | {_figure(value)} |")
    rows.append(f"| `antemill run` over 12,351 seeds on two cores, warm kernels, seconds | {run_seconds:.0f} |")
    where = f"{platform.machine()} {platform.system()}, Python {platform.python_version()}"
    return "\n".join(rows) + (
        f"\n\nWritten by `python -m benches.readme` on {where}; medians. Every logged decision carries three 64-bit "
        "information keys."
    )


def _figure(value: float) -> str:
    if value > 1e5:
        return f"{value / 1e6:.1f} million"
    return f"{value:,.0f}" if value > 99.5 else f"{value:.2f}"


def replace(text: str, marker: str, content: str) -> str:
    """The text with what stands between the marker's begin and end replaced."""
    begin, end = f"<!-- {marker}: begin -->", f"<!-- {marker}: end -->"
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if not pattern.search(text):
        raise SystemExit(f"README.md has no '{begin}' ... '{end}'")
    return pattern.sub(lambda _: f"{begin}\n{content}\n{end}", text)


def main() -> None:
    """Measure and write."""
    seconds, summary = timed_run()
    text = replace(
        README.read_text(encoding="utf-8"), "run", "\n".join(f"    {line}".rstrip() for line in summary.splitlines())
    )
    README.write_text(replace(text, "speed", speed_table(benchmarks(), seconds)), encoding="utf-8")


if __name__ == "__main__":
    main()
