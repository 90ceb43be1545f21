"""What is called when a kernel runs as Python because its machine code is missing. Imports nothing of ours."""

from collections.abc import Callable

Wanted = Callable[[str, str, tuple[object, ...]], None]

_on_wanted: list[Wanted] = []


def on_wanted(call: Wanted) -> None:
    """Register what is called once in a process for each such kernel, with its module, name and argument types."""
    _on_wanted.append(call)


def wanted(module: str, name: str, signature: tuple[object, ...]) -> None:
    """Make the registered calls."""
    for call in _on_wanted:
        call(module, name, signature)
