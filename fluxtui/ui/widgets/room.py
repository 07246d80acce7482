"""How much room a scrolling view has."""

from textual.scroll_view import ScrollView


def columns_for(view: ScrollView, rows: int) -> int:
    """The columns a view has when it shows so many rows: the scroll bar takes one if they overflow.

    Textual knows of the scroll bar only after the next layout; this tells beforehand.
    """
    bar = view.styles.scrollbar_size_vertical if rows > view.size.height else 0
    return max(view.size.width - bar, 0)
