"""Attacks on the machine."""

from tests.engine.execute.sandbox.attacks.attack import Attack, fails, finds, gains

_TRY = """
def tried(*ways):
    done = []
    for way in ways:
        try:
            way()
        except BaseException:
            continue
        done.append(way)
    return bool(done)
"""

HOST: dict[str, Attack] = {
    "reads a file": fails("def mystery(x):\n    return open('CANARY/secret').read() == 'secret'"),
    "reads what is readable for everybody": finds(
        _TRY
        + """
import io, os
def mystery(x):
    names = ["/etc/passwd", "/etc/hosts", "/proc/self/environ", "/proc/self/maps", "/proc/1/cmdline", "/dev/zero"]
    return tried(*(lambda n=n, f=f: f(n) for n in names for f in (open, io.FileIO, io.open_code)),
                 lambda: os.listdir("/"), lambda: os.listdir("CANARY"), lambda: os.stat("CANARY/secret"))
"""
    ),
    "changes files": finds(
        _TRY
        + """
import os
def mystery(x):
    f = "CANARY/secret"
    return tried(lambda: os.remove(f), lambda: os.rename(f, f + "2"), lambda: os.truncate(f, 0), lambda: os.chmod(f, 0),
                 lambda: os.symlink(f, f + "3"), lambda: os.link(f, f + "4"), lambda: os.utime(f, (0, 0)),
                 lambda: os.mkdir("CANARY/d"), lambda: os.mkfifo("CANARY/p"), lambda: os.open(f, os.O_RDWR),
                 lambda: open(f, "a").write("x"), lambda: os.chown(f, 1, 1), lambda: os.setxattr(f, "user.x", b"x"))
"""
    ),
    "writes files through the library": finds(
        _TRY
        + """
def database():
    import sqlite3
    sqlite3.connect("CANARY/x.db").execute("create table t (a)")
def archive():
    import zipfile
    zipfile.ZipFile("CANARY/x.zip", "w").writestr("a", "b")
def log():
    import logging
    logging.FileHandler("CANARY/x.log").emit(logging.makeLogRecord({"msg": "x"}))
def temporary():
    import tempfile
    tempfile.NamedTemporaryFile(dir="CANARY", delete=False).write(b"x")
def shelf():
    import shelve
    shelve.open("CANARY/x")
def mystery(x):
    return tried(database, archive, log, temporary, shelf)
"""
    ),
    "moves to another folder": fails("import os\ndef mystery(x):\n    os.chdir('CANARY')\n    return True"),
    "connects": fails(
        "import socket\ndef mystery(x):\n"
        "    socket.create_connection(('127.0.0.1', PORT), 1).sendall(b'x')\n    return True"
    ),
    "asks for a page": fails(
        "import urllib.request\ndef mystery(x):\n    urllib.request.urlopen('http://127.0.0.1:PORT')\n    return True"
    ),
    "uses other sockets": finds(
        _TRY
        + """
import socket
def mystery(x):
    return tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", PORT)),
                 lambda: socket.socket(socket.AF_UNIX).connect("CANARY/socket"),
                 lambda: socket.socket(socket.AF_UNIX).connect("\\0antemill-PORT"),
                 lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
                 lambda: socket.create_server(("", 0)), lambda: socket.getaddrinfo("localhost", 80),
                 *(lambda n=n: socket.socket(fileno=n).send(b"x") for n in range(8)))
"""
    ),
    "runs a program": fails(
        "import subprocess\ndef mystery(x):\n    return subprocess.run(['/bin/true']).returncode == 0"
    ),
    "runs programs in other ways": finds(
        _TRY
        + """
import os
def spawned():
    import multiprocessing
    multiprocessing.Process(target=print).start()
def mystery(x):
    if tried(lambda: os.execv("/bin/true", ["true"]), lambda: os.posix_spawn("/bin/true", ["true"], {}),
             lambda: os.popen("true").read(), lambda: os.forkpty(), spawned):
        return True
    return getattr(os, "system", lambda _: 1)("true") == 0
"""
    ),
    "forks many times": finds(
        """
import os
def mystery(x):
    made = 0
    for _ in range(50):
        try:
            if os.fork() == 0:
                os._exit(0)
            made += 1
        except (OSError, AttributeError):
            pass
    return made > 0
"""
    ),
    "leaves a daemon": fails(
        """
import os, time
def mystery(x):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 64)
            time.sleep(2)
            open("CANARY/daemon", "w").write("x")
        os._exit(0)
    return True
"""
    ),
    "kills": finds(
        _TRY
        + """
import os, signal
def mystery(x):
    return tried(lambda: os.kill(os.getppid(), 9), lambda: os.kill(-1, 9), lambda: os.killpg(0, 9),
                 lambda: os.kill(1, 0),
                 lambda: signal.pidfd_send_signal(os.pidfd_open(os.getppid()), 9), lambda: signal.raise_signal(9))
"""
    ),
    "leaves its session": finds(
        _TRY
        + "import os\ndef mystery(x):\n"
        + "    return tried(lambda: os.setsid(), lambda: os.setpgid(0, 0), lambda: os.getpgid(0))"
    ),
    "becomes somebody else": finds(
        _TRY
        + """
import os
def mystery(x):
    return tried(lambda: os.setuid(0), lambda: os.setresuid(0, 0, 0), lambda: os.setgroups([0]), lambda: os.chroot("/"),
                 lambda: os.unshare(os.CLONE_NEWUSER | os.CLONE_NEWNS), lambda: os.setns(0), lambda: os.nice(-5),
                 lambda: os.sched_setaffinity(0, {0}))
"""
    ),
    "raises its own limits": finds(
        _TRY
        + """
def raised(name):
    import resource
    resource.setrlimit(getattr(resource, name), (resource.RLIM_INFINITY,) * 2)
    resource.prlimit(0, getattr(resource, name), (resource.RLIM_INFINITY,) * 2)
def mystery(x):
    return tried(*(lambda n=n: raised(n) for n in ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_NPROC", "RLIMIT_NOFILE")),
                 lambda: bytearray(200 << 20))
"""
    ),
    "reads its parent's memory": finds(
        _TRY
        + """
import os
def mystery(x):
    return tried(*(lambda p=p, f=f: open(f"/proc/{p}/{f}", "rb").read(1)
                   for p in (getattr(os, 'getppid', int)(), os.getpid(), "self", 1)
                   for f in ("mem", "environ", "maps", "fd/0")))
"""
    ),
    "opens descriptors anew": finds(
        _TRY
        + """
import os
def mystery(x):
    return tried(*(lambda n=n: open(f"/proc/self/fd/{n}", "r+b") for n in range(32)),
                 lambda: os.memfd_create("x"), lambda: os.eventfd(0))
"""
    ),
    "maps descriptors": finds(
        _TRY
        + """
def mapped(n):
    import mmap
    mmap.mmap(n, 4096)
def mystery(x):
    return tried(*(lambda n=n: mapped(n) for n in range(3, 32)))
"""
    ),
    "makes executable memory": fails(
        "import mmap\ndef mystery(x):\n"
        "    return bool(mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC))"
    ),
    "calls the C library": finds(
        "import ctypes\ndef mystery(x):\n    c = ctypes.CDLL(None)\n"
        "    return c.fork() >= 0 or c.open(b'/etc/passwd', 0) >= 0 or c.socket(2, 1, 0) >= 0"
    ),
    "crashes by a null pointer": fails("def mystery(x):\n    import ctypes\n    ctypes.string_at(0)\n    return True"),
    "loads machine code": finds(
        _TRY
        + """
import importlib.machinery, importlib.util, sys
def dynamic():
    import _imp
    _imp.create_dynamic(importlib.machinery.ModuleSpec("_ctypes", None, origin="/usr/lib/libc.so.6"))
def mystery(x):
    return tried(dynamic)
"""
    ),
    "reads the environment": finds(
        "import os\ndef mystery(x):\n    return 'PYTEST_CURRENT_TEST' in os.environ or 'antemill' in str(os.environ)"
    ),
    "sees other processes": finds(
        _TRY + "import os\ndef mystery(x):\n"
        "    return tried(lambda: os.listdir('/proc'), *(lambda n=n: os.kill(n, 0) for n in (1, 2, os.getppid())))"
    ),
    "sends signals to a descriptor": gains(
        """
import faulthandler, signal
def mystery(x):
    for n in range(8):
        ways = (signal.set_wakeup_fd, faulthandler.enable, faulthandler.dump_traceback)
        for way in (lambda way=way: way(n) for way in ways):
            try:
                way()
            except BaseException:
                pass
    return False
"""
    ),
}
