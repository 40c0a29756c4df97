"""The kinds, words and bounds that are promised to clients, as numbers and not as the code calls
them.
"""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from arbiter.core.game import WHITE, Game, Termination
from arbiter.core.replies import ChatMessage, Reason, Rejected, StateShown
from arbiter.dialects import arbiter_events, chat, native, nip100
from arbiter.dialects.base import AnswerChallenge
from arbiter.dialects.registry import by_kind
from arbiter.dialects.ssb import decode as ssb
from arbiter.dialects.ssb.messages import ENVELOPE, read_envelope
from arbiter.nostr.relay_messages import OkMessage
from tests.builders import ALICE, BRIDGE, NOW_MS, SERVER, a_game, after, an_event
from tests.dialects import nip100_cases, ssb_cases

ROOT = Path(__file__).parents[2]


def test_each_kind_has_the_number_of_its_row() -> None:
    text = (ROOT / "PROTOCOL.md").read_text(encoding="utf-8")
    rows = {name: int(number) for number, name in re.findall(r"(?m)^\| (\d+) ([^|]+) \|", text)}

    assert rows == {
        "request": native.REQUEST_TO_PLAY,
        "response": native.RESPONSE_TO_REQUEST,
        "state": native.GAME_STATE,
        "move": native.GAME_MOVE,
        "error": native.GAME_ERROR,
        "players' chat": chat.PLAYERS_CHAT,
        "spectators' chat": chat.SPECTATORS_CHAT,
        "rating": arbiter_events.RATING,
    }
    assert (arbiter_events.PROFILE, arbiter_events.RELAY_LIST, arbiter_events.HANDLER) == (
        0,
        10002,
        31990,
    )
    assert arbiter_events.PGN_NOTE == 64
    assert (nip100.SEARCH, nip100.MOVE, nip100.OFFER, nip100.RESIGN) == (5000, 5001, 5002, 5003)
    assert ENVELOPE == 20310


def test_each_way_to_end_is_named() -> None:
    text = (ROOT / "PROTOCOL.md").read_text(encoding="utf-8")
    listed = "".join(re.findall(r"(?m)^- (`.*)", text.split("## The end")[1].split("\n## ")[0]))

    assert set(re.findall(r"`([a-z-]+)`", listed)) - {"claim", "result"} == set(Termination)


def test_two_dialects_that_claim_one_kind_are_an_error_that_names_both() -> None:
    other = replace(ssb.DIALECT, name="other", kinds=frozenset({nip100.MOVE}))

    with pytest.raises(ValueError, match="nip100 and other both claim kind 5001"):
        by_kind([nip100.DIALECT, other])
    copied = replace(nip100.DIALECT, kinds=frozenset({nip100.MOVE}))
    with pytest.raises(ValueError, match="nip100 and nip100 both claim kind 5001"):
        by_kind([nip100.DIALECT, copied])


def shuffled(plies: int, game: Game | None = None) -> Game:
    """Knights out and back: rules aside, as long as anybody likes."""
    dance = after(a_game(), "Nf3 Nf6 Ng1 Ng8").moves
    return replace(game or a_game(), moves=(dance * (plies // 4 + 1))[:plies])


def test_a_line_is_cut_to_140_characters_and_a_state_has_its_moves_up_to_two_thousand() -> None:
    def moves(plies: int) -> list[int]:
        tags = native.state(shuffled(plies), NOW_MS // 1000, SERVER.pubkey).tags
        return [len(tag) - 1 for tag in tags if tag[0] == "moves"]

    assert chat.clean("x" * 141) == "x" * 140
    assert [moves(plies) for plies in (0, 1, 2000, 2001)] == [[], [1], [2000], []]


def test_each_reason_to_decline_is_passed_on_and_any_other_is_generic() -> None:
    page = (ROOT / "PROTOCOL.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"\| `decline:<challenge>:<reason>` \| (.*?) \|", page)
    words = re.findall(r"`(\w+)`", row)

    def declined(word: str) -> str | None:
        event = an_event(ALICE, 20300, f"decline:{'1' * 32}:{word}")
        heard = native.decode(event, NOW_MS)
        assert isinstance(heard, AnswerChallenge)
        return heard.declined

    assert len(words) == 9
    assert [declined(word) for word in words] == words
    assert {declined(word) for word in ("", "Later", "because")} == {"generic"}


def test_a_player_who_comes_back_on_a_socket_is_told_120_moves_at_once() -> None:
    since = an_event(ALICE, 5000, "connect", (("ply", "3"),))
    long = shuffled(124, nip100_cases.GAME)

    frames = nip100.encode(StateShown(long, WHITE), nip100_cases.because(since))

    shown = [frame.content.event.tags for frame in frames]  # type: ignore[union-attr]
    assert [int(tag[1]) for tags in shown for tag in tags if tag[0] == "ply"] == [*range(4, 124)]


@pytest.mark.parametrize(
    ("reason", "prefix"),
    [
        (Reason.NOT_A_PLAYER, "restricted: "),
        (Reason.RATE_LIMITED, "rate-limited: "),
        (Reason.ILLEGAL_MOVE, "invalid: "),
    ],
)
def test_a_refusal_on_a_socket_has_a_prefix_of_nip_01(reason: Reason, prefix: str) -> None:
    refused = Rejected(ALICE.pubkey, reason, "why not")

    (frame,) = nip100.acknowledge((refused,), nip100_cases.because(nip100_cases.MOVE))

    assert frame.content == OkMessage(nip100_cases.MOVE.id, False, f"{prefix}why not")


def test_a_letter_has_64_kilobytes_at_most() -> None:
    envelope = ssb_cases.hosted(ssb_cases.MOVE).content

    def read(size: int) -> bool:
        padded = envelope + " " * (size - len(envelope))
        return read_envelope(an_event(BRIDGE, 20310, padded, (("p", SERVER.pubkey),))) is not None

    assert [read(size) for size in (len(envelope), 65_536, 65_537)] == [True, True, False]


def test_a_line_of_talk_on_ssb_has_two_thousand_characters_at_most() -> None:
    game = ssb_cases.GAME
    said = ChatMessage(
        game, game.black.player, "x" * 3000, is_private=True, colors=frozenset({WHITE})
    )

    (line,) = ssb.DIALECT.encode(said, ssb_cases.told(game))

    assert line.content == {**line.content, "msg": "Opponent: " + "x" * 1990}  # type: ignore[union-attr, dict-item]
