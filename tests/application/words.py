"""Answers in a few words."""

import json

import chess

from arbiter.core.game import Game
from arbiter.dialects.outgoing import SsbMessage
from arbiter.nostr.event import VerifiedEvent, all_tags, first_tag
from arbiter.nostr.nip19 import encode_npub
from arbiter.nostr.nip44 import KeyEncrypter
from tests.application.speakers import Speakers


def event_word(players: Speakers, event: VerifiedEvent) -> str:
    """An event of the arbiter: to whom it is and what it says."""
    named = [players.name(tag[1]) for tag in event.tags if tag[0] == "p"]
    text = event.content.removeprefix("Arbiter: ")
    verb, _, rest = event.content.partition(":")
    match event.kind:
        case 20301 if verb == "error":
            reason, _, text = rest.partition(": ")
            return f"{named[0]} !{reason}" + (f" {text}" if reason == "declined" else "")
        case 20301 if verb == "lines":
            key = players.key(named[0])
            text = KeyEncrypter(lambda: key).decrypt(event.pubkey, rest) or "unreadable"
            return f"{named[0]} lines {text.strip().replace(chr(10), ', ') or 'none'}"
        case 20301:
            known = {one: f" c{at}" for at, one in enumerate(players.challenges, 1)}
            tagged = first_tag(event, "challenge") or ("", rest.split(":")[0])
            about = "" if verb == "started" else known.get(tagged[1], "")
            return f"{named[0]} {verb}{about}"
        case 20302:
            return state_word(players, event)
        case 20304:
            return f"{'both' if len(named) == 2 else named[0]} !{verb}"
        case 30:
            return f"+{named[0]} {jester_word(players, named[0], event)}"
        case 1:
            assert len(all_tags(event, "e")) == 1, "it would be a reply to a reply"
            for name, key in players.keys.items():
                text = text.replace(encode_npub(key.pubkey), name)
            return f"{'+both' if len(named) == 2 else f'+{named[0]}'} {text}"
        case kind:
            return {64: "note", 30300: "rating", 20305: "chat", 20306: "public chat"}[kind]


def jester_word(players: Speakers, name: str, event: VerifiedEvent) -> str:
    """A word for our event of kind 30: a start, the end of the game, or a move and the event it
    answers, if that is not the player's last move.
    """
    content = json.loads(event.content)
    if content["kind"] == 0:
        return "start"
    if "result" in content:
        return str(content["result"])
    head = all_tags(event, "e")[1][1]
    if name in players.jesters and head == players.jesters[name].head:
        return str(content["move"])
    known = [label for label, (sent, _) in players.sent.items() if sent.id == head]
    return f"{content['move']} to {known[0] if known else 'another'}"


def state_word(players: Speakers, event: VerifiedEvent) -> str:
    """A state with its offer and its end, and with its game if that is not the last; ``shown`` if
    it goes to no player.
    """
    number = players.games.index(event.tags[0][1]) + 1
    tags = {tag[0]: tag[1:] for tag in event.tags}
    word = "state" if "p" in tags else "shown"
    words = [word] if number == len(players.games) else [f"g{number} {word}"]
    if "offer" in tags:
        words.append("/".join(tags["offer"]))
    if "result" in tags:
        words += [*tags["result"], *tags["termination"]]
    return " ".join(words)


def ssb_word(players: Speakers, said: SsbMessage) -> str:
    """A word for an entry of our log and its recipient: ``@sue*`` where all can read it."""
    names = [name for name, feed in players.feeds.items() if said.root in feed.invites]
    to = f"@{names[0] if names else 'unknown'}" + ("" if said.recps else "*")
    content = {name: str(value) for name, value in said.content.items()}
    squares = content.get("orig", "") + content.get("dest", "") + content.get("promotion", "")
    match content["type"]:
        case "chess_move":
            return f"{to} {squares}"
        case "chess_game_end":
            return f"{to} {content['status']} {squares}".strip()
        case "chess_invite":
            return f"{to} invite {content['myColor']}"
        case "chess_chat" if isinstance(verdict := said.content.get("verdict"), dict):
            return f"{to} !{verdict['reason']}"
        case "chess_chat":
            return f"{to} {content['msg'].removeprefix('Arbiter: ')}"
        case other:
            return f"{to} {other.removeprefix('chess_invite_')}"


def frame_word(socket: str, frame: tuple[object, ...]) -> str:
    """A word for a socket's frame: ``ok``, ``no`` with its text, or an event's label and
    content.
    """
    verb, *rest = frame
    if verb == "EVENT":
        return f"~{socket} {rest[0]} {rest[1]}"
    if rest[0]:
        return f"~{socket} ok {rest[1]}".strip()
    return f"~{socket} no: {str(rest[1]).removeprefix('invalid: ')}"


def clock_word(state: VerifiedEvent) -> str:
    """Both clocks (ms) as a state shows them."""
    shown = first_tag(state, "clock")
    return " ".join(shown[1:]) if shown else "-"


def end_word(game: Game) -> str:
    return f"{game.result} {game.outcome.termination}" if game.outcome else "-"


def offer_word(game: Game) -> str:
    if game.offer is None:
        return "-"
    return f"{game.offer.kind.value}/{'w' if game.offer.color == chess.WHITE else 'b'}"
