"""The `antemill` command line.

    entry    the entry point: runs a command, turns errors into one sentence and an exit code
    app      the tree of commands and their help; imports nothing heavy, so that `--help` comes up at once
    pools, game, solve, export, doctor, ...   what the commands do; imported when one of them runs
    output   JSON documents and tables

Exit codes: 0 done; 2 the user can do something about it (one sentence on stderr says what); 130 interrupted, 143
terminated.
"""

from antemill.tournament.cli.entry import main

__all__ = ["main"]
