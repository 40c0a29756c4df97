"""The beginnings of games: challenges, answers to them, seeks, and the house."""

import asyncio
from dataclasses import replace
from http import HTTPStatus

from clients.lichess_api.account import REMATCH, is_live
from clients.lichess_api.asgi import OK, Answer, Refused, Request
from clients.lichess_api.bodies import Challenges, Done
from clients.lichess_api.routes import Found, Routes, Seat, Streamed
from clients.lichess_api.streams import Stream
from clients.lichess_api.words import (
    FROM_POSITION,
    STANDARD,
    STATUS_IDS,
    VARIANTS,
    our_reason,
    perf_of,
    speed_of,
    variant_of,
)
from clients.player.terms import Terms, TimeControl, read_fen

MINUTE = 60
_COLORS = {"white": "white", "black": "black"}


def terms_in(request: Request) -> Terms:
    """The terms that a program asks for.

    Raises:
        Refused: if there are none such here.
    """
    variant = request.get("variant") or STANDARD["key"]
    if variant not in VARIANTS:
        raise Refused(HTTPStatus.BAD_REQUEST, "Only standard, chess960 and fromPosition here")
    fen = request.get("fen")
    if fen == "startpos" or variant == "chess960":
        fen = ""
    if (variant == FROM_POSITION["key"]) != bool(fen) and variant != STANDARD["key"]:
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
    try:
        if days := request.get("days"):
            return TimeControl(days=int(days))
        if minutes := request.get("time"):
            base = round(float(minutes) * MINUTE)
            return TimeControl(base, int(request.get("increment") or 0))
        if limit := request.get("clock.limit"):
            return TimeControl(int(limit), int(request.get("clock.increment") or 0))
    except (ValueError, OverflowError):
        raise Refused(HTTPStatus.BAD_REQUEST, "The clock cannot be read") from None
    return None


async def create(seat: Seat, request: Request, user: str) -> Found:
    """Challenge a player; with `keepAliveStream` the answer lasts as long as the challenge."""
    account = seat.account
    opponent = account.people.pubkey(user)
    if opponent is None or opponent == account.me:
        raise Refused(HTTPStatus.NOT_FOUND, "No such user")
    asked = terms_in(request)
    id_, terms = await account.challenge(asked, opponent)
    made = account.challenge_out(id_, terms)
    if not request.is_true("keepAliveStream"):
        return Answer(made)
    stream = Stream()
    stream.put(made)
    account.later(_tell_end(seat, id_, stream))
    return Streamed(stream, lambda: _on_left(seat, id_))


async def _tell_end(seat: Seat, id_: str, stream: Stream) -> None:
    how = await asyncio.shield(seat.teller.done(id_))
    line: Done = {"done": how}
    stream.put(line)
    stream.end()


def _on_left(seat: Seat, id_: str) -> None:
    """A challenge is there as long as who asked for it waits."""
    if id_ in seat.account.client.session.made:
        seat.account.later(seat.account.take_back(id_))


async def create_for_house(seat: Seat, request: Request) -> Found:
    """Challenge a program of the arbiter's house: the level asked for, or the nearest."""
    account, house = seat.account, seat.account.people.house
    level = request.get("level")
    if not level.isdecimal() or not house:
        raise Refused(HTTPStatus.BAD_REQUEST, "This arbiter has no programs of its own")
    nearest = min(house, key=lambda player: abs(house[player] - int(level)))
    asked = terms_in(request)
    id_, terms = await account.challenge(asked, nearest)
    alias, variant = account.alias(id_), variant_of(terms.start, chess960=terms.chess960)
    account.at_house.add(alias)
    return Answer(
        {
            "id": alias,
            "fullId": f"{alias}0000",
            "variant": variant,
            "speed": speed_of(terms.time),
            "perf": perf_of(terms.time, variant).lower(),
            "rated": False,
            "source": "ai",
            "status": {"id": STATUS_IDS["started"], "name": "started"},
            "player": "black" if terms.color == "black" else "white",
            "createdAt": account.now,
        },
        HTTPStatus.CREATED,
    )


