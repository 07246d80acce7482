"""What two texts have in common."""


def shared(old: str, new: str) -> tuple[int, int]:
    """How many characters two texts share at their beginnings, and then at their ends."""
    most = min(len(old), len(new))
    start = 0
    step = most
    while step:  # by halves: comparing slices is faster than single characters
        if old[start : start + step] == new[start : start + step]:
            start += step
            step = min(step, most - start)
        else:
            step //= 2
    most -= start
    stop, step = 0, most
    while step:
        a, b = len(old) - stop, len(new) - stop
        if old[a - step : a] == new[b - step : b]:
            stop += step
            step = min(step, most - stop)
        else:
            step //= 2
    return start, stop
