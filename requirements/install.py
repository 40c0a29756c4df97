"""Brings virtual environments up to what is locked: `install.py dev sam` makes .venv and one more.

`bootstrap` and `dev` are .venv; every other name is an environment under .venv/tools. What the lock
says decides whether there is work. It prints to the error stream.

Invariant: one at a time: `make run` and `make play` may start together in a fresh checkout.
"""

import fcntl
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from requirements import interpreter

FOLDER = Path(__file__).resolve().parent
VENV = FOLDER.parent / ".venv"
TOOLS = VENV / "tools"
PYTHON = VENV / "bin" / "python"
OWN = ("bootstrap", "dev")


def stamp(name: str) -> Path:
    """The file whose text is the digest of what was installed last, and whose age is for make."""
    return (VENV if name in OWN else TOOLS) / f".{name}"


def digest(name: str) -> str:
    return hashlib.sha256((FOLDER / f"{name}.txt").read_bytes()).hexdigest()


def is_installed(name: str) -> bool:
    mark = stamp(name)
    return mark.exists() and mark.read_text(encoding="ascii") == digest(name)


def bootstrap() -> None:
    """Make .venv, also in place of a broken one. Raises NoPython if there is none."""
    if not interpreter.will_do(PYTHON, "pip"):
        if VENV.is_symlink():
            VENV.unlink()  # never empty what a link leads to
        elif VENV.exists():
            shutil.rmtree(VENV)
        python = interpreter.find(VENV / "managed")
        print(f"Making .venv with {python}", file=sys.stderr)
        subprocess.run([python, "-m", "venv", VENV], check=True)
    subprocess.run([PYTHON, "-m", "pip", "install", *_locked("bootstrap")], check=True)


def install(name: str) -> None:
    """Install one lock by uv, else pip, without build isolation: the build tools are locked."""
    home = VENV if name in OWN else TOOLS / name
    print(
        f"Installing requirements/{name}.txt into {home.relative_to(FOLDER.parent)}",
        file=sys.stderr,
    )
    if name not in OWN:
        subprocess.run([PYTHON, "-m", "venv", "--clear", "--without-pip", home], check=True)
        _install("bootstrap", home)
    _install(name, home)


def _install(name: str, home: Path) -> None:
    target = ("--python", home / "bin" / "python")
    what = ("--no-build-isolation", *_locked(name))
    by_uv = (VENV / "bin" / "uv", "pip", "install", *target, *what)
    if subprocess.run(by_uv, check=False).returncode != 0:
        subprocess.run([PYTHON, "-m", "pip", *target, "install", *what], check=True)


def _find_the_layer() -> None:
    """Let .venv's Python import the layer's code without PYTHONPATH."""
    for packages in VENV.glob("lib/python*/site-packages"):
        layer = VENV.parent / "layers/arbiter/python"
        (packages / "arbiter_layer.pth").write_text(f"{layer}\n", encoding="utf-8")


def _locked(name: str) -> tuple[str | Path, ...]:
    return ("--quiet", "--require-hashes", "-r", FOLDER / f"{name}.txt")


def main() -> int:
    """Install what is named and not there; 1 when an installer failed, 130 when Ctrl-C ended it."""
    with (FOLDER / "bootstrap.txt").open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Waiting for another make to finish installing", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        for name in ("bootstrap", *sys.argv[1:]):
            try:
                if not is_installed(name):
                    bootstrap() if name == "bootstrap" else install(name)
            except subprocess.CalledProcessError as failure:
                sys.stderr.write(f"requirements/{name}.txt could not be installed ({failure})\n")
                return 1
            except interpreter.NoPython as refusal:
                sys.stderr.write(f"{refusal}\n")
                return 1
            except KeyboardInterrupt:
                sys.stderr.write("Broken off. The next make goes on with what is not yet there.\n")
                return 130
            if name == "dev":
                _find_the_layer()
            stamp(name).write_text(digest(name), encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main())
