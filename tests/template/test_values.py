"""Tables of the template's values: what functions are told, what roles may do, when alarms ring.

A wrong reference is no error of CloudFormation's: the stack is made, and a function reads another
queue, or may not write, or an alarm stays silent.
"""

import json
import operator
import re
from typing import Any

import pytest

from arbiter.adapters.items.games import PLAYERS
from tests.template.source import ROOT, listed, named, properties, template

FUNCTIONS = [name.removesuffix("Function") for name in named("AWS::Serverless::Function")]
KEY = "ssm:parameter/STACK/server-secret-key"
SOCKETS = "https://${GatewayApi}.execute-api.${AWS::Region}.${AWS::URLSuffix}/v1"


def said(value: Any) -> str:
    """A value of the template in a few words: `HasSsb ? SsbQueue : `."""
    match value:
        case {"Ref": text} | {"GetAtt": text} | {"Sub": text}:
            return shortened(str(text))
        case {"If": [condition, then, other]}:
            return f"{condition} ? {said(then)} : {said(other)}"
        case {"Join": [separator, parts]}:
            return str(separator).join(map(said, parts))
        case str():
            return value
        case _:
            return json.dumps(value)


def shortened(text: str) -> str:
    here = r"arn:\$\{AWS::Partition\}:([\w-]+):\$\{AWS::Region\}:\$\{AWS::AccountId\}:"
    return re.sub(here, r"\1:", text).replace("${AWS::StackName}", "STACK")


