"""The client's actions in a few words."""

from collections.abc import Callable
from typing import Any

from clients.player.events import Draft
from clients.player.messages import Offer
from clients.player.terms import Terms, terms_tags
from clients.terminal import effects, notices
from clients.terminal.game_view import GameView
from clients.terminal.notices import Source
from clients.terminal.session import ExitCode
from tests.builders import ALICE, BOB, EVE, SERVER
from tests.clients.terminal.scene import GAME, START

NAMES = {ALICE.pubkey: "alice", BOB.pubkey: "bob", EVE.pubkey: "eve", SERVER.pubkey: "arbiter"}
KEYS = {name: key for key, name in NAMES.items()}


def effect_word(effect: effects.Effect) -> str:
    """A word for an effect: sent, shown or asked of the shell."""
    return " ".join(_WORDS[type(effect)](effect).split())


def content_word(template: Draft) -> str:
    """The content of a template, with those of its tags that are not the same in all."""
    tags = template.tags
    if template.kind == 20303:
        (game,) = (tag[1] for tag in tags if tag[0] == "d")
        return template.content + f" of {game[0]}" * (game != GAME)
    assert (template.kind, tags[0]) == (20300, ("p", SERVER.pubkey))
    parts = (part[0] if len(part) == 32 else part for part in template.content.split(":"))
    return " ".join([f"?{':'.join(parts) or 'seek'}", *tag_words(tags[1:])])


def tag_words(tags: tuple[tuple[str, ...], ...]) -> list[str]:
    """Tags with the names of players; a key of one letter is that letter."""
    known = NAMES | {letter * 64: letter for letter in "123"}
    return [f"{name}={','.join(known.get(it, it) for it in values)}" for name, *values in tags]


def terms_words(terms: Terms) -> str:
    return " ".join(tag_words(terms_tags(terms)))


def offer_word(offer: Offer) -> str:
    return f"{offer.kind}/{'w' if offer.color else 'b'}"


def _chat(sent: effects.SendChat) -> str:
    assert (sent.game_id, sent.at >= START) == (GAME, True)
    over = f" over {NAMES[sent.carrier]}" if sent.carrier else ""
    return f"to {NAMES[sent.opponent] if sent.opponent else 'all'}{over}: {sent.text}"


def _refused(refused: notices.Refused) -> str:
    if refused.source is Source.CLIENT:
        return f"!{refused.code}"
    return f"{refused.source} !{refused.code} {refused.text}{' (theirs)' * (not refused.mine)}"


def _started(started: notices.Started) -> str:
    assert started.game.watched or started.game.opponent == BOB.pubkey
    side = "watching" if started.game.watched else "white" if started.game.color else "black"
    return f"started {side}{' resumed' * started.resumed}"


def _game_word(shown: notices.GamesWanted, number: int, game: GameView) -> str:
    return f"{number}{'*' * (game.id == shown.current)}{'!' * game.my_turn}"


def _listed(shown: notices.ChallengesWanted) -> str:
    known = [f"{it.number} {it.name or NAMES[it.challenge.challenger]}" for it in shown.challenges]
    return ", ".join(["challenges", *known, *([f"own {shown.own[0]}"] if shown.own else [])])


_WORDS: dict[type[effects.Effect], Callable[[Any], str]] = {
    effects.Send: lambda it: content_word(it.draft),
    effects.SendChat: _chat,
    effects.Save: lambda it: f"save {it.path}: {it.text}",
    effects.Leave: lambda it: f"leave {ExitCode(it.code).name.lower()}",
    notices.RelayFound: lambda it: f"connected {it.connected}{' back' * it.back}",
    notices.RelayLost: lambda it: f"lost {it.connected}: {it.why}",
    notices.NoAnswer: lambda it: f"no answer {it.seconds}",
    notices.Queued: lambda it: f"queued {terms_words(it.terms)} {(it.challenge or '')[:1]}",
    notices.ChallengeCame: lambda it: (
        f"challenge {it.came.number} {NAMES[it.came.challenge.challenger]}"
    ),
    notices.ChallengesWanted: _listed,
    notices.StoppedWaiting: lambda _: "stopped",
    notices.Started: _started,
    notices.Introduced: lambda it: f"introduced {NAMES[it.pubkey]}",
    notices.Moved: lambda it: f"moved {it.san or ''}",
    notices.TakenBack: lambda _: "taken back",
    notices.MoveSent: lambda it: f"sent {it.san}{' again' * it.again}",
    notices.Kept: lambda it: f"kept {it.san}",
    notices.OfferMade: lambda it: offer_word(it.game.offer),
    notices.OfferGone: lambda it: f"no {offer_word(it.offer)}{' withdrawn' * it.withdrawn}",
    notices.OtherGame: lambda it: f"game {it.number} {it.game.result or 'to move'}",
    notices.GamesWanted: lambda it: "games " + ", ".join(_game_word(it, *one) for one in it.games),
    notices.CameOrLeft: lambda it: (
        f"{'white' if it.color else 'black'} {'left' if it.color in it.game.state.away else 'back'}"
    ),
    notices.Said: lambda it: (
        f"{'wrote' if it.mine else 'said'} {it.name or NAMES.get(it.line.author)}"
        f"{'*' * it.line.public}: {it.line.text}"
    ),
    notices.Ended: lambda it: f"ended {it.game.result or ''} {it.game.termination or ''}",
    notices.RecordCame: lambda _: "record",
    notices.Asked: lambda it: f"{it.question.value}?",
    notices.BoardWanted: lambda _: "board",
    notices.MovesWanted: lambda _: "moves",
    notices.PgnWanted: lambda it: f"pgn: {it.pgn}",
    notices.HelpWanted: lambda it: f"help {it.topic}",
    notices.Refused: _refused,
    notices.Remark: lambda it: f"({it.code})",
}
