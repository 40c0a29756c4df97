"""H42, H64, H67 to H70 at our own gateway: frames that are no events of a game."""

from collections.abc import Iterator

from arbiter.nostr.event import event_to_json
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip42 import auth_template
from tests.application.gateway.relay_world import URL
from tests.hostile.case import Case, Frames, a_word, bytes_of, frame, from_a_socket, signed
from tests.hostile.stage import CANARY, NOW_MS, RIVAL, SOCKET, Stage
from tests.nostr.hostile.case import CREATED_AT, GAME, PLAYER, SERVER, STRANGER

_US = ("p", SERVER.pubkey)


def _one(name: str, note: str, said: bytes | str, answer: str) -> Case:
    return from_a_socket(name, note, lambda _: [said], answer)


def _published(event: bytes) -> bytes:
    return b'["EVENT",' + event + b"]"


def _chat(kind: int, content: str, *tags: tuple[str, ...], by: SecretKey = PLAYER) -> bytes:
    return _published(bytes_of(signed(by, kind, content, *tags)))


def requests() -> Iterator[Case]:
    """H70: REQs that would be dear."""
    ids = [f"{number:064x}" for number in range(400)]
    for name, filters, answer in (
        ("a REQ for everything", [{}], "closed-restricted"),
        ("a REQ for all of a time", [{"since": 1}], "closed-restricted"),
        ("a REQ for what is never said here", [{"kinds": [1, 4, 1059]}], "closed-restricted"),
        ("a REQ of eleven filters", [{"kinds": [20302]}] * 11, "closed-restricted"),
        ("a REQ of a thousand and one kinds", [{"kinds": [*range(1_001)]}], "malformed-bad_filter"),
        ("a REQ of four hundred ids", [{"ids": ids}], "closed-restricted"),
        ("a REQ with a prefix for an id", [{"ids": ["ab"]}], "malformed-bad_filter"),
        ("a REQ with an empty list", [{"kinds": []}], "malformed-bad_filter"),
        (
            "a REQ with a limit below zero",
            [{"kinds": [20302], "limit": -1}],
            "malformed-bad_filter",
        ),
        ("a REQ with true for a kind", [{"kinds": [True]}], "malformed-bad_filter"),
        ("a REQ with a field of its own", [{"kinds": [20302], CANARY: 1}], "malformed-bad_filter"),
        ("a REQ with a tag of two letters", [{"#dd": ["x"]}], "malformed-bad_filter"),
        ("a REQ with a filter that is text", [CANARY], "malformed-bad_filter"),
        ("a REQ without a filter", [], "malformed-bad_message"),
        ("a REQ for a game of 4 KiB", [{"#d": ["x" * 4_096]}], "closed-restricted"),
    ):
        said = frame("REQ", "s", *filters)
        yield _one(f"H70 {name}", "refused by name before anything is read", said, answer)
    yield from_a_socket(
        "H70 the twenty-first subscription",
        "twenty to a connection",
        lambda _: (frame("REQ", f"s{number}", {"kinds": [20302]}) for number in range(21)),
        "closed-restricted",
    )
    yield from_a_socket(
        "H70 the sixty-first REQ in ten seconds",
        "sixty to a connection",
        lambda _: [frame("REQ", "s", {"kinds": [20302]})] * 125,
        "closed-rate-limited",
    )
    yield from_a_socket(
        "H70 the three hundred and first frame in ten seconds",
        "three hundred to a connection",
        lambda _: [frame("CLOSE", "s")] * 301,
        "refused-rate-limited",
    )
    yield from_a_socket(
        "H70 the six hundred and first frame in ten seconds",
        "twice the limit, and the line is cut",
        lambda _: [frame("CLOSE", "s")] * 601,
        "hung-up-rate-limited",
    )
    yield from_a_socket(
        "H70 a frame after the line was cut",
        "a socket that is forgotten is asked to come again",
        lambda _: [frame("CLOSE", "s")] * 602,
        "unknown-connection",
    )
    yield from_a_socket(
        "H70 the sixth frame that is no message",
        "a handful are told what is wrong; then the line is cut",
        lambda _: ["x"] * 6,
        "malformed-not_json",
    )


