"""All hostile inputs."""

from tests.hostile.case import Case
from tests.hostile.envelopes import envelopes
from tests.hostile.rows import rows
from tests.hostile.scripted import scripted

CASES: tuple[Case, ...] = (*envelopes(), *rows(), *scripted())
