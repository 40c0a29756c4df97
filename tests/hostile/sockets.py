"""H14, H15, H31, H42, H47, H51, H67 to H70 at our own gateway: frames that are no events of a
game.
"""

from collections.abc import Iterator

from arbiter.nostr.event import event_to_json
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip42 import auth_template
from tests.application.gateway.relay_world import URL
from tests.hostile.case import Case, Row, Script, a_word, frame, frames, signed, wrapped
from tests.hostile.stage import CANARY, NOW_MS, RIVAL, SOCKET, Stage
from tests.nostr.hostile.case import CREATED_AT, GAME, PLAYER, SERVER, STRANGER, Body, bytes_of

_US = ("p", SERVER.pubkey)
_FILTER = {"kinds": [20302]}
_RESTRICTED, _BAD_FILTER, _BAD = (
    "closed-restricted",
    "malformed-bad_filter",
    "malformed-bad_message",
)


def _published(event: bytes | Body) -> bytes:
    return wrapped("socket", event if isinstance(event, bytes) else bytes_of(event))


def requests() -> Iterator[Case]:
    ids = [f"{number:064x}" for number in range(400)]
    refused: dict[str, tuple[str, list[object]]] = {
        "a REQ for everything": (_RESTRICTED, [{}]),
        "a REQ for all of a time": (_RESTRICTED, [{"since": 1}]),
        "a REQ for what is never said here": (_RESTRICTED, [{"kinds": [1, 4, 1059]}]),
        "a REQ of eleven filters": (_RESTRICTED, [_FILTER] * 11),
        "a REQ of a thousand and one kinds": (_BAD_FILTER, [{"kinds": [*range(1_001)]}]),
        "a REQ of four hundred ids": (_RESTRICTED, [{"ids": ids}]),
        "a REQ with a prefix for an id": (_BAD_FILTER, [{"ids": ["ab"]}]),
        "a REQ with an empty list": (_BAD_FILTER, [{"kinds": []}]),
        "a REQ with a limit below zero": (_BAD_FILTER, [{**_FILTER, "limit": -1}]),
        "a REQ with true for a kind": (_BAD_FILTER, [{"kinds": [True]}]),
        "a REQ with a field of its own": (_BAD_FILTER, [{**_FILTER, CANARY: 1}]),
        "a REQ with a tag of two letters": (_BAD_FILTER, [{"#dd": ["x"]}]),
        "a REQ with a filter that is text": (_BAD_FILTER, [CANARY]),
        "a REQ without a filter": (_BAD, []),
        "a REQ for a game of 4 KiB": (_RESTRICTED, [{"#d": ["x" * 4_096]}]),
    }
    many = tuple(frame("REQ", f"s{number}", _FILTER) for number in range(21))
    close = frame("CLOSE", "s")
    rows: tuple[Row, ...] = (
        *((f"H70 {it}", answer, frame("REQ", "s", *req)) for it, (answer, req) in refused.items()),
        ("H70 the twenty-first subscription", _RESTRICTED, many),
        (
            "H70 the sixty-first REQ in ten seconds",
            "closed-rate-limited",
            (frame("REQ", "s", _FILTER),) * 125,
        ),
        (
            "H70 the three hundred and first frame in ten seconds",
            "refused-rate-limited",
            (close,) * 301,
        ),
        # Twice the limit, and the line is cut; a socket that is forgotten has to come again.
        (
            "H70 the six hundred and first frame in ten seconds",
            "hung-up-rate-limited",
            (close,) * 601,
        ),
        ("H70 a frame after the line was cut", "unknown-connection", (close,) * 602),
        ("H70 the sixth frame that is no message", "malformed-not_json", ("x",) * 6),
    )
    yield from frames("socket", rows)


def names() -> Iterator[Case]:
    texts = {
        "H69 a subscription that is a key of the table": "c#" + SOCKET,
        "H69 a subscription that is an expression": ":v = attribute_not_exists(pk)",
        "H68 a subscription with a line break and a line of log": f'\n{{"status":"{CANARY}"}}\n',
        "H68 a subscription with an escape sequence": f"\x1b[2J{CANARY}",
        "H68 a subscription with a NUL": f"\0{CANARY}",
    }
    verbs = ("COUNT", "NEG-OPEN", "DELETE", CANARY, "event", " EVENT", "EVENT\n")
    rows: tuple[Row, ...] = (
        (
            "H42 a subscription of 65 characters",
            _BAD,
            frame("REQ", "s" * 65, {"kinds": [64]}),
        ),
        ("H42 a subscription of nothing", _BAD, frame("REQ", "", {"kinds": [64]})),
        *(
            (name, "subscribed", frame("REQ", text, {**_FILTER, "#d": [text]}))
            for name, text in texts.items()
        ),
        *(
            (f"H31 the verb {it!r} of a client", "malformed-unknown_message", frame(it, "s", {}))
            for it in verbs
        ),
        ("H31 a frame of 33 KiB", "malformed-too_large", frame("CLOSE", "x" * 33_000)),
        ("H31 a frame of bytes that are no UTF-8", "malformed-not_utf8", b'["CLOSE","\xff"]'),
        ("H31 a frame of NULs", "malformed-not_json", b"\0" * 100),
        ("H31 a CLOSE with more than its name", _BAD, frame("CLOSE", "s", CANARY)),
        ("H31 an EVENT with more than its event", _BAD, frame("EVENT", {}, CANARY)),
        ("H31 a frame of nothing", "malformed-not_json", ""),
    )
    yield from frames("socket", rows)


