"""What the arbiter reads of its environment is what the template gives, name for name."""

import ast

from tests.template.source import ROOT, named, properties, template

# Lambda itself sets these.
_LAMBDAS_OWN = {"AWS_ENDPOINT_URL", "AWS_REGION"}

_READERS = (
    ROOT / "layers/arbiter/python/arbiter/config.py",
    *sorted((ROOT / "functions").glob("*/app.py")),
)


def _is_environ(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "environ"


def _read_names(source: str) -> set[str]:
    """The literal names in os.environ["NAME"] and os.environ.get("NAME")."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        asked: ast.expr | None = None
        if isinstance(node, ast.Subscript) and _is_environ(node.value):
            asked = node.slice
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and _is_environ(node.func.value)
        ):
            asked = node.args[0]
        if asked is not None:
            assert isinstance(asked, ast.Constant), "a name that is made up cannot be checked"
            names.add(str(asked.value))
    return names


def _given() -> set[str]:
    names = set(template()["Globals"]["Function"]["Environment"]["Variables"])
    for function in named("AWS::Serverless::Function"):
        names |= set(properties(function)["Environment"]["Variables"])
    return names


def test_the_code_reads_exactly_what_the_template_gives() -> None:
    read: set[str] = set()
    for reader in _READERS:
        read |= _read_names(reader.read_text(encoding="utf-8"))

    assert read - _LAMBDAS_OWN == _given()


def test_one_module_and_the_functions_alone_read_the_environment() -> None:
    code = [*(ROOT / "layers").rglob("*.py"), *(ROOT / "functions").rglob("*.py")]
    readers = [
        path
        for path in code
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv"}
    ]

    assert set(readers) <= set(_READERS)
