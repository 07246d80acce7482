"""The workbench where one job gives way to another: what no file holds of it is kept first."""

from typing import TYPE_CHECKING

from fluxtui import workbench
from fluxtui.bridge import themes
from fluxtui.ui.kit.workers import run_in_thread, start_worker
from fluxtui.ui.session.keeping import Keeping, draft_of, is_same_work, summary

if TYPE_CHECKING:
    from fluxtui import opening
    from fluxtui.bridge.drafts import Kept, Store
    from fluxtui.ui.session.keeping import Work

ASIDE = "aside"  # the group of the workers that keep a job
KNOWN = 20  # of the jobs that nobody would miss; another one is kept once more at worst
NAME = 40  # characters of the name of a job


class Replacing(Keeping):
    """Keeps a job that another one takes the place of, as a session of its own.

    Not one that was only opened, or whose file holds all of it, and no empty one. That is no
    question: the step can be taken back, and the job be restored later too.
    """

    def __init__(self, state: workbench.State | None = None, theme: str = themes.DEFAULT) -> None:
        super().__init__(state, theme)
        self._unmissed: list[Work] = [self._work()]  # opened and not changed, or kept already

    def edit(self, edit: workbench.Edit) -> None:
        """Take an edit; a job that it puts another one in place of is kept first."""
        if isinstance(edit, workbench.OpenJob):
            self._set_aside()
        super().edit(edit)
        is_saved = isinstance(edit, workbench.SaveJob) and not self.unsaved
        if is_saved or isinstance(edit, workbench.OpenJob):
            self._know(self._work())

    def replace_shape(self, text: str) -> None:
        """Put a shape that nobody here made in place of the one that stands there."""
        self._set_aside()
        self.edit(workbench.EditShape(text))
        self._know(self._work())

    def _set_aside(self) -> None:
        """Have the job kept as it stands, where somebody would miss it."""
        state, work = self.state, self._work()
        # A constraint alone is no job; it stands among what was typed before.
        no_job = state.build.blank and state.job.document is None and state.job.raw is None
        if self.drafts is None or not self.is_running or no_job or self._knows(work):
            return
        start_worker(self, ASIDE, self._keep_aside, self.drafts, work, state, self.config_path)

    async def _keep_aside(
        self, drafts: "Store", work: "Work", state: workbench.State, config: str | None
    ) -> None:
        """Keep the job of a state, and say so; nothing where its file holds it."""
        draft = await run_in_thread(lambda: draft_of(state, work[4], config))
        if not draft.unsaved:
            return
        problem = await run_in_thread(lambda: drafts.set_aside(draft))
        if problem is not None:
            self.tell((problem,), "ctrl+z brings it back")
            return
        self._know(work)
        self.notify(
            "It was not saved. ctrl+z goes back to it; later it is among the sessions "
            "that ctrl+p 'Restore the last session' brings back.",
            title=f"Kept: {summary(draft, NAME)}",
            timeout=8,
            markup=False,
        )

    def _put_back(
        self, kept: "Kept", edit: workbench.OpenJob, file: "opening.OpenFile | None"
    ) -> None:
        super()._put_back(kept, edit, file)
        if kept.crashed:  # its file goes, once the draft of this workbench holds it
            self._unmissed.pop()

    def _know(self, work: "Work") -> None:
        self._unmissed = [*self._unmissed[1 - KNOWN :], work]

    def _knows(self, work: "Work") -> bool:
        """Whether nobody would miss what was made; which file it belongs to is no part of that."""
        return any(is_same_work(known, (*work[:4], known[4])) for known in self._unmissed)
