"""The representation for an Accept header (RFC 9110 section 12.5.1)."""

import pytest

from arbiter.web.http import HTML, JSON, PROBLEM, preferred, wants_page

NOSTR = "application/nostr+json"
OFFERED = (JSON, NOSTR, HTML)

BROWSERS = [
    "text/html,application/xml;q=0.9,image/webp,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7",
    "text/html, text/plain, text/sgml, text/css, application/xhtml+xml, */*;q=0.01",
    "text/html, */*",
]
PROGRAMS = [None, "", "*/*", "application/json, text/plain, */*", "application/*", "image/png"]


@pytest.mark.parametrize("accept", [*BROWSERS, *PROGRAMS])
def test_browsers_get_a_page_and_programs_json(accept: str | None) -> None:
    assert preferred(accept, OFFERED) == (HTML if accept in BROWSERS else JSON)
    assert wants_page(accept) == (accept in BROWSERS)
    assert not wants_page(f"{PROBLEM}, text/html;q=0.5")


PREFERRED = {
    "text/html;q=0.4, application/json;q=0.5": JSON,
    "text/html;q=0.5, application/json;q=0.4": HTML,
    "application/json;q=0.001, text/html;q=0.002": HTML,
    "text/html;q=0, */*": JSON,
    "application/json;q=0, */*;q=0.1": NOSTR,
    "application/json;q=0, application/nostr+json;q=0.000, */*;q=0.1": HTML,
    "text/html;q=0": JSON,
    "text/*": HTML,
    "text/*, application/json;q=0.9": HTML,
    "text/*;q=0.1, text/html;q=0.9, */*;q=0.5": HTML,
    "text/*;q=0.9, text/html;q=0.1, */*;q=0.5": JSON,
    "*/*;q=0.9, text/html;q=0.8": JSON,
    "application/*, application/json;q=0.2": NOSTR,
    "TEXT/HTML": HTML,
    "text/html;Q=0.1, application/json;q=0.2": JSON,
    "text/html ; q=0.1 ,\tapplication/json ; q=0.2": JSON,
    "text/html;charset=utf-8": HTML,
    'text/html;charset="UTF-8"': HTML,
    "text/html;level=1": JSON,
    "text/html;q=0.2, text/html;level=1, application/json;q=0.5": JSON,
    "text/html;charset=utf-8;q=0.9, text/html;q=0.1, application/json;q=0.5": HTML,
    "text/html;q=0.9;level=1, application/json;q=0.5": HTML,
    "text/html;;q=0.9;, application/json;q=0.5": HTML,
    'text/plain;a="x, text/html", application/json;q=0.1': JSON,
    "application/nostr+json": NOSTR,
    "Application/Nostr+JSON, */*;q=0.5": NOSTR,
    "application/nostr+json, */*": NOSTR,
    ", ,text/html,,": HTML,
}


@pytest.mark.parametrize(("accept", "content_type"), PREFERRED.items())
def test_the_closest_range_gives_the_weight_and_the_highest_weight_wins(
    accept: str, content_type: str
) -> None:
    assert preferred(accept, OFFERED) == content_type


WEIGHTS = ("", "1.1", "2", "-0", "1.0000", "0.1234", ".5", "nan", "1e0", "\u0660", "0;q=1")
MALFORMED = [
    *(f"text/html;q={weight}" for weight in WEIGHTS),
    *("text/", "/html", "text", "*", "*/html", "text/html/x", "tëxt/html", "text /html"),
    *("text/html q=1", "text/html;q =1", "text/html;a=b c", 'text/html;a="'),
    *("text/html\r\n", "\x00text/html"),
]


@pytest.mark.parametrize("element", MALFORMED)
def test_a_malformed_element_is_ignored(element: str) -> None:
    assert preferred(element, OFFERED) == JSON
    assert preferred(f"application/nostr+json;q=0.1,{element}", OFFERED) == NOSTR


def test_a_header_longer_than_any_browsers_is_not_read() -> None:
    assert preferred("text/html".ljust(1024), OFFERED) == HTML
    assert preferred("text/html".ljust(1025), OFFERED) == JSON


@pytest.mark.parametrize(
    "repeated", ["text/html ; ", "text/html;   ", '"\\', 'a/b;c="', "a/", ",", ";   x", " ; "]
)
def test_a_hostile_header_is_parsed_in_linear_time(repeated: str) -> None:
    """An expression with two ways to match would not return from this."""
    for accept in ((repeated * 1024)[:1024], ("text/html" + repeated * 1024)[:1023] + "x"):
        assert preferred(accept, OFFERED) in OFFERED
