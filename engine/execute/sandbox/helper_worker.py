"""A worker made of helper processes: one per hash seed, started at the first call and again after a loss."""

import secrets
import threading
from collections.abc import Callable

from antemill.engine.execute.sandbox import wire
from antemill.engine.execute.sandbox.contract import CheckLimits, LostError, Reply
from antemill.engine.execute.sandbox.helper import Helper, StartLostError
from antemill.engine.execute.sandbox.request import ANSWERED, DEAD, LOST, SLOW, Request

PATIENCE = 10.0  # seconds after a stage's own limit until its helper counts as lost
ANSWERING = ("literal", "judge", "build", "isolated")  # the stages that end with true or false
SECRET = 16  # bytes
TRIES = 2  # of a stage whose helper is lost, and of starting a helper


class HelperWorker:
    """A `Worker` of two helpers, one per hash seed. start: makes the helper for a seed; `call` passes on its errors."""

    def __init__(self, start: Callable[[int], Helper]) -> None:
        self._start = start
        self._lock = threading.Lock()  # guards the two below
        self._helpers: dict[int, Helper] = {}
        self._kills = 0
        self.python = ""

    def call(self, stage: str, first: bytes, second: bytes, limits: CheckLimits, seconds: float, seed: int) -> Reply:
        answers = [secrets.token_bytes(SECRET), secrets.token_bytes(SECRET)] if stage in ANSWERING else []
        request = Request(
            stage, first, second, seconds, limits.memory_mb << 20, limits.output_bytes, limits.value_bytes, answers
        )
        kills, reason = self._kills, ""
        for _ in range(TRIES):
            helper = self._helper(seed)
            if self._kills != kills:
                break
            try:
                how, message, took = helper.call(request, seconds + PATIENCE)
                if how != LOST:
                    return _reply(how, message, answers, float(took))
                reason = message.decode(errors="replace")
            except (wire.WireError, ValueError) as error:
                reason = f"its helper process is lost: {self._drop(seed) or error}"
            if self._kills != kills:
                break
        else:
            raise LostError(f"a check could not be judged, {TRIES} times: {reason}.")
        return Reply("D", b"its helper process is gone", 0.0)

    def _helper(self, seed: int) -> Helper:
        with self._lock:
            found = self._helpers.get(seed)
        if found is not None and found.alive():
            return found
        self._drop(seed)
        started = self._started(seed)
        with self._lock:
            self._helpers[seed] = started
        self.python = started.python
        return started

    def _started(self, seed: int) -> Helper:
        """A new helper. Raises LostError if it is lost while it starts, every time."""
        for left in reversed(range(TRIES)):
            try:
                return self._start(seed)
            except StartLostError as error:
                if not left:
                    raise LostError(f"a check could not be judged: {str(error).rstrip('.')}, {TRIES} times.") from error
        raise AssertionError(TRIES)

    def _drop(self, seed: int) -> str:
        """Release a helper; returns how it had ended, if there was one."""
        with self._lock:
            gone = self._helpers.pop(seed, None)
        return gone.end() if gone is not None else ""

    def pids(self) -> list[int]:
        """The process ids of the helpers."""
        with self._lock:
            return [helper.pid for helper in self._helpers.values()]

    def kill(self) -> None:
        with self._lock:
            self._kills += 1
            for helper in self._helpers.values():
                helper.kill()

    def close(self) -> None:
        for seed in list(self._helpers):
            self._drop(seed)


def _reply(how: bytes, message: bytes, answers: list[bytes], took: float) -> Reply:
    """A helper's message as a reply. Only a stage that was given the answers can say true or false."""
    if how == SLOW:
        return Reply("S", b"", took)
    if how == DEAD:
        return Reply("D", message, took)
    if how != ANSWERED:
        raise ValueError(how)
    if message in answers:
        return Reply("FT"[answers.index(message)], b"", took)
    letter = message[:1].decode("ascii", "replace")
    return Reply(letter if letter not in ("T", "F", "S") else "D", message[1:], took)
