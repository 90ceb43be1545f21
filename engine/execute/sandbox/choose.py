"""The choice of a backend. No backend is used before its self-check has passed on this machine.

`auto` takes the first backend whose self-check passes: its verdicts are right, and it refuses to open files, connect,
fork, execute, or exceed time and memory. There is no unprotected fallback: without a backend there are no verdicts.
"""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from antemill.engine.errors import ExecutionError
from antemill.engine.execute.sandbox.conduct import conduct
from antemill.engine.execute.sandbox.contract import Backend, Check, CheckLimits, LostError, OutputCheck, PuzzleCheck
from antemill.engine.execute.sandbox.pool import SandboxPool


def _native() -> Backend:
    from antemill.engine.execute.sandbox.native.backend import NativeBackend

    return NativeBackend()


def _wasm() -> Backend:
    from antemill.engine.execute.sandbox.wasm.backend import WasmBackend

    return WasmBackend()


_MAKERS: dict[str, Callable[[], Backend]] = {"native": _native, "wasm": _wasm}
BACKENDS = ("auto", *_MAKERS)

_BRIEF = CheckLimits(seconds=2.0, memory_mb=64)
_INSTANT = CheckLimits(seconds=0.3, memory_mb=64)  # for the check that must run into its limit
_FOREVER = PuzzleCheck("def mystery(x):\n    while True:\n        pass\n", "1", _INSTANT)


def _attempt(*lines: str) -> PuzzleCheck:
    """A puzzle whose verdict is "true" if an action succeeds that must fail."""
    body = "".join(f"    {line}\n" for line in lines)
    return PuzzleCheck(f"import os, socket, time\ndef mystery(x):\n{body}    return True\n", "1", _BRIEF)


# name of a test: (the check, the right verdicts)
_PROOF: dict[str, tuple[Check, tuple[str, ...]]] = {
    "a right solution": (PuzzleCheck("def mystery(x):\n    return x == [1, 'a']", "[1] + ['a']", _BRIEF), ("true",)),
    "a wrong solution": (PuzzleCheck("def mystery(x):\n    return x == 2", "3", _BRIEF), ("false",)),
    "an output": (OutputCheck("print(6 * 7)", "42", _BRIEF), ("true",)),
    "reading a file": (_attempt("open('/etc/hosts')"), ("error",)),
    "listing a folder": (_attempt("os.listdir('/')"), ("error",)),
    "opening a socket": (_attempt("socket.create_connection(('127.0.0.1', 9))"), ("error",)),
    "starting a process": (_attempt("if os.fork() == 0:", "    os._exit(0)"), ("error",)),
    "executing a program": (_attempt("os.execv('/bin/true', ['true'])"), ("error",)),
    "taking 200 MB": (_attempt("bytearray(200_000_000)"), ("error",)),
    "running forever": (_FOREVER, ("timeout",)),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether a backend can be used on this machine, with the reason. lost: its self-check was ended from outside."""

    backend: str
    usable: bool
    reason: str
    lost: bool = False


def examine(name: str) -> Finding:
    """Run the self-check of a backend."""
    try:
        backend = _MAKERS[name]()
        with closing(backend.worker()) as worker:
            for what, (check, right) in _PROOF.items():
                verdict = conduct(worker, check, name)
                if verdict.verdict not in right:
                    got = f"{verdict.verdict}{': ' if verdict.detail else ''}{verdict.detail}"
                    return Finding(name, False, f"its self-check fails at {what} ({got}).")
    except ExecutionError as error:
        return Finding(name, False, str(error), isinstance(error, LostError))
    return Finding(name, True, f"its self-check passes: {len(_PROOF)} of {len(_PROOF)}.")


_findings: dict[str, Finding] = {}  # by backend, of this process


def _finding(name: str) -> Finding:
    """The result of the self-check, which runs once, or again if it was lost."""
    found = _findings.get(name) or examine(name)
    if not found.lost:
        _findings[name] = found
    return found


def survey() -> list[Finding]:
    """All backends in the order in which `auto` tries them."""
    return [_finding(name) for name in _MAKERS]


def make_sandbox(name: str = "auto", workers: int | None = None) -> SandboxPool:
    """A sandbox, with one worker per processor by default; the caller closes it.

    Raises ExecutionError if the backend (for "auto": every backend) fails its self-check on this machine; LostError if
    a self-check was ended from outside every time.
    """
    if name not in BACKENDS:
        raise ExecutionError(f"there is no sandbox {name!r}: use one of {', '.join(BACKENDS)}.")
    tried: list[Finding] = []
    for candidate in _MAKERS if name == "auto" else (name,):
        tried.append(_finding(candidate))
        if tried[-1].usable:
            return SandboxPool(_MAKERS[candidate](), workers)
    reasons = "; ".join(f"{finding.backend}: {finding.reason.rstrip('.')}" for finding in tried)
    if any(finding.lost for finding in tried):
        raise LostError(
            f"the sandbox's self-check was ended from outside, so nothing was executed ({reasons}): "
            "free memory, and run the command again."
        )
    raise ExecutionError(
        f"no sandbox can protect this machine, so nothing was executed ({reasons}): "
        "use Linux with a recent kernel, or install antemill[wasm]."
    )
