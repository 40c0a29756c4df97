"""Pushes as RFC 8291 and RFC 8292 have them."""

import base64
import json
from collections.abc import Callable
from itertools import count

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from arbiter.nostr.web_push import (
    MAX_PLAIN_BYTES,
    Subscription,
    authorization,
    encrypted,
    public_text,
    read_subscription,
    signing_key,
)
from tests.builders import ALICE, NOW_MS, SERVER


def octets(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


# RFC 8291, section 5 and appendix A.
POINT = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
AUTH = "BTBZMqHH6r4Tts7J_aSIgg"
ONCE = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
SALT = "DGv6ra1nlYgDCS1FRnbzlw"
BODY = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS"
    "6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qu"
    "lcy4a-fN"
)
TO = Subscription("https://push.example/a", octets(POINT), octets(AUTH))


def test_the_example_of_the_rfc_comes_out() -> None:
    once = int.from_bytes(octets(ONCE), "big") - 1
    drawn = {32: once.to_bytes(32, "big"), 16: octets(SALT)}
    body = encrypted("When I grow up, I want to be a watermelon", TO, drawn.__getitem__)
    assert body == octets(BODY)


def chance() -> Callable[[int], bytes]:
    numbers = count(7)
    return lambda size: next(numbers).to_bytes(size, "big")


def test_what_cannot_be_encrypted_is_not() -> None:
    assert encrypted("x", Subscription("", b"\x04" + bytes(64), bytes(16)), chance()) is None
    assert encrypted("x" * (MAX_PLAIN_BYTES + 1), TO, chance()) is None


def test_a_push_service_can_check_who_pushes() -> None:
    key, at = signing_key(SERVER), NOW_MS // 1000
    scheme, _, said = authorization(key, "https://push.example", "https://a.example", at).partition(
        " "
    )
    token, named = (part.partition("=")[2] for part in said.split(","))
    head, claims, signature = token.split(".")
    assert (scheme, named) == ("vapid", public_text(key))
    assert json.loads(octets(head)) == {"typ": "JWT", "alg": "ES256"}
    said_of = json.loads(octets(claims))
    assert (said_of["aud"], said_of["sub"]) == ("https://push.example", "https://a.example")
    assert at < said_of["exp"] <= at + 24 * 3600
    r, s = (
        int.from_bytes(half, "big") for half in (octets(signature)[:32], octets(signature)[32:])
    )
    point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), octets(named))
    point.verify(encode_dss_signature(r, s), f"{head}.{claims}".encode(), ec.ECDSA(SHA256()))


def test_the_key_that_signs_follows_from_the_arbiters() -> None:
    assert public_text(signing_key(SERVER)) == public_text(signing_key(SERVER))
    assert public_text(signing_key(SERVER)) != public_text(signing_key(ALICE))


GOOD = {"endpoint": "https://push.example/a", "keys": {"p256dh": POINT, "auth": AUTH}}


def test_a_browsers_subscription_is_read() -> None:
    assert read_subscription(json.dumps({**GOOD, "expirationTime": None})) == TO


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{",
        json.dumps({**GOOD, "keys": {}}),
        json.dumps({**GOOD, "endpoint": 5}),
        json.dumps({**GOOD, "endpoint": "http://push.example/a"}),
        json.dumps({**GOOD, "endpoint": "https://push.example/a b\r\nX: y"}),
        json.dumps({**GOOD, "endpoint": "https://push.example/" + "a" * 700}),
        json.dumps({**GOOD, "keys": {"p256dh": AUTH, "auth": AUTH}}),
        json.dumps({**GOOD, "keys": {"p256dh": POINT, "auth": "!"}}),
        json.dumps({**GOOD, "x": "y" * 2000}),
    ],
)
def test_anything_else_is_none(text: str) -> None:
    assert read_subscription(text) is None
