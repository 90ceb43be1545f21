"""A server: a clean, single-threaded Python with one row of conditions. It has the library ready and forks once a run.

The client sends a head and four descriptors: a file with the texts, which only the fork reads, and files for its input,
its output and its answer. The server never holds what is in them, so a run inherits nothing from earlier ones. The fork
closes the door behind itself (`jail`) and goes through one stage:

    literal   a puzzle's code, a solution's text   -> whether the puzzle accepts it, or N: evaluate it elsewhere
    evaluate  a puzzle's code, a solution's text   -> V and the value as bytes
    judge     a puzzle's code, a value as bytes    -> whether the puzzle accepts it
    run       a program, which CPython itself runs as `__main__` and ends: E if it ends by an exception

All of them may answer E (error) or R (refused) with a sentence. Whether a puzzle accepts is one of two secrets, which
are drawn for one run. They are taken out of their list before the puzzle is called, and are on the interpreter's stack
alone after that. Where a solution's code runs, there are none. The server ends with its client, and a run with its
server. Standard library only.
"""

import builtins
import codecs
import contextlib
import ctypes
import fcntl
import gc
import importlib.machinery
import itertools
import linecache
import operator
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from antemill.engine.execute.sandbox import conditions, jail, library, values

# number of the stage, seconds, bytes of memory, bytes of one file, lengths of the texts
HEAD = struct.Struct("<BdQQ4I")
DONE = struct.Struct("<cid")  # how it ended, its exit code, its seconds; a sentence follows
STAGES = ("literal", "evaluate", "judge", "run")
# How a run ended: of itself; by its time; by the machine's failure; by a bound; killed from outside of the sandbox.
ENDED, SLOW, LOST, FULL, KILLED = b"A", b"S", b"L", b"F", b"K"
READY, DENIED = b"+", b"-"  # the beginning of a server's greeting
ANSWER = 3  # a run's descriptor besides the usual three
_ABOVE = 16  # the lowest number of descriptors until they get their own
_LOOK = 0.05  # seconds between two looks at a run's scratch folder and threads
_LATE = 2.0  # a server that wakes so many seconds late must have been stopped itself
_ROOM, _ENTRIES = 8 << 20, 500  # bytes and entries of a scratch folder
_THREADS = 200
_LOOKS = 100  # in a row that do not see all of its folders, until it counts as full
_DETAIL = 300  # characters
_STACK = 5 << 18  # bytes of a thread's stack
_monotonic, _PAGE = time.monotonic, os.sysconf("SC_PAGE_SIZE")


def serve(client: int, number: int, base: str, bare: set[str]) -> Any:
    """Answer requests until the client is gone. Returns in a fork only: the program to run, and its namespace."""
    server = _Server(client, number, base, bare)
    with contextlib.suppress(OSError):
        if problem := server.prepare():
            server.client.send(DENIED + problem.encode())
            os._exit(0)
        server.client.send(READY + sys.version.encode())
        while (program := server.perform()) is None:
            pass
        return program
    os._exit(0)


