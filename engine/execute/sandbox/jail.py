"""What a run may do besides what `confine` allows: threads, files in its scratch folder, pipes of its own (Linux).

The filter is the one of `confine` with the calls below before its list. They name files, so the kernel must keep a run
inside of its folder: by Landlock, by a new root directory where this process may change it (the user root of a
container), or by both. Without either there is no jail. What shows the machine's clock, chance, numbers or files, or
waits by its clock, is trapped, and answered by `given.c`. Standard library only.
"""

import contextlib
import ctypes
import errno
import os
import platform
import resource
import signal
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from antemill.engine.execute.sandbox import confine
from antemill.engine.execute.sandbox.confine import Confinement
from antemill.engine.execute.sandbox.vdso import own_state

OPEN_FILES = 40
KEPT = 256  # the lowest number of descriptors that a run takes over from its server
USER = 65534  # who a run is, if this process is root

Numbers = dict[str, tuple[int | None, int | None]]  # by name: x86-64, arm64; None where there is no such call
# Without a path they reach what the run has opened; with one, what Landlock and the new root leave: its folder.
FILES: Numbers = {
    **{"getcwd": (79, 17), "chdir": (80, 49), "readlink": (89, None), "readlinkat": (267, 78), "mkdir": (83, None)},
    **{"mkdirat": (258, 34), "rmdir": (84, None), "rename": (82, None), "renameat": (264, 38), "renameat2": (316, 276)},
    **{"ftruncate": (77, 46), "pread64": (17, 67), "pwrite64": (18, 68), "fsync": (74, 82), "msync": (26, 227)},
    **{"fdatasync": (75, 83), "readv": (19, 65), "writev": (20, 66)},
    # The mode of a run's own files, which only the run and its server read.
    **{"fchmod": (91, 52), "umask": (95, 166)},
    # Copies of descriptors, pipes, and waiting for them: they end with the run, and lead nowhere else.
    **{"dup": (32, 23), "dup2": (33, None), "dup3": (292, 24), "pipe": (22, None), "pipe2": (293, 59)},
    **{"epoll_create1": (291, 20), "epoll_ctl": (233, 21), "recvfrom": (45, 207), "shutdown": (48, 210)},
}
# Answered by `given.c`.
TRAPPED: Numbers = {
    **{"open": (2, None), "openat": (257, 56), "stat": (4, None), "lstat": (6, None), "fstat": (5, 80)},
    **{"newfstatat": (262, 79), "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439)},
    **{"link": (86, None), "linkat": (265, 37), "unlink": (87, None), "unlinkat": (263, 35), "utimensat": (280, 88)},
    **{"chmod": (90, None), "fchmodat": (268, 53), "truncate": (76, 45)},  # Landlock leaves these to any path
    **{"getdents64": (217, 61), "nanosleep": (35, 101), "clock_nanosleep": (230, 115), "poll": (7, None)},
    **{"ppoll": (271, 73), "select": (23, None), "pselect6": (270, 72), "epoll_wait": (232, None)},
    **{"epoll_pwait": (281, 22), "clock_gettime": (228, 113), "gettimeofday": (96, 169), "time": (201, None)},
    **{"getrandom": (318, 278), "getrusage": (98, 165), "times": (100, 153), "rt_sigprocmask": (14, 135)},
    **confine._ZERO,  # numbers
}
# What `given.c` itself calls: none shows the kernel's clock, or compares with it.
OURS = ["openat", "fstat", "newfstatat", "faccessat", "linkat", "unlinkat", "getdents64", "ppoll", "pselect6"]
OURS += ["epoll_pwait", "gettid"]
# The files of the library are shared by all runs. What would leave a trace there is denied from `KEPT` on.
TRACES: Numbers = {
    **{"read": (0, 63), "readv": (19, 65), "lseek": (8, 62), "fchmod": (91, 52), "fcntl": (72, 25), "ioctl": (16, 29)},
    **{"dup": (32, 23), "dup2": (33, None), "dup3": (292, 24), "utimensat": (280, 88)},
}
_TRAP, _ALLOW, _DONE, _EPERM = 0x00030000, confine._ALLOW, confine._ERRNO, confine._ERRNO | errno.EPERM
_OTHER = -1
_WAITS = dict.fromkeys((0, 128, 9, 137, 265, 393), _TRAP)  # operations of a futex, with a limit of time or without
_WAKES = dict.fromkeys((1, 3, 4, 5, 10, 129, 131, 132, 133, 138), _ALLOW)
# name: (x86-64, arm64), the number of an argument of 32 bits, and what becomes of its values
Answers = dict[str, tuple[tuple[int, int], int, dict[int, int]]]
CHECKED: Answers = {
    "clone": ((56, 220), 0, dict.fromkeys((0x3D0F00, 0x7D0F00), _ALLOW)),  # a thread, as glibc and musl begin one
    "ioctl": ((16, 29), 1, dict.fromkeys((0x5450, 0x5451, 0x5421), _ALLOW)),  # what outlives an exec; what blocks
    # Flags of descriptors, and a copy. No other process has this run's files: it always gets the lock of a file.
    "fcntl": ((72, 25), 1, {**dict.fromkeys((1, 2, 3, 4, 1030), _ALLOW), 5: _TRAP, 6: _DONE, 7: _DONE}),
    "socketpair": ((53, 199), 0, {1: _ALLOW}),  # two ends inside of the run
    "sendto": ((44, 206), 5, {0: _ALLOW}),  # to the other end: the length of an address
    "rt_sigaction": ((13, 134), 0, {31: _DONE, _OTHER: _ALLOW}),  # SIGSYS is ours
    "futex": ((202, 98), 1, _WAITS | _WAKES),
}
# With the address of `given.c`: waits that last so long, not until then.
GATED: Answers = {
    "clock_nanosleep": ((230, 115), 1, {0: _ALLOW}),
    "futex": ((202, 98), 1, {0: _ALLOW, 128: _ALLOW}),
}
# Their flags are in memory, where no filter sees them: "no such call" makes libc use clone. Files have no attributes.
REFUSED: dict[str, tuple[tuple[int, int], int]] = {
    "clone3": ((435, 435), errno.ENOSYS),
    "statx": ((332, 291), errno.ENOSYS),
    "epoll_pwait2": ((441, 441), errno.ENOSYS),
    **{"listxattr": ((194, 11), errno.ENOTSUP), "llistxattr": ((195, 12), errno.ENOTSUP)},
    **{"flistxattr": ((196, 13), errno.ENOTSUP), "getxattr": ((191, 8), errno.ENOTSUP)},
}
_ADDRESS, _ARGUMENTS = 8, 16  # offsets in struct seccomp_data
_NOTHING_OF = ("CORE", "MEMLOCK", "MSGQUEUE")
_ADD_RULE, _BENEATH, _SET_TSC = 445, 1, 26
# write, read, list, remove a folder or a file, make a folder or a file; move between folders (2); cut off (3)
_RIGHTS = sum(1 << bit for bit in (1, 2, 3, 4, 5, 7, 8))
_load, _equal, _answer = confine._LOAD, confine._EQUAL, confine._RETURN
Code = list[tuple[int, int, int, int]]


def jail_program(machine: str, gate: int) -> bytes:
    """The seccomp filter as BPF; `gate` is where calls of `given.c` return to. Raises KeyError for other machines."""
    column, _ = confine.MACHINES[machine]

    def plain(numbers: tuple[int | None, ...], action: int) -> Code:
        number = numbers[column]
        return [] if number is None else [(_equal, 0, 1, number), (_answer, 0, 0, action)]

    def checked(answers: Answers) -> Iterator[tuple[int, int, int, int]]:
        for numbers, place, values in answers.values():
            inner: Code = [(_load, 0, 0, _ARGUMENTS + 8 * place)]
            for value, action in values.items():
                if value != _OTHER:
                    inner += [(_equal, 0, 1, value), (_answer, 0, 0, action)]
            inner.append((_answer, 0, 0, values.get(_OTHER, _EPERM)))
            yield from [(_equal, 0, len(inner), numbers[column]), *inner]

    ours: Code = [step for name in OURS for step in plain(TRAPPED[name], _ALLOW)]
    ours += checked(GATED)
    # Dates of an open file only: Landlock leaves those to any path.
    ours += [(_equal, 0, 6, (280, 88)[column]), (_load, 0, 0, _ARGUMENTS + 8), (_equal, 0, 3, 0)]
    ours += [(_load, 0, 0, _ARGUMENTS + 12), (_equal, 0, 1, 0), (_answer, 0, 0, _ALLOW), (_answer, 0, 0, _EPERM)]
    code: Code = []
    for numbers in TRACES.values():
        if (number := numbers[column]) is not None:
            code += [(_equal, 0, 5, number), (_load, 0, 0, _ARGUMENTS), (confine._AT_LEAST, 0, 2, KEPT)]
            code += [(confine._AT_LEAST, 1, 0, 1 << 31), (_answer, 0, 0, _EPERM), (_load, 0, 0, confine._NUMBER)]
    code += [(_load, 0, 0, _ADDRESS), (_equal, 0, len(ours) + 3, gate & 0xFFFFFFFF), (_load, 0, 0, _ADDRESS + 4)]
    code += [(_equal, 0, len(ours) + 1, gate >> 32), (_load, 0, 0, confine._NUMBER), *ours]
    code += [(_load, 0, 0, confine._NUMBER), *checked(CHECKED)]
    for table, action in ((TRAPPED, _TRAP), (FILES, _ALLOW)):
        code += [step for numbers in table.values() for step in plain(numbers, action)]
    code += [step for numbers, number in REFUSED.values() for step in plain(numbers, _DONE | number)]
    rest = confine.filter_program(machine)
    head = 8 * (6 if column == 0 else 4)  # the processor's kind
    return rest[:head] + b"".join(struct.pack("HBBI", *instruction) for instruction in code) + rest[head:]


@dataclass(frozen=True)
class Bounds:
    """What a run may use. space: bytes of memory in addition to the server's; file: bytes of one file."""

    space: int
    seconds: int
    file: int


class Jail(Confinement):
    """Prepared before the fork, entered after it."""

    def __init__(self) -> None:
        super().__init__()
        self.given = self._vdso.given
        filter_ = jail_program(platform.machine(), self._vdso.places["gate"])
        self._filter = ctypes.create_string_buffer(filter_, len(filter_))
        self._program = confine._Program(len(filter_) // 8, ctypes.addressof(self._filter))
        self.given.low, self.given.high = own_state()
        self.given.holds = ctypes.cast(ctypes.pythonapi.PyGILState_Check, ctypes.c_void_p).value or 0
        self.given.null = OPEN_FILES - 1
        self._landlock_version = max(0, int(self._libc.syscall(confine._LANDLOCK_CREATE, None, 0, 1)))
        self._root = os.geteuid() == 0
        if not self._landlock_version and not self._root:
            raise OSError(errno.ENOTSUP, "the kernel has no Landlock (Linux 5.13), and only root can do without it")

    def shut(self, bounds: Bounds, parent: int, folder: str, home: str) -> str:
        """Give up all rights but those above, in `home`, a folder in `folder`. Returns the path of home from inside.

        Raises OSError, which names the call, if the kernel refuses a step on which protection depends. The caller must
        then end the process.
        """
        for name in _NOTHING_OF:
            confine._limit(name, 0)
        _, hard = resource.getrlimit(resource.RLIMIT_STACK)
        confine._limit("STACK", confine.STACK if hard == resource.RLIM_INFINITY else min(confine.STACK, hard))
        confine._limit("CPU", bounds.seconds, bounds.seconds + 1)
        confine._limit("FSIZE", bounds.file)
        confine._limit("AS", bounds.space)
        inside = os.path.join(folder, home)
        null = os.open(os.devnull, os.O_RDWR)  # of this run alone: its flags would be a trace
        beneath = os.open(inside, os.O_PATH | os.O_DIRECTORY) if self._landlock_version else -1
        if self._root:
            try:
                os.chroot(folder)
                inside = f"/{home}"
            except OSError as error:
                if not self._landlock_version:
                    raise OSError(error.errno, "the kernel denies chroot, and has no Landlock") from error
        os.chdir(inside)
        if self._root:
            # A user namespace may have only the user root; the filter does not depend on this step.
            for change, others in ((os.setgroups, ([],)), (os.setresgid, (USER,) * 3), (os.setresuid, (USER,) * 3)):
                with contextlib.suppress(OSError):
                    change(*others)
        self._control(confine._SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            raise OSError(errno.ESRCH, "the parent process is gone")
        self._control(confine._SET_DUMPABLE, 0)
        self._control(confine._SET_NO_NEW_PRIVS, 1)
        if beneath >= 0:
            self._keep_beneath(beneath)
        confine._limit("NOFILE", OPEN_FILES)
        os.dup2(null, OPEN_FILES - 1)
        os.close(null)
        self.given.real, self.given.home = os.getpid(), os.fsencode(f"{inside}/")
        self._vdso.answer()
        self._vdso.freeze()
        if not self._column:
            self._control(_SET_TSC, 2)
        if self._libc.syscall(confine._SECCOMP[self._column], 1, 0, ctypes.byref(self._program)):
            raise confine._denied("seccomp(SECCOMP_SET_MODE_FILTER)")
        return inside

    def _keep_beneath(self, folder: int) -> None:
        """Deny all access to files that are not beneath the folder, to TCP and to other processes' sockets."""
        version = self._landlock_version
        rights = (1 << (13 if version == 1 else 14 if version == 2 else 15 if version < 5 else 16)) - 1
        rules = struct.pack("QQQ", rights, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
        size = 8 if version < 4 else 16 if version < 6 else 24
        ruleset = self._libc.syscall(confine._LANDLOCK_CREATE, rules, size, 0)
        allowed = rights & (_RIGHTS | 1 << 13 | 1 << 14)
        rule = ctypes.create_string_buffer(struct.pack("<Qi", allowed, folder), 12)
        if (
            ruleset < 0
            or self._libc.syscall(_ADD_RULE, ruleset, _BENEATH, rule, 0)
            or self._libc.syscall(confine._LANDLOCK_RESTRICT, ruleset, 0)
        ):
            raise confine._denied("landlock_restrict_self")
        os.close(ruleset)
        os.close(folder)
