"""HTTP as a browser speaks it: one connection that is kept open; redirects are not followed."""

import http.client
import json
import select
import urllib.parse
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

_TIMEOUT_SECONDS = 60.0


def _no_key_twice(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        assert key not in found, f"{key!r} twice in one JSON object"
        found[key] = value
    return found


def strict_json(text: str | bytes) -> Any:
    """The value of a JSON text; a key twice in one object is a failure."""
    return json.loads(text, object_pairs_hook=_no_key_twice)


@dataclass(frozen=True, slots=True)
class Answer:
    """One response; the names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def media_type(self) -> str:
        """The content type without its parameters; empty where there is none."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def text(self) -> str:
        """The body as UTF-8."""
        return self.body.decode("utf-8")

    def json(self) -> Any:
        """The value of a body that must be JSON and say so."""
        assert self.media_type == "application/json" or self.media_type.endswith("+json"), self
        return strict_json(self.body)


class HttpConnection:
    """A keep-alive connection to one server, for one thread."""

    def __init__(self, base_url: str) -> None:
        """``base_url`` is scheme and authority; a path in it goes before every other."""
        parts = urllib.parse.urlsplit(base_url)
        assert parts.scheme == "http"
        assert parts.hostname is not None
        self._prefix = parts.path.rstrip("/")
        self._http = http.client.HTTPConnection(
            parts.hostname, parts.port, timeout=_TIMEOUT_SECONDS
        )

    def request(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Answer:
        """Send one request, once, and read its whole answer."""
        # A connection that the server closed is readable (end of file). Sending first and repeating
        # on failure could make a move twice.
        if self._http.sock is not None and select.select([self._http.sock], [], [], 0)[0]:
            self._http.close()
        self._http.request(method, self._prefix + path, body=body, headers=dict(headers or {}))
        response = self._http.getresponse()
        named = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, named, response.read())

    def close(self) -> None:
        self._http.close()
