"""Pools of any size without the work: `python -m studies.synthetic DIR --seeds 1000000`."""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.tournament.pool.synthetic import synthetic_pool


def main() -> None:
    """Write one."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=1_000_000)
    given = parser.parse_args()
    synthetic_pool(given.folder, given.seeds)


if __name__ == "__main__":
    main()
