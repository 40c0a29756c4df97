"""The operator's page, its figures and its buttons.

Invariant: nothing here knows a password, a cookie or a session. Each request for figures and each
change is signed by the operator's key for this URL, this body and this minute (NIP-98), and taken
once; so no other page can have a browser make one. To any other key there is nothing here.
"""

from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from arbiter.application import day_figures
from arbiter.application.operator import change_policy, read_command
from arbiter.application.queries import MAX_GAMES_A_PAGE, games_of, live_games
from arbiter.application.spending import ALL, MAX_ADDRESSES_WRITTEN, day_of
from arbiter.core.clocks import DAY_MS
from arbiter.core.policy import Policy
from arbiter.core.reports import PlayerReport
from arbiter.nostr.event import ParseError, VerifiedEvent, is_hex_32_bytes, verify
from arbiter.nostr.nip19 import encode_npub
from arbiter.nostr.nip98 import event_of_header, http_auth_objection, is_signed_body
from arbiter.nostr.strict_json import read_json
from arbiter.web.answering import Answering
from arbiter.web.deps import WebDeps
from arbiter.web.http import HTML, NEVER, problem, to_json
from arbiter.web.pages import ICON
from arbiter.web.views import View, health_view, seat_in

BODY_BYTES = 4096
_MAX_NAMED = 20

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "Cache-Control": NEVER,
}
_FILES = {"script.js": "text/javascript", "style.css": "text/css"}

_USED_SECONDS = 480
"""A signature is good for two minutes. It is counted in windows of two rows, each of which begins
in the middle of one of the other, so that no two of them begin within that time.
"""

Answer = Response[Any]


def router(deps: WebDeps) -> APIGatewayHttpRouter:
    """``/operator`` and what is under it."""
    routes = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]
    to = Answering(deps, routes)

    def signed() -> VerifiedEvent | Answer:
        event = routes.current_event
        urls = [f"{base}{event.path}" for base in deps.own_urls or (to.base(),)]
        return _signed(deps, event.headers.get("authorization", ""), event.http_method, urls)

    @routes.get("/operator")
    def _page() -> Answer:
        return _nothing() if deps.policy.operator is None else _file("page.html", HTML)

    @routes.get("/operator/<name>")
    def _named(name: str) -> Answer:
        if name in _FILES and deps.policy.operator is not None:
            return _file(name, _FILES[name])
        found = signed() if name == "state" else _nothing()
        return found if isinstance(found, Response) else _state(deps)

    @routes.post("/operator/policy")
    def _policy() -> Answer:
        found = signed()
        if isinstance(found, Response):
            return found
        body = (routes.current_event.decoded_body or "").encode()
        if not is_signed_body(found, body):
            return _problem("this body is not the one that was signed")
        return _changed(deps, found, body)

    return routes


def _nothing() -> Answer:
    return problem(HTTPStatus.NOT_FOUND, "There is nothing at this path.")


def _problem(detail: str) -> Answer:
    return problem(HTTPStatus.UNAUTHORIZED, detail)


