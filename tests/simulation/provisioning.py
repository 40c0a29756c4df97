"""Tables and queues as `template.yaml` has them, in the simulated cloud."""

import json
from dataclasses import dataclass, field
from typing import Any

from tests.simulation.sim_queue import SimSqs
from tests.simulation.sim_table import SimDynamoDb
from tests.template.source import properties

FORESEEN_KEYS = {"Table": "arbiter", "ShortLivedTable": "short-lived"}
QUEUES = {
    "MovesQueue": "moves.fifo",
    "SeeksQueue": "seeks.fifo",
    "RepublishQueue": "republish",
    "ClockQueue": "clock",
}
OUTBOX = {"ScuttlebuttQueue": "scuttlebutt.fifo"}
"""Only where there are players of Scuttlebutt."""


@dataclass(frozen=True)
class Queues:
    """``urls`` by name, those of dead letters as ``dead-…``; ``dead_arns`` by the queue's name."""

    urls: dict[str, str] = field(default_factory=dict)
    dead_arns: dict[str, str] = field(default_factory=dict)


def make_tables(dynamodb: SimDynamoDb) -> None:
    for resource, name in FORESEEN_KEYS.items():
        said = properties(resource)
        keys = ("KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes")
        dynamodb.create_table(
            TableName=name,
            BillingMode="PAY_PER_REQUEST",
            **{key: said[key] for key in keys if key in said},
        )


def make_queues(sqs: SimSqs, *, with_outbox: bool) -> Queues:
    queues = Queues()
    for resource, name in {**QUEUES, **(OUTBOX if with_outbox else {})}.items():
        said = properties(resource)
        queues.dead_arns[name] = _make_dead_letters(sqs, queues, said, f"dead-{name}")
        redrive = {
            "deadLetterTargetArn": queues.dead_arns[name],
            "maxReceiveCount": said["RedrivePolicy"]["maxReceiveCount"],
        }
        kept = ("DeduplicationScope", "FifoThroughputLimit") if said.get("FifoQueue") else ()
        queues.urls[name] = sqs.create_queue(
            QueueName=name,
            Attributes={
                **_fifo(said),
                **{key: said[key] for key in kept},
                "VisibilityTimeout": str(said["VisibilityTimeout"]),
                "MessageRetentionPeriod": str(said["MessageRetentionPeriod"]),
                "RedrivePolicy": json.dumps(redrive),
            },
        )["QueueUrl"]
    return queues


def _make_dead_letters(sqs: SimSqs, queues: Queues, said: dict[str, Any], name: str) -> str:
    letters = properties(said["RedrivePolicy"]["deadLetterTargetArn"]["GetAtt"][:-4])
    retention = str(letters["MessageRetentionPeriod"])
    queues.urls[name] = sqs.create_queue(
        QueueName=name, Attributes={**_fifo(said), "MessageRetentionPeriod": retention}
    )["QueueUrl"]
    arn: str = sqs.get_queue_attributes(QueueUrl=queues.urls[name], AttributeNames=["QueueArn"])[
        "Attributes"
    ]["QueueArn"]
    return arn


def _fifo(said: dict[str, Any]) -> dict[str, str]:
    return {"FifoQueue": "true"} if said.get("FifoQueue") else {}