class _Server:
    """What a fork inherits."""

    def __init__(self, client: int, number: int, base: str, bare: set[str]) -> None:
        self.client, self._base = socket.socket(fileno=client), base
        self._row = conditions.ROWS[number % conditions.PUZZLES]
        self._pid = os.getpid()
        self._statm = os.open("/proc/self/statm", os.O_RDONLY)
        self._library = library.Library(bare, jail.KEPT)
        self._library.take_in_common(few=number == conditions.PUZZLES)

    def prepare(self) -> str:
        """Get ready. Returns why the machine cannot be protected, or nothing."""
        with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
            file.write("900")
        try:
            self._jail = jail.Jail()
        except OSError as error:
            return f"{error.strerror}."
        if problem := self._trial():
            return f"{problem}: allow it in the container's security profile."
        _prepare_threads()
        kept = conditions.put(self._row, self._jail.given)
        self._library.put_aside()
        codecs.register_error("", _End())
        for each in (self, kept):  # never released: a run needs the clock to its end, and no time to take it all down
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(each))
        gc.collect()
        gc.freeze()
        return ""

    def _trial(self) -> str:
        """Enter the jail once. Returns what the kernel denies, or nothing."""
        (reading, writing), folder = os.pipe(), self._folder()
        if not (pid := os.fork()):
            try:
                self._jail.shut(jail.Bounds(1 << 40, 10, 1 << 20), self._pid, folder, self._row.home)
            except BaseException as error:
                os.write(writing, str(error.strerror if isinstance(error, OSError) else repr(error)).encode())
            finally:
                os._exit(0)
        os.close(writing)
        with open(reading, "rb") as file:
            said = file.read().decode(errors="replace")
        os.waitpid(pid, 0)
        _remove(folder)
        return said

    def _folder(self) -> str:
        """A new folder with the scratch folder in it."""
        folder = os.path.join(self._base, os.urandom(8).hex())  # not a number: without root, a run sees its path
        os.mkdir(folder, 0o711)
        home = os.path.join(folder, self._row.home)
        os.mkdir(home, 0o700)
        if os.geteuid() == 0:
            os.chown(home, jail.USER, jail.USER)
        return folder

    def perform(self) -> Any:
        """One request. Returns in a fork only; the process ends if the client is gone."""
        head, descriptors, _, _ = socket.recv_fds(self.client, HEAD.size, 4)
        if len(head) != HEAD.size:
            _remove(self._base)
            os._exit(0)
        stage, seconds, memory, size, *lengths = HEAD.unpack(head)
        start, space = _monotonic(), int(os.pread(self._statm, 100, 0).split()[0]) * _PAGE + memory
        folder = self._folder()
        try:
            pid = os.fork()
        except OSError as error:
            done = DONE.pack(LOST, 0, 0.0) + f"no process could be forked ({error.strerror})".encode()
        else:
            if not pid:
                bounds = jail.Bounds(space, int(seconds) + 2, size)
                return self._run(STAGES[stage], bounds, lengths, descriptors, folder)
            done = self._end(pid, start, start + seconds, folder, int(seconds) + 2)
        for descriptor in descriptors:
            os.close(descriptor)
        try:  # mostly it is empty
            os.rmdir(os.path.join(folder, self._row.home))
            os.rmdir(folder)
        except OSError:
            _remove(folder)
        self.client.send(done)
        return None

    def _end(self, pid: int, start: float, deadline: float, folder: str, computing: int) -> bytes:
        """Wait for the fork until the deadline, and kill it then. Ends this process if the client is gone.

        computing: the processor's seconds at which the kernel may kill it.
        """
        handle, how, said = os.pidfd_open(pid), ENDED, ""
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        poll.register(self.client, select.POLLIN)
        while how == ENDED:
            asked = _monotonic()
            due = asked + max(0.0, min(_LOOK, deadline - asked))
            if ready := poll.poll((due - asked) * 1000):
                break
            state, threads = _state(pid)
            if _monotonic() - due > _LATE or state == "T":
                how, said = LOST, "its process was stopped"
            elif due >= deadline:
                how = SLOW
            elif threads > _THREADS:
                how, said = FULL, f"it has more than {_THREADS} threads"
            elif _full(folder):
                how, said = FULL, "it fills its scratch folder"
        if how != ENDED or all(descriptor != handle for descriptor, _ in ready):
            os.kill(pid, signal.SIGKILL)
        before = os.times()
        _, raw = os.waitpid(pid, 0)
        after = os.times()
        if how == ENDED and all(descriptor != handle for descriptor, _ in ready):
            _remove(self._base)
            os._exit(0)
        os.close(handle)
        status = os.waitstatus_to_exitcode(raw)
        if how == ENDED and status < 0:
            said = _signal(-status)
            took = sum(after[2:4]) - sum(before[2:4])  # of the processor, by processes that have ended
            how = KILLED if status == -signal.SIGKILL and took < computing else how
        return DONE.pack(how, status, _monotonic() - start) + said.encode()

    def _run(self, stage: str, bounds: jail.Bounds, lengths: list[int], given: list[int], folder: str) -> Any:
        """What a fork does."""
        try:
            with contextlib.suppress(OSError):
                os.write(os.open("/proc/self/oom_score_adj", os.O_WRONLY), b"1000")  # closed with the others
            texts = [os.pread(given[0], size, sum(lengths[:n])) for n, size in enumerate(lengths)]
            held = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, _ABOVE) for descriptor in given[1:]]
            self.client.detach()
            for descriptor, number in zip(held, (0, 1, ANSWER), strict=True):
                os.dup2(descriptor, number)
            os.dup2(os.memfd_create("antemill"), 2)  # /dev/null is one file for all runs, and can be locked
            os.closerange(ANSWER + 1, jail.KEPT)
            if missing := self._library.missing(texts[0]):
                self._library.take_in(missing)
                self._library.put_aside()
            vars(self._library.modules["random"])["seed"](self._row.seed)  # a fork has seeded it anew
            inside = self._jail.shut(bounds, self._pid, folder, self._row.home)
            conditions.begin(inside)
            program = _main(stage, texts, self._row, inside, bounds.file)
        except BaseException as error:
            _leave(b"E" + _sentence(error))
        return program


