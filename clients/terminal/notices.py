"""Notices, each a sentence for people and an object for programs, whose fields keep their meaning:
of relays, requests, challenges and the client; those of a game are in game_notices.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from clients.player.messages import Challenged
from clients.player.terms import OPEN, Terms
from clients.terminal.game_view import GameView
from clients.terminal.help import help_page
from clients.terminal.terms import PLAIN, in_words, opponent_in_words
from clients.terminal.text import short_key

Fields = Mapping[str, object]

_DECLINED = {
    "later": "not now, perhaps later",
    "tooFast": "the time is too short",
    "tooSlow": "the time is too long",
    "timeControl": "another time control, please",
    "rated": "a rated game, please",
    "casual": "a casual game, please",
    "variant": "not this kind of chess",
    "noBot": "no bots, please",
}


@dataclass(frozen=True, slots=True)
class Notice:
    """``text`` is empty where the board says it. ``board``: a game drawn again, and what ``stays``
    under it. Links are secrets, which no representation shows.
    """

    type: str
    text: str = field(repr=False)
    fields: Fields = field(default_factory=dict, repr=False)
    board: GameView | None = None
    stays: bool = False


def refused_here(code: str, text: str) -> Notice:
    """A refusal by the client itself."""
    return _refused("client", code, text, text)


def differs(game: str, text: str) -> Notice:
    """The arbiter tells different histories of a game."""
    said = f"{text[0].upper()}{text[1:]}. Keep what you have of it."
    return Notice("differs", said, {"game": game, "text": text}, stays=True)


def refused_by_relay(text: str) -> Notice:
    return _refused("relay", "relay-refused", text, f"A relay refused: {text}")


def refused_by_arbiter(code: str, text: str, *, mine: bool = True) -> Notice:
    """A refusal of ours, or of the opponent's."""
    whose = "" if mine else " something of your opponent"
    said = f"The arbiter refused{whose}: {text} ({code})"
    if code == "declined":
        said = "Challenge declined" + (f": {_DECLINED[text]}" if text in _DECLINED else "")
    elif code == "pow":
        said = f"The arbiter asks {text} bits of proof of work, which is more than this client does"
    return _refused("arbiter", code, text, said, mine=mine)


def _refused(source: str, code: str, text: str, said: str, *, mine: bool = True) -> Notice:
    fields = {"source": source, "code": code, "text": text, "mine": mine}
    return Notice("error", said, fields)


NO_RELAY = refused_here("no-relay", "There is no relay just now: try again in a moment")


def remark(code: str, text: str) -> Notice:
    """A sentence of the client's own."""
    return Notice("remark", text, {"code": code, "text": text})


def relay_found(url: str, connected: int, *, back: bool) -> Notice:
    """A relay is connected; ``back`` when all relays had been lost."""
    text = f"{'Back: connected' if back else 'Connected'} to {url}"
    return Notice("connected", text, {"relay": url, "connected": connected}, stays=True)


def relay_lost(url: str, why: str, connected: int) -> Notice:
    text = f"Lost {url} ({why}); {connected} still connected"
    if not connected:
        text = f"Lost the last relay ({url}: {why}); trying to reach it again"
    return Notice("disconnected", text, {"relay": url, "connected": connected, "why": why})


def no_answer(seconds: int) -> Notice:
    """The arbiter has not answered for this long; it is asked again."""
    text = f"No answer from the arbiter in {seconds} s: is it running? Asking again"
    return Notice("no-answer", text, {"seconds": seconds})


def queued(terms: Terms, challenge: str | None = None, link: str | None = None) -> Notice:
    """The arbiter looks for an opponent or keeps our challenge; only a ``link`` accepts it."""
    shown = f" ({in_words(terms)})" if terms != PLAIN else ""
    if challenge is None or terms.challenge is None:
        text = f"Looking for an opponent{shown}"
    elif terms.challenge == OPEN:
        whom = "every player" if terms.link_key is None else "players with its link"
        name = link or challenge
        browser = "open it in a browser, or " if "://" in name else ""
        text = f"Your challenge is open to {whom}{shown}; to play it, {browser}type accept {name}"
    else:
        text = f"Your challenge is open to {opponent_in_words(terms.challenge)}{shown}"
    return Notice("queued", text, {"challenge": challenge, "link": link} | _terms(terms))


def stopped_waiting() -> Notice:
    """The arbiter has cancelled our request and our challenges."""
    return Notice("cancelled", "You are no longer waiting, and your challenges are withdrawn")


def challenge_came(number: int, challenge: Challenged) -> Notice:
    text = (
        f"{short_key(challenge.challenger)} challenges you: {_asked(challenge.terms)}\n"
        f"accept {number} plays it, decline {number} later (or another reason) does not"
    )
    named = {"number": number, "challenge": challenge.id, "challenger": challenge.challenger}
    return Notice("challenged", text, named | _terms(challenge.terms), stays=True)


def challenge_gone(number: int, challenge: Challenged) -> Notice:
    """A challenge to us was taken back."""
    text = f"{short_key(challenge.challenger)} took back challenge {number}"
    return Notice("withdrawn", text, {"number": number, "challenge": challenge.id})


def challenges_listed(
    challenges: tuple[tuple[int, Challenged, str], ...], own: str | None = None
) -> Notice:
    """Waiting challenges by number, with known names; ``own`` is the id of ours, or its link."""
    lines, objects = [], []
    for number, challenge, name in challenges:
        key = short_key(challenge.challenger)
        who = f"{name} ({key})" if name else key
        lines.append(f"{number:>3}  {who}: {_asked(challenge.terms)}")
        objects.append(challenge_came(number, challenge).fields)
    if challenges:
        last = challenges[-1][0]
        lines.append(f"accept {last} plays the last of them, decline {last} does not")
    else:
        lines.append("No challenge waits for your answer")
    if own is not None:
        lines.append(f"Your own challenge: {own}; cancel withdraws it")
    return Notice("challenges", "\n".join(lines), {"challenges": objects, "own": own})


def help_shown(topic: str, *, watched: bool) -> Notice:
    """The commands, or those about ``topic``; ``watched`` for a spectator's."""
    page = help_page(topic, watched=watched)
    return Notice("help", page, {"text": page})


def _asked(terms: Terms) -> str:
    """The terms, with the colour from the side of the player who is challenged."""
    have = {"white": " (you have black)", "black": " (you have white)"}
    return in_words(replace(terms, color=None)) + have.get(terms.color or "", "")


def _terms(terms: Terms) -> dict[str, object]:
    return {
        "time": terms.time and str(terms.time),
        "rated": terms.rated,
        "color": terms.color,
        "rating": terms.rating,
        "chess960": terms.chess960,
        "start": terms.start,
    }
