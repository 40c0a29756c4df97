"""The beginnings of games: challenges, answers to them, seeks, and the house."""

import asyncio
import re
from dataclasses import replace
from http import HTTPStatus

from clients.lichess_api import words
from clients.lichess_api.account import REMATCH
from clients.lichess_api.asgi import OK, Answer, Refused, Request
from clients.lichess_api.bodies import AiGame
from clients.lichess_api.lines import full_id
from clients.lichess_api.routes import Found, Routes, Streamed
from clients.lichess_api.seat import Seat
from clients.lichess_api.streams import Stream
from clients.player.terms import Terms, TimeControl, read_fen, read_time

MINUTE = 60
_RATINGS = re.compile(r"([0-9]{1,4})-([0-9]{1,4})")
_COLORS = {"white": "white", "black": "black"}


def terms_in(request: Request) -> Terms:
    """The terms that a program asks for. Raises Refused if there are none such here."""
    variant = request.get("variant") or words.STANDARD["key"]
    if variant not in words.VARIANTS:
        raise Refused(HTTPStatus.BAD_REQUEST, "Only standard, chess960 and fromPosition here")
    fen = request.get("fen")
    if fen == "startpos" or variant == "chess960":
        fen = ""
    if (variant == words.FROM_POSITION["key"]) != bool(fen) and variant != words.STANDARD["key"]:
        raise Refused(HTTPStatus.BAD_REQUEST, "A position is a variant fromPosition with a fen")
    if fen and read_fen(fen) is None:
        raise Refused(HTTPStatus.BAD_REQUEST, "The fen cannot be read")
    return Terms(
        time=_time_in(request),
        rated=request.is_true("rated"),
        color=_COLORS.get(request.get("color")),
        variant="chess960" if variant == "chess960" else "standard",
        start=fen or None,
    )


def _time_in(request: Request) -> TimeControl | None:
    if days := request.get("days"):
        return _time(f"{days}d")
    if minutes := request.get("time"):
        try:
            base = round(float(minutes) * MINUTE)
        except (ValueError, OverflowError):
            base = -1
        return _time(f"{base}+{request.get('increment') or 0}")
    if limit := request.get("clock.limit"):
        return _time(f"{limit}+{request.get('clock.increment') or 0}")
    return None


def _time(text: str) -> TimeControl:
    if (found := read_time(text)) is None:
        raise Refused(HTTPStatus.BAD_REQUEST, "The clock cannot be read")
    return found


async def create(seat: Seat, request: Request, user: str) -> Found:
    """Challenge a player; with `keepAliveStream` the answer lasts as long as the challenge."""
    account = seat.account
    opponent = account.people.pubkey(user)
    if opponent is None or opponent == account.me:
        raise Refused(HTTPStatus.NOT_FOUND, "No such user")
    asked = terms_in(request)
    id_, terms = await account.challenge(asked, opponent)
    made = account.told(id_, terms, account.me)
    if not request.is_true("keepAliveStream"):
        return Answer(made)
    stream = Stream()
    stream.put(made)
    account.later(_tell_end(seat, id_, stream))
    return Streamed(stream, lambda: _on_left(seat, id_))


async def _tell_end(seat: Seat, id_: str, stream: Stream) -> None:
    stream.put({"done": await asyncio.shield(seat.done(id_))})
    stream.end()


def _on_left(seat: Seat, id_: str) -> None:
    """A challenge is there as long as who asked for it waits."""
    if id_ in seat.account.client.session.made:
        seat.account.later(seat.account.take_back(id_))


async def create_for_house(seat: Seat, request: Request) -> Found:
    """Challenge a program of the arbiter's house: the level asked for, or the nearest."""
    account, house, level = seat.account, seat.account.people.house, request.number("level")
    if level is None or not house:
        raise Refused(HTTPStatus.BAD_REQUEST, "This arbiter has no programs of its own")
    nearest = min(house, key=lambda player: abs(house[player] - level))
    terms = replace(terms_in(request), rated=False)
    alias, kind = account.alias((await account.challenge(terms, nearest))[0]), words.kind_of(terms)
    account.at_house.add(alias)
    made: AiGame = {
        "rated": False,
        "variant": kind.variant,
        "speed": kind.speed,
        "id": alias,
        "fullId": full_id(alias),
        "perf": kind.perf,
        "source": "ai",
        "status": {"id": words.STATUS_IDS["started"], "name": "started"},
        "player": "black" if terms.color == "black" else "white",
        "createdAt": account.now,
    }
    return Answer(made, HTTPStatus.CREATED)


