"""How a forked process gives up its rights (Linux): resource limits, an unprivileged user, Landlock, seccomp.

The system-call filter lists the allowed calls. All others fail with EPERM, and foreign calling conventions kill the
process. It allows memory without execution, reading and writing open files, waiting, and ending. It denies opening,
connecting, forking, executing, signals, time and random numbers. The ids of process, thread and user are reported as 0.
Landlock denies files and sockets a second time, if the kernel has it. Standard library only, no root.
"""

import contextlib
import ctypes
import errno
import os
import platform
import resource
import signal
import struct

from antemill.engine.execute.sandbox.vdso import Vdso

MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7), "arm64": (1, 0xC00000B7)}  # column, AUDIT_ARCH

# name: (x86-64, arm64)
_ALLOWED = {
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "lseek": (8, 62),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sched_yield": (24, 124),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "exit": (60, 93),
    "sigaltstack": (131, 132),
    "futex": (202, 98),
    "restart_syscall": (219, 128),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "exit_group": (231, 94),
    "rseq": (334, 293),
}
_CLOCKS = {"gettimeofday": (96, 169), "clock_gettime": (228, 113)}  # for a process that runs our code
_WITHOUT_EXECUTION = {"mmap": (9, 222), "mprotect": (10, 226)}  # unless the third argument asks for PROT_EXEC
_ZERO = {
    "getpid": (39, 172),
    "getuid": (102, 174),
    "getgid": (104, 176),
    "geteuid": (107, 175),
    "getegid": (108, 177),
    "getppid": (110, 173),
    "gettid": (186, 178),
}

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # BPF instructions
_KILL, _ERRNO, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000  # their return values
_NUMBER, _ARCH, _PROT = 0, 4, 32  # offsets in struct seccomp_data; the low half of the third argument
_X32 = 0x40000000
_PROT_EXEC = 4

_SET_PDEATHSIG, _SET_DUMPABLE, _SET_NO_NEW_PRIVS = 1, 4, 38  # prctl
_OPTIONS = {1: "PR_SET_PDEATHSIG", 4: "PR_SET_DUMPABLE", 38: "PR_SET_NO_NEW_PRIVS"}
_SECCOMP = (317, 277)
_LANDLOCK_CREATE, _LANDLOCK_RESTRICT = 444, 446
_NOBODY = (65534,) * 3
STACK = 8 << 20  # bytes, on every machine, so that the depth of a recursion does not depend on its settings
_NOTHING_OF = ("CORE", "FSIZE", "MEMLOCK", "MSGQUEUE", "NPROC")  # resource limits; some systems lack some of them


def filter_program(machine: str, clocks: bool = False) -> bytes:
    """The seccomp filter as BPF, with the `clocks` or without. Raises KeyError for an unknown machine."""
    column, arch = MACHINES[machine]
    code: list[tuple[int, int, int, int]] = [(_LOAD, 0, 0, _ARCH), (_EQUAL, 1, 0, arch), (_RETURN, 0, 0, _KILL)]
    code.append((_LOAD, 0, 0, _NUMBER))
    if column == 0:
        code += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _KILL)]
    for numbers in [*_ALLOWED.values(), *(_CLOCKS.values() if clocks else ())]:
        code += [(_EQUAL, 0, 1, numbers[column]), (_RETURN, 0, 0, _ALLOW)]
    for numbers in _ZERO.values():
        code += [(_EQUAL, 0, 1, numbers[column]), (_RETURN, 0, 0, _ERRNO)]
    for numbers in _WITHOUT_EXECUTION.values():
        code += [
            (_EQUAL, 0, 4, numbers[column]),
            (_LOAD, 0, 0, _PROT),
            (_ANY_BIT, 0, 1, _PROT_EXEC),
            (_RETURN, 0, 0, _ERRNO | errno.EPERM),
            (_RETURN, 0, 0, _ALLOW),
        ]
    code.append((_RETURN, 0, 0, _ERRNO | errno.EPERM))
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code)


def _denied(call: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"the kernel denies {call} ({os.strerror(number)})")


def _limit(name: str, soft: int, hard: int | None = None) -> None:
    try:
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (soft, soft if hard is None else hard))
    except (OSError, ValueError) as error:
        raise OSError(errno.EPERM, f"the kernel denies setrlimit(RLIMIT_{name}) ({error})") from error


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


class Confinement:
    """Prepared before the fork, entered after it."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._column, _ = MACHINES[platform.machine()]
        self._vdso = Vdso(self._column)
        programs = [filter_program(platform.machine(), ours) for ours in (False, True)]
        self._code = [ctypes.create_string_buffer(code, len(code)) for code in programs]
        self._programs = [_Program(len(code) // 8, ctypes.addressof(code)) for code in self._code]

    def enter(self, space: int | None, seconds: int | None, parent: int | None = None, ours: bool = False) -> None:
        """Give up all rights except `space` bytes of address space and `seconds` of processor time (None: no limit).

        ours: whether the process runs our code; then it keeps its clock and may have threads, which the filter covers
        as well. Any other process must have no threads. The process dies with its parent, immediately if its parent is
        not `parent`.

        Raises OSError, which names the call, if the kernel refuses a step on which protection depends. The caller must
        then end the process.
        """
        for name in _NOTHING_OF:
            _limit(name, 0)
        _, hard = resource.getrlimit(resource.RLIMIT_STACK)
        _limit("STACK", STACK if hard == resource.RLIM_INFINITY else min(STACK, hard))
        if seconds is not None:
            _limit("CPU", seconds, seconds + 1)
        if space is not None:
            _limit("AS", space)
        if os.geteuid() == 0:
            # A user namespace may have only the user root; the filter does not depend on this step.
            for change, others in ((os.setgroups, ([],)), (os.setresgid, _NOBODY), (os.setresuid, _NOBODY)):
                with contextlib.suppress(OSError):
                    change(*others)
        self._control(_SET_PDEATHSIG, signal.SIGKILL)
        if parent is not None and os.getppid() != parent:
            raise OSError(errno.ESRCH, "the parent process is gone")
        self._control(_SET_DUMPABLE, 0)
        self._control(_SET_NO_NEW_PRIVS, 1)
        self._landlock()
        _limit("NOFILE", 0)
        if not ours:
            self._vdso.freeze()
        if self._libc.syscall(_SECCOMP[self._column], 1, int(ours), ctypes.byref(self._programs[ours])):
            raise _denied("seccomp(SECCOMP_SET_MODE_FILTER)")

    def _control(self, option: int, *arguments: object) -> None:
        padded = [*arguments, 0, 0, 0, 0][:4]
        if self._libc.prctl(option, *(ctypes.c_ulong(a) if isinstance(a, int) else a for a in padded)):
            raise _denied(f"prctl({_OPTIONS[option]})")

    def _landlock(self) -> int:
        """Deny all access to files, to TCP and to other processes' sockets. Returns the version of Landlock, 0 if none.

        Without Landlock the filter alone denies all of this.
        """
        version = int(self._libc.syscall(_LANDLOCK_CREATE, None, 0, 1))
        if version < 1:
            return 0
        rights = (1 << (13 if version == 1 else 14 if version == 2 else 15 if version < 5 else 16)) - 1
        rules = struct.pack("QQQ", rights, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
        size = 8 if version < 4 else 16 if version < 6 else 24
        ruleset = self._libc.syscall(_LANDLOCK_CREATE, rules, size, 0)
        if ruleset < 0 or self._libc.syscall(_LANDLOCK_RESTRICT, ruleset, 0):
            raise _denied("landlock_restrict_self")
        os.close(ruleset)
        return version
