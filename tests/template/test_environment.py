"""The variables that the arbiter reads are those that the template sets."""

import ast
from pathlib import Path

from tests.template.source import ROOT, named, properties, template

_SET_BY_LAMBDA = {"AWS_ENDPOINT_URL", "AWS_REGION", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE"}

_SET_BY_OPERATORS = {"LISTENER_SHARD", "LOG_LEVEL"}
"""For listeners and bridges of their own."""

_READERS = {
    ROOT / "layers/arbiter/python/arbiter/config.py",
    *(ROOT / "functions").glob("*/app.py"),
}


def _read_in(path: Path) -> set[str]:
    """The literal names in os.environ["NAME"] and os.environ.get("NAME")."""
    found: list[ast.expr] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Subscript(value=ast.Attribute(attr="environ"), slice=asked):
                found.append(asked)
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="environ"))):
                found.append(node.args[0])
            case _:
                pass
    assert all(isinstance(it, ast.Constant) for it in found), "a computed name cannot be checked"
    return {str(it.value) for it in found if isinstance(it, ast.Constant)}


def test_the_code_reads_exactly_the_variables_that_the_template_sets() -> None:
    given = dict(template()["Globals"]["Function"]["Environment"]["Variables"])
    for function in named("AWS::Serverless::Function"):
        given |= properties(function)["Environment"]["Variables"]

    read = set().union(*map(_read_in, _READERS))
    assert read - _SET_BY_LAMBDA - _SET_BY_OPERATORS == given.keys()
    # With a number a function does not start on MiniStack.
    assert all(isinstance(value, str | dict) for value in given.values())


def test_only_config_and_the_functions_read_the_environment() -> None:
    code = [*(ROOT / "layers").rglob("*.py"), *(ROOT / "functions").rglob("*.py")]
    readers = {
        path
        for path in code
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv"}
    }

    assert readers <= _READERS
