"""Texts to compare parsers on: made from the grammars of RFC 46 and RFC 35, then mutated."""

from hypothesis import strategies as st

TYPES = st.sampled_from(
    ["node", "core", "gpu", "slot", "socket", "ib10g", "memory", "a.b", '"my type"', '"slot"',
     "SLOT"]
)  # fmt: skip
LABELS = st.sampled_from(["a", "b", "ib", "task", "x", '"c d"', "e-f", "L1"])
KEYS = st.sampled_from(["x", "unit", "-x", "+x", "a", "b", "-b", "+c", '"k y"', "id", "p.q"])
SCALARS = st.sampled_from(
    ["GB", "1", "-3", "2.5", "7E-2", "true", "False", "null", "c_3", '"q{r}"', '"x,y"', '""', "a b"]
)
ARRAYS = st.sampled_from(
    ["[]", "[1]", '[1,2.5,"s"]', "[true,null]", '[{"k":1}]', "[[1],[2]]", "['s']", "[ 1 , 2 ]"]
)
COUNTS = st.sampled_from(
    ["1", "4", "63", "2-8", "2-8:2", "2-64:2:*", "3-30:2:^", "2+", "2+:2", "4+:2:*", "2,4,8",
     "1-3,7", "[4]", "[2-8]", "[2,4]", "1-1", "0", "4-2", "01"]
)  # fmt: skip


VALUED = KEYS.filter(lambda key: key[0] not in "+-")
ITEMS: st.SearchStrategy[str] = st.deferred(
    lambda: (
        KEYS
        | KEYS.filter(lambda key: key[0] not in "+-").flatmap(
            lambda key: (ARRAYS | BRACES | SCALARS | SCALARS).map(lambda value: f"{key}:{value}")
        )
    )
)
BRACES = st.lists(ITEMS, max_size=3).map(lambda items: f"{{{','.join(items)}}}")
NUMBERS = st.just("") | COUNTS.map("={}".format)
LABELLED = st.builds(
    lambda label, items: f"{{{','.join((label, *items))}}}", LABELS, st.lists(ITEMS, max_size=2)
)
SLOTS = st.builds("slot{}{}".format, NUMBERS, st.just("") | st.just("") | LABELLED)
VERTICES = st.builds(
    "{}{}{}".format,
    TYPES.filter(lambda kind: kind != "slot"),
    NUMBERS,
    st.just("") | st.just("") | BRACES,
)
LEAST = st.sampled_from(["core", "node", "core=4", "[core;gpu]", "[core=8;gpu]"])


def shapes() -> st.SearchStrategy[str]:
    """Shapes by the grammar; some of them illegal, as where a label is used twice."""
    inside = LEAST
    for _ in range(3):
        below = st.builds("{}/{}".format, SLOTS | VERTICES, inside)
        one = below | VERTICES
        several = st.lists(one, min_size=1, max_size=3)
        inside = one | several.map(lambda vertices: f"[{';'.join(vertices)}]")
    return inside


TERMS = st.sampled_from(
    ["gpu", "a", "b,c", "^ssd", "-a", "- b", "host:n[1-3,7]", "hosts:a,b", "rank:0-3", "ranks:4",
     "hostlist:x", "properties:p,q", "'q r'", '"s"', "host:'a b'", "a:b", "x.y:z", "a,", ",b",
     "not-a", "and", "or", "notx", "host: foo", "!z", "Not", "t@u", "+v", "a-b", "a:b:c"]
)  # fmt: skip
JOINS = st.sampled_from(
    ["&", "|", " ", "&&", "||", " and ", " or ", " & ", " | ", " not ", "&not "]
)


def _joined(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    more = st.lists(st.builds("{}{}".format, JOINS, parts), max_size=3)
    return st.builds(lambda first, rest: first + "".join(rest), parts, more)


def queries() -> st.SearchStrategy[str]:
    """Constraint queries by the grammar."""
    inside = single = TERMS | TERMS.map("not {}".format)
    for _ in range(2):
        nested = _joined(inside)
        inside = single | nested.map("({})".format) | nested.map("not ({})".format)
    return _joined(inside)


@st.composite
def mutated(draw: st.DrawFn, texts: st.SearchStrategy[str], signs: str) -> list[str]:
    """A text, and some copies of it, each with one or two slips."""
    text = draw(texts)
    out = [text]
    slips = st.tuples(st.integers(0, 3), st.integers(0, 999), st.sampled_from(signs))
    for slip in draw(st.lists(st.lists(slips, min_size=1, max_size=2), min_size=5, max_size=5)):
        copy = text
        for kind, where, sign in slip:
            at = where % (len(copy) + 1)
            if kind == 0:
                copy = copy[:at] + sign + copy[at:]
            elif kind == 1:
                copy = copy[:at] + copy[at + 1 :]
            elif kind == 2:
                copy = copy[:at] + sign + copy[at + 1 :]
            else:
                copy = copy[:at] + copy[at + 1 : at + 2] + copy[at : at + 1] + copy[at + 2 :]
        out.append(copy)
    return out


SHAPE_SIGNS = "[]{}/;:=,\"'+-x12 \\.\t#"
QUERY_SIGNS = "()&|:,-'\" ab^!\t#."
