"""What a run is given in place of the kernel's clocks, numbers and random bytes: `given.c`, and its way into a process.

The vDSO returns the time without a system call, so no filter sees it: a jump to the function of `given.c` replaces each
of its functions, and the memory that the remaining ones would read is unmapped. What the filter of `jail` traps goes to
the handler there. Both count in one page, which Python sets (`Vdso.given`). Standard library only.
"""

import contextlib
import ctypes
import errno
import mmap
import os
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

_NAMES = "passed step start dawn random flip pid real user salt low high holds null"


class Given(ctypes.Structure):
    """The struct of `given.c`."""

    _fields_ = (*((name, ctypes.c_uint64) for name in _NAMES.split()), ("home", ctypes.c_char * 256))


_TABLE = 0x10000  # where the struct is, counted from the first instruction
# the numbers at the beginning of the instructions: where these are
_PLACES = ["clock_gettime", "gettimeofday", "time", "clock_getres", "denied", "handler", "restorer", "gate", "crashed"]
_FILES = ("given_x86_64.bin", "given_aarch64.bin")
_JUMP = (("48b8", "ffe0"), ("5000005800021fd6", ""))  # before and behind an address: jumps to it
_SIGSYS, _SIGSEGV, _SIGACTION = 31, 11, (13, 134)
_FLAGS = 0x4 | 0x04000000 | 0x10000000 | 0x40000000  # SA_SIGINFO, SA_RESTORER, SA_RESTART, SA_NODEFER
_WRITE, _EXECUTE = 1 | 2, 1 | 4  # PROT_READ and more
_LOAD, _DYNAMIC = 1, 2  # program headers
_STRINGS, _SYMBOLS = 5, 6  # entries of the dynamic section
_SYMBOL = struct.Struct("<IBBHQQ")


class Vdso:
    """This process's vDSO; `column` is 0 on x86-64, 1 on arm64."""

    def __init__(self, column: int) -> None:
        self._libc, self._column = ctypes.CDLL(None, use_errno=True), column
        self._where = _mappings()
        self._pages = mmap.mmap(-1, _TABLE + mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        place = ctypes.addressof(ctypes.c_char.from_buffer(self._pages))
        self.given = Given.from_address(place + _TABLE)
        image = (Path(__file__).parent / _FILES[column]).read_bytes()
        self._pages.write(image)
        self._change(self._libc.mprotect, place, place + _TABLE, _EXECUTE)
        self.places = {
            name: place + at for name, at in zip(_PLACES, struct.unpack_from(f"<{len(_PLACES)}I", image), strict=True)
        }
        before, behind = (bytes.fromhex(part) for part in _JUMP[column])
        code = {name: before + struct.pack("<Q", at) + behind for name, at in self.places.items()}
        code |= dict.fromkeys(("getcpu", "getrandom"), code["denied"])
        found = list(_functions(self._where["[vdso]"][0])) if "[vdso]" in self._where else []
        self._code = {place: code[name] for name, place in found if name in code}
        self._space = {place: min((p for _, p in found if p > place), default=1 << 63) - place for place in self._code}

    def answer(self) -> None:
        """Have trapped calls of this process answered, from the kernel's next SIGSYS on."""
        for number, name in ((_SIGSYS, "handler"), (_SIGSEGV, "crashed")):
            action = struct.pack("<4Q", self.places[name], _FLAGS, self.places["restorer"], 0)
            if self._libc.syscall(_SIGACTION[self._column], number, action, None, ctypes.c_size_t(8)):
                raise OSError(ctypes.get_errno(), "the kernel denies rt_sigaction")

    def freeze(self) -> None:
        """Overwrite the functions permanently. Raises OSError if there are none, or if the kernel has sealed them."""
        if "[vdso]" not in self._where:
            raise OSError(errno.ENOTSUP, "the kernel has no vDSO, which shows a program its own clock")
        start, end = self._where["[vdso]"]
        self._change(self._libc.mprotect, start, end, _WRITE)
        for place, code in self._code.items():
            if len(code) > self._space[place]:
                raise OSError(errno.ENOTSUP, "the kernel's vDSO is of an unknown kind")
            ctypes.memmove(place, code, len(code))
        self._change(self._libc.mprotect, start, end, _EXECUTE)
        for name, (low, high) in self._where.items():
            if name.startswith("[vvar"):
                with contextlib.suppress(OSError):  # the new functions do not read it
                    self._change(self._libc.munmap, low, high)

    def _change(self, call: Callable[..., int], start: int, end: int, *protection: int) -> None:
        if call(ctypes.c_void_p(start), ctypes.c_size_t(end - start), *protection):
            number = ctypes.get_errno()
            raise OSError(number, f"the kernel denies changing its vDSO ({os.strerror(number)})")


def own_state() -> tuple[int, int]:
    """Where the interpreter's own state is: the mapping of `_PyRuntime`, and what follows it immediately."""
    inside = ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, "_PyRuntime"))
    low = high = 0
    with open("/proc/self/maps") as file:
        for line in file:
            here, there = _range(line.split()[0])
            if here <= inside < there:
                low, high = here, there
            elif here == high and len(line.split()) < 6:
                high = there
    return low, high


def _mappings() -> dict[str, tuple[int, int]]:
    """The kernel's own mappings by name."""
    with open("/proc/self/maps") as file:
        rows = [line.split() for line in file]
    return {row[5]: _range(row[0]) for row in rows if len(row) > 5 and row[5].startswith("[v")}


def _range(text: str) -> tuple[int, int]:
    low, _, high = text.partition("-")
    return int(low, 16), int(high, 16)


def _functions(base: int) -> Iterator[tuple[str, int]]:
    """The functions of the ELF image at `base`: their bare names and addresses."""

    def read(form: str, place: int) -> tuple[int, ...]:
        return struct.unpack(form, ctypes.string_at(place, struct.calcsize(form)))

    (headers,), (size, count) = read("<Q", base + 32), read("<HH", base + 54)
    segments = [read("<IIQQQQQQ", base + headers + size * n) for n in range(count)]
    shift = base - next(segment[3] - segment[2] for segment in segments if segment[0] == _LOAD)
    dynamic = next(segment for segment in segments if segment[0] == _DYNAMIC)
    entries = [read("<qQ", shift + dynamic[3] + 16 * n) for n in range(dynamic[6] // 16)]
    tags = {entry[0]: entry[1] for entry in entries}
    symbols, strings = shift + tags[_SYMBOLS], shift + tags[_STRINGS]
    # The table of symbols has no length of its own; the table of strings follows it.
    for place in range(symbols, strings, _SYMBOL.size):
        name, kind, _, section, value, _ = _SYMBOL.unpack(ctypes.string_at(place, _SYMBOL.size))
        text = ctypes.string_at(strings + name).decode()
        if section and kind & 15 == 2:  # a function of its own
            yield text.removeprefix("__vdso_").removeprefix("__kernel_"), shift + value
