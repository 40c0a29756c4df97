"""What a game is called: 16 bytes that two players' requests decide, or chance
(docs/decisions/0009-game-ids-are-sixteen-bytes.md).

The law: strangers write such names, so a text is looked at here before it becomes a key, a path or
a part of a question to the table.
"""

import re

GAME_ID_BYTES = 16

_GAME_ID = re.compile("[0-9a-f]{32}")


def is_game_id(text: str) -> bool:
    """Whether a game of ours can be called this: 32 lower-case hex digits, and nothing around
    them.
    """
    return _GAME_ID.fullmatch(text) is not None
