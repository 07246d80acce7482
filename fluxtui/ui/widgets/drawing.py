"""What widgets that draw line by line share."""

from typing import TYPE_CHECKING

from rich.style import Style
from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

if TYPE_CHECKING:
    Base = Widget
else:
    Base = object  # a widget among the bases would hide the stylesheet of the next one


class Drawn(Base):
    """A widget that draws its lines itself, all of them on one background.

    Textual works out ``rich_style`` from all that a widget stands in, each time it is asked; here
    it is asked once a frame, not once a line.
    """

    _base: Style | None = None

    @property
    def base(self) -> Style:
        """The style that the lines of this frame stand on."""
        if self._base is None:
            self._base = self.rich_style
        return self._base

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of a region."""
        self._base = None
        return super().render_lines(crop)


class Styled(Base):
    """A widget of Textual's that works out the styles of its parts once, not in each frame."""

    _made_of: tuple[object, ...] = ()
    _looks: "dict[tuple[tuple[str, ...], bool], Style] | None" = None

    def notify_style_update(self) -> None:
        """Look them up again for the next frame."""
        self._looks = None
        super().notify_style_update()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of a region; styles are looked up again where the style sheet gave others."""
        made_of = (self.rich_style, *self._component_styles.values())
        if made_of != self._made_of or self._looks is None:
            self._made_of, self._looks = made_of, {}
            self.restyled()
        return super().render_lines(crop)

    def restyled(self) -> None:
        """Forget what was drawn in other styles; for those who keep it."""

    def get_component_rich_style(
        self, *names: str, partial: bool = False, default: Style | None = None
    ) -> Style:
        """The style of a part."""
        if self._looks is None or default is not None:
            return super().get_component_rich_style(*names, partial=partial, default=default)
        look = self._looks.get((names, partial))
        if look is None:
            look = super().get_component_rich_style(*names, partial=partial)
            self._looks[names, partial] = look
        return look


def columns_for(view: ScrollView, rows: int) -> int:
    """The columns a view has when it shows so many rows: the scroll bar takes one if they overflow.

    Textual knows of the scroll bar only after the next layout; this tells beforehand.
    """
    size = view.size  # Textual looks it up in the layout, each time it is asked
    has_bar = rows > size.height or view.styles.overflow_y == "scroll"
    bar = view.styles.scrollbar_size_vertical if has_bar else 0
    return max(size.width - bar, 0)
