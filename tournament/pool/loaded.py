"""Importing this module loads what otherwise is loaded when it is first called: kernels, and what Arrow brings along.

The server that workers are forked from imports it after all else. They share its memory as long as they do not write to
it: the machine code, Arrow's functions (some 30 MB), and the modules, whose objects the garbage collector leaves alone
from here on.
"""

import gc
from contextlib import suppress

from engine.storage.lean import without_pandas
from tournament.pool.warm import run_kernels
from tournament.pool.work import write_and_read

without_pandas()
with suppress(Exception):  # what fails here fails in a job, too, which says so
    run_kernels()
    write_and_read()
gc.collect()
gc.freeze()
