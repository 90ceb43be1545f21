"""All of Python's syntax that reads, writes or deletes attributes and names: what leads out of a program is refused.

Each program of `data/attribute_ways.txt` is one way from a function, a text or an error to something that is not the
program's: code, globals, frames, modules. `test_asked` has the honest uses of the same syntax.
"""

from antemill.engine.execute.sandbox import OutputCheck, Sandbox
from tests.engine.execute.sandbox.backends import sandbox, verdicts
from tests.engine.execute.sandbox.test_asked import blocks

__all__ = ["sandbox"]
WAYS = blocks("attribute_ways.txt")
_F = "def f(): return 1\n"
NEW = {  # syntax of later versions: (since, program)
    "the bound of a parameter": ((3, 12), f"{_F}def g[T: f.__globals__](): pass\nprint(g.__type_params__)"),
    "a type statement": ((3, 12), f"{_F}type A = f.__globals__\nprint(A.__value__)"),
    "a t-string": ((3, 14), f"{_F}print(t'{{f.__globals__}}'.interpolations[0].value['__name__'])"),
    "a name in a t-string": ((3, 14), "print(t'{__builtins__}'.interpolations[0].value.__name__)"),
}


def test_no_way_leads_out(sandbox: Sandbox) -> None:
    """A wrong program that dies would not show that its way is closed."""
    assert len(WAYS) > 60
    found = dict(zip(WAYS, verdicts(sandbox, *map(OutputCheck, WAYS.values())), strict=True))
    assert {way: one for way, one in found.items() if one.verdict != "refused"} == {}


def test_no_way_of_later_versions_leads_out(sandbox: Sandbox) -> None:
    (about,) = verdicts(sandbox, OutputCheck("print(1)"))
    version = tuple(map(int, about.python.split()[0].split(".")[:2]))
    known = [code for since, code in NEW.values() if since <= version]
    assert len(known) == len(NEW) or about.backend == "native"
    assert {one.verdict for one in verdicts(sandbox, *map(OutputCheck, known))} <= {"refused"}
