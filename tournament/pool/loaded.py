"""Importing this module loads the kernels of gate and axes, which otherwise happens when they are first called.

The server that workers are forked from imports it after all else. They share its memory as long as they do not write to
it: the machine code, and the modules, whose objects the garbage collector leaves alone from here on.
"""

import gc
from contextlib import suppress

from tournament.pool.warm import run_kernels

with suppress(Exception):  # what fails here fails in a job, too, which says so
    run_kernels()
gc.collect()
gc.freeze()
