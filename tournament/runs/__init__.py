"""Runs: what card tournaments, duels and SKATE share, from a configuration file to finished items that nothing loses.

A run is a folder. It holds everything that it needs, so that it can be continued there and read elsewhere:

    config.toml    the configuration, as it was given
    models.toml    the models, as they were when the run began
    run.sqlite     the plan, one row an item; what it was made of (games, ...)
    calls.sqlite   every call of a model (`antemill.llm.CallStore`)
    run.lock       held by the process that works on it
    live.json      what that process is doing, while it does

item      what a run consists of, and the protocol of its kinds (`Kind`, `Item`, `Played`, `Access`)
config    reading a configuration; what every kind's has (`RunConfig`: models, budget, limits)
store     run.sqlite: one transaction an item
lock      one process at a time
folder    creating and opening the folder
pending   which item starts next
runner    the loop: items in flight, retries, time-outs, budget, interruption
interrupts  SIGINT, SIGTERM and SIGHUP
session   a run from its folder to its end, with its models
live      what a run is doing, for other processes
status    what is done, what it cost, how long it will take, how each model is doing
estimate  what a run will cost, before it costs anything
progress  a bar on stderr, and a line for each model
wording   all of that in words
items     what is shown of an item   browse  a run that is looked at   lists  narrowing down and sorting its list
"""

from antemill.tournament.runs.config import Budget, Limits, RunConfig, read_config
from antemill.tournament.runs.estimate import Expected
from antemill.tournament.runs.folder import RunFolder
from antemill.tournament.runs.item import Access, Item, Kind, Played, Promise, Record, RunType
from antemill.tournament.runs.runner import RunStalledError, RunStoppedError
from antemill.tournament.runs.session import Loaded, Session, open_run, reading, start_run
from antemill.tournament.runs.status import Status, read_status
from antemill.tournament.runs.store import RunStore

__all__ = [
    "Access",
    "Budget",
    "Expected",
    "Item",
    "Kind",
    "Limits",
    "Loaded",
    "Played",
    "Promise",
    "Record",
    "RunConfig",
    "RunFolder",
    "RunStalledError",
    "RunStoppedError",
    "RunStore",
    "RunType",
    "Session",
    "Status",
    "open_run",
    "read_config",
    "read_status",
    "reading",
    "start_run",
]
