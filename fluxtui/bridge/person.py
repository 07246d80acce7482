"""The user who runs the program, or another user, and their limits, as the system knows them."""

#: Limits of a process that a job does not inherit, as with ``flux submit``.
_NOT_INHERITED = ("memlock", "ofile", "msgqueue", "nice", "rtprio", "rttime", "sigpending")


def groups_of(name: str | None = None) -> tuple[str, tuple[str, ...]] | None:
    """The name of a user, by default the current one, and the names of their groups.

    None if the system has no such user, or is not a POSIX system.
    """
    try:
        import grp
        import os
        import pwd
    except ImportError:  # not a POSIX system
        return None
    try:
        found = pwd.getpwuid(os.geteuid()) if name is None else pwd.getpwnam(name)
        ids = os.getgrouplist(found.pw_name, found.pw_gid)
    except (KeyError, OSError, ValueError):
        return None
    groups = []
    for number in dict.fromkeys(ids):
        try:
            groups.append(grp.getgrgid(number).gr_name)
        except KeyError:  # a group without a name, which no configuration can allow
            continue
    return found.pw_name, tuple(groups)


def limits() -> dict[str, int]:
    """The soft limits of this process that a job inherits, by name; -1 for unlimited.

    The names are Flux's, such as ``nofile`` (the rlimit option of the Flux shell).
    """
    try:
        import resource
    except ImportError:  # not a POSIX system
        return {}
    found = {
        name.removeprefix("RLIMIT_").lower(): value
        for name, value in vars(resource).items()
        if name.startswith("RLIMIT_")
    }
    return {
        name: resource.getrlimit(number)[0]
        for name, number in found.items()
        if name not in _NOT_INHERITED
    }
