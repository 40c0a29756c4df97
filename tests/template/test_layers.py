"""The layers as Lambda gets them, built here without its Python, its processor or Docker."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.template.source import ROOT, named, properties, template


def _build(layer: str, where: Path) -> Path:
    """Runs a layer's makefile as `sam build` does; the folder that becomes /opt. What is built for
    this machine is tried in tests/runtime.
    """
    folder = ROOT / properties(layer)["ContentUri"]
    environment = {**os.environ, "ARTIFACTS_DIR": str(where), "LAYER_TARGET": "lambda"}
    # Not the options of the make that may be running this test.
    environment = {name: it for name, it in environment.items() if not name.startswith("MAKE")}
    subprocess.run(
        ["make", "--file", str(folder / "Makefile"), f"build-{layer}"],
        cwd=ROOT,
        env=environment,
        check=True,
        capture_output=True,
    )
    return where


@pytest.fixture(scope="module")
def lambdas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All layers for Lambda, in one tree, as they are merged into /opt."""
    opt = tmp_path_factory.mktemp("opt")
    for layer in named("AWS::Serverless::LayerVersion"):
        _build(layer, opt)
    return opt / "python"


@pytest.mark.slow
def test_what_is_compiled_is_for_lambdas_python_and_processor(lambdas: Path) -> None:
    binaries = sorted(path.name for path in lambdas.rglob("*.so"))

    assert len(binaries) == 5
    # abi3: for this Python and all younger ones.
    ending = (".cpython-313-aarch64-linux-gnu.so", ".abi3.so")
    assert [name for name in binaries if not name.endswith(ending)] == []
    # e_machine of an ELF header: 183 is EM_AARCH64.
    for path in lambdas.rglob("*.so"):
        assert int.from_bytes(path.read_bytes()[18:20], "little") == 183


@pytest.mark.slow
def test_the_chess_library_is_not_the_older_one_that_has_a_wheel(lambdas: Path) -> None:
    assert (lambdas / "chess-1.11.2.dist-info").is_dir()
    assert (lambdas / "chess" / "__init__.py").is_file()


@pytest.mark.slow
def test_the_layers_hold_what_is_locked_and_our_own_code_and_nothing_else(lambdas: Path) -> None:
    packages = {path.name for path in lambdas.iterdir() if not path.name.endswith(".dist-info")}

    assert packages == {
        *("arbiter", "chess", "coincurve", "websocket"),
        *("aws_lambda_powertools", "jmespath", "resvg_py", "typing_extensions.py"),
        *("cryptography", "cffi", "_cffi_backend.cpython-313-aarch64-linux-gnu.so", "pycparser"),
    }
    assert (lambdas / "arbiter" / "wiring.py").is_file()


@pytest.mark.slow
def test_the_layers_weigh_less_than_thirty_megabytes(lambdas: Path) -> None:
    assert sum(path.stat().st_size for path in lambdas.rglob("*") if path.is_file()) < 30_000_000


@pytest.mark.slow
def test_a_move_carries_less_than_ten_megabytes(tmp_path: Path) -> None:
    for reference in template()["Globals"]["Function"]["Layers"]:
        _build(reference["Ref"], tmp_path)

    assert not list(tmp_path.rglob("aws_lambda_powertools"))
    assert sum(it.stat().st_size for it in tmp_path.rglob("*") if it.is_file()) < 10_000_000


def test_a_function_alone_carries_what_only_it_needs() -> None:
    carrying = {
        name: properties(name)["Layers"]
        for name in named("AWS::Serverless::Function")
        if "Layers" in properties(name)
    }

    where_a_bridge_is = ["HasScuttlebutt", {"Ref": "SealingLayer"}, {"Ref": "AWS::NoValue"}]
    assert carrying == {
        "HttpApiFunction": [{"Ref": "WebDependenciesLayer"}],
        "ProcessEventsFunction": [{"If": where_a_bridge_is}],
    }


@pytest.mark.slow
def test_no_bytecode_of_another_python_is_shipped(lambdas: Path) -> None:
    assert {path.suffixes[-2] for path in lambdas.rglob("*.pyc")} <= {".cpython-313"}


def test_a_layers_makefile_has_the_target_sam_will_ask_for() -> None:
    for name, it in template()["Resources"].items():
        written = it.get("Properties", {})
        folder = written.get("ContentUri") or written.get("CodeUri")
        if folder:
            makefile = (ROOT / folder / "Makefile").read_text(encoding="utf-8")
            assert it["Metadata"]["BuildMethod"] == "makefile"
            assert f"\nbuild-{name}:\n" in makefile


@pytest.mark.parametrize("function", named("AWS::Serverless::Function"))
def test_a_functions_zip_is_one_file(function: str, tmp_path: Path) -> None:
    folder = tmp_path / "source"
    shutil.copytree(ROOT / properties(function)["CodeUri"], folder)
    out = tmp_path / "zip"
    out.mkdir()
    subprocess.run(
        ["make", f"build-{function}"],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "ARTIFACTS_DIR": str(out)},
        check=True,
        capture_output=True,
    )

    assert [path.name for path in out.iterdir()] == ["app.py"]


def test_layers_and_functions_are_for_the_same_python_and_processor() -> None:
    globally = template()["Globals"]["Function"]
    for layer in named("AWS::Serverless::LayerVersion"):
        assert properties(layer)["CompatibleRuntimes"] == [globally["Runtime"]] == ["python3.13"]
        assert properties(layer)["CompatibleArchitectures"] == globally["Architectures"]
        assert template()["Resources"][layer]["Metadata"]["BuildArchitecture"] == "arm64"
