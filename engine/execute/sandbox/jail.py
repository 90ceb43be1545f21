"""What a run may do besides what `confine` allows: threads of its own, and files in its scratch folder (Linux).

The filter is the one of `confine`, with the calls below before its last instruction, which denies the rest. They name
files, so the kernel must keep a run inside of its folder: by Landlock, by a new root directory where this process may
change it (the user root of a container), or by both. Without either there is no jail. Standard library only.
"""

import contextlib
import ctypes
import errno
import os
import platform
import resource
import signal
import struct
from dataclasses import dataclass

from antemill.engine.execute.sandbox import confine
from antemill.engine.execute.sandbox.confine import Confinement

OPEN_FILES = 40
USER = 65534  # who a run is, if this process is root

# name: (x86-64, arm64), None where there is no such call
FILES: dict[str, tuple[int | None, int | None]] = {
    **{"open": (2, None), "openat": (257, 56), "stat": (4, None), "lstat": (6, None), "fstat": (5, 80)},
    **{"newfstatat": (262, 79), "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439)},
    **{"getdents64": (217, 61), "getcwd": (79, 17), "chdir": (80, 49), "readlink": (89, None), "readlinkat": (267, 78)},
    **{"mkdir": (83, None), "mkdirat": (258, 34), "rmdir": (84, None), "unlink": (87, None), "unlinkat": (263, 35)},
    **{"rename": (82, None), "renameat": (264, 38), "renameat2": (316, 276), "ftruncate": (77, 46)},
    **{"pread64": (17, 67), "pwrite64": (18, 68), "fsync": (74, 82), "fdatasync": (75, 83)},
}
# name: (x86-64, arm64), the number of the argument, and the values of it that are allowed
CHECKED: dict[str, tuple[tuple[int, int], int, tuple[int, ...]]] = {
    "clone": ((56, 220), 0, (0x3D0F00, 0x7D0F00)),  # a thread, as glibc and musl begin one
    "clock_gettime": ((228, 113), 0, (1,)),  # CLOCK_MONOTONIC, which `vdso` asks for
    "ioctl": ((16, 29), 1, (0x5450, 0x5451)),  # whether a descriptor outlives an exec, which there is none of
    "fcntl": ((72, 25), 1, (1, 2, 3, 5, 6, 7, 1030)),  # flags, locks of files, and a copy of a descriptor
}
_CLONE3 = (435, 435)  # its flags are in memory, where no filter sees them: "no such call" makes libc use clone
_ARGUMENTS = 16  # offset in struct seccomp_data
_parent = os.getppid  # before `conditions` puts another one in its place
_NOTHING_OF = ("CORE", "MEMLOCK", "MSGQUEUE")
_ADD_RULE, _BENEATH = 445, 1
# write, read, list, remove a folder or a file, make a folder or a file; move between folders (2); cut off (3)
_RIGHTS = sum(1 << bit for bit in (1, 2, 3, 4, 5, 7, 8))


def jail_program(machine: str) -> bytes:
    """The seccomp filter as BPF. Raises KeyError for an unknown machine."""
    column, _ = confine.MACHINES[machine]
    load, equal, answer, errno_ = confine._LOAD, confine._EQUAL, confine._RETURN, confine._ERRNO
    code: list[tuple[int, int, int, int]] = []
    for pair in FILES.values():
        if (number := pair[column]) is not None:
            code += [(equal, 0, 1, number), (answer, 0, 0, confine._ALLOW)]
    code += [(equal, 0, 1, _CLONE3[column]), (answer, 0, 0, errno_ | errno.ENOSYS)]
    for numbers, place, values in CHECKED.values():
        tests = [(equal, len(values) - n, 0, value) for n, value in enumerate(values)]
        inner = [(load, 0, 0, _ARGUMENTS + 8 * place), *tests, (answer, 0, 0, errno_ | errno.EPERM)]
        inner.append((answer, 0, 0, confine._ALLOW))
        code += [(equal, 0, len(inner), numbers[column]), *inner]
    rest = confine.filter_program(machine)
    return rest[:-8] + b"".join(struct.pack("HBBI", *instruction) for instruction in code) + rest[-8:]


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
        self._filter = jail_program(platform.machine())
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
        if _parent() != parent:
            raise OSError(errno.ESRCH, "the parent process is gone")
        self._control(confine._SET_DUMPABLE, 0)
        self._control(confine._SET_NO_NEW_PRIVS, 1)
        if beneath >= 0:
            self._keep_beneath(beneath)
        confine._limit("NOFILE", OPEN_FILES)
        self._vdso.freeze()
        data = ctypes.create_string_buffer(self._filter, len(self._filter))
        program = confine._Program(len(self._filter) // 8, ctypes.addressof(data))
        if self._libc.syscall(confine._SECCOMP[self._column], 1, 0, ctypes.byref(program)):
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
