"""Linux's numbers of errors for a guest, whose C library has others: `OSError(2)` is a FileNotFoundError there, too.

The guest (`renumber`) changes the module `errno` and leaves in memory where the exceptions of the numbers are kept.
That dictionary is out of Python's reach: `build.py` (`divert`) writes Linux's numbers into the snapshot. Standard
library only.
"""

import hashlib
import struct
from typing import Any

_MARK = hashlib.sha256(b"errors").digest()
# The names of the numbers 1, 2, 3 ... on Linux.
_NAMES = """EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN ENOMEM EACCES EFAULT ENOTBLK EBUSY
    EEXIST EXDEV ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY ETXTBSY EFBIG ENOSPC ESPIPE EROFS EMLINK
    EPIPE EDOM ERANGE EDEADLK ENAMETOOLONG ENOLCK ENOSYS ENOTEMPTY ELOOP - ENOMSG EIDRM ECHRNG EL2NSYNC
    EL3HLT EL3RST ELNRNG EUNATCH ENOCSI EL2HLT EBADE EBADR EXFULL ENOANO EBADRQC EBADSLT - EBFONT ENOSTR
    ENODATA ETIME ENOSR ENONET ENOPKG EREMOTE ENOLINK EADV ESRMNT ECOMM EPROTO EMULTIHOP EDOTDOT EBADMSG
    EOVERFLOW ENOTUNIQ EBADFD EREMCHG ELIBACC ELIBBAD ELIBSCN ELIBMAX ELIBEXEC EILSEQ ERESTART ESTRPIPE
    EUSERS ENOTSOCK EDESTADDRREQ EMSGSIZE EPROTOTYPE ENOPROTOOPT EPROTONOSUPPORT ESOCKTNOSUPPORT EOPNOTSUPP
    EPFNOSUPPORT EAFNOSUPPORT EADDRINUSE EADDRNOTAVAIL ENETDOWN ENETUNREACH ENETRESET ECONNABORTED
    ECONNRESET ENOBUFS EISCONN ENOTCONN ESHUTDOWN ETOOMANYREFS ETIMEDOUT ECONNREFUSED EHOSTDOWN EHOSTUNREACH
    EALREADY EINPROGRESS ESTALE EUCLEAN ENOTNAM ENAVAIL EISNAM EREMOTEIO EDQUOT ENOMEDIUM EMEDIUMTYPE
    ECANCELED ENOKEY EKEYEXPIRED EKEYREVOKED EKEYREJECTED EOWNERDEAD ENOTRECOVERABLE ERFKILL"""
_ALSO = {"EWOULDBLOCK": "EAGAIN", "EDEADLOCK": "EDEADLK", "ENOTSUP": "EOPNOTSUPP"}
_ENTRY, _SIZE, _HEAD = 12, 32, 20  # bytes of a dictionary's entry, places in its table, bytes before that


def renumber() -> bytes:
    """Give `errno` and `os.strerror` Linux's numbers, in the guest. Returns the table for `divert`."""
    import errno
    import os

    numbers = {name: number for number, name in enumerate(_NAMES.split(), 1) if name != "-"}
    numbers |= {name: numbers[also] for name, also in _ALSO.items()}
    texts = {numbers[name]: os.strerror(own) for own, name in errno.errorcode.items() if name in numbers}
    rows = []
    for own, name in errno.errorcode.items():
        if (kind := type(OSError(own, ""))) is not OSError:
            # What Linux does not have (a permission) makes room for what the guest does not tell apart (a broken pipe).
            number, kind_there = (numbers[name], kind) if name in numbers else (numbers["EPIPE"], BrokenPipeError)
            rows.append((own, id(own), id(kind), number, id(number), id(kind_there)))
    for name in [name for name in vars(errno) if name.startswith("E")]:
        delattr(errno, name)
    vars(errno).update(numbers)
    names: Any = errno.errorcode
    names.clear()
    names.update({number: name for name, number in numbers.items() if name not in _ALSO})
    os.strerror = lambda number, /: texts.get(number, f"Unknown error {number}")
    return _MARK + struct.pack("<I", len(rows)) + b"".join(struct.pack("<6I", *row) for row in rows)


def divert(guest: bytes) -> bytes:
    """The guest with Linux's numbers in the dictionary of exceptions. Raises ValueError if it is not as expected."""
    rows = _table(guest)
    entries = {struct.pack("<3I", *row[:3]): row for row in rows}
    first, *others = [at for entry in entries if (at := guest.find(entry)) >= 0] or [-1]
    begin = min(first, *others) if others else first
    if begin < 0 or max(first, *others) - begin != _ENTRY * (len(rows) - 1):
        raise ValueError("the guest's exceptions of numbers are not where they were expected")
    head = begin - _SIZE - _HEAD
    log, entry_count = guest[head + 4], struct.unpack_from("<I", guest, begin - _SIZE - 4)[0]
    if 1 << log != _SIZE or entry_count != len(rows):
        raise ValueError("the guest's dictionary of exceptions has another form")
    made = bytearray(guest)
    places = bytearray(b"\xff" * _SIZE)
    for index in range(len(rows)):
        at = begin + _ENTRY * index
        *_, number, address, kind = entries[guest[at : at + _ENTRY]]
        struct.pack_into("<3I", made, at, number, address, kind)
        place = rest = number
        while places[place % _SIZE] != 0xFF:  # as a dictionary looks for a free place
            rest >>= 5
            place = place * 5 + rest + 1
        places[place % _SIZE] = index
    made[begin - _SIZE : begin] = places
    return bytes(made)


def _table(guest: bytes) -> list[tuple[int, ...]]:
    """What the guest has left."""
    at = guest.find(_MARK)
    while at >= 0:
        (count,) = struct.unpack_from("<I", guest, at + len(_MARK))
        if 10 < count < 30:
            return list(struct.iter_unpack("<6I", guest[at + len(_MARK) + 4 :][: 24 * count]))
        at = guest.find(_MARK, at + 1)
    raise ValueError("the guest has left no table of its exceptions")
