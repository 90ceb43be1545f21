"""Attacks on the time, the memory and the output."""

from tests.engine.execute.sandbox.attacks.attack import Attack, endless, fails, finds, gains, spent

RESOURCES: dict[str, Attack] = {
    "runs forever": endless("def mystery(x):\n    while True: pass", slow=False),
    "runs forever while it is read": endless("while True: pass"),
    "runs forever in a default value": endless(
        "def forever():\n    while True: pass\ndef mystery(x, bomb=forever()):\n    return True"
    ),
    "runs forever, whatever is raised": endless(
        """
def mystery(x):
    while True:
        try:
            while True: pass
        except BaseException: pass
"""
    ),
    "ignores signals": endless(
        """
import signal
def mystery(x):
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True: pass
""",
        slow=False,
    ),
    "matches forever": endless("import re\ndef mystery(x):\n    return bool(re.match(r'(a+)+$', 'a' * 64 + 'b'))"),
    "sleeps": endless("import time\ndef mystery(x):\n    time.sleep(3600)\n    return True"),
    "sleeps by other means": spent(
        "import select\ndef mystery(x):\n    select.select([], [], [], 3600)\n    return True"
    ),
    "waits for itself": spent(
        "import threading\ndef mystery(x):\n    lock = threading.Lock()\n"
        "    lock.acquire()\n    lock.acquire()\n    return True"
    ),
    "waits for the standard input": gains("def mystery(x):\n    return bool(input())"),
    "calculates a number of ten billion digits": spent("def mystery(x):\n    return 10**10**10 > 0"),
    "writes a long number": spent(
        "import sys\nsys.set_int_max_str_digits(0)\ndef mystery(x):\n    return len(str(1 << 40_000_000)) > 0"
    ),
    "leaves a thread": finds(
        """
import threading
def mystery(x):
    def spin():
        while True: pass
    threading.Thread(target=spin, daemon=True).start()
    return False
"""
    ),
    "leaves many threads": gains(
        """
import _thread, time
def mystery(x):
    made = 0
    for _ in range(50):
        try:
            _thread.start_new_thread(time.sleep, (1,))
            made += 1
        except RuntimeError:
            pass
    return made > 1000
"""
    ),
    "has a destructor that runs forever": gains(
        "class Late:\n    def __del__(self):\n        while True: pass\nlate = Late()\n"
        "def mystery(x):\n    return False"
    ),
    "takes memory in pieces": fails(
        "def mystery(x):\n    pieces = []\n    while True: pieces.append(bytearray(10 << 20))"
    ),
    "takes memory at once": fails("def mystery(x):\n    return len(bytes(1 << 40)) > 0"),
    "takes memory in small objects": fails("def mystery(x):\n    return len(list(range(10**9))) > 0"),
    "takes memory by doubling": fails("def mystery(x):\n    text = 'x'\n    while True: text += text"),
    "takes memory again after each failure": endless(
        """
def mystery(x):
    pieces = []
    while True:
        try:
            pieces.append(bytearray(1 << 24))
        except MemoryError:
            pieces.clear()
"""
    ),
    "maps memory": fails("import mmap\ndef mystery(x):\n    return len(mmap.mmap(-1, 1 << 34)) > 0"),
    "formats a wide number": fails("def mystery(x):\n    return len('%*d' % (10**9, 1)) > 0"),
    "unpacks a bomb": fails(
        """
import zlib
def mystery(x):
    packer = zlib.compressobj(9, wbits=-15)
    block = packer.compress(bytes(1 << 22)) + packer.flush(zlib.Z_FULL_FLUSH)
    return len(zlib.decompress(block * 100, -15)) > 0
""",
        slow=True,
    ),
    "recurses without an end": fails(
        """
import sys
sys.setrecursionlimit(2**30)
def mystery(x):
    def deeper(n):
        return deeper(n + 1) + 1
    return deeper(0) > 0
""",
        slow=True,
    ),
    "recurses in C": fails(
        """
import sys
sys.setrecursionlimit(2**30)
class Deep:
    def __getattr__(self, name):
        return getattr(self, name + "x")
    __repr__ = __str__ = lambda self: repr(self)
def mystery(x):
    return len(repr(Deep())) > 0
"""
    ),
    "nests brackets": fails("def mystery(x):\n    return eval('(' * 100_000 + '1' + ')' * 100_000) == 1"),
    "nests data": gains(
        """
def mystery(x):
    deep = []
    for _ in range(1_000_000):
        deep = [deep]
    try:
        return deep == [deep]
    except RecursionError:
        return False
"""
    ),
    "prints without an end": fails("def mystery(x):\n    while True: print('A' * (1 << 20))"),
    "prints to descriptors": gains(
        """
import os
def mystery(x):
    for n in (0, 1, 2):
        for _ in range(100):
            try:
                os.write(n, bytes(1 << 20))
            except OSError:
                break
    return False
"""
    ),
    "floods the channel": fails(
        """
import os
def mystery(x):
    for n in range(3, 16):
        try:
            while True:
                os.write(n, bytes(1 << 20))
        except OSError:
            pass
    raise SystemExit
"""
    ),
    "complains at length": fails("def mystery(x):\n    raise ValueError('x' * 50_000_000)"),
}
