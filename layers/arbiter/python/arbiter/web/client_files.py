"""The web client, as `make web` built it into `static/`: the page and its files, in the encodings
that were made with it.

Invariant: what is served is in the list of files that was read once; no path is made of a request.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import Any

from aws_lambda_powertools.event_handler import Response

from arbiter.web.http import HTML, TWO_SECONDS, Representation, answer

FOLDER = Path(__file__).with_name("static")

FOREVER = "public, max-age=31536000, immutable"
"""RFC 8246, for files whose names are hashes of what is in them."""

PAGE_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self' data: https:; "
    # Arbiters and relays may be anywhere; without TLS only on this machine.
    "connect-src 'self' ws: wss: https: http://127.0.0.1:* http://localhost:*; "
    "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'"
)
"""What the page itself says, for other hosts."""

POLICY = f"{PAGE_POLICY}; frame-ancestors 'none'"
"""The Content-Security-Policy of the page and its files, of which one is a worker."""

_HEADERS = {"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"}

_TYPES = {
    ".html": HTML,
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

    def page(self, headers: Mapping[str, str], vary: str) -> Response[Any]:
        """The page; ``vary`` names what else the answer depends on."""
        return self._answer("index.html", headers, TWO_SECONDS, f"{vary}, ")

    def worker(self, headers: Mapping[str, str]) -> Response[Any] | None:
        """The service worker; None if there is none."""
        return self._found("service-worker.js", headers, TWO_SECONDS)

    def asset(self, name: str, headers: Mapping[str, str]) -> Response[Any] | None:
        """A file of the page; None if there is none of this name."""
        return self._found(f"assets/{name}", headers, FOREVER)

    def _found(
        self, name: str, headers: Mapping[str, str], cache_control: str
    ) -> Response[Any] | None:
        return self._answer(name, headers, cache_control) if name in self.files else None

    def _answer(
        self, name: str, headers: Mapping[str, str], cache_control: str, vary: str = ""
    ) -> Response[Any]:
        encodings = self.files[name]
        encoding = chosen_encoding(headers.get("accept-encoding"), encodings)
        path = encodings[encoding]
        encoded = {"Content-Encoding": encoding} if encoding else {}
        shown = Representation(
            content_type=_TYPES[Path(name).suffix],
            make=lambda: _content(path),
            tag=_tag(path),
            cache_control=cache_control,
            headers={**_HEADERS, **encoded, "Vary": f"{vary}Accept-Encoding"},
        )
        found = answer(shown, headers.get("if-none-match"))
        if found.status_code == HTTPStatus.NOT_MODIFIED:
            found.headers.pop("Content-Encoding", None)
        return found


def client_files(folder: Path = FOLDER) -> ClientFiles | None:
    """The client that was built into this folder; None if none was."""
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
        if path.suffix in _TYPES
    }
    return ClientFiles(files)


def chosen_encoding(accept: str | None, offered: Mapping[str, object]) -> str:
    """The best encoding that this ``Accept-Encoding`` allows (RFC 9110 section 12.5.3); empty for
    none.
    """
    if accept is None or len(accept) > _LONGEST:
        return ""
    found = [_CODING.fullmatch(element) for element in accept.split(",")]
    weights = {one[1].lower(): float(one[2] or 1) for one in found if one}
    usable = [one for one in _SUFFIXES if one in offered and weights.get(one, weights.get("*", 0))]
    return max(usable, key=lambda one: weights.get(one, weights.get("*", 0)), default="")


@cache
def _content(path: Path) -> bytes:
    return path.read_bytes()


@cache
def _tag(path: Path) -> str:
    return f'"{sha256(_content(path)).hexdigest()[:32]}"'
