"""A game's transcript: shown, and handed in by anybody. The chain of the game's record decides."""

from hashlib import sha256
from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response

from arbiter.core.game import is_game_id
from arbiter.proof.handed_in import Wrong, completed
from arbiter.web import http
from arbiter.web.deps import WebDeps
from arbiter.web.request import Request

ROUTES = (("PUT", "/games/{}/transcript"),)

ATTEMPTS = 3
"""Others may hand in theirs at the same time."""


def hand_in(deps: WebDeps, request: Request) -> Response[str] | None:
    """The answer to a transcript that is handed in; None for any other request."""
    if request.method != "PUT":
        return None
    game_id = request.path.split("/")[2]
    game = deps.games.load(game_id) if is_game_id(game_id) else None
    if game is None:
        return http.problem(HTTPStatus.NOT_FOUND, "There is no game with this id.")
    if game.outcome is None:
        return http.problem(HTTPStatus.CONFLICT, "The game is not over.")
    if not game.chain or deps.transcripts is None:
        detail = "The game has no chain, by which its transcript could be checked."
        return http.problem(HTTPStatus.CONFLICT, detail)
    for _ in range(ATTEMPTS):
        kept = deps.transcripts.load(game)
        try:
            file = completed(game, deps.server, kept, request.body or b"")
        except Wrong as flaw:
            return http.problem(HTTPStatus.UNPROCESSABLE_ENTITY, str(flaw))
        if file is None or deps.transcripts.replace(game.id, kept, file):
            return Response(
                status_code=HTTPStatus.NO_CONTENT,
                headers={"ETag": tag_of_file(file or kept or b"")},
            )
    return http.problem(HTTPStatus.SERVICE_UNAVAILABLE, "Others hand it in now; try again.")


def tag_of_file(octets: bytes) -> str:
    return f'"{sha256(octets).hexdigest()}"'
