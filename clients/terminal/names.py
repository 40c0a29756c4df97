"""Names of games and challenges: an id, a secret link, and both as addresses of the web."""

import re
from urllib.parse import urlencode

from arbiter.nostr.nip19 import encode_npub
from clients.player.terms import Terms

_ID = re.compile(r"[0-9a-f]{32}")
_TOKEN = re.compile(r"[0-9a-f]{32}(?:-[0-9a-f]{64})?")
_ADDRESS = re.compile(r"(?:.*/)?#?/?(game|g|games|challenge)/([0-9a-f-]+)(?:[./?#].*)?", re.DOTALL)
_PLAYER = re.compile(r"(?:nostr:)?(?:npub|nprofile)1.*")
_EVENT = re.compile(r"(?:nostr:)?(?:note|nevent|naddr)1.*")


class Misnamed(ValueError):
    """The text names nothing of this kind; the message says what it names, and what to do."""


def read_game(text: str) -> str:
    """The id of the game that this text names. Raises Misnamed."""
    kind, name = _read(text)
    if kind == "challenge" or (kind is None and _is_link(name)):
        raise Misnamed("That is a challenge, not a game: accept it to play")
    if kind and not _ID.fullmatch(name):
        raise Misnamed("The address of the game is cut: its id has 32 hex digits")
    return name


def read_challenge(text: str) -> str:
    """The id of the challenge that this text names, or ``ID-SECRET``. Raises Misnamed."""
    kind, name = _read(text)
    if kind and kind != "challenge":
        raise Misnamed("That is a game, not a challenge: --watch shows it")
    if kind and not _TOKEN.fullmatch(name):
        raise Misnamed("The link is cut: 32 hex digits, or 32, a hyphen and 64 more")
    return name


def address_of(web: str, token: str, terms: Terms, challenger: str) -> str:
    """The address at which the web client shows this challenge, with its terms."""
    shown = {
        "time": terms.time and str(terms.time),
        "mode": "rated" if terms.rated else None,
        "variant": "chess960" if terms.chess960 else None,
        "color": terms.color,
        "start": terms.start,
        "by": encode_npub(challenger),
    }
    query = urlencode({name: value for name, value in shown.items() if value})
    return f"{web.rstrip('/')}/#/challenge/{token}?{query}"


def _read(text: str) -> tuple[str | None, str]:
    """The kind that an address says, and the name; what is hexadecimal in lower case."""
    lower = text.lower()
    if _PLAYER.fullmatch(lower):
        raise Misnamed("That is a player: challenge npub… asks them for a game")
    if _EVENT.fullmatch(lower):
        raise Misnamed("That is a Nostr event: name a game or a challenge by its id or its link")
    if found := _ADDRESS.fullmatch(lower):
        return found[1], found[2]
    if "/" in text:
        raise Misnamed("This address shows no game and no challenge")
    return None, lower if _is_link(lower) or _ID.fullmatch(lower) else text


def _is_link(text: str) -> bool:
    return "-" in text and _TOKEN.fullmatch(text) is not None
