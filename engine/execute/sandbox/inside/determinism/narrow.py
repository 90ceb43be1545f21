"""Where this interpreter has 32 bits: errors that 64 bits and other C libraries do not raise, or word otherwise (S3).

A program may catch such an error, so each is noticed where it is raised in the program.
"""

import re
import sys
from collections.abc import Callable, Collection
from types import CodeType

_LIMITS = re.compile(
    r"ssize_t|C size_t|C (?:unsigned )?long\b|index-sized|sys\.maxsize|(?:is|are) too long|too many digits|"
    r"should not exceed|valid range for|'decimal\.InvalidOperation'"
)
_WORDS = (34, "Numerical result out of range")  # what Linux says where this C library says something else
_KINDS = (ArithmeticError, IndexError, MemoryError, ValueError)
_TOOL = 4  # of those that Python leaves to its users
_WIDTH = 32  # bits
# Taken before `blinding` hides the module. None where nothing is to be noticed.
_monitoring = sys.monitoring if sys.hash_info.width == _WIDTH else None  # type: ignore[attr-defined]
_functions = _monitoring and (_monitoring.use_tool_id, _monitoring.register_callback, _monitoring.set_events)
_event = _monitoring and _monitoring.events.RAISE


def watch(note: Callable[[str], None], files: Collection[str]) -> None:
    """Call `note` when code of these files raises such an error, in this interpreter and for good."""
    if not _functions:
        return
    use, register, listen = _functions

    def raised(code: CodeType, _: int, error: BaseException) -> None:
        if type(error) is OverflowError and "not representable" in str(error):
            error.args = _WORDS
        elif isinstance(error, _KINDS) and code.co_filename in files and _LIMITS.search(BaseException.__str__(error)):
            note("it reaches a limit of 32 bits, and its output would be another one on 64 bits")

    use(_TOOL, "narrow")
    register(_TOOL, _event, raised)
    listen(_TOOL, _event)
