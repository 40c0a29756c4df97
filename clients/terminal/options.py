"""The call of the program: arguments, environment, endpoints file; a fault is a sentence, exit code
2.
"""

import argparse
import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from clients.player.address import RUN_DIR, address
from clients.player.messages import GAME_ID
from clients.player.terms import Terms
from clients.terminal.identity import DEFAULT_PLAYER, Identity
from clients.terminal.names import read_challenge, read_game
from clients.terminal.terms import PLAIN, SPELLING, BadTerms, read_terms

_EPILOG = """\
exit codes: 0 left, or the game ended; 1 the arbiter refused; 2 wrong use or settings;
3 no relay could be reached; 130 interrupted (a game that goes on waits for you)

environment: RUN_DIR (.run), or RELAYS and SERVER; PLAYER (a name for the key in
~/.config/arbiter), or ARBITER_SECRET_KEY (an nsec or hex); NO_COLOR"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """``key_file`` is None for the key of ``player``; ``accept`` a challenge's id or link,
    ``watch`` a game's id, ``web`` the web client, ``gateway`` the arbiter's relay. With ``events``
    no game is asked for.
    """

    server: str
    relays: tuple[str, ...]
    player: str
    key_file: Path | None
    json_lines: bool
    ascii_only: bool
    color: str
    bell: bool = True
    terms: Terms = PLAIN
    accept: str | None = None
    watch: str | None = None
    web: str | None = None
    gateway: str | None = None
    name: str = ""
    events: bool = False


def read_options(arguments: list[str], environment: dict[str, str]) -> Options:
    """The options; argparse prints usage errors, and exits. Raises ValueError with a remedy."""
    given = _parser().parse_args(arguments)
    run_dir = Path(environment.get("RUN_DIR") or RUN_DIR)
    there = address(environment.get("RELAYS"), environment.get("SERVER"), run_dir)
    terms = _terms(given)
    accept = given.accept and read_challenge(given.accept)
    watch = given.watch and read_game(given.watch)
    if watch and not GAME_ID.fullmatch(watch):
        raise ValueError(f"{watch!r} is no id of a game")
    if accept and not GAME_ID.match(accept):
        raise ValueError(f"{accept!r} is no id of a challenge")
    return Options(
        server=there.arbiter,
        relays=there.relays,
        player=given.player or environment.get("PLAYER") or DEFAULT_PLAYER,
        key_file=Path(given.key).expanduser() if given.key else None,
        json_lines=given.json,
        ascii_only=given.ascii,
        color=given.paint,
        bell=given.bell,
        terms=terms,
        accept=accept,
        watch=watch,
        web=there.web,
        gateway=there.gateway,
        name=given.name,
        events=given.events,
    )


def _terms(given: argparse.Namespace) -> Terms:
    """The terms in the options, read like the words of ``new`` and ``challenge``."""
    words = [given.time, given.color, given.rating, given.variant]
    words += ["rated"] if given.rated else []
    words += ["bots"] if given.bots else []
    words += [given.challenge]
    words += [f"start {given.start}"] if given.start else []
    terms = read_terms(" ".join(word for word in words if word), whom=bool(given.challenge))
    if isinstance(terms, BadTerms):
        raise ValueError(terms.text)  # noqa: TRY004 - of the words
    return terms


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="make play",
        description="Play chess over Nostr, in a terminal.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--player", metavar="NAME", help="whose key to use (default: player)")
    parser.add_argument("--name", default="", help="what you are called in games")
    parser.add_argument("--key", metavar="FILE", help="a key file of your own; made if missing")
    parser.add_argument("--json", action="store_true", help="one JSON object a line, for scripts")
    parser.add_argument("--ascii", action="store_true", help="letters for pieces, ASCII alone")
    parser.add_argument(
        "--no-bell", dest="bell", action="store_false", help="no sound when it is your turn"
    )
    parser.add_argument("--paint", choices=("auto", "always", "never"), default="auto")
    game = parser.add_argument_group("the game asked for")
    game.add_argument("--time", metavar="3+2", help=SPELLING)
    game.add_argument("--rated", action="store_true", help="it counts; needs a time")
    game.add_argument("--color", choices=("white", "black", "random"), help="which men to have")
    game.add_argument("--rating", metavar="1400-1800", help="of the opponent, both ends included")
    game.add_argument("--variant", choices=("standard", "chess960"))
    game.add_argument("--start", metavar="FEN", help="a position to start from; for a challenge")
    game.add_argument("--bots", action="store_true", help="bots are welcome as opponents")
    others = parser.add_mutually_exclusive_group()
    others.add_argument("--challenge", metavar="NPUB|open|link", help="one opponent, or the first")
    others.add_argument("--accept", metavar="ID|LINK", help="play this challenge")
    others.add_argument("--events", action="store_true", help="ask for none: join an event")
    others.add_argument("--watch", metavar="GAME", help="watch the game with this id or link")
    return parser


def play_again(options: Options, identity: Identity, environment: Mapping[str, str]) -> str:
    """The command that starts this client with the same arbiter and the same key."""
    words = ["make", "play"]
    elsewhere = [name for name in ("RELAYS", "SERVER") if environment.get(name)]
    run_dir = environment.get("RUN_DIR") or RUN_DIR
    if "SERVER" not in elsewhere and run_dir.rstrip("/") != RUN_DIR:
        words.append(f"RUN_DIR={shlex.quote(run_dir)}")
    words += [f"{name}={shlex.quote(environment[name])}" for name in elsewhere]
    if options.key_file is not None:
        words.append(f"ARGS={shlex.quote(f'--key {shlex.quote(str(options.key_file))}')}")
    elif identity.lock is not None and identity.name != DEFAULT_PLAYER:
        words.append(f"PLAYER={identity.name}")
    return " ".join(words)


def uses_color(choice: str, *, is_terminal: bool) -> bool:
    """Whether to colour; NO_COLOR (https://no-color.org) yields only to ``--paint always``."""
    if choice != "auto":
        return choice == "always"
    dumb = os.environ.get("TERM") in (None, "", "dumb")
    return is_terminal and not dumb and not os.environ.get("NO_COLOR")
