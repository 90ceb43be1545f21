"""The steps that a check is made of. Each runs in a fresh interpreter and ends with one message.

    literal   a puzzle's code, a solution's text -> true, false or E if the solution is a literal, else N
    evaluate  a puzzle's code, a solution's text -> V and the value as bytes, or E; if the value can not travel, B
              (build it), or I and the puzzle's data as bytes (evaluate it in isolation)
    judge     a puzzle's code, a value's bytes -> true, false or E
    build     a puzzle's code, a solution's text -> true, false, E or R
    isolated  a puzzle's code, a solution's text with the puzzle's data (`joined`) -> true, false, E or R
    run       a program's text, how it runs -> O and what it printed (see `parted`), U if the order of sets may matter
              (with sets in one of ARRANGEMENTS: if Python's order of a set is not known here), E or R
    about     nothing -> the version and build of this Python; no judged code runs

The letter may be followed by data; E (error) and R (refused) carry a sentence.

True and false are not letters but two secrets, the `answers`, which the client draws for this one message. Without them
the puzzle's result can neither be read nor forged. The stage `evaluate`, in which a solution's code runs, has no
answers. The others hold them in a list, from which `_verdict` takes them before it calls the puzzle. After that they
are on the interpreter's stack only, and between the puzzle's result and the message only built-in functions run that
are on the stack, too. So no variable, attribute or function is left from which the puzzle could read the answers, or
which it could change. `blinding.blind` removes what shows that stack. (Code that reads this process's raw memory finds
the answers. Only a puzzle could do that, and it would gain a puzzle that is always true, which it is free to be.)
"""

import ast
import builtins
import contextlib
import operator
import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .determinism import address, releases, rewriting, set_order, set_use, static_rule
from .determinism.askers import PROGRAMS
from .determinism.guard import Guard
from .values import builder, expression, inspection, isolated, plain, safe_library, text_policy
from .world import ending, streams, variation

PUZZLE = "<puzzle>"
ELSEWHERE = "elsewhere"  # how a program's second run runs, on another machine (`world.machines`)
_DETAIL = 300  # characters
_FLOOD = 64 << 20  # bytes: a puzzle that prints more is not going to end
_WORD = 8  # bytes
_EXEC = exec  # before a door stands in its place
Answers = list[bytes]  # what stands for false, then what stands for true; removed when used
MakeValue = Callable[[dict[str, Any]], Any]  # from the puzzle's namespace to a solution's value


@dataclass(frozen=True)
class Bounds:
    """What one stage may produce: bytes of output, bytes of a solution's value, and seconds (of sleep)."""

    output: int
    value: int
    seconds: float


def literal(code: str, text: str, answers: Answers, bounds: Bounds) -> bytes:
    """What the puzzle says of a solution that is a literal. Nothing of the solution is executed."""
    _set_streams()
    try:
        tree = expression.parse(text)
        compile(tree, expression.FILE, "eval", dont_inherit=True)
        if not expression.is_literal(tree):
            return b"N"
        given = ast.literal_eval(tree)
    except BaseException as error:
        return b"E" + _sentence(error, "the solution is not one expression")
    return _judge(code, lambda _: given, answers)


def evaluate(code: str, text: str, bounds: Bounds) -> bytes:
    """The value of an expression, evaluated by itself, or in the puzzle's namespace if it uses the puzzle's names."""
    _set_streams()
    try:
        tree = expression.parse(text)
        compiled = compile(tree, expression.FILE, "eval", dont_inherit=True)
    except BaseException as error:
        return b"E" + _sentence(error, "the solution is not one expression")
    origins: isolated.Origins = {}
    known = plain.encode(origins)
    try:
        scope = streams.new_main()
        if expression.needs_puzzle(tree, code):
            if expression.is_direct(tree, code):
                return b"B"
            safe_library.remember()
            _execute(code, PUZZLE, scope)
            origins = isolated.origins_of(expression.free_names(tree), scope)
        known = plain.encode(origins)
        letter, data = b"V", plain.encode(eval(compiled, scope))
    except plain.NotPlainError:
        if expression.is_of_puzzle(tree, origins):
            return b"B"
        letter, data = b"I", known
    except BaseException as error:
        return b"E" + _sentence(error, "the solution has no value")
    if len(data) > bounds.value:
        what = "value" if letter == b"V" else "part of the puzzle's data"
        return b"E" + f"the solution's {what} takes {len(data)} bytes, more than {bounds.value}".encode()
    return letter + data


