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
from antemill.engine.execute.sandbox.jail import CHECKED, FILES, jail_program
from tests.engine.execute.sandbox.backends import NATIVE
from tests.engine.execute.sandbox.bpf import ALLOW, ERRNO, KILL, says

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


@pytest.mark.parametrize("machine", MACHINES)
def test_a_run_may_use_files_and_threads_besides_and_nothing_else(machine: str) -> None:
    """What is allowed by number is in the table; by argument: threads, one clock, flags and locks of descriptors."""
    column, program = MACHINES.index(machine), jail_program(machine)
    before = {number: says(filter_program(machine), ARCH[machine], number) for number in range(600)}
    after = {number: says(program, ARCH[machine], number) for number in range(600)}
    gained = {number for number in range(600) if before[number] != after[number]}
    files = numbers(FILES, machine)
    assert gained == files | {435}
    assert {after[number] for number in files} == {ALLOW}
    assert after[435] == ERRNO | errno.ENOSYS
    known = {name: pair for name, pair in {**DENIED, **ALLOWED}.items() if name in FILES}
    assert {name: FILES[name] for name in known} == known
    for pair, place, values in CHECKED.values():
        for value in (*values, 0, 4, 8, 0x11, 0x1200011, 0x10000000, 0x5401, 0x5412, 1 << 32):
            arguments = tuple(value if n == place else 7 for n in range(6))
            wanted = ALLOW if value in values else ERRNO | errno.EPERM
            assert says(program, ARCH[machine], pair[column], arguments) == wanted


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
