"""The two doors: each leads to one function, which API Gateway alone may call, on that API's word.

Whether API Gateway understands them is for a deployment to say.
"""

from typing import Any

import pytest

from tests.template.source import at_least, named, properties, template

_DOORS = {
    "GatewayApi": ("WEBSOCKET", "GatewayFunction", "v1", {"$connect", "$default", "$disconnect"}),
    "HttpApi": ("HTTP", "HttpApiFunction", "$default", {"$default"}),
}


def _of(api: str, kind: str) -> dict[str, dict[str, Any]]:
    """The resources of a type that belong to an API."""
    return {
        name: properties(name)
        for name in named(f"AWS::ApiGatewayV2::{kind}")
        if properties(name)["ApiId"] == {"Ref": api}
    }


def test_there_are_two_doors_and_no_door_that_sam_makes() -> None:
    assert set(named("AWS::ApiGatewayV2::Api")) == set(_DOORS)
    for function in named("AWS::Serverless::Function"):
        events = properties(function).get("Events", {}).values()
        assert not {"Api", "HttpApi"} & {event["Type"] for event in events}


@pytest.mark.parametrize("api", _DOORS)
def test_every_route_of_a_door_leads_to_its_function(api: str) -> None:
    protocol, function, _, keys = _DOORS[api]
    ((integration, written),) = _of(api, "Integration").items()
    routes = _of(api, "Route").values()

    assert properties(api)["ProtocolType"] == protocol
    assert f"{function}.Arn" in next(iter(written["IntegrationUri"].values()))
    assert {route["RouteKey"] for route in routes} == keys
    for route in routes:
        assert route["Target"] == {"Sub": f"integrations/${{{integration}}}"}


@pytest.mark.parametrize("api", _DOORS)
def test_a_door_is_open_to_everybody_but_not_without_limit(api: str) -> None:
    _, _, name, _ = _DOORS[api]
    (stage,) = _of(api, "Stage").values()

    assert stage["StageName"] == name
    assert stage["AutoDeploy"] is True
    assert at_least(stage["DefaultRouteSettings"]["ThrottlingRateLimit"]) > 0
    assert at_least(stage["DefaultRouteSettings"]["ThrottlingBurstLimit"]) > 0


@pytest.mark.parametrize("api", _DOORS)
def test_a_function_is_called_by_its_own_door_alone(api: str) -> None:
    _, function, *_ = _DOORS[api]
    (permission,) = [
        properties(name)
        for name in named("AWS::Lambda::Permission")
        if properties(name)["FunctionName"] == {"Ref": function}
    ]

    assert permission["Principal"] == "apigateway.amazonaws.com"
    assert permission["Action"] == "lambda:InvokeFunction"
    assert permission["SourceArn"]["Sub"].split(":")[-1].startswith(f"${{{api}}}/")


@pytest.mark.parametrize("function", ["ProcessEventsFunction", "GatewayFunction"])
def test_sockets_are_spoken_to_where_the_emulator_or_the_cloud_has_them(function: str) -> None:
    told = properties(function)["Environment"]["Variables"]["GATEWAY_ENDPOINT"]

    assert told == {
        "If": [
            "IsEmulated",
            {"Sub": "${ExecuteApiBase}/${GatewayApi}/v1"},
            {"Sub": "https://${GatewayApi}.execute-api.${AWS::Region}.${AWS::URLSuffix}/v1"},
        ]
    }


def test_the_url_that_players_dial_is_the_one_that_is_put_out() -> None:
    everybody = template()["Globals"]["Function"]["Environment"]["Variables"]

    assert template()["Outputs"]["GatewayUrl"]["Value"] == everybody["GATEWAY_URL"]
