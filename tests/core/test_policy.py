"""The operator's policy as a value."""

import pytest

from arbiter.core.policy import MAX_KEYS, KeyList, Policy, PolicyCommand, changed, listed

A, B = "a1" * 32, "b2" * 32
NOW_MS = 1_800_000_000_000


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (PolicyCommand(word="deny"), "deny names a key"),
        (PolicyCommand(word="vacation"), "vacation says days, and nothing else does"),
        (PolicyCommand(word="open", days=1), "vacation says days, and nothing else does"),
        (PolicyCommand(word="vacation", days=61), "a vacation has 0 to 60 days a year"),
        (PolicyCommand(word="vacation", days=1, keys=(A,)), "vacation is about no key"),
        (PolicyCommand(word="close", keys=(A,)), "close is about no key"),
        (PolicyCommand(word="void", keys=(A, B, A)), "void names one key, or the two of a pair"),
        (PolicyCommand(word="deny", keys=(A,), until_ms=NOW_MS), "until is over already"),
        (
            PolicyCommand(word="close", from_ms=NOW_MS + 9, until_ms=NOW_MS + 9),
            "until is over already",
        ),
        (
            PolicyCommand(word="deny", keys=(A,), reason="x" * 201),
            "a reason has at most 200 characters",
        ),
        (
            PolicyCommand(word="hide", keys=tuple(f"{n:064x}" for n in range(MAX_KEYS + 1))),
            f"at most {MAX_KEYS} keys fit into each list",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(command: PolicyCommand, text: str) -> None:
    assert changed(Policy(), command, NOW_MS, "me") == text


def test_each_word_is_taken_back_by_its_opposite() -> None:
    words = [("deny", "admit"), ("hide", "show"), ("void", "count"), ("close", "open")]
    for word, back in words:
        keys = () if word == "close" else (A,)
        said = changed(Policy(), PolicyCommand(word=word, keys=keys), NOW_MS, "me")  # type: ignore[arg-type]
        assert isinstance(said, Policy)
        again = changed(said, PolicyCommand(word=back, keys=keys), NOW_MS, "me")  # type: ignore[arg-type]
        assert isinstance(again, Policy)
        assert not any((again.denied, again.hidden, again.void_keys, again.closed))
        assert [one.said.split()[0] for one in again.changes] == [word, back]


def test_the_last_member_who_leaves_does_not_open_the_door() -> None:
    """A list of nobody is still a list, until it is given up."""
    policy = Policy(allowed=frozenset({A}))

    left = changed(policy, PolicyCommand(word="disallow", keys=(A,)), NOW_MS, "me")
    given_up = changed(policy, PolicyCommand(word="disallow"), NOW_MS, "me")

    assert isinstance(left, Policy)
    assert left.why_not(B, NOW_MS) is not None
    assert isinstance(given_up, Policy)
    assert given_up.why_not(B, NOW_MS) is None


def a_list(*keys: str, made_at: int, name: str = "deny") -> KeyList:
    return KeyList(name=name, keys=frozenset(keys), made_at=made_at, by="me")


def test_an_older_list_changes_nothing_and_a_newer_one_replaces() -> None:
    first = listed(Policy(), a_list(A, made_at=100), NOW_MS)
    assert first is not None
    assert listed(first, a_list(B, made_at=100), NOW_MS) is None

    second = listed(first, a_list(B, made_at=101), NOW_MS)

    assert second is not None
    assert set(second.denied) == {B}


def test_a_list_with_a_flaw_changes_nothing_but_what_is_told_of_it() -> None:
    refused = listed(Policy(), a_list(A, made_at=100), NOW_MS, "too long")

    assert refused is not None
    assert not refused.denied
    assert [one.said for one in refused.changes] == ["list of 1 to deny is refused: too long"]
    assert listed(refused, a_list(A, made_at=100), NOW_MS) is None, "it comes again"


def test_a_group_without_members_lets_nobody_in_until_it_is_given_up() -> None:
    group = f"39002:{A}:club"
    named = changed(Policy(), PolicyCommand(word="allow", group=group), NOW_MS, "me")
    assert isinstance(named, Policy)
    assert (named.group, named.allowed) == (group, None), "its members are not known yet"

    empty = listed(named, a_list(made_at=1, name="group"), NOW_MS)

    assert empty is not None
    assert empty.why_not(B, NOW_MS) is not None
    given_up = changed(empty, PolicyCommand(word="disallow"), NOW_MS, "me")
    assert isinstance(given_up, Policy)
    assert (given_up.group, given_up.why_not(B, NOW_MS)) == ("", None)


def test_the_operator_gives_days_of_vacation_and_takes_them_back() -> None:
    given = changed(Policy(), PolicyCommand(word="vacation", days=30), NOW_MS, "me")
    assert isinstance(given, Policy)
    taken = changed(given, PolicyCommand(word="vacation", days=0), NOW_MS, "me")
    assert isinstance(taken, Policy)
    assert [given.vacation_days, taken.vacation_days] == [30, 0]
    assert [one.said for one in taken.changes] == ["vacation 30 days", "vacation 0 days"]
