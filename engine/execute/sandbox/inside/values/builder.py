"""A value built of the puzzle's own things: `Point(1, 2)`, `[Color.RED, A]`, `Tree.of(*range(3))`.

It is built in the puzzle's interpreter, of the puzzle's real objects, but no line of the solution is executed: this
module walks the expression, and makes no function of it that could run later. Four things happen:

* lists, tuples, dictionaries and sets are put together and taken apart here, and comprehensions are looped over here;
* Python's operators, methods of data, built-in functions and parts of the library (`safe_library`) get copies of plain
  data and return plain data: they never see an object of the puzzle's;
* functions and classes of the puzzle's are called, with plain data and the puzzle's things;
* attributes of the puzzle's classes and objects are read. `implicit_code` checks both.

So only the puzzle's own functions change the puzzle's things, and only its own constructors make its objects. Anything
that is neither plain data nor the puzzle's (a method of a list, an iterator, a module) can not be a value on the way.
"""

import ast
import builtins
import operator
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any

from . import implicit_code, safe_library
from .allowed_values import Items, allowed, are_flags, combined, copied, is_enumeration, item_of, items, keys, paired
from .builder_calls import BUILTINS, Method, called
from .inspection import DATA, MISSING, enter, find, is_any, names_of
from .text_policy import RefusedError

_BINARY: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    **{ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv},
    **{ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift},
    **{ast.RShift: operator.rshift, ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.BitAnd: operator.and_},
    **{ast.MatMult: operator.matmul, ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt},
    **{ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge},
    **{ast.In: lambda one, two: one in two, ast.NotIn: lambda one, two: one not in two},
}
_UNARY: dict[type[ast.AST], Callable[[Any], Any]] = {
    **{ast.UAdd: operator.pos, ast.USub: operator.neg, ast.Invert: operator.invert},
}
_JOINING = (operator.add, operator.mul)  # of lists and tuples with any items
_OF_FLAGS = {ast.BitOr: "__or__", ast.BitXor: "__xor__", ast.BitAnd: "__and__"}
_TEXTS: dict[int, Callable[[Any], str]] = {-1: lambda part: part, 97: ascii, 114: repr, 115: str}


def build(tree: ast.Expression, puzzle: dict[str, Any]) -> Any:
    """The value of an expression. `puzzle` is the puzzle's namespace after its code ran.

    Raises RefusedError, and what the expression raises.
    """
    enter(puzzle)
    builder = _Builder(puzzle, is_direct(tree))
    if isinstance(tree.body, ast.Name):  # given unchanged, so it may be anything
        return builder.reach(tree.body)
    return builder.value(tree.body)


def is_buildable(tree: ast.Expression) -> bool:
    """Whether the expression contains no code that could run later."""
    parts = (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop, ast.keyword, ast.comprehension)
    nodes = list(ast.walk(tree.body))
    known = all(type(node) in _RULES or isinstance(node, (*parts, ast.Starred)) for node in nodes)
    return known and not any(isinstance(node, ast.comprehension) and node.is_async for node in nodes)


def is_direct(tree: ast.Expression) -> bool:
    """Whether the expression consists of names, constants and brackets."""
    direct = (ast.Name, ast.expr_context, ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict)
    return all(isinstance(node, direct) for node in ast.walk(tree.body))


