"""What Python prints while it shuts down is output: compared with Python itself (S3)."""

import subprocess
import sys
from functools import cache

from antemill.engine.execute.sandbox import OutputCheck, Sandbox
from tests.engine.execute.sandbox.backends import sandbox, verdicts

__all__ = ["sandbox"]

ENDS = {
    "generators": """
def g(n):
    try:
        yield n
    finally:
        print('end', n)
a=g(1);b=g(2);c=g(3)
for x in (a,b,c): print(next(x))
""",
    "context managers": """
from contextlib import contextmanager
@contextmanager
def cm(n):
    print('in', n)
    try:
        yield n
    finally:
        print('out', n)
a=cm('a'); a.__enter__(); _b=cm('b'); _b.__enter__()
""",
    "an exit stack": """
from contextlib import ExitStack, contextmanager
@contextmanager
def cm(n):
    try:
        yield n
    finally:
        print('out', n)
s=ExitStack()
s.enter_context(cm(1)); s.enter_context(cm(2))
print('x')
""",
    "files": """
import io
class F(io.StringIO):
    def __init__(self,n): super().__init__(); self.n=n
    def close(self):
        print('closing', self.n)
        super().close()
f=F(1);_g=F(2);h=[F(3),F(4)]
print('main')
""",
    "an exit with a code": """
import sys
def g(n):
    try:
        yield n
    finally:
        print('end', n)
def main():
    a=g('local'); next(a)
    sys.exit(3)
b=g('global'); next(b)
main()
""",
    "an exit that is caught, another with a message": """
try:
    exit()
except SystemExit as e:
    print('caught', e.code)
print('on')
quit('bye')
""",
    "an exit with an object": """
class M:
    def __str__(self):
        print('asked')
        return 'm'
raise SystemExit(M())
""",
    "a generator expression": """
x = (print(i) or i for i in range(3))
print(next(x))
""",
    "a generator in a generator": """
def outer():
    try:
        yield from inner()
    finally:
        print('outer')
def inner():
    try:
        yield 1
        yield 2
    finally:
        print('inner')
o=outer();print(next(o))
""",
    "what a function holds": """
def mk():
    def g():
        try: yield 1
        finally: print('g')
    it=g(); next(it)
    return lambda: it
f=mk()
print('x')
""",
    "cycles": """
class N:
    def __init__(s,n): s.n=n; s.me=s; s.g=gen(n); next(s.g)
def gen(n):
    try: yield
    finally: print('gen',n)
a=N(1);b=N(2);N(3);N(4)
print('end')
""",
    "what classes hold": """
def gen(n):
    try: yield
    finally: print('gen',n)
class K:
    a=gen('ka'); next(a)
    b=gen('kb'); next(b)
z=gen('z'); next(z)
k=K()
""",
    "a coroutine": """
class A:
    def __await__(self):
        yield 1
async def f():
    try:
        await A()
    finally:
        print('coro end')
c=f(); c.send(None)
print('m')
""",
    "an asynchronous generator": """
async def ag():
    try:
        yield 1
    finally:
        print('ag end')
a=ag()
try:
    a.__anext__().send(None)
except StopIteration as e:
    print(e.value)
""",
    "an import at the end": """
def g():
    try:
        yield 1
    finally:
        try:
            import json
            print(json.dumps(1))
        except ImportError as e: print('no import')
x=g();next(x)
""",
    "names at the end": """
N=5
def g():
    try:
        yield 1
    finally:
        print(N, len([1]))
x=g();next(x)
""",
    "another stdout": """
import sys, io
old=sys.stdout
sys.stdout=io.StringIO()
print('hidden')
def g():
    try: yield 1
    finally: print('seen')
x=g();next(x)
""",
    "a wrapped stdout": """
import sys, io
sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')
print('héllo')
""",
    "a detached stdout": """
import sys, io
sys.stdout = io.TextIOWrapper(sys.stdout.detach(), encoding='utf-8')
print('héllo')
""",
    "a stdout of its own": r"""
import sys
class Tee:
    def __init__(s,o): s.o=o
    def write(s,t): s.o.write(t.upper())
    def flush(s):
        s.o.write('[flush]\n'); s.o.flush()
sys.stdout=Tee(sys.stdout)
print('abc')
""",
    "a closed stdout": """
import sys
print('a')
sys.stdout.close()
""",
    "a redirection that is not left": """
import io, contextlib
b=io.StringIO()
r=contextlib.redirect_stdout(b)
r.__enter__()
print('hidden')
""",
    "types of its own in typing": """
from typing import List, Optional, Dict
class Node:
    kids: List['Node']
def f(x: Optional[Node]) -> List[Node]: return []
D = Dict[str, Node]
def g():
    try: yield 1
    finally: print('g end')
it=g();next(it)
""",
    "caches": """
from functools import lru_cache, singledispatch
@lru_cache
def get(n):
    it=g(n); next(it); return it
@singledispatch
def sd(x): return 1
@sd.register(int)
def _(x): return 2
def g(n):
    try: yield 1
    finally: print('end', n)
get(1);get(2);print(sd(3))
""",
    "abstract classes": """
from abc import ABC, abstractmethod
class B(ABC):
    @abstractmethod
    def f(self): ...
class D(B):
    def f(self):
        try: yield 1
        finally: print('D end')
d=D(); i=d.f(); next(i)
print(isinstance(3,B))
""",
    "zip and map": """
def g(n):
    try:
        while True: yield n
    finally: print('end', n)
z=zip(g(1),g(2)); print(next(z)); m=map(str,g(3)); next(m)
""",
    "itertools": """
from itertools import islice, chain, tee
def g(n):
    try:
        while True: yield n
    finally: print('end', n)
print(list(islice(g(1),2)))
a,b=tee(g(2)); next(a)
c=chain(g(3),g(4)); next(c)
""",
    "globals at the end": """
items=[]
class C:
    def run(self):
        try: yield
        finally:
            items.append(1); print(len(items), type(self).__name__)
a=C().run(); next(a); b=C().run(); next(b)
""",
    "no newline": """
def g():
    try: yield
    finally: print('tail', end='')
x=g();next(x);print('a', end=' ')
""",
    "__del__ in cycles": """
class C:
    def __init__(s,n): s.n=n; s.me=s
    def __del__(self): print('bye', self.n)
a=C('a');b=C('b');C('c')
print('end')
""",
    "atexit": """
import atexit
@atexit.register
def f(): print('f')
atexit.register(print,'second')
print('m')
def g():
    try: yield
    finally: print('g')
x=g();next(x)
""",
    "a hook of json": """
import json
class E(json.JSONEncoder):
    def default(self,o): return 'x'
def g(n):
    try: yield
    finally: print('end',n)
it=g(1);next(it)
print(json.dumps({'a':1j},cls=E))
""",
    "an exit in try": """
import sys
print(1)
try:
    sys.exit('message')
finally:
    print('f')
""",
}
MENTIONED = {  # errors at the end, which Python 3.14 mentions with an address
    "a generator that goes on": """
def g():
    try:
        yield 1
    finally:
        print('f')
        yield 2
        print('never')
x=g();next(x)
""",
    "errors at the end": """
def g():
    try:
        yield 1
    finally:
        print('f')
        raise ValueError
x=g();next(x)
y=g();next(y)
""",
}
UNSURE = {  # what Python itself prints in another order where it imports more when it starts
    "many objects": """
def g(n):
    try:
        yield
    finally:
        if n % 1000 == 0:
            print(n)
l = []
for i in range(5000):
    x = g(i)
    next(x)
    l.append([x])
print('end')
""",
    "generators in a list": """
def g(n):
    try:
        yield n
    finally:
        print('end', n)
l=[g(i) for i in range(4)]
print([next(x) for x in l])
""",
    "__del__ set late": """
class C:
    def __init__(s,n): s.n=n
def bye(self): print('bye', self.n)
setattr(C,'__d'+'el__',bye)
a=C('a');_p=C('_p');b=C('b');x=[C('l')];a=C('a2')
print('end')
""",
    "generators of objects": """
class G:
    def __init__(s,n): s.n=n
    def __iter__(s):
        try:
            yield s.n
        finally:
            print('fin',s.n)
its=[iter(G(i)) for i in range(5)]
for i in reversed(its): next(i)
del its[2]
print('--')
""",
    "__del__": """
class C:
    def __init__(s,n): s.n=n
    def __del__(self): print('bye', self.n)
a=C('a');_p=C('_p');b=C('b');x=[C('l')];a=C('a2')
def f():
    c=C('local')
    print('in f')
f()
del b
print('end')
""",
}


