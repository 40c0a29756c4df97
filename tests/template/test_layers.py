"""The layers as Lambda gets them, built without Lambda's Python, processor or Docker.

What is built for this machine runs in tests/runtime.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.template.source import ROOT, named, properties, template

_FUNCTIONS = named("AWS::Serverless::Function")
_LAYERS = named("AWS::Serverless::LayerVersion")


def _build(name: str, where: Path) -> None:
    """Run the makefile of a layer or a function as `sam build` does."""
    written = properties(name)
    folder = ROOT / (written.get("ContentUri") or written["CodeUri"])
    # Not the options of the make that may be running this test.
    environment = {key: it for key, it in os.environ.items() if not key.startswith("MAKE")}
    subprocess.run(
        ["make", "--file", str(folder / "Makefile"), f"build-{name}"],
        cwd=ROOT if "ContentUri" in written else folder,
        env={**environment, "ARTIFACTS_DIR": str(where), "LAYER_TARGET": "lambda"},
        check=True,
        capture_output=True,
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with each layer in a folder of its name."""
    folder = tmp_path_factory.mktemp("layers")
    for layer in _LAYERS:
        (folder / layer).mkdir()
        _build(layer, folder / layer)
    return folder


@pytest.mark.parametrize("function", ["ProcessEventsFunction", "NoticeFunction"])
def test_what_opens_what_players_encrypt_has_the_library_with_and_without_a_bridge(
    function: str,
) -> None:
    assert properties(function)["Layers"] == [{"Ref": "SealingLayer"}]


@pytest.mark.slow
def test_what_is_compiled_is_for_lambdas_python_and_processor(built: Path) -> None:
    binaries = list(built.rglob("*.so"))

    assert len(binaries) == 6
    for path in binaries:
        # abi3: for this Python and all younger ones.
        assert path.name.endswith((".cpython-313-aarch64-linux-gnu.so", ".abi3.so"))
        # e_machine of an ELF header: 183 is EM_AARCH64.
        assert int.from_bytes(path.read_bytes()[18:20], "little") == 183
    assert {path.suffixes[-2] for path in built.rglob("*.pyc")} <= {".cpython-313"}


@pytest.mark.slow
def test_the_layers_hold_what_is_locked_and_our_own_code_and_nothing_else(built: Path) -> None:
    paths = list(built.glob("*/python/*"))

    # The web client is in a layer where it was built.
    names = {path.name for path in paths if path.suffix != ".dist-info"} - {"arbiter_static"}
    assert names == {
        *("arbiter", "chess", "coincurve", "orjson", "websocket", "clients"),
        *("aws_lambda_powertools", "jmespath", "resvg_py", "typing_extensions.py"),
        *("gacrux", "networkx"),
        *("cryptography", "cffi", "_cffi_backend.cpython-313-aarch64-linux-gnu.so", "pycparser"),
    }
    # The registry has a wheel of an older version only.
    assert "chess-1.11.2.dist-info" in {path.name for path in paths}


@pytest.mark.slow
def test_all_layers_weigh_less_than_45_mb_and_those_of_every_function_less_than_10(
    built: Path,
) -> None:
    def weight(layers: list[str]) -> int:
        files = (path for layer in layers for path in (built / layer).rglob("*"))
        return sum(path.stat().st_size for path in files if path.is_file())

    assert weight(_LAYERS) < 45_000_000
    assert weight([it["Ref"] for it in template()["Globals"]["Function"]["Layers"]]) < 10_000_000


@pytest.mark.parametrize("function", _FUNCTIONS)
def test_a_functions_zip_is_one_file(function: str, tmp_path: Path) -> None:
    _build(function, tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["app.py"]


_IMPORT_THE_HOUSE = """
import sys
sys.path[:0] = [{layers!r}, {arbiter!r}]
sys.modules["websockets"] = None
import clients.bot.turn, clients.bot.house_config
assert clients.bot.turn.__file__.startswith({layers!r}), clients.bot.turn.__file__
"""


def test_the_house_plays_on_what_its_layers_hold(tmp_path: Path) -> None:
    _build("HouseLayer", tmp_path)
    arbiter = str(ROOT / "layers/arbiter/python")
    code = _IMPORT_THE_HOUSE.format(layers=str(tmp_path / "python"), arbiter=arbiter)

    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    assert not list(tmp_path.rglob("relays.py")), "connections are not the function's"
