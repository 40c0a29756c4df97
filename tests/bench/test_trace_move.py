"""The trace of a move counts what it says."""

from bench.trace_move import Call, entered_again, report, traced, visits

CALLS: list[Call] = [
    ("application/play.py", "play"),
    ("application/play.py", "load"),
    ("core/decide.py", "decide"),
    ("application/results.py", "made"),
    ("application/play.py", "commit"),
]


def test_a_file_is_entered_again_when_another_of_its_folder_came_between() -> None:
    files = ["application/play.py", "application/results.py", "application/play.py"]

    assert visits(CALLS, "application/") == files
    assert entered_again(CALLS, "application/") == {"application/play.py": 1}
    assert entered_again(CALLS[:3], "application/") == {}
    assert "3 files, 5 functions, 5 calls; handed on 2 times among 2 files" in report(CALLS)


def test_a_move_is_followed_from_the_frame_to_the_publication() -> None:
    files = list(dict.fromkeys(file for file, _ in traced()))

    assert files[0] == "adapters/relays/deadline_socket.py"
    assert files[-1] == "adapters/relays/publish_attempt.py"
    steps = [
        *("adapters/relays/ingest.py", "adapters/sqs.py", "application/process_batch.py"),
        *("core/decide.py", "application/publish.py"),
    ]
    assert [file for file in files if file in steps] == steps
