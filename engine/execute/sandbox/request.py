"""A stage's request, in the form that is sent to a helper. Standard library only, since the helper imports it too."""

import struct
from dataclasses import dataclass

# The end of a stage: with a message, too late, without a message, or lost without the code's fault.
ANSWERED, SLOW, DEAD, LOST = b"A", b"S", b"D", b"L"
READY, DENIED = b"ready", b"denied"  # the greeting of a helper
SLACK = 1 << 16  # bytes of a message besides the value or the output
_HEAD = struct.Struct("<16s5Id3Q")


@dataclass(frozen=True)
class Request:
    """A stage's name, its two texts, and its limits: seconds, and bytes of memory, output and value.

    answers: the bytes that mean false and true in its message (see `inside.stages`); empty for a stage without such an
    answer.
    """

    stage: str
    first: bytes
    second: bytes
    seconds: float
    memory: int
    output: int
    value: int
    answers: list[bytes]

    @property
    def longest(self) -> int:
        """The most bytes of its message."""
        return SLACK + max(self.output, self.value)

    def fields(self) -> list[bytes]:
        numbers = (repr(self.seconds), str(self.memory), str(self.output), str(self.value))
        return [self.stage.encode(), self.first, self.second, *(number.encode() for number in numbers), *self.answers]

    @classmethod
    def of(cls, fields: list[bytes]) -> "Request":
        stage, first, second, seconds, memory, output, value, *answers = fields
        return cls(stage.decode(), first, second, float(seconds), int(memory), int(output), int(value), answers)

    @property
    def texts(self) -> list[bytes]:
        """The secret parts."""
        return [self.first, self.second, *self.answers]

    def head(self) -> bytes:
        """The other parts, lengths and limits, which the fork server may know."""
        sizes = [len(text) for text in self.texts]
        padded = [*sizes, 0, 0][:4]
        numbers = (self.seconds, self.memory, self.output, self.value)
        return _HEAD.pack(self.stage.encode(), len(sizes), *padded, *numbers)


@dataclass(frozen=True)
class Head:
    """A request without its texts: `sizes` are their lengths."""

    stage: str
    sizes: tuple[int, ...]
    seconds: float
    memory: int
    output: int
    value: int

    SIZE = _HEAD.size

    @classmethod
    def of(cls, data: bytes) -> "Head":
        stage, count, *rest = _HEAD.unpack(data)
        return cls(stage.rstrip(b"\0").decode(), tuple(rest[:count]), *rest[4:])
