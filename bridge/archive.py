"""Games of a log that is in a file: `python -m bridge.archive --from-log FILE`.

Each game is replayed by the rules. Illegal moves are reported and left out, as the arbiter does for
players who follow it. The output is PGN and, with a key to sign with, a note of kind 64 for Nostr.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from arbiter.application.play.event_memory import apply_decision
from arbiter.application.play.judge import rules_for
from arbiter.application.play.referee import game_of
from arbiter.application.records import LATEST_MS
from arbiter.core.decide import decide
from arbiter.core.game import Game
from arbiter.core.pgn import pgn
from arbiter.core.replies import ClaimRejected, Rejected, Reply
from arbiter.core.rules import Rules
from arbiter.dialects import arbiter_events
from arbiter.dialects.base import BeginGame, GameCommand
from arbiter.dialects.ssb import decode as ssb
from arbiter.nostr.event import event_to_json
from arbiter.nostr.keys import SecretKey
from bridge.envelopes import EnvelopeWriter
from bridge.forwarding import in_game_order
from bridge.log_file import NoLog, Refused, message_of, text_of, values
from bridge.peer_log import GameFacts, Message

_NOBODY = f"@{'A' * 43}=.ed25519"
"""The arbiter's feed in a file: it takes no part."""

_RULES = Rules(illegal_moves_to_lose=0)
_NO_GAME, _UNREADABLE = 1, 2


@dataclass(frozen=True, slots=True)
class Archived:
    """One game of the log: its players, its position, and what was wrong with it."""

    root: str
    white: str
    black: str
    game: Game
    wrong: tuple[str, ...]


def archived(messages: Sequence[Message], reader: SecretKey) -> Iterator[Archived]:
    """The games of a log, by their invitations. ``reader`` is any key: the envelopes in between are
    written with it and read again, so that a file is read as the arbiter reads a bridge.
    """
    writer = EnvelopeWriter(reader, reader.pubkey, _NOBODY)
    threads: dict[str, list[Message]] = {}
    for message in messages:
        threads.setdefault(message.root, []).append(message)
    for root, thread in threads.items():
        invite = next((it for it in thread if it.key == root), None)
        if invite is not None:
            facts = GameFacts(invite, None, {}, root)
            if found := _replayed(facts, in_game_order(facts, _NOBODY, thread), writer):
                yield found


def _replayed(
    facts: GameFacts, thread: Iterable[Message], writer: EnvelopeWriter
) -> Archived | None:
    """The game that these messages make; None if it was not accepted."""
    game: Game | None = None
    wrong: list[str] = []
    for message in thread:
        # Its author's claim, and a PGN has to hold it.
        at_ms = min(max(int(message.timestamp), 0), LATEST_MS - 1)
        event = writer.event(facts, message, at_ms)
        asked = None if event is None else ssb.decode(event, at_ms)
        if event is None or not isinstance(asked, BeginGame | GameCommand):
            continue
        begins = asked if isinstance(asked, BeginGame) else asked.begins
        if game is None and begins is not None and not message.is_invite:
            game = game_of(begins, at_ms)
        if game is None or isinstance(asked, BeginGame):
            continue
        rules = rules_for(_RULES, game, asked.command)
        event_key = bytes.fromhex(ssb.event_key(event))
        decision = decide(game, asked.command, at_ms, rules, at_ms)
        game, replies = apply_decision(game, decision, asked.command, event_key, _RULES, at_ms)
        wrong += [f"{message.key}: {text}" for text in map(_wrong, replies) if text]
    if game is None:
        return None
    inviter, invited = facts.players
    is_white = facts.invite.content.get("myColor") == "white"
    white, black = (inviter, invited) if is_white else (invited, inviter)
    return Archived(facts.invite.key, white, black, replace(game, pending=()), tuple(wrong))


def _wrong(reply: Reply) -> str | None:
    match reply:
        case Rejected(reason=reason, text=text):
            return f"{reason}: {text}"
        case ClaimRejected(text=text):
            return text
        case _:
            return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the games of a log; 1 if there are none, 2 where a file or the key is of no use."""
    parser = argparse.ArgumentParser(prog="python -m bridge.archive", description=__doc__)
    parser.add_argument("--from-log", type=Path, required=True, metavar="FILE")
    parser.add_argument("--to", type=Path, metavar="DIR", help="a PGN file for each game")
    parser.add_argument(
        "--sign-with", type=Path, metavar="FILE", help="a key (64 hex digits or nsec): kind 64 too"
    )
    options = parser.parse_args(arguments)
    try:
        found = [message_of(value, at) for at, value in enumerate(values(_text(options.from_log)))]
        key = _key(options.sign_with) if options.sign_with else None
        count = _written(found, key, options.to)
    except NoLog as refusal:
        print(f"{options.from_log}: {refusal}", file=sys.stderr)
        return _UNREADABLE
    except (OSError, ValueError) as refusal:
        print(f"{refusal}", file=sys.stderr)
        return _UNREADABLE
    if not count:
        print(f"{options.from_log}: there are no games in it", file=sys.stderr)
    return 0 if count else _NO_GAME


def _written(
    found: Sequence[Message | Refused | None], key: SecretKey | None, folder: Path | None
) -> int:
    """Write the games of these messages; how many."""
    messages = [it for it in found if isinstance(it, Message)]
    refused = [it for it in found if isinstance(it, Refused)]
    for it in refused:
        print(f"left out {it.key}: {it.why}", file=sys.stderr)
    count = 0
    for one in archived(messages, key or SecretKey.generate(b"\x01" * 32)):
        count += 1
        _write(one, count, folder, key)
    print(f"{count} games from {len(messages)} messages, {len(refused)} left out", file=sys.stderr)
    return count


def _text(path: Path) -> str:
    return text_of(sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes())


def _key(path: Path) -> SecretKey:
    try:
        return SecretKey.from_text(path.read_text("utf-8", errors="replace"))
    except ValueError:
        raise ValueError(f"{path} holds no key: an nsec or 64 hex digits were expected") from None


def _write(one: Archived, number: int, folder: Path | None, key: SecretKey | None) -> None:
    for text in one.wrong:
        print(f"in {one.root}: {text}", file=sys.stderr)
    record = pgn(one.game, white=one.white, black=one.black, site=f"ssb:{one.root}")
    note = (
        key.sign(arbiter_events.note_event(one.game, key.pubkey))
        if key and one.game.outcome
        else None
    )
    if folder is None:
        sys.stdout.write(record)
    else:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number:04}.pgn").write_text(record, encoding="utf-8")
    if note is not None:
        line = json.dumps(event_to_json(note)) + "\n"
        if folder is None:
            sys.stdout.write(line)
        else:
            (folder / f"{number:04}.kind-64.json").write_text(line, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
