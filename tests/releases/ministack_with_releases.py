"""MiniStack that serves two releases of every function in turn.

MiniStack's own Python runs this file. AWS divides invocations between two published versions of a
function by the weights of an alias, which MiniStack lacks. So each invocation of a function with
both versions goes to one of them, by a counter for each function. RELEASES_FILE has how many of ten
are the new one's and is read at every invocation; each is logged to SERVED_FILE as a line of JSON.
"""

import importlib
import json
import os
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

OLD, NEW = "1", "2"
"""The numbers that the first two published versions of a function have."""

OF = 10

Record = Mapping[str, Any]
Execute = Callable[[Record, object, str], dict[str, Any]]


class Turns:
    """Chooses the version, and logs the invocation."""

    def __init__(self, releases: Path, served: Path) -> None:
        """``releases`` may be absent, and then nothing is divided."""
        self._releases = releases
        self._served = served
        self._asked = Counter[str]()
        self._lock = threading.Lock()

    def take(self, function: Record) -> Record | None:
        """The version of a function whose turn it is, written down; None where it has not both."""
        versions = function.get("versions", {})
        if not ({OLD, NEW} <= versions.keys() and self._releases.exists()):
            return None
        told = json.loads(self._releases.read_text(encoding="utf-8"))
        name = str(function["config"]["FunctionName"])
        with self._lock, self._served.open("a", encoding="utf-8") as lines:
            before, self._asked[name] = self._asked[name], self._asked[name] + 1
            release = NEW if is_new(before, told["new_of_ten"]) else OLD
            line = {"phase": told["phase"], "release": release, "function": name}
            lines.write(json.dumps(line) + "\n")
        version: Record = versions[release]
        return version


def executing(turns: Turns, execute: Execute) -> Execute:
    """Invoke as MiniStack does, with the version whose turn it is."""
    return lambda function, *rest: execute(turns.take(function) or function, *rest)


def leasing(
    turns: Turns, lease: Callable[..., Any], find: Callable[[str], Record | None]
) -> Callable[..., Any]:
    """The process for a frame of a socket, in turn; ``find`` returns a function by its name."""

    def by_turns(name: str, config: Record, code_zip: bytes, qualifier: str = "$LATEST") -> object:
        version = turns.take(find(name) or {})
        if version is None:
            return lease(name, config, code_zip, qualifier=qualifier)
        config = version["config"]
        return lease(name, config, version["code_zip"], qualifier=config["Version"])

    return by_turns


def is_new(before: int, new_of_ten: int) -> bool:
    """Whether the invocation that has this many before it is the new release's, with these spread
    evenly over every ten.
    """
    return (before + 1) * new_of_ten // OF > before * new_of_ten // OF


def main() -> None:
    """Run MiniStack as its own command does, and divide."""
    functions: Any = importlib.import_module("ministack.services.lambda_svc")
    runtime: Any = importlib.import_module("ministack.core.lambda_runtime")
    turns = Turns(Path(os.environ["RELEASES_FILE"]), Path(os.environ["SERVED_FILE"]))
    functions._execute_function_warm = executing(turns, functions._execute_function_warm)
    runtime.get_or_create_worker = leasing(
        turns, runtime.get_or_create_worker, functions._functions.get
    )
    importlib.import_module("ministack.app").main()


if __name__ == "__main__":
    main()
