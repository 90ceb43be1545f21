"""`antemill.engine.kernel_links`: large kernels are called, not copied, by every process that loads them."""

from pathlib import Path

import pytest

from antemill.engine import kernel_links
from tests.engine.test_kernel import OURS, Project


def lines_of(count: int) -> str:
    """Lines of a kernel that nothing simplifies: four instructions or five each."""
    return "".join(f"    x = (x * {2 * i + 3} ^ x >> {i % 5}) & 1048575\n" for i in range(count))


ENOUGH = 40  # lines of optimised code from which a kernel is large here, so that little has to be compiled
LARGE = lines_of(15)
MODULE = """
from antemill.engine.kernel import kernel
{calls}
@kernel({how})
def {name}(x):
{lines}    return {result}
"""
CALL = "from antemill.engine.a import f\n"
CALL += "print(f(7), *[sum(n.values()) for n in (f.stats.cache_hits, f.stats.cache_misses)])"
COPIES = """
from antemill.engine.a import f
f(7)
code = f.inspect_llvm(f.signatures[0])
lines = [line.split()[0] for line in code.splitlines() if "helper" in line and line.startswith(("define", "declare"))]
print(*lines)
"""
LOADED = (
    "from antemill.engine.a import f; f(7); from antemill.engine.b import helper; from antemill.engine.c import last\n"
)
LOADED += "print(*[sum(k.stats.cache_hits.values()) for k in (f, helper, last)])\n"
LOADED += "print(*[sum(k.stats.cache_misses.values()) for k in (f, helper, last)])"
CIRCLE = """
from antemill.engine.kernel import kernel
@kernel
def last(x, depth=0):
{lines}    return other(x, depth + 1)
@kernel
def other(x, depth):
    return x if depth > 2 else last(x, depth)
"""
MADE_INSIDE = """
from antemill.engine.kernel import kernel
def make():
    @kernel
    def helper(x):
{lines}        return x
    return helper
helper = make()
"""


def small_project(root: Path) -> Project:
    """A project in which kernels of `ENOUGH` lines are large."""
    project = Project(root, OURS)
    links = project.engine / "kernel_links.py"
    text = links.read_text()
    assert text.count(f"\nLARGE: Final = {kernel_links.LARGE} ") == 1
    links.write_text(text.replace(f"\nLARGE: Final = {kernel_links.LARGE} ", f"\nLARGE: Final = {ENOUGH} "))
    return project


def value(x: int) -> int:
    """What the large kernel gives."""
    names = {"x": x}
    exec("".join(line.strip() + "\n" for line in LARGE.splitlines()), {}, names)
    return names["x"]


def write(
    project: Project, module: str, name: str, result: str, *, lines: str = "", calls: str = "", how: str = ""
) -> None:
    """A module with one kernel."""
    text = MODULE.format(calls=calls, how=how, name=name, lines=lines, result=result)
    (project.engine / f"{module}.py").write_text(text)


@pytest.fixture
def chain(tmp_path: Path) -> Project:
    """`f` calls `helper`, which is large and calls `last`, which is large."""
    project = small_project(tmp_path)
    write(project, "c", "last", "x", lines=LARGE)
    write(project, "b", "helper", "last(x)", lines=LARGE, calls="from antemill.engine.c import last")
    write(project, "a", "f", "helper(x) + 1", calls="from antemill.engine.b import helper")
    return project


def called(project: Project, before: str = "") -> list[str]:
    """The result of `f(7)`, how often it was loaded, how often compiled."""
    return project.run(before + CALL).split()


@pytest.mark.slow
def test_large_kernels_are_loaded_before_what_calls_them(chain: Project) -> None:
    assert chain.run(LOADED).splitlines() == ["0 0 0", "1 1 1"]
    assert chain.run(LOADED).splitlines() == ["1 1 1", "0 0 0"]
    assert called(chain) == [str(value(value(7)) + 1), "1", "0"]


@pytest.mark.slow
@pytest.mark.parametrize("lost", ["b", "c"])
def test_what_calls_a_kernel_that_was_lost_is_compiled_anew(chain: Project, lost: str) -> None:
    want = str(value(value(7)) + 1)
    assert called(chain) == [want, "0", "1"]
    (folder,) = chain.of_module(f"antemill.engine.{lost}")
    for path in folder.glob("*.nb[ci]"):
        path.unlink()
    # Other kernels are compiled first, so that the lost one gets another name.
    (chain.engine / "first.py").write_text(
        "from antemill.engine.kernel import kernel\n"
        + "".join(f"@kernel\ndef k{i}(x):\n    return x\nk{i}(1)\n" for i in range(3))
    )
    assert called(chain, "import antemill.engine.first\n") == [want, "0", "1"]
    assert called(chain) == [want, "1", "0"]


@pytest.mark.slow
def test_an_edit_of_a_large_kernel_takes_effect(chain: Project) -> None:
    called(chain)
    write(chain, "c", "last", "x + 5", lines=LARGE)
    assert called(chain) == [str(value(value(7)) + 6), "0", "1"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lines", "how", "in_the_caller"),
    [
        (lines_of(150), "", "declare"),
        (lines_of(150), "inline='late'", ""),
        (lines_of(4), "", ""),
    ],
)
def test_only_a_large_kernel_that_is_not_to_be_inlined_is_called(
    tmp_path: Path, lines: str, how: str, in_the_caller: str
) -> None:
    project = Project(tmp_path, OURS)
    write(project, "b", "helper", "x", lines=lines, how=how)
    write(project, "a", "f", "helper(x) + 1", calls="from antemill.engine.b import helper")
    assert project.run(COPIES) == in_the_caller


@pytest.mark.slow
def test_a_kernel_that_no_name_leads_to_is_copied(tmp_path: Path) -> None:
    """It is made inside a function, or another kernel took its name."""
    project = small_project(tmp_path)
    write(project, "a", "f", "helper(x) + 1", calls="from antemill.engine.b import helper")
    (project.engine / "b.py").write_text(MADE_INSIDE.format(lines=LARGE.replace("    x", "        x")))
    want = str(value(7) + 1)
    assert called(project) == [want, "0", "1"]
    assert called(project) == [want, "1", "0"]
    write(project, "b", "helper", "x", lines=LARGE)
    text = (project.engine / "b.py").read_text()
    (project.engine / "b.py").write_text(text + "first = helper\n@kernel\ndef helper(x):\n    return first(x) + 1\n")
    want = str(value(7) + 2)
    assert called(project) == [want, "0", "1"]
    assert called(project) == [want, "1", "0"]


@pytest.mark.slow
def test_with_lines_for_debuggers_large_kernels_are_called_as_well(chain: Project) -> None:
    assert chain.run(CALL, NUMBA_DEBUGINFO="1").split() == [str(value(value(7)) + 1), "0", "1"]
    assert chain.run(COPIES, NUMBA_DEBUGINFO="1", ANTEMILL_CACHE=str(chain.root / "other")) == "declare"


@pytest.mark.slow
@pytest.mark.parametrize("lines", ["", LARGE])
def test_kernels_that_call_each_other_are_compiled_anew(chain: Project, lines: str) -> None:
    """Others load what they need of them in any order, and so they do what calls the two."""
    (chain.engine / "c.py").write_text(CIRCLE.format(lines=lines))
    x = 7
    for _ in range(3):
        x = value(x) if lines else x
    for before in ("", "", "from antemill.engine.c import other; other(1, 0)\n"):
        assert called(chain, before) == [str(value(x) + 1), "0", "1"]
