"""List prices of AWS in one region on one day, and the cost of what was used: marginal, without
what an idle arbiter costs, before free tiers, discounts and taxes. Pure.
"""

from dataclasses import dataclass

PRICED_ON = "2025-11"
REGION = "us-east-1"

MILLION = 1_000_000

SQS_FIFO_REQUEST = 0.50 / MILLION
DYNAMODB_WRITE_UNIT = 0.625 / MILLION
DYNAMODB_READ_UNIT = 0.125 / MILLION
LAMBDA_REQUEST = 0.20 / MILLION
LAMBDA_ARM_GB_SECOND = 0.0000133334
WEBSOCKET_MESSAGE = 1.00 / MILLION
"""Of up to 32 KB, in either direction."""
LOGGED_GB = 0.50
HTTP_REQUEST = 1.00 / MILLION
TRANSFERRED_GB = 0.09
"""Out to the internet."""
STORED_GB_MONTH, BACKED_UP_GB_MONTH = 0.25, 0.20
"""In DynamoDB, and as much again for point-in-time recovery."""

OBJECT_PUT, OBJECT_GET, OBJECT_GB_MONTH = 5.00 / MILLION, 0.40 / MILLION, 0.023
"""In S3."""

WRITE_UNIT_BYTES = 1024
READ_UNIT_BYTES = 4096
"""Strongly consistent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Amounts of what is paid for."""

    queue_requests: float = 0.0
    write_units: float = 0.0
    read_units: float = 0.0
    invocations: float = 0.0
    gb_seconds: float = 0.0
    socket_messages: float = 0.0
    logged_bytes: float = 0.0
    http_requests: float = 0.0
    transferred_bytes: float = 0.0
    stored_byte_months: float = 0.0
    object_puts: float = 0.0
    object_gets: float = 0.0
    object_byte_months: float = 0.0

    def parts(self) -> dict[str, float]:
        return {
            "SQS": self.queue_requests * SQS_FIFO_REQUEST,
            "DynamoDB": self.write_units * DYNAMODB_WRITE_UNIT
            + self.read_units * DYNAMODB_READ_UNIT,
            "Lambda": self.invocations * LAMBDA_REQUEST + self.gb_seconds * LAMBDA_ARM_GB_SECOND,
            "API Gateway": self.socket_messages * WEBSOCKET_MESSAGE
            + self.http_requests * HTTP_REQUEST,
            "logs": self.logged_bytes / 1e9 * LOGGED_GB,
            "transfer": self.transferred_bytes / 1e9 * TRANSFERRED_GB,
            "S3": self.object_puts * OBJECT_PUT
            + self.object_gets * OBJECT_GET
            + self.object_byte_months / 1e9 * OBJECT_GB_MONTH,
            "storage": self.stored_byte_months / 1e9 * (STORED_GB_MONTH + BACKED_UP_GB_MONTH),
        }

    def dollars(self) -> float:
        return sum(self.parts().values())


def write_units(size_bytes: int) -> int:
    """The units that DynamoDB counts for one write of an item of this size."""
    return max(1, -(-size_bytes // WRITE_UNIT_BYTES))


def read_units(size_bytes: int) -> int:
    """The units that DynamoDB counts for one strongly consistent read, even of nothing."""
    return max(1, -(-size_bytes // READ_UNIT_BYTES))
