"""Golden files: one JSON file a case. ``GOLDEN=rewrite make test`` writes them anew; git diff is
the review.
"""

import json
import os
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "golden"


def golden(dialect: str, case: str, seen: dict[str, Any]) -> dict[str, Any]:
    """What the golden file of this case holds; with GOLDEN=rewrite, what was seen becomes that."""
    path = FOLDER / dialect / f"{case}.json"
    if os.environ.get("GOLDEN") == "rewrite":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(seen, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    expected: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return expected


def plain(value: Any) -> Any:
    """A value as JSON would give it back."""
    return json.loads(json.dumps(value))