def _main(stage: str, texts: list[bytes], row: conditions.Row, inside: str, longest: int) -> Any:
    """Go through the stage; only the program that is to run comes back."""
    # A new one: what is older than `gc.freeze` is never collected, and so are the objects that it holds.
    sys.modules["__main__"] = ModuleType("__main__")
    main = sys.modules["__main__"].__dict__
    main |= {"__annotations__": {}, "__builtins__": builtins}
    path = os.path.join(inside, row.script)
    if stage == "run":
        main |= {"__file__": path, "__cached__": None}
        main["__loader__"] = importlib.machinery.SourceFileLoader("__main__", path)
        text = texts[0].decode()
        linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
        sys.excepthook = _note
        gc.collect()  # what our own code left behind is not the program's
        with _reason("the program can not be read: "):
            return compile(texts[0], path, "exec", dont_inherit=True), main
    code, second, *answers = texts
    texts.clear()  # the secrets are in `answers` alone
    if stage == "evaluate":
        _leave(_evaluated(code, second, main, longest))
    with _reason("the solution is not one expression: "):
        given: Any = (values.decode(second),) if stage == "judge" else values.literal(values.parse(second.decode()))
    write, leave = os.write, os._exit
    with _reason("the puzzle fails: "):
        leave(write(ANSWER, _verdict(code, given, main, answers) if given else b"N") < 1)


def _evaluated(code: bytes, text: bytes, main: dict[str, Any], longest: int) -> bytes:
    """The value of an expression, evaluated by itself, or in the puzzle's namespace if it uses the puzzle's names."""
    with _reason("the solution is not one expression: "):
        tree = values.parse(text.decode())
        compiled = compile(tree, "<solution>", "eval", dont_inherit=True)
    with _reason("the puzzle fails: "):
        puzzle = compile(code, "<puzzle>", "exec", dont_inherit=True)
        if values.needs_puzzle(tree, values.names_of(puzzle)):
            exec(puzzle, main)
    with _reason("the solution has no value: "):
        try:
            data = values.encode(eval(compiled, main))
        except values.NotPlainError as error:
            return b"R" + str(error).encode(errors="replace")
    if len(data) + 1 > longest:
        return f"Ethe solution's value takes {len(data)} bytes, more than {longest - 1}".encode()
    return b"V" + data


@contextlib.contextmanager
def _reason(what: str) -> Iterator[None]:
    """End the run if the block raises, with this beginning of its sentence."""
    try:
        yield
    except BaseException as error:
        _leave(b"E" + what.encode() + _sentence(error))


def _verdict(code: bytes, given: tuple[Any], main: dict[str, Any], answers: list[bytes]) -> bytes:
    """The truth of what `mystery` returns, as one of the answers (T6)."""
    return {False: answers.pop(0), True: answers.pop()}[operator.call(bool, operator.call(_asked, code, given, main))]


