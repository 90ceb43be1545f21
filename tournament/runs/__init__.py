"""Runs: the code that card tournaments, duels and SKATE share, from a configuration file to safely stored items.

A run is a folder. It holds all its data, so the run can be continued there and read elsewhere:

    config.toml    the configuration, as given
    models.toml    the models, as they were at the start of the run
    run.sqlite     the plan, one row an item; the materials (games, ...)
    calls.sqlite   every call of a model (`antemill.llm.CallStore`)
    run.lock       held by the process that works on the run
    live.json      the state of that process, while it works

kind      what a kind of runs is (`Kind`, `Plan`, `Item`, `Played`, `Access`, `Headline`): begin here
config    reading a configuration, and the keys that all kinds share (`RunConfig`: models, budget, limits)
store     run.sqlite: one transaction an item
lock      one process at a time
folder    creating and opening the folder
pending   which item starts next
runner    the loop: items in flight, retries, time-outs, budget, interruption
stops     the reasons for which a run stops, as sentences
interrupts  SIGINT, SIGTERM and SIGHUP
session   a run from its folder to its end, with its models
live      the state of a run, for other processes
status    progress, cost, time left, and the state of each model
estimate  the cost of a run, before anything is paid
progress  a bar on stderr, and a line for each model
wording   sentences for all of that
items     items as they are shown   browse  looking at a run   lists  filtering and sorting a list of items
honest    what every verdict says beside its figures   analyze  tables, figures and headline of some runs
costs     what models have cost, by purpose
once      what the parts of one report have in common
"""

from antemill.tournament.runs.config import Budget, Limits, RunConfig, read_config
from antemill.tournament.runs.estimate import Expected
from antemill.tournament.runs.folder import RunFolder
from antemill.tournament.runs.kind import Headline, Kind, Plan
from antemill.tournament.runs.records import Access, Item, Played, Record
from antemill.tournament.runs.session import Loaded, Session, open_run, reading, start_run
from antemill.tournament.runs.status import Status, read_status
from antemill.tournament.runs.stops import RunStalledError, RunStoppedError
from antemill.tournament.runs.store import RunStore

__all__ = [
    "Access",
    "Budget",
    "Expected",
    "Headline",
    "Item",
    "Kind",
    "Limits",
    "Loaded",
    "Plan",
    "Played",
    "Record",
    "RunConfig",
    "RunFolder",
    "RunStalledError",
    "RunStoppedError",
    "RunStore",
    "Session",
    "Status",
    "open_run",
    "read_config",
    "read_status",
    "reading",
    "start_run",
]
