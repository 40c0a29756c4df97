"""Frames of a client at a socket of our gateway."""

from collections.abc import Callable, Iterable, Iterator

from arbiter.nostr.keys import SecretKey
from tests.hostile.case import Case, Row, a_word, each, events, frame, frames, signed
from tests.hostile.scenario import MARK, NOW_MS, RIVAL, SOCKET, Scenario
from tests.nostr.hostile.case import CREATED_AT, GAME, PLAYER, SERVER, STRANGER, bytes_of

_NOW = NOW_MS // 1000
_STATES = {"kinds": [20302]}
_VERBS = ("COUNT", "NEG-OPEN", "DELETE", MARK, "event", " EVENT", "EVENT\n")
_SUBSCRIPTIONS = (
    *(f"c#{SOCKET}", ":v = attribute_not_exists(pk)", f'\n{{"status":"{MARK}"}}\n'),
    *(f"\x1b[2J{MARK}", f"\0{MARK}"),
)


def at_sockets() -> Iterator[Case]:
    yield from frames("socket", (*_requests(), *_floods(), *_frames()))
    yield from events((*_chat(), *_nip100()), entry_points="socket")


def _requests() -> Iterator[Row]:
    def of(filter_: object) -> bytes:
        return frame("REQ", "s", filter_)

    refused: list[object] = [{}, {"since": 1}, {"kinds": [1, 4, 1059]}, {"#d": ["x" * 4096]}]
    yield from each("H70 a REQ", "closed-restricted", of, refused)
    eleven = frame("REQ", "s", *[_STATES] * 11)
    yield "H70 a REQ of eleven filters", "malformed-too_many_filters", eleven
    unread: list[object] = [
        *({"ids": ["ab"]}, {"kinds": []}, {**_STATES, "limit": -1}, {"kinds": [True]}),
        *({**_STATES, MARK: 1}, {"#dd": ["x"]}, MARK),
    ]
    yield from each("H70 a REQ", "malformed-bad_filter", of, unread)
    yield "H70 a REQ without a filter", "malformed-bad_message", frame("REQ", "s")

    def called(name: str) -> bytes:
        return frame("REQ", name, {**_STATES, "#d": [name]})

    yield from each("H42 a subscription", "malformed-bad_message", called, ["s" * 65, ""])
    yield from each("H69 a subscription", "subscribed", called, _SUBSCRIPTIONS)


def _floods() -> Iterator[Row]:
    close, request = frame("CLOSE", "s"), frame("REQ", "s", _STATES)
    twenty_one = tuple(frame("REQ", f"s{number}", _STATES) for number in range(21))
    yield "H70 the twenty-first subscription", "closed-restricted", twenty_one
    yield "H70 the sixty-first REQ in ten seconds", "closed-rate-limited", (request,) * 125
    for times, answer in (
        *((301, "refused-rate-limited"), (601, "hung-up-rate-limited")),
        (602, "unknown-connection"),
    ):
        yield f"H70 the {times}th frame in ten seconds", answer, (close,) * times
    yield "H70 the sixth frame that is no message", "malformed-not_json", ("x",) * 6


def _frames() -> Iterator[Row]:
    def verb(word: str) -> bytes:
        return frame(word, "s", {})

    yield from each("H31 the verb", "malformed-unknown_message", verb, _VERBS)
    for answer, said in (
        ("malformed-too_large", frame("CLOSE", "x" * 33_000)),
        ("malformed-not_json", b'["CLOSE","\xff"]'),
        ("malformed-not_json", "\0" * 100),
        ("malformed-not_json", ""),
        ("malformed-bad_message", frame("CLOSE", "s", MARK)),
        ("malformed-bad_message", frame("EVENT", {}, MARK)),
    ):
        yield f"H31 a frame of {said[:24]!r}", answer, said


def _chat() -> Iterator[Row]:
    game, rival = ("d", GAME), ("p", RIVAL.pubkey)
    invalid, restricted = "refused-invalid", "refused-restricted"

    def chat(kind: int, *tags: tuple[str, ...], by: SecretKey = PLAYER, text: str = MARK) -> bytes:
        return bytes_of(signed(by, kind, text, *tags))

    other = ("d", "ff" * 16)
    for name, answer, said in (
        ("of 1,025 characters", invalid, chat(20305, game, rival, text="x" * 1025)),
        ("in no game", invalid, chat(20305, rival)),
        ("in two games", invalid, chat(20306, game, other)),
        ("in a game of another server", restricted, chat(20306, other)),
        ("in a game of a strange id", invalid, chat(20306, ("d", "../etc"))),
        ("of a spectator to a player", restricted, chat(20305, game, rival, by=STRANGER)),
        ("of players to themselves", invalid, chat(20305, game, ("p", PLAYER.pubkey))),
        ("of a player to both", invalid, chat(20305, game, rival, ("p", STRANGER.pubkey))),
        ("to no address", invalid, chat(20305, game)),
        ("in the arbiter's name", "refused-blocked", chat(20306, game, by=SERVER)),
        ("with thirty-three tags", invalid, chat(20306, game, *[("t", "x")] * 32)),
    ):
        yield f"H67 chat {name}", answer, said
    six = tuple(chat(20306, game, by=STRANGER, text=str(number)) for number in range(6))
    yield "H67 the sixth line of chat in ten seconds", "refused-rate-limited", six
    proof = bytes_of(signed(PLAYER, 22242, "", ("challenge", "x")))
    yield "H14 an AUTH published as an event", "refused-blocked", proof
    protected = a_word(PLAYER, "e2e4", ("-",))
    name = "H14 a protected move of a player who has not proved who they are"
    yield name, "refused-auth-required", protected


def _nip100() -> Iterator[Row]:
    """Of a stranger who plays no game."""

    def said(kind: int, word: str, *tags: tuple[str, ...], at: int = CREATED_AT) -> bytes:
        return bytes_of(signed(STRANGER, kind, word, *tags, at=at))

    def connected(kind: int, word: str) -> Callable[[Scenario], Iterable[bytes]]:
        first = said(5000, "connect", ("p", SERVER.pubkey))
        return lambda _: (first, said(kind, word, at=_NOW - 1))

    for kind, word in ((5001, "e2e4"), (5001, MARK), (5002, "offer"), (5003, "resign")):
        name = f"H51 kind {kind} {word} of who plays no game"
        yield name, "unaddressed, heeded", connected(kind, word)
    unread = "H51 kind 5000 in other words"
    yield unread, "request-bad-terms, heeded", connected(5000, MARK)
    connect = said(5000, "connect")
    yield "H51 a connect that names no arbiter", "queued, heeded", connect
    yield "H51 a connect that names no arbiter, twice", "duplicate, heeded", (connect,) * 2

    def dated(seconds: int) -> bytes:
        return said(5000, "connect", at=_NOW + seconds)

    yield from each("H51 an unaddressed connect, seconds off:", "refused-invalid", dated, [-31, 31])
    cancel = said(5000, "cancelsearch")
    yield "H51 a cancelsearch without a search", "refused-restricted", cancel
    for kind in (5000, 5001):
        elsewhere = said(kind, "connect", ("p", RIVAL.pubkey))
        yield f"H15 kind {kind} for another arbiter", "refused-blocked", elsewhere
    late = said(5000, "connect", at=_NOW - 1_202)
    yield "H47 a connect of twenty minutes ago", "refused-invalid", late
