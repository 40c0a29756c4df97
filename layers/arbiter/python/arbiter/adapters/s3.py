"""The transcripts of a stack's games, in a bucket: one object a game."""

from collections.abc import Callable
from hashlib import md5
from typing import Any

from botocore.exceptions import ClientError

from arbiter.core.game import Game

_CHANGED = {"PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey"}


class S3Transcripts:
    """`ports.TranscriptFiles` in the bucket of this name. ``client`` is botocore's for S3."""

    def __init__(self, client: Callable[[], Any], bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def load(self, game: Game) -> bytes | None:
        try:
            found = self._client().get_object(Bucket=self._bucket, Key=_key(game.id))
        except ClientError as refusal:
            if refusal.response["Error"]["Code"] == "NoSuchKey":
                return None
            raise
        octets: bytes = found["Body"].read()
        return octets

    def replace(self, game_id: str, before: bytes | None, file: bytes) -> bool:
        # An object's ETag is the MD5 of what was put at once, under S3's own key.
        unchanged = (
            {"IfNoneMatch": "*"}
            if before is None
            else {"IfMatch": f'"{md5(before, usedforsecurity=False).hexdigest()}"'}
        )
        try:
            self._client().put_object(
                Bucket=self._bucket,
                Key=_key(game_id),
                Body=file,
                ContentType="application/gzip",
                **unchanged,
            )
        except ClientError as refusal:
            if refusal.response["Error"]["Code"] in _CHANGED:
                return False
            raise
        return True


def _key(game_id: str) -> str:
    return f"transcripts/{game_id}.jsonl.gz"
