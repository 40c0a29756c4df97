"""Items as JSON texts: they come back as they were, whatever later releases write in them."""

from functools import partial
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from arbiter.adapters.sqlite import items
from arbiter.adapters.sqlite.items import Decoded, item_of_text, text_of_item
from arbiter.adapters.sqlite.store import Store

TEXTS = st.text(max_size=4)
OCTETS = st.binary(max_size=4)
NAMES = TEXTS | st.sampled_from(["B", "BS", "S", "M", "L", "pk"])
SCALARS = st.one_of(
    st.builds(lambda text: {"S": text}, TEXTS),
    st.builds(lambda number: {"N": str(number)}, st.integers()),
    st.builds(lambda octets: {"B": octets}, OCTETS),
    st.sampled_from([{"BOOL": True}, {"NULL": True}, {"NS": ["1", "2"]}]),
    st.builds(lambda texts: {"SS": texts}, st.lists(TEXTS, max_size=2)),
    st.builds(lambda several: {"BS": several}, st.lists(OCTETS, max_size=2)),
)
VALUES: st.SearchStrategy[dict[str, Any]] = st.recursive(
    SCALARS,
    lambda values: (
        st.builds(lambda several: {"L": several}, st.lists(values, max_size=2))
        | st.builds(lambda several: {"M": several}, st.dictionaries(NAMES, values, max_size=2))
    ),
    max_leaves=4,
)
ITEMS = st.dictionaries(NAMES, VALUES, max_size=4)


def put_all(store: Store, several: list[dict[str, Any]]) -> None:
    for item in several:
        store.write(partial(items.put, item=item))


@given(ITEMS)
def test_an_item_comes_back_as_it_was(item: dict[str, Any]) -> None:
    text = text_of_item(item)

    assert item_of_text(text) == item
    assert text.isascii()


def test_the_text_is_the_json_in_which_aws_exports_items() -> None:
    item = {"pk": {"S": "g#é"}, "m": {"B": b"\x00\xff"}, "v": {"N": "7"}, "x": {"BS": [b"a"]}}

    assert text_of_item(item) == (
        r'{"pk":{"S":"g#\u00e9"},"m":{"B":"AP8="},"v":{"N":"7"},"x":{"BS":["YQ=="]}}'
    )


def test_any_text_may_be_a_key(store: Store) -> None:
    keys = ["", "é", "\ud800", '"', "\\ud800", '"\\ud800"', "x" * 5000, "\x00"]

    named = [{"pk": {"S": key}, "n": {"N": str(number)}} for number, key in enumerate(keys)]
    put_all(store, named)

    assert [store.read(partial(items.find, key=item)) for item in named] == named


def test_what_has_expired_is_deleted_and_nothing_else(store: Store) -> None:
    expiries = {"old": 99, "now": 100, "new": 101}
    expiring = [{"pk": {"S": it}, "expires_at": {"N": str(at)}} for it, at in expiries.items()]
    put_all(store, [*expiring, {"pk": {"S": "kept"}}])

    assert store.write(lambda cursor: items.delete_expired(cursor, 100_999, 10)) == 1

    left = store.read(lambda cursor: cursor.execute("SELECT pk FROM items").fetchall())
    assert sorted(left) == [("kept",), ("new",), ("now",)]


def test_of_what_has_expired_the_oldest_is_deleted_first(store: Store) -> None:
    for name, at in (("b", 2), ("a", 1), ("c", 3)):
        put_all(store, [{"pk": {"S": name}, "expires_at": {"N": str(at)}}])

    assert store.write(lambda cursor: items.delete_expired(cursor, 100_000, 2)) == 2

    assert store.read(lambda cursor: cursor.execute("SELECT pk FROM items").fetchall()) == [("c",)]


def test_of_decoded_items_the_latest_are_kept_as_far_as_they_fit() -> None:
    decoded = Decoded(most_chars=10)
    for text in ("aaaa", "bbbb", "aaaa", "cccc"):
        decoded.keep(text, {"text": text})

    assert [decoded.get(text) for text in ("aaaa", "bbbb", "cccc")] == [
        {"text": "aaaa"},
        None,
        {"text": "cccc"},
    ]
    decoded.keep("x" * 11, {})
    assert [decoded.get(text) for text in ("aaaa", "cccc", "x" * 11)] == [None] * 3
