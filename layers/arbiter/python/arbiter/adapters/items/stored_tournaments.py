"""Tournaments as items of a table. Invariant: every commit is one transaction, conditional on the
version of the first item: what was decided on another tournament is not written.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from arbiter.adapters.items import tournaments
from arbiter.adapters.items.attributes import Item, log_conflict
from arbiter.adapters.items.table import Table, Update, Writes
from arbiter.application.ports import ListedTournament
from arbiter.core.game import is_game_id
from arbiter.core.tournaments.tournament import Tournament

MAX_KEYS = 100
"""Keys of one read."""


MAX_ROUNDS = 80
"""Rounds that one transaction writes, of a hundred items with entries and the list."""


class PartUnread(Exception):
    """A part of a tournament could not be read now."""


class StoredTournaments:
    """The tournaments of one table. All methods raise its errors."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def load(self, tournament_id: str) -> Tournament | None:
        """The tournament or None; an invalid id costs no read. Raises ``PartUnread``."""
        if not is_game_id(tournament_id):
            return None
        head = self._table.find(tournaments.tournament_key(tournament_id))
        if head is None:
            return None
        parts: dict[str, Item] = {}
        keys = tournaments.part_keys(head)
        for first in range(0, len(keys), MAX_KEYS):
            some = [*keys][first : first + MAX_KEYS]
            found = self._table.find_all({name: keys[name] for name in some})
            parts |= {name: item for name, item in found.items() if item is not None}
            if len(found) < len(some):
                raise PartUnread
        return tournaments.tournament_of_items(head, parts)

    def commit(self, before: Tournament | None, after: Tournament) -> bool:
        """Write what changed, one item version on, if ``before``'s is stored (None: nothing). More
        rounds than a transaction can write, as of an arena's end, are written before, each time
        with a version.
        """
        if before is not None and (step := _first_of_many(before, after)):
            if not self.commit(before, step):
                return False
            before = replace(step, item_version=before.item_version + 1, by_player={})
            return self.commit(before, after)
        version = before.item_version if before else 0
        stamped = replace(after, item_version=version + 1, by_player={})
        changes = tournaments.changed_items(before, stamped)
        updates: list[Update] = [(int(was["v"]["N"]) if was else 0, was, it) for was, it in changes]
        updates += self._listing(before, stamped)
        is_written = self._table.write(Writes(updates=updates))
        if not is_written:
            log_conflict("tournament", after.id)
        return is_written

    def newest(self) -> tuple[ListedTournament, ...]:
        return tournaments.newest_of_item(self._table.find(tournaments.newest_key()))

    def ask_for_people(self, address: str) -> None:
        self._table.write(Writes(made=[tournaments.item_of_people(address, 0, (), 1)]))

    def people(self, address: str) -> frozenset[str]:
        return tournaments.people_of_item(self._table.find(tournaments.people_key(address)))

    def keep_people(self, address: str, made_at: int, keys: Sequence[str]) -> bool:
        """Its author's events are handled one after the other."""
        item = self._table.find(tournaments.people_key(address))
        if item is None or int(item["ca"]["N"]) >= made_at:
            return False
        version = int(item["v"]["N"])
        kept = tournaments.item_of_people(address, made_at, keys, version + 1)
        return self._table.write(Writes(updates=[(version, item, kept)]))

    def _listing(self, before: Tournament | None, after: Tournament) -> Iterator[Update]:
        """The change of the list of the newest; one that has left it does not come back."""
        row = ListedTournament.of(after)
        if before and ListedTournament.of(before) == row:
            return
        item = self._table.find(tournaments.newest_key())
        listed = tournaments.newest_of_item(item)
        if before is None:
            listed = (row, *listed)
        else:
            listed = tuple(row if one.id == row.id else one for one in listed)
        version = int(item["v"]["N"]) if item else 0
        yield version, item or {}, tournaments.item_of_newest(listed, version + 1)


def _first_of_many(before: Tournament, after: Tournament) -> Tournament | None:
    both = zip(before.rounds, after.rounds, strict=False)
    changed = [one for was, one in both if was is not one and was != one]
    if len(changed) <= MAX_ROUNDS:
        return None
    step = before
    for one in changed[:MAX_ROUNDS]:
        step = step.with_round(one)
    return step