@cache
def _printed(program: str) -> str:
    """What this Python prints. (The judged Python gets no `-I`, which would be the same: it has no environment.)"""
    found = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, check=False, timeout=60)
    return found.stdout.decode()


def test_what_a_program_prints_at_its_end_counts(sandbox: Sandbox) -> None:
    found = verdicts(sandbox, *map(OutputCheck, ENDS.values()))
    said = {name: one.stdout if one.verdict == "true" else one.detail for name, one in zip(ENDS, found, strict=True)}
    assert said == {name: _printed(program) for name, program in ENDS.items()}


def test_an_order_that_differs_between_installations_is_refused_with_its_reason(sandbox: Sandbox) -> None:
    """Whichever Python judges: 3.14 by itself has one order."""
    for what, one in zip(UNSURE, verdicts(sandbox, *map(OutputCheck, UNSURE.values())), strict=True):
        assert one.verdict == "refused", (what, one)
        assert "at its end" in one.detail, (what, one)


def test_an_error_at_the_end_may_be_refused(sandbox: Sandbox) -> None:
    for program, one in zip(MENTIONED.values(), verdicts(sandbox, *map(OutputCheck, MENTIONED.values())), strict=True):
        if one.verdict == "true":
            assert one.stdout == _printed(program)
        else:
            assert one.verdict == "refused", one
            assert "address" in one.detail, one


RELEASED = {
    "variables": "def f():\n    a = A('a')\n    b = A('b')\nf()",
    "parameters": "def f(a, b):\n    print('in')\nf(A('a'), A('b'))",
    "variables of a generator": "def f():\n    a = A('a')\n    b = A('b')\n    yield 1\nprint(list(f()))",
}


def test_the_order_in_which_a_function_releases_its_variables_is_that_of_older_pythons(sandbox: Sandbox) -> None:
    """Python 3.14 has the reverse: there it is no truth."""
    begin = (
        "class A:\n    def __init__(self, name): self.name = name\n    def __del__(self): print('gone', self.name)\n"
    )
    for found in verdicts(sandbox, *(OutputCheck(begin + program) for program in RELEASED.values())):
        new = not found.python.startswith(("3.11.", "3.12.", "3.13."))
        assert found.verdict == ("false" if new else "true"), found
        assert new or "gone a\ngone b\n" in (found.stdout or "")
