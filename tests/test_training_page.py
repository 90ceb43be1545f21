"""The table of docs/training.md, from figures that were made up."""

from __future__ import annotations

from antemill.tournament.bench.measure import Figure
from antemill.tournament.bench.training import BATCHES, GAMES, MEASUREMENTS
from benches.training import speed


def test_every_measurement_has_its_place() -> None:
    found = {
        one.name: Figure(one.name, one.what, one.unit, 1e6 * (number + 1), 0.0, 0.0, 1)
        for number, one in enumerate(MEASUREMENTS)
    }
    rows = [line.split(" | ") for line in speed(found).splitlines() if "million" in line]
    assert [row[0].strip("| ") for row in rows] == [what for _, what in GAMES for _ in BATCHES]
    assert [row[1] for row in rows] == [f"{batch:,}" for _ in GAMES for batch in BATCHES]
    shown = [cell.strip("| ") for row in rows for cell in row[2:]]
    assert shown == [f"{number + 1}.0 million" for number in range(len(MEASUREMENTS))]
    ways = ("the present", "the present, copied", "all events", "all events, copied")  # the order of the columns
    assert all(one.what.endswith(ways[number % 4]) for number, one in enumerate(MEASUREMENTS))
