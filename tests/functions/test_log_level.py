import contextlib
import logging
from importlib import import_module

import pytest

from arbiter.adapters.json_logging import JsonLines
from functions.http_api import app as http_api
from tests.template.source import named


@pytest.mark.parametrize("name", named("AWS::Serverless::Function"))
def test_the_operator_chooses_what_a_function_logs_and_it_logs_json(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    folder = "".join(f"_{it.lower()}" if it.isupper() else it for it in name)[1:]
    function = import_module(f"functions.{folder.removesuffix('_function')}.app")
    http_api._app.cache_clear()
    for level in ("ERROR", "DEBUG"):
        monkeypatch.setenv("LOG_LEVEL", level)
        with contextlib.suppress(Exception):  # it is not set up for more than that
            function.handler({"requestContext": {}}, None)

        assert logging.getLevelName(logging.getLogger().level) == level
        assert {type(it.formatter) for it in logging.getLogger().handlers} == {JsonLines}
