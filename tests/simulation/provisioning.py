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
    """Each queue behind its dead letters."""
    queues = Queues()

    def made(name: str, said: dict[str, Any], **more: str) -> str:
        kept = ("VisibilityTimeout", "MessageRetentionPeriod", "DeduplicationScope")
        attributes = {key: str(said[key]) for key in kept if key in said} | more
        queues.urls[name] = sqs.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]
        asked = {"QueueUrl": queues.urls[name], "AttributeNames": ["QueueArn"]}
        arn: str = sqs.get_queue_attributes(**asked)["Attributes"]["QueueArn"]
        return arn

    for resource, name in {**QUEUES, **(OUTBOX if with_outbox else {})}.items():
        said = properties(resource)
        policy = said["RedrivePolicy"]
        letters = properties(policy["deadLetterTargetArn"]["GetAtt"][:-4])
        arn = queues.dead_arns[name] = made(f"dead-{name}", letters)
        redrive = {"deadLetterTargetArn": arn, "maxReceiveCount": policy["maxReceiveCount"]}
        made(name, said, RedrivePolicy=json.dumps(redrive))
    return queues
