"""The examples beside the texts of the RFCs and the recorded jobspecs, where these are at hand."""

import json
import re
from typing import Any

import pytest
import yaml

from fluxtui import library
from fluxtui.library.example import Equivalent
from tests.conformance.cases import FOLDER, cases
from tests.each import for_each
from tests.library.test_library import of, same

ROWS = [row for row in cases("jobspec_v1") if row.get("src", "").startswith(("rfc14", "rfc25"))]
SEEDS = FOLDER.parent / "seeds"

if not SEEDS.is_dir():
    pytest.skip(f"no texts of the RFCs in {SEEDS}", allow_module_level=True)


def text_of(name: str) -> str:
    """The text of an RFC."""
    return (SEEDS / name).read_text(encoding="utf-8")


RFC25, RFC31, RFC46 = map(
    text_of, ("rfc25-jobspec-v1.txt", "rfc31-constraints.txt", "rfc46-shape.txt")
)


def sections(text: str) -> dict[str, str]:
    """What stands under each ``Use Case``, by what follows these words."""
    cases = text[text.index("\nSection 1: ") :]
    _, *parts = re.split(r"^Use Case (.+)$", cases, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def block(text: str, start: str) -> Any:
    """The YAML that starts with a line, and ends before a blank one."""
    lines, _, _ = text[text.index(start) :].partition("\n\n")
    return yaml.safe_load(lines)


def test_the_example_and_the_use_cases_of_rfc_25() -> None:
    assert same(of("rfc25-example").document, block(RFC25, "version: 1\n"))
    found = sections(RFC25)
    assert [e.section for e in library.entries() if e.rfc == "RFC 25"] == [
        "Example", *(f"Use case {number}" for number in found),
    ]  # fmt: skip
    for number, text in found.items():
        example, lines = of(f"rfc25-{number}"), text.splitlines()
        assert same(example.document, block(text, "version: 1\n"))
        assert list(example.equivalents) == [
            Equivalent(line, lines[at + 2])
            for at, line in enumerate(lines)
            if line in ("Slurm", "PBS", "OAR")
        ]


def test_the_use_cases_of_rfc_46() -> None:
    named = sections(RFC46).items()
    found = {number: text.strip() for key, text in named for number in re.findall(r"\d\.\d", key)}
    numbers = [f"Use case {number}" for number in found]
    assert [e.section for e in library.entries() if e.rfc == "RFC 46"] == numbers
    for number, said in found.items():
        is_same = said.startswith("Resource list is the same as ")
        text = found[said.split()[6]] if is_same else said
        example = of(f"rfc46-{number}")
        assert example.shape == text.splitlines()[0]
        assert same(example.resources, block(text, "- type"))


def objects(text: str) -> list[Any]:
    """Every JSON object of a text, the outer ones, in order."""
    found, at, decoder = [], 0, json.JSONDecoder()
    while (at := text.find("{", at)) >= 0:
        try:
            value, at = decoder.raw_decode(text, at)
            found.append(value)
        except ValueError:
            at += 1
    return found


def test_every_constraint_of_rfc_31() -> None:
    ours = [e.constraint for e in library.entries() if e.rfc == "RFC 31"]
    before, after = RFC31.rsplit("\nExamples\n", 1)
    examples = objects(after)
    assert len(examples) == 8
    assert ours[:8] == examples
    for value in objects(before):
        assert value in ours
    for value in ours[8:]:
        assert value in objects(before)


def test_recorded_jobspecs() -> None:
    assert {row["src"][:5] for row in ROWS} == {"rfc14", "rfc25"}
    for row in ROWS:
        name = row["src"].replace("/use_case_", "-").replace("/", "-")
        name = "rfc25-example" if name == "rfc25-example1" else name
        assert same(of(name).document, row["jobspec"]), name


RUN = 6  # so many words in a row are a quotation


def words_of(text: str) -> list[str]:
    """The words of a text, in small letters."""
    return re.findall(r"[\w.-]+", text.lower())


@for_each("example", library.entries(), label=lambda example: example.id)
def test_no_text_is_that_of_an_rfc(example: library.Example) -> None:
    rfcs = [" ".join(words_of(text)) for text in (RFC25, RFC31, RFC46)]
    words = words_of(example.text)
    for at in range(len(words) - RUN + 1):
        assert not any(" ".join(words[at : at + RUN]) in rfc for rfc in rfcs)
