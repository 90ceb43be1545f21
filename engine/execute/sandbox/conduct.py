"""The stages of a check, on every backend. To this code the results of judged code are bytes, never instructions."""

import re
from dataclasses import replace

from antemill.engine.execute.sandbox.contract import (
    Check,
    CheckLimits,
    OutputCheck,
    PuzzleCheck,
    Reply,
    Verdict,
    VerdictName,
    Worker,
)
from antemill.engine.execute.sandbox.inside.determinism.set_order import ARRANGEMENTS
from antemill.engine.execute.sandbox.inside.stages import ELSEWHERE, joined, parted

_VERDICTS: dict[str, VerdictName] = {"T": "true", "F": "false", "E": "error", "R": "refused", "S": "timeout"}
_MAY_SAY = {  # and S and D
    **{"literal": "TFNE", "evaluate": "VBIE", "judge": "TFE", "build": "TFER", "isolated": "TFER"},
    "run": "OUER",
}
# A text with a call, a lambda or a comprehension is not a literal, so the stage is skipped. A wrong guess does no harm.
_NO_LITERAL = re.compile(rb"[\w)\]]\s*\(|\blambda\b|\bfor\b")
SLOWER = 4.0  # factor on the time limit for runs with sets of our own
_DIFFERENT = (
    "two runs print different things: its output depends on a hash seed, an address, the time zone, the width of the "
    "terminal, the locale, the script's name or other things that differ between machines"
)
_FAILS_THERE = "one run ends and another, as on another machine, fails: "
_WIDE = (
    "its output depends on the order of a set of large numbers, fractions or tuples: this follows hashes of 64 bits, "
    "and this backend has 32"
)
_AT_THE_END = (
    "in which order its objects are released at its end, and print, differs between installations of Python: let the "
    "program end them itself"
)
SEEDS = (0, 1)  # hash seeds of a program's two runs; puzzles use the first


def conduct(worker: Worker, check: Check, backend: str) -> Verdict:
    """Perform a check. Raises LostError if it could not be judged."""
    try:
        parts = (check.code, check.solution) if isinstance(check, PuzzleCheck) else (check.code,)
        texts = [text.encode() for text in parts]
    except UnicodeEncodeError:
        return Verdict("error", "the text contains half of a surrogate pair, which is no character", 0.0, backend)
    if any(len(text) > check.limits.text_bytes for text in texts):
        return Verdict("refused", f"a text is longer than {check.limits.text_bytes} bytes", 0.0, backend)
    if isinstance(check, PuzzleCheck):
        verdict = _puzzle(worker, texts[0], texts[1], check.limits, backend)
    else:
        verdict = _output(worker, texts[0], check, backend)
    return replace(verdict, python=worker.python)


def _puzzle(worker: Worker, code: bytes, solution: bytes, limits: CheckLimits, backend: str) -> Verdict:
    """Judge a puzzle: a literal directly, another value in two interpreters, of which the first computes it.

    A value that cannot be sent between interpreters is built from the puzzle's own objects, or computed in isolation. A
    solution's code runs without restrictions in the stage `evaluate`, so it may forge that stage's message. This gains
    nothing: each later stage is safe for any input.
    """
    seconds = 0.0

    def say(stage: str, second: bytes) -> Reply:
        nonlocal seconds
        reply = _said(worker, stage, code, second, limits, max(0.0, limits.seconds - seconds))
        seconds += reply.seconds
        return reply

    reply = Reply("N", b"", 0.0) if _NO_LITERAL.search(solution) else say("literal", solution)
    if reply.letter == "N":
        reply = say("evaluate", solution)
    if reply.letter == "V":
        reply = say("judge", reply.data)
    elif reply.letter == "B":
        reply = say("build", solution)
    elif reply.letter == "I":
        reply = say("isolated", joined(solution, reply.data))
    return _verdict(reply, seconds, limits, backend)


def _said(
    worker: Worker, stage: str, first: bytes, second: bytes, limits: CheckLimits, left: float, seed: int = SEEDS[0]
) -> Reply:
    """A stage's reply. A letter that the stage cannot give counts as no answer."""
    reply = worker.call(stage, first, second, limits, left, seed)
    if reply.letter in _MAY_SAY[stage] or reply.letter in "SD":
        return reply
    return Reply("D", b"its process left no answer", reply.seconds)


def _output(worker: Worker, code: bytes, check: OutputCheck, backend: str) -> Verdict:
    """Run a program twice, as on two machines (`inside.world.machines`), the second time only if it has an output.

    If the order of the program's sets could matter, three more runs with other orders must agree with each other.
    """
    limits, seconds = check.limits, 0.0

    def run(how: str, seed: int, patience: float = 1.0) -> Reply:
        nonlocal seconds
        reply = _said(worker, "run", code, how.encode(), limits, patience * limits.seconds, seed)
        seconds += reply.seconds
        return reply

    first, second = run("", SEEDS[0]), None
    if first.letter in "OU":
        second = run(ELSEWHERE, SEEDS[1])
    if second is not None and second.letter == "E" and "MemoryError" not in second.text:
        return Verdict("false", _FAILS_THERE + second.text, seconds, backend)
    if second is None or second.letter != "O":
        return _verdict(second or first, seconds, limits, backend)
    (before, after), (before_too, after_too) = parted(first.data), parted(second.data)
    if before != before_too:
        return Verdict("false", _DIFFERENT, seconds, backend)
    if after != after_too:
        return Verdict("refused", _AT_THE_END, seconds, backend)
    if first.letter == "U":
        arranged = [run(how, SEEDS[1], SLOWER) for how in ARRANGEMENTS]
        if any(reply.letter == "S" for reply in arranged):
            return Verdict("timeout", "not finished in time with its sets in another order", seconds, backend)
        if len({(reply.letter in "OU", reply.data) for reply in arranged}) > 1:
            if any(reply.letter == "U" for reply in arranged):
                return Verdict("refused", _WIDE, seconds, backend)
            return Verdict("false", "its output depends on the order of a set", seconds, backend)
        if arranged[0].letter not in "OU":
            reason = f"whether its output depends on the order of sets cannot be checked ({arranged[0].text})"
            return Verdict("refused", reason, seconds, backend)
    try:
        stdout = (before + after).decode()
    except UnicodeDecodeError:
        return Verdict("error", "what it prints is not text in UTF-8", seconds, backend)
    matches = None if check.stdout is None else _bare(stdout) == _bare(check.stdout)
    return Verdict("true", "", seconds, backend, stdout=stdout, matches=matches)


def _bare(text: str) -> str:
    """The text without one newline at its end (S3)."""
    return text.removesuffix("\n")


def _verdict(reply: Reply, seconds: float, limits: CheckLimits, backend: str) -> Verdict:
    name = _VERDICTS.get(reply.letter, "error")
    detail = reply.text
    if reply.letter == "S":
        detail = f"not finished within {limits.seconds:g} seconds"
    elif reply.letter == "E" and "MemoryError" in detail:
        detail = f"{detail.rstrip(': ')} (the limit is {limits.memory_mb} MiB)"
    return Verdict(name, detail, seconds, backend)
