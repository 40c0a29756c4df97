"""Who a token is, and who others are."""

from collections.abc import Mapping
from http import HTTPStatus

from clients.lichess_api.asgi import OK, Answer, Lines, Refused, Request
from clients.lichess_api.bodies import Token, User, UserStatus
from clients.lichess_api.routes import Found, Routes, Seat, Streamed, seat_of

MAX_ASKED = 100


async def test_tokens(seats: Mapping[str, Seat], request: Request) -> Found:
    """Say what each token may do; null for one that is not ours."""
    found: dict[str, Token | None] = {}
    for token in request.text.split(",")[:MAX_ASKED]:
        seat = seat_of(seats, token.strip())
        kind = "bot" if seat is not None and seat.account.is_bot else "board"
        scopes = f"{kind}:play,challenge:read,challenge:write"
        found[token.strip()] = (
            None
            if seat is None
            else {"userId": seat.account.name, "scopes": scopes, "expires": None}
        )
    return Answer(found)


async def account(seat: Seat, _: Request) -> Found:
    return Answer(_user(seat, seat.account.me))


def _user(seat: Seat, pubkey: str) -> User:
    account = seat.account
    is_me = pubkey == account.me
    found = account.people.user(pubkey, is_bot=is_me and account.is_bot)
    return {**found, "createdAt": account.since, "url": f"{account.url}/@/{found['username']}"}


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
    count = request.get("nb")
    bots = [*seat.account.people.house][: int(count) if count.isdecimal() else None]
    return Lines(tuple(_user(seat, pubkey) for pubkey in bots))


async def events(seat: Seat, _: Request) -> Found:
    return Streamed(seat.teller.open_events())


OPEN_TO_ALL: Routes = {("POST", "/api/token/test"): test_tokens}

ROUTES: Routes = {
    ("GET", "/api/account"): account,
    ("POST", "/api/bot/account/upgrade"): upgrade,
    ("GET", "/api/stream/event"): events,
    ("GET", "/api/users/status"): statuses,
    ("GET", "/api/user/{}"): user,
    ("GET", "/api/bot/online"): bots_online,
}