class _Builder:
    def __init__(self, puzzle: dict[str, Any], direct: bool) -> None:
        self._puzzle, self._direct = puzzle, direct
        self._bound: dict[str, Any] = {}  # by `:=`
        self._local: dict[str, Any] = {}  # by comprehensions

    def reach(self, node: ast.expr) -> Any:
        """What an expression stands for, even if a solution may not hold it."""
        return _RULES[type(node)](self, node)

    def value(self, node: ast.expr) -> Any:
        """The value of an expression. Raises RefusedError if a solution may not hold it."""
        made = self.reach(node)
        free = self._direct and type(made) is not ModuleType and find(type(made), "__call__")[1] is MISSING
        return made if free else allowed(made)

    # -------------------------------------------------------------------------------- names, attributes, items

    def name(self, node: ast.Name) -> Any:
        for names in (self._local, self._bound, self._puzzle, BUILTINS):
            if node.id in names and not node.id.startswith("__"):
                return names[node.id]
        if hasattr(builtins, node.id):
            raise RefusedError(f"use {node.id!r} together with the puzzle's own things")
        raise NameError(f"name {node.id!r} is not defined")

    def attribute(self, node: ast.Attribute) -> Any:
        thing = self.reach(node.value)
        if type(thing) is ModuleType:
            if not (name := safe_library.name_of(thing)):
                raise RefusedError("use a module that may keep a state")
            return safe_library.part_of(name, node.attr)
        if is_any(type(thing), DATA):
            return Method(thing, node.attr)
        if is_enumeration(thing) and node.attr in names_of(thing)["_member_map_"]:
            return names_of(thing)["_member_map_"][node.attr]
        implicit_code.allow_reading(thing, node.attr)
        return getattr(thing, node.attr)

    def subscript(self, node: ast.Subscript) -> Any:
        thing, key = self.value(node.value), self.value(node.slice)
        return item_of(thing, key)

    def a_slice(self, node: ast.Slice) -> Any:
        return slice(*(part and self.value(part) for part in (node.lower, node.upper, node.step)))

    # -------------------------------------------------------------------------------- data

    def constant(self, node: ast.Constant) -> Any:
        return node.value

    def parts(self, nodes: Iterable[ast.expr]) -> list[Any]:
        made: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                made += items(self.reach(node.value))
            else:
                made.append(self.value(node))
        return made

    def a_list(self, node: ast.List) -> Any:
        return self.parts(node.elts)

    def a_tuple(self, node: ast.Tuple) -> Any:
        return tuple(self.parts(node.elts))

    def a_set(self, node: ast.Set) -> Any:
        return set(keys(self.parts(node.elts)))

    def a_dict(self, node: ast.Dict) -> Any:
        made: dict[Any, Any] = {}
        for key, part in zip(node.keys, node.values, strict=True):
            if key is None:
                made |= self._named(part)
            else:
                (name,) = keys([self.value(key)])
                made[name] = self.value(part)
        return made

    def _named(self, node: ast.expr) -> dict[Any, Any]:
        thing = self.value(node)
        return paired(list(thing.items())) if type(thing) is dict else copied(thing)

    def text(self, node: ast.JoinedStr) -> Any:
        return "".join(self.reach(part) for part in node.values)

    def formatted(self, node: ast.FormattedValue) -> Any:
        form = self.text(node.format_spec) if isinstance(node.format_spec, ast.JoinedStr) else ""
        return format(_TEXTS[node.conversion](copied(self.value(node.value))), form)

    # -------------------------------------------------------------------------------- comprehensions

    def run(self, node: ast.GeneratorExp | ast.ListComp) -> Any:
        outside = self._local
        made = Items(self.value(node.elt) for _ in self._each(node.generators))
        self._local = outside
        return made

    def list_of(self, node: ast.ListComp) -> Any:
        return list(self.run(node))

    def set_of(self, node: ast.SetComp) -> Any:
        return set(keys(self.run(ast.GeneratorExp(node.elt, node.generators))))

    def dict_of(self, node: ast.DictComp) -> Any:
        pair = ast.Tuple([node.key, node.value], ast.Load())
        return paired(self.run(ast.GeneratorExp(pair, node.generators)))

    def _each(self, loops: list[ast.comprehension]) -> Iterator[None]:
        if not loops:
            yield
            return
        outside = self._local
        for item in items(self.reach(loops[0].iter)):
            self._local = {**outside, **self._targets(loops[0].target, item)}
            if all(implicit_code.truth(self.value(test)) for test in loops[0].ifs):
                yield from self._each(loops[1:])

    def _targets(self, node: ast.expr, item: Any) -> dict[str, Any]:
        if isinstance(node, ast.Name):
            return {node.id: item}
        if not isinstance(node, ast.Tuple | ast.List):
            raise RefusedError("assign to an attribute or an item")
        found: dict[str, Any] = {}
        for part, one in zip(*_spread(node.elts, list(items(item))), strict=True):
            found |= self._targets(part, one)
        return found

    def walrus(self, node: ast.NamedExpr) -> Any:
        self._bound[node.target.id] = self.value(node.value)
        return self._bound[node.target.id]

    # -------------------------------------------------------------------------------- operators

    def choice(self, node: ast.IfExp) -> Any:
        return self.value(node.body if implicit_code.truth(self.value(node.test)) else node.orelse)

    def either(self, node: ast.BoolOp) -> Any:
        for part in node.values[:-1]:
            made = self.value(part)
            if implicit_code.truth(made) is isinstance(node.op, ast.Or):
                return made
        return self.value(node.values[-1])

    def unary(self, node: ast.UnaryOp) -> Any:
        thing = self.value(node.operand)
        return not implicit_code.truth(thing) if isinstance(node.op, ast.Not) else _UNARY[type(node.op)](copied(thing))

    def binary(self, node: ast.BinOp) -> Any:
        one, two, operate = self.value(node.left), self.value(node.right), _BINARY[type(node.op)]
        if is_any(type(one), (list, tuple)) and is_any(type(two), (type(one), int)) and operate in _JOINING:
            return operate(*(part if type(part) is int else type(one)(items(part)) for part in (one, two)))
        if type(two) is type(one) and are_flags(type(one), _OF_FLAGS.get(type(node.op), "")):
            return combined(one, two, operate)
        return operate(copied(one), copied(two))

    def comparison(self, node: ast.Compare) -> Any:
        one, made = self.value(node.left), True
        for op, part in zip(node.ops, node.comparators, strict=True):
            two = self.value(part)
            if isinstance(op, ast.Is | ast.IsNot):
                made = (one is two) is isinstance(op, ast.Is)
            else:
                made = _BINARY[type(op)](copied(one), copied(two))
            if not made:
                break
            one = two
        return made

    # -------------------------------------------------------------------------------- calls

    def call(self, node: ast.Call) -> Any:
        callee = self.reach(node.func)
        args: list[Any] = []
        for one in node.args:
            args += items(self.reach(one.value)) if isinstance(one, ast.Starred) else [self.reach(one)]
        named: dict[str, Any] = {}
        for word in node.keywords:
            named |= self._named(word.value) if word.arg is None else {word.arg: self.reach(word.value)}
        return called(callee, args, named)


