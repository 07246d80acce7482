from fluxtui.notation.wording import counted, listed, plural


def test_a_number_with_its_noun_and_words_in_a_row() -> None:
    assert [counted(number, "node") for number in (0, 1, 2, 1234)] == [
        "0 nodes",
        "1 node",
        "2 nodes",
        "1,234 nodes",
    ]
    assert counted(2, "query", "queries") == "2 queries"
    assert (plural("switch", 1, "switches"), plural("switch", 3, "switches")) == (
        "switch",
        "switches",
    )
    assert [listed(list("abc")[:size]) for size in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert listed(["a", "b"], "or") == "a or b"
