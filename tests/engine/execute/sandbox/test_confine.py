"""What a run gives up: the filters on paper, for both machines, and in the kernel (D8)."""

import errno
import json
import platform
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from antemill.engine.execute.sandbox.confine import filter_program
from antemill.engine.execute.sandbox.jail import jail_program
from tests.engine.execute.sandbox.backends import NATIVE
from tests.engine.execute.sandbox.bpf import ALLOW, ERRNO, KILL, TRAP, says

ROOT = Path(__file__).resolve().parents[4]
ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
CLOCKS = {"gettimeofday": (96, 169), "clock_gettime": (228, 113)}
# Numbers as in the kernel's tables: (x86-64, arm64); None: there is no such call.
ALLOWED = {
    **{"read": (0, 63), "write": (1, 64), "close": (3, 57), "lseek": (8, 62), "mmap": (9, 222)},
    **{"mprotect": (10, 226), "munmap": (11, 215), "brk": (12, 214), "rt_sigaction": (13, 134), "mremap": (25, 216)},
    **{"rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "sched_yield": (24, 124), "madvise": (28, 233)},
    **{"exit": (60, 93), "sigaltstack": (131, 132)},
    **{"futex": (202, 98), "restart_syscall": (219, 128), "clock_getres": (229, 114)},
    **{"clock_nanosleep": (230, 115), "exit_group": (231, 94), "rseq": (334, 293)},
}
ZERO = {
    **{"getpid": (39, 172), "getuid": (102, 174), "getgid": (104, 176), "geteuid": (107, 175), "getegid": (108, 177)},
    **{"getppid": (110, 173), "gettid": (186, 178)},
}
DENIED = {
    **CLOCKS,
    **{"fstat": (5, 80), "newfstatat": (262, 79), "getrusage": (98, 165), "times": (100, 153), "time": (201, None)},
    **{"getcpu": (309, 168), "clock_adjtime": (305, 266), "timerfd_create": (283, 85)},
    **{"open": (2, None), "openat": (257, 56), "openat2": (437, 437), "socket": (41, 198), "connect": (42, 203)},
    **{"bind": (49, 200), "sendto": (44, 206), "socketpair": (53, 199), "clone": (56, 220), "clone3": (435, 435)},
    **{"fork": (57, None), "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281), "kill": (62, 129)},
    **{"tgkill": (234, 131), "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424), "pidfd_getfd": (438, 438)},
    **{
        "ptrace": (101, 117),
        "process_vm_readv": (310, 270),
        "process_vm_writev": (311, 271),
        "memfd_create": (319, 279),
    },
    **{"io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "bpf": (321, 280), "userfaultfd": (323, 282)},
    **{
        "perf_event_open": (298, 241),
        "keyctl": (250, 219),
        "add_key": (248, 217),
        "mount": (165, 40),
        "umount2": (166, 39),
    },
    **{"unshare": (272, 97), "setns": (308, 268), "chroot": (161, 51), "setsid": (112, 157), "setpgid": (109, 154)},
    **{
        "dup": (32, 23),
        "dup3": (292, 24),
        "fcntl": (72, 25),
        "ioctl": (16, 29),
        "pipe2": (293, 59),
        "prctl": (157, 167),
    },
    **{
        "seccomp": (317, 277),
        "setrlimit": (160, 164),
        "prlimit64": (302, 261),
        "setuid": (105, 146),
        "setresuid": (117, 147),
    },
    **{
        "unlinkat": (263, 35),
        "renameat2": (316, 276),
        "mkdirat": (258, 34),
        "symlinkat": (266, 36),
        "linkat": (265, 37),
    },
    **{
        "fchmodat": (268, 53),
        "fchownat": (260, 54),
        "ftruncate": (77, 46),
        "getdents64": (217, 61),
        "statx": (332, 291),
    },
    **{
        "chdir": (80, 49),
        "setitimer": (38, 103),
        "timer_create": (222, 107),
        "shmget": (29, 194),
        "mq_open": (240, 180),
    },
    **{"pkey_mprotect": (329, 288), "remap_file_pages": (216, 234), "personality": (135, 92), "reboot": (169, 142)},
    **{"init_module": (175, 105), "kexec_load": (246, 104), "arch_prctl": (158, None), "modify_ldt": (154, None)},
    **{"writev": (20, 66), "pwrite64": (18, 68), "sendfile": (40, 71), "splice": (275, 76), "vmsplice": (278, 75)},
    **{"inotify_init1": (294, 26), "fanotify_init": (300, 262), "epoll_create1": (291, 20), "poll": (7, None)},
    **{"getrandom": (318, 278), "uname": (63, 160), "sysinfo": (99, 179), "landlock_create_ruleset": (444, 444)},
    **{"sched_setaffinity": (203, 122), "setpriority": (141, 140), "iopl": (172, None), "quotactl": (179, 60)},
}
MACHINES = list(ARCH)
EXECUTABLE = (0, 4096, 7)


def numbers(table: Mapping[str, tuple[int | None, int | None]], machine: str) -> set[int]:
    found = (pair[MACHINES.index(machine)] for pair in table.values())
    return {number for number in found if number is not None}


@pytest.mark.parametrize("machine", MACHINES)
def test_the_filter_lets_nothing_through_but_what_is_listed(machine: str) -> None:
    program = filter_program(machine)
    said = {number: says(program, ARCH[machine], number) for number in range(600)}
    allowed: dict[str, tuple[int, int | None]] = {**ALLOWED}
    assert {number for number, word in said.items() if word == ALLOW} == numbers(allowed, machine)
    zero: dict[str, tuple[int, int | None]] = {**ZERO}
    assert {number for number, word in said.items() if word == ERRNO} == numbers(zero, machine)
    rest = {number: word for number, word in said.items() if word not in (ALLOW, ERRNO)}
    assert set(rest.values()) == {ERRNO | errno.EPERM}
    assert numbers(DENIED, machine) <= rest.keys()


@pytest.mark.parametrize("machine", MACHINES)
def test_a_process_of_ours_has_its_clocks_as_well(machine: str) -> None:
    program = filter_program(machine, clocks=True)
    allowed: dict[str, tuple[int, int | None]] = {**ALLOWED, **CLOCKS}
    said = {number for number in range(600) if says(program, ARCH[machine], number) == ALLOW}
    assert said == numbers(allowed, machine)


@pytest.mark.parametrize("machine", MACHINES)
def test_memory_is_never_executable(machine: str) -> None:
    program = filter_program(machine)
    for name in ("mmap", "mprotect"):
        number = ALLOWED[name][MACHINES.index(machine)]
        assert says(program, ARCH[machine], number, (0, 4096, 3)) == ALLOW
        assert says(program, ARCH[machine], number, EXECUTABLE) == ERRNO | errno.EPERM
        assert says(program, ARCH[machine], number, (0, 4096, (7 << 32) | 4)) == ERRNO | errno.EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_foreign_calling_conventions_kill(machine: str) -> None:
    """32-bit calls, x32 calls, another processor: their numbers mean something else."""
    program = filter_program(machine)
    for arch in (0x40000003, 0x40000028, 0, *(set(ARCH.values()) - {ARCH[machine]})):
        assert all(says(program, arch, number) == KILL for number in range(600))
    x32 = says(program, ARCH[machine], 0x40000000 + 1)
    assert x32 == KILL if machine == "x86_64" else x32 == ERRNO | errno.EPERM


GATE = 0x7F12_3456_7ABC
# What a run may do besides, by number; what `given.c` answers; what the kernel seems not to have.
RUN_ALLOWED = {
    **{"getcwd": (79, 17), "chdir": (80, 49), "readlink": (89, None), "readlinkat": (267, 78), "mkdir": (83, None)},
    **{"mkdirat": (258, 34), "rmdir": (84, None), "rename": (82, None), "renameat": (264, 38), "renameat2": (316, 276)},
    **{"ftruncate": (77, 46), "pread64": (17, 67), "pwrite64": (18, 68), "fsync": (74, 82), "msync": (26, 227)},
    **{"fdatasync": (75, 83), "readv": (19, 65), "writev": (20, 66), "fchmod": (91, 52)},
    **{"umask": (95, 166), "dup": (32, 23), "dup2": (33, None)},
    **{"dup3": (292, 24), "pipe": (22, None), "pipe2": (293, 59), "epoll_create1": (291, 20), "epoll_ctl": (233, 21)},
    **{"recvfrom": (45, 207), "shutdown": (48, 210)},
}
RUN_TRAPPED = {
    **{"open": (2, None), "openat": (257, 56), "stat": (4, None), "lstat": (6, None), "fstat": (5, 80)},
    **{"newfstatat": (262, 79), "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439)},
    **{"link": (86, None), "linkat": (265, 37), "unlink": (87, None), "unlinkat": (263, 35), "utimensat": (280, 88)},
    **{"getdents64": (217, 61), "nanosleep": (35, 101), "clock_nanosleep": (230, 115), "poll": (7, None)},
    **{"ppoll": (271, 73), "select": (23, None), "pselect6": (270, 72), "epoll_wait": (232, None)},
    **{"epoll_pwait": (281, 22), "getrandom": (318, 278), "getrusage": (98, 165), "times": (100, 153)},
    **{"rt_sigprocmask": (14, 135), "time": (201, None), **CLOCKS, **ZERO},
    **{"chmod": (90, None), "fchmodat": (268, 53), "truncate": (76, 45)},
}
RUN_WITHOUT = {"clone3": (435, 435), "statx": (332, 291), "epoll_pwait2": (441, 441)}
RUN_NO_ATTRIBUTES = {"listxattr": (194, 11), "llistxattr": (195, 12), "flistxattr": (196, 13), "getxattr": (191, 8)}
# call: ((x86-64, arm64), the argument that counts, values that are allowed, trapped, done by nobody)
RUN_CHECKED = {
    "clone": ((56, 220), 0, (0x3D0F00, 0x7D0F00), (), ()),
    "ioctl": ((16, 29), 1, (0x5450, 0x5451, 0x5421), (), ()),
    "fcntl": ((72, 25), 1, (1, 2, 3, 4, 1030), (5,), (6, 7)),
    "socketpair": ((53, 199), 0, (1,), (), ()),
    "sendto": ((44, 206), 5, (0,), (), ()),
    "futex": ((202, 98), 1, (1, 3, 4, 5, 10, 129, 131, 132, 133, 138), (0, 128, 9, 137, 265, 393), ()),
}
# From the address of `given.c` itself: all but what reads the kernel's clock, or compares with it.
GATED = ["openat", "fstat", "newfstatat", "faccessat", "linkat", "unlinkat", "utimensat", "getdents64", "ppoll"]
GATED += ["pselect6", "epoll_pwait", "gettid"]


@pytest.mark.parametrize("machine", MACHINES)
def test_a_run_may_use_files_threads_and_pipes_and_nothing_else(machine: str) -> None:
    column, program = MACHINES.index(machine), jail_program(machine, GATE)
    said = {number: says(program, ARCH[machine], number) for number in range(600)}
    wanted = {number: says(filter_program(machine), ARCH[machine], number) for number in range(600)}
    for table, word in (
        (RUN_ALLOWED, ALLOW),
        (RUN_TRAPPED, TRAP),
        (RUN_WITHOUT, ERRNO | errno.ENOSYS),
        (RUN_NO_ATTRIBUTES, ERRNO | errno.ENOTSUP),
    ):
        tables: dict[str, tuple[int | None, int | None]] = {**table}
        wanted |= dict.fromkeys(numbers(tables, machine), word)
    looked_at = {pair[column] for pair, *_ in RUN_CHECKED.values()}
    assert {n: said[n] for n in said if n not in looked_at} == {n: wanted[n] for n in said if n not in looked_at}
    assert numbers(RUN_ALLOWED, machine).isdisjoint(numbers(RUN_TRAPPED, machine))


@pytest.mark.parametrize("machine", MACHINES)
def test_what_a_run_may_do_by_argument(machine: str) -> None:
    column, program = MACHINES.index(machine), jail_program(machine, GATE)
    for pair, place, allowed, trapped, done in RUN_CHECKED.values():
        others = (0, 1, 2, 4, 6, 8, 11, 13, 16, 0x11, 0x1200011, 0x10000000, 0x5401, 0x5412, 1 << 31, 1024, 1031)
        for value in (*allowed, *trapped, *done, *others):
            word = says(program, ARCH[machine], pair[column], tuple(value if n == place else 7 for n in range(6)))
            rest = ERRNO if value in done else ERRNO | errno.EPERM
            assert word == (ALLOW if value in allowed else TRAP if value in trapped else rest), (pair, value)
    action = {"x86_64": 13, "aarch64": 134}[machine]
    for signal in range(1, 65):
        assert says(program, ARCH[machine], action, (signal,)) == (ERRNO if signal == 31 else ALLOW)


@pytest.mark.parametrize("machine", MACHINES)
def test_no_call_of_a_run_compares_with_the_kernels_clock(machine: str) -> None:
    """Waits until a moment, and readings of a clock, are let through from no address: only waits that last so long."""
    column, program = MACHINES.index(machine), jail_program(machine, GATE)
    tables: dict[str, tuple[int | None, int | None]] = {**RUN_TRAPPED}
    through = {number for number in range(600) if says(program, ARCH[machine], number, (), GATE) == ALLOW}
    known = {name for name, pair in tables.items() if pair[column] in through}
    assert known == {*GATED, "clock_nanosleep"}
    for near in (GATE - 1, GATE + 1, GATE ^ (1 << 32), GATE & 0xFFFFFFFF):
        assert says(program, ARCH[machine], tables["openat"][column] or 0, (), near) == TRAP
    sleep, futex = (230, 115)[column], (202, 98)[column]
    assert [says(program, ARCH[machine], sleep, (1, flags), GATE) for flags in (0, 1)] == [ALLOW, ERRNO | errno.EPERM]
    waits = {operation: says(program, ARCH[machine], futex, (0, operation), GATE) for operation in range(512)}
    assert {operation for operation, word in waits.items() if word == ALLOW} == {0, 128}


@pytest.mark.parametrize("machine", MACHINES)
def test_a_run_leaves_no_trace_in_shared_or_foreign_files(machine: str) -> None:
    """Landlock has no say in the mode and the dates of a path, nor in what is done to files that are open already."""
    column, program = MACHINES.index(machine), jail_program(machine, GATE)
    calls = {"read": (0, 63), "readv": (19, 65), "lseek": (8, 62), "fchmod": (91, 52), "fcntl": (72, 25)}
    calls |= {"ioctl": (16, 29), "dup": (32, 23), "dup3": (292, 24), "utimensat": (280, 88)}
    second = {"fcntl": 4, "ioctl": 0x5421}
    for name, pair in calls.items():
        for place in (0, GATE):
            said = {
                file: says(program, ARCH[machine], pair[column], (file, second.get(name, 0)), place)
                for file in (0, 39, 255, 256, 4000, 0x7FFFFFFF, 0xFFFFFF9C)
            }
            shared = {file for file, word in said.items() if word == ERRNO | errno.EPERM}
            assert shared == {256, 4000, 0x7FFFFFFF}, name
    dates = (280, 88)[column]
    paths = {path: says(program, ARCH[machine], dates, (3, path), GATE) for path in (0, 1, 1 << 32, GATE)}
    assert {path for path, word in paths.items() if word == ALLOW} == {0}


# Runs in a process of its own: enters the confinement, then makes every call with harmless arguments; prints what came.
_INSIDE = """
import ctypes, json, os, sys
sys.path.insert(0, sys.argv[1])
from antemill.engine.execute.sandbox.confine import Confinement
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
calls = json.loads(sys.argv[2])
confinement = Confinement()
with open("/proc/self/status") as before, open("/dev/null") as kept:
    confinement.enter(None, 10, os.getppid())
    found = {}
    for name, (number, *arguments) in calls.items():
        ctypes.set_errno(0)
        result = libc.syscall(ctypes.c_long(number), *(ctypes.c_long(a) for a in arguments))
        found[name] = [result if result <= 0 else 1, ctypes.get_errno()]
    found["status"] = [line for line in before.read().splitlines() if line.startswith(("Seccomp:", "NoNewPrivs:"))]
os.write(1, json.dumps(found).encode())
os._exit(0)
"""


@pytest.mark.skipif(not NATIVE, reason="the filter is Linux's")
def test_the_kernel_does_what_the_filter_says() -> None:
    column = MACHINES.index(platform.machine())
    calls: dict[str, tuple[int | None, ...]] = {
        name: (pair[column], -1, 0, 0) for name, pair in DENIED.items() if pair[column] is not None
    }
    calls |= {name: (pair[column],) for name, pair in ZERO.items()}
    calls |= {"mmap executable": (ALLOWED["mmap"][column], 0, 4096, 7, 34, -1, 0)}
    calls |= {
        "mmap": (ALLOWED["mmap"][column], 0, 4096, 3, 34, -1, 0),
        "sched_yield": (ALLOWED["sched_yield"][column],),
    }
    command = [sys.executable, "-I", "-c", _INSIDE, str(ROOT), json.dumps(calls)]
    found = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=60).stdout)
    assert sorted(found.pop("status")) == ["NoNewPrivs:\t1", "Seccomp:\t2"]
    assert {name: found[name] for name in ("mmap", "sched_yield")} == {"mmap": [1, 0], "sched_yield": [0, 0]}
    assert {name for name in ZERO if found[name] != [0, 0]} == set()
    assert found["mmap executable"] == [-1, errno.EPERM]
    assert {
        name: found[name] for name, pair in DENIED.items() if pair[column] and found[name] != [-1, errno.EPERM]
    } == {}


# Runs in a process of its own: has the kernel deny one system call from here on, as a container does; examines.
_REFUSED = """
import ctypes, os, struct, sys
sys.path.insert(0, sys.argv[1])
from antemill.engine.execute.sandbox import examine
number, argument = int(sys.argv[2]), int(sys.argv[3])
code = [(0x20, 0, 0, 0), (0x15, 0, 3, number), (0x20, 0, 0, 16), (0x15, 0, 1, argument), (0x06, 0, 0, 0x50001)]
code.append((0x06, 0, 0, 0x7FFF0000))
data = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in code))
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(Program(len(code), ctypes.addressof(data))), 0, 0) == 0
found = examine()
print(found.usable, found.reason)
"""
_REFUSALS = {  # what the kernel denies: (x86-64, arm64), the first argument, what the reason names
    "seccomp": ((317, 277), 1, "seccomp(SECCOMP_SET_MODE_FILTER)"),
    "prctl": ((157, 167), 38, "prctl(PR_SET_NO_NEW_PRIVS)"),
    "prlimit": ((302, 261), 0, "setrlimit(RLIMIT_"),
}


@pytest.mark.skipif(not NATIVE, reason="the filter is Linux's")
@pytest.mark.parametrize("call", _REFUSALS)
def test_a_refusal_names_the_call_and_says_what_to_do(call: str) -> None:
    pair, argument, named = _REFUSALS[call]
    number = pair[MACHINES.index(platform.machine())]
    command = [sys.executable, "-c", _REFUSED, str(ROOT), str(number), str(argument)]
    result = subprocess.run(command, capture_output=True, check=True, timeout=60, text=True).stdout
    assert result.startswith(f"False the kernel denies {named}"), result
    assert result.endswith(": allow it in the container's security profile.\n")