def chat() -> Iterator[Case]:
    def said(kind: int, content: str, *tags: tuple[str, ...], by: SecretKey = PLAYER) -> bytes:
        return _published(signed(by, kind, content, *tags))

    game, other, to_rival = ("d", GAME), ("d", "ff" * 16), ("p", RIVAL.pubkey)
    to_both = (to_rival, ("p", STRANGER.pubkey))
    flood = tuple(said(20306, f"{number}", game, by=STRANGER) for number in range(6))
    invalid, restricted = "refused-invalid", "refused-restricted"
    by_spectator = said(20305, CANARY, game, to_rival, by=STRANGER)
    rows: tuple[Row, ...] = (
        ("of 1,025 characters", invalid, said(20305, "x" * 1_025, game, to_rival)),
        ("in no game", invalid, said(20305, CANARY, to_rival)),
        ("in two games", invalid, said(20306, CANARY, game, other)),
        ("in a game of another server", restricted, said(20306, CANARY, other)),
        ("in a game of a strange id", invalid, said(20306, CANARY, ("d", "../etc"))),
        ("of a spectator to a player", restricted, by_spectator),
        ("of a player to himself", invalid, said(20305, CANARY, game, ("p", PLAYER.pubkey))),
        ("of a player to both", invalid, said(20305, CANARY, game, *to_both)),
        ("to no address", invalid, said(20305, CANARY, game)),
        ("in the arbiter's name", "refused-blocked", said(20306, CANARY, game, by=SERVER)),
        ("with twenty-one tags", invalid, said(20306, CANARY, game, *[("t", "x")] * 20)),
    )
    yield from frames("socket", ((f"H67 chat {name}", *rest) for name, *rest in rows))  # type: ignore[misc]
    sixth = "H67 the sixth line of chat in ten seconds"
    yield from frames("socket", ((sixth, "refused-rate-limited", flood),))


def _proof(url: str = URL, seconds: int = 0, word: str = "") -> Script:
    """NIP-42: relay, challenge and date must be right."""

    def frames_(stage: Stage) -> list[bytes]:
        challenge = word or stage.gateway.connections.standing[SOCKET].challenge
        template = auth_template(url, challenge, NOW_MS // 1000 + seconds)
        return [frame("AUTH", event_to_json(PLAYER.sign(template)))]

    return frames_


def proofs() -> Iterator[Case]:
    other, auth = signed(PLAYER, 1, CANARY), signed(PLAYER, 22242, "", ("challenge", "x"))
    protected = _published(a_word(PLAYER, "e2e4", ("-",)))
    who = "H14 a protected move of a player who has not proved who they are"
    rows: tuple[Row, ...] = (
        ("H14 an AUTH for another relay", "refused-invalid", _proof("wss://evil.example")),
        ("H14 an AUTH for a machine inside", "refused-invalid", _proof("ws://169.254.169.254/")),
        ("H14 an AUTH of an hour ago", "refused-invalid", _proof(seconds=-3_601)),
        ("H14 an AUTH of tomorrow", "refused-invalid", _proof(seconds=86_400)),
        ("H14 an AUTH to an unknown challenge", "refused-invalid", _proof(word=CANARY)),
        ("H14 an AUTH of another kind", "refused-invalid", frame("AUTH", other)),
        ("H14 an AUTH published as an event", "refused-blocked", _published(auth)),
        (who, "refused-auth-required", protected),
    )
    yield from frames("socket", rows)


def players_of_the_draft() -> Iterator[Case]:
    """NIP-100's draft: a connect that names us makes the socket its author's."""
    connect = _published(signed(STRANGER, 5000, "connect", _US))
    no_game = {
        (5001, "e2e4"): "unaddressed, heeded",
        (5001, CANARY): "unaddressed, heeded",
        (5002, "offer"): "unaddressed, heeded",
        (5003, "resign"): "unaddressed, heeded",
        (5000, CANARY): "request-bad-terms, heeded",
    }
    old = signed(STRANGER, 5000, "connect", at=CREATED_AT - 1_200)
    unproved = "H51 a {} that names no arbiter, from a socket that is not authenticated"
    rows: tuple[Row, ...] = (
        *(
            (
                f"H51 kind {kind} {content!r} of who plays no game",
                answer,
                (connect, _published(signed(STRANGER, kind, content, at=CREATED_AT + 1))),
            )
            for (kind, content), answer in no_game.items()
        ),
        *(
            (unproved.format(it), "refused-auth-required", _published(signed(STRANGER, 5000, it)))
            for it in ("connect", "cancelsearch")
        ),
        *(
            (
                f"H15 kind {kind} for another arbiter",
                "refused-blocked",
                _published(signed(STRANGER, kind, "connect", ("p", RIVAL.pubkey))),
            )
            for kind in (5000, 5001)
        ),
        ("H47 a connect of twenty minutes ago", "refused-invalid", _published(old)),
    )
    yield from frames("socket", rows)
