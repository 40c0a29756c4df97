"""Reads template.yaml. Invariant: what the template says is read, never repeated here."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml


class Unreadable(Exception):
    """The template uses something this reader does not know; the text says what."""


class _Loader(yaml.CSafeLoader):
    """YAML with CloudFormation's short tags: `!Ref X` reads as {"Ref": "X"}."""


def _intrinsic(loader: yaml.CSafeLoader, name: str, node: yaml.Node) -> dict[str, Any]:
    match node:
        case yaml.ScalarNode():
            return {name: loader.construct_scalar(node)}
        case yaml.SequenceNode():
            return {name: loader.construct_sequence(node, deep=True)}
        case _:
            pass
    raise Unreadable(f"!{name} with a mapping")


_Loader.add_multi_constructor("!", _intrinsic)


def overrides(parameters: Mapping[str, str]) -> list[str]:
    """The words for ``--parameter-overrides`` of `sam`, which ends an unquoted value at a space."""
    return [f"{name}={json.dumps(it, ensure_ascii=False)}" for name, it in parameters.items()]


@dataclass(frozen=True, slots=True)
class Template:
    """The template, read but not resolved."""

    content: Mapping[str, Any]

    @classmethod
    def read(cls, path: Path) -> "Template":
        text = path.read_text(encoding="utf-8")
        return cls(yaml.load(text, Loader=_Loader))  # noqa: S506 - a SafeLoader with tags

    def properties(self, name: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.content["Resources"][name]["Properties"]
        return found

    def named(self, kind: str) -> Iterator[str]:
        for name, resource in self.content["Resources"].items():
            if resource["Type"] == kind:
                yield name

    def defaults(self) -> dict[str, Any]:
        declared = self.content["Parameters"].items()
        return {name: it["Default"] for name, it in declared if "Default" in it}

    def environment(self, function: str) -> Mapping[str, Any]:
        """A function's environment variables, those for every function included."""
        everybody = self.content["Globals"]["Function"]["Environment"]["Variables"]
        return {**everybody, **self.properties(function)["Environment"]["Variables"]}
