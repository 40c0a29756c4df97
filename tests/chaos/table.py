"""The rows as Markdown, which is also fit to be read while they come."""

from tests.chaos.rounds import Row

_HEADS = (
    "fault", "lasted", "longest wait", "all moved after", "moves", "lost", "twice", "players saw",
)  # fmt: skip


def heading() -> str:
    """The two lines above the rows."""
    return f"| {' | '.join(_HEADS)} |\n|{'---|' * len(_HEADS)}"


def line(row: Row) -> str:
    """One row; what made it fail stands at its end."""
    saw = ", ".join(f"{word} {count}" for word, count in sorted(row.sightings.items()) if count)
    cells = (
        row.fault,
        f"{row.lasted_seconds:.1f} s",
        f"{row.longest_wait_seconds:.1f} s",
        f"{row.recovered_seconds:.1f} s",
        str(row.acknowledged),
        str(row.lost),
        str(row.twice),
        saw or "nothing",
        *(f"**{failure}**" for failure in row.failures),
    )
    return f"| {' | '.join(cells)} |"
