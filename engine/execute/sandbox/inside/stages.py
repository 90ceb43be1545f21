"""The steps that a check is made of. Each runs in a fresh interpreter and ends with one message.

    literal   a puzzle's code, a solution's text -> true, false or E if the solution is data as it stands, else N
    solve     a puzzle's code, a solution's text -> V and its value as bytes, E, or, if the value can not travel, B
              (to be built), or A and the puzzle's data as bytes (to be made alone)
    judge     a puzzle's code, a value's bytes -> true, false or E
    built     a puzzle's code, a solution's text -> true, false, E or R
    alone     a puzzle's code, a solution's text and the puzzle's data (`joined`) -> true, false, E or R
    run       a program's text, how it runs -> O and what it printed (U if the order of sets might matter), E or R
    about     nothing -> the version and build of this Python; no party's code runs

A letter may be followed by data; E (error) and R (refused) carry a sentence. True and false are no letters but two
secrets, the `answers`, drawn for this one message by whoever asks: nobody can tell what the puzzle found without them.
`solve`, where a solution's code runs, has none. Elsewhere they lie in a list, from which `_verdict` takes them before
it calls the puzzle. From then on they are on the interpreter's stack only, and only built-in functions that lie there,
too, come between the puzzle's result and the message: no variable, attribute or function is left that the puzzle could
read them from or could change. `world.blind` takes away what shows that stack. (Code that gets to read this process's
raw memory finds them. Only a puzzle could, and what it gains is a puzzle that is always true, which it may be anyway.)
"""

import ast
import operator
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import alone, asked, built, kinds, library, order, policy, rule, solution, value, world

PUZZLE, PROGRAM = "<puzzle>", "<program>"
ELSEWHERE = "elsewhere"
_DETAIL = 300  # characters
_FLOOD = 64 << 20  # bytes: a puzzle that prints more is not going to end
_WORD = 8  # bytes
Answers = list[bytes]  # what stands for false, then for true; taken out when used
Give = Callable[[dict[str, Any]], Any]  # a solution's value; is given the puzzle's namespace


@dataclass(frozen=True)
class Bounds:
    """What one stage may produce: bytes of output, bytes of a solution's value, and seconds (of sleep)."""

    output: int
    value: int
    seconds: float


def literal(code: str, text: str, answers: Answers, bounds: Bounds) -> bytes:
    """The puzzle's word on a solution that is a literal. Nothing of the solution is executed."""
    _set_stage()
    try:
        tree = solution.parse(text)
        compile(tree, solution.FILE, "eval", dont_inherit=True)
        if not solution.is_literal(tree):
            return b"N"
        given = ast.literal_eval(tree)
    except BaseException as error:
        return b"E" + _sentence(error, "the solution is not one expression")
    return _judge(code, lambda _: given, answers)


def solve(code: str, text: str, bounds: Bounds) -> bytes:
    """The value of an expression, made on its own, or in the puzzle's namespace if it uses the puzzle's names."""
    _set_stage()
    try:
        tree = solution.parse(text)
        compiled = compile(tree, solution.FILE, "eval", dont_inherit=True)
    except BaseException as error:
        return b"E" + _sentence(error, "the solution is not one expression")
    told: alone.Told = {}
    known = value.encode(told)
    try:
        scope = world.new_main()
        if solution.needs_puzzle(tree, code):
            if solution.is_direct(tree, code):
                return b"B"
            library.remember()
            _execute(code, PUZZLE, scope)
            told = alone.tell(solution.free_names(tree), scope)
        known = value.encode(told)
        letter, data = b"V", value.encode(eval(compiled, scope))
    except value.NotPlainError:
        if solution.is_of_puzzle(tree, told):
            return b"B"
        letter, data = b"A", known
    except BaseException as error:
        return b"E" + _sentence(error, "the solution has no value")
    if len(data) > bounds.value:
        what = "value" if letter == b"V" else "part of the puzzle's data"
        return b"E" + f"the solution's {what} takes {len(data)} bytes, more than {bounds.value}".encode()
    return letter + data


def judge(code: str, data: bytes, answers: Answers, bounds: Bounds) -> bytes:
    """Whether the puzzle accepts a value."""
    _set_stage()
    return _judge(code, lambda _: value.checked(value.decode(data)), answers)


def build(code: str, text: str, answers: Answers, bounds: Bounds) -> bytes:
    """Whether the puzzle accepts what the expression gives, made of the puzzle's own things."""
    _set_stage()
    library.remember()
    return _judge(code, lambda scope: built.build(solution.parse(text), scope), answers, after=True)


def make(code: str, joint: bytes, answers: Answers, bounds: Bounds) -> bytes:
    """Whether the puzzle accepts what the expression gives, made before the puzzle's code runs."""
    _set_stage()
    text, data = parted(joint)
    library.remember()

    def give(scope: dict[str, Any]) -> Any:
        kinds.enter(scope)
        tree = solution.parse(text)
        return alone.make(tree, solution.free_names(tree), value.decode(data))

    return _judge(code, give, answers)


def joined(text: bytes, data: bytes) -> bytes:
    """What the stage `alone` is given."""
    return len(text).to_bytes(_WORD, "little") + text + data


def parted(joint: bytes) -> tuple[str, bytes]:
    """A solution's text, and the puzzle's data."""
    end = _WORD + int.from_bytes(joint[:_WORD], "little")
    return joint[_WORD:end].decode(), joint[end:]


