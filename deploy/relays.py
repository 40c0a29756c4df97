"""Tests relays before an arbiter lives on them (server/relay_check.py).

python -m deploy.relays wss://one.example wss://two.example
"""

import argparse
import sys

from server.relay_check import examine_all


def main() -> int:
    """Prints the findings. Returns 1 if a relay is unfit."""
    parser = argparse.ArgumentParser(prog="python -m deploy.relays")
    parser.add_argument("relays", nargs="+", metavar="wss://…")
    findings = examine_all(
        [url for text in parser.parse_args().relays for url in text.split(",") if url]
    )
    for one in findings:
        print("\n".join(one.lines()))
    return 0 if all(one.is_fit() for one in findings) else 1


if __name__ == "__main__":
    sys.exit(main())
