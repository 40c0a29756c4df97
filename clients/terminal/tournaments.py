"""Tournaments in a terminal, where they are "events": listed, entered and left, and standings."""

import re
from dataclasses import replace
from datetime import UTC, datetime

from arbiter.nostr.keys import SecretKey
from clients.player import tournaments
from clients.player.arenas import entered, on_tournament
from clients.player.terms import read_time
from clients.player.tournaments import Standings, Told, Tournament
from clients.terminal.notices import NO_RELAY, Notice, refused_here, remark
from clients.terminal.outgoing import Step, Subscribe, command
from clients.terminal.profiles import shown_name
from clients.terminal.session import Phase, Session
from clients.terminal.terms import time_in_words
from clients.terminal.text import fit, short_key

TABLE = "standings"
WORDS = ("join", "leave", "here", "pause", "back", "bye")

_ADDRESS = re.compile(r"(?:.*/)?#?/?events/([0-9a-f]{32})(?:\?(?:.*&)?key=([0-9a-f]{64}))?")
_SHOWN_ROWS, _SHOWN_OVER = 12, 3
_ROW = ("rank", "player", "points", "state", "name")
_SOON_MINUTES = 60
_NO_EVENTS = remark("no-events", "This arbiter has no events")


def list_events(session: Session, now: float) -> Step:
    return session, (listing(session.tournaments, now),)


def speak(session: Session, now: float, rest: str, *, word: str) -> Step:
    """Enter or leave, rest or be back, say that one is here, or ask for half a point (``bye``)."""
    name, _, secret = rest.partition(" ")
    found = _meant(session, name)
    if isinstance(found, Notice):
        return session, (found,)
    if not session.links:
        return session, (NO_RELAY,)
    linked = _ADDRESS.fullmatch(name)
    secret = secret.strip() or (linked[2] if linked and linked[2] else "")
    content = f"bye:{found.round + 1}" if word == "bye" else word
    tags: tuple[tuple[str, ...], ...] = ()
    if word == "join":
        tags = (("name", session.wire.name),) if session.wire.name else ()
        if found.entry == "secret":
            try:
                key = SecretKey.from_hex(secret.lower())
            except ValueError:
                text = "This event needs the secret of its organiser: join, its number or link, it"
                return session, (refused_here("bad-terms", text),)
            tags = (*tags, tournaments.proof(found.id, session.me, key))
    return command(replace(session, tournament=found.id), found.id, content, now, tags)


def show_standings(session: Session, _: float, rest: str) -> Step:
    """The table of an event: now, if it is known, or when it comes; it is followed from now on."""
    found = _meant(session, rest)
    if isinstance(found, Notice):
        return session, (found,)
    known = session.standings
    if known is not None and known.id == found.id and session.tournament == found.id:
        return session, (_table(session, known),)
    filters = tournaments.table_of(session.server, found.id)
    asking = replace(session, tournament=found.id, standings=None, standings_asked=True)
    waits = remark("asked", f"Asking for the standings of {found.title}")
    return asking, (Subscribe(TABLE, filters), waits)


def learn(session: Session, told: Tournament | Standings | Told, now: float) -> Step:
    match told:
        case Tournament():
            return _learn_event(session, told)
        case Standings():
            return _learn_standings(session, told)
        case Told():
            return _told(session, told, now)


def _learn_event(session: Session, told: Tournament) -> Step:
    known = next((one for one in session.tournaments if one.id == told.id), None)
    if known is None:
        listed = (*session.tournaments, told)
        wire = on_tournament(session.wire, told)
        return replace(session, tournaments=listed[: tournaments.LISTED], wire=wire), ()
    if told.version <= known.version:
        return session, ()
    listed = tuple(told if one.id == told.id else one for one in session.tournaments)
    is_mine = told.id in session.wire.entered
    session = replace(session, tournaments=listed, wire=on_tournament(session.wire, told))
    if not is_mine or told.status == known.status:
        return session, ()
    how = {"playing": "begins", "finished": "is over: standings shows who won"}
    text = f"{told.title} {how.get(told.status, 'is cancelled')}"
    return session, (remark("event", text),)