def _judge(code: str, give: Give, answers: Answers, after: bool = False) -> bytes:
    """The puzzle's word on what `give` gives, before the puzzle's code runs or after it."""
    try:
        return _verdict(code, world.new_main(), give, after, answers)
    except policy.RefusedError as error:
        return b"R" + _sentence(error, "")
    except BaseException as error:
        return b"E" + _sentence(error, "the puzzle fails")


def run(program: str, how: str, bounds: Bounds) -> bytes:
    """What the program prints. `how` it runs: as it is (""), at another place (ELSEWHERE), or with sets arranged."""
    sink = world.Sink(bounds.output, keep=True)
    stdout = world.text_file(sink)
    world.set_stage(stdout, bounds.output)
    try:
        problem = rule.objection(program)
        tree = None if problem else asked.rewritten(program)
        compiled: Any = None if problem else compile(program, PROGRAM, "exec", dont_inherit=True)
        letter = b"U" if compiled and not how and order.matters(program, compiled) else b"O"
    except BaseException as error:
        return b"E" + _sentence(error, "the program can not be read")
    if problem:
        return b"R" + f"the output may differ elsewhere: {problem}".encode()
    guard = rule.Guard(lambda text: rule.of_text(text, program), how == ELSEWHERE)
    try:
        if tree is not None:
            compiled = compile(tree, PROGRAM, "exec", dont_inherit=True)
        _run_to_its_end(tree or program, compiled, how, guard)
        stdout.flush()
        printed = sink.printed()
        problem = rule.address(printed.decode(errors="replace"))
    except BaseException as error:
        return b"E" + _sentence(error, "the program fails")
    problem = problem or guard.problem
    return b"R" + f"the output may differ elsewhere: {problem}".encode() if problem else letter + printed


def _set_stage() -> None:
    """The stage of a puzzle: what it prints is forgotten, however much it is."""
    world.set_stage(world.text_file(world.Sink(_FLOOD, keep=False)), _FLOOD)


def _run_to_its_end(program: str | ast.Module, compiled: Any, how: str, guard: rule.Guard) -> None:
    scope = world.new_main()
    if how in order.ARRANGEMENTS:
        guard.rewriting(order.rewrite, order.install(how))
        tree: Any = order.rewrite(ast.parse(program) if isinstance(program, str) else program)
        compiled = compile(tree, PROGRAM, "exec", dont_inherit=True)
    scope.update(guard.names())
    try:
        if how == ELSEWHERE:
            world.stretch()
            world.deeper(lambda: exec(compiled, scope))
        else:
            exec(compiled, scope)
    except SystemExit as leaving:
        if leaving.code not in (None, 0):
            raise


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
_TYPE = type  # the puzzle may have put something else in the place of the name


def _verdict(code: str, scope: dict[str, Any], give: Give, after: bool, answers: Answers) -> bytes:
    """The truth of the puzzle's result, as one of the answers (T6). An object that decides it by code of the puzzle's
    own has none that could be relied on. Raises what the puzzle or `give` raise, and KeyError for such an object."""
    return {(False, False): answers.pop(0), (False, True): answers.pop()}[
        tuple(map(_CALL, (bool, operator.truth), _CALL(_solved, code, scope, give, after)))
    ]


def _solved(code: str, scope: dict[str, Any], give: Give, after: bool) -> tuple[bool, Any]:
    """Whether the truth of the puzzle's result is up to code of the puzzle's own, and the result. (Who changes this
    function gains no more than an object's own word instead of an error.)"""
    given = None if after else give(scope)
    mystery = _mystery(code, scope)
    result = mystery(give(scope) if after else given)
    kind = _TYPE(result)
    for one in _MRO(kind):
        if _OF_CLASS(one) == "__main__" and ("__bool__" in _NAMES(one) or "__len__" in _NAMES(one)):
            return True, result
    return _OF_CLASS(_TYPE(kind)) == "__main__", result


def _sentence(error: BaseException, what: str) -> bytes:
    """An exception as one line. Its text may be judged code, so whatever that does is caught."""
    name = type.__dict__["__name__"].__get__(type(error))
    try:
        text = str(error).partition("\n")[0][:_DETAIL]
    except BaseException:
        text = ""
    if type(error) is KeyError and text.startswith("(True, "):
        text = "its result is an object with a __bool__, a __len__ or a metaclass of its own, not a truth value"
    if isinstance(error, policy.RefusedError):
        return text.encode(errors="replace")
    line = f"{name}: {text}" if text else name
    return (f"{what}: {line}" if what else line).encode(errors="replace")


Stage = Callable[[bytes, bytes, Answers, Bounds], bytes]
STAGES: dict[str, Stage] = {
    "literal": lambda first, second, answers, bounds: literal(first.decode(), second.decode(), answers, bounds),
    "solve": lambda first, second, answers, bounds: solve(first.decode(), second.decode(), bounds),
    "judge": lambda first, second, answers, bounds: judge(first.decode(), second, answers, bounds),
    "built": lambda first, second, answers, bounds: build(first.decode(), second.decode(), answers, bounds),
    "alone": lambda first, second, answers, bounds: make(first.decode(), second, answers, bounds),
    "run": lambda first, second, answers, bounds: run(first.decode(), second.decode(), bounds),
    "about": lambda first, second, answers, bounds: sys.version.encode(),
}
