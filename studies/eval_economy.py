"""How many matches would a tournament need to know a small language model as well as `antemill eval` does?
`python -m studies.eval_economy --folder DIR [--matches N] [--write]`.

SmolLM2, a model of 135 million parameters on this machine, is scored in Kuhn poker, and plays a round-robin with four
bots there. Both runs are in DIR; if they are there, they are read and nothing is played (the model takes half an hour).
--player BOT plays a bot in the model's place, in seconds. With --write the table replaces what stands between the
markers in docs/eval.md.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from antemill.tournament.cards import TOURNAMENT
from antemill.tournament.cards.slots import read_slot
from antemill.tournament.evaluation.findings import examine
from antemill.tournament.evaluation.kind import EVALUATION
from antemill.tournament.head_to_head import standard_error
from antemill.tournament.runs import RunStore, start_run
from antemill.tournament.statistics.losses import Loss, these
from benches.pages import write
from tests.local_model import as_toml, local_entry, local_model

PAGE = Path(__file__).parents[1] / "docs" / "eval.md"
NAME, BOTS, MATCHES, DRAWS = "tiny", ("passive", "random", "l1", "mixed"), 12, 4000
FloatArray = np.ndarray[Any, np.dtype[np.float64]]


def play(folder: Path, matches: int, bot: str | None) -> None:
    """Play what is not in the folder: the evaluation, and a tournament with two thirds of the matches a seat."""
    player = f"[players.{NAME}]\n" + (f'model = "{NAME}"\n' if bot is None else f'bot = "{bot}"\n')
    cup = f'schedule = "round-robin"\nmatches_per_seat = {max(2, 2 * matches // 3)}\nseed = 5\n{player}'
    cup += "".join(f'[players.{name}]\nbot = "{name}"\n' for name in BOTS)
    runs = {
        "econ": (EVALUATION, f'[eval]\ngames = ["kuhn"]\nmatches_per_seat = {matches}\nseed = 5\n{player}'),
        "cup": (TOURNAMENT, f'[tournament]\ngames = ["kuhn"]\n{cup}'),
    }
    open_runs = [name for name in runs if not (folder / name / "run.sqlite").exists()]
    served = local_model(context=8192) if bot is None and open_runs else nullcontext("")
    folder.mkdir(parents=True, exist_ok=True)
    with served as url:
        for name in open_runs:
            if bot is None:
                (folder / "models.toml").write_text(as_toml(local_entry(NAME, url)))
            (folder / f"{name}.toml").write_text(runs[name][1])
            kind: Any = runs[name][0]
            with start_run(kind, folder / f"{name}.toml", folder / name) as session:
                session.run(quiet=True)


def chips(folder: Path) -> list[FloatArray]:
    """What the player won a match in the tournament, by opponent and pair of matches with the same cards."""
    found: dict[str, dict[int, list[float]]] = {}
    with RunStore(folder / "run.sqlite", read_only=True) as store:
        for record in store.records(finished_only=True):
            slot = read_slot(record.item.data)
            if NAME in (slot.alice, slot.bob):
                seat = 0 if slot.alice == NAME else 1
                other = slot.bob if seat == 0 else slot.alice
                found.setdefault(other, {}).setdefault(slot.run, []).append((1 - 2 * seat) * record.row["payoff"])
    return [np.array([sum(pair) / 2 for pair in runs.values() if len(pair) == 2]) for runs in found.values()]


def times(cup: Sequence[FloatArray], losses: FloatArray) -> float:
    """The variance of a match in the tournament beside that of a match of the evaluation."""
    pairs = sum(map(len, cup))
    variance = sum(float(one.var(ddof=1)) / len(one) for one in cup) / len(cup) ** 2 * pairs
    own = float(losses.var(ddof=1))
    return variance / own if own > 0 else math.inf


def lines(folder: Path) -> str:
    """The table."""
    [player] = examine(folder / "econ").players
    cup, losses = chips(folder / "cup"), np.array([*player.games[0].by_pair.values()])
    whole = these([(float(one.mean()), standard_error(list(one)), len(one) - 1) for one in cup])
    (half, interval), (wide, _) = _half(player.suite.chips), _half(whole)
    played, rng = 2 * sum(map(len, cup)), np.random.default_rng(1)
    drawn = [times([rng.choice(one, len(one)) for one in cup], rng.choice(losses, len(losses))) for _ in range(DRAWS)]
    low, high = np.quantile(drawn, (0.025, 0.975), method="nearest")
    rows = [
        f"| `eval` | {player.games[0].matches} | {player.suite.chips.mean:.3f} lost {interval} | {half:.3f} |",
        f"| tournament | {played} | {whole.mean:.3f} won | {wide:.3f} |",
        f"| tournament for the ± of `eval` | {math.ceil(played * (wide / half) ** 2)} | | {half:.3f} |",
    ]
    ratio = f"{times(cup, losses):.1f} times that of `eval` ({low:.1f} to {high:.0f} in 95% of samples of the pairs)"
    rows += ["", f"The variance of a tournament's match is {ratio}."]
    return "\n".join(["| | Matches | Chips a match | ± |\n|---|---|---|---|", *rows, ""])


def _half(loss: Loss) -> tuple[float, str]:
    """Half of an interval, and the interval."""
    assert loss.low is not None
    assert loss.high is not None
    return (loss.high - loss.low) / 2, f"[{loss.low:.3f}, {loss.high:.3f}]"


def main(arguments: Sequence[str]) -> None:
    """Print or write the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--player", default=None, metavar="BOT")
    parser.add_argument("--matches", type=int, default=MATCHES)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args(arguments)
    play(given.folder, given.matches, given.player)
    text = lines(given.folder)
    print(text)
    if given.write:
        write(PAGE, "model-economy", text)


if __name__ == "__main__":
    main(sys.argv[1:])