def names() -> Iterator[Case]:
    """H42, H68, H69: ids of subscriptions and topics that would be something else."""
    for name, text in (
        ("of 65 characters", "s" * 65),
        ("of nothing", ""),
    ):
        yield _one(
            f"H42 a subscription {name}",
            "NIP-01: 1 to 64",
            frame("REQ", text, {"kinds": [64]}),
            "malformed-bad_message",
        )
    for number, name, text in (
        ("H69", "that is a key of the table", "c#" + SOCKET),
        ("H69", "that is an expression", ":v = attribute_not_exists(pk)"),
        ("H68", "with a line break and a line of log", f'\n{{"status":"{CANARY}"}}\n'),
        ("H68", "with an escape sequence", f"\x1b[2J{CANARY}"),
        ("H68", "with a NUL", f"\0{CANARY}"),
    ):
        yield _one(
            f"{number} a subscription {name}",
            "a value among values: no expression and no line of a log is made of it",
            frame("REQ", text, {"kinds": [20302], "#d": [text]}),
            "subscribed",
        )
    for verb in ("COUNT", "NEG-OPEN", "DELETE", CANARY, "event", " EVENT", "EVENT\n"):
        yield _one(
            f"H31 the verb {verb!r} of a client",
            "EVENT, REQ, CLOSE and AUTH are understood here",
            frame(verb, "s", {}),
            "malformed-unknown_message",
        )
    for name, said in (
        ("a frame of 33 KiB", frame("CLOSE", "x" * 33_000)),
        ("a frame of bytes that are no UTF-8", b'["CLOSE","\xff"]'),
        ("a frame of NULs", b"\0" * 100),
        ("a CLOSE with more than its name", frame("CLOSE", "s", CANARY)),
        ("an EVENT with more than its event", frame("EVENT", {}, CANARY)),
        ("a frame of nothing", ""),
    ):
        yield _one(f"H31 {name}", "no message of a client", said, _FLAWS[name])


_FLAWS = {
    "a frame of 33 KiB": "malformed-too_large",
    "a frame of bytes that are no UTF-8": "malformed-not_utf8",
    "a frame of NULs": "malformed-not_json",
    "a CLOSE with more than its name": "malformed-bad_message",
    "an EVENT with more than its event": "malformed-bad_message",
    "a frame of nothing": "malformed-not_json",
}


def chat() -> Iterator[Case]:
    """H67."""
    game, to_rival = ("d", GAME), ("p", RIVAL.pubkey)
    for name, said, answer in (
        ("of 1,025 characters", _chat(20305, "x" * 1_025, game, to_rival), "refused-invalid"),
        ("in no game", _chat(20305, CANARY, to_rival), "refused-invalid"),
        ("in two games", _chat(20306, CANARY, game, ("d", "ff" * 16)), "refused-invalid"),
        (
            "in a game of another server",
            _chat(20306, CANARY, ("d", "ff" * 16)),
            "refused-restricted",
        ),
        ("in a game of a strange id", _chat(20306, CANARY, ("d", "../etc")), "refused-invalid"),
        (
            "of a spectator to a player",
            _chat(20305, CANARY, game, to_rival, by=STRANGER),
            "refused-restricted",
        ),
        (
            "of a player to himself",
            _chat(20305, CANARY, game, ("p", PLAYER.pubkey)),
            "refused-invalid",
        ),
        (
            "of a player to both",
            _chat(20305, CANARY, game, to_rival, ("p", STRANGER.pubkey)),
            "refused-invalid",
        ),
        ("to nobody", _chat(20305, CANARY, game), "refused-invalid"),
        ("in the arbiter's name", _chat(20306, CANARY, game, by=SERVER), "refused-blocked"),
        ("with twenty-one tags", _chat(20306, CANARY, game, *[("t", "x")] * 20), "refused-invalid"),
    ):
        yield _one(
            f"H67 chat {name}", "signed by who may, for whom he may, and short", said, answer
        )
    yield from_a_socket(
        "H67 the sixth line of chat in ten seconds",
        "five of one key",
        lambda _: (_chat(20306, f"{number}", game, by=STRANGER) for number in range(6)),
        "refused-rate-limited",
    )


