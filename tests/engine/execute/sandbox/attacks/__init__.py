"""Hostile programs. Each is a puzzle whose `mystery` returns True if the attack got somewhere.

    host       to the machine: files, sockets, processes, system calls
    verdict    to the verdict: to be true without the puzzle's word, or against it
    resources  to the time, the memory and the output
    state      to the next check

CANARY in a program is replaced by a folder with a file `secret`, PORT by the port of a listening socket.
"""

from tests.engine.execute.sandbox.attacks.attack import Attack
from tests.engine.execute.sandbox.attacks.host import HOST
from tests.engine.execute.sandbox.attacks.resources import RESOURCES
from tests.engine.execute.sandbox.attacks.state import STATE
from tests.engine.execute.sandbox.attacks.verdict import VERDICT

ATTACKS: dict[str, Attack] = {**HOST, **VERDICT, **RESOURCES, **STATE}

__all__ = ["ATTACKS", "Attack"]
