"""A bar of eighths of a column: how much of a whole a part is."""

_EIGHTHS = " ▏▎▍▌▋▊▉█"


def bar(part: int, count: int, whole: int, width: int) -> tuple[str, str]:
    """A bar as long as the part of the whole, in eighths of a column, and what follows it.

    What follows are dots as far as count reaches, then blanks up to the width. Something shows
    for any part above 0.
    """
    eighths = round(part * width * 8 / whole) if whole else 0
    full, more = divmod(max(eighths, 1) if part and width else eighths, 8)
    lit = "█" * full + (_EIGHTHS[more] if more else "")
    reach = -(-count * width // whole) if whole else 0
    return lit, ("·" * max(reach - len(lit), 0)).ljust(width - len(lit))
