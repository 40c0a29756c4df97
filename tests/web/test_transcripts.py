"""A game's transcript over HTTP: handed in by anybody, shown, and named in the game's JSON."""

from base64 import b64decode
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from arbiter.core.game import Game, Seat
from arbiter.proof.handed_in import MAX_HANDED_IN_BYTES
from arbiter.web.client_files import ClientFiles
from arbiter.web.deps import Limits
from tests.builders import a_game, after
from tests.fakes.stores import FakeGames
from tests.fakes.transcripts import FakeTranscripts
from tests.proof.games import KeptWorld, file_of, play, values_of
from tests.proof.test_handed_in import without
from tests.proof.test_proof import MATE
from tests.web.browser import NO_LIMITS, Answer, Browser, Site


@dataclass
class Stage:
    game: Game
    octets: bytes
    kept: FakeTranscripts
    site: Site

    @property
    def path(self) -> str:
        return f"/games/{self.game.id}/transcript"

    def put(self, body: bytes | None = None, by: Browser | None = None) -> Answer:
        return (by or self.site.browser()).ask("PUT", self.path, body=body or self.octets)

    def get(self, path: str = "", **headers: str) -> Answer:
        return self.site.browser().ask("GET", path or self.path, headers=headers)


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    world = KeptWorld(tmp_path)
    octets = play(world, MATE, ("time", "180+2")).octets
    game = world.game(values_of(octets)[0]["game"])
    world.store.close()
    kept = FakeTranscripts()
    return Stage(game, octets, kept, Site(games=FakeGames(game), transcripts=kept))


def tag(octets: bytes) -> str:
    return f'"{sha256(octets).hexdigest()}"'


def test_a_right_transcript_is_kept_shown_and_named(stage: Stage) -> None:
    before = stage.get(f"/games/{stage.game.id}")
    assert (before.json["transcript"], before.json["chain"]) == (None, stage.game.chain.hex())
    assert stage.get().status == 404

    for _ in range(2):
        answer = stage.put()
        assert (answer.status, answer.body) == (204, ""), answer
        assert answer.headers["ETag"] == tag(stage.octets)

    shown, named = stage.get(), stage.get(f"/games/{stage.game.id}")
    assert b64decode(shown.body) == stage.octets
    assert shown.headers["ETag"] == tag(stage.octets)
    assert named.json["transcript"] == sha256(stage.octets).hexdigest()
    assert named.headers["ETag"] != before.headers["ETag"]
    for path, answer in (("", shown), (f"/games/{stage.game.id}", named)):
        assert stage.get(path, **{"If-None-Match": answer.headers["ETag"]}).status == 304


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"chain": b""}, "A release that keeps no chain played a part of this game"),
        ({"white": Seat("ab" * 32, "hot_seat")}, "signed nothing"),
        ({"outcome": None}, "The game goes on"),
        ({}, "none of those who saw the game has handed it in yet"),
    ],
)
def test_what_is_not_here_is_missing_for_a_reason(stage: Stage, changed: Any, why: str) -> None:
    stage.site.games = FakeGames(replace(stage.game, **changed))
    stage.site.client = ClientFiles({"index.html": {}})

    answer, page = stage.get(), stage.get(f"/g/{stage.game.id}", Accept="text/html")

    assert (answer.status, why in answer.json["detail"]) == (404, True), answer
    assert (f'href="/g/{stage.game.id}/proof"' in page.body) == ("outcome" not in changed)


def test_what_is_missing_may_be_handed_in_later(stage: Stage) -> None:
    part = stage.put(without(values_of(stage.octets), 2, 3))

    assert part.status == 204
    assert stage.put().headers["ETag"] == tag(stage.octets) != part.headers["ETag"]
    assert b64decode(stage.get().body) == stage.octets
    assert stage.put(without(values_of(stage.octets), 2, 3)).headers["ETag"] == tag(stage.octets)


