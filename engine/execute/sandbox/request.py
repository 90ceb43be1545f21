"""One stage as it travels to a helper process. Standard library only: the far side imports it, too."""

from dataclasses import dataclass

ANSWERED, SLOW, DEAD = b"A", b"S", b"D"  # how a stage ended: with a message, too late, without one
SLACK = 1 << 16  # bytes of a message beside the value or the output


@dataclass(frozen=True)
class Request:
    """A stage's name and its two texts; seconds, and bytes of memory, of output and of a value that it may use; what
    stands for false and for true in its message (see `inside.stages`), nothing if that is not for the stage to say."""

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
        """How many bytes its message may have."""
        return SLACK + max(self.output, self.value)

    def fields(self) -> list[bytes]:
        numbers = (repr(self.seconds), str(self.memory), str(self.output), str(self.value))
        return [self.stage.encode(), self.first, self.second, *(number.encode() for number in numbers), *self.answers]

    @classmethod
    def of(cls, fields: list[bytes]) -> "Request":
        stage, first, second, seconds, memory, output, value, *answers = fields
        return cls(stage.decode(), first, second, float(seconds), int(memory), int(output), int(value), answers)
