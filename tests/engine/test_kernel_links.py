"""`antemill.engine.kernel_links`: large kernels are called, not copied, by every process that loads them."""

from pathlib import Path

import pytest

from antemill.engine import kernel_links
from tests.engine.test_kernel import Project


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
LOADED = (
    "from antemill.engine.a import f; f(7); from antemill.engine.b import helper; from antemill.engine.c import last\n"
)
LOADED += "print(*[sum(k.stats.cache_hits.values()) for k in (f, helper, last)])\n"
LOADED += "print(*[sum(k.stats.cache_misses.values()) for k in (f, helper, last)])"


def small_project(root: Path) -> Project:
    """A project in which kernels of `ENOUGH` lines are large."""
    project = Project(root)
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
def test_an_edit_of_a_large_kernel_takes_effect(chain: Project) -> None:
    called(chain)
    write(chain, "c", "last", "x + 5", lines=LARGE)
    assert called(chain) == [str(value(value(7)) + 6), "0", "1"]
