"""Who a token is, and who others are."""

from collections.abc import Mapping
from http import HTTPStatus

from clients.lichess_api.asgi import OK, Answer, Refused, Request
from clients.lichess_api.bodies import Token, User, UserStatus
from clients.lichess_api.routes import Found, Routes, Streamed, seat_of
from clients.lichess_api.seat import Seat
from clients.lichess_api.streams import Stream

MAX_ASKED = 100


async def test_tokens(seats: Mapping[str, Seat], request: Request) -> Found:
    """Say what each token may do; null for one that is not ours."""
    found: dict[str, Token | None] = {}
    for token in map(str.strip, request.text.split(",")[:MAX_ASKED]):
        found[token], seat = None, seat_of(seats, token)
        kind = "bot" if seat is not None and seat.account.is_bot else "board"
        scopes = f"{kind}:play,challenge:read,challenge:write"
        if seat is not None:
            found[token] = {"userId": seat.account.name, "scopes": scopes, "expires": None}
    return Answer(found)


async def account(seat: Seat, _: Request) -> Found:
    return Answer(_user(seat, seat.account.me))


def _user(seat: Seat, pubkey: str) -> User:
    mine = seat.account
    is_bot = mine.is_bot and pubkey == mine.me
    return mine.people.user(pubkey, url=mine.url, since=mine.since, is_bot=is_bot)


async def upgrade(seat: Seat, _: Request) -> Found:
    if not seat.account.is_bot:
        raise Refused(HTTPStatus.BAD_REQUEST, "This token is a board's: start it with --bot")
    return OK


async def user(seat: Seat, _: Request, name: str) -> Found:
    pubkey = seat.account.people.pubkey(name)
    if pubkey is None:
        raise Refused(HTTPStatus.NOT_FOUND, "No such user")
    seat.account.look_up(pubkey)
    return Answer(_user(seat, pubkey))


async def statuses(seat: Seat, request: Request) -> Found:
    """Who is online: as far as is known here, the player and the house."""
    account, found = seat.account, list[UserStatus]()
    for name in request.get("ids").split(",")[:MAX_ASKED]:
        pubkey = account.people.pubkey(name.strip())
        if pubkey is not None:
            known = account.people.name(pubkey)
            online = pubkey == account.me or pubkey in account.people.house
            found.append({"id": known, "name": known, "online": online})
    return Answer(found)


async def bots_online(seat: Seat, request: Request) -> Found:
    found = Stream()
    for pubkey in [*seat.account.people.house][: request.number("nb")]:
        found.put(_user(seat, pubkey))
    found.end()
    return Streamed(found)


async def events(seat: Seat, _: Request) -> Found:
    return Streamed(seat.open_events())


OPEN_TO_ALL: Routes = {("POST", "/api/token/test"): test_tokens}

ROUTES: Routes = {
    ("GET", "/api/account"): account,
    ("POST", "/api/bot/account/upgrade"): upgrade,
    ("GET", "/api/stream/event"): events,
    ("GET", "/api/users/status"): statuses,
    ("GET", "/api/user/{}"): user,
    ("GET", "/api/bot/online"): bots_online,
}
