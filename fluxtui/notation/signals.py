"""Signals as people write them: by their names, with SIG before them or without, or by number."""

from fluxtui.notation.problem import is_digits

#: The numbers of Linux signals by their names without SIG.
NUMBERS = {
    "HUP": 1, "INT": 2, "QUIT": 3, "ILL": 4, "TRAP": 5, "ABRT": 6, "BUS": 7, "FPE": 8, "KILL": 9,
    "USR1": 10, "SEGV": 11, "USR2": 12, "PIPE": 13, "ALRM": 14, "TERM": 15, "STKFLT": 16,
    "CHLD": 17, "CONT": 18, "STOP": 19, "TSTP": 20, "TTIN": 21, "TTOU": 22, "URG": 23,
    "XCPU": 24, "XFSZ": 25, "VTALRM": 26, "PROF": 27, "WINCH": 28, "IO": 29, "PWR": 30, "SYS": 31,
}  # fmt: skip


def number(name: str) -> int | None:
    """The number of a signal, blank being SIGUSR1 as in ``--signal=@60``; None where it is none."""
    if is_digits(name) and len(name) < 5:
        return int(name) or None
    return NUMBERS.get((name or "USR1").removeprefix("SIG"))
