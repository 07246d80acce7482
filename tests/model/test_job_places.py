"""Which jobs are on a node."""

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model.live.jobs import Job, JobState, Places

LAST = 40

_STATES: st.SearchStrategy[JobState] = st.sampled_from(("RUN", "CLEANUP", "SCHED"))


@given(st.lists(st.tuples(_STATES, st.sets(st.integers(0, LAST))), max_size=40))
def test_the_jobs_on_a_node_are_those_that_have_its_rank(
    held: list[tuple[JobState, set[int]]],
) -> None:
    found = Places(
        Job(id_, state, ranks=",".join(map(str, sorted(ranks))))
        for id_, (state, ranks) in reversed([*enumerate(held)])
    )
    running = {id_: ranks for id_, (state, ranks) in enumerate(held) if state != "SCHED"}
    for rank in range(LAST + 2):
        there = [id_ for id_, ranks in running.items() if rank in ranks]
        assert [job.id for job in found.at(rank)] == there
    assert set(found.ranks) == set().union(*running.values())