def _spread(targets: list[ast.expr], things: list[Any]) -> tuple[list[ast.expr], list[Any]]:
    """Targets, and what each of them gets; a target with a star gets the list of the remaining things."""
    for place, target in enumerate(targets):
        if isinstance(target, ast.Starred) and (more := len(things) - len(targets) + 1) >= 0:
            parts = [*things[:place], things[place : place + more], *things[place + more :]]
            return [*targets[:place], target.value, *targets[place + 1 :]], parts
    return targets, things


_RULES: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    **{ast.Name: _Builder.name, ast.Attribute: _Builder.attribute, ast.Subscript: _Builder.subscript},
    **{ast.Slice: _Builder.a_slice, ast.Constant: _Builder.constant, ast.JoinedStr: _Builder.text},
    **{ast.List: _Builder.a_list, ast.Tuple: _Builder.a_tuple, ast.Set: _Builder.a_set, ast.Dict: _Builder.a_dict},
    **{ast.FormattedValue: _Builder.formatted, ast.GeneratorExp: _Builder.run, ast.ListComp: _Builder.list_of},
    **{ast.SetComp: _Builder.set_of, ast.DictComp: _Builder.dict_of, ast.NamedExpr: _Builder.walrus},
    **{ast.IfExp: _Builder.choice, ast.BoolOp: _Builder.either, ast.UnaryOp: _Builder.unary},
    **{ast.BinOp: _Builder.binary, ast.Compare: _Builder.comparison, ast.Call: _Builder.call},
}
