"""The list of measurements. A new one is a line in its module's `MEASUREMENTS`."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from antemill.engine.errors import UsageError
from antemill.engine.execute import default_workers
from antemill.tournament.bench import judging, machine, playing, rating, scoring, solving, training
from antemill.tournament.bench.measure import Measurement

MEASUREMENTS: tuple[Measurement, ...] = tuple(
    measurement
    for module in (machine, scoring, solving, judging, rating, playing, training)
    for measurement in module.MEASUREMENTS
)
COMPARE = "compare"  # the group of all comparisons


def chosen(
    only: str | None, comparisons: Sequence[str] = (), compare: bool = False
) -> tuple[list[Measurement], set[str]]:
    """What a comma-separated list of names and groups chooses: measurements, and names of comparisons.

    comparisons: all that there are, which only count if `compare` is set; their group is COMPARE. None chooses all.
    Raises UsageError for a name that is neither, and where `compare` leaves nothing to compare or is missing.
    """
    if only is None:
        return list(MEASUREMENTS), set(comparisons) if compare else set()
    wanted = {name.strip() for name in only.split(",") if name.strip()}
    groups = list(dict.fromkeys(one.group for one in MEASUREMENTS))
    names = [one.name for one in MEASUREMENTS]
    beside = set(comparisons) if COMPARE in wanted else wanted & set(comparisons)
    known = {*names, *groups, *comparisons, COMPARE}
    if unknown := sorted(wanted - known):
        near = get_close_matches(unknown[0], sorted(known), 1)
        guess = f" Did you mean '{near[0]}'?" if near else ""
        raise UsageError(
            f"there is no measurement '{unknown[0]}'.{guess} Name groups ({', '.join([*groups, COMPARE])}) or single "
            "ones, which `antemill bench --list` shows (with --compare those beside other systems, too)."
        )
    if not wanted:
        raise UsageError("--only names no measurement: `antemill bench --list` shows them.")
    if beside and not compare:
        raise UsageError(f"{', '.join(sorted(beside))}: these are measured beside other systems; add --compare.")
    if compare and not beside:
        raise UsageError(
            f"--compare has nothing to compare: --only names none of {', '.join([COMPARE, *comparisons])}."
        )
    return [one for one in MEASUREMENTS if {one.name, one.group} & wanted], beside


def here() -> dict[str, str | int]:
    """The machine that measures."""
    return {
        "processor": _processor(),
        "cores": default_workers(),
        "architecture": platform.machine(),
        "system": f"{platform.system()} {platform.release()}",
        "load": ", ".join(f"{load:.1f}" for load in os.getloadavg()),
    }


def _processor() -> str:
    """What the processor calls itself; its architecture if the system does not say."""
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        found = None
    return found[1] if found else platform.processor() or platform.machine()
