"""Any array is a message or a refusal. Any bytes at each door: tests/fuzz."""

import json

from hypothesis import given
from hypothesis import strategies as st

from arbiter.nostr.event import ParseError
from arbiter.nostr.limits import MAX_DEPTH, MAX_EVENT_BYTES
from arbiter.nostr.strict_json import read_json

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(st.characters(), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON_VALUES)
def test_the_strict_reader_reads_what_the_standard_reader_does_or_refuses(value: object) -> None:
    text = json.dumps(value)

    strictly = read_json(text, MAX_EVENT_BYTES)

    assert isinstance(strictly, ParseError) or strictly == json.loads(text)


@given(st.integers(1, 40), st.text("[]{}\"\\'", max_size=20))
def test_depth_is_that_of_the_brackets_outside_strings(depth: int, inside: str) -> None:
    text = "[" * depth + json.dumps(inside) + "]" * depth

    assert isinstance(read_json(text, MAX_EVENT_BYTES), ParseError) == (depth > MAX_DEPTH)
