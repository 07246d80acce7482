"""The user who runs the program, or another one, as the system knows them."""

#: Limits of a process that a job does not take over, as for ``flux submit``.
_NOT_GIVEN = ("memlock", "ofile", "msgqueue", "nice", "rtprio", "rttime", "sigpending")


def groups_of(name: str | None = None) -> tuple[str, tuple[str, ...]] | None:
    """The name of a user and the names of their groups; of nobody in particular, who runs this.

    None where the system has no such user, or has no users at all.
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
    """The limits of this process that a job takes over, by name; -1 where there is none.

    The names are those that Flux has for them, such as ``nofile`` (the rlimit option of its shell).
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
        if name not in _NOT_GIVEN
    }
