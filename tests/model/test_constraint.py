from fluxtui.model.constraint import tree
from fluxtui.model.constraint.tree import And, Everything, Hostlist, Not, Or, Properties, Ranks
from fluxtui.notation.sets import hostlist, idset
from tests.each import for_each


def problems(obj, path=""):
    return [(p.path, p.message) for p in tree.read(obj, path).problems]


def test_reads_each_kind():
    obj = {
        "and": [
            {"properties": ["gpu", "^debug"]},
            {"or": [{"hostlist": ["n[1-3]", "m"]}, {"ranks": ["0-2", "2-4"]}]},
            {"not": [{}]},
        ]
    }
    parsed = tree.read(obj)
    assert parsed.problems == ()
    assert parsed.value == And(
        (
            Properties(("gpu", "^debug")),
            Or(
                (
                    Hostlist(("n[1-3]", "m"), hostlist.parse("n[1-3],m").value),
                    Ranks(("0-2", "2-4"), idset.parse("0-4").value),
                )
            ),
            Not((Everything(),)),
        )
    )
    assert tree.to_json(parsed.value) == obj


@for_each("operator", ["and", "or", "not", "properties", "hostlist", "ranks"])
def test_no_values_are_fine(operator):
    parsed = tree.read({operator: []})
    assert parsed.ok
    assert tree.to_json(parsed.value) == {operator: []}


@for_each(
    "row",
    [
        ([], None, "a constraint is an object, not an array"),
        (None, None, "a constraint is an object, not null"),
        ({"and": ["x"]}, "and[0]", "a constraint is an object, not a string"),
        ({"and": {}}, "and", "the values of 'and' are an array of constraints, not an object"),
        ({"ranks": "0"}, "ranks", "the values of 'ranks' are an array of strings, not a string"),
        ({"ranks": [0]}, "ranks[0]", "a value of 'ranks' is a string, not a number"),
        ({"hostlist": [True]}, "hostlist[0]", "a value of 'hostlist' is a string, not true"),
        ({"a": [], "b": []}, None, "a constraint has one operator, not 2 (a, b)"),
        ({"hosts": ["a"]}, "hosts", "unknown operator 'hosts'; did you mean hostlist?"),
        ({"Ranks": ["0"]}, "Ranks", "unknown operator 'Ranks'; did you mean ranks?"),
        ({"property": ["a"]}, "property", "unknown operator 'property'; did you mean properties?"),
        ({"xyzzy": ["a"]}, "xyzzy", "unknown operator 'xyzzy'"),
        ({"": ["a"]}, "['']", "the operator has no name"),
        ({"ranks": ["3-1"]}, "ranks[0]", "range '3-1' runs backwards"),
        ({"hostlist": ["a", "n[1-"]}, "hostlist[1]", "the bracket '[' is not closed"),
        ({"properties": ["^a!b"]}, "properties[0]",
         "property name 'a!b' holds '!', which no property name may"),
        ({"properties": ["^^a"]}, "properties[0]",
         "property name '^a' holds '^', which no property name may"),
    ],
)  # fmt: skip
def test_errors(row):
    obj, path, message = row
    parsed = tree.read(obj)
    assert parsed.value is None
    assert not parsed.ok
    assert (path, message) in problems(obj)


def test_every_error_is_found_and_paths_start_where_the_constraint_stands():
    obj = {"or": [{"ranks": ["x"]}, {"not": [{"foo": []}, 5]}]}
    where = "attributes.system.constraints"
    assert [path for path, _ in problems(obj, where)] == [
        f"{where}.or[0].ranks[0]",
        f"{where}.or[1].not[0].foo",
        f"{where}.or[1].not[1]",
    ]


@for_each(
    "row",
    [
        ({"ranks": ["0,"]}, Ranks(("0,",), idset.parse("0").value)),
        ({"ranks": ["[,1,,2]"]}, Ranks(("[,1,,2]",), idset.parse("1-2").value)),
        ({"hostlist": ["a b[1-2] "]}, Hostlist(("a b[1-2] ",), hostlist.parse("a,b[1-2]").value)),
    ],
)
def test_what_flux_lets_pass_is_a_warning(row):
    obj, value = row
    parsed = tree.read(obj)
    assert parsed.ok
    assert {p.severity for p in parsed.problems} == {"warning"}
    assert parsed.value == value


def test_deep_nesting_is_an_error():
    obj: dict = {}
    for _ in range(100_000):
        obj = {"not": [obj]}
    assert problems(obj)[0][1] == "the constraint is nested deeper than 150 levels"


def test_a_caller_says_which_names_to_suggest():
    parsed = tree.read({"hots": ["a"]}, names=("host", "hosts"))
    assert parsed.problems[0].expected == ("hosts",)


def test_hosts_that_are_too_many_together_are_refused() -> None:
    texts = ["n[0-299]5", "n[0-299]7"]
    assert all(tree.read({"hostlist": [text]}).ok for text in texts)
    found = tree.read({"hostlist": texts})
    assert not found.ok
    assert "a hostlist takes 512 of them" in found.problems[0].message