def proofs() -> Iterator[Case]:
    """H14, H64: AUTH that proves nothing."""

    def answering(
        url: str = URL, key: SecretKey = PLAYER, seconds: int = 0, word: str = ""
    ) -> Frames:
        def frames(stage: Stage) -> list[bytes]:
            challenge = word or stage.gateway.connections.standing[SOCKET].challenge
            template = auth_template(url, challenge, NOW_MS // 1000 + seconds)
            return [frame("AUTH", event_to_json(key.sign(template)))]

        return frames

    for name, frames in (
        ("for another relay", answering(url="wss://evil.example")),
        ("for a machine inside", answering(url="ws://169.254.169.254/")),
        ("of an hour ago", answering(seconds=-3_601)),
        ("of tomorrow", answering(seconds=86_400)),
        ("to a challenge of nobody's", answering(word=CANARY)),
    ):
        yield from_a_socket(
            f"H14 an AUTH {name}",
            "NIP-42: relay, challenge and date must be right",
            frames,
            "refused-invalid",
        )
    other = frame("AUTH", signed(PLAYER, 1, CANARY))
    yield _one("H14 an AUTH of another kind", "NIP-42: kind 22242", other, "refused-invalid")
    published = _published(bytes_of(signed(PLAYER, 22242, "", ("challenge", "x"))))
    yield _one("H14 an AUTH published as an event", "no chess", published, "refused-blocked")
    protected = _published(a_word(PLAYER, "e2e4", ("-",)))
    yield _one(
        "H14 a protected move of somebody who has not proved who he is",
        "NIP-70: AUTH first",
        protected,
        "refused-auth-required",
    )


def players_of_the_draft() -> Iterator[Case]:
    """The NIP-100 draft, after a connect that makes the socket PLAYER's."""

    def after_connect(kind: int, content: str, *tags: tuple[str, ...]) -> Frames:
        connect = _published(bytes_of(signed(STRANGER, 5000, "connect", _US)))
        said = _published(bytes_of(signed(STRANGER, kind, content, *tags, at=CREATED_AT + 1)))
        return lambda _: [connect, said]

    for kind, content, answer in (
        (5001, "e2e4", "unaddressed"),
        (5001, CANARY, "unaddressed"),
        (5002, "offer", "unaddressed"),
        (5003, "resign", "unaddressed"),
        (5000, CANARY, "request-bad-terms"),
    ):
        yield from_a_socket(
            f"H51 kind {kind} {content!r} of who plays no game",
            "there is nothing to move in",
            after_connect(kind, content),
            answer,
            heeded=True,
        )
    for content in ("connect", "cancelsearch"):
        yield _one(
            f"H51 a {content} that names no arbiter, from a socket that is not authenticated",
            "signed for any server: a stranger could bring it",
            _published(bytes_of(signed(STRANGER, 5000, content))),
            "refused-auth-required",
        )
    for number in (5000, 5001):
        to_another = signed(STRANGER, number, "connect", ("p", RIVAL.pubkey))
        yield _one(
            f"H15 kind {number} for another arbiter",
            "whoever names somebody names not us",
            _published(bytes_of(to_another)),
            "refused-blocked",
        )
    yield _one(
        "H47 a connect of twenty minutes ago",
        "a clock more than a quarter of an hour off is wrong",
        _published(bytes_of(signed(STRANGER, 5000, "connect", at=CREATED_AT - 1_200))),
        "refused-invalid",
    )
