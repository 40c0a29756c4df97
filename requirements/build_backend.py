"""Builds the package for pip: the web client first, with PyPI's Node where the machine has none."""

import sys
from pathlib import Path
from subprocess import CalledProcessError

from setuptools import build_meta
from setuptools.build_meta import (
    build_sdist,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_wheel,
)

from clients.web import scripts
from clients.web.node import has_node
from requirements import interpreter

__all__ = [
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_wheel",
]

ROOT = Path(__file__).resolve().parent.parent

_WITH_ANOTHER = "pip install uv && uv tool install --python 3.13 ."

_Settings = dict[str, str | list[str] | None] | None


def get_requires_for_build_wheel(config_settings: _Settings = None) -> list[str]:
    """What a build needs beside setuptools; none where the package cannot run."""
    if not interpreter.is_supported(sys.version_info[:2]):
        sys.exit(f"Arbiter needs {interpreter.needed()}: {_WITH_ANOTHER}")
    needed: list[str] = build_meta.get_requires_for_build_wheel(config_settings)
    if scripts.is_built() or has_node(scripts.OLDEST_NODE):
        return needed
    pins = (ROOT / "requirements" / "node.in").read_text(encoding="utf-8").splitlines()
    return needed + [pin for pin in pins if pin and not pin.startswith("#")]


def build_wheel(
    wheel_directory: str, config_settings: _Settings = None, metadata_directory: str | None = None
) -> str:
    if not scripts.is_built():
        try:
            scripts.run("build")
        except (OSError, CalledProcessError) as failure:
            sys.stderr.write(
                f"The web client is left out, for it could not be built ({failure}): the package "
                "serves pages to read. clients/web/scripts.py builds it and says more.\n"
            )
    name: str = build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
    return name
