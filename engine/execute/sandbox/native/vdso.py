"""The vDSO returns the time without a system call, so no filter sees it. This module overwrites its functions.

A few instructions replace each function in one process. The clocks of the date show the moment at which
`inside.world.freezing` starts them; all others show zero, so that waiting until a moment ends immediately. Random
numbers are denied. The memory that the remaining functions would read is unmapped. Standard library only.
"""

import contextlib
import ctypes
import errno
import os
import struct
from collections.abc import Callable, Iterator

NOW = 1_700_000_000  # seconds since 1970
_LOW, _HIGH = struct.pack("<I", NOW)[:2], struct.pack("<I", NOW)[2:]
_X86 = {  # the part of a function's name that follows __vdso_: its instructions
    # clock_gettime(edi, rsi): zero, or NOW for the clocks 0, 5 and 11
    "clock_gettime": bytes.fromhex("31c0 48894608 488906 85ff 740a 83ff05 7405 83ff0b 7507 48c706")
    + _LOW
    + _HIGH
    + b"\xc3",
    "clock_getres": bytes.fromhex("31c0 4885f6 740b 488906 48c7460801000000 c3"),
    "gettimeofday": bytes.fromhex("31c0 4885ff 740b 48c707") + _LOW + _HIGH + bytes.fromhex("48894708 c3"),
    "time": b"\xb8" + _LOW + _HIGH + bytes.fromhex("4885ff 7403 488907 c3"),
    "getcpu": bytes.fromhex("48c7c0ffffffff c3"),  # return -EPERM
    "getrandom": bytes.fromhex("48c7c0ffffffff c3"),
}


def _arm(*instructions: int) -> bytes:
    return struct.pack(f"<{len(instructions)}I", *instructions)


_MOVE_NOW = (0x52800002 | (NOW & 0xFFFF) << 5, 0x72A00002 | (NOW >> 16) << 5)  # movz w2, low; movk w2, high, lsl 16
_ARM = {  # the part that follows __kernel_
    # stp xzr, xzr, [x1]; cbz w0, +5; cmp w0, 5; b.eq +3; cmp w0, 11; b.ne +4; NOW; str x2, [x1]; mov w0, 0; ret
    "clock_gettime": _arm(
        *(0xA9007C3F, 0x340000A0, 0x7100141F, 0x54000060, 0x71002C1F, 0x54000081),
        *(*_MOVE_NOW, 0xF9000022, 0x52800000, 0xD65F03C0),
    ),
    # cbz x1, +3; mov x2, 1; stp xzr, x2, [x1]; mov w0, 0; ret
    "clock_getres": _arm(0xB4000061, 0xD2800022, 0xA900083F, 0x52800000, 0xD65F03C0),
    # cbz x0, +4; NOW; stp x2, xzr, [x0]; mov w0, 0; ret
    "gettimeofday": _arm(0xB4000080, *_MOVE_NOW, 0xA9007C02, 0x52800000, 0xD65F03C0),
    "getrandom": _arm(0x92800000, 0xD65F03C0),  # mov x0, -1; ret
}
_CODE = (_X86, _ARM)
_WRITE, _EXECUTE = 1 | 2, 1 | 4  # PROT_READ and more
_LOAD, _DYNAMIC = 1, 2  # program headers
_STRINGS, _SYMBOLS = 5, 6  # entries of the dynamic section
_SYMBOL = struct.Struct("<IBBHQQ")


class Vdso:
    """This process's vDSO; `column` is 0 on x86-64, 1 on arm64."""

    def __init__(self, column: int) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._where = _mappings()
        found = list(_functions(self._where["[vdso]"][0])) if "[vdso]" in self._where else []
        self._code = {place: _CODE[column][name] for name, place in found if name in _CODE[column]}
        self._space = {place: min((p for _, p in found if p > place), default=1 << 63) - place for place in self._code}

    def freeze(self) -> None:
        """Overwrite the functions permanently, if there is a vDSO. Raises OSError if the kernel has sealed it."""
        if "[vdso]" not in self._where:
            return
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
