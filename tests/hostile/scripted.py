"""The hostile inputs that are worked out: from what was said before, or by a sum."""

import base64
import json
from collections.abc import Iterator
from functools import partial

from arbiter.nostr.event import event_to_json
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip42 import auth_template
from arbiter.nostr.nip44 import KeyEncrypter
from tests.application.gateway.relay_world import URL
from tests.hostile.case import Case, Row, Script, a_word, events, frame, frames, signed, wrapped
from tests.hostile.scenario import MARK, NOW_MS, RIVAL, SOCKET, Scenario
from tests.hostile.scenarios import SCENARIOS
from tests.nostr.hostile.case import GAME, PLAYER, SERVER, STRANGER, bytes_of

_IN_OUR_GAME = (("d", GAME), ("p", SERVER.pubkey))


def scripted() -> Iterator[Case]:
    bridged = SCENARIOS["a game with a feed"]
    yield from events(_former_states())
    yield from events(_works(), SCENARIOS["newcomers must work"])
    yield from frames("socket", (*_proofs(), *_long_requests()))
    yield from events(_chat_that_cannot_be_read(), bridged)
    yield Case("H63 challenges without end, answered", "relay", "8 answers", _answers)
    private = bytes_of(signed(PLAYER, 20305, sealed("hello"), *_IN_OUR_GAME))
    name = "H67 chat that is private, where both are on Nostr"
    yield from events([(name, "chat-not-carried", private)])
    for name, by in (("of one key", PLAYER), ("of a stranger", STRANGER)):
        sixth = f"H67 the sixth line {name} in ten seconds, carried"
        yield Case(sixth, "relay", "chat-rate-limited", partial(_six_lines, by), bridged)


def _former_states() -> Iterator[Row]:
    def after_black(scenario: Scenario) -> Iterator[bytes]:
        """White's second move, naming the state before the first."""
        scenario.from_relay([wrapped("relay", a_word(PLAYER, "state"))])
        shown = scenario.world.publisher.taken_events[-1].id
        yield a_word(PLAYER, "e2e4")
        yield a_word(RIVAL, "e7e5")
        yield a_word(PLAYER, "d2d4", ("e", shown))

    refused = a_word(PLAYER, "e2e5")
    to_refused = a_word(PLAYER, "e2e4", ("e", str(json.loads(refused)["id"])))
    yield "H46 a move that names the state before", "stale, heeded", after_black
    yield "H46 a refused move's id for a state", "stale", (refused, to_refused)


def _works() -> Iterator[Row]:
    """NIP-13: the work that was committed to counts."""
    for name, target in (
        ("that got lucky", "4"),
        ("that promises nothing", ""),
        ("promised in Arabic digits", "٨"),
    ):
        yield f"H60 a newcomer's wish with work {name}", "request-pow", _worked(target, 8)


def _worked(target: str, bits: int) -> bytes:
    """A wish that commits itself to this target and shows at least so many bits, by luck."""
    number = 0
    while True:
        wish = signed(STRANGER, 20300, "", ("p", SERVER.pubkey), ("nonce", str(number), target))
        if int(str(wish["id"]), 16) >> (256 - bits) == 0:
            return bytes_of(wish)
        number += 1


def _proofs() -> Iterator[Row]:
    """NIP-42: relay, challenge, date and kind must be right."""
    for name, wrong in (
        ("for another relay", _proof("wss://evil.example")),
        ("for a machine inside", _proof("ws://169.254.169.254/")),
        ("of an hour ago", _proof(seconds=-3_601)),
        ("of tomorrow", _proof(seconds=86_400)),
        ("to an unknown challenge", _proof(word=MARK)),
        ("of another kind", frame("AUTH", signed(PLAYER, 1, MARK))),
    ):
        yield f"H14 an AUTH {name}", "refused-invalid", wrong


def _proof(url: str = URL, seconds: int = 0, word: str = "") -> Script:
    def frames_(scenario: Scenario) -> list[bytes]:
        challenge = word or scenario.gateway.connections.open[SOCKET].challenge
        template = auth_template(url, challenge, NOW_MS // 1000 + seconds)
        return [frame("AUTH", event_to_json(PLAYER.sign(template)))]

    return frames_


def _long_requests() -> Iterator[Row]:
    kinds, ids = [*range(1_001)], [f"{number:064x}" for number in range(400)]
    many = frame("REQ", "s", {"kinds": kinds})
    yield "H70 a REQ of a thousand and one kinds", "malformed-bad_filter", many
    for name, most, answer in (
        ("ninety", 90, "closed-restricted"),
        ("400", 400, "malformed-too_large"),
    ):
        yield f"H70 a REQ of {name} ids", answer, frame("REQ", "s", {"ids": ids[:most]})


def _answers(scenario: Scenario) -> str:
    scenario.from_relay([frame("AUTH", f"{MARK} {number}") for number in range(100)])
    return f"{len(scenario.ear.line.said)} answers"


def sealed(text: str, by: SecretKey = PLAYER, to: str = SERVER.pubkey) -> str:
    """Sealed as NIP-44 has it."""
    payload = KeyEncrypter(lambda: by).encrypt(to, text, "ab" * 32)
    assert payload is not None
    return payload


def _chat_that_cannot_be_read() -> Iterator[Row]:
    sound = sealed("hello")
    raw = base64.b64decode(sound)
    spoilt = {
        "sealed and cut short": sound[:-4],
        "sealed and cut by a letter": sound[:-1],
        "sealed and altered": base64.b64encode(raw[:40] + b"\0" + raw[41:]).decode(),
        "sealed with another's code": base64.b64encode(raw[:-32] + bytes(32)).decode(),
        "sealed by version 1": base64.b64encode(b"\x01" + raw[1:]).decode(),
        "sealed by version 255": base64.b64encode(b"\xff" + raw[1:]).decode(),
        "marked as of the future": "#" + sound[1:],
        "sealed for another": sealed("hello", to=STRANGER.pubkey),
        "sealed by another": sealed("hello", by=STRANGER),
        "that is a line break in base64": sound[:50] + "\n" + sound[50:],
        "that cannot be seen": sealed("\u202e\u200b\u2066\ufeff"),
        "of breaks and controls": sealed("\n\r\x1b\x07\0"),
    }
    for name, content in spoilt.items():
        chat = bytes_of(signed(PLAYER, 20305, content, *_IN_OUR_GAME))
        yield f"H67 chat {name}", "chat-unreadable", chat
    content = sealed("hello", by=STRANGER)
    by_spectator = bytes_of(signed(STRANGER, 20305, content, *_IN_OUR_GAME))
    yield "H67 chat between players, by a spectator", "chat-not-carried", by_spectator


def _six_lines(by: SecretKey, scenario: Scenario) -> str:
    lines = [signed(by, 20306, f"line {number}", *_IN_OUR_GAME) for number in range(6)]
    answer = scenario.from_relay(wrapped("relay", bytes_of(line)) for line in lines)
    assert len(scenario.world.outbox.said) == len(lines) - 1
    return answer
