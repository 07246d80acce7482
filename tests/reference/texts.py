"""Texts to compare parsers on: made from the grammars of RFC 46 and RFC 35, then mutated."""

from hypothesis import strategies as st

TYPES = st.sampled_from(
    [
        "node",
        "core",
        "gpu",
        "slot",
        "socket",
        "ib10g",
        "memory",
        "a.b",
        '"my type"',
        '"slot"',
        "SLOT",
    ]
)
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


@st.composite
def _item(draw: st.DrawFn, depth: int) -> str:
    key = draw(KEYS)
    kind = draw(st.integers(0, 5))
    if key[0] in "+-" or kind < 2:
        return key
    if kind == 2:
        return f"{key}:{draw(ARRAYS)}"
    if kind == 3 and depth:
        return f"{key}:{draw(_braces(depth - 1))}"
    return f"{key}:{draw(SCALARS)}"


@st.composite
def _braces(draw: st.DrawFn, depth: int) -> str:
    return "{" + ",".join(draw(st.lists(_item(depth), max_size=3))) + "}"


@st.composite
def _vertex(draw: st.DrawFn, depth: int) -> str:
    text = draw(TYPES)
    slot = text == "slot"
    if draw(st.booleans()):
        text += "=" + draw(COUNTS)
    if draw(st.integers(0, 2)) == 0:
        if slot:
            entries = [draw(LABELS), *draw(st.lists(_item(1), max_size=2))]
            text += "{" + ",".join(entries) + "}"
        else:
            text += draw(_braces(1))
    if slot or (depth and draw(st.booleans())):
        text += "/" + draw(_list(depth - 1))
    return text


@st.composite
def _list(draw: st.DrawFn, depth: int) -> str:
    if depth < 0:
        return draw(st.sampled_from(["core", "node", "core=4", "[core;gpu]", "[core=8;gpu]"]))
    if draw(st.booleans()):
        return draw(_vertex(depth))
    vertices = st.lists(_vertex(depth), min_size=1, max_size=3)
    return "[" + ";".join(draw(vertices)) + "]"


def shapes() -> st.SearchStrategy[str]:
    """Shapes by the grammar; some of them illegal, as where a label is used twice."""
    return _list(2)


TERMS = st.sampled_from(
    ["gpu", "a", "b,c", "^ssd", "-a", "- b", "host:n[1-3,7]", "hosts:a,b", "rank:0-3", "ranks:4",
     "hostlist:x", "properties:p,q", "'q r'", '"s"', "host:'a b'", "a:b", "x.y:z", "a,", ",b",
     "not-a", "and", "or", "notx", "host: foo", "!z", "Not", "t@u", "+v", "a-b", "a:b:c"]
)  # fmt: skip
JOINS = st.sampled_from(
    ["&", "|", " ", "&&", "||", " and ", " or ", " & ", " | ", " not ", "&not "]
)


@st.composite
def _expression(draw: st.DrawFn, depth: int) -> str:
    text = ""
    for number in range(draw(st.integers(1, 4))):
        if number:
            text += draw(JOINS)
        kind = draw(st.integers(0, 6))
        if kind == 0 and depth:
            text += f"({draw(_expression(depth - 1))})"
        elif kind == 1 and depth:
            text += f"not ({draw(_expression(depth - 1))})"
        elif kind == 2:
            text += f"not {draw(TERMS)}"
        else:
            text += draw(TERMS)
    return text


def queries() -> st.SearchStrategy[str]:
    """Constraint queries by the grammar."""
    return _expression(2)


@st.composite
def mutated(draw: st.DrawFn, texts: st.SearchStrategy[str], signs: str) -> list[str]:
    """A text, and some copies of it, each with one or two slips."""
    text = draw(texts)
    out = [text]
    slips = st.tuples(st.integers(0, 3), st.integers(0, 999), st.sampled_from(signs))
    for slip in draw(st.lists(st.lists(slips, min_size=1, max_size=2), min_size=8, max_size=8)):
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
