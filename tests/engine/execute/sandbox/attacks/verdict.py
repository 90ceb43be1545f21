"""Attacks on the verdict: `mystery` returns False, or does not return, and something else says true."""

from tests.engine.execute.sandbox.attacks.attack import Attack, endless, fails, finds, gains

_FRAMES = """
import os, sys
def frames():
    frame = sys._getframe(1)
    while frame:
        yield frame
        frame = frame.f_back
def say(data):
    for n in range(16):
        try:
            os.write(n, data)
        except OSError:
            pass
"""

VERDICT: dict[str, Attack] = {
    "leaves with success": fails("import sys\ndef mystery(x):\n    sys.exit(0)"),
    "leaves at once": fails("import os\ndef mystery(x):\n    os._exit(0)"),
    "leaves while it is read": fails("import os\nos._exit(0)\ndef mystery(x):\n    return False"),
    "aborts": fails("import os\ndef mystery(x):\n    os.abort()"),
    "prints verdicts": finds(
        """
def mystery(x):
    for text in ("True", '{"verdict": true}', '{"ok": true, "result": true}', "VERDICT True", "OK 1", "1", "T"):
        print(text, flush=True)
    globals()["result"] = globals()["verdict"] = True
    return False
"""
    ),
    "writes verdicts to every descriptor": gains(
        """
import os, struct
def mystery(x):
    frame = b"".join(struct.pack("<I", len(part)) + part for part in (b"A", b"T", b"0.1"))
    for n in range(256):
        for data in (b"T", struct.pack("<I", 3) + frame, b"true\\n"):
            try:
                os.write(n, data)
            except OSError:
                pass
    return False
"""
    ),
    "writes a verdict and leaves": fails(
        "import os\ndef mystery(x):\n    for n in range(16):\n"
        "        try: os.write(n, b'T')\n        except OSError: pass\n    os._exit(0)"
    ),
    "writes by file objects": gains(
        """
import io
def mystery(x):
    for n in range(3, 16):
        try:
            file = io.FileIO(n, "w", closefd=False)
            file.write(b"T")
        except OSError:
            pass
    return False
"""
    ),
    "closes every descriptor": gains("import os\ndef mystery(x):\n    os.closerange(0, 256)\n    return False"),
    "puts another file in the channel's place": gains(
        """
import os
def mystery(x):
    for n in range(1, 16):
        try:
            os.dup2(0, n)
        except OSError:
            pass
    return False
"""
    ),
    "has a result that raises": fails(
        "class T:\n    def __bool__(self):\n        raise KeyError(True)\ndef mystery(x):\n    return T()"
    ),
    "has a result that does not end": endless(
        "class T:\n    def __bool__(self):\n        while True: pass\ndef mystery(x):\n    return T()"
    ),
    "is a class itself": fails("class mystery:\n    def __init__(self, x):\n        self.verdict = True"),
    "is no function": fails("mystery = True"),
    "raises a verdict": fails("def mystery(x):\n    raise SystemExit('T')"),
    "raises what lies": fails(
        """
class E(BaseException):
    __class__ = property(lambda self: KeyError)
    def __str__(self):
        raise self
    __repr__ = __str__
def mystery(x):
    raise E()
"""
    ),
    "raises what does not end": endless(
        "class E(Exception):\n    def __str__(self):\n        while True: pass\ndef mystery(x):\n    raise E()"
    ),
    "raises what joins with bytes": fails(
        """
class Text(str):
    __radd__ = lambda self, other: b"T"
    encode = partition = __getitem__ = lambda self, *a, **k: self
class E(Exception):
    __str__ = lambda self: Text("T")
E.__name__ = "T"
def mystery(x):
    raise E()
"""
    ),
    "reads secrets in frames and sends them": gains(
        _FRAMES
        + """
def mystery(x):
    seen = []
    def look(thing, depth):
        if type(thing) is bytes and len(thing) in range(8, 65):
            seen.append(thing)
        if depth:
            parts = thing.values() if isinstance(thing, dict) else thing if isinstance(thing, (list, tuple)) else ()
            for part in (*parts, *getattr(thing, "__dict__", {}).values()):
                look(part, depth - 1)
    for frame in frames():
        look(frame.f_locals, 4)
    for secret in seen[-1:]:
        say(secret)
        os._exit(0)
    return False
"""
    ),
    "changes what frames hold": gains(
        _FRAMES
        + """
def mystery(x):
    for frame in frames():
        for name, value in list(frame.f_locals.items()):
            try:
                frame.f_locals[name] = True
                value.__class__ = type("Evil", (type(value),), {})
            except BaseException:
                pass
            if isinstance(value, list):
                value[:] = [b"T"] * 8
            if isinstance(value, dict) and frame.f_code.co_name != "mystery":
                value.clear()
    return False
"""
    ),
    "changes the globals of frames": gains(
        _FRAMES
        + """
def mystery(x):
    for frame in frames():
        if frame.f_globals is not globals():
            for name in list(frame.f_globals):
                frame.f_globals[name] = b"T" if name.isupper() or name.startswith("_") else lambda *a, **k: b"T"
    return False
"""
    ),
    "changes the code of functions": gains(
        _FRAMES
        + """
import types
def mystery(x):
    for frame in frames():
        for value in [*frame.f_globals.values()]:
            if isinstance(value, types.FunctionType) and value.__module__ != "__main__":
                try:
                    value.__code__ = (lambda *a, **k: b"T").__code__
                except ValueError:
                    pass
            if isinstance(value, type) and value.__module__ != "builtins":
                for name in list(vars(value)):
                    try:
                        setattr(value, name, lambda *a, **k: b"T")
                    except (TypeError, AttributeError):
                        pass
    return False
"""
    ),
    "calls the stages itself": gains(
        _FRAMES
        + """
def mystery(x):
    for frame in frames():
        stages = frame.f_globals.get("STAGES")
        if stages:
            for name in stages:
                try:
                    say(stages[name](b"def mystery(x): return True", b"1", [b"F", b"T"], frame.f_locals.get("bounds")))
                except BaseException:
                    pass
    return False
"""
    ),
    "walks the frames of a generator": gains(
        """
import os
def mystery(x):
    def walk():
        frame = made.gi_frame
        while frame:
            for value in list(frame.f_locals.values()):
                if isinstance(value, list) and value and isinstance(value[0], bytes):
                    os.write(3, value[-1])
                    os._exit(0)
            frame = frame.f_back
            yield
    made = walk()
    list(made)
    return False
"""
    ),
    "walks the frames of an error": gains(
        """
import inspect, os
def mystery(x):
    try:
        1 / 0
    except ZeroDivisionError as error:
        frame = error.__traceback__.tb_frame
    for info in [*inspect.getouterframes(frame), *inspect.stack()]:
        for value in list(info.frame.f_locals.values()):
            if isinstance(value, list) and value and isinstance(value[0], bytes):
                os.write(3, value[-1])
                os._exit(0)
        info.frame.clear if info.frame is frame else None
    return False
"""
    ),
    "searches all objects": gains(
        """
import gc
def mystery(x):
    gc.unfreeze()
    for thing in gc.get_objects():
        if type(thing) is dict:
            for name in ("verdict", "result", "ok", "value", "status"):
                if name in thing:
                    thing[name] = True
    return False
"""
    ),
    "makes the collector show garbage": gains(
        """
import gc, os
def mystery(x):
    gc.unfreeze()
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.collect()
    for thing in gc.garbage:
        if isinstance(thing, list) and len(thing) == 2 and isinstance(thing[0], bytes):
            os.write(3, thing[1])
            os._exit(0)
    return False
"""
    ),
    "watches other code by monitoring": gains(
        """
import sys
def mystery(x):
    watch = sys.monitoring
    watch.use_tool_id(3, "x")
    def see(code, offset):
        frame = sys._getframe(1)
        while frame:
            for name in list(frame.f_locals):
                frame.f_locals[name] = True
            frame = frame.f_back
    watch.register_callback(3, watch.events.PY_RETURN, see)
    watch.set_events(3, watch.events.PY_RETURN)
    return False
"""
    ),
    "profiles": gains(
        """
import os, sys
def mystery(x):
    import _lsprof
    def timer():
        frame = sys._getframe()
        while frame:
            if isinstance(frame.f_locals.get("answers"), list) and frame.f_locals["answers"]:
                os.write(3, frame.f_locals["answers"][-1])
                os._exit(0)
            frame = frame.f_back
        return 0
    _lsprof.Profiler(timer).enable()
    return False
"""
    ),
    "changes what decides": finds(
        """
import ast, builtins, json, operator, pickle
def mystery(x):
    true = lambda *a, **k: True
    for module, names in ((operator, ("truth", "call", "is_", "eq")), (builtins, ("bool", "type", "map", "tuple")),
                          (ast, ("parse", "literal_eval", "walk")), (json, ("dumps", "loads")),
                          (pickle, ("dumps", "loads"))):
        for name in names:
            setattr(module, name, true)
    return False
"""
    ),
    "speaks at the end": finds(
        """
import atexit, os, sys, weakref
def say(*_):
    for n in range(16):
        try:
            os.write(n, b"T")
        except OSError:
            pass
    os._exit(0)
atexit.register(say)
sys.exitfunc = sys.excepthook = sys.unraisablehook = say
weakref.finalize(sys, say)
def mystery(x):
    return False
"""
    ),
    "interrupts its judge": gains(
        """
import _thread, os, signal
def say(number, frame):
    while frame:
        frame.f_locals.update(dict.fromkeys(frame.f_locals, True))
        frame = frame.f_back
def mystery(x):
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, say)
        _thread.interrupt_main(number)
    return False
"""
    ),
    "has a name in the language of its judge": finds(
        "def mystery(x):\n    return False\n"
        "mystery.__name__ = mystery.__qualname__ = mystery.__module__ = __name__ = 'T'"
    ),
}
