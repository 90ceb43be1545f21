"""What a seccomp filter says to a system call: the few instructions of classic BPF that such filters are made of."""

import struct

ALLOW, KILL, TRAP, ERRNO = 0x7FFF0000, 0x80000000, 0x00030000, 0x00050000


def says(program: bytes, arch: int, number: int, arguments: tuple[int, ...] = (), place: int = 0) -> int:
    """The filter's answer for a call with these arguments, from this place (the kernel's struct seccomp_data)."""
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("<iIQ6Q", number, arch, place, *padded)
    instructions = list(struct.iter_unpack("HBBI", program))
    step, value = 0, 0
    while True:
        code, yes, no, operand = instructions[step]
        step += 1
        if code == 0x20:  # load a word
            (value,) = struct.unpack_from("<I", data, operand)
        elif code == 0x06:  # return
            return int(operand)
        else:
            holds = {0x15: value == operand, 0x35: value >= operand, 0x45: bool(value & operand)}[code]
            step += yes if holds else no
