"""A game's offer, and the former editions of its position, each as one attribute's text. Pure."""

from dataclasses import replace

from arbiter.core.game import WHITE, Offer, OfferKind, StateVersion


def offer_text(offer: Offer) -> str:
    """Kind, space, ``w`` or ``b``; space and the address, if there is one."""
    return f"{offer.kind} {'w' if offer.color == WHITE else 'b'} {offer.address}".rstrip()


def offer_of(text: str) -> Offer | None:
    """What ``offer_text`` made the text of; None for an empty one."""
    kind, color, address = [*text.split(" ", 2), "", ""][:3]
    return Offer(OfferKind(kind), color == "w", address) if kind else None


def _edition_text(edition: StateVersion) -> str:
    # Of a former edition only what players saw counts, and an address might have a comma.
    offer = offer_text(replace(edition.offer, address="")) if edition.offer else ""
    return f"{edition.number},{edition.since_ms},{offer}"


def former_text(former: tuple[StateVersion, ...]) -> str:
    """Number, since, offer of each, parted by ``;``."""
    return ";".join(map(_edition_text, former))


def former_of(text: str) -> tuple[StateVersion, ...]:
    """What ``former_text`` made the text of."""
    parts = (one.split(",") for one in text.split(";"))
    return tuple(StateVersion(int(n), int(since), offer_of(offer)) for n, since, offer in parts)