async def seek(seat: Seat, request: Request) -> Found:
    """Wait for anybody: with a clock as long as the program does, by days until there is one."""
    terms = terms_in(request)
    if terms.rated and terms.color:
        raise Refused(HTTPStatus.BAD_REQUEST, "A rated game has no chosen colour")
    if (bounds := _RATINGS.fullmatch(request.get("ratingRange"))) is not None:
        terms = replace(terms, rating=(int(bounds[1]), int(bounds[2])))
    if not terms.is_live:
        return Answer({"id": seat.account.alias(await seat.account.seek(terms))})
    # Before it is asked for: both may be paired at once.
    stream = seat.open_seek()
    try:
        await seat.account.seek(terms)
    except Refused:
        seat.close_seek(stream)
        raise
    return Streamed(stream, lambda: _on_seek_left(seat, stream))


def _on_seek_left(seat: Seat, stream: Stream) -> None:
    if seat.close_seek(stream):
        seat.account.later(seat.account.take_back())


async def reply(seat: Seat, request: Request, given: str, word: str) -> Found:
    """Accept or decline a challenge, or cancel one's own; a rematch that is offered is one, too."""
    account, session = seat.account, seat.account.client.session
    for ours in account.book.ours(given) or (given,):
        if ours in session.games and word == "accept":
            return OK
        if ours.startswith(REMATCH):
            return await _reply_to_rematch(seat, ours, "" if word == "accept" else "-decline")
        if ours in session.challenges and word != "cancel":
            if word == "accept" and session.challenges[ours].terms.is_live and account.live():
                raise Refused(HTTPStatus.BAD_REQUEST, "A game with a clock goes on")
            reason = f":{words.our_reason(request.get('reason'))}" if word == "decline" else ""
            return await _answer(seat, ours, f"{word}:{ours}{reason}")
        if ours in session.made and word == "cancel":
            await account.take_back(ours)
            seat.settle(ours, "canceled")
            return OK
    raise Refused(HTTPStatus.NOT_FOUND, "No such challenge")


async def _answer(seat: Seat, ours: str, content: str) -> Found:
    answered = await seat.account.ask(content)
    if answered is None or answered.refusal is None:
        return OK
    if answered.refusal.reason == "unknown-challenge":
        seat.hide(ours)
        raise Refused(HTTPStatus.NOT_FOUND, "No such challenge")
    raise Refused(HTTPStatus.BAD_REQUEST, answered.refusal.text)


async def _reply_to_rematch(seat: Seat, ours: str, how: str) -> Found:
    game_id = ours.removeprefix(REMATCH)
    known = seat.account.client.session.games.get(game_id)
    if known is None or seat.account.rematch(known.state) is None:
        raise Refused(HTTPStatus.NOT_FOUND, "No such challenge")
    answered = await seat.account.say(game_id, f"rematch{how}")
    if answered is not None and answered.refusal is not None:
        raise Refused(HTTPStatus.NOT_FOUND, answered.refusal.text)
    return OK


async def waiting(seat: Seat, _: Request) -> Found:
    return Answer({"in": seat.account.waiting(), "out": seat.account.made()})


async def show(seat: Seat, _: Request, given: str) -> Found:
    account = seat.account
    aliases = {account.alias(ours) for ours in account.book.ours(given)}
    for one in (*account.waiting(), *account.made()):
        if one["id"] in aliases:
            return Answer(one)
    raise Refused(HTTPStatus.NOT_FOUND, "No such challenge")


ROUTES: Routes = {
    ("GET", "/api/challenge"): waiting,
    ("POST", "/api/challenge/ai"): create_for_house,
    ("GET", "/api/challenge/{}/show"): show,
    ("POST", "/api/challenge/{}/(accept|decline|cancel)"): reply,
    ("POST", "/api/challenge/{}"): create,
    ("POST", "/api/board/seek"): seek,
}
