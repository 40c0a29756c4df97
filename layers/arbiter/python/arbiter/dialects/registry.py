"""Every dialect the arbiter speaks: one line each."""

from arbiter.dialects import chat, dilger, nip100, rest, ssb
from arbiter.dialects.dialect import Dialect

DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (dilger.DIALECT, nip100.DIALECT, rest.DIALECT, ssb.DIALECT, chat.DIALECT)
}

BY_KIND: dict[int, Dialect] = {
    kind: dialect for dialect in DIALECTS.values() for kind in dialect.kinds
}

SEEK_KINDS: frozenset[int] = frozenset(
    kind for dialect in DIALECTS.values() for kind in dialect.seeks
)
"""By which players ask for a game, in any dialect."""
