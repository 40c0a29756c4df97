"""The client's actions in a few words."""

from collections.abc import Callable
from typing import Any

from clients.player.events import Draft, Send, SendLine
from clients.player.terms import Terms, terms_tags
from clients.terminal import outgoing
from clients.terminal.notices import Notice
from clients.terminal.session import ExitCode
from tests.builders import ALICE, BOB, EVE, SERVER
from tests.clients.terminal.scene import GAME

NAMES = {ALICE.pubkey: "alice", BOB.pubkey: "bob", EVE.pubkey: "eve", SERVER.pubkey: "arbiter"}
KEYS = {name: key for key, name in NAMES.items()}


def effect_word(effect: outgoing.Effect) -> str:
    """A word for an effect: sent, shown or asked of the shell."""
    return " ".join(_EFFECTS[type(effect)](effect).split())


def content_word(template: Draft) -> str:
    """The content of a template, with those of its tags that are not the same in all."""
    tags = template.tags
    if template.kind == 20303:
        (game,) = (tag[1] for tag in tags if tag[0] == "d")
        return template.content + f" of {game[0]}" * (game != GAME)
    if template.kind == 20307:
        return f"event {template.content}"
    if template.kind == 1984:
        return f"report {template.content} {' '.join(tag_words(tags))}"
    assert (template.kind, tags[0]) == (20300, ("p", SERVER.pubkey))
    parts = (part[0] if len(part) == 32 else part for part in template.content.split(":"))
    return " ".join([f"?{':'.join(parts) or 'seek'}", *tag_words(tags[1:])])


def tag_words(tags: tuple[tuple[str, ...], ...]) -> list[str]:
    """Tags with the names of players; a key of one letter is that letter."""
    known = NAMES | {letter * 64: letter for letter in "123"}
    return [f"{name}={','.join(known.get(it, it) for it in values)}" for name, *values in tags]


def terms_words(terms: Terms) -> str:
    return " ".join(tag_words(terms_tags(terms)))


def _line(sent: SendLine) -> str:
    assert sent.game == GAME
    over = f"{' over' * sent.public} {NAMES[sent.to]}" if sent.to else ""
    return f"to{' all' * sent.public}{over}: {sent.text}"


def _refused(source: str, code: str, text: str, *, mine: bool) -> str:
    if source == "client":
        return f"!{code}"
    return f"{source} !{code} {text}{' (theirs)' * (not mine)}"


def _started(it: Any) -> str:
    assert it["watched"] or it["opponent"] == BOB.pubkey
    side = "watching" if it["watched"] else it["color"]
    return f"started {side}{' resumed' * it['resumed']}"


def _state(it: Any) -> str:
    if "taken_back" in it:
        return "taken back"
    return f"moved {it['san'] or ''}" if "san" in it else "board"


def _games(it: Any) -> str:
    marks = ((one["number"], one["game"] == it["current"], one["my_turn"]) for one in it["games"])
    return "games " + ", ".join(f"{no}{'*' * here}{'!' * mine}" for no, here, mine in marks)


def _offer(it: Any) -> str:
    return f"{it['offer']}/{'mine' if it['mine'] else 'theirs'}"


def _said(it: Any) -> str:
    verb = "wrote" if it["mine"] else "said"
    return f"{verb} {NAMES.get(it['author'])}{'*' * it['public']}: {it['text']}"


def _challenges(it: Any, text: str) -> str:
    known = [
        f"{one['number']} {_name(line) or NAMES[one['challenger']]}"
        for one, line in zip(it["challenges"], text.split("\n"), strict=False)
    ]
    return ", ".join(["challenges", *known, *(["own c"] if it["own"] else [])])


def _name(line: str) -> str:
    """The name in a line of the list of challenges."""
    return line[5:].partition(" (npub")[0] if " (npub" in line else ""


_NOTICES: dict[str, Callable[[Any, str], str]] = {
    "connected": lambda it, text: f"connected {it['connected']}{' back' * ('Back' in text)}",
    "disconnected": lambda it, _: f"lost {it['connected']}: {it['why']}",
    "no-answer": lambda it, _: f"no answer {it['seconds']}",
    "queued": lambda it, _: f"queued {'c' * bool(it['challenge'])}",
    "challenged": lambda it, _: f"challenge {it['number']} {NAMES[it['challenger']]}",
    "withdrawn": lambda it, _: f"withdrawn {it['number']}",
    "challenges": _challenges,
    "cancelled": lambda *_: "stopped",
    "blocked": lambda it, _: f"blocked {','.join(NAMES[key] for key in it['players'])}",
    "started": lambda it, _: _started(it),
    "player": lambda it, _: f"introduced {NAMES[it['pubkey']]}",
    "state": lambda it, _: _state(it),
    "sent": lambda it, _: f"sent {it['san']}{' again' * it['again']}",
    "kept": lambda it, _: f"kept {it['san']}",
    "offer": lambda it, _: _offer(it),
    "offer-gone": lambda it, text: f"no {_offer(it)}{' withdrawn' * ('ended with' in text)}",
    "other-game": lambda it, _: f"game {it['number']} {it['result'] or 'to move'}",
    "games": lambda it, _: _games(it),
    "vacation": lambda it, text: f"{it['color']} rests {text.rpartition('until ')[2]}",
    "presence": lambda it, _: f"{it['color']} {'left' if it['away'] else 'back'}",
    "chat": lambda it, _: _said(it),
    "ended": lambda it, _: f"ended {it['result'] or ''} {it['termination'] or ''}",
    "pgn": lambda it, _: "record" if it["from"] == "arbiter" else f"pgn: {it['pgn']}",
    "question": lambda it, _: f"{it['question']}?",
    "moves": lambda *_: "moves",
    "help": lambda *_: "help",
    "events": lambda it, _: " ".join(
        ["events", *(f"{one['number']} {one['title']}" for one in it["events"])]
    ),
    "standings": lambda it, _: f"standings {len(it['rows'])}",
    "error": lambda it, _: _refused(**it),
    "remark": lambda it, _: f"({it['code']})",
}
_EFFECTS: dict[type[outgoing.Effect], Callable[[Any], str]] = {
    Send: lambda it: content_word(it.draft),
    SendLine: _line,
    outgoing.Save: lambda it: f"save {it.path}: {it.text}",
    outgoing.Seal: lambda it: f"seal {it.text.strip().replace(chr(10), ', ') or 'none'}",
    outgoing.Leave: lambda it: f"leave {ExitCode(it.code).name.lower()}",
    Notice: lambda it: _NOTICES[it.type](it.fields, it.text),
}
