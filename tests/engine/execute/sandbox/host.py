"""What attacks must leave alone: a canary folder, a listening socket, the processes of this test run."""

import ctypes
import os
import socket
import subprocess
import sys
from pathlib import Path


class Host:
    """Set up in an empty folder. `report` tells what has changed since."""

    def __init__(self, folder: Path) -> None:
        self.canary = folder
        (folder / "secret").write_text("secret")
        (folder / "secret").chmod(0o666)
        folder.chmod(0o777)
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.port = self._tcp.getsockname()[1]
        self._udp.bind(("127.0.0.1", self.port))
        self._unix = _listening(str(folder / "socket"))
        self._sockets = [self._tcp, self._udp, self._unix]
        if sys.platform == "linux":
            self._sockets.append(_listening(f"\0antemill-{self.port}"))
            ctypes.CDLL(None).prctl(
                36, 1, 0, 0, 0
            )  # PR_SET_CHILD_SUBREAPER: a process that loses its parent becomes our child
        for each in self._sockets:
            each.setblocking(False)
        self._before = self._files()

    def close(self) -> None:
        for each in self._sockets:
            each.close()
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(36, 0, 0, 0, 0)

    def fill_in(self, code: str) -> str:
        """An attack's program for this host."""
        return code.replace("CANARY", str(self.canary)).replace("PORT", str(self.port))

    def report(self) -> list[str]:
        """Changed files and sockets that were talked to; empty if nothing happened."""
        changed = [f"{path}: {data!r}" for path, data in self._files() ^ self._before]
        return changed + [f"{each} was talked to" for each in self._sockets if _touched(each)]

    def _files(self) -> set[tuple[str, str]]:
        found = set()
        for path in self.canary.rglob("*"):
            status = path.lstat()
            text = path.read_text() if path.is_file() else ""
            found.add((str(path), f"{status.st_mode} {status.st_uid} {status.st_mtime_ns} {text}"))
        return found


def _listening(address: str) -> socket.socket:
    made = socket.socket(socket.AF_UNIX)
    made.bind(address)
    made.listen()
    return made


def _touched(each: socket.socket) -> bool:
    try:
        if each.type == socket.SOCK_DGRAM:
            each.recv(1)
        else:
            each.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def descendants() -> set[int]:
    """The process numbers of our children, their children and so on."""
    parents = _parents()
    found: set[int] = set()
    new = {os.getpid()}
    while new:
        new = {pid for pid, parent in parents.items() if parent in new} - found
        found |= new
    return found


def _parents() -> dict[int, int]:
    if sys.platform == "linux":
        found = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    found[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                except (FileNotFoundError, ProcessLookupError):
                    continue
        return found
    with subprocess.Popen(["ps", "-A", "-o", "pid=,ppid="], stdout=subprocess.PIPE, text=True) as process:
        lines = process.communicate()[0].splitlines()
    rows = [tuple(map(int, line.split())) for line in lines]
    return {pid: parent for pid, parent in rows if pid != process.pid}
