"""The web client is served as it was built: the page anew for each release, its files for ever."""

import gzip
import re
from base64 import b64decode
from pathlib import Path

import pytest

from arbiter.web.client_files import chosen_encoding, client_files
from arbiter.web.routes.meta import PAGE_POLICY, POLICY
from tests.builders import a_game
from tests.fakes.stores import FakeGames
from tests.template.source import ROOT
from tests.web.browser import Answer, Browser, Site

A_BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
SCRIPT = b"play('e4')" * 20


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """The files of a build; the .br need not be brotli to be passed on."""
    (tmp_path / "assets").mkdir()
    for name, content in (
        ("index.html", b"<!doctype html>"),
        ("service-worker.js", b"//"),
        ("assets/main-ABC.js", SCRIPT),
        ("assets/icon-1.png", b"\x89PNG"),
    ):
        (tmp_path / name).write_bytes(content)
        if not name.endswith(".png"):
            (tmp_path / f"{name}.gz").write_bytes(gzip.compress(content))
            (tmp_path / f"{name}.br").write_bytes(b"br of " + name.encode())
    return tmp_path


@pytest.fixture
def browser(built: Path) -> Browser:
    return Site(client=client_files(built)).browser()


def opened(browser: Browser, path: str = "/", **headers: str) -> Answer:
    return browser.ask("GET", path, headers={"Accept": A_BROWSER, **headers})


def content(answer: Answer) -> bytes:
    assert answer.is_base64
    return b64decode(answer.body)


def test_a_browser_gets_the_client_and_every_other_gets_what_it_got_before(
    browser: Browser,
) -> None:
    page = opened(browser)

    assert (page.status, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert content(page) == b"<!doctype html>"
    assert page.headers["Content-Security-Policy"] == POLICY
    assert page.headers["Cache-Control"] == "public, max-age=2"
    assert page.headers["Vary"] == "Accept, Accept-Encoding"
    assert browser.get("/").json == {"message": "Api OK!"}
    assert "<h2>To play</h2>" in opened(browser, "/about").body


def test_the_page_of_a_game_leads_to_its_board_where_there_is_a_client(built: Path) -> None:
    game = a_game()
    pages = [
        Site(FakeGames(game), client=client).browser().get(f"/g/{game.id}").body
        for client in (client_files(built), None)
    ]

    assert [f'href="/#/game/{game.id}"' in page for page in pages] == [True, False]


def test_without_a_build_the_start_page_takes_its_place(tmp_path: Path) -> None:
    assert client_files(tmp_path) is None
    browser = Site(client=None).browser()

    assert opened(browser).body == opened(browser, "/about").body
    assert "<h2>To play</h2>" in opened(browser).body
    assert browser.get("/assets/main-ABC.js").status == 404
    assert browser.get("/service-worker.js").status == 404


def test_a_browser_that_has_the_page_or_a_file_gets_no_second_one(browser: Browser) -> None:
    for path in ("/", "/assets/main-ABC.js", "/service-worker.js"):
        first = opened(browser, path, **{"Accept-Encoding": "br"})
        again = opened(
            browser, path, **{"Accept-Encoding": "br", "If-None-Match": first.headers["ETag"]}
        )

        assert (again.status, again.body) == (304, "")
        assert "Content-Encoding" not in again.headers
        assert "Accept-Encoding" in again.headers["Vary"]


def test_each_encoding_has_a_tag_of_its_own(browser: Browser) -> None:
    """RFC 9110 section 8.8.3.3: a strong tag is of one encoding."""
    path = "/assets/main-ABC.js"
    tags = {
        opened(browser, path, **{"Accept-Encoding": it}).headers["ETag"]
        for it in ("br", "gzip", "")
    }

    assert len(tags) == 3


def test_a_file_is_kept_for_ever_and_sent_in_the_best_encoding(browser: Browser) -> None:
    path = "/assets/main-ABC.js"
    plain = opened(browser, path)
    zipped = opened(browser, path, **{"Accept-Encoding": "gzip, deflate"})
    best = opened(browser, path, **{"Accept-Encoding": "gzip, deflate, br, zstd"})

    assert plain.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert plain.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert (content(plain), plain.headers.get("Content-Encoding")) == (SCRIPT, None)
    assert (gzip.decompress(content(zipped)), zipped.headers["Content-Encoding"]) == (
        SCRIPT,
        "gzip",
    )
    assert (content(best), best.headers["Content-Encoding"]) == (b"br of assets/main-ABC.js", "br")
    picture = opened(browser, "/assets/icon-1.png", **{"Accept-Encoding": "br"})
    assert (content(picture), picture.headers.get("Content-Encoding")) == (b"\x89PNG", None)


def test_head_has_the_headers_of_get_and_no_body(browser: Browser) -> None:
    for path in ("/", "/assets/main-ABC.js"):
        headers = {"Accept": A_BROWSER, "Accept-Encoding": "gzip"}
        got, headed = (browser.ask(method, path, headers=headers) for method in ("GET", "HEAD"))

        assert headed.headers == {**got.headers, "Content-Length": str(len(content(got)))}
        assert (headed.status, headed.body, headed.is_base64) == (200, "", False)


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../index.html",
        "/assets/..%2findex.html",
        "/assets/..%2F..%2Fopenapi.json",
        "/assets/%2e%2e/index.html",
        "/assets/main-ABC.js.gz",
        "/assets/main-ABC.js/",
        "/assets/main-ABC.js/x",
        "/assets/..",
        "/assets/",
        "/assets",
        "/assets/\\index.html",
        "/assets/main-ABC.js%00",
        "/assets//etc/passwd",
        "/static/index.html",
        "/index.html",
        "/../index.html",
        "/assets/" + "x" * 5000,
        "/assets/\ud800",
    ],
)
def test_no_other_path_leads_to_a_file(browser: Browser, path: str) -> None:
    answer = opened(browser, path)

    if path == "/assets/main-ABC.js/":  # a slash at the end is no other path
        assert answer.status == 200
    else:
        assert answer.status == 404


