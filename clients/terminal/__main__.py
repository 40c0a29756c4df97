"""`python -m clients.terminal`: read how we were called, take a key, play, say goodbye."""

import io
import os
import signal
import sys
import time
from contextlib import ExitStack
from types import FrameType

from clients.terminal.board import Style
from clients.terminal.identity import (
    DEFAULT_PLAYER,
    Identity,
    NoIdentity,
    from_environment,
    from_file,
    from_name,
    key_folder,
)
from clients.terminal.options import Misused, Options, read_options, uses_color
from clients.terminal.screens import JsonScreen, PlainScreen, Screen, TerminalScreen
from clients.terminal.session import ExitCode, Session
from clients.terminal.shell import Shell, key_by_key, read_keys, read_lines
from clients.terminal.speaking import plays


def main(arguments: list[str]) -> int:
    """Run the client; answers with the exit code."""
    environment = dict(os.environ)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a dash is no reason to fall over in the middle of a game.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    options = read_options(arguments, environment)
    if isinstance(options, Misused):
        return _complain(options.text, ExitCode.USAGE)
    identity = _identity(options, environment)
    if isinstance(identity, NoIdentity):
        return _complain(identity.text, ExitCode.USAGE)
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
                # Ours even if a shell started us with interrupts ignored: keys come through here.
                signal.signal(signal.SIGINT, _interrupt)
                stack.enter_context(key_by_key())
            code = shell.run(read_keys if person else read_lines)
        screen.leave(code)
    except KeyboardInterrupt:
        code = ExitCode.INTERRUPTED
        screen.leave(code)
    except BrokenPipeError:
        # Whoever read us is gone; let Python not complain of it again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.INTERRUPTED
    _farewell(shell, options, identity, code)
    return code


def _identity(options: Options, environment: dict[str, str]) -> Identity | NoIdentity:
    if options.key_file is not None:
        return from_file(options.key_file)
    secret = environment.get("ARBITER_SECRET_KEY")
    if secret:
        return from_environment(secret)
    return from_name(options.player, key_folder(environment))


def _session(options: Options, identity: Identity, *, person: bool) -> Session:
    return Session(
        me=identity.key.pubkey,
        server=options.server,
        asks=person,
        started_at=time.time(),
        terms=options.terms,
        answer=f"accept:{options.accept}" if options.accept else "",
        watching=options.watch,
    )


def _screen(options: Options, *, person: bool) -> Screen:
    if options.json_lines:
        return JsonScreen(sys.stdout)
    unicode = not options.ascii_only and (sys.stdout.encoding or "").lower().startswith("utf")
    color = uses_color(options.color, is_terminal=sys.stdout.isatty())
    style = Style(color=color, unicode=unicode)
    return TerminalScreen(style) if person else PlainScreen(sys.stdout, style)


def _farewell(shell: Shell, options: Options, identity: Identity, code: int) -> None:
    if code == ExitCode.NO_RELAY:
        tried = "; ".join(f"{url}: {why}" for url, why in shell.failures.items())
        _complain(
            f"no relay can be reached ({tried or 'no answer'}): is the arbiter running?", code
        )
    elif plays(shell.session) and not options.json_lines:
        named = identity.lock is not None and options.key_file is None
        again = f" PLAYER={identity.name}" if named and identity.name != DEFAULT_PLAYER else ""
        sys.stderr.write(f"The game waits for you: make play{again} goes on with it.\n")


def _complain(text: str, code: int) -> int:
    sys.stderr.write(f"make play: {text}\n")
    return code


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
