"""The user who runs the program, or another one, as the system knows them."""


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
