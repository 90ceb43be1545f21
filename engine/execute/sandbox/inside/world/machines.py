"""The two machines on which a program runs. Output that differs between them hangs on the machine.

The interpreter of the second one has another hash seed, another order of addresses, other environment variables (time
zone, columns, languages, home), another name of the script, another clock, other random numbers, other warnings,
streams and thresholds of the garbage collector. Some of it is set when the interpreter starts (the hash seed; on
`native` also the encoding of the locale), the rest here: once, before the process is forked or the guest snapshotted.
"""

import decimal
import gc
import os
import re
import sys
import time
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from . import event_loop, freezing, longs, streams, variation

_SETTINGS = {
    "TZ": "XST-5:45XDT,M3.2.0,M11.1.0",  # a time zone that needs no file
    "COLUMNS": "39",  # narrow: what is wrapped into 80 columns is wrapped into these in another way
    "LINES": "13",
    **dict.fromkeys(("LANG", "LC_ALL", "LANGUAGE"), "xx_XX.ISO8859-15"),
    **dict.fromkeys(("HOME", "TMPDIR", "PWD"), "/elsewhere"),
    **dict.fromkeys(("USER", "LOGNAME", "HOSTNAME"), "elsewhere"),
    "TERM": "dumb",
}
_COMMON = re.compile(r"%(?:[-_0]?[aAbBcCdDeFgGhHIjmMnprRStTuUVwWxXyY]|[fzZ%])")  # in formats of all C libraries
_WITH_YEAR = re.compile(r"%[-_0]?[CcDFGxY]")
_LIMITS = {  # of `decimal`: where words have 64 bits, and where they have 32
    "MAX_PREC": (999_999_999_999_999_999, 425_000_000),
    "MAX_EMAX": (999_999_999_999_999_999, 425_000_000),
    "MIN_EMIN": (-999_999_999_999_999_999, -425_000_000),
    "MIN_ETINY": (-1_999_999_999_999_999_997, -849_999_999),
}
_SCRIPTS = ("", "elsewhere.py")  # what sys.argv begins with


def settle(number: int, prepare: Callable[[int], None]) -> None:
    """Make this interpreter one on the first machine (0) or on the second (1), for good. The last step of all.

    prepare: makes what programs need there; called when the interpreter is nearly ready.
    """
    freezing.seed(number)
    _set_logging(number)
    streams.make(elsewhere=bool(number))
    surround(number)
    event_loop.install(elsewhere=bool(number))
    if number:
        freezing.later()
        if hasattr(time, "tzset"):
            time.tzset()
        if time.localtime(0).tm_min == 0:
            _shift_zone()
        _change_dates()
        warnings.simplefilter("module")
        gc.set_threshold(389, 7, 7)
        sys.maxsize ^= 2**31 - 1 ^ 2**63 - 1  # that of the other kind of machine
        _change_limits()
        os.getpid = lambda: 2_147_483
        sys.setswitchinterval(0.01)
        variation.stretch()
    prepare(number)
    longs.forget()
    gc.collect()
    gc.freeze()
    if number:
        variation.turn()
        gc.freeze()


def surround(number: int) -> None:
    """Set the environment variables and the script's name."""
    system: Any = sys
    system.argv = system.orig_argv = [_SCRIPTS[number]]
    os.environ.clear()
    if number:
        os.environ.update(_SETTINGS)


def _set_logging(number: int) -> None:
    """Remove the library's own loggers; what is logged has another thread's number on the second machine."""
    logging: Any = sys.modules["logging"]
    logging.Logger.manager.loggerDict.clear()
    if number:
        names = {**vars(logging.threading), "get_ident": lambda: 2_147_485}
        logging.threading = SimpleNamespace(**names)


def _shift_zone() -> None:
    """Where the C library knows no time zones, texts with the zone or with the seconds since 1970 are changed."""
    module: Any = time
    plain = module.strftime
    module.strftime = lambda form, *moment: plain(form.replace("%s", "%s0").replace("%Z", "XST"), *moment)


def _change_dates() -> None:
    """Change texts of dates that C libraries make in different ways: of formats that some lack, and of early years."""
    module: Any = time
    plain = module.strftime

    def changed(form: str, *moment: Any) -> str:
        if moment and moment[0][0] < 1000 and _WITH_YEAR.search(form):
            moment = ((moment[0][0] + 1, *moment[0][1:]),)
        written = bool(moment) and moment[0][0] < 1000 and f"{moment[0][0]:04d}" in form  # by newer versions of Python
        return str(plain(form, *moment)) + "?" * (written or "%" in _COMMON.sub("", form))

    module.strftime = changed


def _change_limits() -> None:
    """Let the limits of `decimal` be those of the other kind of machine."""
    for module in (decimal, sys.modules.get("_decimal")):
        for name, both in _LIMITS.items() if module else ():
            setattr(module, name, both[getattr(module, name) == both[0]])
