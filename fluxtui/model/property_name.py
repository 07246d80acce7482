"""What the name of a property must not hold (RFC 20, RFC 31)."""

#: The characters that no property name may hold.
ILLEGAL = "!&'\"^`|()"

#: What is expected in place of a name that holds one.
ALLOWED = f"none of {' '.join(ILLEGAL)}"


def illegal_words(name: str, written: str) -> str:
    """What is wrong with a name that holds such a character; empty where it holds none.

    written is the name with what may lead it where it was read, such as ``^``.
    """
    for sign in sorted(set(ILLEGAL).intersection(name)):
        return f"property name '{written}' holds '{sign}', which no property name may"
    return ""
