"""What a seccomp filter says to a system call: the few instructions of classic BPF that such filters are made of."""

import struct

ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000


def says(program: bytes, arch: int, number: int, arguments: tuple[int, ...] = ()) -> int:
    """The filter's answer for a call with these arguments (see the kernel's struct seccomp_data)."""
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("<iIQ6Q", number, arch, 0, *padded)
    instructions = list(struct.iter_unpack("HBBI", program))
    place, value = 0, 0
    while True:
        code, yes, no, operand = instructions[place]
        place += 1
        if code == 0x20:  # load a word
            (value,) = struct.unpack_from("<I", data, operand)
        elif code == 0x06:  # return
            return int(operand)
        else:
            holds = {0x15: value == operand, 0x35: value >= operand, 0x45: bool(value & operand)}[code]
            place += yes if holds else no