def judge(code: str, data: bytes, answers: Answers, bounds: Bounds) -> bytes:
    """Whether the puzzle accepts a value."""
    _set_streams()
    return _judge(code, lambda _: plain.checked(plain.decode(data)), answers)


def build(code: str, text: str, answers: Answers, bounds: Bounds) -> bytes:
    """Whether the puzzle accepts the expression's value, built of the puzzle's own things."""
    _set_streams()
    safe_library.remember()
    return _judge(code, lambda scope: builder.build(expression.parse(text), scope), answers, after=True)


def isolate(code: str, joint: bytes, answers: Answers, bounds: Bounds) -> bytes:
    """Whether the puzzle accepts the expression's value, made before the puzzle's code runs."""
    _set_streams()
    text, data = parted(joint)
    safe_library.remember()

    def make_value(scope: dict[str, Any]) -> Any:
        inspection.enter(scope)
        tree = expression.parse(text.decode())
        return isolated.make(tree, expression.free_names(tree), plain.decode(data))

    return _judge(code, make_value, answers)


def joined(text: bytes, data: bytes) -> bytes:
    """A solution's text and the puzzle's data as one byte string, for the stage `isolated`."""
    return _word(len(text)) + text + data


def parted(joint: bytes) -> tuple[bytes, bytes]:
    """The two parts of `joined`: the solution's text and the puzzle's data, or what a program prints before its objects
    are released, and afterwards."""
    end = _WORD + int.from_bytes(joint[:_WORD], "little")
    return joint[_WORD:end], joint[end:]


def _word(number: int) -> bytes:
    return number.to_bytes(_WORD, "little")


def _judge(code: str, make_value: MakeValue, answers: Answers, after: bool = False) -> bytes:
    """What the puzzle says of a value, which is made before the puzzle's code runs or `after` it."""
    try:
        return _verdict(code, streams.new_main(), make_value, after, answers)
    except text_policy.RefusedError as error:
        return b"R" + _sentence(error, "")
    except BaseException as error:
        return b"E" + _sentence(error, "the puzzle fails")


def run(program: str, how: str, bounds: Bounds) -> bytes:
    """What the program prints. `how` it runs: unchanged (""), ELSEWHERE, or with its sets in one of ARRANGEMENTS."""
    sink = streams.set_streams(bounds.output, keep=True)
    name = PROGRAMS[how == ELSEWHERE]
    try:
        problem, reasons = static_rule.judged(program)
        tree = None if problem else rewriting.rewritten(program, reasons)
        compiled: Any = None if problem else compile(program, name, "exec", dont_inherit=True)
        if compiled and how == ELSEWHERE:
            tree = releases.reordered(program, tree, compiled)
        letter = b"U" if compiled and not how and set_use.matters(program, compiled) else b"O"
    except BaseException as error:
        return b"E" + _sentence(error, "the program can not be read")
    if problem:
        return b"R" + f"the output may differ elsewhere: {problem}".encode()
    guard = _guards[-1]
    guard.texts.of_text = lambda text: static_rule.of_text(text, program)
    try:
        if tree is not None:
            compiled = compile(tree, name, "exec", dont_inherit=True)
        acts = ending.acts(program)
        namespace = _run_to_its_end(tree or program, compiled, name, how, guard, acts)
        guard.let_go()
        before, certain = ending.end(namespace, lambda: sink.size, acts)
        if not certain:
            problem = "which of its objects print at its end, and in which order, is up to Python's garbage collector"
        printed = sink.printed()
        letter = b"U" if how in set_order.ARRANGEMENTS and set_order.unknown() else letter
        text = printed.decode(errors="replace")
        problem = problem or static_rule.shown(text) or ("it prints what id gives" if address.printed(text) else "")
    except BaseException as error:
        if not guard.problem:
            return b"E" + _sentence(error, "the program fails")
    problem = guard.problem or problem
    if problem:
        return b"R" + f"the output may differ elsewhere: {problem}".encode()
    return letter + _word(before) + printed


_guards: list[Guard] = []


def prepare(number: int) -> None:
    """Make what programs are watched with, before the process is forked or the guest snapshotted. number: of the
    machine, see `world.machines`."""
    _guards.append(Guard(second=number == 1))


def _set_streams() -> None:
    """The streams of a puzzle: nothing that it prints is kept."""
    streams.set_streams(_FLOOD, keep=False)