def _learn_standings(session: Session, told: Standings) -> Step:
    known = session.standings
    if told.id != session.tournament or (known and told.version <= known.version):
        return session, ()
    is_mine = any(row.player == session.me and row.state != "left" for row in told.rows)
    wire = entered(session.wire, told.id) if is_mine and not told.is_final else session.wire
    learned = replace(session, standings=told, standings_asked=False, wire=wire)
    is_news = session.standings_asked or (told.is_final and is_mine)
    return learned, (_table(learned, told),) if is_news else ()


def _told(session: Session, told: Told, now: float) -> Step:
    title = title_of(session, told.id)
    match told.word:
        case "joined":
            more = "; you still wait for another game too: cancel stops that"
            waits = more if session.phase in (Phase.QUEUED, Phase.ASKING) else ""
            table = Subscribe(TABLE, tournaments.table_of(session.server, told.id))
            return session, (remark("joined", f"You are in {title}{waits}"), table)
        case "left":
            return session, (remark("left-event", f"You have left {title}"),)
        case "bye":
            return session, (remark("bye", f"{title}: you have no game in round {told.number}"),)
        case "wait":
            seconds = max(0, (told.number or 0) - round(now))
            return session, (remark("wait", f"{title}: the next round is in {seconds} s"),)
        case _:
            # Signs of being there are the client's own.
            return session, ()


def _meant(session: Session, name: str) -> Tournament | Notice:
    """The event of this number, id or address; without one the last that was spoken of."""
    if not session.tournaments:
        return _NO_EVENTS
    linked = _ADDRESS.fullmatch(name)
    wanted = linked[1] if linked else name or session.tournament
    if not wanted and len(session.tournaments) == 1:
        return session.tournaments[0]
    numbered = enumerate(session.tournaments, 1)
    found = next((one for number, one in numbered if wanted in (str(number), one.id)), None)
    return found or refused_here("no-event", "Which event? events lists them")


def title_of(session: Session, tournament: str) -> str:
    named = (one.title for one in session.tournaments if one.id == tournament)
    return next(named, "the event")


def listing(listed: tuple[Tournament, ...], now: float) -> Notice:
    """Those to come and under way, and the last that are over, each with its number."""
    if not listed:
        return _NO_EVENTS
    numbered = tuple(enumerate(listed, 1))
    over = [one for one in numbered if one[1].is_over][-_SHOWN_OVER:]
    lines = [_line(*one, now) for one in numbered if not one[1].is_over or one in over]
    lines.append("join 1 enters, leave 1 leaves, standings 1 shows who leads")
    fields = [_fields(number, one) for number, one in numbered]
    return Notice("events", "\n".join(lines), {"events": fields})


def _line(number: int, one: Tournament, now: float) -> str:
    time = read_time(one.time)
    of = f" of {one.rounds}" if one.rounds else ""
    state = {"open": f"begins {_when(one.starts, now)}", "playing": f"round {one.round}{of}"}
    rest = (one.format, time_in_words(time) if time else "", f"{one.players} players")
    words = ", ".join(filter(None, (*rest, state.get(one.status, one.status))))
    return f"{number:>3}  {fit(one.title, 40)}: {words}"


def _when(starts: int, now: float) -> str:
    minutes = round((starts - now) / 60)
    if minutes < _SOON_MINUTES:
        return f"in {minutes} min" if minutes > 0 else "soon"
    return f"{datetime.fromtimestamp(starts, UTC).astimezone():%d %b %H:%M}"


def _fields(number: int, one: Tournament) -> dict[str, object]:
    names = ("id", "title", "format", "time", "status", "entry", "starts", "round", "players")
    return {"number": number} | {name: getattr(one, name) for name in names}


def table(title: str, standings: Standings, me: str) -> Notice:
    """The first places, and ours."""
    ends = "final" if standings.is_final else f"after round {standings.round}"
    lines = [f"{title}, {ends}"]
    for row in standings.rows:
        if row.rank <= _SHOWN_ROWS or row.player == me:
            you = " (you)" if row.player == me else ""
            state = "" if row.state == "in" else f", {row.state}"
            name = shown_name(row.name) or short_key(row.player)
            lines.append(f"{row.rank:>3}  {row.points:>4}  {name}{you}{state}")
    rows = [{name: getattr(row, name) for name in _ROW} for row in standings.rows]
    fields = {"event": standings.id, "round": standings.round, "final": standings.is_final}
    return Notice("standings", "\n".join(lines), fields | {"rows": rows})


def _table(session: Session, standings: Standings) -> Notice:
    return table(title_of(session, standings.id), standings, session.me)
