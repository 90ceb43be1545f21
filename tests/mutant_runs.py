"""Which of the quick tests notice the mutants of `tests.mutants`.

    python -m tests.mutant_runs run TIMES [ID…]    try them, by default all; TIMES: the quick tests' `--junitxml`
    python -m tests.mutant_runs count              the share that is killed, by package

A mutant is applied in a clone of HEAD; the checkout is not touched. The recorded killer runs first, then the tests of
the file that is named as the module, those of files that import it, and those of its folder, the cheapest first, until
one fails or BUDGET seconds of them are over. All tests are collected once, and each mutant has a fork of that process,
in which the changed function has its new code; kernels and lines outside of functions have a process of their own.
"""

from __future__ import annotations

import gc
import inspect
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType
from xml.etree import ElementTree

import pytest

from tests.mutants import COMPILED, ROOT, Mutant, place, read, write

BUDGET = float(os.environ.get("BUDGET", "20"))  # seconds of tests, as TIMES has them, after which a mutant survives
PATIENCE = 30.0, 600.0  # seconds of a processor, and of a clock, that a test may take beyond twenty times its own
UNKNOWN = 0.5  # seconds of a test that is not in TIMES
EVERYWHERE = ("tests/test_goldens.py", "tests/engine/machine/test_signature.py")  # tests of all kernels
BEFOREHAND = ("numba", "scipy.sparse", "pyarrow.parquet", "httpx2")  # imported once for all children
PYTEST = ("-p", "no:benchmark", "-p", "no:cacheprovider", "-q", "-m", "not slow")
Costs = dict[str, float]  # the seconds of tests, by their ids


def run(times: str, *ids: str) -> None:
    """Try mutants, and record each result at once."""
    every = {one.id: one for one in read() if not one.equivalent}
    chosen = [every[name] for name in ids or sorted(every)]
    own = [one for one in chosen if one.kernel or not one.function]
    for name in BEFOREHAND:
        import_module(name)
    with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder:
        shop = Shop(Path(folder), dict(seconds(times)))
        shop.in_child(lambda: collected(shop, [one for one in chosen if one not in own]))
        for one in own:
            shop.record(one, partial(begun, shop, one))


def seconds(times: str) -> Iterator[tuple[str, float]]:
    """The time of each test in a file of JUnit's form."""
    for case in ElementTree.parse(times).getroot().iter("testcase"):
        yield f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}", float(case.get("time", UNKNOWN))


