"""The vDSO returns the time without a system call, so no filter sees it. This module overwrites its functions.

A jump to a few instructions of ours replaces each function in one process. They count in a page of memory: every
reading of a clock takes the time that has passed there and adds a step, and the clocks of the date add a start. Python
sets the three (`Vdso.given`). The monotonic clock alone is the kernel's, since waiting with a limit hangs on it; the
interpreter's own functions do not show it (`conditions`). Random numbers are denied. The memory that the remaining
functions would read is unmapped. Standard library only.
"""

import contextlib
import ctypes
import errno
import mmap
import os
import struct
from collections.abc import Callable, Iterator

_GIVEN = bytes.fromhex("8877665544332211")  # where the address of `given` stands in the instructions
_IMAGE = (
    # x86-64. clock_gettime(edi, rsi): clock 1 asks the kernel; else rdx = given, rax = passed, passed += step in one
    # step; clocks 0, 5 and 11: rax += start; rax / 10^9 and the remainder are stored. gettimeofday(rdi): the same with
    # the start, and the remainder / 1000. time(rdi): the quotient alone.
    bytes.fromhex(
        "83ff01743948ba8877665544332211488b4208f0480fc10285ff740a83ff05740583ff0b750448034210b900ca9a3b31d248"
        "f7f14889064889560831c0c3b8e40000000f05c34885ff743548ba8877665544332211488b4208f0480fc10248034210b900"
        "ca9a3b31d248f7f14889074889d0b9e803000031d248f7f14889470831c0c348ba8877665544332211488b4208f0480fc102"
        "48034210b900ca9a3b31d248f7f14885ff7403488907c3"
    ),
    # arm64: the same; there is no time().
    bytes.fromhex(
        "1f040071a002005442050058430440f944fc5fc88500038b45fc06c8a6ffff35a00000341f140071600000541f2c00716100"
        "0054450840f98400058b054099d24573a7f28608c59ac790059b261c00a900008052c0035fd6280e80d2010000d4c0035fd6"
        "000200b442020058430440f944fc5fc88500038b45fc06c8a6ffff35450840f98400058b054099d24573a7f28608c59ac790"
        "059b057d80d2e708c59a061c00a900008052c0035fd61f2003d58877665544332211"
    ),
)
# where a function begins there, by the part of its name that follows __vdso_ or __kernel_
_ENTRY = ({"clock_gettime": 0, "gettimeofday": 0x46, "time": 0x83}, {"clock_gettime": 0, "gettimeofday": 0x64})
_JUMP = (("48b8", "ffe0"), ("5000005800021fd6", ""))  # before and behind an address: jumps to it
_DENIED = (bytes.fromhex("48c7c0ffffffffc3"), bytes.fromhex("00008092c0035fd6"))  # return -EPERM
_DENIES = ("getcpu", "getrandom")
# clock_getres(clock, place): 1 ns
_FINE = (
    bytes.fromhex("31c04885f6740b48890648c7460801000000c3"),
    bytes.fromhex("610000b4220080d23f0800a900008052c0035fd6"),
)
_WRITE, _EXECUTE = 1 | 2, 1 | 4  # PROT_READ and more
_LOAD, _DYNAMIC = 1, 2  # program headers
_STRINGS, _SYMBOLS = 5, 6  # entries of the dynamic section
_SYMBOL = struct.Struct("<IBBHQQ")


class Vdso:
    """This process's vDSO; `column` is 0 on x86-64, 1 on arm64.

    given: nanoseconds that have passed, that pass with a reading, and at which the date began since 1970.
    """

    def __init__(self, column: int) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._where = _mappings()
        self._pages = mmap.mmap(-1, 2 * mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        place = ctypes.addressof(ctypes.c_char.from_buffer(self._pages))
        self.given = (ctypes.c_uint64 * 3).from_address(place + mmap.PAGESIZE)
        image = _IMAGE[column].replace(_GIVEN, struct.pack("<Q", place + mmap.PAGESIZE))
        self._pages.write(image)
        self._change(self._libc.mprotect, place, place + mmap.PAGESIZE, _EXECUTE)
        before, behind = (bytes.fromhex(part) for part in _JUMP[column])
        code = {name: before + struct.pack("<Q", place + at) + behind for name, at in _ENTRY[column].items()}
        code |= dict.fromkeys(_DENIES, _DENIED[column]) | {"clock_getres": _FINE[column]}
        found = list(_functions(self._where["[vdso]"][0])) if "[vdso]" in self._where else []
        self._code = {place: code[name] for name, place in found if name in code}
        self._space = {place: min((p for _, p in found if p > place), default=1 << 63) - place for place in self._code}

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
