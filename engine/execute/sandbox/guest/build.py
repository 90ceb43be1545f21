"""Builds the guests, in a minute: `python engine/execute/sandbox/guest/build.py`, with componentize-py 0.25.1 there.

Two builds are made of the same sources, because the seed of string hashes is drawn when the interpreter is snapshotted:
two builds have two seeds. Both are packed into wasm/guests.xz. Their sizes and digests, and the digest of the sources,
are in wasm/guests.json; a test compares that digest with the sources.
"""

import hashlib
import json
import lzma
import subprocess
import sys
import tempfile
from functools import cache
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
SANDBOX = HERE.parent
MAKER = "componentize-py"
_BESIDE = (("", "app.py"), ("", "errors.py"), ("", "slots.py"), ("wit/", "judge.wit"))
DICTIONARY = 64 << 20  # bytes: reaches from the second guest back to the first, which is nearly the same


@cache
def sources() -> dict[str, bytes]:
    """What goes into a guest: the files by their place in the build. Read once, for both guests and their record."""
    files = sorted((SANDBOX / "inside").rglob("*.py"))
    inside = {path.relative_to(SANDBOX).as_posix(): path.read_bytes() for path in files}
    beside = {f"{folder}{name}": (HERE / name).read_bytes() for folder, name in _BESIDE}
    return {**beside, **inside}


def origin() -> str:
    """The digest of the sources."""
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in sources().items()}
    return hashlib.sha256(json.dumps(digests).encode()).hexdigest()


def build(number: int) -> bytes:
    """One guest: the first, or the second, for a program's second run."""
    import errors  # type: ignore[import-not-found]  # the files beside this one: our package is not installed here
    import slots  # type: ignore[import-not-found]

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, data in sources().items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(data)
        (root / "origin.py").write_text(f"ORIGIN = {origin()!r}\nNUMBER = {number}\n")
        command = [str(Path(sys.executable).with_name(MAKER)), "-d", "wit", "-w", "judge", "componentize", "app", "-s"]
        subprocess.run([*command, "-o", "judge.wasm"], cwd=root, check=True, stdout=subprocess.DEVNULL)
        return bytes(errors.divert(slots.write((root / "judge.wasm").read_bytes(), number)))


def main() -> None:
    """Build, pack, record."""
    guests = [build(0), build(1)]
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9, "dict_size": DICTIONARY}]
    packed = lzma.compress(b"".join(guests), filters=filters)
    made_by = f"{MAKER} {version(MAKER)}"
    builds = [{"size": len(guest), "sha256": hashlib.sha256(guest).hexdigest()} for guest in guests]
    record = {"origin": origin(), "made_by": made_by, "guests": builds}
    target = SANDBOX / "wasm"
    for name, data in (("guests.xz", packed), ("guests.json", json.dumps(record, indent=1).encode() + b"\n")):
        new = target / f".{name}"
        new.write_bytes(data)
        new.replace(target / name)


if __name__ == "__main__":
    main()