ENVIRONMENT = [
    ("MOVES_QUEUE_URL", "MovesQueue", "*"),
    ("SEEKS_QUEUE_URL", "SeeksQueue", "*"),
    ("RELAYS", "Relays", "*"),
    ("SERVER_PUBKEY", "ServerPubkey", "*"),
    (
        "GATEWAY_URL",
        f"HasPublicWebSocketUrl ? PublicWebSocketUrl : {SOCKETS.replace('https', 'wss')}",
        "*",
    ),
    ("TABLE_NAME", "Table", "ProcessEvents House Pairing Notice RelayListener Gateway HttpApi"),
    ("SHORT_LIVED_TABLE", "ShortLivedTable", "ProcessEvents Notice Gateway HttpApi"),
    ("REPUBLISH_QUEUE_URL", "RepublishQueue", "ProcessEvents HttpApi"),
    # Of those that sign, and of no other.
    ("KEY_PARAMETER", "/STACK/server-secret-key", "ProcessEvents House Notice Gateway"),
    (
        "GATEWAY_ENDPOINT",
        f"IsEmulated ? ${{ExecuteApiBase}}/${{GatewayApi}}/v1 : {SOCKETS}",
        "ProcessEvents Gateway",
    ),
    ("ILLEGAL_MOVES_TO_LOSE", "IllegalMovesToLose", "ProcessEvents HttpApi"),
    ("WORK_OF_STRANGERS", "WorkOfStrangers", "ProcessEvents House"),
    ("SERVER_NAME", "ServerName", "ProcessEvents Gateway HttpApi"),
    ("HOUSE_KEYS", "HouseKeys", "ProcessEvents House Gateway HttpApi"),
    ("HOUSE_QUEUE_URL", "HousePlays ? HouseQueue : ", "ProcessEvents"),
    ("CLOCK_QUEUE_URL", "ClockQueue", "ProcessEvents Notice Clock Gateway"),
    ("PAIRING_FUNCTION", "PairingFunction", "ProcessEvents"),
    ("NOTICE_FUNCTION", "NoticeFunction", "ProcessEvents"),
    ("SCHEDULE_GROUP", "Schedules", "ProcessEvents Notice"),
    ("SCHEDULE_TARGET_ARN", "ClockQueue.Arn", "ProcessEvents Notice"),
    ("SCHEDULER_ROLE_ARN", "SchedulerRole.Arn", "ProcessEvents Notice"),
    ("BRIDGE_PUBKEY", "SsbBridgePubkey", "ProcessEvents"),
    ("SSB_QUEUE_URL", "HasSsb ? SsbQueue : ", "ProcessEvents"),
    ("LISTEN_SECONDS", "860", "RelayListener"),
    ("JESTER_OPEN_GAMES", "JesterOpenGames", "RelayListener"),
    ("DAILY_BUDGET", "DailyBudget", "ProcessEvents Notice Gateway HttpApi"),
    ("FRAMES_PER_SECOND", "FramesPerSecond", "Gateway"),
    (
        "DEAD_LETTER_QUEUE_URLS",
        (
            "MovesDeadLetters,SeeksDeadLetters,RepublishDeadLetters,ClockDeadLetters"
            ",HasSsb ? SsbDeadLetters : "
        ),
        "HttpApi",
    ),
    ("PUBLIC_URL", "PublicHttpUrl", "HttpApi"),
    # A browser's subscription is for an operator that can be reached, a notice leads somewhere, and
    # the announcement says where a transcript is handed in.
    (
        "PUBLIC_URL",
        "HasPublicHttpUrl ? PublicHttpUrl : HttpApi.ApiEndpoint",
        "ProcessEvents Notice Gateway",
    ),
    ("TRANSCRIPTS_BUCKET", "Transcripts", "HttpApi"),
    ("REQUESTS_PER_ADDRESS", "RequestsPerAddress", "HttpApi"),
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_is_told_this_and_nothing_else(function: str) -> None:
    everywhere = template()["Globals"]["Function"]["Environment"]["Variables"]
    own = properties(f"{function}Function")["Environment"]["Variables"]
    assert not set(own) & set(everywhere)

    assert {name: said(value) for name, value in {**everywhere, **own}.items()} == {
        name: value
        for name, value, functions in ENVIRONMENT
        if functions == "*" or function in functions.split()
    }


_TAKE = "sqs: ChangeMessageVisibility DeleteMessage GetQueueAttributes ReceiveMessage on"
_LOG = "logs: CreateLogStream PutLogEvents on Log"
_MANAGE = "execute-api: ManageConnections on execute-api:${GatewayApi}/v1/*"
_SIGN = [
    f"ssm: GetParameter on {KEY}",
    # The account's own key for Systems Manager lets its users decrypt what they may read.
    (
        "kms: Decrypt on ServerKeyEncryption where "
        f"StringEquals kms:EncryptionContext:PARAMETER_ARN {KEY} if HasOwnEncryption"
    ),
]
_SCHEDULE = [
    "scheduler: CreateSchedule on scheduler:schedule/${Schedules}/*",
    "iam: PassRole on SchedulerRole where StringEquals iam:PassedToService scheduler.amazonaws.com",
]
GRANTS = {
    "ProcessEventsRole": [
        f"{_TAKE} MovesQueue RepublishQueue SeeksQueue",
        "sqs: SendMessage on MovesQueue RepublishQueue",
        "lambda: InvokeFunction on NoticeFunction PairingFunction",
        "sqs: SendMessage on sqs:STACK-ssb.fifo",
        "sqs: SendMessage on sqs:STACK-house.fifo",
        "sqs: SendMessage on ClockQueue",
        *_SCHEDULE,
        "dynamodb: BatchGetItem DeleteItem GetItem PutItem UpdateItem on Table",
        "dynamodb: BatchGetItem BatchWriteItem DeleteItem Query UpdateItem on ShortLivedTable",
        _MANAGE,
        *_SIGN,
        _LOG,
    ],
    "HouseRole": [
        f"{_TAKE} HouseQueue",
        "sqs: SendMessage on MovesQueue SeeksQueue",
        "dynamodb: GetItem on Table",
        *_SIGN,
        _LOG,
    ],
    # Other people's code: it reads no game and no player, and writes nothing.
    "PairingRole": [
        (
            "dynamodb: BatchGetItem GetItem on Table where "
            "ForAllValues:StringLike dynamodb:LeadingKeys t#*"
        ),
        "sqs: SendMessage on MovesQueue",
        _LOG,
    ],
    # Strangers say where it connects, so it changes no game and no policy.
    "NoticeRole": [
        "dynamodb: BatchGetItem GetItem on Table",
        (
            "dynamodb: PutItem UpdateItem on Table where "
            "ForAllValues:StringLike dynamodb:LeadingKeys notices#*"
        ),
        "dynamodb: Query UpdateItem on ShortLivedTable",
        "sqs: SendMessage on ClockQueue",
        *_SCHEDULE,
        *_SIGN,
        _LOG,
    ],
    "ClockRole": [f"{_TAKE} ClockQueue", "sqs: SendMessage on ClockQueue MovesQueue", _LOG],
    "SchedulerRole": ["sqs: SendMessage on ClockQueue"],
    "RelayListenerRole": [
        "sqs: SendMessage on MovesQueue SeeksQueue",
        # One item, when a relay was last heard; and of games who plays them.
        (
            "dynamodb: GetItem UpdateItem on Table where "
            "ForAllValues:StringEquals dynamodb:LeadingKeys heard"
        ),
        (
            f"dynamodb: BatchGetItem on Table where ForAllValues:StringEquals dynamodb:Attributes "
            f"{PLAYERS.replace(',', '')} StringEqualsIfExists dynamodb:Select SPECIFIC_ATTRIBUTES"
        ),
        _LOG,
    ],
    "GatewayRole": [
        (
            "dynamodb: BatchGetItem BatchWriteItem DeleteItem GetItem PutItem Query UpdateItem "
            "on ShortLivedTable"
        ),
        "dynamodb: BatchGetItem GetItem on Table",
        "sqs: SendMessage on ClockQueue MovesQueue SeeksQueue",
        _MANAGE,
        *_SIGN,
        _LOG,
    ],
    "HttpApiRole": [
        "dynamodb: BatchGetItem GetItem PutItem UpdateItem on Table",
        (
            "dynamodb: Query on ${Table.Arn}/index/black ${Table.Arn}/index/ladder "
            "${Table.Arn}/index/live ${Table.Arn}/index/white"
        ),
        "dynamodb: UpdateItem on ShortLivedTable",
        "dynamodb: Query on ShortLivedTable",
        "s3: GetObject PutObject on ${Transcripts.Arn}/*",
        # Or it is told that it may not look where there is nothing.
        "s3: ListBucket on Transcripts",
        "sqs: SendMessage on RepublishQueue",
        (
            "sqs: GetQueueAttributes on ClockDeadLetters MovesDeadLetters MovesQueue "
            "RepublishDeadLetters SeeksDeadLetters SeeksQueue sqs:STACK-ssb-dead.fifo"
        ),
        # Metrics have no ARNs.
        "cloudwatch: GetMetricStatistics on *",
        _LOG,
    ],
}


def granted(statement: dict[str, Any]) -> str:
    """A statement of a policy in one line."""
    condition = ""
    if "If" in statement:
        name, statement, _ = statement["If"]
        condition = f" if {name}"
    assert statement["Effect"] == "Allow"
    (service,) = {action.split(":")[0] for action in listed(statement["Action"])}
    actions = sorted(action.split(":")[1] for action in listed(statement["Action"]))
    resources = sorted(said(it).removesuffix(".Arn") for it in listed(statement["Resource"]))
    where = [
        word
        for operator, tests in statement.get("Condition", {}).items()
        for key, values in tests.items()
        for word in (operator, key, *map(said, listed(values)))
    ]
    words = [f"{service}:", *actions, "on", *resources, *(["where", *where] if where else [])]
    return " ".join(words) + condition


@pytest.mark.parametrize("role", named("AWS::IAM::Role"))
def test_a_role_may_do_this_and_nothing_else(role: str) -> None:
    written = properties(role)
    assert not {"ManagedPolicyArns", "PermissionsBoundary"} & set(written)
    found = [
        granted(statement)
        for policy in written["Policies"]
        for statement in policy["PolicyDocument"]["Statement"]
    ]

    assert "\n".join(sorted(found)) == "\n".join(sorted(GRANTS[role]))


def test_no_queue_is_reached_without_tls() -> None:
    (statement,) = properties("TlsOnly")["PolicyDocument"]["Statement"]
    assert (statement["Effect"], statement["Principal"], statement["Action"]) == (
        "Deny", "*", "sqs:*",
    )  # fmt: skip
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    names = [
        it["If"][1]["Ref"] if "If" in it else it["Ref"] for it in properties("TlsOnly")["Queues"]
    ]
    assert sorted(names) == sorted(named("AWS::SQS::Queue"))


@pytest.mark.parametrize(
    ("permission", "function", "source"),
    [
        ("GatewayMayInvoke", "GatewayFunction", "execute-api:${GatewayApi}/v1/*"),
        ("HttpMayInvoke", "HttpApiFunction", "execute-api:${HttpApi}/*/$default"),
    ],
)
def test_an_api_may_invoke_its_function(permission: str, function: str, source: str) -> None:
    written = properties(permission)
    assert written["FunctionName"] == {"Ref": function}
    assert written["Principal"] == "apigateway.amazonaws.com"
    assert said(written["SourceArn"]) == source
    (integration,) = (
        said(properties(name)["IntegrationUri"])
        for name in named("AWS::ApiGatewayV2::Integration")
        if function in said(properties(name)["IntegrationUri"])
    )
    assert re.search(rf"\b{function}\.Arn\b", integration)


_BY_AWS = {
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible"): "QueueName",
    ("AWS/SQS", "ApproximateAgeOfOldestMessage"): "QueueName",
    ("AWS/Lambda", "Invocations"): "FunctionName",
    # Of the account's functions together.
    ("AWS/Lambda", "RecursiveInvocationsDropped"): None,
    ("AWS/Lambda", "Throttles"): None,
    ("AWS/ApiGateway", "IntegrationError"): "ApiId",
    ("AWS/ApiGateway", "ExecutionError"): "ApiId",
    ("AWS/ApiGateway", "5xx"): "ApiId",
}
"""The dimension of each metric that AWS publishes. With another one an alarm has no data, ever."""

NOTHING = None
RINGING: list[tuple[str, str, list[float | None], list[float | None]]] = [
    (
        "DeadLettersAlarm",
        (
            "MovesDeadLetters.QueueName SeeksDeadLetters.QueueName RepublishDeadLetters.QueueName "
            "ClockDeadLetters.QueueName SsbDeadLetters.QueueName"
        ),
        [1],
        [0],
    ),
    ("ApiErrorsAlarm", "GatewayApi GatewayApi HttpApi", [6], [5]),
    ("ThrottledAlarm", "", [11, 11], [11, 10]),
    ("HalfSpentAlarm", "", [1], [NOTHING]),
    ("MovesWaitAlarm", "MovesQueue.QueueName", [61, 61], [61, 60]),
    ("SsbWaitAlarm", "SsbQueue.QueueName", [901, 901], [901, 900]),
    ("FaultsAlarm", "", [6], [5]),
    ("UntakenAlarm", "", [1] * 6, [1, 1, 1, 1, 1, NOTHING]),
    ("LoopStoppedAlarm", "", [1], [NOTHING]),
    ("ListenerSilentAlarm", "RelayListenerFunction", [NOTHING], [1]),
]
"""Each alarm, what it watches, and the last values of its periods with which it rings, and not."""


def rings(alarm: dict[str, Any], values: list[float | None]) -> bool:
    """Whether CloudWatch would have this alarm ring after periods of these values."""
    exceeds = {"GreaterThanThreshold": operator.gt, "LessThanThreshold": operator.lt}
    compare = exceeds[alarm["ComparisonOperator"]]
    # An alarm without data is in a state of its own, of which another list of actions tells.
    tells = alarm.get("InsufficientDataActions") == alarm["AlarmActions"]
    is_missing = {"missing": tells, "notBreaching": False}[alarm["TreatMissingData"]]
    assert "DatapointsToAlarm" not in alarm
    latest = values[-alarm["EvaluationPeriods"] :]
    breaching = [
        is_missing if value is None else compare(value, alarm["Threshold"]) for value in latest
    ]
    return len(latest) == alarm["EvaluationPeriods"] and all(breaching)


@pytest.mark.parametrize(("name", "watched", "trouble", "well"), RINGING)
def test_an_alarm_rings_when_there_is_trouble_and_tells_the_operator(
    name: str, watched: str, trouble: list[float | None], well: list[float | None]
) -> None:
    alarm = properties(name)
    assert (rings(alarm, trouble), rings(alarm, well)) == (True, False)
    assert alarm["AlarmActions"] == alarm["OKActions"] == [{"Ref": "AlarmTopic"}]

    seen: list[str] = []
    for one in watched_by(alarm):
        dimensions = {it["Name"]: said(it["Value"]) for it in one.get("Dimensions", ())}
        metric = (said(one["Namespace"]), one["MetricName"])
        # That ours are counted, and without dimensions, is in test_metrics.py.
        dimension = None if metric[0] == "arbiter/STACK" else _BY_AWS[metric]
        assert {*dimensions} == ({dimension} if dimension else set())
        seen += dimensions.values()
        assert one["Statistic"] == ("Maximum" if metric[0] == "AWS/SQS" else "Sum")
    assert seen == watched.split()


def watched_by(alarm: dict[str, Any]) -> list[dict[str, Any]]:
    """The metrics of an alarm: one, or those of which it is the sum."""
    if "Metrics" not in alarm:
        return [alarm]
    total, *parts = alarm["Metrics"]
    assert total["Expression"] == "SUM(METRICS())"
    stats = [(it["If"][1] if "If" in it else it)["MetricStat"] for it in parts]
    assert len({it["Period"] for it in stats}) == 1
    return [{**it["Metric"], "Statistic": it["Stat"]} for it in stats]


def test_each_alarm_names_its_page_and_the_page_each_alarm() -> None:
    page = (ROOT / "docs/runbook.md").read_text(encoding="utf-8")
    rows = page.partition("## Each alarm\n")[2].partition("\n## ")[0]
    for name in named("AWS::CloudWatch::Alarm"):
        text = properties(name)["AlarmDescription"]
        assert text.endswith("(docs/runbook.md#each-alarm)"), name
        assert f"| `{name.removesuffix('Alarm')}` |" in rows


def test_every_alarm_is_in_the_table() -> None:
    assert {name for name, *_ in RINGING} == {*named("AWS::CloudWatch::Alarm")}
    assert properties("AlarmSubscription")["TopicArn"] == {"Ref": "AlarmTopic"}
    assert properties("AlarmSubscription")["Endpoint"] == {"Ref": "AlarmEmail"}
