"""`python -m clients.bot.engine`: the engine, for any program that speaks UCI."""

import contextlib
import sys

from clients.bot.engine.uci import Uci


def main() -> None:
    """Reads commands until `quit`, the end of the input or Ctrl-C."""
    uci = Uci(lambda line: print(line, flush=True))
    # Ctrl-C at a bot reaches its engine too, and a traceback would be the last that a player reads.
    with contextlib.suppress(KeyboardInterrupt):
        for line in sys.stdin:
            if not uci.take(line):
                break
    uci.stop()


main()
