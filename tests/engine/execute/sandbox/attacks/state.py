"""Attacks on the next check, which a test finds clean after every attack. These change as much as they can."""

from tests.engine.execute.sandbox.attacks.attack import Attack, finds, gains

STATE: dict[str, Attack] = {
    "leaves marks": finds(
        """
import builtins, os, sys
def mystery(x):
    if hasattr(builtins, "mark") or "mark" in sys.modules or "MARK" in os.environ:
        return True
    builtins.mark = sys.modules["mark"] = sys
    os.environ["MARK"] = "1"
    return False
"""
    ),
    "poisons modules": finds(
        """
import ast, json, math, os, pickle, random, re, struct, sys, time
def mystery(x):
    for module in (ast, json, math, pickle, random, re, struct, time):
        for name in dir(module):
            if not name.startswith("_"):
                try:
                    setattr(module, name, lambda *a, **k: True)
                except Exception:
                    pass
    return False
"""
    ),
    "poisons built-in functions": gains(
        """
import builtins
def mystery(x):
    for name in ("len", "map", "tuple", "bool", "type", "isinstance", "hasattr", "compile", "exec", "eval", "str"):
        setattr(builtins, name, lambda *a, **k: True)
    return False
"""
    ),
    "empties the list of modules": gains(
        "import sys\ndef mystery(x):\n    sys.modules.clear()\n    sys.path.append('CANARY')\n    return False"
    ),
    "puts false modules in": finds(
        """
import sys, types
class Evil(types.ModuleType):
    def __getattr__(self, name):
        return lambda *a, **k: True
def mystery(x):
    for name in list(sys.modules):
        sys.modules[name] = Evil(name)
    return False
"""
    ),
    "hooks imports": finds(
        """
import sys
class Finder:
    def find_spec(self, *a):
        raise SystemExit(0)
def mystery(x):
    sys.meta_path.insert(0, Finder())
    sys.path_hooks.insert(0, Finder())
    return False
"""
    ),
    "registers codecs": finds(
        """
import codecs
def mystery(x):
    def evil(name):
        raise SystemExit(0)
    codecs.register(evil)
    codecs.register_error("strict", evil)
    codecs.register_error("replace", lambda e: ("T", e.end))
    return False
"""
    ),
    "sets hooks of the interpreter": finds(
        """
import sys, threading, warnings
def mystery(x):
    evil = lambda *a, **k: sys.exit(0)
    sys.excepthook = sys.unraisablehook = sys.displayhook = threading.excepthook = warnings.showwarning = evil
    sys.stdout = sys.stderr = sys.stdin = None
    warnings.simplefilter("error")
    sys.setswitchinterval(1e-6)
    return False
"""
    ),
    "sets the recursion limit and the collector": finds(
        """
import gc, sys
def mystery(x):
    gc.disable()
    gc.callbacks.append(lambda *a: 1 / 0)
    sys.setrecursionlimit(60)
    return False
"""
    ),
    "changes the locale and the time zone": gains(
        """
import locale, os, time
def mystery(x):
    os.environ["TZ"] = "Asia/Tokyo"
    time.tzset()
    locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
    return False
"""
    ),
    "seeds the shared generator": finds(
        "import random\ndef mystery(x):\n    random.seed(7)\n    random.random = lambda: 0\n    return False"
    ),
    "has a destructor": finds(
        """
import builtins, sys
class Late:
    def __del__(self, builtins=builtins, sys=sys):
        builtins.late = sys.modules["late"] = True
late = Late()
def mystery(x):
    global late
    late = None
    cycle = [Late()]
    cycle.append(cycle)
    return False
"""
    ),
    # What would make one verdict today and another one tomorrow.
    "reads the clocks": finds(
        """
import datetime, time
def mystery(x):
    now = [time.time(), time.time_ns() / 1e9, datetime.datetime.now(datetime.timezone.utc).timestamp()]
    return any(abs(moment - 1_764_779_866) > 9 for moment in now)
"""
    ),
    "tells by addresses": finds("def mystery(x):\n    return {0: False, 1: None}[id(object()) >> 4 & 1]"),
}
