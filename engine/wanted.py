"""Functions that are called when a kernel runs as Python for lack of machine code. Imports none of our modules."""

from collections.abc import Callable

Wanted = Callable[[str, str, tuple[object, ...]], None]

_on_wanted: list[Wanted] = []


def on_wanted(call: Wanted) -> None:
    """Register a function that is called once in a process for each such kernel.

    call: takes the kernel's module, its name and its argument types.
    """
    _on_wanted.append(call)


def wanted(module: str, name: str, signature: tuple[object, ...]) -> None:
    """Call the registered functions."""
    for call in _on_wanted:
        call(module, name, signature)
