"""Whose code asks the guard: the program's, the library's or ours (S3)."""

from types import CodeType

PROGRAMS = ("<program>", "<elsewhere>")  # a program's file in tracebacks and warnings, in its two runs
EXECUTED = "<executed>"  # the file of text that it executes
PROGRAM = (*PROGRAMS, EXECUTED)
_COPIED = {  # names that the library keeps in variables, and asks for
    *("__module__", "__name__", "__qualname__", "__doc__", "__annotations__", "__annotate__", "__type_params__"),
    *("__dataclass_fields__", "__dataclass_params__", "__post_init__"),
}


def is_ours(code: CodeType) -> bool:
    """Whether it is code of the guard's."""
    return code.co_filename.startswith(_OURS)


_OURS = is_ours.__code__.co_filename.rpartition("determinism")[0]


def is_given(code: CodeType, name: str) -> bool:
    """Whether the program chose a name that this code asks for. Names in the library's code are the library's."""
    if code.co_filename in PROGRAM:
        return True
    if is_ours(code) or name in _COPIED:
        return False
    return not any(name == one or (type(one) is tuple and name in one) for one in code.co_consts)