def _run_to_its_end(
    program: str | ast.Module, compiled: Any, name: str, how: str, guard: Guard, acts: bool
) -> "weakref.ref[Any]":
    """Run the program, and release its frames. Returns what lives as long as its namespace."""
    if how in set_order.ARRANGEMENTS:
        guard.texts.rewrite = set_order.rewrite
        vars(builtins).update(set_order.install(how))
        tree: Any = set_order.rewrite(ast.parse(program) if isinstance(program, str) else program)
        compiled = compile(tree, name, "exec", dont_inherit=True)
    guard.watch()
    if how in set_order.ARRANGEMENTS:
        variation.turn_again()
    streams.put_main()
    if acts:
        ending.age(how == ELSEWHERE)
    scope = sys.modules["__main__"].__dict__
    namespace = weakref.ref(scope["__loader__"])
    try:
        if how == ELSEWHERE:
            variation.deeper(lambda: _EXEC(compiled, scope))
        else:
            _EXEC(compiled, scope)
    except SystemExit as leaving:
        if not (leaving.code is None or isinstance(leaving.code, int)) and sys.stderr is not None:
            with contextlib.suppress(BaseException):
                sys.stderr.write(str(leaving.code))  # which runs the program's code if the message is its own object
    return namespace


def _execute(code: str, name: str, scope: dict[str, Any]) -> None:
    exec(compile(code, name, "exec", dont_inherit=True), scope)


def _mystery(code: str, scope: dict[str, Any]) -> Callable[[Any], Any]:
    _execute(code, PUZZLE, scope)
    mystery = scope.get("mystery")
    if not callable(mystery) or isinstance(mystery, type):
        raise TypeError("the code defines no function mystery")
    return mystery  # type: ignore[no-any-return]


_OF_CLASS = type.__dict__["__module__"].__get__
_MRO = type.__dict__["__mro__"].__get__
_NAMES = type.__dict__["__dict__"].__get__
_CALL: Any = operator.call
_TYPE = type  # the puzzle may replace the built-in name


def _verdict(code: str, scope: dict[str, Any], make_value: MakeValue, after: bool, answers: Answers) -> bytes:
    """The truth of the puzzle's result, as one of the answers (T6).

    Raises what the puzzle or `make_value` raise, and KeyError for an object whose truth the puzzle's code decides.
    """
    return {(False, False): answers.pop(0), (False, True): answers.pop()}[
        tuple(map(_CALL, (bool, operator.truth), _CALL(_solved, code, scope, make_value, after)))
    ]


def _solved(code: str, scope: dict[str, Any], make_value: MakeValue, after: bool) -> tuple[bool, Any]:
    """Whether the puzzle's code decides the truth of its result, and the result.

    (A puzzle that changes this function gets, at most, the word of such an object instead of an error.)
    """
    given = None if after else make_value(scope)
    mystery = _mystery(code, scope)
    result = mystery(make_value(scope) if after else given)
    kind = _TYPE(result)
    for one in _MRO(kind):
        if _OF_CLASS(one) == "__main__" and ("__bool__" in _NAMES(one) or "__len__" in _NAMES(one)):
            return True, result
    return _OF_CLASS(_TYPE(kind)) == "__main__", result


def _sentence(error: BaseException, what: str) -> bytes:
    """An exception as one line. Judged code may make the text, so everything that it raises is caught."""
    name = type.__dict__["__name__"].__get__(type(error))
    try:
        text = str(error).partition("\n")[0][:_DETAIL]
    except BaseException:
        text = ""
    if type(error) is KeyError and text.startswith("(True, "):
        text = "its result is an object with a __bool__, a __len__ or a metaclass of its own, not a truth value"
    if isinstance(error, text_policy.RefusedError):
        return text.encode(errors="replace")
    line = f"{name}: {text}" if text else name
    return (f"{what}: {line}" if what else line).encode(errors="replace")


Stage = Callable[[bytes, bytes, Answers, Bounds], bytes]
STAGES: dict[str, Stage] = {
    "literal": lambda first, second, answers, bounds: literal(first.decode(), second.decode(), answers, bounds),
    "evaluate": lambda first, second, answers, bounds: evaluate(first.decode(), second.decode(), bounds),
    "judge": lambda first, second, answers, bounds: judge(first.decode(), second, answers, bounds),
    "build": lambda first, second, answers, bounds: build(first.decode(), second.decode(), answers, bounds),
    "isolated": lambda first, second, answers, bounds: isolate(first.decode(), second, answers, bounds),
    "run": lambda first, second, answers, bounds: run(first.decode(), second.decode(), bounds),
    "about": lambda first, second, answers, bounds: sys.version.encode(),
}
