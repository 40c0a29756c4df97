"""What a reader asks for, read from the text of a URL. None is for what cannot be read."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode

from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2

from arbiter.application.queries import MOST_GAMES_A_PAGE, Place
from arbiter.nostr.hexadecimal import is_hex_32_bytes
from arbiter.nostr.nip19 import decode_npub

USUAL_GAMES_A_PAGE = 20

_LIMIT = re.compile("[0-9]{1,3}")
_CURSOR = re.compile("[A-Za-z0-9_-]{32}")
_HOST = re.compile(r"[A-Za-z0-9.-]{1,255}(:[0-9]{1,5})?")
_TIME_BYTES = 8


def player_in(text: str) -> str | None:
    """The player's key in hex, from hex or an npub."""
    return text if is_hex_32_bytes(text) else decode_npub(text)


def limit_in(text: str | None, most: int = MOST_GAMES_A_PAGE) -> int | None:
    """How many of something; without a word, the usual number."""
    if text is None:
        return min(USUAL_GAMES_A_PAGE, most)
    if _LIMIT.fullmatch(text) is None or not 1 <= int(text) <= most:
        return None
    return int(text)


def cursor_of(place: Place) -> str:
    """A place as 32 letters: eight bytes of time, then the game's id, in base64url (RFC 4648)."""
    octets = place.created_at_ms.to_bytes(_TIME_BYTES, "big") + bytes.fromhex(place.game_id)
    return urlsafe_b64encode(octets).decode()


def place_in(cursor: str) -> Place | None:
    """The place that a cursor names. Whoever makes one up names a place, and no more than that."""
    if _CURSOR.fullmatch(cursor) is None:
        return None
    octets = urlsafe_b64decode(cursor)
    return Place(int.from_bytes(octets[:_TIME_BYTES], "big"), octets[_TIME_BYTES:].hex())


def base_url(public_url: str, event: APIGatewayProxyEventV2) -> str:
    """Where browsers find us, as a URL without a slash at its end: as configured, or where this
    request was sent to. API Gateway tells that, and routes by it: a made-up ``Host`` does not get
    here. Empty for what is no host name.
    """
    if public_url:
        return public_url
    host = str((event.get("requestContext") or {}).get("domainName") or "")
    if _HOST.fullmatch(host) is None:
        return ""
    scheme = "http" if event.headers.get("x-forwarded-proto") == "http" else "https"
    return f"{scheme}://{host}"
