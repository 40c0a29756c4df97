"""`python -m clients.terminal`: read the options, take a key, play."""

import asyncio
import codecs
import io
import os
import secrets
import signal
import sys
import time
from contextlib import ExitStack
from types import FrameType

from clients.player import model as player
from clients.terminal.board import Style
from clients.terminal.challenges import accepting, with_link
from clients.terminal.game_actions import plays
from clients.terminal.identity import Identity, from_environment, from_file, from_name, key_folder
from clients.terminal.options import Options, play_again, read_options, uses_color
from clients.terminal.prompt import farewell
from clients.terminal.screens import JsonScreen, PlainScreen, Screen, TerminalScreen
from clients.terminal.session import QUIET_SECONDS, ExitCode, Phase, Session
from clients.terminal.shell import Shell, key_by_key, read_keys, read_lines
from clients.terminal.text import to_ascii

_ASCII_ASKED = ("--as", "--asc", "--asci", "--ascii")
"""As argparse accepts abbreviations; its own messages are in ASCII too."""


def main(arguments: list[str]) -> int:
    """Run the client; the exit code."""
    environment = dict(os.environ)
    _choose_letters(ascii_only=any(word in _ASCII_ASKED for word in arguments))
    try:
        options = read_options(arguments, environment)
        identity = _identity(options, environment)
    except ValueError as error:
        return _complain(str(error), ExitCode.USAGE)
    person = sys.stdin.isatty() and sys.stdout.isatty() and not options.json_lines
    screen = _screen(options, person=person)
    session = _session(options, identity, person=person)
    shell = Shell(key=identity.key, session=session, relays=options.relays, screen=screen)
    if identity.taken is not None:
        screen.say(f"{identity.taken} plays in another terminal: here you are {identity.name}")
    screen.hello(identity.name, identity.key.pubkey)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        with ExitStack() as stack:
            if person:
                # Even if a shell started us with interrupts ignored.
                signal.signal(signal.SIGINT, _interrupt)
                stack.enter_context(key_by_key())
            code = asyncio.run(shell.run(read_keys if person else read_lines))
        screen.leave(code)
    except KeyboardInterrupt:
        code = ExitCode.INTERRUPTED
        screen.leave(code)
    except BrokenPipeError:
        # The reader is gone; without this, Python would report that again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.INTERRUPTED
    _farewell(shell, options, identity, code)
    if code == ExitCode.INTERRUPTED and person and "MAKELEVEL" in environment:
        # Make, interrupted itself, reports that; any other code of ours it would call an error.
        return ExitCode.ENDED
    return code


def _choose_letters(*, ascii_only: bool) -> None:
    """Write what the terminal cannot show in ASCII letters; everything if ``ascii_only``."""
    codecs.register_error("ascii-letters", _in_ascii)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = "ascii" if ascii_only else stream.encoding
            stream.reconfigure(encoding=encoding, errors="ascii-letters")


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return to_ascii(error.object[error.start : error.end]), error.end


def _identity(options: Options, environment: dict[str, str]) -> Identity:
    if options.key_file is not None:
        return from_file(options.key_file)
    secret = environment.get("ARBITER_SECRET_KEY")
    if secret:
        return from_environment(secret)
    return from_name(options.player, key_folder(environment))


def _session(options: Options, identity: Identity, *, person: bool) -> Session:
    now = time.time()
    session = Session(
        wire=player.Session(
            me=identity.key.pubkey,
            arbiter=options.server,
            name=options.name,
            gateway=options.gateway,
            quiet_ms=QUIET_SECONDS * 1000,
        ),
        asks=person,
        started_at=now,
        seed=secrets.token_bytes(32),
        terms=options.terms,
        watching=options.watch,
        web=options.web,
        phase=Phase.REFUSED if options.events else Phase.CONNECTING,
    )
    return accepting(session, options.accept) if options.accept else with_link(session, now)


def _screen(options: Options, *, person: bool) -> Screen:
    if options.json_lines:
        return JsonScreen(sys.stdout)
    unicode = not options.ascii_only and (sys.stdout.encoding or "").lower().startswith("utf")
    color = uses_color(options.color, is_terminal=sys.stdout.isatty())
    style = Style(color=color, unicode=unicode)
    return TerminalScreen(style, bell=options.bell) if person else PlainScreen(sys.stdout, style)


def _farewell(shell: Shell, options: Options, identity: Identity, code: int) -> None:
    if code == ExitCode.NO_RELAY:
        tried = "; ".join(f"{url}: {why}" for url, why in shell.failures.items())
        _complain(
            f"no relay can be reached ({tried or 'no answer'}): is the arbiter running?", code
        )
    elif plays(shell.session) and shell.session.game and not options.json_lines:
        again = play_again(options, identity, dict(os.environ))
        sys.stderr.write(farewell(shell.session.game, again, time.time()))


def _complain(text: str, code: int) -> int:
    sys.stderr.write(f"make play: {text}\n")
    return code


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