def _asked(code: bytes, given: tuple[Any], main: dict[str, Any]) -> Any:
    exec(compile(code, "<puzzle>", "exec", dont_inherit=True), main)
    mystery = main.get("mystery")
    if not callable(mystery) or isinstance(mystery, type):
        raise TypeError("the code defines no function mystery")
    return mystery(*given)


class _End:
    """Ends a run's process when CPython has ended the program, before it releases the library's memory.

    The registry of error handlers is released after the modules. The stream would be flushed at its own release, but
    the library's modules, which are never released, may hold it.
    """

    def __call__(self, error: Exception) -> Any:
        raise error

    def __del__(self, leave: Any = os._exit, printed: Any = sys.stdout) -> None:
        try:
            printed.flush()
        finally:
            leave(0)


def _prepare_threads() -> None:
    """Make a thread's stack so small that many fit into a run's memory, where the C library has a call for that."""
    with contextlib.suppress(OSError):
        ctypes.CDLL("libgcc_s.so.1")  # with which glibc ends a thread
    libc, attributes = ctypes.CDLL(None), ctypes.create_string_buffer(64)
    with contextlib.suppress(AttributeError):
        libc.pthread_attr_init(attributes)
        libc.pthread_attr_setstacksize(attributes, ctypes.c_size_t(_STACK))
        libc.pthread_setattr_default_np(attributes)


def _note(_kind: object, error: BaseException, _trace: object) -> None:
    """What CPython calls if a program ends by an exception."""
    os.write(ANSWER, b"Ethe program fails: " + _sentence(error))


def _leave(answer: bytes) -> None:
    with contextlib.suppress(OSError):
        os.write(ANSWER, answer)
    os._exit(0)


def _sentence(error: BaseException) -> bytes:
    """An exception as one line. Judged code may make the text, so everything that it raises is caught."""
    try:
        text = str(error).partition("\n")[0][:_DETAIL]
    except BaseException:
        text = ""
    return f"{type.__dict__['__name__'].__get__(type(error))}{': ' if text else ''}{text}".encode(errors="replace")


def _signal(number: int) -> str:
    with contextlib.suppress(ValueError):
        return f"its process was ended by {signal.Signals(number).name}"
    return f"its process was ended by signal {number}"


def _state(pid: int) -> tuple[str, int]:
    """The letter of a process's state, and how many threads it has, from what follows the name in its line."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        words = file.read().rpartition(b") ")[2].split()
    return words[0].decode(), int(words[17])


def _full(folder: str) -> bool:
    """Whether a run has filled its folder, or hides what is in it: by a depth, by denying, or by ever new names."""
    for _ in range(_LOOKS):
        hidden, size, entries = list[OSError](), 0, 0
        for where, folders, files in os.walk(folder, onerror=hidden.append):
            entries += len(folders) + len(files)
            if entries > _ENTRIES:
                return True
            for name in files:
                try:
                    size += os.lstat(os.path.join(where, name)).st_size
                except OSError as error:
                    if not isinstance(error, FileNotFoundError):
                        return True
            if size > _ROOM:
                return True
        if not hidden:
            return False
    return True


def _remove(folder: str) -> None:
    """Remove a folder however deep it is: what is in the folders in it is moved up first."""
    with contextlib.suppress(OSError):
        for turn in itertools.count():
            entries = list(os.scandir(folder))
            for number, entry in enumerate(entries):
                if not entry.is_dir(follow_symlinks=False):
                    os.unlink(entry.path)
                    continue
                os.chmod(entry.path, 0o700)
                for place, inner in enumerate(os.listdir(entry.path)):
                    os.chmod(os.path.join(entry.path, inner), 0o700)  # a folder that is moved must be writable
                    os.rename(os.path.join(entry.path, inner), os.path.join(folder, f"{turn}.{number}.{place}"))
                os.rmdir(entry.path)
            if not entries:
                break
        os.rmdir(folder)
