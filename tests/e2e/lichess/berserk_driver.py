"""berserk, called by lines: `[id, token, "board.make_move", [arguments], {named}]` is answered by
`[id, "value", …]` or `[id, "error", status, body]`; a generator by a line for each value, and
`[id, "end"]` or `[id, "broken"]`.

Run by the Python that has berserk: `berserk_driver.py URL`.
"""

import inspect
import json
import operator
import sys
import threading
from typing import Any

import berserk

clients: dict[str, Any] = {}
lock = threading.Lock()


def tell(*words: Any) -> None:
    with lock:
        sys.stdout.write(json.dumps(words, default=str) + "\n")
        sys.stdout.flush()


def call(id_: int, token: str, name: str, arguments: list[Any], named: dict[str, Any]) -> None:
    client = clients[token]
    try:
        value = operator.attrgetter(name)(client)(*arguments, **named)
        if not inspect.isgenerator(value):
            tell(id_, "value", value)
            return
        for each in value:
            tell(id_, "value", each)
        tell(id_, "end")
    except berserk.exceptions.ResponseError as error:
        tell(id_, "error", error.status_code, error.cause)
    except Exception as error:  # noqa: BLE001 - told to the test, whatever it is
        tell(id_, "broken", repr(error))


for line in sys.stdin:
    words = json.loads(line)
    if words[1] not in clients:
        session = berserk.TokenSession(words[1])
        clients[words[1]] = berserk.Client(session, base_url=sys.argv[1])
    threading.Thread(target=call, args=words, daemon=True).start()
