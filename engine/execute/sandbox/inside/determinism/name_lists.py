"""The names that a program whose output is to be predicted must not use, and why (S3)."""

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MODULES = _words(
    """__main__ _thread bdb cProfile code codeop concurrent ctypes curses dbm dis distutils doctest
    email ensurepip faulthandler fcntl filecmp fileinput ftplib getopt getpass gettext glob grp http
    idlelib imaplib imp importlib lib2to3 linecache locale mailbox marshal mimetypes mmap modulefinder
    multiprocessing netrc nntplib opcode pdb pickletools pkgutil poplib posix profile pstats pty pwd
    py_compile pyclbr pydoc readline resource runpy sched secrets select selectors shelve shutil signal site
    smtplib socket socketserver sqlite3 ssl stat subprocess symtable sysconfig syslog tarfile tempfile termios
    test timeit tkinter token tokenize trace tracemalloc tty turtle unittest venv webbrowser wsgiref xmlrpc
    zipapp zipfile zipimport zoneinfo"""
)
_PATHS = _words(
    """altsep basename commonpath commonprefix curdir dirname extsep isabs join normcase normpath pardir pathsep sep
    split splitdrive splitext"""
)
ONLY = {  # module: the parts that depend on their arguments only; no other part is allowed
    "ast": _words(
        """AST Add And Assert Assign AsyncFor AsyncFunctionDef AsyncWith Attribute AugAssign Await BinOp BitAnd BitOr
        BitXor BoolOp Break Call ClassDef Compare Constant Continue Del Delete Dict DictComp Div Eq ExceptHandler Expr
        Expression FloorDiv For FormattedValue FunctionDef GeneratorExp Global Gt GtE If IfExp Import ImportFrom In
        Interactive Invert Is IsNot JoinedStr LShift Lambda List ListComp Load Lt LtE MatMult Match Mod Module Mult Name
        NamedExpr NodeTransformer NodeVisitor Nonlocal Not NotEq NotIn Or Pass Pow RShift Raise Return Set SetComp Slice
        Starred Store Sub Subscript Try TryStar Tuple UAdd USub UnaryOp While With Yield YieldFrom alias arg arguments
        boolop cmpop comprehension copy_location expr expr_context fix_missing_locations get_docstring iter_child_nodes
        literal_eval match_case mod operator parse pattern stmt unaryop walk withitem"""
    ),
    "asyncio": _words(
        """BoundedSemaphore CancelledError Condition Event Future InvalidStateError LifoQueue Lock PriorityQueue Queue
        QueueEmpty QueueFull Semaphore Task TaskGroup TimeoutError create_task current_task ensure_future gather
        iscoroutine iscoroutinefunction isfuture run shield sleep timeout wait_for"""
    ),
    "atexit": _words("register unregister"),
    "builtins": _words(
        """ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BufferError BytesWarning
        DeprecationWarning EOFError Ellipsis EnvironmentError Exception ExceptionGroup False FileExistsError
        FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning
        IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError
        ModuleNotFoundError NameError None NotADirectoryError NotImplemented NotImplementedError OSError OverflowError
        PermissionError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration
        StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError True TypeError
        UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeWarning UserWarning ValueError
        Warning ZeroDivisionError abs all any ascii bin bool bytearray bytes callable chr classmethod complex dict
        divmod enumerate filter float format frozenset getattr hasattr hash hex id int isinstance issubclass iter len
        list map max memoryview min next object oct ord pow print property range repr reversed round set setattr slice
        sorted staticmethod str sum tuple type zip"""
    ),
    "errno": _words(  # their numbers are the same on Linux and macOS
        """E2BIG EACCES EBADF EBUSY ECHILD EDOM EEXIST EFAULT EFBIG EINTR EINVAL EIO EISDIR EMFILE EMLINK ENFILE ENODEV
        ENOENT ENOEXEC ENOMEM ENOSPC ENOTDIR ENOTTY ENXIO EPERM EPIPE ERANGE EROFS ESPIPE ESRCH EXDEV"""
    ),
    "gc": _words("disable enable isenabled"),
    "gzip": _words("BadGzipFile decompress"),
    "inspect": _words(
        """BoundArguments CORO_CLOSED CORO_CREATED CORO_RUNNING CORO_SUSPENDED GEN_CLOSED GEN_CREATED GEN_RUNNING
        GEN_SUSPENDED Parameter Signature cleandoc getcallargs getcoroutinestate getdoc getfullargspec getgeneratorstate
        getmembers getmro isabstract isasyncgen isasyncgenfunction isawaitable isbuiltin isclass iscoroutine
        iscoroutinefunction isfunction isgenerator isgeneratorfunction ismethod isroutine signature unwrap"""
    ),
    "keyword": _words("iskeyword kwlist"),
    "logging": _words(
        """CRITICAL DEBUG ERROR FATAL Filter Formatter Handler INFO Logger LoggerAdapter NOTSET NullHandler
        StreamHandler WARN WARNING addLevelName basicConfig critical debug disable error getLevelName getLogger info
        log root warning"""
    ),
    "ntpath": _PATHS,
    "os": _words("PathLike altsep curdir extsep fspath linesep name pardir path pathsep sep"),
    "os.path": _PATHS,
    "pathlib": _words("Path PosixPath PurePath PurePosixPath PureWindowsPath"),
    "pickle": _words("HIGHEST_PROTOCOL PickleError PicklingError UnpicklingError dumps loads"),
    "platform": _words("python_implementation"),
    "posixpath": _PATHS,
    "sys": _words(
        """exit float_info getrecursionlimit intern maxsize maxunicode set_int_max_str_digits setrecursionlimit stderr
        stdin stdout __stderr__ __stdin__ __stdout__"""
    ),
    "threading": _words("BoundedSemaphore Event Lock RLock Semaphore local"),
    "time": _words("sleep"),
    "traceback": _words("format_exception_only"),
    "urllib": _words("parse"),
    "uuid": _words("UUID uuid3 uuid5 NAMESPACE_DNS NAMESPACE_OID NAMESPACE_URL NAMESPACE_X500"),
    "weakref": _words("ReferenceType WeakKeyDictionary WeakMethod WeakValueDictionary finalize ref"),
}
EXCEPT = {  # module: the parts that depend on more than their arguments; all others are allowed
    "hashlib": _words("algorithms_available file_digest"),
    "io": _words("DEFAULT_BUFFER_SIZE"),
    "random": _words("SystemRandom"),
    "types": _words("CodeType"),
    "unicodedata": _words("unidata_version"),
    "zlib": _words("ZLIB_RUNTIME_VERSION ZLIB_VERSION compress compressobj"),
}
_GATED = {*MODULES, *ONLY, *EXCEPT, "datetime"}  # modules that must not be reached as an attribute of another module
_STREAMS = _words("__stderr__ __stdin__ __stdout__")  # of `sys`
OF_MODULES = ("__doc__", "__name__", *_STREAMS)
DATES = _words("astimezone ctime fromtimestamp now timestamp today utcnow")  # of datetime: clock, time zone
RECORDED = _words("asctime created msecs process relativeCreated thread")  # in formats of what is logged
LOGGED = _words("created filename module msecs pathname relativeCreated")  # of a record: when and where it was made
MOMENTS = _words("astimezone timestamp")  # of those, the ones that no machine decides for a moment with a time zone
TEXT = "what text would be executed can not be told beforehand"
NAMES = {  # built-in names, and why a program must not use them
    **dict.fromkeys(_words("__builtins__ __cached__ __file__ __import__ __loader__ __spec__"), "it leads anywhere"),
    "compile": TEXT,
    **dict.fromkeys(
        _words("globals locals"), "they hold more than the program's names, unless one is asked for by name"
    ),
    **dict.fromkeys(_words("copyright credits help license"), "its text differs between versions"),
    **dict.fromkeys(_words("breakpoint input"), "there is no input"),
    "dir": "which names there are differs between versions",
    "open": "there are no files",
    "MemoryError": "how much memory there is differs",
}
ATTRIBUTES = _words(
    """_getframe ag_code ag_frame cr_code cr_frame f_back f_builtins f_code f_globals f_locals get_loop gi_code
    gi_frame tb_frame tb_lasti tb_next"""
)
_SPECIAL = _words(
    """__abs__ __abstractmethods__ __add__ __aenter__ __aexit__ __aiter__ __and__ __anext__ __annotations__ __args__
    __await__ __base__ __bases__ __bool__ __bytes__ __call__ __cause__ __ceil__ __class__ __class_getitem__
    __complex__ __contains__ __context__ __copy__ __dataclass_fields__ __debug__ __deepcopy__ __defaults__ __del__
    __delattr__ __delete__ __delitem__ __divmod__ __doc__ __enter__ __eq__ __exit__ __float__ __floor__ __floordiv__
    __format__ __func__ __ge__ __get__ __getattr__ __getitem__ __gt__ __iadd__ __iand__ __ifloordiv__ __ilshift__
    __imatmul__ __imod__ __imul__ __index__ __init__ __init_subclass__ __instancecheck__ __int__ __invert__ __ior__
    __ipow__ __irshift__ __isub__ __iter__ __itruediv__ __ixor__ __kwdefaults__ __le__ __len__ __length_hint__
    __lshift__ __lt__ __main__ __match_args__ __matmul__ __members__ __metadata__ __missing__ __mod__ __module__
    __mro__ __mul__ __name__ __ne__ __neg__ __new__ __next__ __notes__ __or__ __orig_bases__ __origin__
    __parameters__ __pos__ __post_init__ __pow__ __prepare__ __qualname__ __radd__ __rand__ __rdivmod__ __repr__
    __reversed__ __rfloordiv__ __rlshift__ __rmatmul__ __rmod__ __rmul__ __ror__ __round__ __rpow__ __rrshift__
    __rshift__ __rsub__ __rtruediv__ __rxor__ __set__ __set_name__ __setattr__ __setitem__ __slots__ __str__ __sub__
    __subclasscheck__ __suppress_context__ __total__ __truediv__ __trunc__ __version__ __wrapped__ __xor__"""
)
# Attributes that may be asked of the program's own objects only, see `introspection`.
OF_OWN = _words("__closure__ __dict__ __getattribute__ __hash__ __self__ __subclasses__")
FORMATS = _words("format format_map")  # of a text: its fields read attributes
# Attributes that the program asks the guard for. (`obj` of an AttributeError may be a module of the library; the items
# of a `cast` may have another size on another machine.)
ASKED = OF_OWN | FORMATS | MOMENTS | {"__repr__", "cast", "obj"}
OF_CODE = _words("co_argcount co_cellvars co_freevars co_kwonlyargcount co_name co_posonlyargcount co_varnames")
# What `2.0 ** 2000` raises says in glibc, in musl and in macOS's library.
OF_LIBRARY = ("Numerical result out of range", "Result not representable", "Result too large")
ADDRESS = re.compile(r" (?:at|@) 0x[0-9a-fA-F]{5,16}[>,;]")


def problem_of_part(module: str, part: str) -> str:
    """Why a program must not use `module.part`; empty if it may."""
    allowed = part in ONLY[module] if module in ONLY else part not in EXCEPT.get(module, ())
    private = bool(module) and part.startswith("_") and part not in OF_MODULES
    leads = part in _GATED and part != module and module not in ("", "datetime", "collections")
    return f"it uses {module}.{part}" if not allowed or private or leads else ""


def hidden(name: str) -> bool:
    """Whether an attribute leads to frames, or is a special one that is not in the list of allowed ones."""
    special = name.startswith("__") and name.endswith("__") and len(name) > 4 and name not in _SPECIAL | _STREAMS
    return special or name in ATTRIBUTES