def _signed(deps: WebDeps, header: str, method: str, urls: list[str]) -> VerifiedEvent | Answer:
    """The event of the operator or the arbiter that signed this request; or the refusal."""
    claimed = event_of_header(header)
    if isinstance(claimed, ParseError) or claimed.pubkey not in (deps.policy.operator, deps.server):
        return _nothing()
    event = verify(claimed)
    if isinstance(event, ParseError):
        return _nothing()
    now_ms = deps.clock.now_ms()
    if text := http_auth_objection(claimed, method, urls, now_ms // 1000):
        return _problem(text)
    rows = ((f"signed-a:{event.id}", 0), (f"signed-b:{event.id}", _USED_SECONDS * 500))
    used = [
        not deps.rate_limits.take(row, 1, _USED_SECONDS, now_ms + later_ms)
        for row, later_ms in rows
    ]
    return _problem("this was used before: sign anew") if any(used) else event


def _changed(deps: WebDeps, signed: VerifiedEvent, body: bytes) -> Answer:
    command = read_command(read_json(body, BODY_BYTES))
    if isinstance(command, str):
        return problem(HTTPStatus.BAD_REQUEST, command)
    store = deps.policy.store
    if store is None:
        return _nothing()
    by = "arbiter policy" if signed.pubkey == deps.server else encode_npub(signed.pubkey)
    refused = change_policy(store, deps.republish, command, deps.clock.now_ms(), by)
    deps.policy.forget()
    if refused:
        return problem(HTTPStatus.BAD_REQUEST, refused)
    if command.word in ("void", "count") and deps.rate_anew is not None:
        deps.rate_anew()
    return _state(deps)


def _state(deps: WebDeps) -> Answer:
    store = deps.policy.store
    policy = store.load() if store else deps.policy.now()
    games = live_games(deps.archive, MAX_GAMES_A_PAGE, None)
    view: View = {
        "name": deps.name,
        "now": deps.clock.now_ms() // 1000,
        "figures": {
            "games": len(games.games),
            "more_games": games.next_cursor is not None,
            **deps.figures(),
            **_spent(deps),
        },
        "health": health_view(deps.health.report(), has_table=deps.health.has_table()),
        "policy": policy_view(policy),
        "names": _names(deps, policy),
        "reports": [report_view(one) for one in reversed(store.reports() if store else ())],
        "rates_by_itself": deps.rate_anew is not None,
    }
    return Response(HTTPStatus.OK, "application/json", to_json(view), {"Cache-Control": NEVER})


def _spent(deps: WebDeps) -> View:
    """The sums of all processes, the use of this day's budget, and the addresses that used most."""
    if deps.spending is None:
        return {}
    now_ms, counters = deps.clock.now_ms(), deps.spending.counters
    counted = counters.spent(day_of(now_ms))
    before = counters.spent(day_of(now_ms - DAY_MS)).get(ALL, {})
    found: View = {**day_figures.shown(counted.get(ALL, {}), before, now_ms)}
    for unit, budget in deps.spending.budget.items():
        of_all = counted.get(ALL, {}).get(unit, 0)
        found[f"{unit} today"] = f"{of_all:,} of {budget:,}" if budget else f"{of_all:,}"
        by = {name: it.get(unit, 0) for name, it in counted.items() if name != ALL}
        most = sorted(by, key=lambda name: (-by[name], name))[:MAX_ADDRESSES_WRITTEN]
        if any(by.values()):
            found[f"{unit}, most"] = ", ".join(f"{name}: {by[name]:,}" for name in most)
    return found


def report_view(report: PlayerReport) -> View:
    """A report, with keys as npubs."""
    return {
        "at": report.at_ms // 1000,
        "by": encode_npub(report.by),
        "player": encode_npub(report.player),
        "type": report.type,
        "text": report.text,
        "game": report.game_id,
        "chat": [*report.chat],
        "early_ends": report.early_ends,
    }


def policy_view(policy: Policy) -> View:
    """The policy, with keys as npubs and times as unix seconds."""
    closed = policy.closed
    return {
        "denied": [
            {
                "key": encode_npub(key),
                "reason": one.reason,
                "since": one.since_ms // 1000,
                "until": one.until_ms and one.until_ms // 1000,
                "ends_games": one.ends_games,
            }
            for key, one in policy.denied.items()
        ],
        "allowed": None if policy.allowed is None else [*map(encode_npub, sorted(policy.allowed))],
        "group": policy.group,
        "hidden": [*map(encode_npub, sorted(policy.hidden))],
        "void_keys": [*map(encode_npub, sorted(policy.void_keys))],
        "void_pairs": [[*map(encode_npub, pair)] for pair in sorted(policy.void_pairs)],
        "closed": closed
        and {
            "from": closed.from_ms // 1000,
            "until": closed.until_ms and closed.until_ms // 1000,
            "text": closed.text,
        },
        "vacation_days": policy.vacation_days,
        "operator": policy.operator and encode_npub(policy.operator),
        "notices": policy.notices,
        "changes": [
            {"at": one.at_ms // 1000, "by": one.by, "said": _with_npubs(one.said)}
            for one in reversed(policy.changes)
        ],
    }


def _names(deps: WebDeps, policy: Policy) -> View:
    """Names in their newest game of the players of whom the last changes speak, by npub."""
    said = (word for change in reversed(policy.changes) for word in change.said.split(" "))
    keys = [*dict.fromkeys(word for word in said if is_hex_32_bytes(word))][:_MAX_NAMED]
    seats = (seat_in(games_of(deps.archive, key, 1, None).games, key) for key in keys)
    return {encode_npub(seat.player): seat.name for seat in seats if seat and seat.name}


def _with_npubs(said: str) -> str:
    words = said.split(" ")
    return " ".join(encode_npub(word) if is_hex_32_bytes(word) else word for word in words)


def _file(name: str, content_type: str) -> Answer:
    return Response(HTTPStatus.OK, content_type, _text(name), dict(_HEADERS))


@cache
def _text(name: str) -> str:
    text = (Path(__file__).parents[1] / "operator_page" / name).read_text(encoding="utf-8")
    return text.replace("{{icon}}\n", ICON)
