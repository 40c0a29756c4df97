"""Each API leads to one function, which that API alone may call, and has limits."""

from typing import Any

import pytest

from tests.template.source import at_least, named, properties, template

_APIS = {
    "GatewayApi": ("WEBSOCKET", "GatewayFunction", "v1", {"$connect", "$default", "$disconnect"}),
    "HttpApi": ("HTTP", "HttpApiFunction", "$default", {"$default"}),
}


def _of(api: str, kind: str) -> dict[str, dict[str, Any]]:
    return {
        name: properties(name)
        for name in named(f"AWS::ApiGatewayV2::{kind}")
        if properties(name)["ApiId"] == {"Ref": api}
    }


def test_there_are_two_apis_and_sam_adds_none() -> None:
    assert set(named("AWS::ApiGatewayV2::Api")) == set(_APIS)
    for function in named("AWS::Serverless::Function"):
        events = properties(function).get("Events", {}).values()
        assert not {"Api", "HttpApi"} & {event["Type"] for event in events}


@pytest.mark.parametrize("api", _APIS)
def test_every_route_of_an_api_leads_to_its_function_and_is_throttled(api: str) -> None:
    protocol, function, stage_name, keys = _APIS[api]
    ((integration, written),) = _of(api, "Integration").items()
    routes = _of(api, "Route").values()
    (stage,) = _of(api, "Stage").values()
    (permission,) = [
        properties(name)
        for name in named("AWS::Lambda::Permission")
        if properties(name)["FunctionName"] == {"Ref": function}
    ]

    assert properties(api)["ProtocolType"] == protocol
    assert f"{function}.Arn" in next(iter(written["IntegrationUri"].values()))
    assert {route["RouteKey"] for route in routes} == keys
    assert {route["Target"]["Sub"] for route in routes} == {f"integrations/${{{integration}}}"}
    assert (stage["StageName"], stage["AutoDeploy"]) == (stage_name, True)
    assert at_least(stage["DefaultRouteSettings"]["ThrottlingRateLimit"]) > 0
    assert at_least(stage["DefaultRouteSettings"]["ThrottlingBurstLimit"]) > 0
    assert permission["Principal"] == "apigateway.amazonaws.com"
    assert permission["Action"] == "lambda:InvokeFunction"
    assert permission["SourceArn"]["Sub"].split(":")[-1].startswith(f"${{{api}}}/")


@pytest.mark.parametrize("function", ["ProcessEventsFunction", "GatewayFunction"])
def test_frames_are_sent_through_the_emulator_or_the_cloud(function: str) -> None:
    condition, emulated, cloud = properties(function)["Environment"]["Variables"][
        "GATEWAY_ENDPOINT"
    ]["If"]

    assert condition == "IsEmulated"
    assert emulated == {"Sub": "${ExecuteApiBase}/${GatewayApi}/v1"}
    assert cloud == {"Sub": "https://${GatewayApi}.execute-api.${AWS::Region}.${AWS::URLSuffix}/v1"}


def test_outputs_name_what_exists() -> None:
    everywhere = template()["Globals"]["Function"]["Environment"]["Variables"]
    existing = {*template()["Resources"], *template()["Parameters"]}

    assert template()["Outputs"]["GatewayUrl"]["Value"] == everywhere["GATEWAY_URL"]
    for output in template()["Outputs"].values():
        ((how, name),) = output["Value"].items()
        if how == "If":  # the operator's own, or the one that AWS gives
            assert name[0] in template()["Conditions"]
            ((_, own),) = name[1].items()
            assert own.partition(".")[0] in existing
        else:
            assert name.partition(".")[0] in existing
