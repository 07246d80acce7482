"""Jobs as they are wanted: whose, which of them by what is typed, in what order."""

from dataclasses import dataclass
from typing import Any

import pytest

from fluxtui.answers.listing.jobs import ORDERS, Wanted, listed, where
from fluxtui.model.live.jobs import Job, in_order, parse_id
from fluxtui.model.resources import document as resources
from tests.each import the
from tests.ui.documents import document


@dataclass
class Site:
    """What a listing looks at of a snapshot."""

    jobs: dict[int, Job] | None
    userid: int | None = 7


def job(id_: int, state: str, user: int, name: str, queue: str, **more: Any) -> Job:
    names = {7: "ada", 8: "bo"}
    return Job(id_, state, user, name, queue, user=names[user], **more)  # type: ignore[arg-type]


SITE = Site(
    in_order([
        job(1001, "SCHED", 7, "train", "batch", priority=16, urgency=16, nodes=4, submitted=30.0),
        job(1002, "RUN", 8, "[b]Train 2", "batch", nodes=2, submitted=1.0, started=20.0),
        job(1003, "SCHED", 7, "sleep", "debug", priority=20, urgency=0, nodes=1, submitted=10.0),
        job(1004, "DEPEND", 8, "debug", "batch", urgency=16, submitted=40.0),
    ])
)  # fmt: skip


@pytest.mark.parametrize(("text", "ids", "words"), [
    ("", [1002, 1003, 1001, 1004], ""),
    ("train", [1002, 1001], "name train"),
    ("run", [1002], "state run"),
    ("pending -held", [1001, 1004], "state pending and not state held"),
    ("depend", [1004], "state depend"),
    ("debug", [1003], "queue debug"),  # the queue before the name
    ("run debug", [], "state run and queue debug"),
    ("name:debug", [1004], "name debug"),
    ("ADA !queue:batch", [1003], "user ADA and not queue batch"),
    ("user:8 train", [1002], "user 8 and name train"),
    ("bat", [1002, 1001, 1004], "queue bat"),
    ("*2", [1002], "name *2"),
    ("[b]*", [1002], "name [b]*"),
    ("1003", [1003], "id 1003"),
    (f"f{job(1001, 'RUN', 7, '', '').f58[1:]}", [1001], None),
    ("id:9", [], "id 9"),
    ("state:run queue:debug", [], "state run and queue debug"),
    ("State:run", [1002], "state run"),
    ("cleanup", [], "state cleanup"),
    ("-cleanup run", [1002], "not state cleanup and state run"),
    ("run|held", [1002, 1003], "state run or state held"),
    ("run | held -ada", [1002], "(state run or state held) and not user ada"),
    ("-run|held|", [1001, 1004], "not (state run or state held)"),
    ("nothing", [], ""),
    ("-nothing", [1002, 1003, 1001, 1004], ""),
    ("run|nothing", [1002], ""),
])  # fmt: skip
def test_what_is_typed_leaves_jobs(text: str, ids: list[int], words: str | None) -> None:
    found = listed(SITE, Wanted(everybody=True, text=text))  # type: ignore[arg-type]
    assert [one.id for one in found.jobs] == ids
    assert words is None or found.words == words
    assert (found.problem is not None) == ("nothing" in text)
    assert found.count == 4
    assert found.rows == {id_: row for row, id_ in enumerate(ids)}
    assert found.runs == (1002 in ids)


@pytest.mark.parametrize(("by", "ids"), [
    ("job", [1001, 1002, 1003, 1004]),
    ("state", [1004, 1003, 1002, 1001]),
    ("user", [1003, 1001, 1002, 1004]),
    ("queue", [1002, 1001, 1004, 1003]),
    ("nodes", [1001, 1002, 1003, 1004]),
    ("time", [1003, 1002, 1001, 1004]),
    ("name", [1002, 1004, 1003, 1001]),
    ("urgency", [1001, 1004, 1002, 1003]),
])  # fmt: skip
def test_jobs_are_sorted_and_turned(by: str, ids: list[int]) -> None:
    wanted = Wanted(everybody=True).sorted_by(by)
    assert [one.id for one in listed(SITE, wanted).jobs] == ids  # type: ignore[arg-type]
    turned = listed(SITE, wanted.sorted_by(by)).jobs  # type: ignore[arg-type]
    key = ORDERS[by].key
    keys = [key(one) for one in turned]
    assert keys == sorted(keys, reverse=True)
    first = [one.id for one in turned if key(one) == keys[0]]
    assert first == [id_ for id_ in ids if id_ in first]  # equal ones stay as they are scheduled


def test_names_and_ids_that_differ_by_case_alone_are_told_apart_or_joined() -> None:
    one, other = the(parse_id("ƒ2oLkTLB")), the(parse_id("ƒ2oLkTLb"))
    jobs = [job(one, "RUN", 7, "Train", "Day"), job(other, "RUN", 7, "train", "day")]
    site = Site({each.id: each for each in jobs})
    for text, found in {"train": 2, "-train": 0, "queue:day": 2, "id:ƒ2olk*": 2}.items():
        assert len(listed(site, Wanted(everybody=True, text=text)).jobs) == found  # type: ignore[arg-type]
    for text, id_ in (("ƒ2oLkTLB", one), (str(other), other)):
        (job_,) = listed(site, Wanted(everybody=True, text=text)).jobs  # type: ignore[arg-type]
        assert job_.id == id_


@pytest.mark.parametrize(("more", "words"), [
    ({"ranks": "0-1"}, "n[0-1]"),
    ({"dependencies": ("after-success=ƒ2", "begin-time=400.0")}, "after-success=ƒ2, begins in 5m"),
    ({"dependencies": ("begin-time=soon",)}, "begin-time=soon"),
    ({"dependencies": ("begin-time=inf",)}, "begin-time=inf"),
    ({"annotations": {"sched": {"t_estimate": 160.5}}}, "starts in 1m"),
    ({}, ""),
])  # fmt: skip
def test_where_a_job_is_or_what_it_waits_for(more: dict[str, Any], words: str) -> None:
    assert where(job(1, "SCHED", 7, "a", "b", **more), resources.read(document(2)), 100.0) == words


def test_the_jobs_of_who_asks_or_of_all_where_that_is_not_known() -> None:
    mine, unknown = listed(SITE, Wanted()), listed(Site(SITE.jobs, None), Wanted())  # type: ignore[arg-type]
    assert [one.id for one in mine.jobs] == [1003, 1001]
    assert unknown.count == 4
    assert listed(Site(None), Wanted()).jobs == ()  # type: ignore[arg-type]
