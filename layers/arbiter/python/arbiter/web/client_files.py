"""The web client, as `clients.web.scripts` built it into `static/`, in the encodings made with it.

Invariant: what is served is in the list that was read once; no path is made of a request.
"""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).with_name("static")

CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
    ".png": "image/png",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
}

_SUFFIXES = {"br": ".br", "gzip": ".gz"}
"""The encodings that are built, the best first."""

_CODING = re.compile(
    r"[ \t]*(\*|[A-Za-z0-9-]{1,20})[ \t]*(?:;[ \t]*[qQ]=([01](?:\.[0-9]{0,3})?))?[ \t]*"
)
_LONGEST = 512


@dataclass(frozen=True, slots=True)
class ClientFiles:
    """The files by name, each with its encodings: ``assets/main-….js``, then ``br``."""

    files: Mapping[str, Mapping[str, Path]]

    def named(self, beginning: str, end: str) -> str | None:
        """The first file of such a name, for names that have a hash in them; None if none is."""
        return next(
            (it for it in self.files if it.startswith(beginning) and it.endswith(end)), None
        )

    def chosen(self, name: str, accept_encoding: str | None) -> tuple[Path, str] | None:
        """The file of this name in the best encoding that the client accepts; None for no file."""
        encodings = self.files.get(name)
        if encodings is None:
            return None
        encoding = chosen_encoding(accept_encoding, encodings)
        return encodings[encoding], encoding


def built_client() -> ClientFiles | None:
    """The client that came with this code, in Lambda by a layer of its own; None if none did."""
    layers = (Path(entry) / "arbiter_static" for entry in sys.path)
    found = (client_files(folder) for folder in (FOLDER, *layers))
    return next((one for one in found if one), None)


def client_files(folder: Path) -> ClientFiles | None:
    if not (folder / "index.html").is_file():
        return None
    known = {
        path.relative_to(folder).as_posix(): path
        for path in sorted((*folder.iterdir(), *folder.glob("assets/*")))
        if path.is_file()
    }
    files = {
        name: {
            "": path,
            **{of: known[name + end] for of, end in _SUFFIXES.items() if name + end in known},
        }
        for name, path in known.items()
        if path.suffix in CONTENT_TYPES
    }
    return ClientFiles(files)


def chosen_encoding(accept: str | None, offered: Mapping[str, object]) -> str:
    """The best encoding that ``Accept-Encoding`` allows (RFC 9110 section 12.5.3), or ""."""
    if accept is None or len(accept) > _LONGEST:
        return ""
    found = [_CODING.fullmatch(element) for element in accept.split(",")]
    weights = {one[1].lower(): float(one[2] or 1) for one in found if one}
    usable = [one for one in _SUFFIXES if one in offered and weights.get(one, weights.get("*", 0))]
    return max(usable, key=lambda one: weights.get(one, weights.get("*", 0)), default="")


@cache
def content(path: Path) -> bytes:
    return path.read_bytes()