@pytest.mark.parametrize(
    ("body", "status", "why"),
    [
        (lambda octets: file_of(values_of(octets)[:-1]), 422, "do not lead to the game's chain"),
        (lambda octets: octets[:-9], 422, "The file is wrong: cut"),
        (lambda _: bytes(MAX_HANDED_IN_BYTES + 1), 413, "A body of more than 1048576 bytes"),
    ],
)
def test_a_wrong_one_is_refused_by_name_and_none_is_kept(
    stage: Stage, body: Any, status: int, why: str
) -> None:
    for kept in ({}, {stage.game.id: stage.octets}):
        stage.kept.files = {**kept}
        answer = stage.put(body(stage.octets))

        assert (answer.status, answer.headers["Content-Type"]) == (
            status,
            "application/problem+json",
        )
        assert why in answer.json["detail"]
        assert stage.kept.files == kept


@pytest.mark.parametrize(
    ("changed", "status", "why"),
    [
        ({"outcome": None}, 409, "not over"),
        ({"chain": b""}, 409, "no chain"),
        ({"id": "00" * 16}, 404, "no game"),
    ],
)
def test_it_is_refused_before_it_is_unpacked(
    stage: Stage, changed: Any, status: int, why: str
) -> None:
    stage.site.games = FakeGames(replace(stage.game, **changed))

    answer = stage.put(b"no gzip")

    assert (answer.status, why in answer.json["detail"]) == (status, True), answer


def test_an_address_hands_in_a_few_in_a_minute(stage: Stage) -> None:
    stage.site.limits = Limits(per_address=40)
    one, other = stage.site.browser(), replace(stage.site.browser(), address="198.51.100.9")

    assert [stage.put(by=one).status for _ in range(3)] == [204, 204, 429]
    assert stage.put(by=other).status == 204
    assert one.ask("GET", stage.path).status == 200


def test_one_that_another_replaced_meanwhile_is_joined_with_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    values, real = values_of(stage.octets), stage.kept.replace
    theirs = without(values, *range(2, len(values), 2))

    def meanwhile(*args: Any) -> bool:
        monkeypatch.setattr(stage.kept, "replace", real)
        assert stage.put(theirs).status == 204
        return real(*args)

    monkeypatch.setattr(stage.kept, "replace", meanwhile)
    assert stage.put(without(values, *range(1, len(values), 2))).status == 204

    assert stage.kept.files[stage.game.id] == stage.octets


def test_the_transcript_of_a_live_game_is_packed_for_who_lacks_it_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game, kept = replace(after(a_game(), "e4"), chain=b"a" * 32), FakeTranscripts()
    kept.files[game.id] = b"packed now"
    site = Site(games=FakeGames(game), transcripts=kept)
    first = site.browser().ask("GET", f"/games/{game.id}/transcript")
    monkeypatch.setattr(kept, "load", None)

    known = {"If-None-Match": first.headers["ETag"]}
    again = site.browser().ask("GET", f"/games/{game.id}/transcript", headers=known)

    assert (first.status, again.status) == (200, 304)


def test_a_stack_without_a_bucket_says_that_it_keeps_none(stage: Stage) -> None:
    stage.site.transcripts = None

    assert (stage.get().status, stage.put().status) == (404, 409)
    assert stage.get(f"/games/{stage.game.id}").json["transcript"] is None


def test_the_board_for_other_pages_may_be_framed_and_no_other_may(stage: Stage) -> None:
    live = replace(stage.game, outcome=None)
    for game, reloads in ((stage.game, False), (live, True)):
        stage.site.games = FakeGames(game)
        page = stage.get(f"/g/{game.id}/embed", Accept="text/html")

        assert page.status == 200
        assert "frame-ancestors" not in page.headers["Content-Security-Policy"]
        assert "default-src 'none'" in page.headers["Content-Security-Policy"]
        assert ('http-equiv="refresh"' in page.body) == reloads
        assert f'href="/g/{game.id}" target="_blank"' in page.body
    for path in (f"/g/{live.id}", f"/g/{live.id}/proof"):
        policy = stage.get(path).headers.get("Content-Security-Policy", "frame-ancestors 'none'")
        assert "frame-ancestors 'none'" in policy


def test_limits_are_lifted_together() -> None:
    assert NO_LIMITS.transcripts_per_address == 0