def test_a_name_beyond_the_build_is_not_served_though_it_is_in_the_folder(built: Path) -> None:
    (built / "assets/secret.key").write_text("nsec1", encoding="ascii")
    browser = Site(client=client_files(built)).browser()

    assert browser.get("/assets/secret.key").status == 404


@pytest.mark.parametrize(
    ("accept", "encoding"),
    [
        (None, ""),
        ("", ""),
        ("identity", ""),
        ("br;q=0", ""),
        ("br;q=0, gzip;q=0.5", "gzip"),
        ("gzip, br;q=0.1", "gzip"),
        ("gzip;q=1.0, br;q=1.0", "br"),
        ("*", "br"),
        ("*;q=0.5, br;q=0", "gzip"),
        ("GZIP", "gzip"),
        ("x-gzip", ""),
        ("br;q=2", ""),
        ("br;q=nan, gzip", "gzip"),
        ("gzip" + "," * 600, ""),
        ("é, gzip", "gzip"),
    ],
)
def test_the_encoding_is_what_the_client_prefers(accept: str | None, encoding: str) -> None:
    assert chosen_encoding(accept, {"": None, "br": None, "gzip": None}) == encoding


def test_the_page_says_its_policy_itself_where_another_host_serves_it() -> None:
    text = (ROOT / "clients/web/index.html").read_text(encoding="utf-8")
    said = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)

    assert said
    assert said[1] == PAGE_POLICY
    assert "unsafe-inline" not in POLICY


def test_the_page_without_javascript_leads_to_pages(browser: Browser) -> None:
    text = (ROOT / "clients/web/index.html").read_text(encoding="utf-8")
    links = re.findall(r'<a href="([^"]+)"', text)

    assert "about" in links
    assert {browser.get(f"/{link}").status for link in links} == {200}
