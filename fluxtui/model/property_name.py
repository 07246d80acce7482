"""Characters that a property name must not contain (RFC 20, RFC 31)."""

#: The characters that are illegal in a property name.
ILLEGAL = "!&'\"^`|()"

#: What a problem with such a name says was expected.
ALLOWED = f"none of {' '.join(ILLEGAL)}"


def illegal_words(name: str, written: str) -> str:
    """Return what is wrong with a name that has an illegal character; empty if it has none.

    written is the name as it was read, with any prefix such as ``^``.
    """
    for sign in sorted(set(ILLEGAL).intersection(name)):
        return f"property name '{written}' holds '{sign}', which is not allowed"
    return ""
