"""`python -m clients.bot.engine`: the engine, for any program that speaks UCI."""

import sys

from clients.bot.engine.uci import Uci


def main() -> None:
    """Reads commands until `quit` or the end of the input."""
    uci = Uci(lambda line: print(line, flush=True))
    for line in sys.stdin:
        if not uci.take(line):
            break
    uci.stop()


main()
