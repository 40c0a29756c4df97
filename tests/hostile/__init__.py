"""H01 to H70, each by name: what strangers may send, where it enters, and what it is answered."""

from tests.hostile.case import Case
from tests.hostile.corpus import CASES, HELD_ELSEWHERE

__all__ = ["CASES", "HELD_ELSEWHERE", "Case"]