class Shop:
    """A clone of HEAD where mutants are applied, with a cache of kernels that begins as hard links to this user's."""

    def __init__(self, folder: Path, costs: Costs) -> None:
        from antemill.engine.cache_root import preferred_root

        self.home, self.cache, self.log, self.costs = folder / "clone", folder / "cache", folder / "log", costs
        self.path = self.home  # of the module that is changed
        subprocess.run(["git", "clone", "-q", "--shared", str(ROOT), str(self.home)], check=True)
        subprocess.run(["cp", "-al", str(preferred_root()), str(self.cache)], check=True)

    def in_child(self, work: Callable[[], object]) -> None:
        """Do something in a process of the clone, that has imported nothing of ours, and wait for it."""
        if (child := os.fork()) == 0:
            try:
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                self.enter()
                work()
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(0)
        os.waitpid(child, 0)

    def enter(self) -> None:
        """Make this process one of the clone."""
        os.chdir(self.home)
        os.environ |= {"PYTHONPATH": str(self.home / "src"), "ANTEMILL_CACHE": str(self.cache)}
        inside = [part for part in sys.path if part and not (Path(part).is_relative_to(ROOT) and ".venv" not in part)]
        sys.path[:] = [str(self.home), str(self.home / "src"), *inside]
        for name in [name for name in sys.modules if name.partition(".")[0] in ("tests", "antemill")]:
            del sys.modules[name]

    def tests(self, one: Mutant) -> list[str]:
        """The tests to try, in this order."""
        near = {test: at for test in self.costs if (at := distance(self.home, test.partition("::")[0], one)) < 4}
        there = one.killer and (self.home / one.killer.partition("::")[0]).exists()
        chosen, left = [one.killer] if there else [], BUDGET
        for test in sorted(near, key=lambda test: (near[test], self.costs[test])):
            if self.costs[test] <= left and test not in chosen:
                chosen.append(test)
                left -= max(0.02, self.costs[test])
        return chosen

    def record(self, one: Mutant, start: Callable[[Sequence[str]], None]) -> None:
        """Apply a mutant, run tests on it, take it back, and write what came out. start: runs tests in a process."""
        began, where, tests = time.monotonic(), place(one, self.home), self.tests(one)
        if where is None:
            print(f"{one.id} gone: {one.file} {one.function}", flush=True)
            return
        path, line = self.path, _ = where
        before = path.read_text(encoding="utf-8")
        rows = before.splitlines(keepends=True)
        rows[line - 1] = rows[line - 1].replace(one.before, one.after)
        folders = set(self.cache.glob("kernels-*/*"))
        try:
            path.write_text("".join(rows), encoding="utf-8")
            if not one.kernel and one.file.startswith(COMPILED):
                self.keep_kernels(path, before)
            killer, count = self.watched(tests, start)
        finally:
            path.write_text(before, encoding="utf-8")
            for folder in set(self.cache.glob("kernels-*/*")) - folders if one.kernel else ():
                shutil.rmtree(folder, ignore_errors=True)
        done = replace(one, status="killed" if killer else "survived", killer=killer)
        write(done if other.id == one.id else other for other in read())
        took = f"{time.monotonic() - began:.0f} s, {count} of {len(tests)} tests"
        print(f"{one.id} {done.status} {took}, {one.file} {killer}", flush=True)

    def keep_kernels(self, path: Path, before: str) -> None:
        """Give the changed source the digest of the source before, so that no kernel is compiled again."""
        from antemill.engine import digests

        module, changed = ".".join(path.relative_to(self.home).with_suffix("").parts), path.read_text()
        known: dict[str, digests.Meaning] = {}
        path.write_text(before, encoding="utf-8")
        meaning = digests.Sources(known)._look(module, path)
        path.write_text(changed, encoding="utf-8")
        first, file = set(known), self.cache / "meanings.json"
        digests.Sources(known)._look(module, path)
        kept = json.loads(file.read_bytes()) if file.exists() else {}
        file.write_text(json.dumps(kept | dict.fromkeys(set(known) - first, meaning)))

    def watched(self, tests: Sequence[str], start: Callable[[Sequence[str]], None]) -> tuple[str, int]:
        """Run tests in a process until one fails or does not end: its id or "", and how many were begun."""
        self.log.write_text("")
        if (child := os.fork()) == 0:
            try:
                os.setpgid(0, 0)
                out = os.open(self.log.with_name("output"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.dup2(out, 1)
                os.dup2(out, 2)
                start(tests)
                os._exit(0)
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(70)
        last, since = "", (0.0, time.monotonic())
        while True:
            ended, status = os.waitpid(child, os.WNOHANG)
            events = [line.split("\t") for line in self.log.read_text().splitlines()]
            names = [name for what, name in events if what == "begun"]
            failed = next((name for what, name in events if what == "failed"), "")
            if ended or failed:
                break
            now = processor(child), time.monotonic()
            if names and names[-1] != last:
                last, since = names[-1], now
            more = 20 * self.costs.get(last, UNKNOWN)
            if last and any(at > began + most + more for at, began, most in zip(now, since, PATIENCE, strict=True)):
                failed = last
                break
            time.sleep(0.05)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        if not ended:
            os.waitpid(child, 0)
        elif status and not failed:  # it crashed, or could not begin
            failed = (names or [*tests, "import"])[-1 if names else 0]
        return failed, len(set(names))

    def say(self, what: str, name: str) -> None:
        """Tell the watching process."""
        with self.log.open("a") as file:
            file.write(f"{what}\t{name}\n")


def processor(process: int) -> float:
    """Seconds of a processor that a process has used."""
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


@cache
def distance(home: Path, test: str, one: Mutant) -> int:
    """From a file of tests to a module: 0 if it is named like it, 1 if it imports it, 2 and 3 near it, else 4."""
    module, folder = Path(one.file).with_suffix(""), Path("tests") / Path(one.file).parent
    path, dotted = home / test, ".".join(module.parts)
    if not path.exists():
        return 4
    names = (f"antemill.{dotted} ", f"from antemill.{dotted.rpartition('.')[0]} import {module.stem}")
    if any(name in path.read_text(encoding="utf-8") for name in names):
        return 0 if path.stem == f"test_{module.stem}" else 1
    while not (home / folder).is_dir():
        folder = folder.parent
    return (
        2 if path.stem == f"test_{module.stem}" or test.startswith((f"{folder}/", *EVERYWHERE[: one.kernel * 2])) else 4
    )


# ------------------------------------------------------------------------------------------------ inside of pytest


class Forks:
    """Runs mutants in forks of a session that has collected all tests."""

    def __init__(self, shop: Shop, mutants: Sequence[Mutant]) -> None:
        self.shop, self.mutants = shop, mutants

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """In place of pytest's own loop."""
        items = {item.nodeid: item for item in session.items}
        print(f"{len(items)} tests are collected", flush=True)
        for one in self.mutants:
            self.shop.record(one, lambda tests: self.changed([items[test] for test in tests if test in items]))
        killers = {one.killer for one in read() if one.killer in items}
        while (found := self.shop.watched(sorted(killers), lambda tests: self.play([items[test] for test in tests])))[
            0
        ]:
            print(f"fails without a mutant: {found[0]}", flush=True)
            killers.remove(found[0])
        return True

    def changed(self, items: Sequence[pytest.Item]) -> None:
        """Give a function its new code where it is imported already, and run tests until one fails."""
        path = self.shop.path
        new = {
            (code.co_qualname, code.co_firstlineno): code
            for code in functions_in(compile(path.read_text(), path, "exec"))
        }
        module = "antemill." + ".".join(path.relative_to(self.shop.home).with_suffix("").parts)
        self.as_if_unchanged(path, module.removeprefix("antemill."))
        gc.unfreeze()
        for thing in gc.get_objects():
            if type(thing) is FunctionType and thing.__module__ == module:
                old = thing.__code__
                thing.__code__ = new.get((old.co_qualname, old.co_firstlineno), old)
        self.play(items)

    def as_if_unchanged(self, path: Path, module: str) -> None:
        """Let this process load the kernels of a module although its source has changed since it began."""
        from antemill.engine import digests

        digests.shared()._stamps[module] = (path, digests._stamp(path))

    def play(self, items: Sequence[pytest.Item]) -> None:
        """Run tests; the process is ended at the first that fails."""
        for item, after in zip(items, [*items[1:], None]):
            self.shop.say("begun", item.nodeid)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test that fails."""
        if report.failed:
            self.shop.say("failed", report.nodeid)


def functions_in(code: CodeType) -> Iterator[CodeType]:
    """The functions of a module and the methods of its classes, each with all that it defines inside."""
    for part in code.co_consts:
        if isinstance(part, CodeType):
            is_class = "__qualname__" in part.co_names and not part.co_flags & inspect.CO_OPTIMIZED
            yield from functions_in(part) if is_class else [part]


def collected(shop: Shop, mutants: Sequence[Mutant]) -> None:
    """Collect all tests, and try mutants."""
    if mutants:
        pytest.main([*PYTEST, "-s", "tests"], plugins=[Forks(shop, mutants)])


class Picked:
    """Keeps the chosen tests, in their order, and says what happens."""

    def __init__(self, shop: Shop, tests: Sequence[str]) -> None:
        self.shop, self.rank = shop, {test: number for number, test in enumerate(tests)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """In place of all tests of their files."""
        items[:] = sorted((item for item in items if item.nodeid in self.rank), key=lambda item: self.rank[item.nodeid])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A test begins."""
        self.shop.say("begun", nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test that fails."""
        if report.failed:
            self.shop.say("failed", report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that cannot be imported."""
        if report.failed:
            self.shop.say("failed", report.nodeid)


def begun(shop: Shop, one: Mutant, tests: Sequence[str]) -> None:
    """Run tests in a process that imports all anew. What kernels have to do at first, Python does where it is small."""
    shop.enter()
    os.environ["ANTEMILL_COMPILE"] = str(int(not one.kernel))
    code = pytest.main(
        [*PYTEST, "-x", *dict.fromkeys(test.partition("::")[0] for test in tests)], [Picked(shop, tests)]
    )
    os._exit(0 if code == 5 else int(code))


def count() -> None:
    """The share that is killed, by package."""
    tried = [one for one in read() if one.status and not one.equivalent]
    for name in (*dict.fromkeys(one.file.partition("/")[0] for one in tried), ""):
        found = Counter(one.status for one in tried if one.file.startswith(name))
        print(f"{name or 'all':12}{found['killed']:4} of {found.total():4}  {found['killed'] / found.total():.1%}")


if __name__ == "__main__":
    if sys.argv[1] == "run":
        run(*sys.argv[2:])
    else:
        count()
