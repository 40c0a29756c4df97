"""The sample invocations are fresh, and each is answered as it should be."""

import json
from pathlib import Path

import pytest

from arbiter import wiring
from events.samples import AT, FOLDER, SERVER, game, samples, text_of
from functions.process_events import app
from tests.application.world import World
from tests.builders import SERVER as WORLDS_SERVER
from tests.functions.logged import lines

SAMPLES = samples()


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_as_make_events_would_write_it(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == text_of(SAMPLES[name])


def test_every_file_is_one_of_the_samples() -> None:
    files = {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.json")}
    assert files == set(SAMPLES)


@pytest.mark.parametrize(
    ("name", "statuses"),
    [
        ("process_events/moves.json", ["played", "duplicate", "illegal-move", "unreadable"]),
        ("process_events/seek.json", ["queued"]),
        ("process_events/draft.json", ["queued"]),
        ("process_events/house.json", ["challenged"]),
        ("process_events/timer.json", ["aborted"]),
        ("process_events/republish.json", ["published-again"]),
    ],
)
def test_a_sample_comes_to_what_it_shows(
    name: str,
    statuses: list[str],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert SERVER.pubkey != WORLDS_SERVER.pubkey
    world = World(server=SERVER)
    world.clock.ms = AT * 1000
    world.games.by_id[game().id] = game()
    monkeypatch.setattr(wiring, "arbiter_deps", lambda: world.deps)
    invocation = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    assert app.handler(invocation, None) == {"batchItemFailures": []}
    assert [line["status"] for line in lines(caplog.records)] == statuses


def test_the_samples_name_no_file_outside_their_folder() -> None:
    assert [
        name
        for name in SAMPLES
        if Path(name).parts[0]
        not in {
            *("process_events", "house", "pairing", "clock", "relay_listener", "gateway"),
            *("http_api", "notice"),
        }
    ] == []