async def seek(seat: Seat, request: Request) -> Found:
    """Wait for anybody: with a clock as long as the program does, by days until there is one."""
    terms = terms_in(request)
    if terms.rated and terms.color:
        raise Refused(HTTPStatus.BAD_REQUEST, "A rated game has no chosen colour")
    lowest, _, highest = request.get("ratingRange").partition("-")
    if lowest.isdecimal() and highest.isdecimal():
        terms = replace(terms, rating=(int(lowest), int(highest)))
    if not is_live(terms):
        return Answer({"id": seat.account.alias(await seat.account.seek(terms))})
    # Before it is asked for: both may be paired at once.
    stream = seat.teller.open_seek()
    try:
        await seat.account.seek(terms)
    except Refused:
        seat.teller.close_seek(stream)
        raise
    return Streamed(stream, lambda: _on_seek_left(seat, stream))


def _on_seek_left(seat: Seat, stream: Stream) -> None:
    if seat.teller.close_seek(stream):
        seat.account.later(seat.account.take_back())


async def accept(seat: Seat, _: Request, given: str) -> Found:
    account = seat.account
    games, challenges = account.client.session.games, account.client.session.challenges
    for ours in account.book.ours(given) or (given,):
        if ours in games:
            return OK
        if ours.startswith(REMATCH):
            return await _answer_rematch(seat, ours, "rematch")
        if ours in challenges:
            if is_live(challenges[ours].terms) and account.live():
                raise Refused(HTTPStatus.BAD_REQUEST, "A game with a clock goes on")
            return await _answer(seat, ours, f"accept:{ours}")
    raise Refused(HTTPStatus.NOT_FOUND, "No such challenge")


async def decline(seat: Seat, request: Request, given: str) -> Found:
    reason = our_reason(request.get("reason"))
    for ours in seat.account.book.ours(given) or (given,):
        if ours.startswith(REMATCH):
            return await _answer_rematch(seat, ours, "rematch-decline")
        if ours in seat.account.client.session.challenges:
            return await _answer(seat, ours, f"decline:{ours}:{reason}")
    raise Refused(HTTPStatus.NOT_FOUND, "No such challenge")


async def _answer(seat: Seat, ours: str, content: str) -> Found:
    answered = await seat.account.ask(content)
    if answered is None or answered.refusal is None:
        return OK
    if answered.refusal.reason == "unknown-challenge":
        seat.teller.hide(ours)
        raise Refused(HTTPStatus.NOT_FOUND, "No such challenge")
    raise Refused(HTTPStatus.BAD_REQUEST, answered.refusal.text)


async def _answer_rematch(seat: Seat, ours: str, word: str) -> Found:
    game_id = ours.removeprefix(REMATCH)
    known = seat.account.client.session.games.get(game_id)
    if known is None or seat.account.rematch(known.state) is None:
        raise Refused(HTTPStatus.NOT_FOUND, "No such challenge")
    answered = await seat.account.say(game_id, word)
    if answered is not None and answered.refusal is not None:
        raise Refused(HTTPStatus.NOT_FOUND, answered.refusal.text)
    return OK


async def cancel(seat: Seat, _: Request, given: str) -> Found:
    for ours in seat.account.book.ours(given) or (given,):
        if ours.startswith(REMATCH):
            return await _answer_rematch(seat, ours, "rematch-decline")
        if ours in seat.account.client.session.made:
            await seat.account.take_back(ours)
            seat.teller.settle(ours, "canceled")
            return OK
    raise Refused(HTTPStatus.NOT_FOUND, "No such challenge")


async def waiting(seat: Seat, _: Request) -> Found:
    body: Challenges = {"in": seat.account.waiting(), "out": seat.account.made()}
    return Answer(body)


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
    ("POST", "/api/challenge/{}/accept"): accept,
    ("POST", "/api/challenge/{}/decline"): decline,
    ("POST", "/api/challenge/{}/cancel"): cancel,
    ("POST", "/api/challenge/{}"): create,
    ("POST", "/api/board/seek"): seek,
}
