"""The chain as a client computes it: from what states show, and the ids of what players said."""

from hashlib import sha256

from arbiter.nostr.event import VerifiedEvent


class Chains:
    """The states seen of each game, by version."""

    def __init__(self) -> None:
        self._seen: dict[str, dict[int, tuple[str, str]]] = {}
        self.checked = 0

    def check(self, state: VerifiedEvent, ids: list[str]) -> None:
        """Compare the chain of this state with the one that follows from the state before, by one
        of these ids (64 hex digits) or by the deadline. That of the first version, and those that
        follow after the end, are only noted.
        """
        tags = {tag[0]: tag[1:] for tag in state.tags}
        if "chain" not in tags:
            return
        (game_id,), version, (chain,) = tags["d"], int(tags["version"][0]), tags["chain"]
        seen = self._seen.setdefault(game_id, {})
        deadline = tags.get("deadline", ("0",))[0]
        before, ended = seen.get(version - 1), "result" in tags
        seen[version] = chain, "ended" if ended else deadline
        if before is None or before[1] == "ended":
            return
        by_time = int(before[1]).to_bytes(32).hex()
        links = [_link(before[0], id_, tags) for id_ in [*ids, by_time]]
        assert chain in links, f"no event makes {chain} of {before[0]}: {_shown(tags)}"
        self.checked += 1


def _link(chain: str, id_: str, tags: dict[str, tuple[str, ...]]) -> str:
    return sha256(bytes.fromhex(chain + id_) + _shown(tags).encode()).hexdigest()


def _shown(tags: dict[str, tuple[str, ...]]) -> str:
    move = tags.get("moves", ("-",))[-1]
    offer = ":".join(tags.get("offer", ("-",)))
    clock = " ".join(tags.get("clock", ("-", "-")))
    result, end = (
        tags.get(it, (other,))[0] for it, other in (("result", "*"), ("termination", "-"))
    )
    return f"{tags['ply'][0]} {move} {offer} {clock} {result} {end}"
