"""Which small changes can be made at one place of a program: what a mistake there would look like.

What people read (docstrings, texts of several words), types and imports stay as they are.
"""

import ast
import copy
from collections.abc import Iterator

OTHERS: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add,),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mult,),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitXor: (ast.BitAnd,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
}
"""Each operator, and what stands there when its author was wrong by one or by all."""

NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
ABSENT = "XX"
"""What a text becomes longer by: no wire has it."""


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """What could stand for this node; the node itself is left alone."""
    for kind in (_operators, _values, _statements, _conditions):
        for changed in kind(node):
            yield ast.fix_missing_locations(ast.copy_location(changed, node))


def _operators(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(ops=operators):
            for at, operator in enumerate(operators):
                for other in OTHERS.get(type(operator), ()):
                    yield _with(node, ops=[*operators[:at], other(), *operators[at + 1 :]])
        case ast.BoolOp(op=operator) | ast.BinOp(op=operator) | ast.AugAssign(op=operator):
            yield from (_with(node, op=other()) for other in OTHERS.get(type(operator), ()))
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node.operand
        case _:
            pass


def _values(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Constant():
            yield from _constants(node)
        case ast.Call():
            yield from _calls(node)
        case _:
            pass


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Return(value=ast.expr()) if not _is_none(node.value):
            yield _with(node, value=ast.Constant(None))
        case ast.AugAssign() | ast.Raise() | ast.Expr(value=ast.Call() | ast.Await()):
            yield ast.Pass()
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()
        case _:
            pass


def _conditions(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.If() | ast.IfExp() | ast.While() if not _is_judged(node.test):
            yield _with(node, test=ast.UnaryOp(ast.Not(), node.test))
        case ast.match_case():
            yield _with(node, guard=ast.Constant(value=False))
        case ast.comprehension(ifs=[_, *_]):
            yield _with(node, ifs=[])
        case _:
            pass


def _constants(node: ast.Constant) -> Iterator[ast.AST]:
    match node.value:
        case bool():
            yield ast.Constant(not node.value)
        case int() | float():
            yield ast.Constant(node.value + 1)
        case str() if " " not in node.value:
            yield ast.Constant(node.value + ABSENT)
        case bytes():
            yield ast.Constant(node.value + ABSENT.encode())
        case _:
            pass


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    if not isinstance(node.func, ast.Name):
        return
    if node.func.id in NAMES:
        yield _with(node, func=ast.Name(NAMES[node.func.id], ast.Load()))
    if node.func.id == "replace":
        for at in range(len(node.keywords)):
            yield _with(node, keywords=[*node.keywords[:at], *node.keywords[at + 1 :]])


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _is_none(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_judged(test: ast.expr) -> bool:
    """Whether other changes turn this condition round already."""
    return isinstance(test, ast.Compare | ast.BoolOp) or (
        isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    )
